"""Records the calls of the official Python clients."""

from __future__ import annotations

import asyncio
import datetime
import logging
import os
import pathlib
import re
import time
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, TypeVar

from .store import Store, open

Client = TypeVar("Client")
_log = logging.getLogger("spoor")


def record(client: Client, store: Store | None = None) -> Client:
    """Records every call of a client of `openai`, `anthropic` or `google-genai`, sync or async, also
    streams.

    Returns the client, which works as before. When a call, or its stream, ends, its turns and its
    exact request are in the store; keys are not. If recording fails, the call does not: the failure
    is a warning of the logger `spoor`. Retries are recorded too, each as what it was.

    store: None is the store that the program `spoor` would use here (docs/durability.md): the one
        that SPOOR_STORE names, else the nearest `.spoor` in the working directory or above it, else
        your own, which is made if there is none.

    Raises TypeError if the client does not send its requests through httpx.

    >>> spoor.record("no client", store)
    Traceback (most recent call last):
    TypeError: 'str' is not a client that sends its requests through httpx
    """
    found = _http_clients(client)
    if not found:
        raise TypeError(f"'{type(client).__name__}' is not a client that sends its requests through "
                        "httpx")
    kept = _found_store() if store is None else store
    for http in found:
        _tap(http, kept)
    return client


def _http_clients(client: Any) -> list[Any]:
    """Returns the clients of httpx through which a provider's client sends."""
    google = getattr(client, "_api_client", None)
    if google is None:
        found = [getattr(client, "_client", None)]
    else:
        found = [getattr(google, "_httpx_client", None), getattr(google, "_async_httpx_client", None)]
        if google._use_aiohttp() and found[1] is not None:
            google._http_options.httpx_async_client = found[1]  # Its option for httpx.
        if google._use_aiohttp():
            _log.warning("calls of 'client.aio' are not recorded: they are sent through aiohttp")
    return [http for http in found if hasattr(http, "_transport")]


def _tap(http: Any, store: Store) -> None:
    http._transport = _tapped(http._transport, store)
    for pattern, transport in http._mounts.items():  # Proxies.
        http._mounts[pattern] = transport and _tapped(transport, store)
    if (inner := getattr(http, "_client_for_running_loop", None)) is None:
        return

    def tapped() -> Any:  # Google's has one more client for each event loop.
        made = inner()
        if not isinstance(made._transport, _AsyncTransport):
            _tap(made, store)
        return made

    http._client_for_running_loop = tapped


_stores: dict[str, Store] = {}


def _found_store() -> Store:
    """Returns the store that the program would use, opened once."""
    named = os.path.expanduser(os.environ.get("SPOOR_STORE", ""))
    here = pathlib.Path.cwd()
    own = pathlib.Path(os.environ.get("XDG_DATA_HOME") or "~/.local/share").expanduser() / "spoor"
    near = next((folder for folder in (here, *here.parents) if (folder / ".spoor").is_file()), None)
    if re.match("postgres(ql)?://", named):
        where = named
    elif named:
        path = here / named
        where = str(path / ".spoor" if path.is_dir() else path)
    else:
        where = str((near or own) / ".spoor")
    if where not in _stores:
        is_own = where == str(own / ".spoor")
        if is_own:
            own.mkdir(mode=0o700, parents=True, exist_ok=True)
        _stores[where] = open(where, create=is_own)
    return _stores[where]


class _Exchange:
    """What passes between a client and a provider, until it is recorded."""

    def __init__(self, store: Store, request: Any, body: bytes) -> None:
        self._store = store
        self._started = time.monotonic()
        self._body = body
        self._response: list[bytes] = []
        self._is_recorded = False
        url = request.url
        self._about: dict[str, Any] = {
            "upstream": f"{url.scheme}://{url.netloc.decode()}", "method": request.method,
            "target": url.raw_path.decode(), "request": len(body), "status": 0,
            "request_headers": [list(each) for each in request.headers.multi_items()],
            "response_headers": [], "first_byte": 0,
            "begun": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ")}

    def answered(self, response: Any) -> None:
        self._about.update(status=response.status_code, first_byte=self._elapsed(),
                           response_headers=[list(each) for each in response.headers.multi_items()])

    def take(self, piece: bytes) -> None:
        self._response.append(piece)

    def take_whole(self, response: Any) -> bool:
        """Takes the body of a response that is read already: of a cache, or of a test's transport. Nobody
        will read its stream."""
        if not getattr(response, "is_stream_consumed", False):
            return False
        is_raw = type(response.stream).__name__ == "ByteStream"
        self._response += response.stream if is_raw else [response.content]
        return True

    def record(self, ending: str) -> None:
        """Records the exchange, unless it was. Never raises."""
        if self._is_recorded:
            return
        self._is_recorded = True
        try:
            body = b"".join(self._response)
            about = {**self._about, "response": len(body), "end": self._elapsed(), "ending": ending}
            self._store.record_exchange(about, self._body, body)
        except Exception as error:  # Whatever it is: the program's own call matters more.
            _log.warning("a call was not recorded: %s", error)

    async def record_aside(self, ending: str) -> None:
        try:
            asyncio.get_running_loop()
        except RuntimeError:  # Another kind of loop, such as trio's.
            self.record(ending)
            return
        await asyncio.shield(asyncio.to_thread(self.record, ending))

    def _elapsed(self) -> int:
        return int((time.monotonic() - self._started) * 1e6)


def _begin(store: Store, request: Any, body: bytes) -> _Exchange | None:
    try:
        return _Exchange(store, request, body)
    except Exception as error:
        _log.warning("a call is not recorded: %s", error)
        return None


def _tapped(transport: Any, store: Store) -> Any:
    """Returns a transport that does what `transport` does, and records it."""
    if hasattr(transport, "handle_async_request"):
        return _AsyncTransport(transport, store)
    return _Transport(transport, store)


def _stream_class(stream: Any, name: str, body: dict[str, Callable[..., Any]]) -> Any:
    """Returns a class of httpx's own kind, which httpx insists on; httpx itself is not imported."""
    kind = next(each for each in type(stream).__mro__ if each.__name__ == name)
    return type("Tapped" + name, (kind,), body)()


class _Transport:
    def __init__(self, inner: Any, store: Store) -> None:
        self._inner = inner
        self._store = store

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def __enter__(self) -> Any:
        self._inner.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._inner.__exit__(*error)

    def handle_request(self, request: Any) -> Any:
        exchange = _begin(self._store, request, request.read())
        if exchange is None:
            return self._inner.handle_request(request)
        try:
            response = self._inner.handle_request(request)
        except BaseException:
            exchange.record("upstream_no_response")
            raise
        exchange.answered(response)
        if exchange.take_whole(response):
            exchange.record("complete")
            return response
        stream = response.stream

        def pieces(_: Any) -> Iterator[bytes]:
            try:
                for piece in stream:
                    exchange.take(piece)
                    yield piece
            except GeneratorExit:
                raise
            except BaseException:
                exchange.record("upstream_cut")
                raise
            exchange.record("complete")

        def close(_: Any) -> None:
            stream.close()
            exchange.record("client_disconnect")

        response.stream = _stream_class(stream, "SyncByteStream",
                                        {"__iter__": pieces, "close": close})
        return response


class _AsyncTransport:
    def __init__(self, inner: Any, store: Store) -> None:
        self._inner = inner
        self._store = store

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    async def __aenter__(self) -> Any:
        await self._inner.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> None:
        await self._inner.__aexit__(*error)

    async def handle_async_request(self, request: Any) -> Any:
        exchange = _begin(self._store, request, await request.aread())
        if exchange is None:
            return await self._inner.handle_async_request(request)
        try:
            response = await self._inner.handle_async_request(request)
        except BaseException:
            await exchange.record_aside("upstream_no_response")
            raise
        exchange.answered(response)
        if exchange.take_whole(response):
            await exchange.record_aside("complete")
            return response
        stream = response.stream

        async def pieces(_: Any) -> AsyncIterator[bytes]:
            try:
                async for piece in stream:
                    exchange.take(piece)
                    yield piece
            except GeneratorExit:
                raise
            except BaseException:
                await exchange.record_aside("upstream_cut")
                raise
            await exchange.record_aside("complete")

        async def aclose(_: Any) -> None:
            await stream.aclose()
            await exchange.record_aside("client_disconnect")

        response.stream = _stream_class(stream, "AsyncByteStream",
                                        {"__aiter__": pieces, "aclose": aclose})
        return response

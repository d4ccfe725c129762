"""The same store for asyncio: each call runs in a thread, so the event loop never waits for a disk.

    store = await spoor.aio.open("talk.spoor", create=True)
    async with store.branch("main") as b:
        b.user("hi")
    prompt = await store.compile("main", to="anthropic")
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import itertools
import os
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from . import runs
from . import store as sync
from .runs import RunResult
from .values import Diff, History, Moved, Turn

if TYPE_CHECKING:
    import pyarrow  # type: ignore[import-not-found, import-untyped, unused-ignore]

T = TypeVar("T")
_PAGE = 64


async def open(where: str | os.PathLike[str], **options: Any) -> Store:
    """Opens a store, as spoor.open() does."""
    return Store(await asyncio.to_thread(sync.open, where, **options))


class Branch:
    """A branch. `async with` makes one transaction: its block gets a spoor.Branch, whose calls only
    collect turns; they are written when the block ends."""

    def __init__(self, branch: sync.Branch) -> None:
        self._branch = branch

    async def __aenter__(self) -> sync.Branch:
        return await asyncio.to_thread(self._branch.__enter__)

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None,
                        trace: TracebackType | None) -> None:
        await asyncio.shield(asyncio.to_thread(self._branch.__exit__, kind, error, trace))

    async def append(self, type: str, text: str, **more: Any) -> sync.Appended:
        """Appends a turn, as spoor.Branch.append() does."""
        return await asyncio.to_thread(self._branch.append, type, text, **more)


class Store:
    """A spoor.Store, whose methods are awaited."""

    def __init__(self, store: sync.Store) -> None:
        self.sync = store

    async def __aenter__(self) -> Store:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def branch(self, name: str = "main") -> Branch:
        return Branch(self.sync.branch(name))

    async def close(self) -> None:
        await asyncio.to_thread(self.sync.close)

    async def branches(self) -> list[str]:
        return await asyncio.to_thread(self.sync.branches)

    async def tip(self, branch: str = "main") -> str:
        return await asyncio.to_thread(self.sync.tip, branch)

    async def resolve(self, revision: str) -> str:
        return await asyncio.to_thread(self.sync.resolve, revision)

    async def content(self, hash: str) -> bytes:
        return await asyncio.to_thread(self.sync.content, hash)

    async def show(self, revision: str) -> dict[str, Any]:
        return await asyncio.to_thread(self.sync.show, revision)

    async def call(self, op: str, **members: Any) -> Any:
        return await asyncio.to_thread(self.sync.call, op, **members)

    async def compile(self, revision: str = "main", **options: Any) -> Any:
        return await asyncio.to_thread(_compile, self.sync, revision, options)

    async def run(self, goal: str, model: str, **options: Any) -> RunResult:
        """Runs an agent in a thread, which calls the tools and the other functions. Tools that are coroutine
        functions run in this event loop."""
        return await _with_loop(lambda: self.sync.run(goal, model, **options))

    async def resume(self, model: str, **options: Any) -> RunResult:
        return await _with_loop(lambda: self.sync.resume(model, **options))

    async def diff(self, before: str, after: str = "main", **options: Any) -> Diff:
        return await asyncio.to_thread(self.sync.diff, before, after, **options)

    async def history(self, revision: str | None = None, **options: Any) -> History:
        return await asyncio.to_thread(self.sync.history, revision, **options)

    async def sessions(self, **filters: Any) -> pyarrow.Table:
        return await asyncio.to_thread(self.sync.sessions, **filters)

    async def calls(self, **filters: Any) -> pyarrow.Table:
        return await asyncio.to_thread(self.sync.calls, **filters)

    async def costs(self, **filters: Any) -> pyarrow.Table:
        return await asyncio.to_thread(self.sync.costs, **filters)

    def log(self, revision: str = "main") -> AsyncIterator[Turn]:
        return _pages(lambda: self.sync.log(revision), _PAGE)

    def watch(self, branch: str = "", timeout: float | None = None) -> AsyncIterator[Moved]:
        """Yields as spoor.Store.watch() does. Watching begins with the first wait; a cancelled task ends it."""
        return _watched(self.sync, branch, timeout)


def _compile(store: sync.Store, revision: str, options: dict[str, Any]) -> Any:
    return store.compile(revision, **options)


async def _with_loop(run: Callable[[], RunResult]) -> RunResult:
    loop = asyncio.get_running_loop()

    def work() -> RunResult:
        runs.LOOP.set(loop)  # In the context of the thread alone.
        return run()

    return await asyncio.to_thread(work)


async def _watched(store: sync.Store, branch: str, timeout: float | None) -> AsyncIterator[Moved]:
    """Waits in a thread of its own: waiting would take those of other calls."""
    loop = asyncio.get_running_loop()
    stopped = threading.Event()
    thread = concurrent.futures.ThreadPoolExecutor(1, "spoor-watch")
    try:
        moves = await loop.run_in_executor(
            thread, lambda: store._watch(branch, timeout, stopped.is_set))
        while (moved := await loop.run_in_executor(thread, _next, moves)) is not None:
            yield moved
    finally:
        stopped.set()
        thread.shutdown(wait=False)


def _next(values: Iterator[T]) -> T | None:
    return next(values, None)


async def _pages(begin: Callable[[], Iterator[T]], size: int) -> AsyncIterator[T]:
    """Yields the values of an iterator that is made and advanced in threads."""
    values = await asyncio.to_thread(begin)
    while page := await asyncio.to_thread(lambda: list(itertools.islice(values, size))):
        for value in page:
            yield value

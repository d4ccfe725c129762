"""A store and its branches."""

from __future__ import annotations

import contextlib
import ctypes
import dataclasses
import datetime
import json
import logging
import math
import os
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, overload

from . import _library as library
from . import runs
from ._tables import Time, schema_of, table_of, when
from .errors import Error, InvalidError
from .values import (Diff, History, Moved, Prompt, ToolCall, Turn, calls_of, diff_of, history_of,
                     prompt_of)

if TYPE_CHECKING:
    import pyarrow  # type: ignore[import-not-found, import-untyped, unused-ignore]

_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
_UNKNOWN_TIME = -(2**63)
_SLICE = 200  # Milliseconds for which the library waits: then Python may handle Ctrl-C.


def open(where: str | os.PathLike[str], *, create: bool = False, author: str = "",
         read_only: bool = False, relaxed: bool = False,
         clock: Callable[[], datetime.datetime] | None = None,
         scrub: Callable[[str, str], str] | None = None) -> Store:
    """Opens a store: a file, or a store in PostgreSQL by its `postgres://` address.

    create: make it if there is none.
    author: of turns; empty: `user`.
    relaxed: a power cut may take the last commits, in return for faster ones; for a file.
    clock: returns the time of new turns, in place of the system's clock. Without a zone it is local.
    scrub: gets each text before it is stored, with what it is (`text`, `fields`, `raw`, ...: <spoor/c.h>
        has the list), and returns it without what must not be kept; an exception refuses the write
        (DeniedError). It is called on all threads that write.

    >>> store = spoor.open(folder / "open.spoor", create=True)
    >>> store.branch("main").user("hi").id == store.tip("main")
    True
    >>> store.close()
    """
    options = library.OpenOptions(author=library.text(author), create=create, read_only=read_only,
                                  relaxed=relaxed)
    functions = _functions(clock, scrub)
    handle = ctypes.c_void_p()
    library.run("open_with", library.text(os.fspath(where)), ctypes.byref(options), ctypes.byref(functions),
                ctypes.byref(handle))
    return Store(handle, where, functions)


def _functions(clock: Callable[[], datetime.datetime] | None,
               scrub: Callable[[str, str], str] | None) -> library.StoreFunctions:
    def now(_: object) -> int:
        assert clock
        try:
            return int((clock().astimezone(datetime.timezone.utc) - _EPOCH) / datetime.timedelta(microseconds=1))
        except Exception:
            logging.getLogger("spoor").warning("the clock of a store failed", exc_info=True)
            return 0

    def scrubbed(_: object, slot: Any, text: Any, reply: Any) -> int:
        assert scrub
        try:
            kept = scrub(library.decoded(slot), library.decoded(text))
            library.give(reply, kept.encode("utf-8", "surrogateescape"))
            return 0
        except Exception:
            logging.getLogger("spoor").warning("a text could not be scrubbed", exc_info=True)
            return 1

    return library.StoreFunctions(now=library.NOW(now) if clock else library.NOW(),
                                  scrub=library.ASKED(scrubbed) if scrub else library.ASKED())


class Appended:
    """A turn that was appended, or will be when its transaction ends."""

    def __init__(self) -> None:
        self._id: str | None = None

    @property
    def id(self) -> str:
        """Returns the id of the turn. Raises InvalidError before the transaction ended."""
        if self._id is None:
            raise InvalidError("the transaction has not ended", "leave its 'with' block first")
        return self._id


class Branch:
    """A branch by its name; its first turn makes it.

    Each call appends a turn. In a `with` block they are one transaction, written when the block
    ends; if the block raises, nothing is written.

    >>> with store.branch("talk") as b:
    ...     question = b.user("What is 6 x 7?")
    ...     _ = b.reasoning("A product.")
    ...     answer = b.assistant("42")
    >>> answer.id == store.tip("talk")
    True
    >>> [turn.type for turn in store.log("talk")]
    ['assistant', 'reasoning', 'user']
    """

    def __init__(self, store: Store, name: str) -> None:
        self.store = store
        self.name = name
        self._transaction: ctypes.c_void_p | None = None
        self._added: list[Appended] = []

    def __enter__(self) -> Branch:
        if self._transaction is not None:
            raise InvalidError("the branch is in a transaction already")
        self._transaction = ctypes.c_void_p()
        library.run("begin", self.store._handle, ctypes.byref(self._transaction))
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        transaction, added = self._transaction, self._added
        self._transaction, self._added = None, []
        if kind is not None:
            with contextlib.suppress(Error):  # The block's own exception says what went wrong.
                library.run("rollback", transaction)
            return
        ids = (library.Id * len(added))()
        try:
            library.run("commit", transaction, ctypes.byref(ids), len(added))
        except BaseException:
            with contextlib.suppress(Error):
                library.run("rollback", transaction)
            raise
        for each, made in zip(added, ids):
            each._id = made.hex()

    def append(self, type: str, text: str, *, tool_calls: Sequence[ToolCall] = (),
               call_id: str = "", name: str = "", is_error: bool = False, author: str = "",
               metadata: Mapping[str, Any] | None = None) -> Appended:
        """Appends a turn of any type. No model is sent its `metadata`.

        >>> _ = store.branch("notes").append("note", "checked", metadata={"by": "ci"})
        >>> next(store.log("notes")).metadata
        {'by': 'ci'}
        """
        turn = library.TurnStruct(type=library.word(type), text=library.text(text))
        if tool_calls:
            turn.tool_calls = library.text(json.dumps([vars(call) for call in tool_calls]))
        if call_id:
            turn.call_id = library.text(call_id)
        if name:
            turn.name = library.word(name)
        if author:
            turn.author = library.word(author)
        if metadata:
            turn.metadata = library.text(json.dumps(metadata))
        turn.is_error = is_error
        made = Appended()
        if self._transaction is not None:
            library.run("add", self._transaction, library.word(self.name), ctypes.byref(turn))
            self._added.append(made)
        else:
            id = library.Id()
            library.run("append", self.store._handle, library.word(self.name), ctypes.byref(turn),
                        ctypes.byref(id))
            made._id = id.hex()
        return made

    def system(self, text: str, **more: Any) -> Appended:
        """Appends a system prompt. All of these take the members of append()."""
        return self.append("system", text, **more)

    def user(self, text: str, **more: Any) -> Appended:
        """Appends a user's turn."""
        return self.append("user", text, **more)

    def reasoning(self, text: str, **more: Any) -> Appended:
        """Appends a model's reasoning: write it before its answer, in the same transaction."""
        return self.append("reasoning", text, **more)

    def assistant(self, text: str, tool_calls: Sequence[ToolCall] = (), **more: Any) -> Appended:
        """Appends a model's answer, with the calls that it asks for."""
        return self.append("assistant", text, tool_calls=tool_calls, **more)

    def tool(self, text: str, call: ToolCall, is_error: bool = False, **more: Any) -> Appended:
        """Appends the result of a call.

        >>> call = spoor.ToolCall("c1", "look", '{"at": "x"}')
        >>> with store.branch("tools") as b:
        ...     _ = b.assistant("", [call])
        ...     _ = b.tool("nothing there", call, is_error=True)
        >>> next(store.log("tools")).is_error
        True
        """
        return self.append("tool", text, call_id=call.id, name=call.name, is_error=is_error, **more)


class Store:
    """An open store. Every method may be called from every thread. Close it, or use `with`; one that is
    forgotten is closed when nothing refers to it any more.

    After fork() a store from before raises UnavailableError: open it in the child.
    """

    def __init__(self, handle: ctypes.c_void_p, where: str | os.PathLike[str],
                 functions: library.StoreFunctions) -> None:
        self._handle = handle
        self._functions = functions  # The library calls them while the store is open.
        self.where = os.fspath(where)

    def __repr__(self) -> str:
        return f"<spoor.Store {self.where!r}>"

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        with contextlib.suppress(Exception):  # Closed already, or a store from before fork().
            library.run("close", self._handle)

    def close(self) -> None:
        """Closes the store. Calls in progress go on to their end; later ones raise InvalidError, but for this one."""
        with contextlib.suppress(InvalidError):
            library.run("close", self._handle)

    def branch(self, name: str = "main") -> Branch:
        """Returns a branch, which need not exist."""
        return Branch(self, name)

    def branches(self) -> list[str]:
        """Returns the names of all branches."""
        heads = "refs/heads/"
        refs = self.call("refs", prefix=heads)["refs"]
        return [ref["name"][len(heads):] for ref in refs]

    def tip(self, branch: str = "main") -> str:
        """Returns the id of the newest turn. Raises NotFoundError if the branch has none."""
        return self._find("tip", branch)

    def resolve(self, revision: str) -> str:
        """Returns the id of the turn that a revision names: `main~2`, `tag:x`, digits of an id."""
        return self._find("resolve", revision)

    def content(self, hash: str) -> bytes:
        """Returns the bytes of a content, by the hash that show() names.

        >>> _ = store.branch("content").user("hi")
        >>> store.content(store.show("content")["content"]["hash"])
        b'hi'
        """
        if re.fullmatch("[0-9a-f]{64}", hash) is None:
            raise InvalidError(f"'{hash}' is not the hash of a content", "take one that show() names")
        id = library.Id((ctypes.c_ubyte * 32).from_buffer_copy(bytes.fromhex(hash)))
        return library.take("content", self._handle, ctypes.byref(id)) or b""

    def show(self, revision: str) -> dict[str, Any]:
        """Returns all that one commit holds: the document of `spoor show --json`."""
        shown: dict[str, Any] = self.call("show", rev=revision)
        return shown

    def call(self, op: str, **members: Any) -> Any:
        """Runs an operation of `spoor batch` (docs/batch.md), and returns its result.

        >>> _ = store.branch("called").user("hi")
        >>> store.call("is_ancestor", ancestor="called", of="called")
        {'is_ancestor': True}
        """
        request = json.dumps({"op": op, **members}).encode()
        return json.loads(library.take("call", self._handle, request, len(request)) or b"null")

    def sessions(self, *, since: Time | None = None, project: str | None = None,
                 agent: str | None = None, model: str | None = None, failed: bool = False,
                 limit: int | None = None) -> pyarrow.Table:
        """Returns the sessions of agents, newest first, as `spoor sessions` lists them.

        since: with turns at or after this time: a datetime, or a text such as `yesterday`.
        project, model: whose folder, or a model's name, contains this. agent: such as `codex`.
        failed: only those that failed or were interrupted.

        Raises UnavailableError if the package `pyarrow` is not installed, as the next two do.
        """
        return self._table("sessions", "sessions", since=when(since), project=project, agent=agent,
                           model=model, failed=failed or None, limit=limit)

    def calls(self, *, session: str | Sequence[str] = (), tool: str | Sequence[str] = (),
              match: str | None = None, failed: bool = False, since: Time | None = None,
              project: str | None = None, agent: str | None = None, limit: int | None = None
              ) -> pyarrow.Table:
        """Returns the tool calls of all sessions, newest first, as `spoor calls` lists them.

        session: branches, ids or numbers of sessions. tool: names of tools. One or several; empty: all.
        match: an RE2 expression, tried on the target and on the arguments.
        failed: only those that failed, were refused or have no result.
        """
        return self._table("calls", "calls", session=_several(session), tool=_several(tool), match=match,
                           failed=failed or None, since=when(since), project=project, agent=agent,
                           limit=limit)

    def costs(self, *, by: str | Sequence[str] = ("day", "model", "project", "agent"),
              since: Time | None = None, project: str | None = None, agent: str | None = None,
              model: str | None = None) -> pyarrow.Table:
        """Returns tokens and money, as `spoor cost` adds them up.

        by: what has rows of its own; the other columns of these four are null.
        """
        return self._table("cost", "costs", by=_several(by), since=when(since), project=project,
                           agent=agent, model=model)

    def _table(self, op: str, name: str, **members: Any) -> pyarrow.Table:
        schema_of(name)  # Before the store is read: pyarrow may be missing.
        return table_of(name, self.call(op, **members)[name])

    def record_exchange(self, about: Mapping[str, Any], request: bytes,
                        response: bytes) -> dict[str, Any]:
        """Records one exchange with a provider, as spoor.record() does for clients.

        about: what spoor_record() of include/spoor/c.h lists.
        """
        exchange = json.dumps(about).encode() + b"\n" + request + response
        recorded = library.take("record", self._handle, exchange, len(exchange)) or b"{}"
        answer: dict[str, Any] = json.loads(recorded)
        return answer

    @overload
    def compile(self, revision: str = ..., *, to: None = ..., include_reasoning: bool = ...,
                window: int = ..., budget: int = ..., strict: bool = ...) -> Prompt: ...
    @overload
    def compile(self, revision: str = ..., *, to: Literal["openai"], include_reasoning: bool = ...,
                window: int = ..., budget: int = ..., strict: bool = ...
                ) -> list[dict[str, Any]]: ...
    @overload
    def compile(self, revision: str = ..., *, to: Literal["anthropic"],
                include_reasoning: bool = ..., window: int = ..., budget: int = ...,
                strict: bool = ...) -> dict[str, Any]: ...
    @overload
    def compile(self, revision: str = ..., *, to: Literal["text"], include_reasoning: bool = ...,
                window: int = ..., budget: int = ..., strict: bool = ...) -> str: ...
    @overload
    def compile(self, revision: str = ..., *, to: str | None, include_reasoning: bool = ..., window: int = ...,
                budget: int = ..., strict: bool = ...) -> Any: ...
    def compile(self, revision: str = "main", *, to: str | None = None,
                include_reasoning: bool = False, window: int = 0, budget: int = 0,
                strict: bool = False) -> Any:
        """Compiles the prompt at a revision.

        to: `openai` gives the list `messages`, `anthropic` a dict with `system` and `messages`,
            `text` a str for people; None a Prompt.
        include_reasoning: with reasoning that no annotation skips.
        window: only the newest turns, this many; budget: at most this many tokens. 0: all.
        strict: raise ConflictError if a merge left a conflict.

        >>> with store.branch("compiled") as b:
        ...     _ = b.user("What is 6 x 7?"), b.reasoning("A product."), b.assistant("42")
        >>> store.compile("compiled", to="openai")
        [{'role': 'user', 'content': 'What is 6 x 7?'}, {'role': 'assistant', 'content': '42'}]
        >>> len(store.compile("compiled", include_reasoning=True).messages)
        3
        """
        options = library.CompileOptions(to=library.text(to or ""), window=window, budget=budget,
                                         include_reasoning=include_reasoning, strict=strict)
        body = library.take("compile", self._handle, library.text(revision), ctypes.byref(options))
        if to == "text":
            return (body or b"").decode("utf-8", "surrogateescape")
        document = json.loads(body or b"null")
        return prompt_of(document) if to is None else document

    def run(self, goal: str, model: str, *, branch: str = "main",
            tools: Sequence[runs.Tool | Callable[..., Any]] = (), strategy: runs.Strategy = "react",
            send: runs.Send | None = None, approve: runs.Approve | None = None,
            on_event: runs.OnEvent | None = None, **options: Any) -> runs.RunResult:
        """Lets an agent work towards a goal, with every step committed.

        model: `PROVIDER/MODEL`; the key is in the provider's variable, such as ANTHROPIC_API_KEY.
        tools: functions, or values of spoor.tool(). An exception is an error that the model sees.
        send: sends requests in place of the library: gets URL and body, returns status and body.
        approve: is asked about calls of tools with `needs_approval`: gets the tool and its arguments.
            None: nobody is there, and the run waits (RunResult.waits_for) for resume().
        on_event: gets what happens: `started`, `asking`, `text`, `thinking`, `call`, `result`, ...
        options: `instructions`, `max_steps`, `max_dollars`, `max_tokens`, `native_calls`, `strict_refs`,
            `synthesize`, `memory_of`, `base_url`, `params`, `rates` of spoor_run() in <spoor/c.h>.

        An exception of `send`, `approve` or `on_event` stops the run and is raised.

        >>> import json
        >>> def add(a: int, b: int) -> str:
        ...     "Adds two numbers."
        ...     return str(a + b)
        >>> asked = []
        >>> def send(url, body):                    # A real one would ask the provider.
        ...     asked.append(body)
        ...     call = {"id": "c1", "type": "function",
        ...             "function": {"name": "add", "arguments": '{"a": 40, "b": 2}'}}
        ...     message = {"content": "", "tool_calls": [call]} if len(asked) == 1 else {"content": "It is 42."}
        ...     return 200, json.dumps({"choices": [{"message": {"role": "assistant", **message}}]}).encode()
        >>> result = store.run("What is 40 + 2?", "deepseek/deepseek-chat", branch="sum", tools=[add],
        ...                    send=send)
        >>> result.answer, result.steps[0].observation
        ('It is 42.', '"42"')
        """
        return runs.run(self, {**options, "goal": goal, "model": model, "branch": branch,
                               "strategy": strategy}, tools, send, approve, on_event)

    def resume(self, model: str, *, run: str = "latest", approval: runs.Approval | None = None,
               branch: str = "main", tools: Sequence[runs.Tool | Callable[..., Any]] = (),
               strategy: runs.Strategy = "react", send: runs.Send | None = None,
               approve: runs.Approve | None = None, on_event: runs.OnEvent | None = None,
               **options: Any) -> runs.RunResult:
        """Goes on with a run whose process ended, that reached a limit, or that waits for a person.

        run: its id or a prefix of it. approval: the answer that it waits for. The rest as run(); `tools`
        must be those of the run. What is recorded is neither asked nor called again.
        """
        answer = None if approval is None else dataclasses.asdict(approval)
        return runs.run(self, {**options, "resume": run, "approval": answer, "model": model,
                               "branch": branch, "strategy": strategy}, tools, send, approve, on_event)

    def diff(self, before: str, after: str = "main", *, include_reasoning: bool = False) -> Diff:
        """Compares the prompts at two revisions.

        >>> branch = store.branch("compared")
        >>> old, new = branch.user("hi").id, branch.assistant("hello").id
        >>> [change.after.text for change in store.diff(old, new).changes]
        ['hello']
        """
        return diff_of(self.call("diff", **{"from": before, "to": after},
                                 include_reasoning=include_reasoning))

    def history(self, revision: str | None = None, *, limit: int = 100) -> History:
        """Returns the newest commits of all branches, or of one revision, as a graph.

        >>> _ = store.branch("graph").user("hi")
        >>> [commit.message for commit in store.history("graph").commits]
        ['hi']
        """
        where = {"all": True} if revision is None else {"rev": revision}
        return history_of(self.call("log", all_commits=True, limit=limit, **where))

    def log(self, revision: str = "main") -> Iterator[Turn]:
        """Yields the turns of a branch, newest first."""
        return map(_turn_of, self._entries(revision))

    def _entries(self, revision: str) -> Iterator[library.Entry]:
        """Yields the same value for every turn, which is filled anew."""
        cursor = ctypes.c_void_p()
        library.run("log_open", self._handle, library.text(revision), ctypes.byref(cursor))
        try:
            entry = library.Entry()
            while library.run("log_next", cursor, ctypes.byref(entry)) != library.DONE:
                yield entry
        finally:
            with contextlib.suppress(Error):  # The store was closed, and the cursor with it; or after fork().
                library.run("log_close", cursor)

    def watch(self, branch: str = "", timeout: float | None = None) -> Iterator[Moved]:
        """Yields what any writer adds to a branch (empty: all), as it comes.

        Watching begins with this call. Ends if nothing comes for `timeout` seconds; None: never.

        >>> moves = store.watch("watched", timeout=10)
        >>> turn = store.branch("watched").user("hi")
        >>> next(moves).turns == (turn.id,)
        True
        """
        return self._watch(branch, timeout, lambda: False)

    def _watch(self, branch: str, timeout: float | None, is_stopped: Callable[[], bool]) -> Iterator[Moved]:
        cursor = ctypes.c_void_p()
        library.run("watch_open", self._handle, library.text(branch), ctypes.byref(cursor))
        return self._moves(cursor, math.inf if timeout is None else timeout, is_stopped)

    def _moves(self, cursor: ctypes.c_void_p, timeout: float, is_stopped: Callable[[], bool]) -> Iterator[Moved]:
        try:
            while True:
                end = time.monotonic() + timeout
                while (moved := library.take("watch_next", cursor, _milliseconds_to(end))) is None:
                    if is_stopped() or time.monotonic() >= end:
                        return
                for each in json.loads(moved):
                    yield Moved(each["branch"], tuple(each["turns"]))
        finally:
            with contextlib.suppress(Error):  # The store was closed, and the cursor with it; or after fork().
                library.run("watch_close", cursor)

    def _find(self, function: str, name: str) -> str:
        id = library.Id()
        library.run(function, self._handle, library.word(name), ctypes.byref(id))
        return id.hex()


def _milliseconds_to(end: float) -> int:
    return math.ceil(max(0, min((end - time.monotonic()) * 1000, _SLICE)))


def _several(value: str | Sequence[str]) -> list[str]:
    return [value] if isinstance(value, str) else list(value)


def _turn_of(entry: library.Entry) -> Turn:
    calls, metadata = entry.tool_calls.read(), entry.metadata.read()
    known = entry.time != _UNKNOWN_TIME
    return Turn(
        id=entry.id.hex(), type=library.decoded(entry.type), text=library.decoded(entry.text),
        tool_calls=calls_of(json.loads(calls)) if calls else (),
        call_id=library.decoded(entry.call_id), name=library.decoded(entry.name),
        is_error=entry.is_error != 0, author=library.decoded(entry.author),
        time=_EPOCH + datetime.timedelta(microseconds=entry.time) if known else None,
        metadata=json.loads(metadata) if metadata else {})

"""Agents that work towards a goal, with tools in Python."""

from __future__ import annotations

import asyncio
import collections.abc
import contextlib
import contextvars
import ctypes
import dataclasses
import inspect
import json
import os
import signal
import socket
import threading
import types
import typing
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeVar, Union, overload

from . import _library as library
from .errors import InvalidError

if TYPE_CHECKING:
    from .store import Store

T = TypeVar("T")
Strategy = Literal["react", "plan_and_execute", "reflexion"]
#: Takes the URL and the body of a request to a provider; returns the HTTP status and the body of the response.
Send = Callable[[str, bytes], tuple[int, bytes]]
#: Gets a tool and its arguments; returns a person's answer, or None if nobody is there.
Approve = Callable[[str, Mapping[str, Any]], "Union[Approval, None]"]
OnEvent = Callable[[str, str], object]
#: The event loop in which the tools of a run wait; None: one of their own.
LOOP: contextvars.ContextVar[asyncio.AbstractEventLoop | None] = contextvars.ContextVar("LOOP", default=None)


@dataclasses.dataclass(frozen=True)
class Tool:
    """A tool that a model may call. tool() makes one from a function."""

    id: str  #: letters, digits, `_`, `-`, `.`; at most 64
    description: str  #: for the model
    parameters: Mapping[str, Any]  #: a JSON Schema of the arguments, an object
    function: Callable[..., Any]  #: is called with the arguments by their names
    read_only: bool = False  #: changes nothing: may be called on several threads at once
    needs_approval: bool = False

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        return self.function(*arguments, **named)


@dataclasses.dataclass(frozen=True)
class Approval:
    """A person's answer to a call that needs approval. The model is told the reason of a refusal."""

    allows: bool
    reason: str = ""


@dataclasses.dataclass(frozen=True)
class Step:
    """A step of a run: a thought, a call and its result."""

    commit: str  #: compile there to see what was known then
    answer: str  #: the model's answer with this call
    why: str  #: the reason that the model gave for the call; may be empty
    thought: str
    action: str  #: a tool, or `finish`
    input: str  #: JSON
    observation: str  #: JSON; empty for `finish`
    is_error: bool
    started: str  #: the id of a run that the call started; may be empty
    dollars: float | None  #: what the call itself cost


@dataclasses.dataclass(frozen=True)
class RunResult:
    """What came of a run. Every step of it is committed."""

    run: str  #: its id, for `spoor debrief`
    stopped: str  #: goal_achieved, max_steps, max_cost, error, interrupted, ...
    by: str  #: what ended it: final_answer, critic, ...
    answer: str | None
    best: str  #: what a run without its goal has: an answer, or what was observed
    error: str  #: only if `stopped` is `error`
    steps: tuple[Step, ...]
    dollars: float
    tokens: int
    is_cost_known: bool  #: False: a price or a count is unknown; it may have cost more
    waits_for: str  #: the tool whose call waits for a person; empty: none
    waits_with: str  #: that call's arguments, JSON


# --- Tools ---

_NAMES: dict[Any, str] = {str: "string", int: "integer", float: "number", bool: "boolean", dict: "object",
                          list: "array"}


def _schema(hint: Any) -> dict[str, Any]:
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin is Literal:
        return {"enum": list(inner)}
    if origin is Union or isinstance(hint, getattr(types, "UnionType", ())):
        return {"anyOf": [{"type": "null"} if each is type(None) else _schema(each) for each in inner]}
    if origin in (list, collections.abc.Sequence):
        return {"type": "array", "items": _schema(inner[0])} if inner else {"type": "array"}
    if (origin or hint) in (dict, collections.abc.Mapping):
        return {"type": "object"}
    return {"type": _NAMES[hint]} if hint in _NAMES else {}


def _parameters(function: Callable[..., Any]) -> dict[str, Any]:
    hints = typing.get_type_hints(function)
    properties, required = {}, []
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            raise InvalidError(f"the parameter '{name}' of {function!r} has no name for a model")
        properties[name] = _schema(hints.get(name, Any))
        if parameter.default is parameter.empty:
            required.append(name)
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


@overload
def tool(function: Callable[..., Any], *, id: str = ..., read_only: bool = ...,
         needs_approval: bool = ...) -> Tool: ...
@overload
def tool(function: None = ..., *, id: str = ..., read_only: bool = ...,
         needs_approval: bool = ...) -> Callable[[Callable[..., Any]], Tool]: ...
def tool(function: Callable[..., Any] | None = None, *, id: str = "", read_only: bool = False,
         needs_approval: bool = False) -> Any:
    """Makes a tool of a function: its docstring is the description, its type hints the parameters. It may be
    a coroutine function.

    >>> @spoor.tool(read_only=True)
    ... def lines(path: str, most: int = 10) -> str:
    ...     "Counts the lines of a file."
    ...     return "3"
    >>> lines.parameters["required"], lines.parameters["properties"]["most"]
    (['path'], {'type': 'integer'})
    """
    def made(function: Callable[..., Any]) -> Tool:
        name = id or getattr(function, "__name__", "")
        if not name:
            raise InvalidError(f"{function!r} has no name for a model", "give an id to spoor.tool()")
        return Tool(name, inspect.getdoc(function) or "", _parameters(function), function,
                    read_only, needs_approval)

    return made if function is None else made(function)


# --- Runs ---

class _CtrlC:
    """Ctrl-C while the main thread is in the library: Python would tell it only when it comes back, or raise the
    exception in a callback, from where it reaches nobody."""

    def __init__(self) -> None:
        self.is_pressed = False
        self._may_raise = False
        self.is_watching = (threading.current_thread() is threading.main_thread()
                            and signal.getsignal(signal.SIGINT) is signal.default_int_handler)

    def __enter__(self) -> _CtrlC:
        if self.is_watching:
            self._bell, self._rope = socket.socketpair()
            self._bell.setblocking(False)
            self._rope.setblocking(False)
            signal.signal(signal.SIGINT, self._handle)
            self._before = signal.set_wakeup_fd(self._rope.fileno(), warn_on_full_buffer=False)
        return self

    def __exit__(self, *_: object) -> None:
        if self.is_watching:
            signal.set_wakeup_fd(self._before)
            signal.signal(signal.SIGINT, signal.default_int_handler)
            self._take_signals()
            self._bell.close()
            self._rope.close()

    def _handle(self, *_: object) -> None:
        self.is_pressed = True
        if self._may_raise:
            raise KeyboardInterrupt

    def call(self, function: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        """Calls a function of the program, which Ctrl-C ends."""
        if not self.is_watching or threading.current_thread() is not threading.main_thread():
            return function(*arguments, **named)
        try:
            self._may_raise = True
            return function(*arguments, **named)
        finally:
            self._may_raise = False

    def rang(self, _: object) -> int:
        return int(self.is_pressed or signal.SIGINT in self._take_signals())

    def _take_signals(self) -> bytes:
        """The numbers of the signals that came. Passes the others than Ctrl-C on, to an event loop that waits for them."""
        try:
            numbers = self._bell.recv(4096)
        except BlockingIOError:
            return b""
        others = numbers.replace(bytes([signal.SIGINT]), b"")
        if others and self._before >= 0:
            with contextlib.suppress(OSError):
                os.write(self._before, others)
        return numbers


class _Functions:
    """What a run calls. Keeps the first exception that must leave the run, and stops it."""

    def __init__(self, tools: Sequence[Tool], send: Send | None, approve: Approve | None,
                 on_event: OnEvent | None, ctrl_c: _CtrlC) -> None:
        self.tools = {each.id: each for each in tools}
        self.send, self.approve, self.on_event, self.call = send, approve, on_event, ctrl_c.call
        self.loop = LOOP.get()
        self.raised: BaseException | None = None
        self.struct = library.RunFunctions(
            send=library.ASKED(self._send) if send else library.ASKED(),
            call_tool=library.ASKED(self._call_tool),
            approve=library.ASKED(self._approve) if approve else library.ASKED(),
            event=library.EVENT(self._event),
            is_stopped=library.STOPPED(ctrl_c.rang) if ctrl_c.is_watching else library.STOPPED())

    def _send(self, _: object, url: Any, body: Any, reply: Any) -> int:
        assert self.send
        try:
            status, answer = self.call(self.send, library.decoded(url), body.read())
            library.give(reply, answer)
            return int(status)
        except BaseException as error:
            self.raised = self.raised or error
            library.give(reply, str(error).encode(errors="replace"))
            return 0

    def _call_tool(self, _: object, id: Any, arguments: Any, reply: Any) -> int:
        try:
            function = self.tools[library.decoded(id)].function
            result = self.call(self._result_of, function, json.loads(library.decoded(arguments)))
            text = result if isinstance(result, str) else json.dumps(result, ensure_ascii=False, default=str)
            library.give(reply, text.encode("utf-8", "surrogateescape"))
            return 0
        except Exception as error:
            library.give(reply, f"{type(error).__name__}: {error}".encode(errors="replace"))
            return 1
        except BaseException as error:
            self.raised = self.raised or error
            return 1

    def _result_of(self, function: Callable[..., Any], arguments: dict[str, Any]) -> Any:
        result = function(**arguments)
        if not inspect.isawaitable(result):
            return result
        if self.loop is None:
            return asyncio.run(_awaited(result))
        return asyncio.run_coroutine_threadsafe(_awaited(result), self.loop).result()

    def _approve(self, _: object, id: Any, arguments: Any, reason: Any) -> int:
        assert self.approve
        try:
            approval = self.call(self.approve, library.decoded(id), json.loads(library.decoded(arguments) or "{}"))
            if approval is None:
                return -1
            library.give(reason, approval.reason.encode())
            return int(approval.allows)
        except BaseException as error:
            self.raised = self.raised or error
            return -1

    def _event(self, _: object, event: Any, text: Any) -> int:
        try:
            if self.on_event and not self.raised:
                self.call(self.on_event, library.decoded(event), library.decoded(text))
        except BaseException as error:
            self.raised = error
        return int(self.raised is not None)


async def _awaited(result: Awaitable[T]) -> T:
    return await result


def run(store: Store, options: Mapping[str, Any], tools: Sequence[Tool | Callable[..., Any]], send: Send | None,
        approve: Approve | None, on_event: OnEvent | None) -> RunResult:
    made: list[Tool] = [each if isinstance(each, Tool) else tool(each) for each in tools]
    described = [{"id": each.id, "description": each.description, "parameters": each.parameters,
                  "read_only": each.read_only, "needs_approval": each.needs_approval} for each in made]
    request = json.dumps({**{name: value for name, value in options.items() if value is not None},
                          "tools": described}).encode()
    with _CtrlC() as ctrl_c:
        functions = _Functions(made, send, approve, on_event, ctrl_c)
        result = library.take("run", store._handle, request, len(request), ctypes.byref(functions.struct))
    if functions.raised is not None:
        raise functions.raised
    if ctrl_c.is_pressed:
        raise KeyboardInterrupt
    found = json.loads(result or b"")
    steps = tuple(Step(**each) for each in found.pop("steps"))
    return RunResult(steps=steps, **found)

"""A session and a tracing processor of the OpenAI Agents SDK. Needs the package `openai-agents`.

    from spoor.openai_agents import SpoorSession, SpoorTracing
    store = spoor.open("agents.spoor", create=True)
    agents.add_trace_processor(SpoorTracing(store))
    result = await Runner.run(agent, "hi", session=SpoorSession("s1", store))

The branch `openai-agents/SESSION` is a session: each item is a turn. The branch
`openai-agents-traces/TRACE` is one trace: each span that ended is a turn."""

from __future__ import annotations

import asyncio
import json
import logging
import threading
from collections.abc import Callable
from typing import Any, TypeVar

from agents import SessionSettings, TracingProcessor  # type: ignore[import-not-found, unused-ignore]
from agents.memory.session import SessionABC  # type: ignore[import-not-found, unused-ignore]

from ._journal import (Item, Journal, Op, as_text, deletions, lift, lower, name_of, restored, retried,
                       stored, turn_op, write)
from .errors import NotFoundError
from .store import Store

_SESSIONS = "openai-agents/"
_TRACES = "openai-agents-traces/"
_log = logging.getLogger("spoor")
T = TypeVar("T")


class SpoorSession(SessionABC):  # type: ignore[misc, unused-ignore]
    """Keeps a session's items in a store. Safe from several threads and processes."""

    def __init__(self, session_id: str, store: Store, *, session_settings: Any = None) -> None:
        self.session_id = session_id
        self.session_settings: Any = session_settings or SessionSettings()
        self.store = store
        self.branch = _SESSIONS + name_of(session_id)
        self._journal = Journal(store, self.branch)
        self._lock = threading.Lock()

    async def get_items(self, limit: int | None = None) -> list[Any]:
        """Returns the items, oldest first; with a limit, the newest ones."""
        if limit is None:
            limit = self.session_settings.limit
        return await self._run(lambda: self._items(limit))

    async def add_items(self, items: list[Any]) -> None:
        if items:
            turns = [turn for item in items for turn in _turns_of(self.branch, item)]
            await self._run(lambda: write(self.store, turns))

    async def pop_item(self) -> Any:
        """Removes the newest item and returns it; None if there is none. The branch moves back, so
        `spoor undo` brings the item back."""
        return await self._run(lambda: retried(self._pop))

    async def clear_session(self) -> None:
        """Deletes the branch. Bytes leave the file at `spoor store gc --prune`."""
        def clear() -> None:
            try:
                write(self.store, deletions([self.branch]))
            except NotFoundError:
                pass  # It has no items.
        await self._run(clear)

    async def _run(self, work: Callable[[], T]) -> T:
        """Runs a change to its end, also if the caller is cancelled."""
        def locked() -> T:
            with self._lock:
                return work()
        return await asyncio.shield(asyncio.to_thread(locked))

    def _items(self, limit: int | None) -> list[Any]:
        found: list[Any] = []
        journal = Journal(self.store, self.branch)
        journal.refresh()
        while (limit is None or len(found) < limit) and (turn := journal.older()) is not None:
            if "item" in turn.metadata:
                found.append(_item_of(turn))
        return found[::-1]

    def _pop(self) -> Any:
        journal = Journal(self.store, self.branch)
        journal.refresh()
        turn = journal.older()
        while turn is not None and "item" not in turn.metadata:
            turn = journal.older()
        if turn is None:
            return None
        rest = journal.older()
        while rest is not None and "item" not in rest.metadata:
            rest = journal.older()  # The popped item's own reasoning.
        ops = [journal.expected()]
        if rest is None:
            ops += deletions([self.branch])
        else:
            ops.append({"op": "branch", "name": self.branch, "to": rest.id, "force": True})
        write(self.store, ops)
        return _item_of(turn)


class SpoorTracing(TracingProcessor):  # type: ignore[misc, unused-ignore]
    """Writes every span that ends to a store: answers with their reasoning, calls of tools, handoffs
    and guardrails. A failure to write is a warning of the logger `spoor`; the run goes on.
    """

    def __init__(self, store: Store) -> None:
        self.store = store
        self._shown: dict[str, list[list[Any]]] = {}  # Of each trace: the items of each conversation in the branch.
        self._lock = threading.Lock()

    def on_trace_start(self, trace: Any) -> None:
        about = {key: value for key, value in (trace.export() or {}).items() if value is not None}
        self._write(trace.trace_id, lambda branch: [
            turn_op(branch, "note", trace.name, {"trace": stored(about)})])

    def on_trace_end(self, trace: Any) -> None:
        self._shown.pop(trace.trace_id, None)

    def on_span_start(self, span: Any) -> None:
        pass

    def on_span_end(self, span: Any) -> None:
        self._write(span.trace_id, lambda branch: self._turns_of(branch, span))

    def shutdown(self) -> None:
        pass

    def force_flush(self) -> None:
        """Does nothing: every span was written when it ended."""

    def _write(self, trace: str, turns: Callable[[str], list[Op]]) -> None:
        try:
            with self._lock:
                write(self.store, turns(_TRACES + name_of(trace)))
        except Exception as error:  # Whatever it is: the program's own run matters more.
            _log.warning("a span was not recorded: %s", error)

    def _turns_of(self, branch: str, span: Any) -> list[Op]:
        data = span.span_data
        about = {key: value for key, value in (span.export() or {}).items() if value is not None}
        metadata = {"span": stored(json.loads(json.dumps(about, default=str)))}
        if data.type == "response" and data.response is not None:
            given = [{"role": "user", "content": data.input}] if isinstance(data.input, str) else list(
                data.input or [])
            items = [each.model_dump(exclude_unset=True) for each in data.response.output]
            return self._answered(branch, span.trace_id, given, items, metadata)
        if data.type == "generation":
            return self._answered(branch, span.trace_id, list(data.input or []),
                                  list(data.output or []), metadata)
        text = f"{data.type}: {getattr(data, 'name', '')}".removesuffix(": ")
        if data.type == "function":
            text = as_text(data.output if isinstance(data.output, (str, dict, list)) else
                           str(data.output))
        return [turn_op(branch, "note", text, metadata, name=str(getattr(data, "name", "") or ""))]

    def _answered(self, branch: str, trace: str, given: list[Any], items: list[Any],
                  metadata: dict[str, Any]) -> list[Op]:
        """Returns what a request has more than the one before in its conversation, and its answer."""
        given, items = (json.loads(json.dumps(each, default=str)) for each in (given, items))
        known = self._shown.setdefault(trace, [])
        asked = [_gist_of(each) for each in given]
        same, at = max(((_overlap(each, asked), at) for at, each in enumerate(known)), default=(0, 0))
        if same:
            known.pop(at)
        known.append(asked + [_gist_of(each) for each in items])
        turns = [turn for item in (*given[same:], *items) for turn in _turns_of(branch, item)]
        turns.append(turn_op(branch, "note", "", metadata))
        return turns


def _gist_of(item: Any) -> Any:
    """Returns what an item has as an answer and in the request after it: the SDK leaves some members out."""
    if item.get("call_id"):
        return item.get("type"), item["call_id"]
    return (item.get("role"), item.get("tool_call_id"), item.get("tool_calls"),
            [_text_at(item, path) for member in ("content", "summary") for path in _texts(item, member)]
            or item.get("id"))


def _overlap(known: list[Any], asked: list[Any]) -> int:
    """Returns how many of the last items of a conversation a request begins with."""
    if asked[:len(known)] == known:
        return len(known)
    return next((size for size in range(min(len(known), len(asked)), 0, -1) if known[-size:] == asked[:size]), 0)


# ---- Items as turns ----

def _item_of(turn: Item) -> Any:
    item = restored(turn.metadata["item"])
    return lower(item, turn.metadata["at"], turn.text) if "at" in turn.metadata else item


def _turns_of(branch: str, item: Any) -> list[Op]:
    """Returns an item of the Responses API as a turn, after one for each earlier text of it; anything else as a
    note."""
    type = item.get("type", "message")
    role = "system" if item.get("role") == "developer" else item.get("role")
    kind = "note"
    texts: list[list[Any]] = []
    more: dict[str, Any] = {}
    if type == "message" and role in ("user", "assistant", "system"):
        kind, texts = role, _texts(item, "content")
        if calls := item.get("tool_calls"):  # Of the Chat Completions API, in traces.
            more = {"tool_calls": [{"id": call["id"], **{key: call["function"][key] for key in
                                                          ("name", "arguments")}} for call in calls]}
    elif type == "message" and role == "tool":
        kind, more = "tool", {"call_id": str(item.get("tool_call_id", ""))}
        texts = _texts(item, "content")[:1]
    elif type == "reasoning":
        kind = "reasoning"
        texts = _texts(item, "content") or _texts(item, "summary")
    elif type == "function_call":
        kind = "assistant"
        more = {"tool_calls": [{"id": str(item.get("call_id", "")), "name": str(item.get("name", "")),
                                "arguments": as_text(item.get("arguments", ""))}]}
    elif type == "function_call_output":
        kind, more = "tool", {"call_id": str(item.get("call_id", ""))}
        texts = _texts(item, "output")[:1]
    at = texts.pop() if texts else []
    text, rest = lift(item, at) if at else ("", item)
    about = {"item": stored(rest), **({"at": at} if text else {})}
    return [*(turn_op(branch, kind, _text_at(item, each)) for each in texts),
            turn_op(branch, kind, text, about, **more)]


def _texts(item: Any, member: str) -> list[list[Any]]:
    """Returns the paths of the texts of a member: itself, or those in its parts."""
    parts = item.get(member)
    if isinstance(parts, str):
        return [[member]]
    return [[member, index, "text"] for index, part in enumerate(parts if isinstance(parts, list) else ())
            if isinstance(part, dict) and isinstance(part.get("text"), str)]


def _text_at(item: Any, path: list[Any]) -> str:
    return lift(item, path)[0]

"""A session store of the Claude Agent SDK. Needs the package `claude-agent-sdk`.

    from spoor.claude_agent import SpoorSessionStore
    options = ClaudeAgentOptions(session_store=SpoorSessionStore(spoor.open("agents.spoor", create=True)))

The branch `claude/PROJECT/SESSION` is a session, `claude/PROJECT/SESSION+SUBPATH` one of its subagents. Each
entry is a turn: messages are those of the conversation, everything else is a note."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from typing import Any, TypeVar

from claude_agent_sdk import (  # type: ignore[import-not-found, unused-ignore]
    SessionStore, fold_session_summary)

from ._journal import (Item, Journal, Op, as_text, branches_of, deletions, key_of, lift, lower, name_of,
                       restored, retried, stored, turn_op, write)
from .store import Store

_PREFIX = "claude/"
T = TypeVar("T")


class SpoorSessionStore(SessionStore):  # type: ignore[misc, unused-ignore]
    """Keeps the transcripts of sessions in a store. Safe from several threads and processes."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._sessions: dict[str, _Session] = {}
        self._lock = threading.Lock()

    async def append(self, key: Any, entries: list[Any]) -> None:
        await self._run(lambda: retried(lambda: self._session(key).append(key, entries)))

    async def load(self, key: Any) -> Any:
        """Returns the entries of a session; None if there is none."""
        return await self._run(lambda: self._session(key).entries())

    async def list_sessions(self, project_key: str) -> Any:
        found = await self._run(lambda: self._newest(project_key))
        return [{"session_id": id, "mtime": about["mtime"]} for id, about in found.items()]

    async def list_session_summaries(self, project_key: str) -> Any:
        found = await self._run(lambda: self._newest(project_key))
        return [{"session_id": id, "mtime": about["mtime"], "data": restored(about["summary"])}
                for id, about in found.items()]

    async def delete(self, key: Any) -> None:
        """Deletes a session and its subagents, or one subagent. Bytes leave the file at
        `spoor store gc --prune`."""
        await self._run(lambda: self._delete(key))

    async def list_subkeys(self, key: Any) -> list[str]:
        main = _branch(key["project_key"], key["session_id"]) + "+"
        found = await self._run(lambda: branches_of(self.store, main))
        return [key_of(name[len(main):]) for name in found]

    async def _run(self, work: Callable[[], T]) -> T:
        def locked() -> T:
            with self._lock:
                return work()
        return await asyncio.to_thread(locked)

    def _session(self, key: Any) -> _Session:
        branch = _branch(key["project_key"], key["session_id"], key.get("subpath"))
        session = self._sessions.get(branch)
        if session is None:
            session = self._sessions[branch] = _Session(self.store, branch)
        session.refresh()
        return session

    def _newest(self, project: str) -> dict[str, dict[str, Any]]:
        """Returns what the newest entry of each session says of it."""
        start = _PREFIX + name_of(project) + "/"
        found = {}
        for name in branches_of(self.store, start):
            if "+" not in name:
                journal = Journal(self.store, name)
                journal.refresh()
                about = next((turn.metadata["session"] for turn in iter(journal.older, None)
                              if "session" in turn.metadata), None)
                if about is not None:
                    found[key_of(name[len(start):])] = about
        return found

    def _delete(self, key: Any) -> None:
        branch = _branch(key["project_key"], key["session_id"], key.get("subpath"))
        cascades = key.get("subpath") is None
        gone = [name for name in branches_of(self.store, branch)
                if name == branch or (cascades and name.startswith(branch + "+"))]
        if gone:
            write(self.store, deletions(gone))


def _branch(project: str, session: str, subpath: str | None = None) -> str:
    main = _PREFIX + name_of(project) + "/" + name_of(session)
    return main if subpath is None else main + "+" + name_of(subpath)


class _Session:
    """One transcript, and what was read of it."""

    def __init__(self, store: Store, branch: str) -> None:
        self.store = store
        self.journal = Journal(store, branch)
        self._clear()

    def _clear(self) -> None:
        self._seen = self.journal.rewritten
        self._items: list[Item] = []
        self._uuids: set[str] = set()

    def refresh(self) -> None:
        new = self.journal.refresh()
        if self._seen != self.journal.rewritten or self.journal.tip is None:
            self._clear()
        older = list(iter(self.journal.older, None))
        self._take([*reversed(older), *new])

    def _take(self, items: list[Item]) -> None:
        for item in items:
            if "entry" in item.metadata:
                self._items.append(item)
                self._uuids.update(filter(None, [item.metadata.get("uuid")]))

    def entries(self) -> list[Any] | None:
        return [_entry_of(item) for item in self._items] or None

    def append(self, key: Any, entries: list[Any]) -> None:
        """Appends entries, but for those whose uuid is there."""
        new, known = [], set(self._uuids)
        for entry in entries:
            uuid = entry.get("uuid")
            if uuid is None or uuid not in known:
                new.append(entry)
                known.add(uuid)
        if not new:
            return
        last = self._items[-1].metadata["session"] if self._items else None
        about: dict[str, Any] = {"mtime": max(time.time_ns() // 1_000_000,
                                              last["mtime"] + 1 if last else 0)}
        if key.get("subpath") is None:
            before: Any = last and {"session_id": key["session_id"], "mtime": last["mtime"],
                                    "data": restored(last["summary"])}
            about["summary"] = stored(fold_session_summary(before, key, new)["data"])
        ops = [self.journal.expected()]
        for entry in new:
            ops += _turns_of(self.journal.branch, entry)
        ops[-1]["metadata"]["session"] = about
        self._take(self.journal.added(ops, write(self.store, ops)))


# ---- Entries as turns ----

def _entry_of(item: Item) -> Any:
    entry = restored(item.metadata["entry"])
    return lower(entry, item.metadata["at"], item.text) if "at" in item.metadata else entry


def _turns_of(branch: str, entry: Any) -> list[Op]:
    """Returns an entry as turns: one for each text, reasoning and result. The last has the entry itself."""
    kind: str = "note"
    at: list[Any] = []
    more: dict[str, Any] = {}
    ops: list[Op] = []
    message = entry.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    role = message.get("role") if isinstance(message, dict) else None
    if role in ("user", "assistant") and entry.get("type") == role:
        kind = role
        if isinstance(content, str):
            at = ["message", "content"]
        elif isinstance(content, list):
            *before, (kind, at, more) = _blocks(role, content)
            ops += [turn_op(branch, type, lift(entry, place)[0] if place else "", **members)
                    for type, place, members in before]
    text, rest = lift(entry, at) if at else ("", entry)
    about = {"entry": stored(rest), **({"at": at} if at and text else {})}
    if isinstance(uuid := entry.get("uuid"), str):
        about["uuid"] = uuid
    return [*ops, turn_op(branch, kind, text, about, **more)]


def _blocks(role: str, content: list[Any]) -> list[tuple[str, list[Any], dict[str, Any]]]:
    """Returns the turns of blocks: their types, the places of their texts, and their members."""
    turns: list[tuple[str, list[Any], dict[str, Any]]] = []
    for index, block in enumerate(content):
        if not isinstance(block, dict):
            continue
        type, place = block.get("type"), ["message", "content", index]
        if type == "text":
            turns.append((role, [*place, "text"], {}))
        elif type == "thinking" and isinstance(block.get("thinking"), str):
            turns.append(("reasoning", [*place, "thinking"], {}))
        elif type == "tool_use":
            if not turns or turns[-1][0] != role:
                turns.append((role, [], {}))
            turns[-1][2].setdefault("tool_calls", []).append(
                {"id": str(block.get("id", "")), "name": str(block.get("name", "")),
                 "arguments": as_text(block.get("input"))})
        elif type == "tool_result" and role == "user":
            inner = block.get("content")
            at = ([*place, "content"] if isinstance(inner, str) else
                  [*place, "content", 0, "text"] if isinstance(inner, list) else [])
            turns.append(("tool", at, {"call_id": str(block.get("tool_use_id", "")),
                                       "is_error": block.get("is_error") is True}))
    return turns or [(role, [], {})]

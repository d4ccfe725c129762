"""Chat stores of LlamaIndex. Needs the package `llama-index-core`.

    from spoor.llama_index import SpoorChatStore, SpoorMemoryStore
    store = spoor.open("agents.spoor", create=True)
    memory = Memory.from_defaults(session_id="c1", chat_store=SpoorMemoryStore(store))
    buffer = ChatMemoryBuffer.from_defaults(chat_store=SpoorChatStore(store), chat_store_key="c1")

The branch `llama-index/KEY` is a conversation, the same in both: texts, reasoning, tool calls and their
results are turns. Where messages are replaced or deleted, it begins anew after those that stay."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from llama_index.core.base.llms.types import ChatMessage  # type: ignore[import-not-found, unused-ignore]
from llama_index.core.bridge.pydantic import PrivateAttr  # type: ignore[import-not-found, unused-ignore]
from llama_index.core.storage.chat_store.base import (  # type: ignore[import-not-found, unused-ignore]
    BaseChatStore)
from llama_index.core.storage.chat_store.base_db import (  # type: ignore[import-not-found, unused-ignore]
    AsyncDBChatStore, MessageStatus)

from ._journal import (Journal, Op, Part, Path, add_call, branches_of, content_parts, deletions, documents,
                       key_of, message_ops, name_of, retried, turn_op, write)
from .store import Store

_PREFIX = "llama-index/"


class SpoorChatStore(BaseChatStore):  # type: ignore[misc, unused-ignore]
    """Keeps the messages of chats in a store, for ChatMemoryBuffer and the like. Safe from several
    threads and processes. A key is there as long as it has messages.

    Bytes of deleted messages leave the file at `spoor store gc --prune`.
    """

    _chats: _Chats = PrivateAttr()

    def __init__(self, store: Store) -> None:
        super().__init__()
        self._chats = _Chats(store)

    @classmethod
    def class_name(cls) -> str:
        return "SpoorChatStore"

    def set_messages(self, key: str, messages: list[Any]) -> None:
        self._chats.change(key, lambda _: _new(messages))

    def get_messages(self, key: str) -> list[Any]:
        return _made(self._chats.read(key))

    def add_message(self, key: str, message: Any) -> None:
        self._chats.add(key, _new([message]))

    def delete_messages(self, key: str) -> Any:
        """Returns the messages; None if there are none."""
        return _made(self._chats.change(key, lambda _: [])) or None

    def delete_message(self, key: str, idx: int) -> Any:
        return self._chats.pop(key, idx)

    def delete_last_message(self, key: str) -> Any:
        return self._chats.pop(key, -1)

    def get_keys(self) -> list[str]:
        return self._chats.keys()


class SpoorMemoryStore(AsyncDBChatStore):  # type: ignore[misc, unused-ignore]
    """Keeps the messages of chats in a store, for Memory. Safe from several threads and processes. An
    archived message stays a turn.

    Bytes of deleted messages leave the file at `spoor store gc --prune`.
    """

    _chats: _Chats = PrivateAttr()

    def __init__(self, store: Store) -> None:
        super().__init__()
        self._chats = _Chats(store)

    @classmethod
    def class_name(cls) -> str:
        return "SpoorMemoryStore"

    async def get_messages(self, key: str, status: Any = MessageStatus.ACTIVE, limit: int | None = None,
                           offset: int | None = None) -> list[Any]:
        found = await self._read(key, status)
        start = offset or 0
        return _made(found[start:None if limit is None else start + limit])

    async def count_messages(self, key: str, status: Any = MessageStatus.ACTIVE) -> int:
        return len(await self._read(key, status))

    async def add_message(self, key: str, message: Any, status: Any = MessageStatus.ACTIVE) -> None:
        await self.add_messages(key, [message], status)

    async def add_messages(self, key: str, messages: list[Any], status: Any = MessageStatus.ACTIVE
                           ) -> None:
        await asyncio.to_thread(self._chats.add, key, _new(messages, status))

    async def set_messages(self, key: str, messages: list[Any], status: Any = MessageStatus.ACTIVE
                           ) -> None:
        """Replaces all messages, also archived ones."""
        await asyncio.to_thread(self._chats.change, key, lambda _: _new(messages, status))

    async def delete_message(self, key: str, idx: int) -> Any:
        """Deletes a message by its place among all of the key, and returns it; None if there is none."""
        return await asyncio.to_thread(self._chats.pop, key, idx)

    async def delete_messages(self, key: str, status: Any = None) -> None:
        await asyncio.to_thread(self._chats.change, key, lambda old: [
            each for each in old if not each.has(status)])

    async def delete_oldest_messages(self, key: str, n: int) -> list[Any]:
        def rest(old: list[_Message]) -> list[_Message]:
            gone[:] = [each for each in old if each.has(MessageStatus.ACTIVE)][:n]
            return [each for each in old if each not in gone]
        gone: list[_Message] = []
        await asyncio.to_thread(self._chats.change, key, rest)
        return _made(gone)

    async def archive_oldest_messages(self, key: str, n: int) -> list[Any]:
        return _made(await asyncio.to_thread(self._chats.archive, key, n))

    async def get_keys(self) -> list[str]:
        return await asyncio.to_thread(self._chats.keys)

    async def _read(self, key: str, status: Any) -> list[_Message]:
        found = await asyncio.to_thread(self._chats.read, key, status == MessageStatus.ACTIVE)
        return [each for each in found if each.has(status)]


class _Message(NamedTuple):
    id: str  #: of its last turn; empty if it is new
    document: Any
    is_archived: bool

    def has(self, status: Any) -> bool:
        return status is None or self.is_archived == (status == MessageStatus.ARCHIVED)


class _Chats:
    """The messages of all keys. Nothing is kept in memory."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def keys(self) -> list[str]:
        return [key_of(name[len(_PREFIX):]) for name in branches_of(self.store, _PREFIX)]

    def read(self, key: str, only_active: bool = False) -> list[_Message]:
        return self._read(Journal(self.store, _PREFIX + name_of(key)), only_active)[0]

    def _read(self, journal: Journal, only_active: bool = False) -> tuple[list[_Message], bool]:
        """Returns the messages, and whether a note says that some of them are archived: those up to the one
        that it names."""
        journal.refresh()
        found: list[_Message] = []
        last: str | None = None
        is_past = False
        for turn, document in documents(self.store, iter(journal.older, None)):
            if last is None:
                last = turn.metadata.get("archived")
            is_past = is_past or turn.id == last
            if is_past and only_active:
                break
            if document is not None:
                found.append(_Message(turn.id, document, is_past or "is_archived" in turn.metadata))
        return found[::-1], last is not None

    def add(self, key: str, messages: Sequence[_Message]) -> None:
        if messages:
            branch = _PREFIX + name_of(key)
            write(self.store, [op for each in messages for op in _turns_of(branch, each)])

    def archive(self, key: str, count: int) -> list[_Message]:
        def attempt() -> list[_Message]:
            journal = Journal(self.store, _PREFIX + name_of(key))
            found, _ = self._read(journal, only_active=True)
            active = [each for each in found if not each.is_archived][:count]
            if active:
                write(self.store, [journal.expected(),
                                   turn_op(journal.branch, "note", "", {"archived": active[-1].id})])
            return active
        return retried(attempt)

    def pop(self, key: str, index: int) -> Any:
        """Deletes the message at an index, and returns it; None if there is none."""
        def rest(old: list[_Message]) -> list[_Message]:
            kept = list(old)
            gone[:] = [kept.pop(index)] if kept and index < len(kept) else []
            return kept
        gone: list[_Message] = []
        self.change(key, rest)
        return _made(gone)[0] if gone else None

    def change(self, key: str, make: Callable[[list[_Message]], list[_Message]]) -> list[_Message]:
        """Replaces the messages by those that are made of them, and returns those that were there."""
        def attempt() -> list[_Message]:
            journal = Journal(self.store, _PREFIX + name_of(key))
            old, has_notes = self._read(journal)
            new = make(old)
            same = 0
            while not has_notes and same < min(len(old), len(new)) and old[same][1:] == new[same][1:]:
                same += 1
            if same == len(old) == len(new):
                return old
            ops = [journal.expected()]
            if same < len(old):
                ops += ([{"op": "branch", "name": journal.branch, "to": old[same - 1].id, "force": True}]
                        if same else deletions([journal.branch]))
            write(self.store, [*ops, *(op for each in new[same:] for op in _turns_of(journal.branch, each))])
            return old
        return retried(attempt)


# ---- Messages as turns ----

_TYPES = {"system": "system", "developer": "system", "user": "user", "tool": "tool", "function": "tool"}
#: Of a kind of block: where its bytes are, and their media type.
_FILES = {"image": ("image", "image_mimetype"), "video": ("video", "video_mimetype"),
          "document": ("data", "document_mimetype"), "audio": ("audio", "format")}


def _new(messages: Sequence[Any], status: Any = MessageStatus.ACTIVE) -> list[_Message]:
    return [_Message("", each.model_dump(mode="json"), status == MessageStatus.ARCHIVED) for each in messages]


def _made(messages: Sequence[_Message]) -> list[Any]:
    return [ChatMessage.model_validate(each.document) for each in messages]


def _turns_of(branch: str, message: _Message) -> list[Op]:
    document = message.document
    type = _TYPES.get(document["role"], "assistant")
    parts: list[Part] = []
    places: list[tuple[Path, str | None]] = []
    calls: list[tuple[Any, str, Any]] = []
    extra = document["additional_kwargs"]
    for index, block in enumerate(document["blocks"]):
        at: Path = ["blocks", index]
        kind = block.get("block_type")
        if kind == "thinking":
            parts.append(Part("reasoning", [*at, "content"]))
        elif kind == "text":
            places.append(([*at, "text"], None))
        elif kind == "tool_call":
            calls.append((block["tool_call_id"], block["tool_name"], block["tool_kwargs"]))
        elif kind in _FILES:
            data, name = _FILES[kind]
            media_type = block[name] and ("audio/" if kind == "audio" else "") + block[name]
            places.append(([*at, data], media_type or "application/octet-stream"))
    about = {"call_id": str(extra.get("tool_call_id") or ""), "name": str(extra.get("name") or "")}
    if places or not parts:
        parts += content_parts(type, places, **(about if type == "tool" else {}))
    for call in calls or _older_calls(extra.get("tool_calls")):
        add_call(parts, *call)
    return message_ops(branch, document, parts, {"is_archived": True} if message.is_archived else {})


def _older_calls(value: Any) -> list[tuple[Any, str, Any]]:
    """Returns the calls of a message without blocks for them: in the form of OpenAI's API, if any."""
    return [(str(each.get("id") or ""), str(function.get("name") or ""), function.get("arguments"))
            for each in (value if isinstance(value, list) else ())
            if isinstance(each, dict) and isinstance(function := each.get("function"), dict)]

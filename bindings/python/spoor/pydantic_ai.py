"""A conversation store of Pydantic AI. Needs the package `pydantic-ai-slim` (or `pydantic-ai`).

    from spoor.pydantic_ai import SpoorConversationStore
    conversations = SpoorConversationStore(spoor.open("agents.spoor", create=True))
    conversation = await conversations.load("c1") or Conversation(conversation_id="c1")
    result = await agent.run("hi", conversation=conversation)
    await conversations.save(result)

The branch `pydantic-ai/ID` is a conversation: the parts of its messages are turns, and a note after them has the
usage and whatever else a conversation carries. A history that the conversation left is the branch
`pydantic-ai/ID+ENTRY`, by the id of its last entry."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
from collections.abc import Iterator, Sequence
from typing import Any

import pydantic  # type: ignore[import-not-found, unused-ignore]
from pydantic_ai.conversation_store import (  # type: ignore[import-not-found, unused-ignore]
    ConversationConflict, ConversationEntry, ConversationRecord, ConversationStore)
from pydantic_ai.messages import (  # type: ignore[import-not-found, unused-ignore]
    ERROR_OUTCOMES, ModelMessagesTypeAdapter)

from ._journal import (Journal, Op, Part, Path, add_call, branches_of, content_parts, deletions, documents,
                       message_ops, name_of, restored, retried, stored, turn_op, turns, write)
from .errors import NotFoundError
from .store import Store

_PREFIX = "pydantic-ai/"
_RECORD: Any = pydantic.TypeAdapter(ConversationRecord)


class SpoorConversationStore(ConversationStore):  # type: ignore[misc, unused-ignore]
    """Keeps conversations in a store. Safe from several threads and processes: of two that save the same
    conversation, the second gets a ConversationConflict.

    delete() deletes the branches. Bytes leave the file at `spoor store gc --prune`.
    """

    def __init__(self, store: Store) -> None:
        self._conversations = _Conversations(store)

    async def read_record(self, conversation_id: str) -> Any:
        return await asyncio.to_thread(self._conversations.record, conversation_id)

    async def read_records(self, *, scope: str | None = None, limit: int | None = None) -> Any:
        found = await asyncio.to_thread(self._conversations.records)
        return [record for record in found if scope in (None, record.scope)][:limit]

    async def write_record(self, record: Any, *, new_entries: Sequence[Any] = (),
                           expected_revision: str | None) -> None:
        await asyncio.to_thread(retried, lambda: self._conversations.write(
            record, new_entries, expected_revision))

    async def delete_record(self, conversation_id: str, *, expected_revision: str) -> None:
        await asyncio.to_thread(retried, lambda: self._conversations.delete(
            conversation_id, expected_revision))

    async def read_entry(self, entry_id: str) -> Any:
        return (await self.read_history(entry_id, limit=1))[0]

    async def read_history(self, head_id: str | None, *, limit: int | None = None) -> Any:
        """Raises KeyError if there is no such entry. Reads all conversations to find one whose id was not
        read from this store."""
        return await asyncio.to_thread(self._conversations.history, head_id, limit)


class _Conversations:
    """Records and entries, apart from the names that Pydantic AI's class uses."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def record(self, id: str) -> Any:
        return self._read(_PREFIX + name_of(id))[1]

    def records(self) -> list[Any]:
        found = [self._read(name)[1] for name in branches_of(self.store, _PREFIX) if "+" not in name]
        return sorted(filter(None, found), key=lambda record: record.updated_at, reverse=True)

    def _read(self, branch: str) -> tuple[Journal, Any]:
        """Returns a conversation's branch and its record; None if it has none."""
        journal = Journal(self.store, branch)
        journal.refresh()
        record: Any = None
        for turn in iter(journal.older, None):
            if record is None and "record" in turn.metadata:
                record = _RECORD.validate_json(json.dumps(restored(turn.metadata["record"])))
                if record.head_id is None:
                    break
            elif record is not None and turn.metadata.get("entry") == record.head_id:
                record.head_id = _EntryId.of(record.head_id, turn.id)
                break
        if record is not None and record.branches:
            left = branches_of(self.store, branch + "+")
            record.branches = [_EntryId.of(tip, left[_left(branch, tip)]) for tip in record.branches
                               if _left(branch, tip) in left]
        return journal, record

    def _entries(self, commit: str | None) -> Iterator[tuple[_EntryId, Any]]:
        """Yields the entries from a commit on back, with their messages as JSON. Raises KeyError if the
        commit is gone."""
        try:
            for turn, message in documents(self.store, turns(self.store, commit)):
                if "entry" in turn.metadata:
                    yield _EntryId.of(turn.metadata["entry"], turn.id), _parsed(message, turn.metadata)
        except NotFoundError as error:
            raise KeyError(commit) from error

    def history(self, head_id: str | None, limit: int | None) -> list[Any]:
        found = self._entries(head_id and self._commit_of(head_id))
        # One more, for the parent of the first.
        entries = list(itertools.islice(found, None if limit is None else limit + 1))
        ids = [id for id, _ in entries]
        messages = ModelMessagesTypeAdapter.validate_json(json.dumps([each for _, each in entries[:limit]]))
        return [ConversationEntry(id=id, parent_id=parent, message=message)
                for id, parent, message in zip(ids, [*ids[1:], None], messages)][::-1]

    def _commit_of(self, entry_id: str) -> str:
        """Raises KeyError if the store does not have the entry."""
        if isinstance(entry_id, _EntryId):
            return entry_id.commit
        for tip in branches_of(self.store, _PREFIX).values():
            for turn in turns(self.store, tip):
                if turn.metadata.get("entry") == entry_id:
                    return turn.id
        raise KeyError(entry_id)

    def write(self, record: Any, new_entries: Sequence[Any], expected_revision: str | None) -> None:
        branch = _PREFIX + name_of(record.conversation_id)
        journal, before = self._read(branch)
        if (before and before.revision) != expected_revision:
            raise ConversationConflict(record.conversation_id)
        base = new_entries[0].parent_id if new_entries else record.head_id
        known = set(before.branches if before else ())
        left = [tip for tip in record.branches if tip not in known]
        ops = [journal.expected()]
        try:
            commits = {id: self._commit_of(id) for id in (base, *left) if id is not None}
            if base != (before and before.head_id):
                ops += ([{"op": "branch", "name": branch, "to": commits[base], "force": True}] if base
                        else deletions([branch]))
            instructions = next((message.get("instructions") for _, message in self._entries(commits.get(base))
                                 if message["kind"] == "request"), None)
        except LookupError as error:
            raise ConversationConflict(record.conversation_id) from error
        for entry in new_entries:
            [message] = json.loads(ModelMessagesTypeAdapter.dump_json([entry.message]))
            ops += _turns_of(branch, entry.id, message, instructions)
            instructions = message.get("instructions", instructions)
        about = {"record": stored(json.loads(_RECORD.dump_json(record)))}
        ops.append(turn_op(branch, "note", "", about))
        ops += [{"op": "branch", "name": _left(branch, tip), "to": commits[tip], "force": True} for tip in left]
        ops += deletions([_left(branch, tip) for tip in known.difference(record.branches)])
        write(self.store, ops)

    def delete(self, conversation_id: str, expected_revision: str) -> None:
        branch = _PREFIX + name_of(conversation_id)
        journal, before = self._read(branch)
        if before is None or before.revision != expected_revision:
            raise ConversationConflict(conversation_id)
        gone = [branch, *(_left(branch, tip) for tip in before.branches)]
        write(self.store, [journal.expected(), *deletions(gone)])


def _left(branch: str, tip: str) -> str:
    return f"{branch}+{name_of(tip)}"


class _EntryId(str):
    """An entry's id with the commit that ends the entry: a history is read without a search for it."""

    commit: str

    @classmethod
    def of(cls, id: str, commit: str) -> _EntryId:
        made = cls(id)
        made.commit = commit
        return made


# ---- Messages as turns ----

_TOOLS = ("tool-return", "builtin-tool-return", "retry-prompt")
_TYPES = {"system-prompt": "system", "instruction-delta": "system", "user-prompt": "user",
          "retry-feedback": "user", "retry-prompt": "user", "text": "assistant", "file": "assistant",
          "thinking": "reasoning", "compaction": "note"}


def _turns_of(branch: str, entry_id: str, document: Any, known_instructions: str | None) -> list[Op]:
    """Returns a message as turns, with its instructions if those of the request before it were others."""
    parts: list[Part] = []
    about: dict[str, Any] = {"entry": entry_id}
    if document.get("instructions") not in (None, known_instructions):
        parts.append(Part("system", ["instructions"]))
    for index, part in enumerate(document["parts"]):
        if _is_structured(part):
            part["content"] = json.dumps(part["content"], ensure_ascii=False, separators=(",", ":"))
            about.setdefault("parsed", []).append(index)
        _add(parts, ["parts", index], part)
    return message_ops(branch, document, parts or [Part("note")], about)


def _parsed(document: Any, metadata: dict[str, Any]) -> Any:
    """Returns a document with the contents that were written as JSON."""
    for index in metadata.get("parsed", ()):
        part = document["parts"][index]
        with contextlib.suppress(ValueError):  # A scrubber left something else.
            part["content"] = json.loads(part["content"])
    return document


def _is_structured(part: Any) -> bool:
    """Whether the model gets the content as JSON: a tool's value without files, or a list of errors."""
    content = part.get("content")
    return (part["part_kind"] in (*_TOOLS, "retry-feedback") and content is not None
            and not isinstance(content, str) and '"kind": "binary"' not in json.dumps(content))


def _add(parts: list[Part], at: Path, part: Any) -> None:
    """Adds the turns of a part. One that only keeps the books has none."""
    kind = part["part_kind"]
    if kind in ("tool-call", "builtin-tool-call"):
        add_call(parts, part["tool_call_id"], part["tool_name"], part["args"])
    elif kind in _TOOLS and part["tool_name"]:
        parts += content_parts(
            "tool", _places([*at, "content"], part["content"]), call_id=part["tool_call_id"],
            name=part["tool_name"], is_error=part.get("outcome", "retried") in ERROR_OUTCOMES)
    elif kind == "speech":
        places = [([*at, "transcript"], None), *_places([*at, "audio"], part["audio"])]
        parts += content_parts(part["speaker"], places)
    elif kind in _TYPES:
        parts += content_parts(_TYPES[kind], _places([*at, "content"], part["content"]))


def _places(at: Path, content: Any) -> list[tuple[Path, str | None]]:
    """Returns where a content has texts and files."""
    items = ([([*at, index], each) for index, each in enumerate(content)]
             if isinstance(content, list) else [(at, content)])
    found: list[tuple[Path, str | None]] = []
    for path, item in items:
        if isinstance(item, str):
            found.append((path, None))
        elif isinstance(item, dict) and item.get("kind") == "binary":
            found.append(([*path, "data"], item["media_type"]))
        elif isinstance(item, dict) and item.get("kind") == "text-content":
            found.append(([*path, "content"], None))
    return found

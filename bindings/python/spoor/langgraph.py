"""A checkpointer of LangGraph over a store. Needs the package `langgraph`.

    from spoor.langgraph import SpoorSaver
    graph = builder.compile(checkpointer=SpoorSaver(spoor.open("agents.spoor", create=True)))

The branch `langgraph/THREAD` is the thread's conversation: each message of the channel `messages` is a
turn. Where a thread goes on from an earlier checkpoint, or messages are replaced, the branch begins
there anew, and the one from before is kept as `langgraph/THREAD.1`, then `.2`. A subgraph's conversation
is `langgraph/THREAD+NAMESPACE`. Everything else of a checkpoint is on `langgraph-state/THREAD`, what
changed as one turn a checkpoint."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import random
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from typing import Any, cast

from langchain_core.messages import (  # type: ignore[import-not-found, unused-ignore]
    AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage)
from langgraph.checkpoint.base import (  # type: ignore[import-not-found, unused-ignore]
    WRITES_IDX_MAP, BaseCheckpointSaver, CheckpointTuple, get_checkpoint_metadata, writes_sort_key)
from langgraph.checkpoint.serde.jsonplus import (  # type: ignore[import-not-found, unused-ignore]
    JsonPlusSerializer)

from ._journal import (Item, Journal, Op, as_text, branches_of, copied, deletions, is_json, key_of, lift, lower,
                       name_of, packed, restored, retried, stored, turn_op, unpacked,
                       write)
from .errors import CorruptError
from .store import Store

_STATE = "langgraph-state/"
_TALK = "langgraph/"
_CLASSES = {kind.__name__: kind for kind in (AIMessage, HumanMessage, SystemMessage, ToolMessage)}
_TYPES = {"AIMessage": "assistant", "HumanMessage": "user", "SystemMessage": "system",
          "ToolMessage": "tool"}
_DEFAULTS = {name: {key: field.get_default(call_default_factory=True)
                    for key, field in kind.model_fields.items() if not field.is_required()}
             for name, kind in _CLASSES.items()}
_LEAST_LIST = 8  # Shorter lists are written as a whole.


class SpoorSaver(BaseCheckpointSaver[str]):  # type: ignore[misc, unused-ignore]
    """Keeps checkpoints in a store. Safe from several threads and processes.

    messages: the channel whose messages are turns.

    Bytes of a deleted thread leave the file at `spoor store gc --prune`.
    """

    def __init__(self, store: Store, *, serde: Any = None, messages: str = "messages") -> None:
        super().__init__(serde=serde)
        self.store = store
        self.messages = messages
        self._threads: dict[str, _Thread] = {}
        self._lock = threading.RLock()

    # ---- Reading ----

    def get_tuple(self, config: Any) -> Any:
        wanted = config["configurable"]
        with self._lock:
            thread = self._thread(wanted["thread_id"])
            namespace = wanted.get("checkpoint_ns", "")
            id = wanted.get("checkpoint_id") or thread.newest(namespace)
            record = thread.record(namespace, id) if id else None
            return record and thread.tuple_of(record, self._codec(), {})

    def list(self, config: Any, *, filter: dict[str, Any] | None = None, before: Any = None,
             limit: int | None = None) -> Iterator[Any]:
        """Yields checkpoints, newest first. Those of one call share their messages."""
        wanted = config["configurable"] if config else {}
        end = before and before["configurable"].get("checkpoint_id")
        with self._lock:
            if config:
                ids = [str(wanted["thread_id"])]
            else:
                ids = [key_of(name[len(_STATE):]) for name in branches_of(self.store, _STATE)]
            found = [(record, thread) for thread in map(self._whole_thread, ids)
                     for record in thread.records.values()
                     if wanted.get("checkpoint_ns") in (None, record.namespace)
                     and wanted.get("checkpoint_id") in (None, "", record.id)
                     and (not end or record.id < end)]
        found.sort(key=lambda each: each[0].id, reverse=True)
        shared: dict[Any, Any] = {}
        for record, thread in found:
            if limit is not None and limit <= 0:
                return
            with self._lock:
                made = thread.tuple_of(record, self._codec(), shared, filter)
            if made is None:
                continue
            if limit is not None:
                limit -= 1
            yield made

    # ---- Writing ----

    def put(self, config: Any, checkpoint: Any, metadata: Any, new_versions: Any) -> Any:
        given = config["configurable"]
        namespace = given.get("checkpoint_ns", "")
        about = get_checkpoint_metadata(config, metadata)
        with self._lock:
            retried(lambda: self._thread(given["thread_id"]).put(
                self._codec(), namespace, given.get("checkpoint_id"), checkpoint, about,
                new_versions))
        return {"configurable": {"thread_id": given["thread_id"], "checkpoint_ns": namespace,
                                 "checkpoint_id": checkpoint["id"]}}

    def put_writes(self, config: Any, writes: Sequence[tuple[str, Any]], task_id: str,
                   task_path: str = "") -> None:
        given = config["configurable"]
        key = (given.get("checkpoint_ns", ""), given["checkpoint_id"])
        codec = self._codec()  # Before others are waited for: the next node may change the values.
        encoded = [[WRITES_IDX_MAP.get(name, number), name, codec.encode(value)]
                   for number, (name, value) in enumerate(writes)]
        with self._lock:
            retried(lambda: self._thread(given["thread_id"]).put_writes(
                codec.text, key, encoded, task_id, task_path))

    def delete_thread(self, thread_id: str) -> None:
        with self._lock:
            retried(lambda: self._thread(thread_id).delete())
            self._threads.pop(str(thread_id), None)

    def delete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Deletes the checkpoints of runs, in every thread."""
        runs = set(run_ids)
        if not runs:
            return
        with self._lock:
            for name in branches_of(self.store, _STATE):
                thread = self._whole_thread(key_of(name[len(_STATE):]))
                codec = self._codec()
                gone = {key for key, record in thread.records.items()
                        if record.metadata(codec).get("run_id") in runs}
                if gone:
                    retried(lambda: thread.keep(codec, thread.records.keys() - gone))

    def copy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Copies all checkpoints and writes; what the target had is replaced."""
        with self._lock:
            self.delete_thread(target_thread_id)
            self._thread(source_thread_id).copy_to(str(target_thread_id))

    def prune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Deletes checkpoints: all (`delete`), or all but the newest of each namespace
        (`keep_latest`). Where that one's channels are rebuilt from the writes of earlier ones
        (DeltaChannel), these are kept."""
        if strategy not in ("delete", "keep_latest"):
            raise ValueError(f"'{strategy}' is not a strategy: 'delete' or 'keep_latest'")
        for id in thread_ids:
            if strategy == "delete":
                self.delete_thread(id)
                continue
            with self._lock:
                retried(lambda: self._keep_latest(self._whole_thread(id)))

    def _keep_latest(self, thread: _Thread) -> None:
        kept = set()
        for namespace in {namespace for namespace, _ in thread.records}:
            record = thread.records.get((namespace, thread.newest(namespace)))
            while record is not None:
                kept.add((namespace, record.id))
                if not record.metadata(self._codec()).get("counters_since_delta_snapshot"):
                    break
                record = thread.records.get((namespace, record.parent or ""))
        if kept != thread.records.keys():
            thread.keep(self._codec(), kept)

    def get_next_version(self, current: Any, channel: None) -> str:
        """Returns a greater version. Its end is random: two forks have different versions."""
        number = 0 if current is None else int(str(current).split(".")[0])
        return f"{number + 1:08d}.{random.getrandbits(32):08x}"

    # ---- asyncio ----

    async def aget_tuple(self, config: Any) -> Any:
        return await asyncio.to_thread(self.get_tuple, config)

    async def alist(self, config: Any, *, filter: dict[str, Any] | None = None,
                    before: Any = None, limit: int | None = None) -> AsyncIterator[Any]:
        found = self.list(config, filter=filter, before=before, limit=limit)
        while (each := await asyncio.to_thread(next, found, None)) is not None:
            yield each

    async def aput(self, config: Any, checkpoint: Any, metadata: Any, new_versions: Any) -> Any:
        return await asyncio.to_thread(self.put, config, checkpoint, metadata, new_versions)

    async def aput_writes(self, config: Any, writes: Sequence[tuple[str, Any]], task_id: str,
                          task_path: str = "") -> None:
        await asyncio.to_thread(self.put_writes, config, writes, task_id, task_path)

    async def adelete_thread(self, thread_id: str) -> None:
        await asyncio.to_thread(self.delete_thread, thread_id)

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        await asyncio.to_thread(self.delete_for_runs, run_ids)

    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        await asyncio.to_thread(self.copy_thread, source_thread_id, target_thread_id)

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        await asyncio.to_thread(lambda: self.prune(thread_ids, strategy=strategy))

    # ----

    def _thread(self, id: Any) -> _Thread:
        key = str(id)
        thread = self._threads.get(key)
        if thread is None:
            thread = self._threads[key] = _Thread(self.store, key, self.messages)
        thread.refresh()
        return thread

    def _whole_thread(self, id: Any) -> _Thread:
        thread = self._thread(id)
        thread.read_all()
        return thread

    def _codec(self) -> _Codec:
        return _Codec(self.serde)


# ---- Values as JSON ----

class _Codec:
    """Values as documents. A serializer of the program's own, such as one that encrypts, is used for
    all values; then no message is a turn."""

    def __init__(self, serde: Any) -> None:
        self.serde = serde
        self.is_plain = type(serde) is JsonPlusSerializer
        self.text = ""  #: the text that was taken out of what was encoded

    def encode(self, value: Any) -> dict[str, Any]:
        if self.is_plain:
            if is_json(value):
                return stored(value)
            if isinstance(value, BaseMessage):
                if (found := _template(value)) is not None:
                    return self._message(found.document)
            elif type(value) is list:
                return {"list": [self.encode(each) for each in value]}
            elif type(value) is dict and all(type(key) is str for key in value) and is_json(
                    list(value)):
                return {"dict": {key: self.encode(each) for key, each in value.items()}}
        return {"bytes": packed(*self.serde.dumps_typed(value))}

    def _message(self, document: dict[str, Any]) -> dict[str, Any]:
        text, rest = lift(document, ["content"])
        if text and self.text in ("", text):
            self.text = text
            return {"message": rest}
        return {"message": document}

    def decode(self, document: dict[str, Any], text: str) -> Any:
        [(kind, value)] = document.items()
        if kind in ("json", "text"):
            return restored(document)
        if kind == "message":
            return _message_of(_whole(value, text))
        if kind == "list":
            return [self.decode(each, text) for each in value]
        if kind == "dict":
            return {key: self.decode(each, text) for key, each in value.items()}
        return self.serde.loads_typed(unpacked(value))


class _Template:
    """A message as it was given, of objects that no program holds.

    message: made for this alone."""

    __slots__ = ("kind", "members", "extra", "fields", "containers",
                 "document")

    def __init__(self, message: Any, document: dict[str, Any]) -> None:
        self.kind: Any = type(message)
        self.members: dict[str, Any] = message.__dict__
        self.extra = message.__pydantic_extra__
        self.fields = message.__pydantic_fields_set__
        self.containers = [(key, value) for key, value in self.members.items()
                           if isinstance(value, (list, dict))]
        self.document = document

    def is_of(self, message: Any) -> bool:
        return (type(message) is self.kind and message.__dict__ == self.members
                and message.__pydantic_extra__ == self.extra)

    def made(self) -> Any:
        """Returns a new message. pydantic's own copy would check and copy more than is needed."""
        members = self.members.copy()
        for key, value in self.containers:
            members[key] = copied(value) if value else type(value)()
        message: Any = self.kind.__new__(self.kind)
        object.__setattr__(message, "__dict__", members)
        object.__setattr__(message, "__pydantic_fields_set__", self.fields.copy())
        object.__setattr__(message, "__pydantic_extra__", copied(self.extra))
        object.__setattr__(message, "__pydantic_private__", None)
        return message


def _same(messages: list[Any], templates: list[_Template]) -> int:
    """Returns how many messages are as their templates, from the beginning. Most often all are, which lists
    tell in a third of the time."""
    known = templates[:len(messages)]
    given = messages[:len(known)]
    if (list(map(type, given)) == [each.kind for each in known]
            and [each.__dict__ for each in given] == [each.members for each in known]
            and [each.__pydantic_extra__ for each in given] == [each.extra for each in known]):
        return len(known)
    return next(at for at, (message, template) in enumerate(zip(given, known)) if not template.is_of(message))


def _template(message: Any) -> _Template | None:
    """Returns None for a message that JSON does not give back as it is."""
    name = type(message).__name__
    if _CLASSES.get(name) is not type(message) or message.__pydantic_private__:
        return None
    dumped = message.model_dump()
    defaults = _DEFAULTS[name]
    if not is_json(dumped):
        return None
    document = {"class": name, "content": dumped.pop("content")}
    for key, value in dumped.items():
        if key not in defaults or defaults[key] != value:
            document[key] = value if type(value) is str else stored(value)
    if type(document["content"]) is not str:
        document["content"] = stored(document["content"])
    made = _message_of(document)
    if made.__dict__ != message.__dict__ or made.__pydantic_extra__ != message.__pydantic_extra__:
        return None
    template = _Template(made, document)
    template.fields = set(message.__pydantic_fields_set__)
    return template


def _whole(document: dict[str, Any], text: str) -> dict[str, Any]:
    """Returns a message's document with the text that was taken out of it."""
    return lower(document, ["content"], text) if document["content"] is None else document


def _with_text(document: dict[str, Any], text: str) -> dict[str, Any]:
    """Returns an encoded value with the text that was taken out of it."""
    if "message" in document:
        return {"message": _whole(document["message"], text)}
    if "list" in document:
        return {"list": [_with_text(each, text) for each in document["list"]]}
    if "dict" in document:
        return {"dict": {key: _with_text(each, text) for key, each in document["dict"].items()}}
    return document


def _message_of(document: dict[str, Any]) -> Any:
    return _CLASSES[document["class"]](**_members_of(document))


def _members_of(document: dict[str, Any]) -> dict[str, Any]:
    return {key: value if type(value) is str else restored(value)
            for key, value in document.items() if key != "class"}


# ---- Conversations ----

class _Chain:
    """The branch of one conversation: its messages, in order."""

    def __init__(self, store: Store, branch: str) -> None:
        self.journal = Journal(store, branch)
        self.templates: list[_Template] = []
        self.commits: list[str] = []
        self._seen = 0

    def refresh(self) -> None:
        new = self.journal.refresh()
        if self._seen != self.journal.rewritten:
            self._seen = self.journal.rewritten
            self.templates, self.commits = [], []
        older = list(iter(self.journal.older, None))
        self.take([*reversed(older), *new])

    def take(self, turns: Sequence[Item]) -> None:
        for turn in turns:
            if (document := turn.metadata.get("message")) is not None:
                document = _whole(document, turn.text)
                self.templates.append(_Template(_message_of(document), document))
                self.commits.append(turn.id)


def _turns_of(branch: str, document: dict[str, Any]) -> list[Op]:
    """Returns a message as turns: its reasoning, if its content has some, and itself."""
    members = _members_of(document)
    content = members["content"]
    ops = []
    text, rest = lift(document, ["content"])
    if type(content) is list:
        blocks = [block for block in content if isinstance(block, dict)]
        thoughts = [block.get("thinking") or block.get("reasoning") for block in blocks
                    if block.get("type") in ("thinking", "reasoning")]
        thought = "\n\n".join(each for each in thoughts if isinstance(each, str))
        if thought:
            ops.append(turn_op(branch, "reasoning", thought))
        texts = [block if isinstance(block, str) else block.get("text") for block in content]
        text = "\n\n".join(each for each in texts if isinstance(each, str))
    more: dict[str, Any] = {}
    if document["class"] == "ToolMessage":
        more = {"call_id": members["tool_call_id"], "name": members.get("name") or "",
                "is_error": members.get("status") == "error"}
    elif calls := members.get("tool_calls"):
        more = {"tool_calls": [{"id": call["id"] or "", "name": call["name"],
                                "arguments": as_text(call["args"])} for call in calls]}
    ops.append(turn_op(branch, _TYPES[document["class"]], text, {"message": rest}, **more))
    return ops


# ---- Threads ----

_Key = tuple[str, str]  # A namespace and an id.


@dataclasses.dataclass
class _Record:
    """One checkpoint, as it is stored."""

    namespace: str
    id: str
    turn: Item

    @property
    def document(self) -> dict[str, Any]:
        found: dict[str, Any] = self.turn.metadata["checkpoint"]
        return found

    @property
    def parent(self) -> str | None:
        found: str | None = self.document["parent"]
        return found

    def metadata(self, codec: _Codec) -> dict[str, Any]:
        found: dict[str, Any] = codec.decode(self.document["metadata"], self.turn.text)
        return found


class _Thread:
    """All that is known of a thread."""

    def __init__(self, store: Store, id: str, channel: str) -> None:
        self.store = store
        self.id = id
        self.channel = channel
        self.journal = Journal(store, _STATE + name_of(id))
        self._clear()

    def _clear(self) -> None:
        self._seen = self.journal.rewritten
        self.records: dict[_Key, _Record] = {}  #: those that were read
        self._newest: dict[str, str] = {}
        self._writes: dict[_Key, dict[tuple[str, int], tuple[str, str, Any, str]]] = {}
        self._values: dict[tuple[str, str, str], tuple[dict[str, Any] | None, str]] = {}
        self._numbers: dict[str, int] = {}  # Of each namespace, of its newest chain.
        self._chains: dict[tuple[str, int], _Chain] = {}
        self._items: dict[tuple[str, str], tuple[str, list[str]]] = {}

    def refresh(self) -> None:
        new = self.journal.refresh()
        if self._seen != self.journal.rewritten:
            self._clear()
        for turn in new:
            self._take(turn, dict.__setitem__)

    def _read_older(self) -> bool:
        """Reads one turn further back. Returns false if there is none."""
        turn = self.journal.older()
        if turn is not None:
            self._take(turn, dict.setdefault)
        return turn is not None

    def read_all(self) -> None:
        while self._read_older():
            pass

    def newest(self, namespace: str) -> str:
        """Returns the greatest id of a namespace; empty if it has none."""
        while namespace not in self._newest and self._read_older():
            pass
        if namespace in self._newest:
            return self._newest[namespace]
        return max((record.id for record in self.records.values()
                    if record.namespace == namespace), default="")

    def record(self, namespace: str, id: str) -> _Record | None:
        while (namespace, id) not in self.records and self._read_older():
            pass
        return self.records.get((namespace, id))

    def _stored(self, namespace: str, name: str, version: Any
                ) -> tuple[dict[str, Any] | None, str]:
        key = (namespace, name, json.dumps(version))
        while key not in self._values and self._read_older():
            pass
        return self._values.get(key, (None, ""))

    def _number(self, namespace: str) -> int:
        while namespace not in self._numbers and self._read_older():
            pass
        return self._numbers.get(namespace, 1)

    def _take(self, turn: Item, put: Callable[..., Any]) -> None:
        """Takes a turn that is newer than all (put: dict.__setitem__) or older than all
        (dict.setdefault) that were read."""
        if (document := turn.metadata.get("checkpoint")) is not None:
            namespace, id = document["namespace"], document["id"]
            put(self.records, (namespace, id), _Record(namespace, id, turn))
            if not document.get("is_late"):
                put(self._newest, namespace, id)
            for name, (version, value) in document["values"].items():
                put(self._values, (namespace, name, json.dumps(version)), (value, turn.text))
                if value and "turns" in value:
                    put(self._numbers, namespace, value["turns"][0])
        elif (document := turn.metadata.get("conversations")) is not None:
            for namespace, number in document.items():
                put(self._numbers, namespace, number)
        elif (document := turn.metadata.get("writes")) is not None:
            stored = self._writes.setdefault((document["namespace"], document["id"]), {})
            for index, name, value in document["writes"]:
                put(stored, (document["task"], index), (document["path"], name, value, turn.text))

    # ---- Reading ----

    def tuple_of(self, record: _Record, codec: _Codec, shared: dict[Any, Any],
                 filter: dict[str, Any] | None = None) -> Any:
        """Returns a checkpoint, or None if its metadata is not as the filter asks.

        shared: messages that the caller made already."""
        metadata = record.metadata(codec)
        if filter and any(metadata.get(key) != value for key, value in filter.items()):
            return None
        checkpoint = codec.decode(record.document["rest"], record.turn.text)
        checkpoint["channel_values"] = values = {}
        for name, version in checkpoint["channel_versions"].items():
            own = record.document["values"].get(name)
            if own is not None and own[0] == version:
                document, text = own[1], record.turn.text
            else:
                document, text = self._stored(record.namespace, name, version)
            if document is not None:
                values[name] = self._value(record.namespace, name, document, text, codec, shared)
        stored_writes = self._writes.get((record.namespace, record.id), {})
        order = sorted(stored_writes, key=lambda key: writes_sort_key(stored_writes[key][0], *key))
        pending = [(task, stored_writes[task, index][1],
                    codec.decode(stored_writes[task, index][2], stored_writes[task, index][3]))
                   for task, index in order]
        return CheckpointTuple(
            config=self._config(record.namespace, record.id), checkpoint=checkpoint,
            metadata=cast(Any, metadata), pending_writes=pending,
            parent_config=self._config(record.namespace, record.parent) if record.parent else None)

    def _config(self, namespace: str, id: str) -> Any:
        return {"configurable": {"thread_id": self.id, "checkpoint_ns": namespace,
                                 "checkpoint_id": id}}

    def _value(self, namespace: str, name: str, document: dict[str, Any], text: str, codec: _Codec,
               shared: dict[Any, Any]) -> Any:
        if (place := document.get("turns")) is not None:
            number, count = place
            key = (self.id, namespace, number)
            made = shared.setdefault(key, [])
            if len(made) < count:
                chain = self._chain(namespace, number, count)
                made += [each.made() for each in chain.templates[len(made):count]]
            return made[:count]
        if "items" in document:
            return [codec.decode(json.loads(each), "")
                    for each in self._items_of(namespace, name, document)]
        return codec.decode(document, text)

    def _items_of(self, namespace: str, name: str, document: dict[str, Any]) -> list[str]:
        """Returns a list's items, which are stored as what is new since an earlier version."""
        parts = [document]
        while (base := parts[-1].get("base")) is not None:
            found, _ = self._stored(namespace, name, base)
            if found is None:
                raise CorruptError(f"version '{base}' of channel '{name}' is missing")
            parts.append(found)
        items: list[str] = []
        for part in reversed(parts):
            items = items[:part["keep"]] + part["items"]
        return items

    def _chain(self, namespace: str, number: int, count: int = 0) -> _Chain:
        """Returns a conversation, with so many messages at least. Another writer may begin its branch anew at
        any time: then the conversation has another name."""
        while True:
            branch = self._talk(namespace)
            if number != self._number(namespace):
                branch += f".{number}"
            found = self._chains.get((namespace, number))
            if found is None or found.journal.branch != branch:
                found = self._chains[namespace, number] = _Chain(self.store, branch)
            elif len(found.templates) >= count:
                return found
            found.refresh()
            self.refresh()
            if self._chains.get((namespace, number)) is found and (
                    "." in branch[len(_TALK):] or number == self._number(namespace)):
                return found

    def _talk(self, namespace: str) -> str:
        return _TALK + name_of(self.id) + ("+" + name_of(namespace) if namespace else "")

    # ---- Writing ----

    def put(self, codec: _Codec, namespace: str, parent: str | None, checkpoint: Any,
            metadata: Any, new_versions: Any) -> None:
        rest = dict(checkpoint)
        values = rest.pop("channel_values")
        ops = [self.journal.expected()]
        new_values: dict[str, Any] = {}
        chain: _Chain | None = None
        items: dict[tuple[str, str], tuple[Any, list[str]]] = {}
        for name, version in new_versions.items():
            if name not in values:
                new_values[name] = [version, None]
                continue
            value = values[name]
            if name == self.channel and codec.is_plain and (
                    (found := self._talked(namespace, value)) is not None):
                place, chain, more = found
                ops += more
                new_values[name] = [version, {"turns": place}]
            elif type(value) is list and len(value) >= _LEAST_LIST:
                document, texts = self._appended(codec, namespace, name, value)
                items[namespace, name] = (version, texts)
                new_values[name] = [version, document]
            else:
                new_values[name] = [version, codec.encode(value)]
        about = {"namespace": namespace, "id": checkpoint["id"], "parent": parent,
                 "metadata": codec.encode(metadata), "rest": codec.encode(rest), "values": new_values}
        if checkpoint["id"] < self.newest(namespace):
            about["is_late"] = True
        ops.append(turn_op(self.journal.branch, "note", codec.text, {"checkpoint": about}))
        results = write(self.store, ops)
        for turn in self.journal.added(ops, results):
            self._take(turn, dict.__setitem__)
        self._items.update(items)
        if chain is not None:
            chain.take(chain.journal.added(ops, results))

    def _talked(self, namespace: str, value: Any) -> tuple[list[int], _Chain, list[Op]] | None:
        """Returns where messages are, after operations that are still to be done. None if not all
        of them can be turns."""
        if type(value) is not list or not all(isinstance(each, BaseMessage) for each in value):
            return None
        number = self._number(namespace)
        chain = self._chain(namespace, number)
        chain.refresh()
        same = _same(value, chain.templates)
        new = [_template(each) for each in value[same:]]
        ops = [chain.journal.expected()] if new or same < len(chain.templates) else []
        branch = chain.journal.branch
        if new and same < len(chain.templates):
            ops.append({"op": "branch", "name": f"{branch}.{number}", "to": chain.journal.tip})
            if same:
                ops.append({"op": "branch", "name": branch, "to": chain.commits[same - 1],
                            "force": True})
            else:
                ops += deletions([branch])
            number += 1
            self._chains.clear()  # Read again: branches got other names.
            chain = _Chain(self.store, branch)
        for found in new:
            if found is None:
                return None
            ops += _turns_of(branch, found.document)
        return [number, len(value)], chain, ops

    def _appended(self, codec: _Codec, namespace: str, name: str, value: list[Any]
                  ) -> tuple[dict[str, Any], list[str]]:
        texts = []
        for each in value:
            inner = _Codec(codec.serde)
            document = inner.encode(each)
            if inner.text:  # The items of a list have no turn for it.
                document = {"bytes": packed(*codec.serde.dumps_typed(each))}
            texts.append(json.dumps(document))
        version, known = self._items.get((namespace, name), (None, []))
        same = 0
        while same < min(len(known), len(texts)) and known[same] == texts[same]:
            same += 1
        if version is None or (namespace, name, json.dumps(version)) not in self._values or not same:
            return {"keep": 0, "items": texts}, texts
        return {"base": version, "keep": same, "items": texts[same:]}, texts

    def put_writes(self, text: str, key: _Key, writes: Sequence[list[Any]], task: str,
                   path: str) -> None:
        self.record(*key)  # All writes of a checkpoint are newer than itself.
        stored = self._writes.get(key, {})
        new = [each for each in writes if each[0] < 0 or (task, each[0]) not in stored]
        if not new:
            return
        document = {"namespace": key[0], "id": key[1], "task": task, "path": path, "writes": new}
        ops = [self.journal.expected(),
               turn_op(self.journal.branch, "note", text, {"writes": document})]
        for turn in self.journal.added(ops, write(self.store, ops)):
            self._take(turn, dict.__setitem__)

    def _talks(self) -> list[str]:
        """Returns the names of the thread's conversations."""
        own = _TALK + name_of(self.id)
        return [branch for branch in branches_of(self.store, own)
                if branch == own or branch[len(own)] in "+."]

    def delete(self) -> None:
        ops = [self.journal.expected()] if self.journal.tip else []
        ops += deletions(self._talks() + [self.journal.branch] * bool(self.journal.tip))
        if ops:
            write(self.store, ops)
        self.refresh()

    def keep(self, codec: _Codec, kept: set[_Key]) -> None:
        """Writes the journal anew, with these checkpoints only, and shortens the conversations to
        what they need."""
        self.refresh()
        self.read_all()
        if not kept:
            self.delete()
            return
        branch = self.journal.branch
        ops = [self.journal.expected(), *deletions([branch])]
        ops.append(turn_op(branch, "note", "", {"conversations": self._numbers}))
        written: set[Any] = set()
        counts: dict[str, int] = {}
        for turn in self.journal.read():
            kind = "checkpoint" if "checkpoint" in turn.metadata else "writes"
            document = turn.metadata.get(kind, {})
            if (document.get("namespace"), document.get("id")) not in kept:
                continue
            if kind == "checkpoint":
                document = {**document, "values": self._needed(codec, document, written)}
                for _, value in document["values"].values():
                    if value and (place := value.get("turns")) is not None:
                        talk = self._chain(document["namespace"], place[0]).journal.branch
                        counts[talk] = max(place[1], counts.get(talk, 0))
            ops.append(turn_op(branch, "note", turn.text, {kind: document}))
        for talk in self._talks():
            ops += self._shortened(talk, counts.get(talk, 0))
        write(self.store, ops)
        self.refresh()

    def _shortened(self, talk: str, count: int) -> list[Op]:
        if not count:
            return deletions([talk])
        chain = _Chain(self.store, talk)
        chain.refresh()
        if count == len(chain.commits):
            return []
        return [chain.journal.expected(),
                {"op": "branch", "name": talk, "to": chain.commits[count - 1], "force": True}]

    def _needed(self, codec: _Codec, document: dict[str, Any], written: set[Any]
                ) -> dict[str, Any]:
        """Returns the values of a checkpoint, also those that only earlier ones have, but for those
        that were written."""
        namespace = document["namespace"]
        needed: dict[str, Any] = {}
        for name, version in codec.decode(document["rest"], "")["channel_versions"].items():
            place = (namespace, name, json.dumps(version))
            own = document["values"].get(name)
            if own is not None and own[0] == version:
                value = own[1]
            elif place in self._values and place not in written:
                value, text = self._values[place]
                value = value and _with_text(value, text)
            else:
                continue
            if value and "items" in value:
                value = {"keep": 0, "items": self._items_of(namespace, name, value)}
            written.add(place)
            needed[name] = [version, value]
        return needed

    def copy_to(self, target: str) -> None:
        other = _Thread(self.store, target, self.channel)
        ops: list[Op] = [other.journal.expected()]
        own, new = _TALK + name_of(self.id), _TALK + name_of(target)
        for branch in self._talks():
            ops.append({"op": "branch", "name": new + branch[len(own):], "to": branch})
        if self.journal.tip:
            ops.append({"op": "branch", "name": other.journal.branch, "to": self.journal.tip})
            write(self.store, ops)

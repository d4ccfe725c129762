"""Keyed, append-only lists over branches: what the adapters of other frameworks share.

A list is a branch, an item one of its turns. Documents of a framework are a turn's metadata, and the
text of a conversation is the turn's text, so that `log`, `search` and `compile` see it and equal texts
are stored once."""

from __future__ import annotations

import base64
import dataclasses
import json
import random
import re
import time
import urllib.parse
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from ._library import decoded
from .errors import ConflictError, CorruptError, NotFoundError
from .store import Store

T = TypeVar("T")
Op = dict[str, Any]
_PATIENCE = 10  # Seconds.
_UNSAFE = re.compile(r"[^A-Za-z0-9_-]")


def name_of(key: str) -> str:
    """Returns a key as one word of a branch's name; key_of() is its inverse."""
    return _UNSAFE.sub(_escaped, key) or "%"


def key_of(name: str) -> str:
    return "" if name == "%" else urllib.parse.unquote(name)


def _escaped(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match[0].encode("utf-8", "surrogatepass"))


def branches_of(store: Store, prefix: str) -> dict[str, str]:
    """Returns the branches whose names begin with `prefix`, and their tips."""
    heads = "refs/heads/"
    refs = store.call("refs", prefix=heads + prefix)["refs"]
    return {ref["name"][len(heads):]: ref["hash"] for ref in refs}


class Item(NamedTuple):
    """One turn of a list."""

    id: str
    type: str
    text: str
    metadata: dict[str, Any]


def turns(store: Store, tip: str | None) -> Iterator[Item]:
    """Yields a commit's turn and those before it, newest first; nothing for None."""
    for entry in store._entries(tip) if tip is not None else ():
        metadata = entry.metadata.read()
        yield Item(entry.id.hex(), decoded(entry.type), decoded(entry.text),
                   json.loads(metadata) if metadata else {})


class Journal:
    """A branch, as a list that is read from its newest turn on. Not safe from several threads."""

    def __init__(self, store: Store, branch: str) -> None:
        self.store = store
        self.branch = branch
        self.tip: str | None = None
        self.rewritten = 0  #: how often other turns took the place of those that were read
        self._older: Iterator[Item] | None = None

    def refresh(self) -> list[Item]:
        """Returns what other writers added, oldest first. If nothing of the branch is known, or it
        was moved back or begun anew, that is nothing: all of it is older()."""
        tip = self._found_tip()
        if tip == self.tip:
            return []
        known, self.tip = self.tip, tip
        new: list[Item] = []
        if known is not None:
            for item in turns(self.store, tip):
                if item.id == known:
                    return new[::-1]
                new.append(item)
            self.rewritten += 1
        self._older = turns(self.store, tip)
        return []

    def older(self) -> Item | None:
        """Returns the newest turn that was not read yet; None if there is none."""
        return next(self._older, None) if self._older is not None else None

    def read(self) -> list[Item]:
        """Returns all turns, oldest first."""
        return list(turns(self.store, self._found_tip()))[::-1]

    def _found_tip(self) -> str | None:
        try:
            return self.store.tip(self.branch)
        except NotFoundError:
            return None

    def expected(self) -> Op:
        """Returns the part of a transaction that fails it if another writer moved the branch."""
        seen = {"hash": self.tip} if self.tip else {}
        return {"op": "expect", "branch": self.branch, **seen}

    def added(self, ops: Sequence[Op], results: Sequence[Mapping[str, Any]]) -> list[Item]:
        """Takes this branch's turns of a transaction that was written, and returns them."""
        new = [Item(result["hash"], op["op"], op["text"], op.get("metadata") or {})
               for op, result in zip(ops, results)
               if op.get("branch") == self.branch and "text" in op]
        if new:
            self.tip = new[-1].id
        return new


def turn_op(branch: str, type: str, text: str, metadata: Mapping[str, Any] | None = None,
            **members: Any) -> Op:
    """Returns the part of a transaction that appends a turn."""
    about = {"metadata": metadata} if metadata else {}
    return {"op": type, "branch": branch, "text": text, **about, **members}


def write(store: Store, ops: Sequence[Op]) -> list[Any]:
    """Writes a transaction. Raises ConflictError if what it expects is not so."""
    results: list[Any] = store.call("transaction", ops=ops)["results"]
    return results


def deletions(branches: Sequence[str]) -> list[Op]:
    return [{"op": "delete_branch", "name": branch} for branch in branches]


def retried(attempt: Callable[[], T]) -> T:
    """Returns the value of `attempt`, which is called again while another writer is first. The pauses differ,
    so that each of many writers has its turn."""
    end = time.monotonic() + _PATIENCE
    pause = 0.001
    while True:
        try:
            return attempt()
        except ConflictError:
            if time.monotonic() >= end:
                raise
        time.sleep(random.uniform(0, pause))
        pause = min(2 * pause, 0.1)


# ---- Messages of several turns ----

Path = Sequence["str | int"]
_MEDIA_TYPE = re.compile(r"[!-.0-~]{1,60}/[!-.0-~]{1,60}")
_STANDARD = str.maketrans("-_", "+/")


@dataclasses.dataclass
class Part:
    """One turn of a message: where its text is in the message's document, and its files, in base64."""

    type: str
    text: Path = ()
    files: list[tuple[Path, str]] = dataclasses.field(default_factory=list)  #: with media types
    members: Op = dataclasses.field(default_factory=dict)


def content_parts(type: str, places: Sequence[tuple[Path, str | None]], **members: Any) -> list[Part]:
    """Returns the turns of a content: one for each text, with the files next to it. A tool's result is
    always one, with its first text.

    places: where a text is, with None, or a file, with its media type."""
    parts = [Part(type, members=members)]
    for path, media_type in places:
        if media_type is not None:
            parts[-1].files.append((path, media_type))
        elif not parts[-1].text:
            parts[-1].text = path
        elif type != "tool":
            parts.append(Part(type, path))
    return parts


def add_call(parts: list[Part], id: str | None, name: str, arguments: Any) -> None:
    """Adds a tool call to the answer that ends the parts, or as an answer of its own."""
    if not parts or parts[-1].type != "assistant":
        parts.append(Part("assistant"))
    parts[-1].members.setdefault("tool_calls", []).append(
        {"id": id or "", "name": name, "arguments": as_text(arguments or {})})


def message_ops(branch: str, document: dict[str, Any], parts: Sequence[Part],
                about: Mapping[str, Any]) -> list[Op]:
    """Returns a message as turns, one for each part. The metadata of the last one has `about`, and what
    is left of the document; documents() is the inverse."""
    ops: list[Op] = []
    places: list[Op] = []
    for part in parts:
        text, document = lift(document, part.text) if part.text else ("", document)
        place: Op = {"text": part.text} if text else {}
        attach: list[Any] = []
        for path, media_type in part.files:
            data, rest = lift(document, path)
            if _is_base64(data) and _MEDIA_TYPE.fullmatch(media_type):
                document = rest
                attach.append({"media_type": media_type, "base64": data.translate(_STANDARD)})
                place.setdefault("files", []).append(path)
        places.append(place)
        ops.append(turn_op(branch, part.type, text, **part.members))
        if attach:
            ops[-1]["attach"] = attach
    ops[-1]["metadata"] = {**about, "message": stored(document), "places": places}
    return ops


def _is_base64(text: str) -> bool:
    """Whether a text is the base64 of some bytes, in one of the two alphabets."""
    standard = text.translate(_STANDARD)
    try:
        return bool(text) and base64.b64encode(base64.b64decode(standard)).decode() == standard
    except ValueError:
        return False


def documents(store: Store, newest_first: Iterator[Item]) -> Iterator[tuple[Item, Any]]:
    """Yields the last turn of each message with its document, and every other turn with None. Files are in
    the standard alphabet of base64."""
    for last in newest_first:
        if "places" not in last.metadata:
            yield last, None
            continue
        document = restored(last.metadata["message"])
        turn: Item | None = last
        for place in reversed(last.metadata["places"]):
            if turn is None and (turn := next(newest_first, None)) is None:
                raise CorruptError(f"turns before '{last.id}' are missing")
            if "text" in place:
                document = lower(document, place["text"], turn.text)
            if "files" in place:
                for path, attached in zip(place["files"], store.show(turn.id)["attach"]):
                    data = base64.b64encode(store.content(attached["hash"]))
                    document = lower(document, path, data.decode())
            turn = None
        yield last, document


# ---- Values ----

def is_json(value: Any) -> bool:
    """Whether JSON gives back a value that is equal and of the same types."""
    kind = type(value)
    if kind is str:
        return _is_text(value)
    if kind is int:
        return bool(-(2**63) <= value < 2**63)
    if kind is float:
        return bool(value - value == 0)
    if kind is list:
        return all(map(is_json, value))
    if kind is dict:
        return all(type(key) is str and _is_text(key) for key in value) and all(
            map(is_json, value.values()))
    return kind is bool or value is None


def _is_text(value: str) -> bool:
    if value.isascii():
        return True
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def is_kept(value: Any) -> bool:
    """Whether metadata gives back a JSON value as it is: members are sorted there."""
    kind = type(value)
    if kind is list:
        return all(map(is_kept, value))
    if kind is dict:
        keys = list(value)
        return (keys == sorted(keys) and all(map(str.isascii, keys))
                and all(map(is_kept, value.values())))
    return kind is not float


def stored(value: Any) -> dict[str, Any]:
    """Returns a JSON value as a member of metadata; restored() is the inverse."""
    if is_kept(value):
        return {"json": value}
    try:
        text = json.dumps(value, ensure_ascii=False)
        text.encode()
    except UnicodeEncodeError:
        text = json.dumps(value)
    return {"text": text}


def restored(document: Mapping[str, Any]) -> Any:
    return json.loads(document["text"]) if "text" in document else copied(document["json"])


def copied(value: Any) -> Any:
    """Returns a copy of a JSON value."""
    kind = type(value)
    if kind is dict:
        return {key: copied(each) for key, each in value.items()}
    return [copied(each) for each in value] if kind is list else value


def lift(document: Mapping[str, Any], path: Sequence[str | int]) -> tuple[str, dict[str, Any]]:
    """Returns the text at a path of a document, and the document with None in its place; an empty
    text and the document as it is if no text is there, or an empty one. lower() is the inverse."""
    at: Any = document
    for key in path:
        is_there = (key in at if isinstance(at, Mapping) else
                    isinstance(at, list) and isinstance(key, int) and key < len(at))
        if not is_there:
            return "", dict(document)
        at = at[key]
    if type(at) is not str or not at or not _is_text(at):
        return "", dict(document)
    return at, lower(document, path, None)


def lower(document: Mapping[str, Any], path: Sequence[str | int], text: str | None
          ) -> dict[str, Any]:
    """Returns the document with a text at a path, which is there."""
    lowered: dict[str, Any] = _replaced(document, path, text)
    return lowered


def _replaced(value: Any, path: Sequence[str | int], text: str | None) -> Any:
    if not path:
        return text
    inner = _replaced(value[path[0]], path[1:], text)
    if isinstance(value, list):
        return [inner if index == path[0] else each for index, each in enumerate(value)]
    return {**value, path[0]: inner}


def packed(kind: str, data: bytes) -> list[str]:
    """Returns bytes of a framework's own serializer, as JSON."""
    return [kind, base64.b64encode(data).decode()]


def unpacked(value: Sequence[str]) -> tuple[str, bytes]:
    return value[0], base64.b64decode(value[1])


def as_text(value: Any) -> str:
    """Returns a value as text for people: itself, or JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)

"""Keyed, append-only lists over branches: what the adapters of other frameworks share.

A list is a branch, an item one of its turns. Documents of a framework are a turn's metadata, and the
text of a conversation is the turn's text, so that `log`, `search` and `compile` see it and equal texts
are stored once."""

from __future__ import annotations

import base64
import json
import re
import urllib.parse
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from ._library import decoded
from .errors import ConflictError, NotFoundError
from .store import Store

T = TypeVar("T")
Op = dict[str, Any]
_TRIES = 20
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
            for item in self._read(tip):
                if item.id == known:
                    return new[::-1]
                new.append(item)
            self.rewritten += 1
        self._older = self._read(tip)
        return []

    def older(self) -> Item | None:
        """Returns the newest turn that was not read yet; None if there is none."""
        return next(self._older, None) if self._older is not None else None

    def read(self) -> list[Item]:
        """Returns all turns, oldest first."""
        return list(self._read(self._found_tip()))[::-1]

    def _found_tip(self) -> str | None:
        try:
            return self.store.tip(self.branch)
        except NotFoundError:
            return None

    def _read(self, tip: str | None) -> Iterator[Item]:
        for entry in self.store._entries(tip) if tip is not None else ():
            metadata = entry.metadata.read()
            yield Item(entry.id.hex(), decoded(entry.type), decoded(entry.text),
                       json.loads(metadata) if metadata else {})

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
    """Returns the value of `attempt`, which is called again while another writer is first."""
    for _ in range(_TRIES - 1):
        try:
            return attempt()
        except ConflictError:
            continue
    return attempt()


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

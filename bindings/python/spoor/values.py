"""What a store gives back: values that do not change."""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Mapping
from typing import Any

from . import _html


@dataclasses.dataclass(frozen=True)
class ToolCall:
    """A call of a tool that a model asks for. `arguments` is the model's own text."""

    id: str
    name: str
    arguments: str = "{}"


@dataclasses.dataclass(frozen=True)
class Turn:
    """A commit of a branch."""

    id: str
    type: str  #: system, user, reasoning, assistant, tool, note, edit, annotate, ...
    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    call_id: str = ""  #: of a tool turn: the call that it answers
    name: str = ""  #: of a tool, a directive or an artifact
    is_error: bool = False
    author: str = ""
    time: datetime.datetime | None = None  #: in UTC
    metadata: Mapping[str, Any] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True)
class Part:
    """What one turn gives to a message's text."""

    type: str  #: as a turn's
    text: str


@dataclasses.dataclass(frozen=True)
class Message:
    """One message of a prompt."""

    role: str
    text: str
    tool_calls: tuple[ToolCall, ...]
    call_id: str
    commit: str  #: the first turn it comes from
    parts: tuple[Part, ...] = ()  #: of a message with reasoning: `text` is joined of theirs
    name: str = ""  #: of a tool
    is_error: bool = False

    def _repr_html_(self) -> str:
        return _html.page(_html.message(self))


@dataclasses.dataclass(frozen=True)
class Prompt:
    """The prompt at a commit: the same in every process, for ever. A notebook shows it."""

    commit: str
    hash: str  #: equal for equal prompts
    tokens: int
    messages: tuple[Message, ...]
    left_out: tuple[Mapping[str, Any], ...]  #: the turns that are not in it, and why

    def _repr_html_(self) -> str:
        return _html.page(_html.prompt(self))


@dataclasses.dataclass(frozen=True)
class Change:
    """A message that two prompts do not share."""

    change: str  #: added, removed or changed
    before: Message | None
    after: Message | None
    token_delta: int


@dataclasses.dataclass(frozen=True)
class Diff:
    """Two prompts compared. A notebook shows it."""

    before: str  #: the commit; empty: the empty prompt
    after: str
    changes: tuple[Change, ...]
    unchanged: int  #: messages that both have
    token_delta: int
    config: Mapping[str, Any]  #: settings that differ: before and after

    def _repr_html_(self) -> str:
        return _html.page(_html.diff(self))


@dataclasses.dataclass(frozen=True)
class Commit:
    """A commit in a history."""

    id: str
    parents: tuple[str, ...]
    type: str
    author: str
    message: str  #: one line
    time: datetime.datetime | None  #: in UTC
    refs: tuple[str, ...]  #: names that point at it, such as `HEAD -> main` and `tag: v1`


@dataclasses.dataclass(frozen=True)
class History:
    """Commits, children before parents. A notebook draws them as a graph."""

    commits: tuple[Commit, ...]

    def _repr_html_(self) -> str:
        return _html.page(_html.history(self))


@dataclasses.dataclass(frozen=True)
class Moved:
    """Turns that a branch has more than before."""

    branch: str
    turns: tuple[str, ...]  #: ids, oldest first


def calls_of(given: list[dict[str, Any]] | None) -> tuple[ToolCall, ...]:
    return tuple(ToolCall(**call) for call in given or ())


def prompt_of(document: dict[str, Any]) -> Prompt:
    return Prompt(
        commit=document["commit"], hash=document["prompt_hash"], tokens=document["tokens"],
        left_out=tuple(document["left_out"]),
        messages=tuple(map(_message_of, document["messages"])))


def _message_of(document: dict[str, Any]) -> Message:
    return Message(
        role=document["role"], text=document["text"], tool_calls=calls_of(document["tool_calls"]),
        call_id=document["call_id"] or "", commit=document["hash"] or "",
        parts=tuple(Part(each["type"], each["text"]) for each in document["parts"] or ()),
        name=document["name"] or "", is_error=document["is_error"])


def diff_of(document: dict[str, Any]) -> Diff:
    def side(message: dict[str, Any] | None) -> Message | None:
        return _message_of(message) if message else None

    return Diff(
        before=document["from"] or "", after=document["to"] or "", unchanged=document["unchanged"],
        token_delta=document["token_delta"], config=document["config"],
        changes=tuple(Change(each["change"], side(each["before"]), side(each["after"]),
                             each["token_delta"]) for each in document["messages"]))


def history_of(document: dict[str, Any]) -> History:
    return History(tuple(
        Commit(each["hash"], tuple(each["parents"]), each["type"], each["author"] or "",
               each["message"], _time_of(each["time"]), tuple(each["refs"]))
        for each in document["commits"]))


def _time_of(text: str | None) -> datetime.datetime | None:
    return datetime.datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%f%z") if text else None

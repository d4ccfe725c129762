"""What a store gives back: values that do not change."""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Mapping
from typing import Any


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
class Message:
    """One message of a prompt."""

    role: str
    text: str
    tool_calls: tuple[ToolCall, ...]
    call_id: str
    commit: str  #: the turn it comes from


@dataclasses.dataclass(frozen=True)
class Prompt:
    """The prompt at a commit: the same in every process, for ever."""

    commit: str
    hash: str  #: equal for equal prompts
    tokens: int
    messages: tuple[Message, ...]
    left_out: tuple[Mapping[str, Any], ...]  #: the turns that are not in it, and why


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
        messages=tuple(Message(each["role"], each["text"], calls_of(each["tool_calls"]),
                               each["call_id"] or "", each["hash"])
                       for each in document["messages"]))

"""HTML of values, for notebooks.

Stored text is hostile: whoever wrote to a model's context wrote it. So every text passes _text(), which
escapes it, and is in <pre> or <code>, where MathJax does not look for formulas, which could hold links.
There are no scripts, links or requests. Colours are translucent and text has the page's own, so that
all of it can be read on light and on dark pages without a style sheet."""

from __future__ import annotations

import collections
import difflib
import html
import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from .values import Change, Commit, Diff, History, Message, Prompt, ToolCall

T = TypeVar("T")
TEXT_LIMIT = 4000  #: characters of a text that are shown
LIST_LIMIT = 100  #: entries of a list that are shown: its beginning and its end
_CONTEXT = 2  # Lines around a changed one.

# Control characters, halves of surrogate pairs, and characters that are always invisible or reorder a line
# (is_hidden() of src/base/hidden_text.h).
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b"
    "\u200e\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff0-\ufffb\U00013430-\U0001343f"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]")
_LANES = ("#3b82f6", "#e5534b", "#2ea043", "#bf8700", "#a371f7", "#12a5b0")
_ROW, _LANE = 24, 14  # Pixels of a history's row and of its lanes.

_BOX = "margin:4px 0;padding:4px 10px;border-left:3px solid {};background:{}"
_GREY, _GREEN, _RED, _YELLOW = (f"rgba({colour},.13)" for colour in
                                ("128,128,128", "46,160,67", "248,81,73", "191,135,0"))
_PRE = "margin:2px 0;padding:0;white-space:pre-wrap;overflow-wrap:anywhere;color:inherit;background:none"
_CODE = "color:inherit;background:none;padding:0"
_FAINT = "opacity:.7"
_LINES = f"height:{_ROW}px;line-height:{_ROW}px;white-space:nowrap"


def page(body: str) -> str:
    """Returns the HTML of a value. MathJax, which typesets formulas in outputs, passes over it."""
    return (f'<div class="spoor tex2jax_ignore mathjax_ignore" style="text-align:left">{body}</div>')


# ---- Texts ----

def _text(text: str) -> str:
    return html.escape(_HIDDEN.sub(_visible, text))


def _visible(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{{{code:x}}}"


def _code(text: str, limit: int = 200) -> str:
    """Returns one line."""
    more = "…" if len(text) > limit else ""
    line = text[:limit].replace("\n", " ").replace("\t", " ")
    return f'<code style="{_CODE}">{_text(line)}{more}</code>'


def _pre(text: str) -> str:
    cut = len(text) - TEXT_LIMIT
    note = _note(f"{cut:,} more characters") if cut > 0 else ""
    return f'<pre style="{_PRE}">\n{_text(text[:TEXT_LIMIT])}</pre>{note}'


def _note(text: str) -> str:
    return f'<div style="{_FAINT}">{_text(text)}</div>'


def _folded(title: str, body: str) -> str:
    return f'<details><summary style="{_FAINT}">{title}</summary>{body}</details>'


def _listed(values: Sequence[T], one: Callable[[T], str], what: str) -> str:
    """Returns the beginning and the end of a list."""
    cut = len(values) - LIST_LIMIT
    if cut <= 0:
        return "".join(map(one, values))
    half = LIST_LIMIT // 2
    return ("".join(map(one, values[:half])) + _note(f"{cut:,} {what} are not shown here")
            + "".join(map(one, values[-half:])))


def _box(colour: str, body: str) -> str:
    return f'<div style="{_BOX.format(colour.replace(".13", ".8"), colour)}">{body}</div>'


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


# ---- Prompts ----

def message(value: Message, colour: str = _GREY) -> str:
    head = f"<b>{_code(value.role)}</b>"
    if value.name:
        head += " " + _code(value.name)
    if value.is_error:
        head += " <b>failed</b>"
    head += f' <span style="{_FAINT}">{_code(value.commit[:8])}</span>'
    body = "".join(
        _folded("thinking, " + _count(len(part.text), "character"), _pre(part.text))
        if part.type == "reasoning" else _pre(part.text)
        for part in value.parts if part.text)
    if not value.parts and value.text:
        body = _pre(value.text)
    return _box(colour, head + body + _listed(value.tool_calls, _call, "calls"))


def _call(call: ToolCall) -> str:
    return f"<div>calls {_code(call.name)}</div>" + _pre(call.arguments)


def prompt(value: Prompt) -> str:
    head = (f"<b>Prompt</b> {_code(value.hash[:8])}, {_count(len(value.messages), 'message')}, "
            f"{_count(value.tokens, 'token')}")
    if value.left_out:
        causes = collections.Counter(str(each["why"]) for each in value.left_out)
        head += ", left out: " + ", ".join(f"{count:,} by {_code(why)}"
                                           for why, count in causes.items())
    return f"<div>{head}</div>" + _listed(value.messages, message, "messages")


# ---- Diffs ----

def diff(value: Diff) -> str:
    counts = collections.Counter(change.change for change in value.changes)
    head = ", ".join(f"{counts[kind]:,} {kind}" for kind in ("added", "removed", "changed"))
    head = (f"<b>Diff</b> {_code(value.before[:8])} {_code(value.after[:8])}: {head}, "
            f"{value.unchanged:,} unchanged, {value.token_delta:+,} tokens")
    settings = "".join(f"<div>{_code(key)}: {_code(str(before))} → {_code(str(after))}</div>"
                       for key, (before, after) in list(value.config.items())[:LIST_LIMIT])
    return f"<div>{head}</div>{settings}" + _listed(value.changes, _change, "changes")


def _change(change: Change) -> str:
    if change.before is None or change.after is None:
        only, colour = (change.after, _GREEN) if change.before is None else (change.before, _RED)
        return message(only, colour) if only is not None else ""
    head = f"<b>{_code(change.after.role)}</b> changed {_code(change.after.commit[:8])}"
    return _box(_YELLOW, head + "".join(_line_diff(_lines_of(change.before),
                                                   _lines_of(change.after))))


def _lines_of(value: Message) -> list[str]:
    calls = [f"calls {call.name} {call.arguments}" for call in value.tool_calls]
    return "\n".join([value.text, *calls]).split("\n")


def _line_diff(before: list[str], after: list[str]) -> Iterator[str]:
    """Yields the lines that differ, and some around them."""
    shorter = min(len(before), len(after))
    first = next((i for i in range(shorter) if before[i] != after[i]), shorter)
    last = next((i for i in range(shorter - first) if before[-1 - i] != after[-1 - i]),
                shorter - first)
    first, last = max(first - _CONTEXT, 0), max(last - _CONTEXT, 0)
    old, cut_old = _cut(before[first:len(before) - last])
    new, cut_new = _cut(after[first:len(after) - last])
    for kind, i, j, k, m in difflib.SequenceMatcher(None, old, new).get_opcodes():
        if kind == "equal":
            yield _lines(" ", _GREY, old[i:j])
        else:
            yield _lines("-", _RED, old[i:j]) + _lines("+", _GREEN, new[k:m])
    if cut_old or cut_new:
        yield _note(f"{cut_old:,} more characters before, {cut_new:,} after")


def _lines(sign: str, colour: str, lines: Sequence[str]) -> str:
    text = "\n".join(sign + " " + line for line in lines)
    return f'<pre style="{_PRE};background:{colour}">\n{_text(text)}</pre>' if lines else ""


def _cut(lines: list[str]) -> tuple[list[str], int]:
    text = "\n".join(lines)
    return text[:TEXT_LIMIT].split("\n"), max(len(text) - TEXT_LIMIT, 0)


# ---- Histories ----

def history(value: History) -> str:
    """Draws the graph beside one line for each commit. Each parent is awaited in a lane."""
    commits = value.commits
    rows = {commit.id: row for row, commit in enumerate(commits)}
    lanes: list[str | None] = []
    places: list[int] = []
    edges: list[tuple[int, int, str]] = []  # The child's row, the lane, the parent.
    width = 1
    for row, commit in enumerate(commits):
        waiting = [lane for lane, id in enumerate(lanes) if id == commit.id]
        place = waiting[0] if waiting else _free(lanes)
        places.append(place)
        for lane in waiting:
            lanes[lane] = None
        for index, parent in enumerate(commit.parents):
            lane = place if index == 0 else (
                lanes.index(parent) if parent in lanes else _free(lanes))
            lanes[lane] = parent
            edges.append((row, lane, parent))
        width = max(width, len(lanes))
    drawn = "".join(_edge(row, places[row], lane, rows.get(parent, len(commits)),
                          places[rows[parent]] if parent in rows else lane)
                    for row, lane, parent in edges)
    drawn += "".join(f'<circle cx="{_x(place)}" cy="{_y(row)}" r="4" fill="{_colour(place)}"></circle>'
                     for row, place in enumerate(places))
    graph = (f'<svg width="{_x(width)}" height="{_ROW * len(commits)}" fill="none" stroke-width="2" '
             f'style="flex:none">{drawn}</svg>')
    lines = "".join(f'<div style="{_LINES}">{_commit(commit)}</div>' for commit in commits)
    return f'<div style="display:flex;overflow-x:auto">{graph}<div>{lines}</div></div>'


def _free(lanes: list[str | None]) -> int:
    if None not in lanes:
        lanes.append(None)
    return lanes.index(None)


def _commit(commit: Commit) -> str:
    refs = "".join(f" <b>{_code(ref)}</b>" for ref in commit.refs[:LIST_LIMIT])
    faint = f'<span style="{_FAINT}">{_code(commit.id[:8])} {_code(commit.type)}</span>'
    return f"{faint}{refs} {_code(commit.message, 120)}"


def _edge(row: int, place: int, lane: int, end: int, end_place: int) -> str:
    """Draws from a commit through a lane to a parent, which may be below all that is shown."""
    points = [(_x(place), _y(row))]
    if end - row > 1:
        points += [(_x(lane), _y(row + 1)), (_x(lane), _y(end - 1))]
    points.append((_x(end_place), _y(end)))
    path = " ".join(f"{x},{y}" for x, y in points)
    return f'<polyline points="{path}" stroke="{_colour(lane)}"></polyline>'


def _x(lane: int) -> int:
    return _LANE // 2 + _LANE * lane


def _y(row: int) -> int:
    return _ROW // 2 + _ROW * row


def _colour(lane: int) -> str:
    return _LANES[lane % len(_LANES)]

"""Claude Code's transcripts: JSON Lines, one record a content block.

From the files themselves. A record's parentUuid names the record before it. All records with one
`message.id` are one answer; each result has a record of its own, whose parent is the record of its
call, so parallel calls fork the tree of pointers and are one line of the conversation all the same.

What a compaction keeps is from the program (2.1.197): `preservedMessages.uuids`, else the records
from `preservedSegment.tailUuid` back to `headUuid`. They follow `anchorUuid`, which is the
summary, or the boundary if they come before the summary. A later compaction keeps only what it
lists itself.

`--output-format stream-json` prints the same messages without pointers; `parent_tool_use_id` is
the call whose agent speaks. Claude Code on the web has the records in one document, `{"loglines":
[...]}`.
"""

import json

from lines import Node, lines_of_nodes
from model import (Branch, Call, Edit, Message, Session, Usage, changed_lines, lines_of)
from rawjson import read_text, records, slice_of

FORMAT = "claude-code"
PATHS = ["claude-code-*/*/*.jsonl", "record-type-coverage/**/agents/claude/**/*.jsonl"]

_TURNS = ("user", "assistant")


class _Record:
    def __init__(self, line, text, value):
        self.line, self.text, self.value = line, text, value
        self.uuid = value.get("uuid")
        # A compaction begins a new tree; `logicalParentUuid` says what it goes on from.
        self.parent = value.get("parentUuid") or value.get("logicalParentUuid")
        self.has_link = "parentUuid" in value or "logicalParentUuid" in value
        message = value.get("message")
        self.is_turn = value.get("type") in _TURNS and isinstance(message, dict)
        self.message = message if self.is_turn else {}
        content = self.message.get("content")
        self.blocks = [{"type": "text", "text": content}] if isinstance(content, str) else (
            content or [])
        attached = value.get("attachment") or {}
        if attached.get("type") == "queued_command":  # Typed while the model was at work.
            self.is_turn = True
            prompt = attached.get("prompt")
            self.blocks = [{"type": "text", "text": prompt}] if isinstance(prompt, str) else prompt
        elif value.get("type") == "queue-operation" and value.get("reason") == "absorbed_mid_turn":
            self.is_turn = True  # So was this, where no record of its own follows.
            self.blocks = [{"type": "text", "text": value.get("content") or ""}]
        self.input_at = ["message", "content", None, "input"]
        if value.get("type") in ("tool_use", "tool_result"):  # Records of an early version.
            self.is_turn = True
            self.input_at = ["input"]
            self.blocks = [{"content": value.get("output"), **value}]
        self.side = value.get("parent_tool_use_id")
        if value.get("isSidechain"):
            self.side = value.get("agentId") or "side"
        self.keeps = []  # The uuids that a compaction keeps, in order.
        self.results = [b for b in self.blocks if b.get("type") == "tool_result"]
        self.is_answer = value.get("type") in ("assistant", "tool_use")
        self.is_api_error = bool(value.get("isApiErrorMessage"))


class _Node(Node):
    """One answer with the results of its calls, or one message that is not the model's."""

    def __init__(self, first):
        value = first.value
        super().__init__(not first.is_answer and not first.results and not value.get("isMeta")
                         and not value.get("isCompactSummary") and value.get("type") == "user",
                         first.is_answer)
        self.records = [first]
        self.results = {}
        self.is_placed = False
        self.inner = None  # The answer that a result stands in the same record with.
        self.begins = self.side = first.side

    def last_line(self):
        """Returns the line of the last record."""
        return max([r.line for r in self.records] + [
            r.line for results in self.results.values() for r, _ in results])


def _values(text):
    """Yields (line, text, value) of each record of a file."""
    try:
        document = json.loads(text)
    except ValueError:
        document = None
    if not isinstance(document, dict) or not isinstance(document.get("loglines"), list):
        yield from records(text)
        return
    for index, value in enumerate(document["loglines"]):
        yield index + 1, slice_of(text, ["loglines", index]), value


def read(path):
    """Returns the session of one file."""
    session = Session(FORMAT)
    all_records = []
    last_call = None
    by_uuid = {}
    for line, text, value in _values(read_text(path)):
        if not isinstance(value, dict):
            session.passed_over("not a record")
            continue
        record = _Record(line, text, value)
        if session.name is None:
            session.name = value.get("sessionId") or value.get("session_id")
        if record.uuid in by_uuid and by_uuid[record.uuid].value == value:
            session.passed_over("duplicate")
            continue
        if record.uuid:
            by_uuid.setdefault(record.uuid, record)
        if value.get("type") == "tool_use":  # It has no id: its result follows it.
            session.loose = frozenset({"ids"})
            last_call = record.blocks[0]["id"] = f"line {line}"
        elif value.get("type") == "tool_result":
            record.blocks[0]["tool_use_id"] = last_call
        all_records.append(record)
        if record.is_api_error:
            session.passed_over("assistant of an API error")
        if value.get("type") == "assistant" and "id" not in record.message:
            session.answers_have_ids = False
    _drop_delivered(all_records)
    for record in all_records:
        if not record.is_turn:
            value = record.value
            kind = value.get("type") or "no type"
            inner = {"attachment": (value.get("attachment") or {}).get("type"),
                     "system": value.get("subtype")}.get(kind)
            session.passed_over(f"{kind}/{inner}" if inner else kind)
    _find_kept(all_records, by_uuid)
    session.branches = _Lines(all_records, by_uuid).branches()
    return [session]


def _drop_delivered(all_records):
    """Makes no turn of a delivery that has a record of its own too: one after it was typed."""
    typed_at = {}
    for record in all_records:
        if record.value.get("operation") == "enqueue":
            typed_at.setdefault(record.value.get("content"), record.line)
        if record.value.get("type") == "queue-operation" and record.is_turn:
            text = record.value.get("content")
            record.is_turn = not any(
                other.is_turn and other is not record and not other.is_answer
                and other.line > typed_at.get(text, 0) and _joined(other) == text
                for other in all_records)


def _find_kept(all_records, by_uuid):
    """Finds what each compaction keeps, and what it goes on from where its pointer is broken."""
    for record in all_records:
        facts = record.value.get("compactMetadata")
        if record.value.get("subtype") != "compact_boundary" or not isinstance(facts, dict):
            continue
        if facts.get("preservedMessages"):
            record.keeps = facts["preservedMessages"]["uuids"]
        elif facts.get("preservedSegment"):
            record.keeps = _segment(facts["preservedSegment"], all_records, by_uuid)
        before = [by_uuid[u] for u in record.keeps if u in by_uuid]
        before = [kept for kept in before if kept.line < record.line]
        for one, other in zip(before, before[1:]):
            if one.line < other.line:
                other.parent = one.uuid
        above = by_uuid.get(record.parent)
        if before and (above is None or above.line > record.line):
            record.parent = before[-1].uuid


def _segment(segment, all_records, by_uuid):
    """Returns the uuids from a segment's head to its tail: by their pointers, or by their lines if
    these do not lead there."""
    found = []
    at = by_uuid.get(segment["tailUuid"])
    while at is not None and at.uuid not in found:
        found.insert(0, at.uuid)
        if at.uuid == segment["headUuid"]:
            return found
        at = by_uuid.get(at.parent)
    head, tail = [by_uuid.get(segment[key]) for key in ("headUuid", "tailUuid")]
    return [r.uuid for r in all_records if head and tail and head.line <= r.line <= tail.line]


class _Lines:
    """Makes lines of records."""

    def __init__(self, all_records, by_uuid):
        self.by_uuid = by_uuid
        self.turns = [r for r in all_records if r.is_turn]
        self.last_usage = {}
        self.call_at = {}
        for record in self.turns:
            for block in record.blocks if record.is_answer else []:
                if block.get("type") == "tool_use":
                    self.call_at[block.get("id")] = record
        self.node_of = {}
        self.nodes = self._nodes()

    def _nodes(self):
        nodes = []
        answers = {}
        above = {}
        for record in self.turns:
            if record.is_answer:
                key = (record.side, record.message.get("id") or record.uuid or record.line)
                if key in answers and self._goes_on(record, answers[key], above.get(record.side)):
                    answers[key].records.append(record)
                else:
                    answers[key] = _Node(record)
                self.node_of[id(record)] = answers[key]
            above[record.side] = record
        for record in self.turns:
            if record.is_answer:
                node = self.node_of[id(record)]
                if node.records[0] is record:
                    nodes.append(node)
                continue
            owners = [self.call_at.get(b.get("tool_use_id")) for b in record.results]
            others = [b for b in record.blocks if b.get("type") != "tool_result"]
            if record.results and all(owners):
                for block, owner in zip(record.results, owners):
                    node = self.node_of[id(owner)]
                    node.results.setdefault(block.get("tool_use_id"), []).append((record, block))
                    self.node_of[id(record)] = node
                if not others:
                    continue
            node = _Node(record)
            node.inner = self.node_of.get(id(record))
            self.node_of[id(record)] = node
            nodes.append(node)
        return nodes

    def _goes_on(self, record, node, above):
        """True if a record of an answer's id goes on with that answer: the turn before it, by its
        parent or else in the file, is of the answer or a result of its calls."""
        at = self.by_uuid.get(record.parent)
        seen = {id(record)}
        while at is not None and not at.is_turn and id(at) not in seen:
            seen.add(id(at))
            at = self.by_uuid.get(at.parent)
        if at is None or id(at) in seen:
            at = above
        owners = [self.call_at.get(b.get("tool_use_id")) for b in at.results] if at else []
        return any(r is at or r in owners for r in node.records)

    def _parent_of(self, node):
        """Returns the node before `node` by the source's pointers; False: the pointer is broken."""
        if node.inner:
            return node.inner
        inside = {id(r) for r in node.records} | {
            id(r) for results in node.results.values() for r, _ in results}
        for record in node.records:
            at = record
            seen = set()
            while at is not None and (id(at) in inside or not at.is_turn):
                if id(at) in seen:
                    return False
                seen.add(id(at))
                if not at.parent:
                    at = None
                elif at.parent not in self.by_uuid:
                    return False
                else:
                    at = self.by_uuid[at.parent]
            if at is not None and at is not record:
                return self.node_of[id(at)]
        return None

    def branches(self):
        """Returns the branches, the main one first."""
        last = {}
        for node in self.nodes:
            node.parent = self._parent_of(node)
            if node.parent is None and not node.records[0].has_link:
                node.parent = last.get(node.side)
            if node.parent and node.parent.side != node.side:
                node.parent = None  # A sidechain is a conversation of its own.
            if node.parent is False or (node.parent and not node.parent.is_placed):
                node.parent = last.get(node.side)  # A broken pointer: the node before.
            node.is_placed = True
            last[node.side] = node
        lines = lines_of_nodes(self.nodes)
        return [self._branch(line, lines) for line in lines]

    def _branch(self, line, lines):
        spoken = [other for other in lines if not other[0].side]
        main = max(spoken, key=lambda other: other[-1].last_line(), default=None)
        suffix = None
        if line[0].side and line[0].side != "side" and line[0].records[0].uuid:
            suffix = f"-agent-{line[0].side}"
        elif line is main:
            suffix = ""
        elif main and not line[0].side:
            suffix = f"-{2 + [o for o in spoken if o is not main].index(line)}"
        branch = Branch(suffix=suffix)
        for node in line:
            if node.is_answer:
                branch.messages += self._answer(node)
            else:
                branch.messages.append(self._said(node, branch))
        return branch

    def _said(self, node, branch):
        record = node.records[0]
        if record.value.get("isCompactSummary"):
            boundary = self.by_uuid.get(record.parent)
            if (boundary is None or boundary.value.get("subtype") != "compact_boundary"
                    or not boundary.parent):
                return Message("summary", _joined(record), f"line {record.line}")
            facts = boundary.value.get("compactMetadata") or {}
            anchor = (facts.get("preservedMessages") or facts.get("preservedSegment") or {}).get(
                "anchorUuid")
            return Message("compaction", _joined(record), f"line {record.line}", keeps=[
                i for i, m in enumerate(branch.messages) if m.record in boundary.keeps],
                is_last=anchor == boundary.uuid)
        if record.results and not node.inner:
            block = record.results[0]
            return _result(record, block)
        return Message("user", _joined(record), f"line {record.line}", record=record.uuid,
                       pictures=_pictures(record.blocks))

    def _answer(self, node):
        messages = []
        answer = None
        edits = {call: _edits(*results[0]) for call, results in node.results.items()}
        for record in node.records:
            for index, block in enumerate(record.blocks):
                place = f"line {record.line}"
                if block.get("type") in ("thinking", "redacted_thinking"):
                    signature = block.get("signature") or block.get("data")
                    messages.append(Message("reasoning", block.get("thinking") or "", place,
                                            signatures=[signature] if signature else [],
                                            record=record.uuid))
                    continue
                if answer is None:
                    answer = Message("assistant", place=place, record=record.uuid)
                    messages.append(answer)
                if block.get("type") == "text":
                    answer.text += block.get("text") or ""
                elif block.get("type") == "tool_use":
                    arguments = slice_of(record.text, [index if step is None else step
                                                       for step in record.input_at])
                    call = Call(block.get("id"), block.get("name"), arguments)
                    found = edits.get(call.id)
                    call.edits = found(block) if found else None
                    answer.calls.append(call)
        usage = _usage(node)
        if any(record.is_api_error for record in node.records):
            return []
        if usage and not messages:
            messages.append(Message("assistant", place=f"line {node.records[0].line}"))
        if messages:
            messages[-1].usage = usage
        for call in dict.fromkeys(c.id for c in answer.calls) if answer else []:
            messages += [_result(*result) for result in node.results.get(call, [])]
        return messages


def _joined(record):
    return "".join(b.get("text") or "" for b in record.blocks if b.get("type") == "text")


def _pictures(blocks):
    return [b["source"]["data"] for b in blocks
            if b.get("type") == "image" and (b.get("source") or {}).get("type") == "base64"]


def _result(record, block):
    content = block.get("content")
    blocks = [] if isinstance(content, str) or content is None else content
    text = content if isinstance(content, str) else "".join(
        b.get("text") or "" for b in blocks if b.get("type") == "text")
    return Message("tool", text, f"line {record.line}", call_id=block.get("tool_use_id"),
                   record=record.uuid,
                   is_error=bool(block.get("is_error")), pictures=_pictures(blocks))


def _usage(node):
    last = None
    final = False
    for record in node.records:
        if isinstance(record.message.get("usage"), dict):
            last = record.message["usage"]
            final = final or record.message.get("stop_reason") is not None
    if last is None:
        return None
    return Usage(last.get("input_tokens"), last.get("output_tokens"),
                 last.get("cache_read_input_tokens"), last.get("cache_creation_input_tokens"),
                 partial=not final, raw=last)


def _edits(record, block):
    """Returns a function from the call's block to the edits that the result tells of."""
    result = record.value.get("toolUseResult")

    def edits(call):
        name, given = call.get("name"), call.get("input") or {}
        if name not in ("Edit", "MultiEdit", "Write"):
            return None
        if block.get("is_error"):
            return []
        path = given.get("file_path")
        if isinstance(result, dict) and result.get("structuredPatch"):
            lines = [l for hunk in result["structuredPatch"] for l in hunk["lines"]]
            return [Edit(path, sum(l.startswith("+") for l in lines),
                         sum(l.startswith("-") for l in lines))]
        if name == "Write":
            before = result.get("originalFile") if isinstance(result, dict) else None
            if isinstance(result, dict) and result.get("type") == "create":
                return [Edit(path, lines_of(given.get("content") or ""), 0)]
            if isinstance(before, str):
                return [Edit(path, *changed_lines(before, given.get("content") or ""))]
            return [Edit(path, None, None)]
        pairs = given.get("edits") or [given]
        counts = [changed_lines(p.get("old_string") or "", p.get("new_string") or "")
                  for p in pairs]
        return [Edit(path, sum(c[0] for c in counts), sum(c[1] for c in counts))]

    return edits

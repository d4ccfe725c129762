"""Sessions of Pi, and of what is built on it (OpenClaw, Oh-My-Pi): JSON Lines of entries.

From the files, from packages/coding-agent/docs/session.md of github.com/badlogic/pi-mono, and
from packages/coding-agent/src/session/session-entries.ts of github.com/can1357/oh-my-pi: an
entry's parentId names the entry before it, so that a session is a tree. Early versions have no
ids: file order counts. A compaction's summary stands before the entries from `firstKeptEntryId`
on, and a later compaction's before those that it keeps itself. A command that the person ran
(`!ls`) is told to the model as `bashExecutionToText` of
packages/coding-agent/src/core/messages.ts words it; not one that was run with `!!`.
"""


import dataclasses

from lines import Node, lines_of_nodes
from model import Branch, Call, Edit, Message, Session, Usage, changed_lines, lines_of
from rawjson import read_text, records, slice_of

FORMAT = "pi"
PATHS = ["pi-*/**/*.jsonl", "record-type-coverage/**/agents/pi/*.jsonl",
         "record-type-coverage/**/agents/openclaw/*.jsonl"]


class _Entry(Node):
    def __init__(self, line, text, value, above):
        message = value.get("message") or {}
        super().__init__(message.get("role") in ("user", "bashExecution"),
                         message.get("role") == "assistant")
        self.line, self.text, self.value = line, text, value
        self.above = above  # the entry that parentId names
        self.messages = []


def read(path):
    """Returns the session of one file."""
    session = Session(FORMAT)
    by_id = {}
    entries = []
    for line, text, value in records(read_text(path)):
        if not isinstance(value, dict):
            session.passed_over("not a record")
            continue
        kind = value.get("type")
        if kind == "title":  # Oh-My-Pi keeps a line for it in front.
            session.passed_over(kind)
            continue
        if kind == "session":
            session.passed_over(kind)
            session.name = session.name or value.get("id")
            if value.get("id"):
                by_id[value["id"]] = None
            continue
        before = entries[-1] if entries else None
        above = before
        if "parentId" in value:
            # A parent that is nowhere is the entry before.
            above = by_id.get(value["parentId"], before) if value["parentId"] else None
        entry = _Entry(line, text, value, above)
        entries.append(entry)
        if value.get("id"):
            by_id[value["id"]] = entry
        for block in _content(value):  # OpenClaw's results name their call as their parent.
            if block.get("type") == "toolCall":
                by_id.setdefault(block.get("id"), entry)
    _Lines(session, entries)
    return [session]


def _content(value):
    content = (value.get("message") or {}).get("content")
    return content if isinstance(content, list) else []


class _Lines:
    """Makes the branches of a session of its entries."""

    def __init__(self, session, entries):
        self.session = session
        self.results = {}
        for entry in entries:
            message = entry.value.get("message") or {}
            if message.get("role") == "toolResult":
                self.results[message.get("toolCallId")] = message
        for entry in entries:
            entry.messages = self.messages_of(entry)
        self.lines_of = {e.value.get("id"): e.line for e in entries}
        spoken = [e for e in entries if e.messages or e.value.get("type") == "compaction"]
        for entry in spoken:
            above = entry.above
            while above is not None and not any(above is e for e in spoken):
                above = above.above
            entry.parent = above
        lines = lines_of_nodes(spoken)
        main = max(lines, key=lambda line: line[-1].line, default=None)
        number = 1
        for line in lines:
            number += line is not main
            session.branches.append(self.branch(line, "" if line is main else f"-{number}"))

    def branch(self, line, suffix):
        branch = Branch(suffix=suffix)
        for entry in line:
            if entry.value.get("type") == "compaction":
                branch.messages.append(self.compaction(entry, branch.messages))
            branch.messages += [dataclasses.replace(m, record=str(entry.line))
                                for m in entry.messages]
        return branch

    def compaction(self, entry, messages):
        """Returns the summary; `firstKeptEntryId` and what follows it stay."""
        first = self.lines_of.get(entry.value.get("firstKeptEntryId"), entry.line)
        kept = [i for i, m in enumerate(messages)
                if m.kind != "compaction" and int(m.record) >= first]
        return Message("compaction", entry.value.get("summary") or "", f"line {entry.line}",
                       keeps=kept)

    def messages_of(self, entry):
        value = entry.value
        kind = value.get("type")
        place = f"line {entry.line}"
        if kind == "message" and isinstance(value.get("message"), dict):
            return self.message(entry, value["message"], place)
        if kind == "custom_message":
            said, pictures = _texts(value.get("content"))
            return [Message("user", said, place, pictures=pictures)]
        if kind == "branch_summary":
            return [Message("summary", value.get("summary") or "", place)]
        self.session.passed_over(kind or "no type")
        return []

    def message(self, entry, message, place):
        role = message.get("role")
        content = message.get("content")
        if role == "assistant":
            return self.answer(entry, message, place)
        said, pictures = _texts(content)
        if role == "toolResult":
            return [Message("tool", said, place, call_id=message.get("toolCallId"),
                            is_error=bool(message.get("isError")), pictures=pictures)]
        if role in ("system", "developer"):
            return [Message("system", said, place, role=role, pictures=pictures)]
        if role == "user":
            return [Message("user", said, place, pictures=pictures)]
        if role == "bashExecution" and not message.get("excludeFromContext"):
            return [Message("user", _command(message), place)]
        self.session.passed_over(f"message/{role}")
        return []

    def answer(self, entry, message, place):
        messages = []
        answer = None
        blocks = message.get("content")
        blocks = [{"type": "text", "text": blocks}] if isinstance(blocks, str) else blocks or []
        for index, block in enumerate(blocks):
            kind = block.get("type")
            if kind == "thinking":
                signature = block.get("thinkingSignature")
                messages.append(Message("reasoning", block.get("thinking") or "", place,
                                        signatures=[signature] if signature else []))
                continue
            if answer is None:
                answer = Message("assistant", place=place)
                messages.append(answer)
            if kind == "text":
                answer.text += block.get("text") or ""
            elif kind == "toolCall":
                arguments = slice_of(entry.text, ["message", "content", index, "arguments"])
                call = Call(block.get("id"), block.get("name"), arguments)
                call.edits = _edits(block, self.results.get(block.get("id")))
                if block.get("thoughtSignature"):
                    answer.signatures.append(block["thoughtSignature"])
                answer.calls.append(call)
            else:
                self.session.passed_over(f"block/{kind}")
        if not messages:  # It failed, or was stopped, before it said anything.
            messages.append(Message("assistant", place=place))
        messages[-1].usage = _usage(message.get("usage"))
        return messages


def _texts(content):
    if isinstance(content, str):
        return content, []
    parts = content or []
    return ("".join(p.get("text") or "" for p in parts if p.get("type") == "text"),
            [p["data"] for p in parts if p.get("type") == "image"])


def _command(run):
    """Returns what the model is told of a command that the person ran."""
    output = run.get("output")
    said = f"Ran `{run['command']}`\n" + (f"```\n{output}\n```" if output else "(no output)")
    if run.get("cancelled"):
        said += "\n\n(command cancelled)"
    elif run.get("exitCode"):
        said += f"\n\nCommand exited with code {run['exitCode']}"
    if run.get("truncated") and run.get("fullOutputPath"):
        said += f"\n\n[Output truncated. Full output: {run['fullOutputPath']}]"
    return said


def _usage(usage):
    if not usage:
        return None
    return Usage(usage.get("input"), usage.get("output"), usage.get("cacheRead"),
                 usage.get("cacheWrite"), usage.get("reasoning"), raw=usage,
                 cost=(usage.get("cost") or {}).get("total"))


def _edits(call, result):
    name, given = call.get("name"), call.get("arguments") or {}
    if name == "edit_file":  # OpenClaw's: nothing tells what was there before.
        return [Edit(given.get("path"), None, None)]
    if name not in ("edit", "write"):
        return None
    if result is None or result.get("isError"):
        return [] if result else None
    path = given.get("path")
    details = result.get("details") or {}
    if name == "write":
        return [Edit(path, lines_of(given.get("content") or ""), None)]
    if details.get("patch"):
        lines = [l for l in details["patch"].split("\n") if not l.startswith(("+++ ", "--- "))]
    elif details.get("diff"):
        lines = details["diff"].split("\n")
    else:
        pairs = given.get("edits") or [given]
        counts = [changed_lines(p.get("oldText") or "", p.get("newText") or "") for p in pairs]
        return [Edit(path, sum(c[0] for c in counts), sum(c[1] for c in counts))]
    return [Edit(path, sum(l.startswith("+") for l in lines),
                 sum(l.startswith("-") for l in lines))]

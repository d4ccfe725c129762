"""Sessions of Pi, and of what is built on it (OpenClaw, Oh-My-Pi): JSON Lines of entries.

From the files, and from packages/coding-agent/docs/session.md of github.com/badlogic/pi-mono: an
entry's parentId names the entry before it, so that a session is a tree. Early versions have no ids:
file order counts. A compaction's summary stands before the entries from `firstKeptEntryId` on.
"""


from model import Branch, Call, Edit, Message, Session, Usage, changed_lines, lines_of
from rawjson import read_text, records, slice_of

FORMAT = "pi"
PATHS = ["pi-*/**/*.jsonl", "record-type-coverage/**/agents/pi/*.jsonl",
         "record-type-coverage/**/agents/openclaw/*.jsonl"]


class _Entry:
    def __init__(self, line, text, value, parent):
        self.line, self.text, self.value, self.parent = line, text, value, parent
        self.children = []
        self.messages = None


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
        if kind == "session":
            session.passed_over(kind)
            session.name = session.name or value.get("id")
            if value.get("id"):
                by_id[value["id"]] = None
            continue
        # A parent that is no entry, such as the call in OpenClaw's results, is the entry before.
        before = entries[-1] if entries else None
        if "parentId" in value:
            parent = by_id.get(value["parentId"], before if value["parentId"] else None)
        else:
            parent = before
        entry = _Entry(line, text, value, parent)
        entries.append(entry)
        if value.get("id"):
            by_id[value["id"]] = entry
        for block in _content(value):
            if block.get("type") == "toolCall":
                by_id.setdefault(block.get("id"), entry)
    _Tree(session, entries, by_id)
    return [session]


def _content(value):
    content = (value.get("message") or {}).get("content")
    return content if isinstance(content, list) else []


class _Tree:
    def __init__(self, session, entries, by_id):
        self.session = session
        self.by_id = by_id
        self.results = {}
        for entry in entries:
            message = entry.value.get("message") or {}
            if message.get("role") == "toolResult":
                self.results[message.get("toolCallId")] = message
        for entry in entries:
            entry.messages = self.messages_of(entry)
            if entry.parent:
                entry.parent.children.append(entry)
        spoken = {id(e) for e in entries if self.has_turns(e)}
        leaves = [e for e in entries
                  if id(e) in spoken and not any(self.below(c, spoken) for c in e.children)]
        for leaf in leaves:
            path = []
            while leaf is not None:
                path.append(leaf)
                leaf = leaf.parent
            session.branches.append(self.branch(list(reversed(path))))
        if session.branches:
            session.branches[-1].suffix = ""
            for number, branch in enumerate(session.branches[:-1], 2):
                branch.suffix = f"-{number}"

    @staticmethod
    def has_turns(entry):
        return bool(entry.messages) or entry.value.get("type") == "compaction"

    def below(self, entry, spoken):
        return id(entry) in spoken or any(self.below(c, spoken) for c in entry.children)

    def branch(self, path):
        branch = Branch()
        first_of = {}
        for entry in path:
            first_of[entry.value.get("id")] = len(branch.messages)
            if entry.value.get("type") == "compaction":
                first = first_of.get(entry.value.get("firstKeptEntryId"), len(branch.messages))
                branch.messages.append(Message(
                    "compaction", entry.value.get("summary") or "", f"line {entry.line}",
                    keeps=[i for i in range(first, len(branch.messages))
                           if branch.messages[i].kind != "compaction"]))
            branch.messages += entry.messages
        return branch

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
            return [Message("system", said, place, pictures=pictures)]
        if role == "user":
            return [Message("user", said, place, pictures=pictures)]
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


def _usage(usage):
    if not usage:
        return None
    return Usage(usage.get("input"), usage.get("output"), usage.get("cacheRead"),
                 usage.get("cacheWrite"), usage.get("reasoning"), raw=usage)


def _edits(call, result):
    name, given = call.get("name"), call.get("arguments") or {}
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

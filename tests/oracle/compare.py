"""Compares a session rebuilt from its source with what a store has of it."""

import base64
import difflib
import hashlib
import json
from dataclasses import dataclass

from model import Branch, Message


@dataclass
class Difference:
    """One thing that differs: what of, where in the source, and the two values."""

    what: str
    place: str
    expected: str
    got: str


def short(value, limit=160):
    """Returns a value as one line of bounded length."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    text = text.replace("\n", "\\n").replace("\r", "\\r")
    return text if len(text) <= limit else f"{text[:limit]}… ({len(text)} characters)"


def _differing(one, other, limit=100):
    """Returns the parts of two texts around the first place where they differ."""
    at = next((i for i, (a, b) in enumerate(zip(one, other)) if a != b), min(len(one), len(other)))
    front = max(0, at - 30)
    mark = f"[at {at}] …" if front else ""
    return mark + short(one[front:at + limit], limit), mark + short(other[front:at + limit], limit)


def _blob(data):
    """Returns the name that a default store gives to bytes (docs/format.md)."""
    body = bytes(16) + data
    return hashlib.sha256(b"spoor1 blob %d\0" % len(body) + body).hexdigest()


def key_of_expected(message):
    return (message.kind, message.text, message.call_id,
            tuple((call.id, call.name, call.arguments) for call in message.calls))


def key_of_stored(message):
    return (message["type"], message["text"] or "", message["call_id"],
            tuple((call["id"], call["name"], call["arguments"])
                  for call in message["tool_calls"] or []))


def _title(message):
    if isinstance(message, Message):
        kind, text, calls, call_id = key_of_expected(message)
    else:
        kind, text, call_id, calls = (message["type"], message["text"] or "", message["call_id"],
                                      [(c["id"], c["name"], c["arguments"])
                                       for c in message["tool_calls"] or []])
    parts = [kind]
    if call_id:
        parts.append(f"of {call_id}")
    parts.append(short(text, 70))
    parts += [f"→ {name} {call} {short(arguments, 40)}" for call, name, arguments in calls[:4]]
    return " ".join(parts)


def _title_of(branch):
    return _title(branch.messages[-1]) if branch.messages else "empty"


_ROLES = {"system": "system", "user": "user", "assistant": "assistant", "reasoning": "assistant",
          "tool": "tool"}


class Comparison:
    """Compares branches, and collects differences."""

    def __init__(self, contents):
        self.contents = contents
        self.differences = []

    def differ(self, what, place, expected, got):
        self.differences.append(Difference(what, place, expected, got))

    def branches(self, sessions, pairs, missing, extra):
        """Compares branches that were matched, and names those without a counterpart."""
        session_of = {id(b): session for session in sessions for b in session.branches}
        for branch in missing:
            self.differ("branch missing", branch.messages[0].place if branch.messages else "",
                        f"{len(branch.messages)} messages, {_title_of(branch)}", "no branch like it")
        for stored in extra:
            messages = stored.with_reasoning
            self.differ("branch too much", stored.name, "",
                        f"{len(messages)} messages, {_title(messages[0]) if messages else ''}")
        main = {}
        for branch, stored in pairs:
            if branch.suffix == "":
                main[id(session_of[id(branch)])] = stored.name
        for branch, stored in pairs:
            session = session_of[id(branch)]
            self.branch(branch, stored)
            if branch.suffix is not None and id(session) in main:
                if stored.name != main[id(session)] + branch.suffix:
                    self.differ("name of a branch", branch.messages[0].place,
                                main[id(session)] + branch.suffix, stored.name)
            said = {c["meta"]["session"] for c in stored.commits
                    if c["meta"] and "session" in c["meta"]}
            if session.name is not None and stored.commits and session.name not in said:
                self.differ("name of the session", "", session.name, ", ".join(sorted(said)))

    def branch(self, branch, stored):
        """Compares one branch: the prompts before each compaction, and that at its end."""
        prompt, earlier = prompts_of(branch.messages)
        if len(earlier) != len(stored.earlier):
            self.differ("compactions", branch.messages[0].place, str(len(earlier)),
                        str(len(stored.earlier)))
        for expected, got in zip(earlier, stored.earlier):
            self.parts(self.messages("before a compaction", expected, got), stored.commits)
        self.parts(self.messages("prompt", prompt, stored.with_reasoning), stored.commits)
        bare = [m for m in prompt if m.kind != "reasoning"]
        if [key_of_expected(m) for m in bare] != [key_of_stored(m) for m in stored.prompt]:
            if ([key_of_stored(m) for m in stored.with_reasoning if m["type"] != "reasoning"]
                    != [key_of_stored(m) for m in stored.prompt]):
                self.messages("prompt without reasoning", bare, stored.prompt)

    def messages(self, what, expected, stored):
        """Compares two lists of messages; names what is missing, what is too much, what moved.

        Returns the pairs of messages that are of one another.
        """
        left = [key_of_expected(message) for message in expected]
        right = [key_of_stored(message) for message in stored]
        pairs = []
        names = {}

        def number(key):
            return names.setdefault(key, len(names))

        matcher = difflib.SequenceMatcher(None, [number(k) for k in left],
                                          [number(k) for k in right], autojunk=False)
        for tag, i, i_end, j, j_end in matcher.get_opcodes():
            if tag == "equal":
                pairs += zip(expected[i:i_end], stored[j:j_end])
                continue
            if i_end - i == j_end - j:
                for one, other in zip(expected[i:i_end], stored[j:j_end]):
                    self._unlike(what, one, other)
                    pairs.append((one, other))
                continue
            for message in expected[i:i_end]:
                moved = "moved" if key_of_expected(message) in right else "missing"
                self.differ(f"{what}: message {moved}", message.place, _title(message),
                             f"at {i} of the source's {len(left)} messages, not there in the "
                             f"store's {len(right)}")
            for message in stored[j:j_end]:
                if key_of_stored(message) not in left:
                    self.differ(f"{what}: message too much", f"message {j + 1} of the store",
                                 "", _title(message))
        for one, other in pairs:
            role = _ROLES.get(one.kind)
            if role and other["role"] != role:
                self.differ(f"{what}: role", one.place, role, other["role"])
        return pairs

    def _unlike(self, what, one, other):
        """Names how two messages at one place differ."""
        if one.kind != other["type"]:
            self.differ(f"{what}: kind", one.place, _title(one), _title(other))
            return
        if one.text != (other["text"] or ""):
            self.differ(f"{what}: text of {one.kind}", one.place,
                         *_differing(one.text, other["text"] or ""))
        if one.call_id != other["call_id"]:
            self.differ(f"{what}: call of a result", one.place, str(one.call_id),
                         str(other["call_id"]))
        calls = other["tool_calls"] or []
        if [c.id for c in one.calls] != [c["id"] for c in calls]:
            self.differ(f"{what}: calls", one.place, short([[c.id, c.name] for c in one.calls]),
                         short([[c["id"], c["name"]] for c in calls]))
            return
        for call, stored in zip(one.calls, calls):
            if call.name != stored["name"]:
                self.differ(f"{what}: name of a call", one.place, call.name, str(stored["name"]))
            if call.arguments != stored["arguments"]:
                self.differ(f"{what}: arguments of {call.name}", one.place,
                             *_differing(call.arguments, stored["arguments"] or ""))

    def parts(self, pairs, commits):
        """Compares what else messages have: signatures, errors, pictures."""
        by_hash = {commit["hash"]: commit for commit in commits}
        for one, other in pairs:
            if one.is_error is not None and one.is_error != bool(other["is_error"]):
                self.differ("is_error of a result", one.place, str(one.is_error),
                             str(other["is_error"]))
            pictures = [_blob(data) for data in one.pictures]
            if pictures != [picture["hash"] for picture in other["pictures"] or []]:
                self.differ("pictures", one.place, f"{len(pictures)} of the source's bytes",
                             f"{len(other['pictures'] or [])} pictures")
            if one.signatures:
                strings = {other.get("kept")}
                for name in other["commits"] or [other["hash"]]:
                    for raw in (by_hash.get(name) or {}).get("raw") or []:
                        _strings(self.contents.get(raw["hash"]), strings)
                for signature in one.signatures:
                    if signature not in strings:
                        self.differ(f"signature of a {one.kind}", one.place, short(signature, 60),
                                     "not in the raw items")


def _strings(encoded, found):
    """Adds every string of a raw item (base64 of JSON) to `found`."""
    if not encoded:
        return
    try:
        stack = [json.loads(base64.b64decode(encoded))]
    except ValueError:
        return
    while stack:
        value = stack.pop()
        if isinstance(value, str):
            found.add(value)
        elif isinstance(value, dict):
            stack += value.values()
        elif isinstance(value, list):
            stack += value


def prompts_of(messages):
    """Returns the prompt at the end of a branch, and those right before each compaction."""
    earlier = []
    prompt = []
    for index, message in enumerate(messages):
        if message.kind == "compaction":
            earlier.append([m for _, m in prompt])
            summary = Message("summary", message.text, message.place)
            prompt = [(index, summary)] + [(i, m) for i, m in prompt if i in message.keeps]
        else:
            prompt.append((index, message))
    return [message for _, message in prompt], earlier


def likeness(expected, stored):
    """Returns how alike an expected and a stored branch are, for finding which is which."""
    left = [key_of_expected(m) for m in prompts_of(expected.messages)[0]]
    right = [key_of_stored(m) for m in stored.with_reasoning]
    front = 0
    for one, other in zip(left, right):
        if one != other:
            break
        front += 1
    return front + len(set(left) & set(right)) - abs(len(left) - len(right)) / 1000


def match(branches: list[Branch], stored):
    """Pairs each expected branch with the stored one that is most like it.

    Returns the pairs, the expected branches that have none, and the stored ones left over.
    """
    pairs = []
    left = list(branches)
    right = list(stored)
    scores = sorted(((likeness(one, other), -i, -j) for i, one in enumerate(branches)
                     for j, other in enumerate(stored)), reverse=True)
    for score, i, j in scores:
        one, other = branches[-i], stored[-j]
        if score > 0 and any(one is b for b in left) and any(other is b for b in right):
            pairs.append((one, other))
            left = [b for b in left if b is not one]
            right = [b for b in right if b is not other]
    return pairs, left, right

"""Compares a session rebuilt from its source with what a store has of it."""

import base64
import dataclasses
import difflib
import hashlib
import json
import re
from dataclasses import dataclass

from model import Branch, Edit, Message


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


def squeezed(text):
    """Returns a text without space, `*` and `:`."""
    return re.sub(r"[\s*:]", "", text)


def key_of_expected(message, loose=False):
    """Returns what makes an expected message this message; `loose`: of reasoning without space."""
    text = message.text if message.contains is None else "".join(message.contains)
    return (message.kind, squeezed(text) if loose and message.kind == "reasoning" else text,
            message.call_id or "",
            tuple((call.id or "", call.name, call.arguments) for call in message.calls))


def key_of_stored(message, loose=False):
    """Returns the same of a stored message."""
    text = message["text"] or ""
    return (message["type"], squeezed(text) if loose and message["type"] == "reasoning" else text,
            message["call_id"] or "", tuple((call["id"] or "", call["name"], call["arguments"])
                                            for call in message["tool_calls"] or []))


def _runs(messages, kind_of):
    """Yields maximal runs of messages of the model, and every other message alone."""
    run = []
    for message in messages:
        if kind_of(message) in ("assistant", "reasoning"):
            run.append(message)
            continue
        if run:
            yield run
        run = []
        yield [message]
    if run:
        yield run


def joined_expected(messages):
    """Returns messages with each run of the model's as its reasoning and one answer."""
    found = []
    for run in _runs(messages, lambda m: m.kind):
        answers = [m for m in run if m.kind == "assistant"]
        found += [m for m in run if m.kind != "assistant"]
        if answers:
            found.append(dataclasses.replace(
                answers[0], text="".join(m.text for m in answers),
                calls=[c for m in answers for c in m.calls],
                signatures=[s for m in answers for s in m.signatures],
                pictures=[p for m in answers for p in m.pictures]))
    return found


def joined_stored(messages):
    """Returns the same of stored messages."""
    found = []
    for run in _runs(messages, lambda m: m["type"]):
        answers = [m for m in run if m["type"] == "assistant"]
        found += [m for m in run if m["type"] != "assistant"]
        if answers:
            found.append({**answers[0], "text": "".join(m["text"] or "" for m in answers),
                          "tool_calls": [c for m in answers for c in m["tool_calls"] or []],
                          "commits": [c for m in answers for c in m["commits"] or [m["hash"]]],
                          "pictures": [p for m in answers for p in m["pictures"] or []]})
    return found


def _handles_of_expected(message):
    return message.kind, message.call_id, [call.id for call in message.calls]


def _handles_of_stored(message):
    return message["type"], message["call_id"], [c["id"] for c in message["tool_calls"] or []]


def in_call_order(messages, handles):
    """Returns messages with each run of results in the order of their calls.

    Parallel calls end in any order; a source has their results as they came.
    """
    found = []
    run = []
    place_of = {}
    for message in messages:
        kind, call_id, calls = handles(message)
        if kind == "tool":
            run.append((place_of.get(call_id, -1), message))
            continue
        found += [m for _, m in sorted(run, key=lambda pair: pair[0])]
        run = []
        found.append(message)
        for call in calls:
            place_of[call] = len(place_of)
    return found + [m for _, m in sorted(run, key=lambda pair: pair[0])]


def says_something(message):
    """False for an answer of nothing, which no model is sent."""
    if isinstance(message, Message):
        return message.kind != "assistant" or message.text or message.calls or message.pictures
    return (message["type"] != "assistant" or message["text"] or message["tool_calls"]
            or message["pictures"])


def _title(message):
    kind, text, call_id, calls = (key_of_expected(message) if isinstance(message, Message)
                                  else key_of_stored(message))
    parts = [kind]
    if call_id:
        parts.append(f"of {call_id}")
    parts.append(short(text, 70))
    parts += [f"→ {name} {call} {short(arguments, 40)}" for call, name, arguments in calls[:4]]
    return " ".join(parts)


def _title_of(branch):
    return _title(branch.messages[-1]) if branch.messages else "empty"


_ROLES = {"system": "system", "user": "user", "assistant": "assistant", "reasoning": "assistant",
          "tool": "tool", "summary": "user"}


class Comparison:
    """Compares branches, and collects differences."""

    def __init__(self, contents):
        self.contents = contents
        self.differences = []
        self.loose = False

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
            # A branch of notes alone says nothing: a program that was opened and closed.
            if messages:
                self.differ("branch too much", stored.name, "",
                            f"{len(messages)} messages, {_title(messages[0])}")
        main = {}
        for branch, stored in pairs:
            if branch.suffix == "":
                main[id(session_of[id(branch)])] = stored.name
        for branch, stored in pairs:
            session = session_of[id(branch)]
            self.branch(session, branch, stored)
            if branch.suffix is not None and id(session) in main:
                if stored.name != main[id(session)] + branch.suffix:
                    self.differ("name of a branch", branch.messages[0].place,
                                main[id(session)] + branch.suffix, stored.name)
            said = {c["meta"]["session"] for c in stored.commits
                    if c["meta"] and "session" in c["meta"]}
            if session.name is not None and stored.commits and session.name not in said:
                self.differ("name of the session", "", session.name, ", ".join(sorted(said)))

    def branch(self, session, branch, stored):
        """Compares one branch: the prompts before each compaction, and that at its end."""
        prompt, earlier = prompts_of(branch.messages)
        if len(earlier) != len(stored.earlier):
            self.differ("compactions", branch.messages[0].place, str(len(earlier)),
                        str(len(stored.earlier)))
        for expected, got in zip(earlier, stored.earlier):
            self.parts(self.prompt(session, "before a compaction", expected, got), stored.commits)
        self.parts(self.prompt(session, "prompt", prompt, stored.with_reasoning), stored.commits)
        # The same without reasoning, unless what differs was named above already.
        bare = [m for m in stored.with_reasoning if m["type"] != "reasoning"]
        if [key_of_stored(m) for m in bare] != [key_of_stored(m) for m in stored.prompt]:
            self.prompt(session, "prompt without reasoning",
                        [m for m in prompt if m.kind != "reasoning"], stored.prompt)
        self.usage(branch, stored)
        self.edits(branch, stored)
        self.exit_codes(branch, stored)

    def exit_codes(self, branch, stored):
        """Compares what commands ended with."""
        left = list(stored.exit_codes)
        for message in branch.messages:
            if message.exit_code is None:
                continue
            got = next((code for call, code in left if call == message.call_id), None)
            if got is not None:
                left.remove((message.call_id, got))
            if got != message.exit_code:
                self.differ("exit code", message.place, str(message.exit_code), str(got))

    def usage(self, branch, stored):
        """Compares the tokens: each answer's own object, and the sums."""
        answers = [m for m in branch.messages if m.usage is not None]
        kept = _usages(stored.commits)
        if all(m.usage.raw is not None for m in answers):
            self._each_usage(answers, kept)
        sums = {"input": "input_tokens", "output": "output_tokens", "cache_read": "cached_tokens",
                "cache_write": "cache_written_tokens"}
        final = [m.usage for m in answers if not m.usage.partial]
        place = branch.messages[0].place if branch.messages else ""
        if len(final) < len(answers):
            if "partial" not in json.dumps(stored.stats):
                self.differ("placeholder usage shown as a fact", place,
                            f"{len(answers) - len(final)} of {len(answers)} answers have counts of "
                            "the start of the stream only", short(
                                {name: stored.stats.get(name) for name in sums.values()}))
            return
        for name, key in sums.items():
            counts = [getattr(usage, name) for usage in final]
            known = [count for count in counts if count is not None]
            if known and sum(known) != (stored.stats.get(key) or 0):
                self.differ(f"sum of {name} tokens", place,
                            f"{sum(known)} in {len(known)} answers", str(stored.stats.get(key)))

    def _each_usage(self, answers, kept):
        left = [_canonical(m.usage.raw) for m in answers]
        right = [_canonical(usage) for usage in kept]
        matcher = difflib.SequenceMatcher(None, left, right, autojunk=False)
        for tag, i, i_end, j, j_end in matcher.get_opcodes():
            if tag != "equal":
                self.differ("usage of answers", answers[i].place if i < len(answers) else "",
                            short(left[i:i_end]), short(right[j:j_end]))

    def edits(self, branch, stored):
        """Compares the files that calls changed, and how many lines."""
        left = list(stored.edits)
        for message in branch.messages:
            for call in message.calls:
                if call.edits is None:
                    continue
                got = [e for e in left if (e[0] or "") == (call.id or "")]
                left = [e for e in left if (e[0] or "") != (call.id or "")]
                if call.edits == "any":
                    continue
                wanted = sorted(call.edits, key=lambda e: e.path or "")
                got = sorted(got, key=lambda e: e[1] or "")
                if len(wanted) != len(got):
                    self.differ(f"edits of {call.name}", message.place, short(
                        [[e.path, e.added, e.removed] for e in wanted]), short(got))
                    continue
                for edit, (_, path, added, removed) in zip(wanted, got):
                    if not _same_path(edit.path, path):
                        self.differ(f"path of {call.name}", message.place, edit.path, str(path))
                    wrong = [(name, here, there) for name, here, there in
                             (("added lines", edit.added, added),
                              ("removed lines", edit.removed, removed))
                             if here is not None and here != there]
                    for name, here, there in wrong:
                        self.differ(f"{name} of {call.name}", message.place,
                                    f"{here} in {edit.path}", str(there))
        for call_id, path, added, removed in left:
            self.differ("edit too much", str(call_id), "", short([path, added, removed]))

    def prompt(self, session, what, expected, stored):
        """Compares two prompts, as the source allows it."""
        if not session.answers_have_ids:
            expected, stored = joined_expected(expected), joined_stored(stored)
        return self.messages(what, in_call_order([m for m in expected if says_something(m)],
                                                 _handles_of_expected),
                             in_call_order([m for m in stored if says_something(m)],
                                           _handles_of_stored))

    def messages(self, what, expected, stored):
        """Compares two lists of messages; names what is missing, what is too much, what moved.

        Returns the pairs of messages that are of one another.
        """
        self.loose = any(message.contains is not None for message in expected)
        left = [key_of_expected(message, self.loose) for message in expected]
        right = [key_of_stored(message, self.loose) for message in stored]
        pairs = []
        names = {}

        def number(key):
            return names.setdefault(key, len(names))

        matcher = difflib.SequenceMatcher(None, [number(k) for k in left],
                                          [number(k) for k in right], autojunk=False)
        for tag, i, i_end, j, j_end in matcher.get_opcodes():
            if tag == "equal":
                pairs += zip(expected[i:i_end], stored[j:j_end])
                for one, other in zip(expected[i:i_end], stored[j:j_end]):
                    if self.loose and one.contains is None and one.text != (other["text"] or ""):
                        self._unlike(what, one, other)
                continue
            if i_end - i == j_end - j:
                for one, other in zip(expected[i:i_end], stored[j:j_end]):
                    self._unlike(what, one, other)
                    pairs.append((one, other))
                continue
            for message in expected[i:i_end]:
                key = key_of_expected(message, self.loose)
                moved = "missing" if right.count(key) < left.count(key) else "moved"
                self.differ(f"{what}: message {moved}", message.place, _title(message),
                            f"at {i} of the source's {len(left)} messages, not there in the "
                            f"store's {len(right)}")
            for message in stored[j:j_end]:
                key = key_of_stored(message, self.loose)
                if right.count(key) > left.count(key):
                    self.differ(f"{what}: message too much", f"message {j + 1} of the store",
                                "", _title(message))
        for one, other in pairs:
            role = one.role or _ROLES[one.kind]
            if other["role"] != role:
                self.differ(f"{what}: role", one.place, role, other["role"])
        return pairs

    def _unlike(self, what, one, other):
        """Names how two messages at one place differ."""
        if one.kind != other["type"]:
            self.differ(f"{what}: kind", one.place, _title(one), _title(other))
            return
        if one.contains is not None:
            if squeezed("".join(one.contains)) != squeezed(other["text"] or ""):
                self.differ(f"{what}: text of {one.kind}", one.place, short(one.contains),
                            short(other["text"] or ""))
        elif one.text != (other["text"] or ""):
            self.differ(f"{what}: text of {one.kind}", one.place,
                         *_differing(one.text, other["text"] or ""))
        if (one.call_id or "") != (other["call_id"] or ""):
            self.differ(f"{what}: call of a result", one.place, str(one.call_id),
                         str(other["call_id"]))
        calls = other["tool_calls"] or []
        if [c.id or "" for c in one.calls] != [c["id"] or "" for c in calls]:
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
            self._pictures(one, other)
            if one.signatures:
                strings = self._strings_of(other, by_hash)
                for signature in one.signatures:
                    if signature not in strings:
                        self.differ(f"signature of a {one.kind}", one.place, short(signature, 60),
                                    "not in the raw items")

    def _pictures(self, one, other):
        """Compares pictures by their names. A censored one is not base64, and cannot be one."""
        decoded = []
        for picture in one.pictures:
            try:
                decoded.append(_blob(base64.b64decode(picture, validate=True)))
            except ValueError:
                one.signatures.append(picture)
        stored = [picture["hash"] for picture in other["pictures"] or []]
        if decoded != stored:
            self.differ("pictures", one.place, f"{len(decoded)} of these bytes: {decoded}",
                        f"{len(stored)}: {stored}")

    def _strings_of(self, message, by_hash):
        """Returns every string of a message's raw items and attached facts."""
        strings = set()
        for name in message["commits"] or [message["hash"]]:
            commit = by_hash.get(name) or {"raw": [], "attach": []}
            for item in (commit["raw"] or []) + (commit["attach"] or []):
                _strings(self.contents.get(item["hash"]), strings)
        return strings


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
            if value.startswith("data:") and "," in value:
                found.add(value.split(",", 1)[1])
        elif isinstance(value, dict):
            stack += value.values()
        elif isinstance(value, list):
            stack += value


def _same_path(one, other):
    """True if two paths are equal, or one is the end of the other: a patch may name it within its
    folder, and the event of the patch in full."""
    if one is None or other is None or one == other:
        return one == other
    return one.endswith("/" + other) or other.endswith("/" + one)


def _canonical(value):
    return json.dumps(value, sort_keys=True)


def _usages(commits):
    """Returns the usage of each answer: the last one of commits of one message id."""
    found = []
    last = None
    for commit in commits:
        meta = commit["meta"] or {}
        if "usage" not in meta:
            continue
        if last is not None and meta.get("message_id") == last:
            found.pop()
        last = meta.get("message_id")
        found.append(meta["usage"])
    return found


def prompts_of(messages):
    """Returns the prompt at the end of a branch, and those right before each compaction."""
    earlier = []
    prompt = []
    for index, message in enumerate(messages):
        if message.kind == "compaction":
            summary = Message("summary", message.text, message.place)
            gone = [i for i, _ in prompt if i not in message.keeps]
            if gone:
                earlier.append([m for _, m in prompt])
            first = index if message.is_last or not gone else gone[0]
            kept = [(i, m) for i, m in prompt if i in message.keeps]
            prompt = ([(i, m) for i, m in kept if i < first] + [(index, summary)]
                      + [(i, m) for i, m in kept if i >= first])
        else:
            prompt.append((index, message))
    return [message for _, message in prompt], earlier


def begins_with(session, branch, stored):
    """True if the prompt of a stored branch begins with that of an expected one."""
    expected = prompts_of(branch.messages)[0]
    messages = stored.with_reasoning
    if not session.answers_have_ids:
        expected, messages = joined_expected(expected), joined_stored(messages)
    loose = any(m.contains is not None for m in expected)
    expected = in_call_order([m for m in expected if says_something(m)], _handles_of_expected)
    messages = in_call_order([m for m in messages if says_something(m)], _handles_of_stored)
    left = [key_of_expected(m, loose) for m in expected]
    right = [key_of_stored(m, loose) for m in messages]
    return left == right[:len(left)]


def _keys(expected):
    prompt = prompts_of(expected.messages)[0]
    is_loose = any(m.contains is not None for m in prompt)
    return [key_of_expected(m, is_loose)[:3] for m in prompt if says_something(m)], is_loose


def told_once(sessions):
    """Returns the branches of sessions, but for those that another session of the source has too.

    A capture that is the front of another is of one conversation with it (docs/importing.md).
    """
    found = [(session, branch, _keys(branch)[0]) for session in sessions
             for branch in session.branches]
    longest = {}
    for session, _, keys in found:
        for end in range(len(keys), 0, -1):
            front = hash(tuple(keys[:end]))
            if longest.get(front, (0, None))[0] >= len(keys):
                break
            longest[front] = (len(keys), session)
    kept = []
    for session, branch, keys in found:
        length, owner = longest.get(hash(tuple(keys)), (0, session))
        if owner is session or not any(key[0] == "assistant" for key in keys):
            kept.append(branch)
    return kept


def _likeness(left, right):
    """Returns how alike the keys of an expected and of a stored branch are."""
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
    keys = [_keys(branch) for branch in branches]
    is_loose = any(loose for _, loose in keys)
    stored_keys = [[key_of_stored(m, is_loose)[:3] for m in branch.with_reasoning
                    if says_something(m)] for branch in stored]
    scores = sorted(((_likeness(one, other), -i, -j) for i, (one, _) in enumerate(keys)
                     for j, other in enumerate(stored_keys)), reverse=True)
    for score, i, j in scores:
        one, other = branches[-i], stored[-j]
        if score > 0 and any(one is b for b in left) and any(other is b for b in right):
            pairs.append((one, other))
            left = [b for b in left if b is not one]
            right = [b for b in right if b is not other]
    return pairs, left, right

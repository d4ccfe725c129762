"""Compares facts beside the texts: tokens, edits, exit codes, pictures, signatures."""

import base64
import difflib
import hashlib
import json

from difference import short
from prompts import runs_of


def _blob(data):
    """Returns the name that a default store gives to bytes (docs/format.md)."""
    body = bytes(16) + data
    return hashlib.sha256(b"spoor1 blob %d\0" % len(body) + body).hexdigest()


class Facts:
    """Compares the facts of branches. `differ` takes what differs, where, and the two values."""

    def __init__(self, contents, differ):
        self.contents = contents
        self.differ = differ

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
        totals = stored.stats.get("totals") or {}
        place = branch.messages[0].place if branch.messages else ""
        partial = [m.usage for m in answers if m.usage.partial]
        if partial and totals.get("tokens_trust") != "partial":
            self.differ("placeholder usage shown as a fact", place,
                        f"{len(partial)} of {len(answers)} answers have counts of the start of the "
                        "stream only", f"trust is {totals.get('tokens_trust')}")
        exact = answers and all(m.usage.raw and not m.usage.partial for m in answers)
        if exact and _each_answer_has_usage(branch.messages) and (
                totals.get("tokens_trust") != "reported"):
            self.differ("final usage shown as another", place, f"{len(answers)} answers",
                        f"trust is {totals.get('tokens_trust')}")
        for name in ("input", "output", "cache_read", "cache_write"):
            counts = [getattr(m.usage, name) for m in answers]
            known = [count for count in counts if count is not None]
            if not known or (partial and name == "output"):
                continue  # The start of a stream knows what was sent, and not what was answered.
            got = totals.get(f"{name}_tokens")
            if sum(known) != (got or 0):
                self.differ(f"sum of {name} tokens", place,
                            f"{sum(known)} in {len(known)} answers", str(got))
        self._cost(answers, totals, place)
        calls = sum(len(m.calls) for m in branch.messages)
        if totals and totals.get("calls") != calls:
            self.differ("number of calls", place, str(calls), str(totals.get("calls")))

    def refusals(self, branch, stored):
        """Compares how many calls were not allowed."""
        results = [m for m in branch.messages if m.kind == "tool"]
        refused = sum(m.is_refused is True for m in results)
        got = (stored.stats.get("totals") or {}).get("refused") or 0
        known = all(m.is_refused is not None for m in results)
        if results and (got != refused if known else got < refused):
            self.differ("refused calls", results[0].place, str(refused), str(got))

    def _cost(self, answers, totals, place):
        """Compares what the answers cost, where the source has it of each that has tokens."""
        costs = [m.usage.cost for m in answers]
        if not any(costs) or None in costs:
            return
        got = totals.get("cost_usd")
        if got is None or abs(sum(costs) - got) > 1e-9:
            self.differ("sum of costs", place, f"{sum(costs):.9f} in {len(costs)} answers", str(got))

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
                    if signature not in strings and _parsed(signature) not in strings:
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


def _parsed(signature):
    """Returns a signature that is an object's JSON (Pi's are, of OpenAI's items) in one form."""
    try:
        value = json.loads(signature)
    except ValueError:
        return None
    return _canonical(value) if isinstance(value, dict) else None


def _strings(encoded, found):
    """Adds every string of a raw item (base64 of JSON) to `found`, and every object in one form."""
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
            found.add(_canonical(value))
            found.update(value)  # Pi's signature may be the name of the member the thought came in.
            stack += value.values()
        elif isinstance(value, list):
            stack += value


def _same_path(one, other):
    """True if two paths are equal, or one is the end of the other: a patch may name it within its
    folder, and the event of the patch in full."""
    if one is None or other is None or one == other:
        return one == other
    return one.endswith("/" + other) or other.endswith("/" + one)


def _each_answer_has_usage(messages):
    """True if each run of messages of the model has tokens."""
    runs = runs_of(messages, lambda m: m.kind)
    return all(any(m.usage for m in run) for run in runs
               if run[0].kind in ("assistant", "reasoning"))


def _canonical(value):
    return json.dumps(value, sort_keys=True)


def _usages(commits):
    """Returns the usage of each answer: the last one of commits that follow each other and have one
    message id."""
    found = []
    last = None
    for commit in commits:
        meta = commit["meta"] or {}
        if commit["type"] in ("user", "system", "summary"):
            last = None
        if "usage" not in meta:
            continue
        if last is not None and meta.get("message_id") == last:
            found.pop()
        last = meta.get("message_id")
        found.append(meta["usage"])
    return found

"""Compares a session rebuilt from its source with what a store has of it."""

import difflib

from difference import Difference, differing, short
from facts import Facts
from model import Message
from prompts import (handles_of_expected, handles_of_stored, in_call_order, joined_expected,
                     joined_stored, key_of_expected, key_of_stored, prompts_of, says_something,
                     squeezed)


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
        self.differences = []
        self.facts = Facts(contents, self.differ)
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
            self.facts.parts(self.prompt(session, "before a compaction", expected, got), stored.commits)
        self.facts.parts(self.prompt(session, "prompt", prompt, stored.with_reasoning), stored.commits)
        # The same without reasoning, unless what differs was named above already.
        bare = [m for m in stored.with_reasoning if m["type"] != "reasoning"]
        if [key_of_stored(m) for m in bare] != [key_of_stored(m) for m in stored.prompt]:
            self.prompt(session, "prompt without reasoning",
                        [m for m in prompt if m.kind != "reasoning"], stored.prompt)
        self.facts.usage(branch, stored)
        self.facts.edits(branch, stored)
        self.facts.exit_codes(branch, stored)
        self.facts.refusals(branch, stored)

    def prompt(self, session, what, expected, stored):
        """Compares two prompts, as the source allows it."""
        if not session.answers_have_ids:
            expected, stored = joined_expected(expected), joined_stored(stored)
        return self.messages(what, in_call_order([m for m in expected if says_something(m)],
                                                 handles_of_expected),
                             in_call_order([m for m in stored if says_something(m)],
                                           handles_of_stored))

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
                         *differing(one.text, other["text"] or ""))
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
                             *differing(call.arguments, stored["arguments"] or ""))

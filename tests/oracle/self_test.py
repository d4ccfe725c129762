"""Tests the oracle: whatever is changed in what a source says, the oracle notices.

Each fixture is imported once. Then its expected session is changed in one place at a time, and the
comparison must name a difference. A fixture that differs before any change is left out: oracle.py
--fixtures fails on it.
"""

import copy
import os
import sys
import tempfile

import loose
import matching
import oracle
import prompts
from compare import Comparison
from model import Edit, Message
from readers import all_readers
from store import Failed, Store, read_branches


def differences(sessions, stored, contents):
    """Returns the differences between sessions and stored branches, as texts."""
    sessions, stored = copy.deepcopy(sessions), copy.deepcopy(stored)
    loose.loosen(sessions, stored, contents)
    branches = matching.told_once(sessions)
    comparison = Comparison(contents)
    comparison.branches(sessions, *matching.match(branches, stored))
    return {repr(difference) for difference in comparison.differences}


def changes_of(session):
    """Yields (name, function that changes a copy of the session) for every place of it."""
    for b, branch in enumerate(session.branches):
        for i, message in enumerate(branch.messages):
            for name, change in _changes_of(session, branch, i, message):
                yield f"{name} of {message.kind} at {message.place}", _at(b, i, change)


def _at(b, i, change):
    def apply(session):
        change(session.branches[b].messages, i, session.branches[b].messages[i])
    return apply


def _changes_of(session, branch, i, message):
    def text(messages, i, m):
        if m.contains:
            m.contains = m.contains[:-1] + [m.contains[-1] + "x"]
        else:
            m.text += "x"

    yield "text", text
    if message.kind != "compaction" and prompts.says_something(message):
        yield "loss", lambda messages, i, m: messages.pop(i)
        yield "repetition", lambda messages, i, m: messages.insert(i, copy.deepcopy(m))
    follower = branch.messages[i + 1] if i + 1 < len(branch.messages) else None
    if follower and _order_counts(session, message, follower):
        yield "order", lambda messages, i, m: messages.insert(i, messages.pop(i + 1))
    if message.kind == "user":
        yield "kind", lambda messages, i, m: setattr(m, "kind", "system")
    if message.kind == "tool" and (message.call_id or "orphans" not in session.loose):
        yield "pairing", lambda messages, i, m: setattr(m, "call_id", "another")
    if message.exit_code is not None:
        yield "exit code", lambda messages, i, m: _add(m, "exit_code")
    if message.is_refused is not None:
        yield "refusal", lambda messages, i, m: setattr(m, "is_refused", not m.is_refused)
    if message.is_error is not None:
        yield "error", lambda messages, i, m: setattr(m, "is_error", not m.is_error)
    for k, call in enumerate(message.calls):
        yield "arguments", lambda messages, i, m, k=k: _append(m.calls[k], "arguments", " x")
        if "commands" not in session.loose:
            yield "name", lambda messages, i, m, k=k: _append(m.calls[k], "name", "x")
        if "ids" not in session.loose:
            yield "id", lambda messages, i, m, k=k: setattr(m.calls[k], "id", "another")
        if isinstance(call.edits, list):
            yield "edit", lambda messages, i, m, k=k: m.calls[k].edits.append(
                Edit("more.txt", 1, 1))
        if call.edits and isinstance(call.edits, list) and call.edits[0].added is not None:
            yield "lines", lambda messages, i, m, k=k: _add(m.calls[k].edits[0], "added")
    if message.signatures:
        yield "signature", lambda messages, i, m: m.signatures.append("another")
    if message.usage and not message.usage.partial:
        yield "tokens", lambda messages, i, m: _add(m.usage, "output")
        if message.usage.cost:
            yield "cost", lambda messages, i, m: _add(m.usage, "cost")
        if message.usage.raw:
            yield "usage", lambda messages, i, m: setattr(m.usage, "raw", {**m.usage.raw, "x": 1})


def _append(of, name, text):
    setattr(of, name, getattr(of, name) + text)


def _add(of, name):
    setattr(of, name, (getattr(of, name) or 0) + 1)


def _order_counts(session, one, other):
    """True if two neighbours may not change places."""
    if "compaction" in (one.kind, other.kind) or one.kind == other.kind == "tool":
        return False
    if not (prompts.says_something(one) and prompts.says_something(other)):
        return False
    if not session.answers_have_ids and {one.kind, other.kind} <= {"assistant", "reasoning"}:
        return False
    return prompts.key_of_expected(one) != prompts.key_of_expected(other)


def unnoticed_of(program, reader, path):
    """Returns the changes that the comparison does not notice, and how many were made; None if the
    fixture differs already."""
    sessions = reader.read(path)
    with tempfile.TemporaryDirectory(prefix="spoor-oracle") as folder:
        stored, contents = read_branches(Store(program, folder, [str(path)]),
                                         oracle.demands_exit_codes(sessions))
    if differences(sessions, stored, contents):
        return None, 0
    unnoticed = []
    count = 0
    for s, session in enumerate(sessions):
        for name, change in changes_of(session):
            changed = copy.deepcopy(sessions)
            change(changed[s])
            count += 1
            if not differences(changed, stored, contents):
                unnoticed.append(name)
        if len(session.branches) > 1:
            changed = copy.deepcopy(sessions)
            changed[s].branches.pop()
            count += 1
            if not differences(changed, stored, contents):
                unnoticed.append("a branch less")
    changed = copy.deepcopy(sessions)
    branch = copy.deepcopy(changed[0].branches[0])
    branch.messages = [Message("user", "never said")]
    changed[0].branches.append(branch)
    if not differences(changed, stored, contents):
        unnoticed.append("a branch more")
    return unnoticed, count + 1


def main():
    program = os.environ["SPOOR_PROGRAM"]
    readers = all_readers()
    found, *_ = oracle.sources(readers, data=False)
    total = 0
    for name, root, path in found:
        try:
            unnoticed, count = unnoticed_of(program, readers[name], path)
        except Failed as problem:
            print(f"{path.relative_to(root.parent)}: not compared: {problem}")
            total += 1
            continue
        if unnoticed is None:
            print(f"{path.relative_to(root.parent)}: differs already")
            continue
        print(f"{path.relative_to(root.parent)}: {count} changes, {len(unnoticed)} unnoticed")
        for change in unnoticed:
            print(f"  {change}")
        total += len(unnoticed)
    return 1 if total else 0


if __name__ == "__main__":
    sys.exit(main())

"""Prompts, expected and stored, in one form: what makes a message that message, and in what order."""

import dataclasses
import re

from model import Message


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


def runs_of(messages, kind_of):
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
    for run in runs_of(messages, lambda m: m.kind):
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
    for run in runs_of(messages, lambda m: m["type"]):
        answers = [m for m in run if m["type"] == "assistant"]
        found += [m for m in run if m["type"] != "assistant"]
        if answers:
            found.append({**answers[0], "text": "".join(m["text"] or "" for m in answers),
                          "tool_calls": [c for m in answers for c in m["tool_calls"] or []],
                          "commits": [c for m in answers for c in m["commits"] or [m["hash"]]],
                          "pictures": [p for m in answers for p in m["pictures"] or []]})
    return found


def handles_of_expected(message):
    return message.kind, message.call_id, [call.id for call in message.calls]


def handles_of_stored(message):
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


def grows(shorter, longer):
    """True if an answer is another one, with more text or more calls at its end."""
    return (shorter[0] == longer[0] and longer[1].startswith(shorter[1])
            and longer[3][:len(shorter[3])] == shorter[3])


def begins_with(session, branch, stored):
    """True if the prompt of a stored branch begins with that of an expected one.

    A source may end within its last answer, which a longer copy of it has whole.
    """
    expected = prompts_of(branch.messages)[0]
    messages = stored.with_reasoning
    if not session.answers_have_ids:
        expected, messages = joined_expected(expected), joined_stored(messages)
    loose = any(m.contains is not None for m in expected)
    expected = in_call_order([m for m in expected if says_something(m)], handles_of_expected)
    messages = in_call_order([m for m in messages if says_something(m)], handles_of_stored)
    left = [key_of_expected(m, loose) for m in expected]
    right = [key_of_stored(m, loose) for m in messages]
    if left == right[:len(left)]:
        return True
    last = max((i for i, key in enumerate(left) if key[0] == "assistant"), default=len(right))
    return (last < len(right) and left[:last] == right[:last] and grows(left[last], right[last])
            and all(key in right[last + 1:] for key in left[last + 1:]))

"""What some sources do not say about their calls, and the comparison therefore leaves to spoor.

A reader names it in `Session.loose`:

- `ids`: calls have no ids, results follow them. Any id will do that pairs each result with its call.
- `commands`: a call is a command, or a block, inside the model's text. Its name, and how its
  arguments hold the command, are spoor's to choose; the command is not. The block may stay in the
  answer's text or leave it; if it leaves, the whole text must be in the raw item.
- `names`: calls have no names that the model knew.
- `orphans`: results whose call the source does not have may answer anything but a call that is there.

Both sides are rewritten before they are compared, each by the same rule.
"""

import json

# The member of a call's arguments that is the command.
_COMMAND_KEYS = ("command", "cmd", "code", "script", "action", "input", "arguments")


def loosen(sessions, stored):
    """Rewrites what is left open, in sessions of one source and in the branches that spoor has."""
    loose = set().union(*(session.loose for session in sessions)) if sessions else set()
    if not loose:
        return
    expected = [branch.messages for session in sessions for branch in session.branches]
    for messages in expected:
        _rewrite([_Expected(m) for m in messages], loose)
    texts = {m.text: m for messages in expected for m in messages if m.block is not None}
    for branch in stored:
        new = {}
        for messages in [branch.prompt, *branch.earlier, branch.with_reasoning]:
            new.update(_rewrite([_Stored(m) for m in messages], loose))
            if "commands" in loose:
                _fold_texts(messages, texts)
        branch.edits = [(new.get(call, call), *rest) for call, *rest in branch.edits]
        branch.exit_codes = [(new.get(call, call), code) for call, code in branch.exit_codes]
    if "commands" in loose:
        for messages in expected:
            for message in messages:
                if message.block is not None:
                    message.signatures.append(message.whole or message.text)
                    message.text = _prose(message.text, message.block)


def _prose(text, block):
    """Returns a text without its block, and without the white space around it."""
    front, _, rest = text.partition(block) if block else (text, "", "")
    return (front.rstrip() + "\n" + rest.strip()).strip() if rest.strip() else front.strip()


def _fold_texts(messages, texts):
    """Takes the block out of stored texts that kept it."""
    for message in messages:
        of = texts.get(message["text"] or "")
        if message["type"] == "assistant":
            if of is not None:
                message["kept"] = message["text"]
                message["text"] = _prose(of.text, of.block)
            elif message["tool_calls"]:
                message["text"] = (message["text"] or "").strip()


class _Expected:
    """A message of the model, with the same handles as a stored one."""

    def __init__(self, message):
        self.message = message

    def calls(self):
        return [[c.id, c.name, c.arguments] for c in self.message.calls]

    def set_calls(self, calls):
        for call, (call_id, name, arguments) in zip(self.message.calls, calls):
            call.id, call.name, call.arguments = call_id, name, arguments

    call_id = property(lambda self: self.message.call_id,
                       lambda self, value: setattr(self.message, "call_id", value))


class _Stored:
    def __init__(self, message):
        self.message = message

    def calls(self):
        return [[c["id"], c["name"], c["arguments"]] for c in self.message["tool_calls"] or []]

    def set_calls(self, calls):
        for call, (call_id, name, arguments) in zip(self.message["tool_calls"] or [], calls):
            call["id"], call["name"], call["arguments"] = call_id, name, arguments

    call_id = property(lambda self: self.message["call_id"],
                       lambda self, value: self.message.__setitem__("call_id", value))


def _rewrite(messages, loose):
    """Rewrites messages; returns {id of a call: its new one}."""
    times = {}
    latest = {}
    for message in messages:
        calls = message.calls()
        for call in calls:
            if "commands" in loose:
                call[1], call[2] = "command", command_of(call[2])
            elif "names" in loose:
                call[1] = "call"
            if "ids" in loose:
                key = (call[1], call[2])
                times[key] = times.get(key, 0) + 1
                new = f"{call[1]} {call[2]} #{times[key]}"
                latest[call[0]] = new
                call[0] = new
        message.set_calls(calls)
        if "ids" in loose and message.call_id is not None:
            unknown = None if "orphans" in loose else f"no call has {message.call_id}"
            message.call_id = latest.get(message.call_id, unknown)
    return latest


def command_of(arguments):
    """Returns the command in the arguments of a call, or the arguments themselves."""
    try:
        value = json.loads(arguments)
    except (TypeError, ValueError):
        return (arguments or "").strip()
    if isinstance(value, dict):
        for key in _COMMAND_KEYS:
            if isinstance(value.get(key), str):
                return value[key].strip()
        strings = [v for v in value.values() if isinstance(v, str)]
        if len(value) == 1 and strings:
            return strings[0].strip()
    return value.strip() if isinstance(value, str) else json.dumps(value, sort_keys=True)

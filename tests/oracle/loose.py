"""What some sources do not say about their calls, and the comparison therefore leaves to spoor.

A reader names it in `Session.loose`:

- `ids`: calls have no ids, results follow them. Any id will do that pairs each result with its
  call.
- `text`: calls are in the text of answers, results are messages of the user, and the prompt must
  stay so. Beside it spoor has the calls in an attachment of the answer, and their results marked
  (Calls in texts, docs/importing.md). They are compared like calls of the model's own.
- `commands`: a call is a command. Its name, and how its arguments hold the command, are spoor's to
  choose; the command is not.
- `members`: a call's arguments are members in a shape that is not JSON. Spoor's JSON has to have
  the same members, in any order and with any space.
- `orphans`: results whose call the source does not have may answer anything but a call that is
  there.

Both sides are rewritten before they are compared, each by the same rule.
"""

import base64
import json

# The media type of the attachment that has an answer's calls.
_CALLS = "application/vnd.spoor.calls+json"
# The member of a call's arguments that is the command.
_COMMAND_KEYS = ("command", "cmd", "code", "script", "action", "input", "arguments")


def loosen(sessions, stored, contents):
    """Rewrites what is left open, in sessions of one source and in the branches that spoor has."""
    loose = set().union(*(session.loose for session in sessions)) if sessions else set()
    if not loose:
        return
    for session in sessions:
        for branch in session.branches:
            _rewrite([_Expected(m) for m in branch.messages], loose)
    for branch in stored:
        new = {}
        by_hash = {commit["hash"]: commit for commit in branch.commits}
        for messages in [branch.prompt, *branch.earlier, branch.with_reasoning]:
            if "text" in loose:
                _lift(messages, by_hash, contents)
            new.update(_rewrite([_Stored(m) for m in messages], loose))
        branch.edits = [(new.get(call, call), *rest) for call, *rest in branch.edits]
        branch.exit_codes = [(new.get(call, call), code) for call, code in branch.exit_codes]


def as_sent(sessions):
    """Makes calls in texts, and their results, the texts that they were to the model."""
    for session in sessions:
        if "text" not in session.loose:
            continue
        for branch in session.branches:
            in_text = set()
            for message in branch.messages:
                if message.calls_in_text:
                    in_text.update(call.id for call in message.calls)
                    message.calls = []
                elif message.kind == "tool" and message.call_id in in_text:
                    message.kind, message.call_id = "user", None


def _lift(messages, by_hash, contents):
    """Makes calls and results of what spoor has beside the texts of stored messages."""
    for message in messages:
        for name in message["commits"] or [message["hash"]]:
            commit = by_hash.get(name) or {}
            for item in commit.get("attach") or []:
                if item["media_type"] == _CALLS and not message["tool_calls"]:
                    message["tool_calls"] = json.loads(base64.b64decode(contents[item["hash"]]))
            meta = commit.get("meta") or {}
            if message["type"] == "user" and meta.get("mark") == "observation":
                message.update(type="tool", call_id=meta.get("call_id"),
                               role="tool" if message["role"] == "user" else message["role"])


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
            command = command_of(call[2]) if "commands" in loose else None
            if command is not None:
                call[1], call[2] = "command", command
            elif "members" in loose:
                call[2] = _canonical(call[2])
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


def _canonical(arguments):
    try:
        return json.dumps(json.loads(arguments), sort_keys=True)
    except (TypeError, ValueError):
        return arguments or ""


def command_of(arguments):
    """Returns the command in the arguments of a call; None: it is another kind of call."""
    try:
        value = json.loads(arguments)
    except (TypeError, ValueError):
        return (arguments or "").strip()
    if not isinstance(value, dict):
        return arguments.strip()
    commands = [value[key] for key in _COMMAND_KEYS if isinstance(value.get(key), str)]
    return commands[0].strip() if commands else None

"""GitHub Copilot CLI's events (events.jsonl): one event a line.

From the files, and from requests that the program sent. `assistant.message` is an answer with its
calls in `toolRequests`, `tool.execution_complete` a result. What has `parentToolCallId` was said
by a subagent. The model is sent `transformedContent` of what the person wrote, and the error's
message where a tool failed; the system message comes first, though its event follows the
person's. A `session.usage_record` has the tokens of the answer with its `apiCallId`; cached ones
are in its input. After a compaction that succeeded the system message and the summary are left.
"""

from model import Branch, Call, Edit, Message, Session, Usage
from rawjson import read_text, records

from ._chat import json_text

FORMAT = "copilot"
PATHS = ["record-type-coverage/**/agents/copilot/*.jsonl",
         "record-type-coverage/**/agents/copilot/subdir_v1/*/events.jsonl"]


def read(path):
    """Returns the session of one file."""
    session = Session(FORMAT)
    lines = {None: []}  # by the call that started a subagent
    used = {}  # tokens by the id of the request
    call_by_id = {}
    for line, text, event in records(read_text(path)):
        place = f"line {line}"
        kind, data = event["type"], event["data"]
        messages = lines.setdefault(data.get("parentToolCallId"), [])
        if kind == "session.start":
            session.name = data["sessionId"]
        if kind == "system.message":
            first = [i for i, m in enumerate(messages) if m.kind == "user"]
            spoken = any(m.kind == "assistant" for m in messages)
            at = first[0] if first and not spoken else len(messages)
            messages.insert(at, Message("system", data["content"], place))
        elif kind == "session.usage_record":
            session.passed_over(kind)
            used[data["usage"].get("apiCallId")] = _usage(data["usage"])
        elif kind == "session.compaction_complete" and data.get("success") and (
                data.get("summaryContent")):
            messages.append(Message("compaction", data["summaryContent"], place, keeps=[
                i for i, m in enumerate(messages) if m.kind == "system"]))
        elif kind == "user.message":
            said = data.get("transformedContent") or data["content"]
            messages.append(Message("user", said, place))
        elif kind == "assistant.reasoning":
            messages.append(Message("reasoning", data["content"], place))
        elif kind == "assistant.message":
            if data.get("reasoningText") or data.get("reasoningOpaque"):
                opaque = data.get("reasoningOpaque")
                messages.append(Message("reasoning", data.get("reasoningText") or "", place,
                                        signatures=[opaque] if opaque else []))
            answer = Message("assistant", data["content"], place)
            answer.usage = used.get(data.get("apiCallId"))
            if data.get("outputTokens") is not None and answer.usage is None:
                answer.usage = Usage(output=data["outputTokens"])
            if data.get("encryptedContent"):
                answer.signatures.append(data["encryptedContent"])
            for index, call in enumerate(data.get("toolRequests") or []):
                answer.calls.append(Call(call["toolCallId"], call["name"], json_text(
                    call["arguments"], text, ["data", "toolRequests", index, "arguments"])))
                call_by_id[call["toolCallId"]] = answer.calls[-1], call["arguments"]
            messages.append(answer)
        elif kind == "tool.execution_complete":
            result = data.get("result") or {}  # Of an early version it is a text.
            said = result if isinstance(result, str) else result.get("content") or ""
            error = data.get("error") or {}
            if not data["success"] and not said:
                said = error.get("message") or ""
            call, given = call_by_id.get(data["toolCallId"], (None, None))
            if call:
                call.edits = _edits(call, given, data)
            messages.append(Message("tool", said, place, call_id=data["toolCallId"],
                                    is_error=not data["success"],
                                    is_refused=_is_refused(data, error)))
        else:
            session.passed_over(kind)
    session.branches = [Branch(messages) for messages in lines.values() if messages]
    return [session]


def _usage(given):
    cached, written = given.get("cacheReadTokens") or 0, given.get("cacheWriteTokens") or 0
    return Usage(given["inputTokens"] - cached - written, given["outputTokens"], cached, written,
                 given.get("reasoningTokens"))


def _edits(call, given, ended):
    if call.name not in ("create", "edit"):
        return None
    if not ended["success"]:
        return []
    metrics = (ended.get("toolTelemetry") or {}).get("metrics") or {}
    if "linesAdded" not in metrics or not isinstance(given, dict):
        return "any"
    return [Edit(given.get("path"), metrics["linesAdded"], metrics["linesRemoved"])]


def _is_refused(data, error):
    """True or False where the record states how the call ended, None where it does not."""
    if data.get("success"):
        return False
    return error["code"] == "denied" if error.get("code") else None

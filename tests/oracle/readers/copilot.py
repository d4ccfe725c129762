"""GitHub Copilot CLI's events (events.jsonl): one event a line.

From the files. `assistant.message` is an answer with its calls in `toolRequests`,
`tool.execution_complete` a result. What has `parentToolCallId` was said by a subagent.
"""

from model import Branch, Call, Message, Session, Usage
from rawjson import read_text, records

from ._chat import json_text

FORMAT = "copilot"
PATHS = ["record-type-coverage/**/agents/copilot/*.jsonl",
         "record-type-coverage/**/agents/copilot/subdir_v1/*/events.jsonl"]


def read(path):
    """Returns the session of one file."""
    session = Session(FORMAT)
    lines = {None: []}  # by the call that started a subagent
    for line, text, event in records(read_text(path)):
        place = f"line {line}"
        kind, data = event["type"], event["data"]
        messages = lines.setdefault(data.get("parentToolCallId"), [])
        if kind == "session.start":
            session.name = data["sessionId"]
        if kind == "system.message":
            messages.append(Message("system", data["content"], place))
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
            if data.get("outputTokens") is not None:
                answer.usage = Usage(output=data["outputTokens"])
            if data.get("encryptedContent"):
                answer.signatures.append(data["encryptedContent"])
            for index, call in enumerate(data.get("toolRequests") or []):
                answer.calls.append(Call(call["toolCallId"], call["name"], json_text(
                    call["arguments"], text, ["data", "toolRequests", index, "arguments"])))
            messages.append(answer)
        elif kind == "tool.execution_complete":
            result = data.get("result") or {}  # Of an early version it is a text.
            said = result if isinstance(result, str) else result.get("content") or ""
            messages.append(Message("tool", said, place, call_id=data["toolCallId"],
                                    is_error=not data["success"]))
        else:
            session.passed_over(kind)
    session.branches = [Branch(messages) for messages in lines.values() if messages]
    return [session]

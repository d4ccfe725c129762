"""ATIF, the Agent Trajectory Interchange Format of Harbor: one document with `steps`.

From https://harborframework.com/docs/agents/trajectory-format. A step of the agent has words,
`reasoning_content`, calls, and in `observation` their results; `prompt_tokens` include cached ones.
"""

from model import Branch, Call, Message, Session, Usage

from ._chat import json_text, loads, text_of

FORMAT = "atif"
PATHS = []


def read(path):
    """Returns the session of one file."""
    text, document = loads(path)
    session = Session(FORMAT, document.get("session_id"))
    messages = []
    for index, step in enumerate(document["steps"]):
        place = f"steps[{index}]"
        kind = {"agent": "assistant"}.get(step["source"], step["source"])
        if step.get("reasoning_content"):
            messages.append(Message("reasoning", step["reasoning_content"], place))
        said = Message(kind, text_of(step.get("message")), place)
        for number, call in enumerate(step.get("tool_calls") or []):
            said.calls.append(Call(call["tool_call_id"], call["function_name"], json_text(
                call["arguments"], text, ["steps", index, "tool_calls", number, "arguments"])))
        given = step.get("metrics")
        if given:
            cached = given.get("cached_tokens")
            said.usage = Usage(given["prompt_tokens"] - (cached or 0), given["completion_tokens"],
                               cached)
        messages.append(said)
        for result in (step.get("observation") or {}).get("results") or []:
            messages.append(Message("tool", text_of(result.get("content")), place,
                                    call_id=result.get("source_call_id")))
    session.branches = [Branch(messages)]
    return [session]

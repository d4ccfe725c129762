"""Anthropic's Messages API: requests.

From https://docs.anthropic.com/en/api/messages. `system` is a text or a list of texts; a message
is a text or a list of blocks.
"""


from model import Branch, Call, Message, Session
from rawjson import slice_of

from ._chat import loads, text_of

FORMAT = "anthropic-messages"
PATHS = []


def read(path):
    """Returns the session of one file."""
    text, document = loads(path)
    session = Session(FORMAT)
    messages = []
    if document.get("system"):
        messages.append(Message("system", text_of(document["system"]), "system"))
    for index, record in enumerate(document["messages"]):
        messages += _turns(record, f"messages[{index}]", text, ["messages", index])
    session.branches = [Branch(messages)]
    return [session]


def _turns(record, place, text, path):
    content = record["content"]
    if isinstance(content, str):
        return [Message(record["role"], content, place)]
    turns = []
    said = None
    for index, block in enumerate(content):
        kind = block["type"]
        if kind in ("thinking", "redacted_thinking"):
            turns.append(Message("reasoning", block.get("thinking") or "", place,
                                 signatures=[block.get("signature") or block.get("data")]))
            continue
        if kind == "tool_result":
            turns.append(Message("tool", text_of(block.get("content")), place,
                                 call_id=block["tool_use_id"], is_error=bool(block.get("is_error")),
                                 pictures=_pictures(block.get("content"))))
            continue
        if said is None:
            said = Message(record["role"], "", place)
            turns.append(said)
        if kind == "text":
            said.text += block["text"]
        elif kind == "tool_use":
            said.calls.append(Call(block["id"], block["name"],
                                   slice_of(text, path + ["content", index, "input"])))
        elif kind == "image":
            said.pictures += _pictures([block])
        else:
            raise ValueError(f"block {kind} at {place}")
    return turns


def _pictures(content):
    return [b["source"]["data"]
            for b in (content if isinstance(content, list) else [])
            if b.get("type") == "image" and b["source"]["type"] == "base64"]

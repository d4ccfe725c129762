"""The Gemini API: requests.

From https://ai.google.dev/api/generate-content and /api/caching#Content. A content is parts: texts,
thoughts, pictures, calls and their results. Calls may have no id; a result then answers the call of
its name, in order. A content of the model may have what its response said of it (`usageMetadata`).
"""

from model import Branch, Call, Message, Session, Usage
from rawjson import slice_of

from ._chat import loads

FORMAT = "gemini-contents"
PATHS = ["inspect-logs/tests/agent/fixtures/*.json"]


def read(path):
    """Returns the session of one file."""
    text, document = loads(path)
    session = Session(FORMAT, loose=frozenset({"ids"}), answers_have_ids=False)
    messages = []
    system = document.get("systemInstruction") or document.get("system_instruction")
    if system:
        messages.append(Message("system", "".join(part["text"] for part in system["parts"]), "system"))
    open_calls = []
    for index, content in enumerate(document["contents"]):
        messages += _turns(content, f"contents[{index}]", text, ["contents", index], open_calls)
    session.branches = [Branch(messages)]
    return [session]


def _turns(content, place, text, path, open_calls):
    kind = "assistant" if content.get("role") == "model" else "user"
    turns, said = [], None
    for index, part in enumerate(content["parts"]):
        if part.get("thought"):
            turns.append(Message("reasoning", part["text"], place))
            continue
        if "functionResponse" in part:
            given = part["functionResponse"]
            call = next(call for call in open_calls if call.name == given["name"])
            open_calls.remove(call)
            response = given["response"]
            known = next((response[key] for key in ("output", "error") if isinstance(response.get(key), str)), None)
            result = known if known is not None else slice_of(
                text, path + ["parts", index, "functionResponse", "response"])
            turns.append(Message("tool", result, place, call_id=call.id, is_error="error" in response))
            continue
        if said is None:
            said = Message(kind, "", place)
            turns.append(said)
        if "text" in part:
            said.text += part["text"]
        elif "functionCall" in part:
            call = Call(f"{place}-{index}", part["functionCall"]["name"],
                        slice_of(text, path + ["parts", index, "functionCall", "args"]))
            said.calls.append(call)
            open_calls.append(call)
        elif "inlineData" in part:
            said.pictures.append(part["inlineData"]["data"])
        else:
            raise ValueError(f"part {sorted(part)} at {place}")
    usage = content.get("usageMetadata")
    if usage and said is not None:
        cached = usage.get("cachedContentTokenCount", 0)
        said.usage = Usage(usage["promptTokenCount"] - cached,
                           usage["candidatesTokenCount"] + usage.get("thoughtsTokenCount", 0), cached,
                           None, usage.get("thoughtsTokenCount"), raw=usage)
    return turns

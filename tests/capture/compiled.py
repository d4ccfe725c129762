"""What `spoor compile` prints at a captured turn, against the request as the provider got it, read with nothing but Python."""
import json

from stage import check


def anthropic(body):
    """The tools, the texts of the system prompt, and the texts of all messages, in order."""
    def texts(content):
        for block in [{"type": "text", "text": content}] if isinstance(content, str) else content:
            if block["type"] == "text":
                yield block["text"]
            elif block["type"] == "tool_result":
                yield from texts(block.get("content", ""))

    system, said = list(texts(body.get("system", ""))), []
    for message in body["messages"]:
        (system if message["role"] == "system" else said).extend(texts(message["content"]))
    return body.get("tools", []), system, said


def gemini(body):
    tools = [each for tool in body.get("tools", []) for each in tool["functionDeclarations"]]
    said = []
    for content in body["contents"]:
        for part in content["parts"]:
            if "functionResponse" in part:
                said.append(part["functionResponse"]["response"]["output"])
            elif "text" in part and not part.get("thought"):
                said.append(part["text"])
    return tools, [part["text"] for part in body["systemInstruction"]["parts"]], said


def responses(body, sent):
    tools, system, said = [], [], []
    if body.get("previous_response_id"):
        before = next(one for one in sent if body["previous_response_id"] == f"resp_{one.number:04}")
        tools, system, said = responses(json.loads(before.body), sent)
        if not before.is_warming:
            said.append(before.answer["text"])
    own = body.get("tools", [])
    for item in body["input"]:
        own = own + item.get("tools", [])
        content = item.get("content", item.get("output", ""))
        for part in [{"text": content}] if isinstance(content, str) else content or []:
            (system if item.get("role") == "developer" else said).append(part.get("text", ""))
    own = [each for tool in own for each in tool.get("tools", [tool])]  # A group is its tools.
    return own or tools, system + [body.get("instructions", "")], said


def check_compiled(stage, one, turn, sent):
    """Compares what is compiled at an answer with its request."""
    body = json.loads(one.body)
    read = gemini if "contents" in body else anthropic if "messages" in body else lambda body: responses(body, sent)
    tools, system, said = read(body)
    said.append(turn["text"] if one.answer["end"] == "whole" else "")  # What broke off is not sent again.
    made = stage.json("compile", turn["hash"])
    texts = {True: "", False: ""}
    for message in made["messages"]:
        if message["type"] != "reasoning":
            texts[message["role"] in ("system", "developer")] += message["text"] or ""
    for name, got, wanted in (("tools", len(made["tools"] or []), len(tools)), ("system prompt", texts[True], "".join(system)),
                              ("messages", texts[False], "".join(said))):
        check(got == wanted, f"{name} compiled at '{one.mark}': {got if name == 'tools' else len(got)}, "
                             f"sent: {wanted if name == 'tools' else len(wanted)}")

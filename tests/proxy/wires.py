"""What a scripted provider says, in the words of each API: an answer is a dict of number, thinking, text and calls, which are
pairs of a tool and its arguments, and each API makes a message of it, or the events of a stream. Of a request an answer needs
the names of the tools, and what was said: the texts of users, and None for each result."""
import json

USAGE = {"input": 10, "cached": 100, "written": 5, "output": 30}

# The tool that agents run commands with, by its name, and the arguments it wants.
TOOLS = {
    "Bash": lambda command: {"command": command, "description": "say where we are"},
    "bash": lambda command: {"command": command, "description": "say where we are"},
    "run_shell_command": lambda command: {"command": command, "description": "say where we are"},
    "exec_command": lambda command: {"cmd": command},
    "shell_command": lambda command: {"command": command},
}


def call(names, command):
    """A call of the first of these tools that runs commands; None if there is none."""
    for name in names:
        if name in TOOLS:
            return name, TOOLS[name](command)
        if name == "exec":  # Codex's own tool takes JavaScript.
            return name, f"const r = await tools.exec_command({json.dumps({'cmd': command})}); text(r);"
    return None


def script(names, said, number):
    """The answer to a request that has tools of these names, and in which `said` is what users and tools say."""
    done = said.count(None)
    if said and said[-1] and said[-1].startswith("my key is"):
        return {"number": number, "thinking": "", "text": f"You say: {said[-1]}", "calls": []}
    calls = [call(names, f"echo step {done + i}") for i in range(2)]
    if done >= 4 or None in calls:
        return {"number": number, "thinking": "", "text": f"All done after {done} results.", "calls": []}
    return {"number": number, "thinking": "Let me look.", "text": f"Step {done}.", "calls": calls}


def sse(events, end="\n\n"):
    for name, data in events:
        yield (f"event: {name}\n" if name else "") + f"data: {data if isinstance(data, str) else json.dumps(data)}{end}"


def begun(events, end):
    """The events of a stream as far as they are sent."""
    return events if end == "whole" else events[:len(events) // 2]


def error(answer):
    """In the words of all APIs at once."""
    kinds = {429: "rate_limit_error", 500: "api_error"}
    return {"type": "error", "error": {"type": kinds[answer["status"]], "code": answer["status"], "message": "Not now, please.",
                                       "status": "UNAVAILABLE"}}


# ---- Anthropic: https://docs.anthropic.com/en/api/messages-streaming ----

def anthropic_request(request):
    said = []
    for message in request["messages"]:
        blocks = message["content"]
        for block in [{"type": "text", "text": blocks}] if isinstance(blocks, str) else blocks:
            if block["type"] == "tool_result":
                said.append(None)
            elif block["type"] == "text" and message["role"] == "user":
                said.append(block["text"])
    return [tool["name"] for tool in request.get("tools", [])], said


def anthropic(answer, model):
    content = []
    if answer["thinking"]:
        content.append({"type": "thinking", "thinking": answer["thinking"], "signature": "c2ln"})
    content.append({"type": "text", "text": answer["text"]})
    for i, (name, given) in enumerate(answer["calls"]):
        content.append({"type": "tool_use", "id": f"toolu_{answer['number']}_{i}", "name": name, "input": given})
    usage = {"input_tokens": USAGE["input"], "cache_creation_input_tokens": USAGE["written"],
             "cache_read_input_tokens": USAGE["cached"], "output_tokens": USAGE["output"]}
    return {"id": f"msg_{answer['number']:04}", "type": "message", "role": "assistant", "model": model,
            "content": content, "stop_reason": "tool_use" if answer["calls"] else "end_turn",
            "stop_sequence": None, "usage": usage}


def anthropic_events(message):
    begun = {**message, "content": [], "stop_reason": None}
    yield "message_start", {"type": "message_start", "message": begun}
    yield "ping", {"type": "ping"}
    for index, block in enumerate(message["content"]):
        kind = block["type"]
        empty = {"text": {"text": ""}, "thinking": {"thinking": "", "signature": ""}, "tool_use": {"input": {}}}[kind]
        yield "content_block_start", {"type": "content_block_start", "index": index, "content_block": {**block, **empty}}
        deltas = {
            "text": lambda: [{"type": "text_delta", "text": block["text"][at:at + 7]} for at in range(0, len(block["text"]), 7)],
            "thinking": lambda: [{"type": "thinking_delta", "thinking": block["thinking"]},
                                 {"type": "signature_delta", "signature": block["signature"]}],
            "tool_use": lambda: [{"type": "input_json_delta", "partial_json": json.dumps(block["input"])}],
        }[kind]()
        for delta in deltas:
            yield "content_block_delta", {"type": "content_block_delta", "index": index, "delta": delta}
        yield "content_block_stop", {"type": "content_block_stop", "index": index}
    ended = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield "message_delta", {"type": "message_delta", "delta": ended, "usage": {"output_tokens": 30}}
    yield "message_stop", {"type": "message_stop"}


# ---- OpenAI, Responses: https://platform.openai.com/docs/api-reference/responses-streaming ----

def responses_request(request, known):
    """`known` has the same of each earlier response, for previous_response_id."""
    names, said = known.get(request.get("previous_response_id"), ([], []))
    items = request["input"] if isinstance(request["input"], list) else []
    names, said = list(names), list(said)
    for tool in request.get("tools", []) + [tool for item in items for tool in item.get("tools", [])]:
        space = "" if tool.get("name") == "functions" else tool.get("name", "") + "."
        names += [space * ("tools" in tool) + each["name"] for each in tool.get("tools", [tool]) if "name" in each]
    for item in items:
        if item.get("type", "").endswith("_call_output"):
            said.append(None)
        elif item.get("role") == "user" or item.get("type") == "agent_message":  # Codex's, to another agent.
            content = item["content"]
            parts = [{"text": content}] if isinstance(content, str) else content
            said += [part.get("text", part.get("encrypted_content", "")) for part in parts]
    return names, said


def responses(answer, model):
    number, output = answer["number"], []
    if answer["thinking"]:
        output.append({"id": f"rs_{number:04}", "type": "reasoning", "summary": [{"type": "summary_text", "text": answer["thinking"]}],
                       "encrypted_content": "c2VjcmV0"})
    output.append({"id": f"msg_{number:04}", "type": "message", "status": "completed", "role": "assistant",
                   "content": [{"type": "output_text", "annotations": [], "text": answer["text"]}]})
    for i, (name, given) in enumerate(answer["calls"]):
        *space, name = name.split(".")
        item = {"call_id": f"call_{number}_{i}", "status": "completed", "name": name}
        if space:
            item["namespace"] = space[0]
        if isinstance(given, str):
            output.append({"id": f"ctc_{number:04}_{i}", "type": "custom_tool_call", **item, "input": given})
        else:
            output.append({"id": f"fc_{number:04}_{i}", "type": "function_call", **item, "arguments": json.dumps(given)})
    whole = USAGE["input"] + USAGE["cached"] + USAGE["written"]
    usage = {"input_tokens": whole, "input_tokens_details": {"cached_tokens": USAGE["cached"]},
             "output_tokens": USAGE["output"], "output_tokens_details": {"reasoning_tokens": 7},
             "total_tokens": whole + USAGE["output"]}
    return {"id": f"resp_{number:04}", "object": "response", "created_at": 1795777379, "status": "completed", "model": model,
            "output": output, "usage": usage}


def responses_events(response):
    begun = {**response, "output": [], "status": "in_progress", "usage": None}
    yield "response.created", {"type": "response.created", "response": begun}
    for index, item in enumerate(response["output"]):
        yield "response.output_item.added", {"type": "response.output_item.added", "output_index": index,
                                             "item": {**item, "content": []} if item["type"] == "message" else item}
        if item["type"] == "message":
            text = item["content"][0]["text"]
            for at in range(0, len(text), 7):
                yield "response.output_text.delta", {"type": "response.output_text.delta", "item_id": item["id"],
                                                     "output_index": index, "content_index": 0, "delta": text[at:at + 7]}
        yield "response.output_item.done", {"type": "response.output_item.done", "output_index": index, "item": item}
    yield "response.completed", {"type": "response.completed", "response": response}


# ---- OpenAI, Chat: https://platform.openai.com/docs/api-reference/chat-streaming ----

def chat_request(request):
    names = [tool["function"]["name"] for tool in request.get("tools", [])]
    return names, [None if message["role"] == "tool" else str(message["content"])
                   for message in request["messages"] if message["role"] in ("tool", "user")]


def chat(answer, model):
    message = {"role": "assistant", "content": answer["text"]}
    if answer["thinking"]:
        message["reasoning_content"] = answer["thinking"]
    if answer["calls"]:
        message["tool_calls"] = [
            {"id": f"call_{answer['number']}_{i}", "type": "function", "index": i,
             "function": {"name": name, "arguments": json.dumps(given)}} for i, (name, given) in enumerate(answer["calls"])]
    usage = {"prompt_tokens": 115, "completion_tokens": 30, "total_tokens": 145,
             "prompt_tokens_details": {"cached_tokens": 100}}
    return {"id": f"chatcmpl-{answer['number']:04}", "object": "chat.completion", "created": 1795777379, "model": model,
            "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls" if answer["calls"] else "stop"}],
            "usage": usage}


def chat_events(whole):
    choice = whole["choices"][0]
    head = {**whole, "object": "chat.completion.chunk"}
    usage = head.pop("usage")
    message = dict(choice["message"])
    deltas = [{"role": "assistant", "content": ""}]
    if "reasoning_content" in message:
        deltas.append({"reasoning_content": message["reasoning_content"]})
    deltas += [{"content": message["content"][at:at + 7]} for at in range(0, len(message["content"]), 7)]
    deltas += [{"tool_calls": [call]} for call in message.get("tool_calls", [])]
    for delta in deltas:
        yield "", {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    yield "", {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}]}
    yield "", {**head, "choices": [], "usage": usage}
    yield "", "[DONE]"


# ---- Gemini: https://ai.google.dev/api/generate-content ----

def gemini_request(request):
    names = [each["name"] for tool in request.get("tools", []) for each in tool.get("functionDeclarations", [])]
    return names, [None if "functionResponse" in part else part["text"]
                   for content in request["contents"] if content.get("role") != "model"
                   for part in content["parts"] if "functionResponse" in part or "text" in part]


def gemini(answer, model):
    parts = []
    if answer["thinking"]:
        parts.append({"text": answer["thinking"], "thought": True})
    parts.append({"text": answer["text"]})
    for name, given in answer["calls"]:
        parts.append({"functionCall": {"name": name, "args": given}})
    usage = {"promptTokenCount": 115, "cachedContentTokenCount": 100, "candidatesTokenCount": 23, "thoughtsTokenCount": 7,
             "totalTokenCount": 145}
    return {"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}],
            "usageMetadata": usage, "modelVersion": model, "responseId": f"resp-{answer['number']:04}"}


def gemini_events(whole):
    candidate = whole["candidates"][0]
    parts = []
    for part in candidate["content"]["parts"]:
        text = part.get("text", "")
        parts += [{**part, "text": text[at:at + 20]} for at in range(0, len(text), 20)] or [part]
    for part in parts:
        piece = {"content": {"role": "model", "parts": [part]}, "index": 0}
        if part is parts[-1]:
            piece["finishReason"] = candidate["finishReason"]
        yield "", {**whole, "candidates": [piece]}

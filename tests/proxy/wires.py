"""What a scripted provider says, in the words of each API: an answer is a dict of id, thinking, text and calls, and each API
makes a message of it, or the events of a stream."""
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


def script(names, done, results, number, last):
    """The answer to a request that has `done` results, and tools of these names."""
    known = [name for name in names if name in TOOLS or name == "exec"]
    if isinstance(last, str) and last.startswith("my key is"):
        return {"number": number, "thinking": "", "text": f"You say: {last}", "calls": []}
    if done >= results or not known:
        return {"number": number, "thinking": "", "text": f"All done after {done} results.", "calls": []}
    return {"number": number, "thinking": "Let me look.", "text": f"Step {done}.", "tool": known[0],
            "calls": [f"echo step {done + i}" for i in range(2)]}


def sse(events, end="\n\n"):
    for name, data in events:
        yield (f"event: {name}\n" if name else "") + f"data: {data if isinstance(data, str) else json.dumps(data)}{end}"


# ---- Anthropic: https://docs.anthropic.com/en/api/messages-streaming ----

def anthropic_request(request):
    blocks = [b for m in request["messages"] if isinstance(m["content"], list) for b in m["content"]]
    return ([tool["name"] for tool in request.get("tools", [])], sum(b.get("type") == "tool_result" for b in blocks),
            request["messages"][-1]["content"])


def anthropic(answer, model):
    content = []
    if answer["thinking"]:
        content.append({"type": "thinking", "thinking": answer["thinking"], "signature": "c2ln"})
    content.append({"type": "text", "text": answer["text"]})
    for i, command in enumerate(answer["calls"]):
        content.append({"type": "tool_use", "id": f"toolu_{answer['number']}_{i}", "name": answer["tool"],
                        "input": TOOLS[answer["tool"]](command)})
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
    """`known` has the names and the count of results of each earlier response, for previous_response_id."""
    names, done = known.get(request.get("previous_response_id"), ([], 0))
    items = request["input"] if isinstance(request["input"], list) else []
    tools = request.get("tools", []) + [tool for item in items for tool in item.get("tools", [])]
    for tool in tools:
        names = names + [each["name"] for each in tool.get("tools", [tool]) if "name" in each]
    return names, done + sum(item.get("type", "").endswith("_call_output") for item in items)


def responses(answer, model):
    number, output = answer["number"], []
    if answer["thinking"]:
        output.append({"id": f"rs_{number:04}", "type": "reasoning", "summary": [{"type": "summary_text", "text": answer["thinking"]}],
                       "encrypted_content": "c2VjcmV0"})
    output.append({"id": f"msg_{number:04}", "type": "message", "status": "completed", "role": "assistant",
                   "content": [{"type": "output_text", "annotations": [], "text": answer["text"]}]})
    for i, command in enumerate(answer["calls"]):
        call = {"id": f"fc_{number:04}_{i}", "call_id": f"call_{number}_{i}", "status": "completed", "name": answer["tool"]}
        if answer["tool"] == "exec":  # Codex's own tool takes JavaScript.
            script = f"const r = await tools.exec_command({json.dumps({'cmd': command})}); text(r);"
            output.append({**call, "id": f"ctc_{number:04}_{i}", "type": "custom_tool_call", "input": script})
        else:
            output.append({**call, "type": "function_call", "arguments": json.dumps(TOOLS[answer["tool"]](command))})
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
    return names, sum(message["role"] == "tool" for message in request["messages"])


def chat(answer, model):
    message = {"role": "assistant", "content": answer["text"]}
    if answer["thinking"]:
        message["reasoning_content"] = answer["thinking"]
    if answer["calls"]:
        message["tool_calls"] = [
            {"id": f"call_{answer['number']}_{i}", "type": "function", "index": i,
             "function": {"name": answer["tool"], "arguments": json.dumps(TOOLS[answer["tool"]](command))}}
            for i, command in enumerate(answer["calls"])]
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
    return names, sum("functionResponse" in part for content in request["contents"] for part in content["parts"])


def gemini(answer, model):
    parts = []
    if answer["thinking"]:
        parts.append({"text": answer["thinking"], "thought": True})
    parts.append({"text": answer["text"]})
    for i, command in enumerate(answer["calls"]):
        parts.append({"functionCall": {"name": answer["tool"], "args": TOOLS[answer["tool"]](command)}})
    usage = {"promptTokenCount": 115, "cachedContentTokenCount": 100, "candidatesTokenCount": 23, "thoughtsTokenCount": 7,
             "totalTokenCount": 145}
    return {"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}],
            "usageMetadata": usage, "modelVersion": model, "responseId": f"resp-{answer['number']:04}"}


def gemini_events(whole):
    candidate = whole["candidates"][0]
    for index, part in enumerate(candidate["content"]["parts"]):
        piece = {"content": {"role": "model", "parts": [part]}, "index": 0}
        if index == len(candidate["content"]["parts"]) - 1:
            piece["finishReason"] = candidate["finishReason"]
        yield "", {**whole, "candidates": [piece]}

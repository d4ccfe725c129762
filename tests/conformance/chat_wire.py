"""Chat Completions: the answers of OpenAI and of those who took them over, whole and streamed."""
import re

from answers import event, pieces
from chat_check import Check, WIRE, check  # noqa: F401 The server asks for check.
from families import packed, refusal_of, tokens


def prompt_of(body):
    return packed([body.get("tools") or [], body["messages"]])


def length_of(body):
    return tokens(len(prompt_of(body)))


def check_length(body, family):
    size, window = length_of(body), family["max_input"] or family["context"]
    if size > window:
        asked = limit_of(body) or 0
        raise refusal_of(family, WIRE, "too_long", size=size, limit=window, asked=asked, total=size + asked)


def limit_of(body):
    return body.get("max_completion_tokens") or body.get("max_tokens")


def usage_of(body, family, cache, kept):
    step, least = family["cache_step"] or 128, family["cache_minimum"] or 0
    read = tokens(kept) // step * step
    return {"prompt_tokens": length_of(body), "cached": read if read >= least else 0}


def usage_block(usage, answer, family):
    cached, written = usage["cached"], answer.tokens()
    made = {"prompt_tokens": usage["prompt_tokens"], "completion_tokens": written,
            "total_tokens": usage["prompt_tokens"] + written,
            "prompt_tokens_details": {"cached_tokens": cached},
            "completion_tokens_details": {"reasoning_tokens": answer.thought_tokens()}}
    if family["usage_form"] == "hits":
        made |= {"prompt_cache_hit_tokens": cached, "prompt_cache_miss_tokens": usage["prompt_tokens"] - cached}
    if family["usage_form"] == "flat":
        made["cached_tokens"] = cached
    return made


# ---- Answers ----

def reasoning_member(body, family):
    """Returns the member of a message that has the reasoning; None if the model does not think now."""
    return family["reasoning_member"] if Check(body, family).thinks or family["efforts"] else None


def message_of(body, answer, family):
    message = {"role": "assistant", "content": answer.text or None}
    if answer.stop == "refusal" and family["vendor"] == "openai":
        message |= {"content": None, "refusal": answer.text}
    name = reasoning_member(body, family)
    if answer.thinking and name == "content":
        message["content"] = [{"type": "thinking", "thinking": [{"type": "text", "text": answer.thinking}]},
                              {"type": "text", "text": answer.text}]
    elif answer.thinking and name:
        message[name] = answer.thinking
        if name == "reasoning":
            message["reasoning_details"] = [{"type": "reasoning.text", "text": answer.thinking, "index": 0,
                                             "format": "unknown"}]
    if answer.calls:
        message["tool_calls"] = [
            {"id": call_id(call, family), "type": "function",
             "function": {"name": call["name"], "arguments": packed(call["input"]).decode()}} for call in answer.calls]
    return message


def call_id(call, family):
    if family["call_id"]:  # Nine letters and digits.
        return re.sub(r"[^a-zA-Z0-9]", "", call["id"]).rjust(9, "c")[-9:]
    return f"call_{call['id']}"


def whole(body, answer, usage, family):
    return {"id": f"chatcmpl-{answer.number}", "object": "chat.completion", "created": 1790000000, "model": body["model"],
            "choices": [{"index": 0, "message": message_of(body, answer, family), "logprobs": None,
                         "finish_reason": answer.reason(WIRE)}],
            "usage": usage_block(usage, answer, family), "service_tier": "default", "system_fingerprint": None}


def stream(body, answer, usage, family):
    head = {"id": f"chatcmpl-{answer.number}", "object": "chat.completion.chunk", "created": 1790000000,
            "model": body["model"]}

    def chunk(delta, reason=None):
        return event({**head, "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]})

    made = message_of(body, answer, family)
    name = reasoning_member(body, family)
    yield chunk({"role": "assistant", "content": ""})
    for part in pieces(answer.thinking) if name else []:
        if name == "content":
            yield chunk({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": part}]}]})
        elif name == "reasoning":
            yield chunk({"reasoning": part, "reasoning_details": [
                {"type": "reasoning.text", "text": part, "index": 0, "format": "unknown"}]})
        else:
            yield chunk({name: part})
    for part in pieces(answer.text):
        yield chunk({"refusal" if made.get("refusal") else "content": part})
    for at, call in enumerate(made.get("tool_calls", [])):
        yield chunk({"tool_calls": [{"index": at, "id": call["id"], "type": "function",
                                     "function": {"name": call["function"]["name"], "arguments": ""}}]})
        for part in pieces(call["function"]["arguments"]):
            yield chunk({"tool_calls": [{"index": at, "function": {"arguments": part}}]})
    yield chunk({}, answer.reason(WIRE))
    if (body.get("stream_options") or {}).get("include_usage") or family["usage_form"]:
        yield event({**head, "choices": [], "usage": usage_block(usage, answer, family)})
    yield event("[DONE]")


# ---- Errors ----

def error_body(refusal, number):
    shape = refusal.shape
    if shape == "mistral":
        return {"object": "error", "message": refusal.message, "type": refusal.type, "param": refusal.param,
                "code": refusal.code, "raw_status_code": refusal.status}
    if shape == "detail":
        return {"detail": [{"type": refusal.type, "loc": ["body", refusal.param], "msg": refusal.message, "input": None}]}
    if shape == "xai":
        return {"code": refusal.code, "error": refusal.message}
    if shape == "zai":
        return {"error": {"code": refusal.code, "message": refusal.message}}
    if shape == "moonshot":
        return {"error": {"message": refusal.message, "type": refusal.type}}
    if shape == "openrouter":
        return {"error": {"message": refusal.message, "code": refusal.status}, "user_id": "user_conformance"}
    body = {"error": {"message": refusal.message, "type": refusal.type, "param": refusal.param, "code": refusal.code}}
    return {**body, "request_id": f"req-{number}"} if shape == "qwen" else body


def error_event(refusal, number):
    return event(error_body(refusal, number))


def model_entry(model, family):
    return {"id": model, "object": "model", "created": 1790000000, "owned_by": family["vendor"] or "conformance"}

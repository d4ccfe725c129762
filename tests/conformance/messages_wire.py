"""The Messages API of Anthropic: its answers, whole and streamed."""
from answers import event, pieces
from families import Refusal, digest, packed, sign, tokens
from messages_check import (EFFORTS, WIRE, blocks_of, check, marks_of, prefix_of, turns_of,  # noqa: F401 The server asks for check.
                            without_marks)


def parts_of(body):
    """Returns the prompt in parts, and the indices of those that end with a mark."""
    parts, marks = [], []
    sections = [body.get("tools") or [], blocks_of(body.get("system") or []) or []]
    for message in body["messages"]:
        sections.append([{"role": message["role"], **block} for block in blocks_of(message["content"]) or []])
    for section in sections:
        for part in section:
            if part.get("cache_control"):
                marks.append(len(parts))
            parts.append(packed(without_marks(part)))
    if body.get("cache_control") and parts:
        marks.append(len(parts) - 1)
    return parts, marks


def prompt_of(body):
    return b"".join(parts_of(body)[0])


def limit_of(body):
    return body.get("max_tokens")


def usage_of(body, family, cache, kept):
    parts, marks = parts_of(body)
    size = sum(map(len, parts))
    read, written = cache.by_marks(body["model"], parts, marks, family["cache_minimum"] or 0)
    lasting = any(mark.get("ttl") == "1h" for _, mark in marks_of(body))
    new = tokens(written)
    return {"input_tokens": tokens(size - read - written), "cache_creation_input_tokens": new,
            "cache_read_input_tokens": tokens(read),
            "cache_creation": {"ephemeral_5m_input_tokens": 0 if lasting else new,
                               "ephemeral_1h_input_tokens": new if lasting else 0},
            "output_tokens": 0, "service_tier": "standard"}


def length_of(body):
    return tokens(sum(map(len, parts_of(body)[0])))


def counted(body):
    return {"input_tokens": length_of(body)}


def check_length(body, family):
    size, window, limit = length_of(body), family["context"], body.get("max_tokens") or 0
    if size > window:
        raise Refusal("messages.too_long", size=size, limit=window)
    if family["overflow"] == "refused" and size + limit > window:
        raise Refusal("messages.no_room", size=size, asked=limit, limit=window)


# ---- Answers ----

def content_of(body, answer, family):
    thinking = body.get("thinking") or {}
    kind = thinking.get("type") or ("adaptive" if family["thinking_default"] != "off" else "disabled")
    content = []
    if answer.thinking and kind not in ("disabled", "between_tools"):
        shown = answer.thinking if thinking.get("display", family["display"]) == "summarized" else ""
        turns = turns_of(body["messages"])
        prefix = prefix_of(body, turns + [("assistant", [])], len(turns), 0)
        content.append({"type": "thinking", "thinking": shown, "signature": sign(
            text=digest(shown), model=body["model"], prefix=prefix)})
    if answer.text:
        content.append({"type": "text", "text": answer.text})
    for call in answer.calls:
        content.append({"type": "tool_use", "id": f"toolu_{call['id']}", "name": call["name"], "input": call["input"]})
    return content


def whole(body, answer, usage, family):
    usage = {**usage, "output_tokens": answer.tokens()}
    stop = answer.reason(WIRE)
    made = {"id": f"msg_{answer.number}", "type": "message", "role": "assistant", "model": body["model"],
            "content": content_of(body, answer, family), "stop_reason": stop, "stop_sequence": None, "usage": usage}
    if stop == "refusal":
        made["stop_details"] = {"type": "refusal", "category": None, "explanation": None}
    return made


def stream(body, answer, usage, family):
    made = whole(body, answer, usage, family)
    yield event({"type": "message_start", "message": {**made, "content": [], "stop_reason": None, "usage": {
        **usage, "output_tokens": 1}}}, "message_start")
    for at, block in enumerate(made["content"]):
        kind = block["type"]
        empty = {"thinking": {"type": kind, "thinking": "", "signature": ""}, "text": {"type": kind, "text": ""},
                 "tool_use": {**block, "input": {}}}[kind]
        yield event({"type": "content_block_start", "index": at, "content_block": empty}, "content_block_start")
        if at == 0:
            yield event({"type": "ping"}, "ping")
        if kind == "thinking":
            deltas = [{"type": "thinking_delta", "thinking": part} for part in pieces(block["thinking"])]
            deltas.append({"type": "signature_delta", "signature": block["signature"]})
        elif kind == "text":
            deltas = [{"type": "text_delta", "text": part} for part in pieces(block["text"])]
        else:
            deltas = [{"type": "input_json_delta", "partial_json": part}
                      for part in ["", *pieces(packed(block["input"]).decode())]]
        for delta in deltas:
            yield event({"type": "content_block_delta", "index": at, "delta": delta}, "content_block_delta")
        yield event({"type": "content_block_stop", "index": at}, "content_block_stop")
    delta = {name: made[name] for name in ("stop_reason", "stop_sequence", "stop_details") if name in made}
    yield event({"type": "message_delta", "delta": delta, "usage": {
        "output_tokens": made["usage"]["output_tokens"]}}, "message_delta")
    yield event({"type": "message_stop"}, "message_stop")


def error_body(refusal, number):
    return {"type": "error", "error": {"type": refusal.type, "message": refusal.message}, "request_id": f"req_{number}"}


def error_event(refusal, number):
    return event(error_body(refusal, number), "error")


def model_entry(model, family):
    kinds = family["thinking"] or []
    return {"type": "model", "id": model, "display_name": model, "created_at": "2026-01-01T00:00:00Z",
            "max_input_tokens": family["context"], "max_tokens": family["max_output"],
            "capabilities": {
                "thinking": {"supported": bool(kinds), "types": {kind: {"supported": kind in kinds}
                                                                 for kind in ("enabled", "adaptive")}},
                "effort": {"supported": bool(family["efforts"]), **{level: {"supported": level in family["efforts"]}
                                                                    for level in EFFORTS}}}}

"""Ollama's own API: what it refuses, and its answers, whole and streamed."""
from answers import line, pieces
from families import packed, refusal_of, tokens

WIRE = "ollama"


class Check:
    """One request held against the rules of its family."""

    def __init__(self, body, family):
        self.body, self.family = body, family

    def refuse(self, rule, **fields):
        raise refusal_of(self.family, WIRE, rule, model=self.body["model"], **fields)

    def run(self):
        body, family = self.body, self.family
        for at, message in enumerate(body.get("messages") or []):
            if not isinstance(message.get("content", ""), str):
                self.refuse("content", got="array" if isinstance(message["content"], list) else "object")
            for call in message.get("tool_calls") or []:
                if not isinstance((call.get("function") or {}).get("arguments", {}), dict):
                    self.refuse("arguments")
        think = body.get("think")
        if isinstance(think, str) and think not in ("high", "medium", "low", "max"):
            self.refuse("think_value", value=think)
        if think is not None and not isinstance(think, (bool, str)):
            self.refuse("think_type")
        if think and not family["thinks"]:
            self.refuse("think")
        if isinstance(think, str) and think not in (family["levels"] or ()):
            self.refuse("think_level", value=think)
        if body.get("tools") and not family["tools"]:
            self.refuse("tools")


def check(body, family, headers):
    Check(body, family).run()


def prompt_of(body):
    return packed([body.get("tools") or [], body.get("messages") or []])


def window_of(body, family):
    return (body.get("options") or {}).get("num_ctx") or family["num_ctx"]


def dropped(body, family):
    """Returns how many tokens of the prompt the server cuts off, without a word."""
    return max(0, tokens(len(prompt_of(body))) - window_of(body, family))


def limit_of(body):
    limit = (body.get("options") or {}).get("num_predict")
    return int(limit) if limit and limit > 0 else None


def usage_of(body, family, cache, kept):
    return {"prompt_eval_count": min(tokens(len(prompt_of(body))), window_of(body, family))}


def thinks(body, family):
    return bool(family["thinks"]) and body.get("think") is not False


def message_of(body, answer, family):
    message = {"role": "assistant", "content": answer.text}
    if answer.thinking and thinks(body, family):
        message["thinking"] = answer.thinking
    if answer.calls:
        message["tool_calls"] = [{"id": f"call_{call['id']}", "function": {
            "index": at, "name": call["name"], "arguments": call["input"]}} for at, call in enumerate(answer.calls)]
    return message


def end_of(body, answer, usage):
    return {"done": True, "done_reason": answer.reason(WIRE), "total_duration": 1000, "load_duration": 1,
            **usage, "prompt_eval_duration": 100, "eval_count": answer.tokens(), "eval_duration": 100}


def whole(body, answer, usage, family):
    return {"model": body["model"], "created_at": "2026-11-28T00:00:00Z", "message": message_of(body, answer, family),
            **end_of(body, answer, usage)}


def stream(body, answer, usage, family):
    made = message_of(body, answer, family)
    head = {"model": body["model"], "created_at": "2026-11-28T00:00:00Z"}
    for name in ("thinking", "content"):
        for text in pieces(made.get(name, "")):
            yield line({**head, "message": {"role": "assistant", "content": "", name: text}, "done": False})
    if answer.calls:
        yield line({**head, "message": {"role": "assistant", "content": "", "tool_calls": made["tool_calls"]}, "done": False})
    yield line({**head, "message": {"role": "assistant", "content": ""}, **end_of(body, answer, usage)})


def error_body(refusal, number):
    return {"error": refusal.message}


def error_event(refusal, number):
    return line(error_body(refusal, number))


def model_entry(model, family):
    return {"name": model, "model": model, "size": 1, "digest": "0" * 64, "details": {"format": "gguf", "family": model.split(":")[0]}}


def show(model, family):
    kind = model.split(":")[0]
    abilities = ["completion", *(["tools"] if family["tools"] else []), *(["thinking"] if family["thinks"] else [])]
    return {"modelfile": "", "parameters": "", "template": "", "details": {"format": "gguf", "family": kind},
            "model_info": {"general.architecture": kind, f"{kind}.context_length": family["context"]}, "capabilities": abilities}

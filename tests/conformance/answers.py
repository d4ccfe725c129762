"""What a script says, wire by wire the same: answers, faults, and their neutral names.

A step is {"answer": {"text", "thinking", "calls": [{"name", "input", "id"}], "stop"}, "fault": …}.
"""
import json

from families import packed, tokens

# By wire: the neutral reasons for the end of an answer. A name that is not here is sent as it is.
STOPS = {
    "messages": {"end": "end_turn", "calls": "tool_use", "max_tokens": "max_tokens", "refusal": "refusal",
                 "content_filter": "refusal", "context": "model_context_window_exceeded"},
    "chat": {"end": "stop", "calls": "tool_calls", "max_tokens": "length", "refusal": "stop",
             "content_filter": "content_filter", "context": "length"},
    "responses": {"end": "completed", "calls": "completed", "max_tokens": "max_output_tokens", "refusal": "completed",
                  "content_filter": "content_filter", "context": "max_output_tokens"},
    "gemini": {"end": "STOP", "calls": "STOP", "max_tokens": "MAX_TOKENS", "refusal": "SAFETY",
               "content_filter": "SAFETY", "context": "MAX_TOKENS", "malformed_call": "MALFORMED_FUNCTION_CALL"},
    "ollama": {"end": "stop", "calls": "stop", "max_tokens": "length", "refusal": "stop", "content_filter": "stop",
               "context": "length"},
}


class Answer:
    """An answer of a script, cut to the `limit` of the request in tokens."""

    def __init__(self, step, number, limit=None):
        said = step.get("answer") or {}
        is_empty = step.get("fault") == "empty"
        self.number = number
        self.text = "" if is_empty else said.get("text", "" if said.get("calls") else "ok")
        self.thinking = "" if is_empty else said.get("thinking", "")
        self.calls = [] if is_empty else [
            {"name": call["name"], "input": call.get("input", {}), "id": call.get("id") or f"{number}_{at}"}
            for at, call in enumerate(said.get("calls", []))]
        self.stop = said.get("stop") or ("calls" if self.calls else "end")
        if limit is not None:
            self.cut(limit)

    def cut(self, limit):
        for name in ("thinking", "text"):
            whole = getattr(self, name).encode()
            part = whole[:max(0, limit) * 4].decode("utf-8", "ignore")
            limit -= tokens(len(whole))
            if part != getattr(self, name):
                setattr(self, name, part)
                self.stop, self.calls = "max_tokens", []

    def reason(self, wire):
        return STOPS[wire].get(self.stop, self.stop)

    def thought_tokens(self):
        return tokens(len(self.thinking.encode()))

    def tokens(self):
        """Returns the length of all that is written, thinking included."""
        return self.thought_tokens() + tokens(len(self.text.encode())) + sum(
            tokens(len(packed(call["input"])) + len(call["name"])) for call in self.calls)


def pieces(text, size=12):
    """Cuts a text as a stream does; never within a character."""
    return [text[at:at + size] for at in range(0, len(text), size)]


def event(data, name=None):
    head = f"event: {name}\n" if name else ""
    text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return f"{head}data: {text}\n\n".encode()


def line(data):
    return packed(data) + b"\n"

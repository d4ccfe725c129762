"""Whatever has the wrong shape is refused: the server itself never fails, and a member too much is found wherever it is."""
import copy
import unittest

from talk import RulesCase

TOOL = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
BODIES = {
    "/v1/messages": {
        "model": "claude-sonnet-4-6", "max_tokens": 4000, "system": [{"type": "text", "text": "a", "cache_control": {"type": "ephemeral"}}],
        "thinking": {"type": "enabled", "budget_tokens": 2000}, "output_config": {"effort": "low"}, "stop_sequences": ["a"],
        "tools": [{"name": "look", "input_schema": TOOL}], "tool_choice": {"type": "auto"}, "temperature": 1, "metadata": {"user_id": "a"},
        "messages": [{"role": "user", "content": [{"type": "text", "text": "a"}]},
                     {"role": "assistant", "content": [{"type": "redacted_thinking", "data": "a"},
                                                       {"type": "tool_use", "id": "a", "name": "look", "input": {"a": "b"}}]},
                     {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": [{"type": "text", "text": "b"}]}]}]},
    "/v1/chat/completions": {
        "model": "gpt-5.2", "max_completion_tokens": 4000, "reasoning_effort": "low", "stream_options": None,
        "tools": [{"type": "function", "function": {"name": "look", "parameters": TOOL}}], "tool_choice": "auto",
        "response_format": {"type": "json_schema", "json_schema": {"name": "a", "schema": TOOL}},
        "messages": [{"role": "user", "content": [{"type": "text", "text": "a"}]},
                     {"role": "assistant", "content": None, "tool_calls": [
                         {"id": "a", "type": "function", "function": {"name": "look", "arguments": "{}"}}]},
                     {"role": "tool", "tool_call_id": "a", "content": "b"}]},
    "/v1/responses": {
        "model": "gpt-5.2", "max_output_tokens": 4000, "reasoning": {"effort": "low", "summary": "auto"}, "include": [], "instructions": "a",
        "tools": [{"type": "function", "name": "look", "parameters": TOOL}], "tool_choice": "auto", "store": False,
        "input": [{"role": "user", "content": [{"type": "input_text", "text": "a"}]},
                  {"type": "function_call", "call_id": "a", "name": "look", "arguments": "{}"},
                  {"type": "function_call_output", "call_id": "a", "output": "b"}]},
    "/v1beta/models/gemini-2.5-pro:generateContent": {
        "systemInstruction": {"parts": [{"text": "a"}]}, "generationConfig": {"maxOutputTokens": 100, "thinkingConfig": {"thinkingBudget": 1024}},
        "tools": [{"functionDeclarations": [{"name": "look", "parameters": TOOL}]}], "toolConfig": {"functionCallingConfig": {"mode": "AUTO"}},
        "contents": [{"role": "user", "parts": [{"text": "a"}]}, {"role": "model", "parts": [{"functionCall": {"name": "look", "args": {}}}]},
                     {"role": "user", "parts": [{"functionResponse": {"name": "look", "response": {}}}]}]},
    "/api/chat": {
        "model": "qwen3:8b", "think": True, "stream": False, "options": {"num_ctx": 100, "num_predict": 10}, "tools": [],
        "messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "", "tool_calls": [
            {"function": {"name": "look", "arguments": {}}}]}]},
}
# Where the API takes any member, or the value is not looked into.
FREE = {"/v1/messages": ("input", "properties", "input_schema", "a", "metadata", "output_config", "thinking", "tools", "tool_choice",
                         "cache_control", "system"),
        "/v1/chat/completions": ("properties", "a", "parameters", "schema", "json_schema", "response_format", "tools", "function"),
        "/v1/responses": ("properties", "a", "parameters", "content"),
        "/v1beta/models/gemini-2.5-pro:generateContent": ("args", "response", "properties", "functionCall", "functionResponse", "tools",
                                                          "toolConfig", "functionCallingConfig", "systemInstruction", "functionDeclarations")}


def places(value, path=()):
    yield path
    for name, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from places(inner, (*path, name))


def changed(body, path, value):
    """Returns a copy of `body` with `value` at `path`."""
    made = copy.deepcopy(body)
    inner = made
    for name in path[:-1]:
        inner = inner[name]
    inner[path[-1]] = value
    return made


class Shapes(RulesCase):
    def test_the_bodies_are_accepted(self):
        for path, body in BODIES.items():
            self.accepted(path, body)

    def test_the_server_never_fails(self):
        for path, body in BODIES.items():
            for place in places(body):
                for value in (None, "", -1, 2.5, [None], {"x": None}) if place else ():
                    verdict = self.talk.verdict(path, changed(body, place, value))
                    self.assertFalse(verdict.startswith("failed"), (path, place, value, verdict))
        self.assertGreater(len(self.server.entries()), 600)

    def test_a_member_too_much_is_refused(self):
        for path, free in FREE.items():
            body = BODIES[path]
            for place in places(body):
                inner = body
                for name in place:
                    inner = inner[name]
                if isinstance(inner, dict) and not any(name in free for name in place):
                    verdict = self.talk.verdict(path, changed(body, (*place, "x_unknown"), 1))
                    self.assertNotEqual(verdict, "ok", (path, place))


if __name__ == "__main__":
    unittest.main()

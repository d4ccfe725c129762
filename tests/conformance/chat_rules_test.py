"""Each form that a model of Chat Completions accepts is accepted, and each that it refuses is refused with the vendor's body."""
import unittest

from talk import FUNCTION, SAID, RulesCase

# By model of OpenAI: efforts none minimal low medium high xhigh max | temperature 0.2, with effort none | max_tokens |
# tools in Chat, with effort none
CHAT = {
    "gpt-4o":        "x x x x x x x | . - | . | . -",
    "gpt-4.1":       "x x x x x x x | . - | . | . -",
    "o3":            "x x . . . x x | x - | x | . -",
    "o4-mini":       "x x . . . x x | x - | x | . -",
    "gpt-5":         "x . . . . x x | x - | x | . -",
    "gpt-5-mini":    "x . . . . x x | x - | x | . -",
    "gpt-5.1":       ". x . . . x x | . . | x | . .",
    "gpt-5.2":       ". x . . . . x | . . | x | . .",
    "gpt-5.4":       ". x . . . . x | . . | x | . .",
    "gpt-5.5":       ". x . . . . x | x . | x | x .",
    "gpt-5.6-terra": ". x . . . . . | x . | x | x .",
    "gpt-6-luna":    ". x . . . . . | x . | x | x .",
    "gpt-6-astra":   "x x . . . . . | x - | x | x -",
    "gpt-6.1-sol":   "x x . . . . . | x - | x | x -",
    "gpt-6.2-astra": "x x . . . . . | x - | x | x -",
}


def chat(model, **more):
    return {"model": model, "messages": SAID, **more}


class Chat(RulesCase):
    path = "/v1/chat/completions"
    tool = {"type": "function", "function": {"name": "look", "parameters": {"type": "object", "properties": {}}}}

    def test_forms_by_model(self):
        for model, expected in CHAT.items():
            forms = [*(chat(model, reasoning_effort=level) for level in
                       ("none", "minimal", "low", "medium", "high", "xhigh", "max")),
                     chat(model, temperature=0.2), chat(model, temperature=0.2, reasoning_effort="none"),
                     chat(model, max_tokens=100), chat(model, tools=[self.tool]),
                     chat(model, tools=[self.tool], reasoning_effort="none")]
            wanted = expected.replace("|", "").split()
            with self.subTest(model):
                found = self.shown(self.path, forms)
                self.assertEqual([one if other != "-" else "-" for one, other in zip(found, wanted)], wanted)

    def test_a_refusal_has_the_body_of_the_api(self):
        self.assertEqual(self.refused(self.path, chat("gpt-5", temperature=0.5), "chat.temperature"), {"error": {
            "message": "Unsupported value: 'temperature' does not support 0.5 with this model. Only the default (1) value is supported.",
            "type": "invalid_request_error", "param": "temperature", "code": "unsupported_value"}})
        self.assertEqual(self.refused(self.path, chat("gpt-5.1", reasoning_effort="minimal"), "chat.effort")["error"]["message"],
                         "Unsupported value: 'reasoning_effort' does not support 'minimal' with this model. "
                         "Supported values are: 'none', 'low', 'medium', and 'high'.")

    def test_members_of_messages(self):
        call = {"id": "a", "type": "function", "function": {"name": "look", "arguments": "{}"}}
        turn = [*SAID, {"role": "assistant", "content": None, "tool_calls": [call]}, {"role": "tool", "tool_call_id": "a", "content": "b"}]
        self.accepted(self.path, chat("gpt-4.1", messages=turn))
        for place, name in ((turn[1], "reasoning_content"), (turn[2], "is_error"), (call, "extra_content")):
            place[name] = "x"
            answer = self.refused(self.path, chat("gpt-4.1", messages=turn), "chat.unknown_member")
            self.assertTrue(answer["error"]["param"].endswith(name), answer)
            del place[name]
        call["id"] = turn[2]["tool_call_id"] = "a" * 41
        self.refused(self.path, chat("gpt-4.1", messages=turn), "chat.long")
        self.accepted(self.path, chat("deepseek-chat", messages=turn))
        self.refused(self.path, chat("gpt-4.1", messages=[*SAID, {"role": "assistant", "content": "b", "tool_calls": []}]), "chat.calls_none")
        self.refused(self.path, chat("gpt-4.1", prompt_cache_key="a" * 65), "chat.long")
        turn[1]["reasoning_content"] = "x"
        self.refused(self.path, chat("mistral-large-latest", messages=turn), "mistral.unknown_member")

    def test_what_needs_something_else(self):
        self.refused(self.path, chat("gpt-4.1", parallel_tool_calls=False), "chat.parallel_without_tools")
        self.accepted(self.path, chat("gpt-4.1", parallel_tool_calls=False, tools=[self.tool]))
        self.refused(self.path, chat("o3", parallel_tool_calls=False, tools=[self.tool]), "chat.parameter")
        self.refused(self.path, chat("gpt-5", stop=["a"]), "chat.parameter")
        self.accepted(self.path, chat("gpt-4.1", stop=["a"] * 4))
        self.refused(self.path, chat("gpt-4.1", stop=["a"] * 5), "chat.stop_many")
        self.refused(self.path, chat("gpt-4.1", response_format={"type": "json_object"}), "chat.form_word")
        self.refused(self.path, chat("gpt-4.1", response_format={"type": "json"}), "chat.form")
        self.accepted(self.path, chat("gpt-4.1", response_format={"type": "json_object"},
                                      messages=[{"role": "user", "content": "Say it in JSON."}]))

    def test_strict_schemas(self):
        schema = {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "array", "items": {"type": "object"}}}}
        asked = {"type": "function", "function": {"name": "look", "strict": True, "parameters": schema}}
        form = {"type": "json_schema", "json_schema": {"name": "look", "strict": True, "schema": schema}}
        steps = (({}, "'additionalProperties' is required"), ({"additionalProperties": False}, "Missing 'a'"),
                 ({"required": ["a"]}, "Missing 'b'"), ({"required": ["a", "b"]}, "In context=('properties', 'b', 'items')"))
        for more, said in steps:
            schema |= more
            self.assertIn(said, self.refused(self.path, chat("gpt-5.2", tools=[asked]), "chat.schema_strict")["error"]["message"])
            self.assertIn(said, self.refused(self.path, chat("gpt-5.2", response_format=form), "chat.form_strict")["error"]["message"])
        schema["properties"]["b"]["items"] = {"type": "string"}
        self.accepted(self.path, chat("gpt-5.2", tools=[asked], response_format=form))

    def test_schemas(self):
        def tool(**schema):
            return {"type": "function", "function": {"name": "look", "parameters": {"type": "object", **schema}}}

        answer = self.refused(self.path, chat("gpt-4.1", tools=[tool(properties={"a": {"type": "array"}})]), "chat.schema_form")
        self.assertEqual(answer["error"]["message"],
                         "Invalid schema for function 'look': In context=('properties', 'a'), array schema missing items.")
        self.refused(self.path, chat("gpt-4.1", tools=[tool(anyOf=[{"required": ["a"]}])]), "chat.schema_form")
        self.accepted(self.path, chat("gpt-4.1", tools=[tool(properties={"a": {"type": "array", "items": {}}, "b": {"anyOf": [{}]}})]))
        self.refused(self.path, chat("gpt-4.1", tools=[self.tool] * 129), "chat.tools_many")

    def test_members(self):
        self.refused(self.path, chat("gpt-5", thinking={"type": "enabled"}), "chat.unknown")
        self.refused(self.path, {"model": "gpt-5"}, "chat.missing")
        self.refused(self.path, {"messages": SAID}, "chat.model_missing")
        self.refused(self.path, chat("gpt-9"), "chat.model")
        self.refused(self.path, chat("gpt-5"), "chat.key", {})
        self.refused(self.path, b"{", "chat.json")
        self.refused(self.path, chat("gpt-5", stream_options={"include_usage": True}), "chat.stream_options")
        self.refused(self.path, chat("gpt-4o", max_tokens=20000), "chat.max_tokens")
        self.refused(self.path, chat("gpt-4o", max_completion_tokens=0), "chat.least")
        self.refused(self.path, chat("gpt-4o", temperature=2.5), "chat.above")
        self.refused(self.path, chat("gpt-4o", tools=[]), "chat.tools_none")
        self.refused(self.path, chat("gpt-4o", tool_choice="auto"), "chat.choice_without_tools")
        self.refused(self.path, chat("gpt-4o", messages=[]), "chat.none")
        self.refused(self.path, chat("gpt-4o", messages=[{"role": "model", "content": "a"}]), "chat.role")

    def test_calls_and_results(self):
        def call(*ids, content=None):
            return {"role": "assistant", "content": content, "tool_calls": [
                {"id": one, "type": "function", "function": {"name": "look", "arguments": "{}"}} for one in ids]}

        def result(name):
            return {"role": "tool", "tool_call_id": name, "content": "x"}

        def said(*messages):
            return chat("gpt-4o", messages=[*SAID, *messages], tools=[self.tool])

        self.accepted(self.path, said(call("a", "b"), result("b"), result("a"), *SAID))
        self.refused(self.path, said(call("a", "b"), result("a"), *SAID), "chat.call_without_result")
        self.refused(self.path, said(call("a")), "chat.call_without_result")
        self.refused(self.path, said(result("a")), "chat.result_without_call")
        self.refused(self.path, said({"role": "assistant", "content": None}), "chat.answer_empty")
        self.refused(self.path, said({"role": "user", "content": None}), "chat.content_null")


def call(name="abcdefgh1", **more):
    return {"role": "assistant", "content": "", "tool_calls": [
        {"id": name, "type": "function", "function": {"name": "look", "arguments": "{}"}}], **more}


def result(name="abcdefgh1"):
    return {"role": "tool", "tool_call_id": name, "content": "x"}


class Vendors(RulesCase):
    path = "/v1/chat/completions"

    def said(self, model, *messages, **more):
        return chat(model, messages=[*SAID, *messages], tools=[FUNCTION], **more)

    def test_reasoning_content_comes_back_with_calls(self):
        for model, rule in (("deepseek-v4-pro", "deepseek.reasoning_content_missing"),
                            ("deepseek-reasoner", "deepseek.reasoning_content_missing_early"),
                            ("kimi-k2-thinking", "moonshot.reasoning_content_missing"),
                            ("kimi-k2.6", "moonshot.reasoning_content_missing")):
            self.accepted(self.path, self.said(model, call(reasoning_content="So."), result()))
            self.refused(self.path, self.said(model, call(), result()), rule)
        off = {"thinking": {"type": "disabled"}}
        for model in ("deepseek-v4-pro", "kimi-k2.6"):
            self.accepted(self.path, self.said(model, call(), result(), **off))
        old = [call(), result(), {"role": "assistant", "content": "b"}, *SAID]
        self.refused(self.path, self.said("deepseek-v4-pro", *old), "deepseek.reasoning_content_missing")
        self.accepted(self.path, self.said("deepseek-reasoner", *old))

    def test_temperatures_are_fixed_by_kimi(self):
        answer = self.refused(self.path, chat("kimi-k2.5", temperature=0.6), "moonshot.temperature")
        self.assertEqual(answer, {"error": {"message": "invalid temperature: only 1 is allowed for this model",
                                            "type": "invalid_request_error"}})
        off = {"thinking": {"type": "disabled"}}
        self.accepted(self.path, chat("kimi-k2.5", temperature=0.6, **off))
        self.refused(self.path, chat("kimi-k2.5", temperature=1, **off), "moonshot.temperature")
        self.accepted(self.path, chat("kimi-k2-0905-preview", temperature=0.6))

    def test_mistral_is_strict_about_order_and_ids(self):
        model = "mistral-large-latest"
        self.accepted(self.path, self.said(model, call(), result(), {"role": "assistant", "content": "b"}, *SAID))
        answer = self.refused(self.path, self.said(model, call(), result(), *SAID), "mistral.order")
        self.assertEqual({**answer, "raw_status_code": None}, {
            "object": "error", "message": "Unexpected role 'user' after role 'tool'", "type": "invalid_request_message_order",
            "param": None, "code": "3230", "raw_status_code": None})
        self.refused(self.path, self.said(model, {"role": "assistant", "content": "b"}), "mistral.order_last")
        self.accepted(self.path, self.said(model, {"role": "assistant", "content": "b", "prefix": True}))
        answer = self.refused(self.path, self.said(model, call("call_1"), result("call_1")), "mistral.call_id")
        self.assertEqual(answer["code"], "3280")
        answer = self.refused(self.path, chat(model, thinking={"type": "enabled"}), "mistral.unknown")
        self.assertEqual((answer["detail"][0]["type"], answer["detail"][0]["loc"]), ("extra_forbidden", ["body", "thinking"]))
        self.refused(self.path, chat(model, temperature=1.6), "chat.above")

    def test_efforts_of_mistral(self):
        self.refused(self.path, chat("mistral-large-latest", reasoning_effort="none"), "mistral.effort_none")
        answer = self.refused(self.path, chat("mistral-medium-latest", reasoning_effort="low"), "mistral.effort")
        self.assertEqual((answer["type"], answer["code"]), ("invalid_request_invalid_args", "3051"))
        self.refused(self.path, chat("mistral-small-latest", prompt_mode="reasoning"), "mistral.prompt_mode")
        self.refused(self.path, chat("mistral-large-4", reasoning_effort="high", temperature=0), "mistral.greedy")
        self.accepted(self.path, chat("mistral-large-4", reasoning_effort="high", temperature=0, top_p=1))
        self.accepted(self.path, chat("magistral-medium-latest", reasoning_effort="none", max_tokens=10**6))

    def test_grok_refuses_members(self):
        for model in ("grok-4", "grok-4.7"):
            answer = self.refused(self.path, chat(model, presence_penalty=0), "xai.parameter")
            self.assertEqual(answer, {"code": "invalid-argument", "error": f"Model {model} does not support parameter presencePenalty."})
        answer = self.refused(self.path, chat("grok-4", reasoning_effort="low"), "xai.effort_none")
        self.assertEqual(answer["error"], "Model grok-4 does not support parameter reasoningEffort.")
        self.accepted(self.path, chat("grok-4.7", reasoning_effort="xhigh"))
        self.refused(self.path, chat("grok-4.5", reasoning_effort="xhigh"), "xai.effort")

    def test_qwen_thinks_in_streams_only(self):
        answer = self.refused(self.path, chat("qwen3-32b"), "qwen.thinking_not_streamed")
        self.assertEqual((answer["error"]["code"], "request_id" in answer), ("invalid_parameter_error", True))
        self.accepted(self.path, chat("qwen3-32b", enable_thinking=False))
        self.assertEqual(self.talk.verdict(self.path, chat("qwen3-32b", stream=True)), "ok")
        self.refused(self.path, self.said("qwen3.5-plus", tool_choice="required"), "qwen.forced_with_thinking")
        self.accepted(self.path, self.said("qwen3.5-plus", tool_choice="required", enable_thinking=False))
        self.refused(self.path, self.said("deepseek-v4-flash", tool_choice="required"), "deepseek.forced_with_thinking")

    def test_glm_and_openrouter(self):
        answer = self.refused(self.path, chat("glm-4.7", messages=[]), "zai.none")
        self.assertEqual(answer, {"error": {"code": "1213", "message": "Input cannot be empty"}})
        self.accepted(self.path, chat("glm-5.1", thinking={"type": "disabled"}))
        self.accepted(self.path, chat("anthropic/claude-opus-5.5", max_tokens=10**6, reasoning={"effort": "high"}))
        self.accepted(self.path, chat("deepseek-v4-pro", whatever=1))

    def test_reasoning_is_where_the_vendor_has_it(self):
        for model, name in (("deepseek-v4-pro", "reasoning_content"), ("anthropic/claude-opus-5.5", "reasoning"),
                            ("glm-5.1", "reasoning_content"), ("qwen3-32b", None)):
            self.server.steps, self.server.taken = [{"answer": {"text": "a", "thinking": "So."}}], 0
            body = chat(model, **({"enable_thinking": False} if name is None else {}))
            said = self.accepted(self.path, body)["choices"][0]["message"]
            self.assertEqual(said.get(name or "reasoning_content"), "So." if name else None, model)


if __name__ == "__main__":
    unittest.main()

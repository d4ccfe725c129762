"""Each form that Responses, Gemini and Ollama accept is accepted, and each that they refuse is refused with their body."""
import base64
import json
import unittest

from talk import RulesCase

# By model: efforts none minimal low xhigh max | summary auto concise | temperature 0.2, with effort none | tools
RESPONSES = {
    "gpt-4o":        "x x x x x | x x | . - | .",
    "o3":            "x x . x x | . x | x - | .",
    "gpt-5":         "x . . x x | . x | x - | .",
    "gpt-5.1":       ". x . x x | . . | . . | .",
    "gpt-5.2":       ". x . . x | . . | . . | .",
    "gpt-5.5":       ". x . . x | . . | x . | .",
    "gpt-5.6-terra": ". x . . . | . . | x . | .",
    "gpt-6-astra":   "x x . . . | . . | x - | .",
    "gpt-6.2-sol":   "x x . . . | . . | x - | .",
}

# By model: thinkingBudget 0 100 1024 30000 -1 | thinkingLevel minimal low medium high
GEMINI = {
    "gemini-2.0-flash":       "x x x x x | x x x x",
    "gemini-2.5-flash":       ". . . x . | x x x x",
    "gemini-2.5-flash-lite":  ". x . x . | x x x x",
    "gemini-2.5-pro":         "x x . . . | x x x x",
    "gemini-3-pro-preview":   "x x . . . | x . x .",
    "gemini-3.1-pro-preview": "x x . . . | x . . .",
    "gemini-3-flash-preview": ". . . . . | . . . .",
    "gemini-3.8-flash":       ". . . . . | x . . .",
}


def listed(text):
    return text.replace("|", "").split()


class Responses(RulesCase):
    path = "/v1/responses"
    tool = {"type": "function", "name": "look", "parameters": {"type": "object", "properties": {}}}

    def body(self, model="gpt-5.2", **more):
        return {"model": model, "input": "Hello", **more}

    def test_forms_by_model(self):
        for model, expected in RESPONSES.items():
            forms = [*(self.body(model, reasoning={"effort": level}) for level in ("none", "minimal", "low", "xhigh", "max")),
                     *(self.body(model, reasoning={"summary": form}) for form in ("auto", "concise")),
                     self.body(model, temperature=0.2), self.body(model, temperature=0.2, reasoning={"effort": "none"}),
                     self.body(model, tools=[self.tool])]
            wanted = listed(expected)
            with self.subTest(model):
                found = self.shown(self.path, forms)
                self.assertEqual([one if other != "-" else "-" for one, other in zip(found, wanted)], wanted)

    def test_a_refusal_has_the_body_of_the_api(self):
        self.assertEqual(self.refused(self.path, self.body("gpt-5.1", reasoning={"effort": "minimal"}), "responses.effort"), {"error": {
            "message": "Unsupported value: 'minimal' is not supported with the 'gpt-5.1' model. Supported values are: 'none', 'low', "
                       "'medium', and 'high'.", "type": "invalid_request_error", "param": "reasoning.effort", "code": "unsupported_value"}})
        answer = self.refused(self.path, self.body(reasoning_effort="low"), "responses.moved")
        self.assertIn("has moved to 'reasoning.effort'", answer["error"]["message"])

    def test_members_and_items(self):
        self.refused(self.path, self.body(thinking={}), "responses.unknown")
        self.refused(self.path, self.body(prompt_cache_key="a" * 65), "responses.long")
        self.refused(self.path, {"model": "gpt-5.2"}, "responses.none")
        self.refused(self.path, self.body(max_output_tokens=15), "responses.least")
        self.accepted(self.path, self.body(max_output_tokens=16))
        self.refused(self.path, self.body(previous_response_id="resp_other"), "responses.previous")
        self.refused(self.path, self.body("gpt-4o", include=["reasoning.encrypted_content"]), "responses.encrypted_model")
        self.refused(self.path, self.body(tools=[{"type": "function", "function": {"name": "look"}}]), "responses.missing")
        self.refused(self.path, self.body(tools=[{**self.tool, "strict": True}]), "responses.schema_strict")
        self.refused(self.path, self.body(tools=[{**self.tool, "parameters": {"type": "object", "oneOf": [{}]}}]), "responses.schema_form")
        self.refused(self.path, self.body(tool_choice="required"), "responses.choice_without_tools")

        def item(**members):
            return self.body(input=[{"role": "user", "content": "a"}, members])

        self.refused(self.path, item(role="assistant", content=[{"type": "input_text", "text": "a"}]), "responses.part")
        self.refused(self.path, item(role="tool", content="a"), "responses.role")
        self.refused(self.path, item(type="function_call", call_id="c", name="look", arguments={}), "responses.type")
        self.refused(self.path, item(type="function_call", call_id="c" * 65, name="look", arguments="{}"), "responses.long")
        self.refused(self.path, item(type="function_call", id="c", call_id="c", name="look", arguments="{}"), "responses.id")
        self.refused(self.path, item(type="function_call", call_id="c", name="look", arguments="{}", parsed_arguments={}), "responses.unknown")
        self.refused(self.path, item(type="function_call", call_id="c", name="look", arguments="{}"), "responses.call_without_output")
        self.refused(self.path, item(type="function_call_output", call_id="c", output="x"), "responses.output_without_call")
        self.refused(self.path, item(type="reasoning", id="rs_1"), "responses.missing")

    def test_reasoning_comes_back_with_what_follows_it(self):
        step = {"answer": {"thinking": "So.", "calls": [{"name": "look"}]}}

        def second(change, **more):
            self.server.steps, self.server.taken = [step], 0
            first = self.body(tools=[self.tool], reasoning={"effort": "low"}, **more)
            output = self.accepted(self.path, first)["output"]
            items = [*output, {"type": "function_call_output", "call_id": output[-1]["call_id"], "output": "x"}]
            change(items)
            return {**first, "input": [{"role": "user", "content": "Hello"}, *items]}

        self.accepted(self.path, second(lambda items: None))
        self.accepted(self.path, second(lambda items: items[0].pop("encrypted_content")))
        self.refused(self.path, second(lambda items: items[0].pop("encrypted_content"), store=False), "responses.not_found")
        self.accepted(self.path, second(lambda items: None, store=False))
        self.refused(self.path, second(lambda items: items[0].update(encrypted_content="gAAA")), "responses.encrypted")
        self.refused(self.path, second(lambda items: items.pop(0)), "responses.without_reasoning")
        self.accepted(self.path, second(lambda items: (items.pop(0), items[0].pop("id"))))
        self.refused(self.path, second(lambda items: (items.pop(1), items.pop(1))), "responses.reasoning_alone")
        self.refused(self.path, second(lambda items: items[1].pop("id")), "responses.reasoning_alone")
        self.accepted(self.path, second(lambda items: items[1].pop("id"), store=False))
        self.refused(self.path, second(lambda items: items.pop(2)), "responses.call_without_output")


class Gemini(RulesCase):
    def path(self, model, action="generateContent"):
        return f"/v1beta/models/{model}:{action}"

    def body(self, *contents, **more):
        return {"contents": [{"role": "user", "parts": [{"text": "Hello"}]}, *contents], **more}

    def thinking(self, **config):
        return self.body(generationConfig={"thinkingConfig": config})

    def test_forms_by_model(self):
        for model, expected in GEMINI.items():
            forms = [*(self.thinking(thinkingBudget=size) for size in (0, 100, 1024, 30000, -1)),
                     *(self.thinking(thinkingLevel=level) for level in ("minimal", "low", "medium", "high"))]
            with self.subTest(model):
                self.assertEqual(self.shown(self.path(model), forms), listed(expected))

    def test_a_refusal_has_the_body_of_the_api(self):
        self.assertEqual(self.refused(self.path("gemini-2.5-pro"), self.thinking(thinkingBudget=0), "gemini.budget_zero"), {
            "error": {"code": 400, "message": "Budget 0 is invalid. This model only works in thinking mode.", "status": "INVALID_ARGUMENT"}})
        answer = self.refused(self.path("gemini-9"), self.body(), "gemini.model")
        self.assertEqual(answer["error"]["status"], "NOT_FOUND")
        answer = self.refused(self.path("gemini-2.5-pro"), self.body(), "gemini.key", {})
        self.assertEqual(answer["error"]["status"], "PERMISSION_DENIED")
        self.assertEqual(self.talk.send(self.path("gemini-2.5-pro") + "?key=k", self.body(), {})[0], 200)

    def test_members(self):
        path = self.path("gemini-3-pro-preview")
        self.refused(path, self.body(messages=[]), "gemini.unknown")
        self.refused(path, {"contents": []}, "gemini.none")
        self.refused(path, self.body({"role": "assistant", "parts": [{"text": "a"}]}), "gemini.role")
        self.refused(path, self.body({"role": "model", "parts": []}), "gemini.parts")
        self.refused(path, self.body({"role": "model", "parts": [{"thought": True}]}), "gemini.part_data")
        self.refused(path, self.body({"role": "model", "parts": [{"text": "a", "signature": "a"}]}), "gemini.unknown_at")
        self.refused(path, self.body(generationConfig={"maxOutputTokens": 70000}), "gemini.max_tokens")
        self.refused(path, self.body(generationConfig={"temperature": 3}), "gemini.range")
        self.refused(path, self.thinking(thinkingBudget=1024, thinkingLevel="low"), "gemini.both")
        self.accepted(path, self.body(generation_config={"thinking_config": {"thinking_level": "low"}}))
        self.refused(path, self.body(tools=[{"functionDeclarations": [{"name": "a b"}]}]), "gemini.tool_name")
        self.refused(path, self.body(tools=[{"functionDeclarations": [
            {"name": "a", "parameters": {"type": "object", "$schema": "x"}}]}]), "gemini.unknown_at")
        self.accepted(path, self.body(tools=[{"functionDeclarations": [
            {"name": "a", "parametersJsonSchema": {"type": "object", "$schema": "x"}}]}]))

        def declared(**schema):
            return self.body(tools=[{"functionDeclarations": [{"name": "a", "parameters": {"type": "object", **schema}}]}])

        for schema, said in (({"properties": {"b": {"type": "array"}}}, "properties[b].items: missing field."),
                             ({"properties": {"b": {"type": "INTEGER", "enum": ["1"]}}}, "properties[b].enum: only allowed for STRING type"),
                             ({"required": ["b"]}, "required[0]: property is not defined")):
            answer = self.refused(path, declared(**schema), "gemini.schema_field")
            self.assertEqual(answer["error"]["message"],
                             f"* GenerateContentRequest.tools[0].function_declarations[0].parameters.{said}\n")
        self.accepted(path, declared(properties={"b": {"type": "array", "items": {"type": "string", "enum": ["1"]}}}, required=["b"]))

    def test_turns_and_signatures(self):
        def call(*names, **more):
            return {"role": "model", "parts": [{"functionCall": {"name": name, "args": {}}, **(more if at == 0 else {})}
                                               for at, name in enumerate(names)]}

        def result(*names):
            return {"role": "user", "parts": [{"functionResponse": {"name": name, "response": {}}} for name in names]}

        old, new = self.path("gemini-2.5-flash"), self.path("gemini-3-flash-preview")
        skip = {"thoughtSignature": "skip_thought_signature_validator"}
        user = {"role": "user", "parts": [{"text": "and"}]}
        self.accepted(old, self.body(call("a", "b"), result("a", "b")))
        self.refused(old, self.body(call("a", "b"), result("a")), "gemini.result_count")
        self.refused(old, self.body(call("a")), "gemini.result_count")
        self.refused(old, self.body(call("a"), user), "gemini.result_count")
        self.refused(old, self.body(result("a")), "gemini.result_turn")
        self.refused(old, self.body({"role": "model", "parts": [{"text": "a"}]}, call("a"), result("a")), "gemini.call_turn")
        answer = self.refused(new, self.body(call("a"), result("a")), "gemini.signature_missing")
        self.assertIn("function call `default_api:a` , position 2.", answer["error"]["message"])
        self.accepted(new, self.body(call("a", "b", **skip), result("a", "b")))
        self.accepted(new, self.body(call("a"), result("a"), {"role": "model", "parts": [{"text": "b"}]}, user))
        changed = base64.b64encode(b"another").decode()
        self.refused(new, self.body(call("a", thoughtSignature=changed), result("a")), "gemini.signature")

    def test_a_signature_of_the_server_comes_back(self):
        self.server.steps = [{"answer": {"thinking": "So.", "calls": [{"name": "a"}, {"name": "b"}]}}]
        path = self.path("gemini-3-pro-preview")
        content = self.accepted(path, self.body())["candidates"][0]["content"]
        self.assertEqual(["thoughtSignature" in part for part in content["parts"]], [True, False])
        results = {"role": "user", "parts": [{"functionResponse": {"name": name, "response": {}}} for name in "ab"]}
        self.accepted(path, self.body(content, results))
        del content["parts"][0]["thoughtSignature"]
        self.refused(path, self.body(content, results), "gemini.signature_missing")

    def test_counting_and_listing(self):
        self.assertGreater(self.accepted(self.path("gemini-2.5-pro", "countTokens"), self.body())["totalTokens"], 5)
        listed_models = json.loads(self.talk.send("/v1beta/models")[2])["models"]
        self.assertIn("models/gemini-3.8-flash", [one["name"] for one in listed_models])


class Ollama(RulesCase):
    path = "/api/chat"

    def body(self, model, **more):
        return {"model": model, "messages": [{"role": "user", "content": "Hello"}], "stream": False, **more}

    def test_thinking_and_tools(self):
        tool = {"type": "function", "function": {"name": "look", "parameters": {}}}
        for model, expected in (("gpt-oss:20b", ". . . ."), ("qwen3:8b", ". . x ."), ("llama3.1:8b", "x . x ."), ("gemma3:4b", "x . x x")):
            forms = [self.body(model, think=True), self.body(model, think=False), self.body(model, think="low"), self.body(model, tools=[tool])]
            with self.subTest(model):
                self.assertEqual(self.shown(self.path, forms), expected.split())
        answer = self.refused(self.path, self.body("llama3.1:8b", think=True), "ollama.think")
        self.assertEqual(answer, {"error": '"llama3.1:8b" does not support thinking'})
        self.assertEqual(self.refused(self.path, self.body("qwen3:8b", think="medium"), "ollama.think_level"),
                         {"error": 'think value "medium" is not supported for this model'})

    def test_members(self):
        self.refused(self.path, self.body("none"), "ollama.model")
        self.refused(self.path, self.body("qwen3:8b", messages=[{"role": "user", "content": [{"type": "text", "text": "a"}]}]), "ollama.content")
        self.refused(self.path, self.body("qwen3:8b", messages=[{"role": "assistant", "content": "", "tool_calls": [
            {"function": {"name": "a", "arguments": "{}"}}]}]), "ollama.arguments")
        self.accepted(self.path, self.body("qwen3:8b", whatever=1))

    def test_a_prompt_is_cut_without_a_word(self):
        body = self.body("qwen3:8b", messages=[{"role": "user", "content": "x" * 40000}])
        answer = self.accepted(self.path, body)
        self.assertEqual((answer["prompt_eval_count"], self.server.entries()[-1]["dropped"] > 5000), (4096, True))
        self.accepted(self.path, {**body, "options": {"num_ctx": 16384}})
        self.assertEqual(self.server.entries()[-1]["dropped"], 0)

    def test_show_and_tags(self):
        shown = self.accepted("/api/show", {"model": "qwen3:8b"})
        self.assertEqual((shown["capabilities"], shown["model_info"]["qwen3.context_length"]), (["completion", "tools", "thinking"], 40960))
        self.assertIn("gpt-oss:20b", [one["name"] for one in json.loads(self.talk.send("/api/tags")[2])["models"]])


if __name__ == "__main__":
    unittest.main()

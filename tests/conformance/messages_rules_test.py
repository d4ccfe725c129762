"""Each form that a Claude model accepts is accepted, and each that it refuses is refused with the API's body.

The tables here say it a second time, model by model, so that a slip in families.json is seen.
"""
import json
import re
import unittest

from families import DATA, FAMILIES
from talk import SAID, RulesCase

TOOL = {"name": "look", "description": "Looks.", "input_schema": {"type": "object", "properties": {}}}

# By model: what each form of thinking, effort and sampling gets. `.` is accepted.
# enabled adaptive disabled between | low xhigh max | temperature 0.2, with top_p | prefill | forced tools
MESSAGES = {
    "claude-3-5-haiku-20241022": "x x . x | x x x | . . | . | .",
    "claude-sonnet-4-0":         ". x . x | x x x | . . | . | .",
    "claude-sonnet-4-5":         ". x . x | x x x | . x | . | .",
    "claude-opus-4-1":           ". x . x | x x x | . x | . | .",
    "claude-opus-4-5":           ". x . x | . x x | . x | . | .",
    "claude-haiku-4-5":          ". x . x | x x x | . x | . | .",
    "claude-opus-4-6":           ". . . x | . x . | . x | x | .",
    "claude-sonnet-4-6":         ". . . x | . x . | . x | x | .",
    "claude-opus-4-7":           "x . . x | . . . | x x | x | .",
    "claude-opus-4-8":           "x . . x | . . . | x x | x | .",
    "claude-sonnet-5":           "x . . x | . . . | x x | x | .",
    "claude-opus-5":             "x . . x | . . . | x x | x | .",
    "claude-fable-5":            "x . x x | . . . | x x | x | .",
    "claude-fable-5-1":          "x . x x | . . . | x x | x | x",
    "claude-opus-5-5":           "x . x x | . . . | x x | x | x",
    "claude-sonnet-5-5":         "x . x . | . . . | x x | x | x",
    "claude-haiku-5-5":          "x . . x | . . . | x x | x | .",
}

BASES = ("page", "recorded", "table", "known", "inferred")


def message(model, **more):
    return {"model": model, "max_tokens": 4000, "messages": SAID, **more}


class Messages(RulesCase):
    path = "/v1/messages"

    def test_forms_by_model(self):
        forced = {"tools": [TOOL], "tool_choice": {"type": "any"}}
        for model, expected in MESSAGES.items():
            effort = [message(model, output_config={"effort": level}) for level in ("low", "xhigh", "max")]
            forms = [message(model, thinking={"type": "enabled", "budget_tokens": 2000}),
                     *(message(model, thinking={"type": kind}) for kind in ("adaptive", "disabled", "between_tools")),
                     *effort, message(model, temperature=0.2), message(model, temperature=0.2, top_p=0.9),
                     message(model, messages=SAID + [{"role": "assistant", "content": "Well"}]), message(model, **forced)]
            with self.subTest(model):
                self.assertEqual(self.shown(self.path, forms), expected.replace("|", "").split())

    def test_default_sampling_is_accepted_by_all(self):
        for model in MESSAGES:
            self.accepted(self.path, message(model, temperature=1))

    def test_a_refusal_has_the_body_of_the_api(self):
        answer = self.refused(self.path, message("claude-opus-4-7", thinking={"type": "enabled", "budget_tokens": 2000}),
                              "messages.thinking_enabled")
        self.assertEqual(answer, {"type": "error", "error": {
            "type": "invalid_request_error",
            "message": '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and '
                       '"output_config.effort" to control thinking behavior.'}, "request_id": "req_1"})

    def test_headers_and_json(self):
        version = {"anthropic-version": "2023-06-01"}
        self.refused(self.path, message("claude-opus-5"), "messages.key", version)
        self.refused(self.path, message("claude-opus-5"), "messages.version", {"x-api-key": "key"})
        self.accepted(self.path, message("claude-opus-5"), {"authorization": "Bearer token", **version})
        for data in (b"{", b"[]", b'{"a":1,"a":2}', b'{"model": NaN}', b'"\xff"'):
            self.refused(self.path, data, "messages.json")

    def test_members(self):
        self.refused(self.path, message("claude-opus-5", reasoning_effort="high"), "messages.extra")
        self.refused(self.path, message("claude-opus-9"), "messages.model")
        for name in ("model", "max_tokens", "messages"):
            body = message("claude-opus-5")
            del body[name]
            self.refused(self.path, body, "messages.required")
        answer = self.refused(self.path, message("claude-haiku-4-5") | {"max_tokens": 100000}, "messages.max_tokens")
        self.assertEqual(answer["error"]["message"], "max_tokens: 100000 > 64000, which is the maximum allowed number of "
                                                     "output tokens for claude-haiku-4-5")
        self.refused(self.path, message("claude-opus-5", max_tokens="9"), "messages.integer")
        self.refused(self.path, message("claude-opus-5", stop_sequences=["\n"]), "messages.stop_blank")
        for system, rule in ((1, "string"), ([{"type": "image"}], "system_tag"), ([{"type": "text", "text": ""}], "system_empty")):
            self.refused(self.path, message("claude-opus-5", system=system), f"messages.{rule}")

    def test_budgets(self):
        def thinking(budget, **more):
            return message("claude-sonnet-4-5", thinking={"type": "enabled", "budget_tokens": budget}, **more)

        self.accepted(self.path, thinking(1024))
        self.refused(self.path, thinking(1023), "messages.budget_least")
        self.refused(self.path, thinking(4000), "messages.budget_below")
        self.refused(self.path, thinking(1024, temperature=0.5), "messages.temperature_with_thinking")
        self.refused(self.path, thinking(1024, top_k=5), "messages.top_k_with_thinking")
        self.refused(self.path, thinking(1024, tools=[TOOL], tool_choice={"type": "tool", "name": "look"}),
                     "messages.choice_with_thinking")
        self.refused(self.path, message("claude-opus-4-6", thinking={"type": "adaptive", "budget_tokens": 2000}), "messages.extra")

    def test_effort_without_thinking(self):
        for model, kind in (("claude-opus-5", "disabled"), ("claude-haiku-5-5", "disabled"), ("claude-sonnet-5-5", "between_tools")):
            self.accepted(self.path, message(model, thinking={"type": kind}, output_config={"effort": "high"}))
            self.refused(self.path, message(model, thinking={"type": kind}, output_config={"effort": "max"}),
                         "messages.effort_without_thinking")
        self.accepted(self.path, message("claude-opus-4-8", thinking={"type": "disabled"}, output_config={"effort": "max"}))

    def test_order_and_content(self):
        def said(*messages):
            return message("claude-opus-5", messages=list(messages))

        user, assistant = {"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}
        self.accepted(self.path, said(user, user, assistant, assistant, user))
        self.refused(self.path, said(), "messages.none")
        self.refused(self.path, said(assistant, user), "messages.first_role")
        self.refused(self.path, said({"role": "tool", "content": "a"}), "messages.role")
        self.refused(self.path, said(user, {"role": "assistant", "content": ""}, user), "messages.empty")
        self.refused(self.path, said({"role": "user", "content": [{"type": "text", "text": ""}]}), "messages.empty_text")
        self.refused(self.path, said({"role": "user", "content": [{"type": "text", "text": " \n"}]}), "messages.blank_text")
        self.refused(self.path, said({"role": "user", "content": [
            {"type": "text", "text": "", "cache_control": {"type": "ephemeral"}}]}), "messages.empty_mark")
        self.accepted(self.path, said(user, {"role": "system", "content": "Be brief."}))
        self.refused(self.path, message("claude-sonnet-5", messages=[user, {"role": "system", "content": "a"}]),
                     "messages.system_role")
        self.refused(self.path, message("claude-sonnet-4-5", messages=[user, {"role": "assistant", "content": "b "}]),
                     "messages.trailing_space")

    def test_calls_and_results(self):
        def call(*ids):
            return {"role": "assistant", "content": [{"type": "tool_use", "id": one, "name": "look", "input": {}} for one in ids]}

        def result(*ids, after=()):
            return {"role": "user", "content": [*({"type": "tool_result", "tool_use_id": one, "content": "x"} for one in ids), *after]}

        def said(*messages):
            return message("claude-opus-5", tools=[TOOL], messages=[*SAID, *messages])

        text = {"type": "text", "text": "and"}
        self.accepted(self.path, said(call("a", "b"), result("b", "a", after=[text])))
        self.accepted(self.path, said(call("a"), result("a"), call("b"), result("b")))
        self.refused(self.path, said(call("a", "b"), result("a")), "messages.call_without_result")
        self.refused(self.path, said(call("a"), result("b")), "messages.result_without_call")
        self.refused(self.path, said(call("a"), *SAID), "messages.call_without_result")
        self.refused(self.path, said(call("a"), {"role": "user", "content": [text, *result("a")["content"]]}),
                     "messages.call_without_result")
        self.refused(self.path, said(result("a")), "messages.result_without_call")
        self.refused(self.path, said(call("a"), result("a", "a")), "messages.result_twice")
        self.refused(self.path, said(call("a"), result("a"), call("a"), result("a")), "messages.call_twice")
        self.refused(self.path, said(call("a b"), result("a b")), "messages.call_id")

    def test_tools(self):
        self.refused(self.path, message("claude-opus-5", tools=[{**TOOL, "name": "a.b"}]), "messages.tool_name")
        self.refused(self.path, message("claude-opus-5", tools=[TOOL, TOOL]), "messages.tool_twice")
        self.refused(self.path, message("claude-opus-5", tools=[{"name": "a"}]), "messages.required")
        self.refused(self.path, message("claude-opus-5", tools=[{"name": "a", "input_schema": {"type": "object", "anyOf": []}}]),
                     "messages.schema_top")
        self.refused(self.path, message("claude-opus-5", tool_choice={"type": "auto"}), "messages.choice_without_tools")
        self.refused(self.path, message("claude-opus-5", tools=[TOOL], tool_choice={"type": "tool", "name": "a"}),
                     "messages.choice_unknown")

    def test_marks(self):
        mark, long = {"type": "ephemeral"}, {"type": "ephemeral", "ttl": "1h"}

        def said(*marks, tools=(), **more):
            return message("claude-opus-5", tools=[{**TOOL, "cache_control": one} for one in tools] or None,
                           messages=[{"role": "user", "content": [{"type": "text", "text": "a", "cache_control": one} for one in marks]}],
                           **more)

        self.accepted(self.path, said(mark, mark, mark, mark))
        self.refused(self.path, said(mark, mark, mark, mark, mark), "messages.marks")
        self.refused(self.path, said(mark, mark, mark, mark, cache_control=mark), "messages.marks")
        self.accepted(self.path, said(mark, tools=[long]))
        self.refused(self.path, said(long, tools=[mark]), "messages.mark_order")
        self.refused(self.path, said({"type": "ephemeral", "ttl": "2h"}), "messages.mark_ttl")

    def test_counting(self):
        body = message("claude-opus-5")
        del body["max_tokens"]
        self.assertGreater(self.accepted("/v1/messages/count_tokens", body)["input_tokens"], 0)
        self.refused("/v1/messages/count_tokens", {**body, "stream": True}, "messages.extra")
        self.refused("/v1/messages/count_tokens", {**body, "temperature": 1}, "messages.extra")


class Data(unittest.TestCase):
    def test_every_rule_has_a_source_and_a_day(self):
        for family in FAMILIES:
            for name, rule in family.rules.items():
                self.assertTrue(rule["source"].startswith("https://"), (family.name, name))
                self.assertRegex(rule["checked"], r"^20\d\d-\d\d-\d\d$")
                self.assertIn(rule["basis"], BASES)
        for name, fact in DATA["errors"].items():
            self.assertTrue(fact["source"].startswith("https://") and fact["message"], name)
            self.assertIn(fact["basis"], BASES)

    def test_every_example_is_of_its_family(self):
        for family in FAMILIES:
            for model in family.examples:
                first = next(one for one in FAMILIES if one.wires[0] in family.wires and one.models.fullmatch(model))
                self.assertIs(first, family, model)

    def test_every_error_that_a_rule_names_is_there(self):
        names = json.dumps([family.rules for family in FAMILIES])
        for wire in {name.split(".")[0] for name in DATA["errors"]}:
            for name in set(re.findall(rf'"({wire}\.\w+)"', names)):
                self.assertIn(name, DATA["errors"])


if __name__ == "__main__":
    unittest.main()

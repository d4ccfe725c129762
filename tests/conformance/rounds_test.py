"""For each model of each wire: a question, a call and its result, sent back as they came, are accepted three times over."""
import unittest

from families import models_of
from talk import ServedCase

SCHEMA = {"type": "object", "properties": {"place": {"type": "string"}}, "required": ["place"], "additionalProperties": False}
CALLS = [{"name": "look", "input": {"place": "here"}}, {"name": "look", "input": {"place": "there"}}]
STEPS = [{"answer": {"text": "Let me look.", "thinking": "They want to know.", "calls": CALLS}}, {"answer": {"thinking": "Again.", "calls": CALLS[:1]}},
         {"answer": {"text": "Nothing is there."}}]
FUNCTION = {"name": "look", "description": "Looks.", "parameters": SCHEMA}


def messages_body(model, family):
    body = {"model": model, "max_tokens": 4000, "messages": [{"role": "user", "content": "What is there?"}],
            "tools": [{"name": "look", "description": "Looks.", "input_schema": SCHEMA}]}
    if "adaptive" in family["thinking"]:
        body["thinking"] = {"type": "adaptive"}
    elif "enabled" in family["thinking"]:
        body["thinking"] = {"type": "enabled", "budget_tokens": 1024}
    return body


def messages_next(body, answer):
    calls = [block for block in answer["content"] if block["type"] == "tool_use"]
    results = [{"type": "tool_result", "tool_use_id": call["id"], "content": "Nothing."} for call in calls]
    return {**body, "messages": [*body["messages"], {"role": "assistant", "content": answer["content"]},
                                 {"role": "user", "content": results or "And there?"}]}


def chat_body(model, family):
    body = {"model": model, "messages": [{"role": "user", "content": "What is there?"}]}
    if family["tools_with_reasoning"] != "never":
        body["tools"] = [{"type": "function", "function": FUNCTION}]
    if family["tools_with_reasoning"] == "none":
        body["reasoning_effort"] = "none"
    if family["thinking_only_streamed"]:
        body["enable_thinking"] = False
    return body


def chat_next(body, answer):
    said = {name: value for name, value in answer["choices"][0]["message"].items() if value is not None}
    results = [{"role": "tool", "tool_call_id": call["id"], "content": "Nothing."} for call in said.get("tool_calls", [])]
    return {**body, "messages": [*body["messages"], said, *(results or [{"role": "user", "content": "And there?"}])]}


def responses_body(model, family):
    body = {"model": model, "input": [{"role": "user", "content": "What is there?"}], "store": False, "tools": [{"type": "function", **FUNCTION}]}
    if family["efforts"]:
        body |= {"include": ["reasoning.encrypted_content"], "reasoning": {"summary": "auto"}}
    return body


def responses_next(body, answer):
    results = [{"type": "function_call_output", "call_id": item["call_id"], "output": "Nothing."}
               for item in answer["output"] if item["type"] == "function_call"]
    return {**body, "input": [*body["input"], *answer["output"], *(results or [{"role": "user", "content": "And there?"}])]}


def gemini_body(model, family):
    return {"contents": [{"role": "user", "parts": [{"text": "What is there?"}]}],
            "tools": [{"functionDeclarations": [{**FUNCTION, "parameters": {name: SCHEMA[name] for name in ("type", "properties", "required")}}]}],
            "generationConfig": {"thinkingConfig": {"includeThoughts": True}} if family["thinks"] else {}}


def gemini_next(body, answer):
    content = answer["candidates"][0]["content"]
    results = [{"functionResponse": {"name": part["functionCall"]["name"], "response": {"output": "Nothing."}}}
               for part in content["parts"] if "functionCall" in part]
    return {**body, "contents": [*body["contents"], content, {"role": "user", "parts": results or [{"text": "And there?"}]}]}


def ollama_body(model, family):
    return {"model": model, "stream": False, "messages": [{"role": "user", "content": "What is there?"}],
            **({"tools": [{"type": "function", "function": FUNCTION}]} if family["tools"] else {})}


def ollama_next(body, answer):
    said = answer["message"]
    results = [{"role": "tool", "tool_name": "look", "content": "Nothing."} for _ in said.get("tool_calls", [])]
    return {**body, "messages": [*body["messages"], said, *(results or [{"role": "user", "content": "And there?"}])]}


WIRES = {"messages": ("/v1/messages", messages_body, messages_next), "chat": ("/v1/chat/completions", chat_body, chat_next),
         "responses": ("/v1/responses", responses_body, responses_next),
         "gemini": ("/v1beta/models/{}:generateContent", gemini_body, gemini_next), "ollama": ("/api/chat", ollama_body, ollama_next)}


class Rounds(ServedCase):
    def test_what_came_is_accepted(self):
        talk = self.served(*STEPS)
        for wire, (path, first, following) in WIRES.items():
            for model, family in models_of(wire):
                talk.server.taken = 0
                body = first(model, family)
                for _ in range(4):
                    _, answer = talk.ask(path.format(model), body)
                    entry = talk.server.entries()[-1]
                    self.assertEqual(entry["verdict"], "ok", (wire, model, answer, entry.get("why")))
                    body = following(body, answer)
                prompts = [entry["prompt"] for entry in talk.server.entries()[-4:]]
                self.assertEqual(prompts, sorted(prompts))

    def test_a_missing_result_is_refused(self):
        talk = self.served(*STEPS)
        for wire, (path, first, following) in WIRES.items():
            name = {"responses": "input", "gemini": "contents"}.get(wire, "messages")
            for model, family in models_of(wire):
                if model != family.examples[0]:
                    continue
                talk.server.taken = 0
                body = first(model, family)
                body = following(body, talk.ask(path.format(model), body)[1])
                results = body[name].pop()
                if wire in ("messages", "gemini"):
                    members = "content" if wire == "messages" else "parts"
                    body[name].append({**results, members: results[members][:-1]})
                verdict = talk.verdict(path.format(model), body)
                self.assertEqual(verdict == "ok", family["vendor"] == "ollama", (wire, model, verdict))
                self.assertNotIn("shape", verdict)

    def test_the_prefix_is_kept(self):
        """Each wire's cache finds the whole of the request before, for the wires that cache by themselves."""
        for wire, model in (("chat", "gpt-4.1"), ("responses", "gpt-5.2"), ("gemini", "gemini-2.5-pro")):
            path, first, following = WIRES[wire]
            talk = self.served(*STEPS)
            body = first(model, next(family for name, family in models_of(wire) if name == model))
            for _ in range(3):
                body = following(body, talk.ask(path.format(model), body)[1])
            first_one, second, third = talk.server.entries()
            self.assertEqual(first_one["kept"], 0)
            for before, after in ((first_one, second), (second, third)):
                self.assertGreater(after["kept"], before["prompt"] - 20, (wire, before["prompt"], after["kept"]))


if __name__ == "__main__":
    unittest.main()

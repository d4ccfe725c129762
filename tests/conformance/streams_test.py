"""A stream makes the same answer as the whole has, on every wire; and the official clients read both, where they are installed."""
import importlib.util
import json
import unittest

from talk import CHAT, FUNCTION, MESSAGES, SAID, STEP, TOOL, ServedCase, events_of

RESPONSES = {"model": "gpt-5.2", "input": "Hello", "reasoning": {"effort": "low", "summary": "auto"}}
GEMINI = {"contents": [{"role": "user", "parts": [{"text": "Hello"}]}],
          "generationConfig": {"thinkingConfig": {"includeThoughts": True}}}
OLLAMA = {"model": "qwen3:8b", "messages": SAID, "think": True}


def gathered_messages(data):
    """Returns the message that a stream of the Messages API makes."""
    blocks, message = [], None
    for name, event in events_of(data):
        assert name == event["type"], (name, event)
        if name == "message_start":
            message = event["message"]
        elif name == "content_block_start":
            blocks.append(dict(event["content_block"], partial=""))
        elif name == "content_block_delta":
            delta = event["delta"]
            member = {"text_delta": "text", "thinking_delta": "thinking", "signature_delta": "signature",
                      "input_json_delta": "partial"}[delta["type"]]
            blocks[event["index"]][member] += delta["partial_json" if member == "partial" else member]
        elif name == "message_delta":
            message |= event["delta"] | {"usage": message["usage"] | event["usage"]}
    for block in blocks:
        partial = block.pop("partial")
        if block["type"] == "tool_use":
            block["input"] = json.loads(partial)
    return {**message, "content": blocks}


def gathered_chat(data):
    """Returns the message and the reason that a stream of Chat Completions makes."""
    message, reason, calls = {"content": "", "reasoning_content": ""}, None, {}
    events = [event for _, event in events_of(data)]
    assert events.pop() == "[DONE]"
    for event in events:
        for choice in event["choices"]:
            delta, reason = choice["delta"], choice["finish_reason"] or reason
            for name in ("content", "reasoning_content"):
                message[name] += delta.get(name) or ""
            for call in delta.get("tool_calls", []):
                one = calls.setdefault(call["index"], {"arguments": ""})
                one |= {name: call[name] for name in ("id", "type") if name in call}
                one["name"] = call["function"].get("name", one.get("name"))
                one["arguments"] += call["function"]["arguments"]
    return message, reason, list(calls.values()), events[-1].get("usage")


class Streams(ServedCase):
    def test_messages_whole_and_streamed_are_one(self):
        talk = self.served(STEP, STEP)
        whole = json.loads(talk.send("/v1/messages", MESSAGES)[2])
        streamed = gathered_messages(talk.send("/v1/messages", {**MESSAGES, "stream": True})[2])
        self.assertEqual([block["type"] for block in whole["content"]], ["thinking", "text", "tool_use"])
        self.assertEqual(whole["stop_reason"], "tool_use")
        for one in (whole, streamed):
            one.pop("id")
            one["content"][2].pop("id")
        self.assertEqual(streamed, whole)

    def test_chat_whole_and_streamed_are_one(self):
        talk = self.served(STEP, STEP)
        whole = talk.ask("/v1/chat/completions", CHAT)[1]
        body = {**CHAT, "stream": True, "stream_options": {"include_usage": True}}
        message, reason, calls, usage = gathered_chat(talk.send("/v1/chat/completions", body)[2])
        said = whole["choices"][0]["message"]
        self.assertEqual((message["content"], reason, usage["completion_tokens"]),
                         (said["content"], "tool_calls", whole["usage"]["completion_tokens"]))
        self.assertEqual((calls[0]["name"], json.loads(calls[0]["arguments"])), ("look", {"at": "ö"}))

    def test_responses_whole_and_streamed_are_one(self):
        talk = self.served(STEP, STEP)
        whole = talk.ask("/v1/responses", RESPONSES)[1]
        events = events_of(talk.send("/v1/responses", {**RESPONSES, "stream": True})[2])
        self.assertEqual([event["sequence_number"] for _, event in events], list(range(len(events))))
        self.assertTrue(all(name == event["type"] for name, event in events))
        self.assertEqual((events[0][0], events[1][0], events[-1][0]),
                         ("response.created", "response.in_progress", "response.completed"))
        texts = {"reasoning": "", "message": "", "function_call": ""}
        words = {"response.reasoning_summary_text.delta": "reasoning", "response.output_text.delta": "message",
                 "response.function_call_arguments.delta": "function_call"}
        for name, event in events:
            if name in words:
                texts[words[name]] += event["delta"]
        output = whole["output"]
        self.assertEqual([item["type"] for item in output], list(texts))
        self.assertEqual(list(texts.values()), [output[0]["summary"][0]["text"], output[1]["content"][0]["text"], output[2]["arguments"]])
        done = [event["item"] for name, event in events if name == "response.output_item.done"]
        self.assertEqual(done, events[-1][1]["response"]["output"])

    def test_a_response_may_be_incomplete_or_refuse(self):
        talk = self.served({"answer": {"text": "a", "stop": "max_tokens"}}, {"answer": {"text": "No.", "stop": "refusal"}},
                           {"answer": {"text": "a", "stop": "content_filter"}})
        events = events_of(talk.send("/v1/responses", {**RESPONSES, "stream": True})[2])
        self.assertEqual((events[-1][0], events[-1][1]["response"]["incomplete_details"]),
                         ("response.incomplete", {"reason": "max_output_tokens"}))
        self.assertEqual(talk.ask("/v1/responses", RESPONSES)[1]["output"][0]["content"], [{"type": "refusal", "refusal": "No."}])
        self.assertEqual(talk.ask("/v1/responses", RESPONSES)[1]["incomplete_details"], {"reason": "content_filter"})

    def test_gemini_whole_and_streamed_are_one(self):
        talk = self.served(STEP, STEP, STEP)
        path = "/v1beta/models/gemini-3-pro-preview:"
        whole = talk.ask(path + "generateContent", GEMINI)[1]
        data = talk.send(path + "streamGenerateContent?alt=sse", GEMINI)[2].replace(b"\r\n", b"\n")
        for chunks in ([event for _, event in events_of(data)], talk.ask(path + "streamGenerateContent", GEMINI)[1]):
            parts = [part for chunk in chunks for part in chunk["candidates"][0]["content"].get("parts", [])]
            for is_thought in (True, False):
                said, wanted = ("".join(part["text"] for part in each if "text" in part and part.get("thought", False) == is_thought)
                                for each in (parts, whole["candidates"][0]["content"]["parts"]))
                self.assertEqual(said, wanted)
            calls = [part for part in parts if "functionCall" in part]
            self.assertEqual((calls[0]["functionCall"]["args"], "thoughtSignature" in calls[0]), ({"at": "ö"}, True))
            self.assertEqual(chunks[-1]["candidates"][0]["finishReason"], "STOP")
            self.assertEqual(chunks[-1]["usageMetadata"]["thoughtsTokenCount"], whole["usageMetadata"]["thoughtsTokenCount"])

    def test_reasons_of_gemini(self):
        for stop, reason in (("content_filter", "SAFETY"), ("malformed_call", "MALFORMED_FUNCTION_CALL"), ("RECITATION", "RECITATION")):
            talk = self.served({"answer": {"text": "", "stop": stop}})
            candidate = talk.ask("/v1beta/models/gemini-2.5-pro:generateContent", GEMINI)[1]["candidates"][0]
            self.assertEqual((candidate["finishReason"], "content" in candidate), (reason, False))

    def test_ollama_whole_and_streamed_are_one(self):
        talk = self.served(STEP, STEP)
        whole = talk.ask("/api/chat", {**OLLAMA, "stream": False})[1]
        status, headers, data = talk.send("/api/chat", OLLAMA)
        lines = [json.loads(line) for line in data.splitlines()]
        self.assertEqual(headers["content-type"], "application/x-ndjson")
        for name in ("thinking", "content"):
            self.assertEqual("".join(line["message"].get(name, "") for line in lines), whole["message"][name])
        calls = [call for line in lines for call in line["message"].get("tool_calls", [])]
        self.assertEqual([call["function"]["arguments"] for call in calls], [{"at": "ö"}])
        self.assertEqual((lines[-1]["done"], lines[-1]["done_reason"], lines[-1]["eval_count"]), (True, "stop", whole["eval_count"]))

    def test_errors_within_streams(self):
        faulty = {**STEP, "fault": {"error_event": 503, "after": 1}}
        talk = self.served(faulty, faulty, faulty)
        self.assertEqual(events_of(talk.send("/v1/responses", {**RESPONSES, "stream": True})[2])[-1][0], "error")
        data = talk.send("/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse", GEMINI)[2].replace(b"\r\n", b"\n")
        self.assertEqual(events_of(data)[-1][1]["error"]["status"], "UNAVAILABLE")
        self.assertIn("error", json.loads(talk.send("/api/chat", OLLAMA)[2].splitlines()[-1]))

    def test_statuses_of_each_wire(self):
        for path, body in (("/v1/responses", RESPONSES), ("/v1beta/models/gemini-2.5-pro:generateContent", GEMINI), ("/api/chat", OLLAMA)):
            for status in (429, 500, 503):
                answer = self.served({"fault": {"status": status}}).ask(path, body)
                self.assertEqual((answer[0], "error" in answer[1]), (status, True))
            self.assertEqual(self.served({"fault": "too_long"}).ask(path, body)[0], 400)


def needs(module):
    try:
        is_there = importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # Of `google`.
        is_there = False
    return unittest.skipUnless(is_there, f"the Python package {module} is not installed")


@needs("anthropic")
class AnthropicClient(ServedCase):
    def client(self, *steps):
        import anthropic
        return anthropic.Anthropic(api_key="key", base_url=self.served(*steps).server.url, max_retries=2)

    def test_it_reads_answers_and_streams(self):
        client = self.client(STEP, STEP)
        whole = client.messages.create(**MESSAGES, tools=[TOOL])
        self.assertEqual([block.type for block in whole.content], ["thinking", "text", "tool_use"])
        with client.messages.stream(**MESSAGES, tools=[TOOL]) as stream:
            made = stream.get_final_message()
        self.assertEqual([block.type for block in made.content], ["thinking", "text", "tool_use"])
        self.assertEqual(made.content[2].input, {"at": "ö"})

    def test_it_retries_and_raises(self):
        import anthropic
        client = self.client({"fault": {"status": 529}}, {"fault": {"status": 429, "headers": {"retry-after": "0"}}}, STEP)
        self.assertEqual(client.messages.create(**MESSAGES).stop_reason, "tool_use")
        with self.assertRaises(anthropic.BadRequestError):
            client.messages.create(**{**MESSAGES, "model": "claude-opus-4-7", "thinking": {"type": "enabled", "budget_tokens": 1024}})


@needs("openai")
class OpenaiClient(ServedCase):
    def client(self, *steps):
        import openai
        return openai.OpenAI(api_key="key", base_url=self.served(*steps).server.url + "/v1", max_retries=1)

    def test_chat(self):
        import openai
        client = self.client(STEP, STEP)
        made = client.chat.completions.create(**CHAT, tools=[FUNCTION])
        self.assertEqual(made.choices[0].message.tool_calls[0].function.name, "look")
        chunks = list(client.chat.completions.create(**CHAT, tools=[FUNCTION], stream=True))
        self.assertEqual(chunks[-1].choices[0].finish_reason, "tool_calls")
        with self.assertRaises(openai.BadRequestError) as caught:
            client.chat.completions.create(**{**CHAT, "model": "gpt-5"}, temperature=0)
        self.assertEqual((caught.exception.param, caught.exception.code), ("temperature", "unsupported_value"))

    def test_responses(self):
        client = self.client(STEP, STEP)
        made = client.responses.create(**RESPONSES)
        self.assertEqual([item.type for item in made.output], ["reasoning", "message", "function_call"])
        with client.responses.stream(**RESPONSES) as stream:
            self.assertEqual(stream.get_final_response().output_text, STEP["answer"]["text"])


@needs("google.genai")
class GeminiClient(ServedCase):
    def test_it_reads_answers_and_streams(self):
        from google import genai
        client = genai.Client(api_key="key", http_options={"base_url": self.served(STEP, STEP).server.url})
        config = {"thinking_config": {"thinking_level": "low", "include_thoughts": True}}
        made = client.models.generate_content(model="gemini-3-pro-preview", contents="Hello", config=config)
        self.assertEqual([bool(part.thought) for part in made.candidates[0].content.parts], [True, False, False])
        self.assertEqual(made.function_calls[0].args, {"at": "ö"})
        chunks = list(client.models.generate_content_stream(model="gemini-3-pro-preview", contents="Hello", config=config))
        self.assertEqual(chunks[-1].candidates[0].finish_reason.value, "STOP")


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""Frameworks whose own OpenTelemetry goes to `spoor receive`: what the store has afterwards is compared with the
messages that the framework itself kept of the run.

Environment: SPOOR_PROGRAM, SPOOR_FAKE_PROVIDER."""
import asyncio
import base64
import http.client
import http.server
import importlib.util
import itertools
import json
import os
import pathlib
import subprocess
import sys
import threading
import unittest
import urllib.parse
import urllib.request

if not importlib.util.find_spec("opentelemetry.sdk"):
    print("skipped: no opentelemetry-sdk")
    sys.exit(0)
from google.protobuf import json_format
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "receive"))
from receive_test import Place  # noqa: E402

KEY = "sk-interop"


class JsonExporter(SpanExporter):
    """Posts spans as OTLP/JSON: ids in hex, enumerations as numbers."""

    def __init__(self, endpoint):
        self.endpoint = endpoint

    def export(self, spans):
        document = json_format.MessageToDict(encode_spans(spans), use_integers_for_enums=True)
        for batch in document["resourceSpans"]:
            for span in itertools.chain(*(scope["spans"] for scope in batch["scopeSpans"])):
                for name in ("traceId", "spanId", "parentSpanId"):
                    if name in span:
                        span[name] = base64.b64decode(span[name]).hex()
        request = urllib.request.Request(self.endpoint, json.dumps(document).encode(),
                                         {"Content-Type": "application/json"})
        with urllib.request.urlopen(request) as response:
            return SpanExportResult.SUCCESS if response.status == 200 else SpanExportResult.FAILURE


class Relay(http.server.BaseHTTPRequestHandler):
    """Forwards to the fake provider, whose answers all have one id, and gives each answer an id of its own."""
    numbers = itertools.count(1)
    provider = ""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        # The provider knows a result by the id of its call, which Ollama's API does not have.
        body = body.replace(b'"role":"tool"', b'"role":"tool","tool_call_id":""')
        link = http.client.HTTPConnection(urllib.parse.urlsplit(self.provider).netloc)
        link.request("POST", self.path, body, {name: value for name, value in self.headers.items()
                                               if name.lower() not in ("host", "accept-encoding", "content-length")})
        response = link.getresponse()
        answer = response.read().replace(b"msg_01", b"msg_%d" % (100 + next(self.numbers)))
        self.send_response(response.status)
        self.send_header("Content-Type", response.getheader("Content-Type"))
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)
        link.close()

    def log_message(self, *_):
        pass


class Stage:
    """A scripted provider, and a receiver for each encoding, which the spans of `tracers` go to."""

    def __init__(self):
        self.fake = subprocess.Popen([os.environ["SPOOR_FAKE_PROVIDER"]], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                     text=True)
        relay = type("Relay", (Relay,), {"provider": self.fake.stdout.readline().strip()})
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), relay)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        self.protobuf, self.json = Place(), Place()
        self.spans = InMemorySpanExporter()
        self.tracers = TracerProvider()
        for place, exporter in ((self.protobuf, OTLPSpanExporter), (self.json, JsonExporter)):
            place.start()
            self.tracers.add_span_processor(BatchSpanProcessor(exporter(endpoint=place.address + "/v1/traces")))
        self.tracers.add_span_processor(BatchSpanProcessor(self.spans))

    def finish(self):
        """Ends the run: all that was sent is in the stores."""
        self.tracers.shutdown()
        for place in (self.protobuf, self.json):
            place.stop()

    def close(self):
        self.server.shutdown()
        self.server.server_close()
        self.fake.stdin.close()
        self.fake.wait()
        self.fake.stdout.close()
        for place in (self.protobuf, self.json):
            place.close()

    def turns(self, conversation):
        return self.protobuf.commits(f"refs/heads/otel/{conversation}")

    def costs(self):
        rows = json.loads(self.protobuf.spoor("cost", "--json"))["costs"]
        return {name: sum(row[name] for row in rows) for name in ("answers", "input_tokens", "output_tokens")}

    def durations(self, attribute):
        """The milliseconds of each span that has an attribute, by its value."""
        return [(span.attributes[attribute], (span.end_time // 1000 - span.start_time // 1000) // 1000)
                for span in self.spans.get_finished_spans() if attribute in span.attributes]


def shapes(turns):
    """The turns of a store, as the tests write them."""
    return [(turn["type"], turn["text"],
             [(call["id"], call["name"], json.loads(call["arguments"])) for call in turn["tool_calls"] or []],
             (turn["call_id"], turn["is_error"]) if turn["type"] == "tool" else None) for turn in turns]


def get_weather(city: str) -> str:
    """Returns the weather of a city."""
    return f"18 degrees in {city}"


@unittest.skipUnless(importlib.util.find_spec("pydantic_ai"), "no pydantic-ai")
class PydanticAiTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.stage = Stage()
        cls.addClassCleanup(cls.stage.close)
        cls.histories = {}  # Of each conversation, the messages that Pydantic AI has in the end.
        asyncio.run(cls.run_agents())
        cls.stage.finish()

    @classmethod
    async def run_agents(cls):
        from pydantic_ai import Agent, InstrumentationSettings, ModelRetry, capture_run_messages
        from pydantic_ai.models.anthropic import AnthropicModel
        from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
        from pydantic_ai.providers.anthropic import AnthropicProvider
        from pydantic_ai.providers.openai import OpenAIProvider

        def refusing(city: str) -> str:
            raise ModelRetry(f"no city {city}")

        def broken(city: str) -> str:
            raise RuntimeError("the thermometer broke")

        url = cls.stage.url
        models = {
            "chat": lambda key: OpenAIChatModel("gpt-5", provider=OpenAIProvider(base_url=url + "/v1", api_key=key)),
            "responses": lambda key: OpenAIResponsesModel(
                "gpt-5", provider=OpenAIProvider(base_url=url + "/v1", api_key=key)),
            "messages": lambda key: AnthropicModel(
                "claude-sonnet-5", provider=AnthropicProvider(base_url=url, api_key=key)),
        }
        for api, make in models.items():
            def agent(tool=get_weather, key=KEY):
                made = Agent(make(key), instructions="Be brief.", name="weather")
                made.instrument = InstrumentationSettings(tracer_provider=cls.stage.tracers)
                made.tool_plain(name="get_weather")(tool)
                return made

            def asked(name):
                # Each has words of its own: equal conversations are one in the store.
                return {"user_prompt": f"How is it in Paris? ({api}, {name})", "conversation_id": f"{api}-{name}"}

            first = await agent().run(**asked("twice"))
            second = await agent().run("And tomorrow?", message_history=first.all_messages())
            cls.histories[f"{api}-twice"] = second.all_messages()
            async with agent().run_stream(**asked("stream")) as run:
                async for _ in run.stream_text():
                    pass
                cls.histories[f"{api}-stream"] = run.all_messages()
            cls.histories[f"{api}-retry"] = (await agent(refusing).run(**asked("retry"))).all_messages()
            for name, made in (("broken", agent(broken)), ("denied", agent(key="sk-wrong"))):
                with capture_run_messages() as messages:
                    try:
                        await made.run(**asked(name))
                    except Exception as error:  # What it raises depends on the model's class.
                        cls.histories[f"{api}-{name}"] = list(messages)
                        assert "broke" in str(error) or "401" in str(error), error
                    else:
                        raise AssertionError(f"{name} did not fail")

    @staticmethod
    def expected(messages):
        """The turns of a message history."""
        turns, instructions = [], None
        for message in messages:
            if message.kind == "request":
                if message.instructions and message.instructions != instructions:
                    instructions = message.instructions
                    turns.append(("system", instructions, [], None))
                for part in message.parts:
                    if part.part_kind == "user-prompt":
                        turns.append(("user", part.content, [], None))
                    else:
                        turns.append(("tool", part.content, [], (part.tool_call_id, part.outcome != "success")))
                continue
            turns += [("reasoning", part.content, [], None) for part in message.parts if part.part_kind == "thinking"]
            turns.append(("assistant", "".join(part.content for part in message.parts if part.part_kind == "text"),
                          [(part.tool_call_id, part.tool_name, part.args_as_dict()) for part in message.parts
                           if part.part_kind == "tool-call"], None))
        return turns

    def named(self, end):
        found = {name: messages for name, messages in self.histories.items() if name.endswith(end)}
        self.assertEqual(len(found), 3)
        return found

    def test_turns_are_those_of_the_message_history(self):
        for end in ("twice", "stream", "retry"):
            for name, messages in self.named(end).items():
                with self.subTest(name):
                    self.assertEqual(shapes(self.stage.turns(name)), self.expected(messages))
                    self.assertGreaterEqual(len(messages), 3)
        count = sum(len(self.expected(messages)) for messages in self.histories.values())
        print(f"pydantic-ai: {count} turns of {len(self.histories)} conversations as in its message histories")

    def test_answers_have_their_model_tokens_and_durations(self):
        durations = dict(self.stage.durations("gen_ai.response.id"))
        for name, messages in self.named("twice").items():
            answers = [turn["meta"] for turn in self.stage.turns(name) if turn["type"] == "assistant"]
            responses = [message for message in messages if message.kind == "response"]
            self.assertEqual(
                [(meta["model"], meta["message_id"], meta["finish_reason"], meta["usage"]["prompt_tokens"],
                  meta["usage"]["completion_tokens"], meta["latency_ms"]) for meta in answers],
                [(each.model_name, each.provider_response_id, each.finish_reason, each.usage.input_tokens,
                  each.usage.output_tokens, durations[each.provider_response_id]) for each in responses])

    def test_the_cost_is_the_sum_of_the_usages(self):
        responses = [message for messages in self.histories.values() for message in messages
                     if message.kind == "response"]
        self.assertEqual(self.stage.costs(), {
            "answers": len(responses), "input_tokens": sum(each.usage.input_tokens for each in responses),
            "output_tokens": sum(each.usage.output_tokens for each in responses)})

    def test_a_tool_that_raised_has_its_exception_as_its_result(self):
        for name, messages in self.named("broken").items():
            self.assertEqual(shapes(self.stage.turns(name)), [
                *self.expected(messages), ("tool", "RuntimeError: the thermometer broke", [], ("call_1", True))])

    def test_a_call_that_was_denied_makes_no_turns_and_its_spans_are_kept(self):
        heads = self.stage.protobuf.heads()
        for name in self.named("denied"):
            self.assertNotIn(f"refs/heads/otel/{name}", heads)
        self.assertEqual(self.stage.protobuf.spans(), sorted(f"{span.context.span_id:016x}"
                                                             for span in self.stage.spans.get_finished_spans()))

    def test_the_prompt_of_the_next_call_is_the_history(self):
        for name, messages in self.named("twice").items():
            sent = json.loads(self.stage.protobuf.spoor("compile", "--to", "openai", f"otel/{name}"))
            told = [turn for turn in self.expected(messages) if turn[0] != "reasoning"]
            sent = sent if isinstance(sent, list) else sent["messages"]
            self.assertEqual([(each["role"], each["content"]) for each in sent], [turn[:2] for turn in told])

    def test_both_encodings_are_the_same_commits(self):
        self.assertEqual(self.stage.protobuf.heads(), self.stage.json.heads())
        self.assertEqual(len(self.stage.json.heads()), 12)


@unittest.skipUnless(importlib.util.find_spec("llama_index") and importlib.util.find_spec("openinference"),
                     "no llama-index or no openinference")
class LlamaIndexTest(unittest.TestCase):
    """By OpenInference's instrumentation, whose messages have no thinking."""

    @classmethod
    def setUpClass(cls):
        from openinference.instrumentation.llama_index import LlamaIndexInstrumentor

        cls.stage = Stage()
        cls.addClassCleanup(cls.stage.close)
        cls.histories = {}  # Of each conversation, the messages in LlamaIndex's memory in the end.
        cls.outputs = []  # Of each run that ended well.
        LlamaIndexInstrumentor().instrument(tracer_provider=cls.stage.tracers)
        try:
            asyncio.run(cls.run_agents())
        finally:
            LlamaIndexInstrumentor().uninstrument()
        cls.stage.finish()

    @classmethod
    async def run_agents(cls):
        from llama_index.core.agent.workflow import FunctionAgent
        from llama_index.core.memory import Memory
        from llama_index.core.tools import FunctionTool
        from llama_index.llms.ollama import Ollama
        from openinference.instrumentation import using_session

        def broken(city: str) -> str:
            raise RuntimeError("the thermometer\nbroke")

        async def converse(name, *questions, tool=get_weather, key=KEY, streaming=False):
            llm = Ollama(model="gpt-oss:20b", base_url=cls.stage.url, context_window=8192,
                         headers={"Authorization": f"Bearer {key}"})
            agent = FunctionAgent(tools=[FunctionTool.from_defaults(tool, name="get_weather")], llm=llm,
                                  system_prompt="Be brief.", streaming=streaming)
            memory = Memory.from_defaults(session_id=name, token_limit=40000)
            with using_session(name):
                for question in questions:
                    try:
                        cls.outputs.append(await agent.run(f"{question} ({name})", memory=memory))
                    finally:
                        cls.histories[name] = await memory.aget_all()

        await converse("twice", "How is it in Paris?", "And tomorrow?")
        await converse("stream", "How is it in Paris?", streaming=True)
        await converse("broken", "How is it in Paris?", tool=broken)
        try:
            await converse("denied", "How is it in Paris?", key="sk-wrong")
        except Exception as error:
            assert "401" in str(error), error
        else:
            raise AssertionError("it was not denied")

    def expected(self, messages, failed):
        turns = [("system", "Be brief.", [], None)]
        for message in messages:
            calls = [("call-1", block.tool_name, block.tool_kwargs) for block in message.blocks
                     if block.block_type == "tool_call"]  # Ollama's calls have no ids.
            of = ("call-1", failed) if message.role.value == "tool" else None
            turns.append((message.role.value, message.content or "", calls, of))
        return turns

    def test_turns_are_those_of_the_memory(self):
        for name, messages in self.histories.items():
            with self.subTest(name):
                self.assertEqual(shapes(self.stage.turns(name)), self.expected(messages, failed=name == "broken"))
        self.assertEqual([len(messages) for messages in self.histories.values()], [6, 4, 4, 1])
        count = sum(1 + len(messages) for messages in self.histories.values())
        print(f"llama-index by OpenInference: {count} turns of {len(self.histories)} conversations as in its memory")

    def test_what_failed_is_what_the_agent_says(self):
        said = [call.tool_output.is_error for output in self.outputs for call in output.tool_calls]
        results = [turn for name in self.histories for turn in self.stage.turns(name) if turn["type"] == "tool"]
        self.assertEqual([turn["is_error"] for turn in results], said)
        self.assertEqual(said, [False, False, True])
        self.assertEqual([turn["meta"]["duration_ms"] for turn in results],
                         [took for _, took in self.stage.durations("tool.name")])

    def test_answers_have_their_model_and_tokens(self):
        usage = self.outputs[0].raw["usage"]
        answers = [turn["meta"] for name in self.histories for turn in self.stage.turns(name)
                   if turn["type"] == "assistant"]
        self.assertEqual({meta["model"] for meta in answers}, {"gpt-oss:20b"})
        counts = [message.role.value for messages in self.histories.values() for message in messages].count("assistant")
        self.assertEqual(self.stage.costs(), {
            "answers": counts, "input_tokens": counts * usage["prompt_tokens"],
            "output_tokens": counts * usage["completion_tokens"]})
        self.assertEqual([(meta["usage"]["prompt_tokens"], meta["usage"]["completion_tokens"]) for meta in answers],
                         [(usage["prompt_tokens"], usage["completion_tokens"])] * counts)
        took = [took for _, took in self.stage.durations("llm.token_count.prompt")]
        self.assertEqual([meta["latency_ms"] for meta in answers], took)

    def test_both_encodings_are_the_same_commits(self):
        self.assertEqual(self.stage.protobuf.heads(), self.stage.json.heads())
        self.assertEqual(len(self.stage.json.heads()), 4)


if __name__ == "__main__":
    unittest.main()

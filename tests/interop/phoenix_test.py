#!/usr/bin/env python3
"""The OpenTelemetry that `spoor export --post` sends, in Phoenix: its spans, their durations, tokens, costs and texts are compared
with the session's own file and with the recorded requests, and what Phoenix gives back is received into another store.

Environment: SPOOR_PROGRAM; SPOOR_PHOENIX is a Python that has arize-phoenix (default: this one). Phoenix runs at the loopback
address, in a folder of its own, and counts costs with its own list of prices."""
import datetime
import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.parse
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/receive"))
PHOENIX = os.environ.get("SPOOR_PHOENIX", sys.executable)
if subprocess.run([PHOENIX, "-c", "import phoenix.server"], capture_output=True, check=False).returncode:
    print("skipped: no arize-phoenix (SPOOR_PHOENIX names a Python that has it)")
    sys.exit(0)
from receive_test import Place  # noqa: E402

SAMPLE = ROOT / "examples/data/sample-session.jsonl"
PATIENCE = 120  # Seconds.
COSTS = "{projects{edges{node{spans(first:1000){edges{node{spanId latencyMs costSummary{total{cost}}}}}}}}}"


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Phoenix:
    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()
        port = free_port()
        self.address = f"http://127.0.0.1:{port}"
        self.process = subprocess.Popen(
            [PHOENIX, "-m", "phoenix.server.main", "serve"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, "PHOENIX_WORKING_DIR": self.folder.name, "PHOENIX_HOST": "127.0.0.1", "PHOENIX_PORT": str(port),
                 "PHOENIX_GRPC_PORT": str(free_port()), "PHOENIX_TELEMETRY_ENABLED": "false", "HOME": self.folder.name})
        self.wait(lambda: self.ask("/v1/projects"))

    @staticmethod
    def wait(what):
        until = time.monotonic() + PATIENCE
        while True:
            try:
                if found := what():
                    return found
            except (urllib.error.URLError, ConnectionError):
                pass
            if time.monotonic() > until:
                raise AssertionError("Phoenix did not answer in time")
            time.sleep(0.5)

    def ask(self, path, body=None):
        request = urllib.request.Request(self.address + path, json.dumps(body).encode() if body else None,
                                         {"Content-Type": "application/json"})
        with urllib.request.urlopen(request) as response:
            return json.load(response)

    def spans(self, count):
        """All spans, once there are `count`; Phoenix writes them after it has answered."""
        def all_of_them():
            found = self.ask("/v1/projects/default/spans?limit=1000")["data"]
            return found if len(found) >= count else None
        return {span["context"]["span_id"]: span for span in self.wait(all_of_them)}

    def figures(self):
        """The milliseconds and the cost of each span, as its own pages have them."""
        nodes = self.ask("/graphql", {"query": COSTS})["data"]["projects"]["edges"][0]["node"]["spans"]["edges"]
        return {each["node"]["spanId"]: (each["node"]["latencyMs"], ((each["node"]["costSummary"] or {}).get("total") or {}).get("cost"))
                for each in nodes}

    def otlp(self):
        """Its spans in OTLP, with the members named as OTLP/JSON names them."""
        spans = self.ask("/v1/projects/default/spans/otlpv1?limit=1000")["data"]
        return {"resourceSpans": [{"scopeSpans": [{"spans": [otlp_json(span) for span in spans]}]}]}

    def close(self):
        self.process.terminate()
        self.process.wait(60)
        self.folder.cleanup()


def otlp_json(value):
    if isinstance(value, list):
        return [otlp_json(each) for each in value]
    if not isinstance(value, dict):
        return value
    return {re.sub("_(.)", lambda found: found[1].upper(), name): otlp_json(each)
            for name, each in value.items() if each is not None}


def messages_of(span, side):
    """Role, text and calls of each message of a span: attributes llm.input_messages.N.message.…"""
    found = {}
    for key, value in span["attributes"].items():
        if match := re.fullmatch(rf"llm\.{side}_messages\.(\d+)\.message\.(.*)", key):
            found.setdefault(int(match[1]), {})[match[2]] = value
    made = []
    for _, members in sorted(found.items()):
        text = members.get("content") or "".join(
            members[name] for name in sorted(members) if re.fullmatch(r"contents\.\d+\.message_content\.text", name))
        calls = [(members[f"tool_calls.{n}.tool_call.function.name"],
                  json.loads(members[f"tool_calls.{n}.tool_call.function.arguments"]))
                 for n in range(sum(name.endswith("tool_call.function.name") for name in members))]
        made.append((members["role"], text, calls))
    return made


def micros(text):
    return round(datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp() * 1_000_000)


class PhoenixTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.phoenix = Phoenix()
        cls.addClassCleanup(cls.phoenix.close)
        cls.place = Place()
        cls.addClassCleanup(cls.place.close)
        cls.place.spoor("import", str(SAMPLE))
        post = ("--post", cls.phoenix.address, "--content")
        cls.place.spoor("export", "1", *post)
        (cls.place.path / "examples").symlink_to(ROOT / "examples")
        subprocess.run(["cp", "-r", str(ROOT / "examples/data/slug"), str(cls.place.path / "slug")], check=True)
        cls.place.spoor("--store", "work", "run", "make ./check.sh pass", "--model", "scripted/examples/data/agent-replies.jsonl",
                        "--root", "slug", "--tools", "read_file,edit_file,run_command")
        cls.place.spoor("--store", "work", "export", "latest", *post)
        cls.spans = cls.phoenix.spans(24 + 11)
        cls.figures = cls.phoenix.figures()
        cls.records = [json.loads(line) for line in SAMPLE.read_text(encoding="utf-8").splitlines()]

    def answers(self):
        """Each answer of the branch that was exported, the one that the file ends with: its records."""
        by_id = {record["uuid"]: record for record in self.records if "uuid" in record}
        line, at = [], list(by_id.values())[-1]
        while at:
            line.insert(0, at)
            at = by_id.get(at.get("parentUuid"))
        answers = {}
        for record in line:
            if record["type"] == "assistant":
                answers.setdefault(record["message"]["id"], []).append(record)
        self.assertEqual(len(answers), 10)
        return answers

    def span_of(self, answer):
        [span] = [span for span in self.spans.values() if span["attributes"].get("gen_ai.response.id") == answer]
        return span

    def test_all_spans_are_there_as_a_tree(self):
        self.assertEqual(len(self.spans), 35)
        roots = [span for span in self.spans.values() if span["parent_id"] is None]
        self.assertEqual(sorted(span["name"] for span in roots), ["invoke_agent claude-code", "invoke_agent spoor/react"])
        self.assertTrue(all(span["parent_id"] in self.spans for span in self.spans.values() if span["parent_id"]))
        kinds = {name: {span["span_kind"] for span in self.spans.values() if span["name"].split()[0] == name}
                 for name in ("invoke_agent", "chat", "execute_tool")}
        self.assertEqual(kinds, {"invoke_agent": {"AGENT"}, "chat": {"LLM"}, "execute_tool": {"TOOL"}})

    def test_tokens_are_those_of_the_session_file(self):
        for answer, records in self.answers().items():
            usage = records[-1]["message"]["usage"]
            read, written = usage["cache_read_input_tokens"], usage["cache_creation_input_tokens"]
            attributes = self.span_of(answer)["attributes"]
            self.assertEqual(
                [attributes.get("llm.token_count." + name) for name in (
                    "prompt", "completion", "prompt_details.cache_read", "prompt_details.cache_write")],
                [usage["input_tokens"] + read + written, usage["output_tokens"], read, written], answer)

    def test_costs_are_those_of_phoenix(self):
        counted = 0
        for span in self.spans.values():
            cost = self.figures[span["context"]["span_id"]][1]
            if span["attributes"].get("llm.model_name", "").startswith("claude") and span["span_kind"] == "LLM":
                self.assertAlmostEqual(float(span["attributes"]["spoor.cost_usd"]), cost, places=9)
                counted += 1
        self.assertEqual(counted, len(self.answers()))
        print(f"phoenix: {len(self.spans)} spans; {counted} costs equal to those that Phoenix counts with its own prices")

    def test_an_answer_takes_from_the_record_before_it_to_its_last(self):
        times = [(micros(record["timestamp"]), record) for record in self.records if "timestamp" in record]
        for answer, records in self.answers().items():
            span = self.span_of(answer)
            mine = {record["uuid"] for record in records}
            first = min(micros(record["timestamp"]) for record in records)
            begin = max((at for at, record in times if at < first and record.get("uuid") not in mine), default=first)
            end = max(micros(record["timestamp"]) for record in records)
            self.assertEqual(micros(span["end_time"]), end, answer)
            self.assertEqual(micros(span["start_time"]), begin, answer)
            self.assertEqual(self.figures[span["context"]["span_id"]][0], (end - begin) / 1000)

    def test_texts_and_calls_of_answers_are_those_of_the_session_file(self):
        for answer, records in self.answers().items():
            blocks = [block for record in records for block in record["message"]["content"]]
            text = "".join(block["text"] for block in blocks if block["type"] == "text")
            calls = [(block["name"], block["input"]) for block in blocks if block["type"] == "tool_use"]
            self.assertEqual(messages_of(self.span_of(answer), "output"), [("assistant", text, calls)])

    def test_results_of_tools_are_those_of_the_session_file(self):
        tools = {span["attributes"]["tool.id"]: span for span in self.spans.values()
                 if span["attributes"].get("tool.id", "").startswith("toolu_")}
        seen = 0
        for record in self.records:
            content = (record.get("message") or {}).get("content")
            for block in content if isinstance(content, list) else []:
                if block["type"] == "tool_result" and block["tool_use_id"] in tools:
                    span = tools[block["tool_use_id"]]
                    self.assertEqual(span["attributes"]["output.value"], block["content"])
                    self.assertEqual(span["status_code"], "ERROR" if block.get("is_error") else "UNSET")
                    seen += 1
        self.assertEqual(seen, len(tools))
        self.assertEqual(seen, 13)

    def test_messages_of_a_run_are_those_of_its_requests(self):
        answers = [event for event in map(json.loads, self.place.spoor("--store", "work", "events", "--jsonl").splitlines())
                   if event["model_output"]]
        spans = {span["attributes"].get("spoor.commit"): span for span in self.spans.values() if span["span_kind"] == "LLM"}
        self.assertEqual(len(answers), 5)
        for turn in answers:
            sent = json.loads(self.place.spoor("--store", "work", "prompt", turn["commit"]).splitlines()[0])
            wanted = [(each["role"], each["content"] or "", [
                (call["function"]["name"], json.loads(call["function"]["arguments"])) for call in each.get("tool_calls", [])])
                for each in sent["messages"]]
            span = spans[turn["commit"]]
            self.assertEqual(messages_of(span, "input"), wanted)
            tools = [json.loads(value)["function"]["name"] for key, value in sorted(span["attributes"].items())
                     if re.fullmatch(r"llm\.tools\.\d+\.tool\.json_schema", key)]
            self.assertEqual(tools, [tool["function"]["name"] for tool in sent["tools"]])

    def test_what_phoenix_gives_back_is_the_run_again(self):
        other = Place()
        self.addCleanup(other.close)
        other.start()
        request = urllib.request.Request(other.address + "/v1/traces", json.dumps(self.phoenix.otlp()).encode(),
                                         {"Content-Type": "application/json"})
        with urllib.request.urlopen(request) as response:
            self.assertEqual(json.load(response), {})
        other.stop()
        run = json.loads(self.place.spoor("--store", "work", "export", "main", "--openai"))["messages"]
        heads = [name.removeprefix("refs/heads/") for name in other.heads() if name.startswith("refs/heads/otel/")]
        received = [json.loads(other.spoor("export", name, "--openai"))["messages"] for name in heads]
        self.assertEqual(len(heads), 2)
        run, answers = self.normal(run), self.answers().values()
        self.assertIn(run, map(self.normal, received))
        # Of an imported session the request is not known: what the user said is not in the spans.
        session = [message for message in self.normal(json.loads(self.place.spoor("export", "1", "--openai"))["messages"])
                   if message["role"] != "user"]
        self.assertIn(session, map(self.normal, received))
        usages = [records[-1]["message"]["usage"] for records in answers]
        [costs] = [row for row in json.loads(other.spoor("cost", "--by", "model", "--json"))["costs"] if row["model"].startswith("claude")]
        self.assertEqual(
            [costs[name] for name in ("input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens")],
            [sum(each[name] for each in usages)
             for name in ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "output_tokens")])
        print(f"phoenix: {len(run) + len(session)} messages of 2 conversations received back as they were")

    @staticmethod
    def normal(messages):
        """Messages with the arguments of calls as values: Phoenix writes their JSON anew."""
        return [{**message, "content": message.get("content") or "", **({"tool_calls": [
            (call["id"], call["function"]["name"], json.loads(call["function"]["arguments"])) for call in message["tool_calls"]]}
            if message.get("tool_calls") else {})} for message in messages]


if __name__ == "__main__":
    unittest.main()

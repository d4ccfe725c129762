"""`spoor receive` from the outside: posts of OTLP over HTTP, and what is in the store afterwards.

What is expected is computed here with Python's own json and gzip, and with an encoder of protobuf's wire format that is
written from its specification; nothing of the code under test is used for it.
"""
import base64
import contextlib
import datetime
import gzip
import http.client
import itertools
import json
import os
import pathlib
import random
import re
import signal
import socket
import struct
import subprocess
import tempfile
import threading
import time
import unittest

try:  # The makers' own messages, where they are installed (PyPI: opentelemetry-proto).
    from google.protobuf import json_format
    from opentelemetry.proto.collector.trace.v1 import trace_service_pb2
except ImportError:
    trace_service_pb2 = None

PROGRAM = os.environ["SPOOR_PROGRAM"]
MEBI = 1 << 20


# --- Telemetry ---------------------------------------------------------------------------------------------------------

def value(of):
    if isinstance(of, bool):
        return {"boolValue": of}
    if isinstance(of, int):
        return {"intValue": str(of)}
    if isinstance(of, float):
        return {"doubleValue": of}
    return {"stringValue": of}


def attributes(pairs):
    return [{"key": key, "value": value(of)} for key, of in pairs.items()]


def chat_span(trace, number, question, answer, before=(), conversation="bells", parent=None):
    """A call of a model with the conversation so far."""
    def said(role, text):
        return {"role": role, "parts": [{"type": "text", "content": text}]}

    given = [said(role, text) for role, text in before] + [said("user", question)]
    span = {"traceId": trace, "spanId": f"{number:016x}", "name": "chat gpt-9", "kind": 3,
            "startTimeUnixNano": str(1780000000_000000000 + number * 1_000_000_000),
            "endTimeUnixNano": str(1780000000_500000000 + number * 1_000_000_000),
            "attributes": attributes({"gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai",
                                      "gen_ai.request.model": "gpt-9", "gen_ai.conversation.id": conversation,
                                      "gen_ai.input.messages": json.dumps(given),
                                      "gen_ai.output.messages": json.dumps([said("assistant", answer)]),
                                      "gen_ai.usage.input_tokens": 10 + number, "gen_ai.usage.output_tokens": 3}),
            "status": {}}
    if parent:
        span["parentSpanId"] = parent
    return span


def conversation(trace, turns, name="bells"):
    """The spans of a conversation, in the order of their starts; the first is the agent's own, and the parent of all."""
    root = {"traceId": trace, "spanId": "f" * 16, "name": "invoke_agent ringer", "kind": 1,
            "startTimeUnixNano": "1780000000000000000", "endTimeUnixNano": "1780000099000000000",
            "attributes": attributes({"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "ringer"}), "status": {}}
    spans, before = [root], []
    for number in range(1, turns + 1):
        question, answer = f"question {number} of {name}?", f"answer {number} of {name}."
        spans.append(chat_span(trace, number, question, answer, before, name, root["spanId"]))
        before += [("user", question), ("assistant", answer)]
    return spans


def traces(spans, scope="ringer.instrumentation"):
    return {"resourceSpans": [{"resource": {"attributes": attributes({"service.name": "ringer"})},
                               "scopeSpans": [{"scope": {"name": scope, "version": "1"}, "spans": spans}]}]}


def logs(records):
    return {"resourceLogs": [{"resource": {"attributes": attributes({"service.name": "claude-code"})},
                              "scopeLogs": [{"scope": {"name": "com.anthropic.claude_code.events"},
                                             "logRecords": records}]}]}


def event(name, number, **pairs):
    pairs = {key.replace("__", "."): of for key, of in pairs.items()}
    return {"timeUnixNano": str(1780000000_000000000 + number * 1000), "body": {"stringValue": name},
            "attributes": attributes({"event.name": name.split(".", 1)[1], "event.sequence": number,
                                      "user.email": "someone@example.org", **pairs})}


def compact(document):
    return json.dumps(document, separators=(",", ":")).encode()


# --- Protobuf (protobuf.dev/programming-guides/encoding, opentelemetry-proto 1.5) ----------------------------------------

def varint(number):
    number &= (1 << 64) - 1
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes(out) + bytes([number])


def field(number, of):
    if isinstance(of, (bytes, str)):
        of = of.encode() if isinstance(of, str) else of
        return varint(number << 3 | 2) + varint(len(of)) + of
    return varint(number << 3) + varint(of)


def fixed64(number, of):
    return varint(number << 3 | 1) + struct.pack("<Q", int(of))


def any_value(of):
    (kind, inner), = of.items()
    if kind == "stringValue":
        return field(1, inner)
    if kind == "boolValue":
        return field(2, int(inner))
    if kind == "intValue":
        return field(3, int(inner))
    return varint(4 << 3 | 1) + struct.pack("<d", inner)


def pairs_of(number, all_of_them):
    return b"".join(field(number, field(1, each["key"]) + field(2, any_value(each["value"]))) for each in all_of_them)


def span_message(span):
    out = field(1, bytes.fromhex(span["traceId"])) + field(2, bytes.fromhex(span["spanId"]))
    if "parentSpanId" in span:
        out += field(4, bytes.fromhex(span["parentSpanId"]))
    return (out + field(5, span["name"]) + field(6, span["kind"]) + fixed64(7, span["startTimeUnixNano"]) +
            fixed64(8, span["endTimeUnixNano"]) + pairs_of(9, span["attributes"]) + field(15, b""))


def record_message(record):
    return (fixed64(1, record["timeUnixNano"]) + field(5, any_value(record["body"])) + pairs_of(6, record["attributes"]))


def request_message(document):
    out = b""
    batches, scopes, records, message = (("resourceSpans", "scopeSpans", "spans", span_message) if "resourceSpans" in document
                                         else ("resourceLogs", "scopeLogs", "logRecords", record_message))
    for batch in document[batches]:
        inner = field(1, pairs_of(1, batch["resource"]["attributes"]))
        for scope in batch[scopes]:
            named = field(1, scope["scope"]["name"])
            if "version" in scope["scope"]:
                named += field(2, scope["scope"]["version"])
            inner += field(2, field(1, named) + b"".join(field(2, message(each)) for each in scope[records]))
        out += field(1, inner)
    return out


def ordered(span):
    """A span with its members in the order of protobuf's field numbers."""
    order = ["traceId", "spanId", "parentSpanId", "name", "kind", "startTimeUnixNano", "endTimeUnixNano", "attributes", "status"]
    return {key: span[key] for key in order if key in span}


# --- The program ---------------------------------------------------------------------------------------------------------

class Place:
    """A home with a store of its own, and a receiver while one is wanted."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)
        self.environment = {**os.environ, "HOME": self.folder.name}
        for name in ("XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "SPOOR_STORE"):
            self.environment.pop(name, None)
        self.process = None

    def close(self):
        if self.process:
            self.process.kill()
            self.process.communicate()
        self.folder.cleanup()

    def start(self):
        self.process = subprocess.Popen([PROGRAM, "receive", "--listen", "127.0.0.1:0"], env=self.environment, cwd=self.path,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.address = self.process.stdout.readline().decode().strip()
        self.port = int(self.address.rsplit(":", 1)[1])

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        _, said = self.process.communicate(timeout=60)
        status, self.process = self.process.returncode, None
        if status != 0:
            raise AssertionError(f"{status} {said.decode()}")
        return said.decode()

    @contextlib.contextmanager
    def receiving(self):
        self.start()
        yield self
        self.said = self.stop()

    def post(self, body, path="/v1/traces", kind="application/json", headers=None, method="POST", connection=None):
        link = connection or http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        head = {"Content-Type": kind, **(headers or {})}
        link.request(method, path, body=compact(body) if isinstance(body, dict) else body, headers=head)
        response = link.getresponse()
        answer = response.status, response.read(), response.getheader("Content-Type")
        if not connection:
            link.close()
        return answer

    def spoor(self, *words):
        run = subprocess.run([PROGRAM, *words], env=self.environment, cwd=self.path, capture_output=True, timeout=60)
        if run.returncode != 0:
            raise AssertionError(f"{words}: {run.returncode} {run.stderr.decode()}")
        return run.stdout

    def ask(self, *requests):
        run = subprocess.run([PROGRAM, "batch"], input="".join(json.dumps(each) + "\n" for each in requests), text=True,
                             env=self.environment, cwd=self.path, capture_output=True, timeout=60)
        answers = [json.loads(line) for line in run.stdout.splitlines()]
        if len(answers) != len(requests) or any("error" in each for each in answers):
            raise AssertionError(f"{requests}: {run.stdout[:500]} {run.stderr[:500]}")
        return [each["result"] for each in answers]

    def refs(self, prefix="refs/"):
        """The refs of the store with their targets."""
        if not (self.path / ".local/share/spoor/.spoor").exists():
            return {}
        found = {each["name"]: each["hash"] for each in self.ask({"op": "refs", "prefix": prefix})[0]["refs"]}
        return {name: of for name, of in found.items() if not name.startswith(("refs/rules", "refs/imports"))}

    def commits(self, ref):
        """The commits of a ref, the oldest first."""
        log = self.ask({"op": "log", "rev": self.refs(ref)[ref], "all_commits": True})[0]["commits"]
        return self.ask(*({"op": "show", "rev": each["hash"]} for each in reversed(log)))

    def notes(self, prefix):
        return [note for ref in sorted(self.refs(prefix)) for note in self.commits(ref)]

    def spans(self):
        """The ids of all spans that are kept, sorted."""
        texts = [json.loads(note["text"]) for note in self.notes("refs/sources/")]
        return sorted(each["spanId"] for each in texts if "spanId" in each)

    def heads(self):
        return self.refs("refs/heads/otel/")

    def spool(self):
        folder = self.path / ".local/state/spoor/received"
        return sorted(each.name for each in folder.iterdir()) if folder.exists() else []

    def children(self):
        out = subprocess.run(["ps", "-o", "pid=", "--ppid", str(self.process.pid)], capture_output=True, text=True).stdout
        return [int(each) for each in out.split()]


class Case(unittest.TestCase):
    def setUp(self):
        self.place = Place()
        self.addCleanup(self.place.close)

    def imported(self, *documents):
        """A store into which files with these documents were imported."""
        other = Place()
        self.addCleanup(other.close)
        for number, document in enumerate(documents):
            path = other.path / f"{number}.json"
            path.write_bytes(compact(document))
            other.spoor("import", str(path))
        return other

    def check_nothing_left(self):
        self.assertEqual([name for name in self.place.spool()], [])
        self.place.spoor("store", "fsck")


A, B = "5b8aa5a2d2c872e8321cf37308d69df2", "00000000000000000000000000000abc"


class Traces(Case):
    def test_a_received_trace_and_an_imported_file_are_the_same_commits(self):
        document = traces(conversation(A, 4))
        with self.place.receiving():
            self.assertEqual(self.place.post(document), (200, b"{}", "application/json"))
        self.assertRegex(self.place.said, r"spoor: recorded otel/bells: 1 trace, 5 spans, 8 new turns\n")
        other = self.imported(document)
        self.assertEqual(self.place.heads(), other.heads())
        self.assertEqual(set(self.place.refs("refs/sources/").values()), set(other.refs("refs/sources/").values()))
        self.assertEqual(len(self.place.commits("refs/heads/otel/bells")), 8)
        self.check_nothing_left()

    def test_an_import_of_the_file_later_finds_nothing_new(self):
        document = traces(conversation(A, 3))
        with self.place.receiving():
            self.place.post(document)
        (self.place.path / "file.json").write_bytes(compact(document))
        report = json.loads(self.place.spoor("import", "--json", "file.json"))
        self.assertIn(report.get("new_turns", report.get("new", {})), (0, {"turns": 0, "notes": 0}), report)

    def test_protobuf_gives_the_same_commits_as_json(self):
        spans = [ordered(each) for each in conversation(A, 4)]
        with self.place.receiving():
            self.assertEqual(self.place.post(request_message(traces(spans)), kind="application/x-protobuf"),
                             (200, b"", "application/x-protobuf"))
        other = self.imported(traces(spans))
        self.assertEqual(self.place.heads(), other.heads())
        self.assertEqual(set(self.place.refs("refs/sources/").values()), set(other.refs("refs/sources/").values()))

    def test_pieces_in_any_order_and_twice_are_one_trace(self):
        spans = conversation(A, 5)
        expected = self.imported(traces(spans))
        for seed, restarts in itertools.product(range(3), (False, True)):
            place = Place()
            self.addCleanup(place.close)
            chosen = random.Random(seed)
            pieces = [spans[i:i + 2] for i in range(0, len(spans), 2)]
            pieces += pieces[:2]
            chosen.shuffle(pieces)
            with self.subTest(seed=seed, restarts=restarts):
                place.start()
                for piece in pieces:
                    self.assertEqual(place.post(traces(chosen.sample(piece, len(piece))))[0], 200)
                    if restarts:
                        place.stop()
                        place.start()
                place.stop()
                # A turn that was read from the question of a later call keeps its commit.
                same = (lambda at: [(each["type"], each["text"]) for each in at.commits("refs/heads/otel/bells")]) if restarts \
                    else Place.heads
                self.assertEqual(same(place), same(expected))
                self.assertEqual(len(place.heads()), 1)
                self.assertEqual(place.spans(), expected.spans())
                surroundings = [json.loads(each["text"]) for each in place.notes("refs/sources/")]
                around = [each for each in surroundings if "resourceSpans" in each]
                self.assertEqual(len(around), 1)
                self.assertIn("ringer", json.dumps(around))

    def test_spans_that_come_as_they_end_are_the_same_commits(self):
        spans = conversation(A, 4)
        for span in spans[1:] + spans[:1]:  # The parent of all ends last.
            with self.place.receiving():
                self.place.post(traces([span]))
        expected = self.imported(traces(spans))
        self.assertEqual(self.place.heads(), expected.heads())
        self.assertEqual(self.place.spans(), expected.spans())

    def test_a_conversation_over_several_traces_is_one_line(self):
        spans = conversation(A, 4)
        for number, span in enumerate(spans):
            span["traceId"] = f"{number + 1:032x}"
        with self.place.receiving():
            self.place.post(traces(spans[:3]))
            self.place.post(traces(spans[3:]))
        self.assertEqual(len(self.place.commits("refs/heads/otel/bells")), 8)
        self.assertEqual(self.place.heads(), self.imported(traces(spans)).heads())

    def test_spans_of_other_scopes_are_dropped(self):
        codex = conversation(A, 3)
        plain = [{**span, "attributes": attributes({"http.request.method": "GET", "session.id": "x"})} for span in codex]
        with self.place.receiving():
            self.assertEqual(self.place.post(traces(codex, scope="codex_exec"))[:2], (200, b"{}"))
            self.assertEqual(self.place.post(traces(plain))[:2], (200, b"{}"))
            self.assertEqual(self.place.post(request_message(traces(codex, scope="codex_exec")), kind="application/x-protobuf")[0],
                             200)
            self.assertEqual(self.place.spool(), [])
        self.assertTrue(self.place.said.endswith("spoor: nothing was recorded\n"), self.place.said)
        self.assertEqual(self.place.refs("refs/"), {})

    def test_what_cannot_be_taken_is_counted(self):
        good, bad = conversation(A, 1), conversation(A, 1)
        bad[1]["spanId"] = "7"
        with self.place.receiving():
            status, body, _ = self.place.post(traces(good + bad[1:]))
            self.assertEqual(status, 200)
            self.assertEqual(json.loads(body)["partialSuccess"]["rejectedSpans"], "1")
            self.assertTrue(json.loads(body)["partialSuccess"]["errorMessage"])
            status, body, _ = self.place.post(request_message(logs([event("claude_code.api_request", 1)])), "/v1/logs",
                                              "application/x-protobuf")
            self.assertEqual((status, body[:1], body[2:4]), (200, b"\x0a", b"\x08\x01"))
        self.assertEqual(self.place.spans(), sorted(each["spanId"] for each in good))

    def test_secrets_are_redacted_as_in_every_commit(self):
        secret = "ghp_" + "aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY1zA2"
        spans = conversation(A, 1)
        spans[1] = chat_span(A, 1, f"my token is {secret}", "thanks", (), "bells", "f" * 16)
        with self.place.receiving():
            self.place.post(traces(spans), headers={"Authorization": "Bearer an-opaque-header-value"})
        everything = self.place.spoor("store", "cat", "--all", "--framed")
        self.assertNotIn(b"an-opaque-header-value", everything)
        if b"REDACTED" in self.imported(traces(spans)).spoor("store", "cat", "--all", "--framed"):
            self.assertNotIn(secret.encode(), everything)


class Capture(Case):
    def test_a_store_that_keeps_hashes_loses_no_note(self):
        self.place.environment["SPOOR_CAPTURE"] = "hashed"
        spans = conversation(A, 3)
        for span in spans:
            with self.place.receiving():
                self.place.post(traces([span]))
        everything = self.place.spoor("store", "cat", "--all", "--framed")
        self.assertNotIn(b"question 1", everything)
        notes = self.place.notes("refs/sources/")
        self.assertGreaterEqual(len(notes), 2 * len(spans))  # Each span, and what was around it.
        self.place.spoor("store", "fsck")

    def test_an_event_that_comes_again_is_there_once_where_texts_are_hashed(self):
        self.place.environment["SPOOR_CAPTURE"] = "hashed"
        events = [event("codex.tool_result", number, conversation__id="c", output="dong") for number in (1, 2)]
        for sent in (events, events[:1], events):
            with self.place.receiving():
                self.assertEqual(self.place.post(logs(sent), "/v1/logs")[0], 200)
        self.assertEqual(len(self.place.notes("refs/events/")), 2)


SESSION = "0f3c51de-0000-4000-8000-00000000cafe"


class Events(Case):
    def write_session(self):
        """A session file as Claude Code writes it."""
        folder = self.place.path / ".claude/projects/-work"
        folder.mkdir(parents=True)
        common = {"sessionId": SESSION, "cwd": "/work", "version": "2.1.197", "userType": "external", "isSidechain": False}
        records = [
            {**common, "type": "user", "uuid": "u-1", "parentUuid": None, "promptId": "p-1", "timestamp": "2026-06-01T00:00:00.000Z",
             "message": {"role": "user", "content": "ring the bell"}},
            {**common, "type": "assistant", "uuid": "u-2", "parentUuid": "u-1", "requestId": "req-1",
             "timestamp": "2026-06-01T00:00:01.000Z",
             "message": {"id": "msg-1", "role": "assistant", "model": "claude-x", "type": "message", "stop_reason": "tool_use",
                         "content": [{"type": "tool_use", "id": "toolu-1", "name": "Bash", "input": {"command": "ring"}}],
                         "usage": {"input_tokens": 3, "output_tokens": 5}}},
            {**common, "type": "user", "uuid": "u-3", "parentUuid": "u-2", "promptId": "p-1", "timestamp": "2026-06-01T00:00:02.000Z",
             "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu-1", "content": "dong"}]}}]
        (folder / f"{SESSION}.jsonl").write_text("".join(json.dumps(each) + "\n" for each in records))

    def events(self):
        return [event("claude_code.user_prompt", 1, session__id=SESSION, prompt__id="p-1", prompt="ring the bell"),
                event("claude_code.api_request", 2, session__id=SESSION, prompt__id="p-1", request_id="req-1", cost_usd=0.25,
                      ttft_ms=812),
                event("claude_code.tool_decision", 3, session__id=SESSION, tool_use_id="toolu-1", decision="accept",
                      source="config"),
                event("claude_code.tool_result", 4, session__id=SESSION, tool_use_id="toolu-1", duration_ms=77, success="true"),
                event("claude_code.api_error", 5, session__id=SESSION, error="overloaded", status_code=529)]

    def about(self):
        """The events' names, and the text or the call of the turn that each is about."""
        turns = {each["hash"]: each for each in self.place.commits("refs/heads/claude-code/0f3c51de")}
        found = []
        for note in self.place.notes("refs/events/"):
            about = [turns[each]["type"] for each in note.get("about") or []]
            found.append((json.loads(note["text"])["event"].split(".")[1], *about))
        return found

    def test_events_are_notes_about_the_turns_of_their_session(self):
        self.write_session()
        with self.place.receiving():
            for _ in range(2):  # The second is a retry.
                self.assertEqual(self.place.post(logs(self.events()), "/some/prefix/v1/logs")[:2], (200, b"{}"))
        self.assertTrue(self.place.said.endswith("spoor: recorded 5 events (4 about turns in the store)\n"), self.place.said)
        self.assertEqual(self.about(), [("user_prompt", "user"), ("api_request", "assistant"), ("tool_decision", "tool"),
                                        ("tool_result", "tool"), ("api_error",)])
        texts = [json.loads(note["text"]) for note in self.place.notes("refs/events/")]
        self.assertNotIn("prompt", texts[0])  # The turn has it.
        self.assertEqual((texts[1]["cost_usd"], texts[1]["ttft_ms"]), (0.25, 812))
        self.assertEqual((texts[2]["source"], texts[3]["duration_ms"]), ("config", 77))
        self.assertNotIn("someone@example.org", json.dumps(texts))
        self.assertEqual(len(self.place.refs("refs/heads/")), 1)  # No second line of turns.
        self.check_nothing_left()

    def test_events_of_a_session_without_turns_keep_their_texts(self):
        with self.place.receiving():
            self.place.post(request_message(logs(self.events())), "/v1/logs", "application/x-protobuf")
        texts = [json.loads(note["text"]) for note in self.place.notes("refs/events/claude-code/")]
        self.assertEqual([each["event"] for each in texts], [each["body"]["stringValue"] for each in self.events()])
        self.assertEqual(texts[0]["prompt"], "ring the bell")
        self.assertEqual(self.place.refs("refs/heads/"), {})

    def test_events_of_codex_gemini_cli_and_of_others(self):
        codex = {"timeUnixNano": "1780000000000000000", "attributes": attributes(
            {"event.name": "codex.tool_result", "conversation.id": "0199-c", "call_id": "call-1", "duration_ms": 5, "output": "x"})}
        gemini = {"timeUnixNano": "1780000000000000000", "body": {"stringValue": "API response from gemini-3.8-flash."},
                  "attributes": attributes({"event.name": "gemini_cli.api_response", "session.id": "4483e229",
                                            "installation.id": "e617d145", "duration_ms": 6})}
        other = {"timeUnixNano": "1780000000000000000", "body": {"stringValue": "GET /"}, "attributes": []}
        with self.place.receiving():
            self.assertEqual(self.place.post(logs([codex, gemini, other]), "/v1/logs")[:2], (200, b"{}"))
        texts = [json.loads(note["text"]) for note in self.place.notes("refs/events/")]
        self.assertEqual([(each["event"], each["duration_ms"]) for each in texts],
                         [("codex.tool_result", 5), ("gemini_cli.api_response", 6)])
        self.assertNotIn("installation.id", texts[1])

    def test_a_request_that_gemini_cli_repeats_is_a_copy_at_its_answer(self):
        chats = self.place.path / ".gemini/tmp/gate/chats"
        chats.mkdir(parents=True)
        chats.joinpath("session-1.json").write_bytes(
            (pathlib.Path(__file__).parents[1] / "data/import/gemini-cli/session.json").read_bytes())
        begun = int(datetime.datetime(2026, 5, 2, 6, 0, 26, tzinfo=datetime.timezone.utc).timestamp()) * 10**9
        tools = [{"functionDeclarations": [{"name": "read_file"}, {"name": "replace"}]}]
        said = [[{"text": "I look at "}], [{"text": "the gate first."}, *({"functionCall": {"name": name, "args": {}}}
                                                                         for name in ("read_file", "paint", "odd"))]]
        spans = [{"traceId": A, "spanId": f"{number:016x}", "name": name, "startTimeUnixNano": str(begun + number),
                  "endTimeUnixNano": str(begun + 10**9), "attributes": attributes(
                      {"gen_ai.agent.name": "gemini-cli", "gen_ai.operation.name": name, "gen_ai.request.model": "gemini-9-flash",
                       "gen_ai.system_instructions": json.dumps("You paint."), "gen_ai.tool.definitions": json.dumps(tools),
                       "gen_ai.input.messages": json.dumps([{"role": "user", "parts": [{"text": "Paint the gate green."}]}]),
                       "gen_ai.output.messages": json.dumps([{"role": "model", "parts": parts} for parts in said])})}
                 for number, name in enumerate(("llm_call", "llm_call", "tool_call"), 1)]  # It is sent again.
        for said in ("recorded 1 request", "nothing was recorded"):  # The post comes again, too.
            with self.place.receiving():
                self.assertEqual(self.place.post(traces(spans, scope="gemini-cli"))[:2], (200, b"{}"))
            self.assertIn(f"spoor: {said}\n", self.place.said)
        line, = (name.removeprefix("refs/heads/") for name in self.place.refs("refs/heads/"))
        requests = json.loads(self.place.spoor("prompt", line, "--list", "--json"))["requests"]
        self.assertEqual(len(requests), 1)
        made = json.loads(self.place.spoor("compile", requests[0]["answer"], "--json"))
        self.assertEqual([tool["name"] for tool in made["tools"]], ["read_file", "replace"])
        self.assertEqual([each["text"] for each in made["messages"]],
                         ["You paint.", "Paint the gate green.", "I look at the gate first."])


class Http(Case):
    def setUp(self):
        super().setUp()
        self.place.start()
        self.document = traces(conversation(A, 2))

    def raw(self, data, timeout=10):
        with socket.create_connection(("127.0.0.1", self.place.port), timeout=timeout) as link:
            with contextlib.suppress(OSError):
                link.sendall(data)
            out = b""
            with contextlib.suppress(OSError):
                while part := link.recv(65536):
                    out += part
            return out

    def test_encodings(self):
        body = compact(self.document)
        gzipped = {"Content-Encoding": "gzip"}
        self.assertEqual(self.place.post(gzip.compress(body), headers=gzipped)[0], 200)
        self.assertEqual(self.place.post(gzip.compress(request_message(self.document)), kind="application/x-protobuf",
                                         headers=gzipped)[0], 200)
        link = http.client.HTTPConnection("127.0.0.1", self.place.port)
        link.request("POST", "/x/v1/traces", body=iter([body[:99], body[99:]]), encode_chunked=True,
                     headers={"Content-Type": "application/json; charset=utf-8", "Transfer-Encoding": "chunked"})
        self.assertEqual(link.getresponse().read(), b"{}")
        link.request("POST", "/x/v1/metrics", body=b'{"resourceMetrics":[]}', headers={"Content-Type": "application/json"})
        self.assertEqual(link.getresponse().read(), b"{}")  # The same connection.
        link.close()
        self.place.stop()
        self.assertEqual(self.place.heads(), self.imported(self.document).heads())

    def test_refusals(self):
        body = compact(self.document)
        for expected, more in [(404, {"path": "/v1/trace"}), (405, {"method": "GET"}), (405, {"method": "PUT"}),
                               (415, {"kind": "text/plain"}), (415, {"kind": "application/grpc"}),
                               (415, {"headers": {"Content-Encoding": "br"}}), (403, {"headers": {"Host": "example.org"}}),
                               (403, {"headers": {"Origin": "https://example.org"}}),
                               (200, {"headers": {"Origin": "http://localhost:5173"}})]:
            with self.subTest(**more):
                status, answer, kind = self.place.post(body, **more)
                self.assertEqual(status, expected)
                self.assertEqual(kind, "application/json")
                if expected != 200:
                    self.assertEqual(sorted(json.loads(answer)), ["code", "message"])

    def test_bodies_that_cannot_be_decoded(self):
        body, packed = compact(self.document), gzip.compress(compact(self.document))
        deep = b'{"resourceSpans":' + b"[" * 5000 + b"]" * 5000 + b"}"
        for bad in (b"", b"{", body[:-1], body + b"x", b"[]", b'{"resourceSpans":{}}', b'{"resourceSpans":[1]}', b"\xff\xfe", deep):
            with self.subTest(bad=bad[:30]):
                status, answer, _ = self.place.post(bad)
                self.assertEqual((status, json.loads(answer)["code"]), (400, 3))
        for bad in (packed[:-5], packed[:20], b"plain", packed[:-8] + b"\0" * 8):
            with self.subTest(bad=bad[:30]):
                self.assertEqual(self.place.post(bad, headers={"Content-Encoding": "gzip"})[0], 400)
        message = request_message(self.document)
        nested = b""
        for _ in range(2000):
            nested = field(5, field(1, nested))
        nested = field(1, field(2, field(2, field(9, field(1, "gen_ai.x") + field(2, nested)))))
        for bad in (message[:-3], b"\xff" * 11, field(1, b"\x0a\xff\xff\xff\xff\x0f"), fixed64(1, 7), varint(1 << 3 | 6), nested):
            with self.subTest(bad=bad[:30]):
                status, answer, kind = self.place.post(bad, kind="application/x-protobuf")
                self.assertEqual((status, kind, answer[:2]), (400, "application/x-protobuf", b"\x08\x03"))
        self.assertEqual(self.place.post(self.document)[0], 200)  # It still works.

    def test_long_bodies(self):
        head = b"POST /v1/traces HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        answer = self.raw(head + b"Content-Length: %d\r\n\r\n" % (64 * MEBI + 1) + b" " * MEBI)
        self.assertTrue(answer.startswith(b"HTTP/1.1 413 "), answer[:99])
        bomb = gzip.compress(b"{" + b" " * (65 * MEBI))
        self.assertLess(len(bomb), MEBI)
        self.assertEqual(self.place.post(bomb, headers={"Content-Encoding": "gzip"})[0], 413)
        chunk = b"100000\r\n" + b" " * MEBI + b"\r\n"
        answer = self.raw(head + b"Transfer-Encoding: chunked\r\n\r\n" + chunk * 65, timeout=60)
        self.assertTrue(answer.startswith(b"HTTP/1.1 413 "), answer[:99])
        body = b"{" + b" " * (64 * MEBI - 2) + b"}"
        self.assertEqual(self.place.post(body)[0], 200)

    def test_bodies_that_are_too_much_together(self):
        """The announced bytes of all posts count, from their heads to their answers."""
        head = (b"POST /v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                b"Content-Length: %d\r\n\r\n" % (64 * MEBI))
        with contextlib.ExitStack() as stack:
            for _ in range(4):
                link = stack.enter_context(socket.create_connection(("127.0.0.1", self.place.port), timeout=10))
                link.sendall(head + b"{")
            for _ in range(100):  # Until all four heads are read.
                if self.place.post(b"{}")[0] == 503:
                    break
            answer = self.raw(b"POST /v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                              b"Content-Length: 2\r\nConnection: close\r\n\r\n{}")
            self.assertTrue(answer.startswith(b"HTTP/1.1 503 "), answer[:99])
            self.assertIn(b"\r\nRetry-After: 1\r\n", answer)
            chunked = self.raw(b"POST /v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                               b"Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n2\r\n{}\r\n0\r\n\r\n")
            self.assertTrue(chunked.startswith(b"HTTP/1.1 503 "), chunked[:99])
        for _ in range(100):  # Until all four are known to be gone.
            if (status := self.place.post(self.document)[0]) == 200:
                break
            time.sleep(0.05)
        self.assertEqual(status, 200)

    def test_expect(self):
        body = compact(self.document)
        with socket.create_connection(("127.0.0.1", self.place.port), timeout=10) as link:
            link.sendall(b"POST /v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                         b"Expect: 100-continue\r\nContent-Length: %d\r\n\r\n" % len(body))
            self.assertTrue(link.recv(100).startswith(b"HTTP/1.1 100 "))
            link.sendall(body)
            self.assertTrue(link.recv(100).startswith(b"HTTP/1.1 200 "))

    def test_what_is_not_http(self):
        for bad in (b"GET\r\n\r\n", b"\x16\x03\x01\x02\x00", b"POST /v1/traces HTTP/9.9\r\n\r\n", b"A" * 100_000,
                    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"):
            with self.subTest(bad=bad[:20]):
                answer = self.raw(bad + b"\r\n\r\n")
                self.assertTrue(answer == b"" or answer.startswith(b"HTTP/1.1 400 "), answer[:50])
        self.assertEqual(self.place.post(self.document)[0], 200)

    def test_slow_clients_hold_nobody_up(self):
        slow = [socket.create_connection(("127.0.0.1", self.place.port)) for _ in range(100)]
        self.addCleanup(lambda: [each.close() for each in slow])
        for each in slow:
            each.sendall(b"POST /v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n")
        start = time.monotonic()
        self.assertEqual(self.place.post(self.document)[0], 200)
        self.assertLess(time.monotonic() - start, 5)
        start = time.monotonic()
        self.place.stop()  # It does not wait for them.
        self.assertLess(time.monotonic() - start, 10)
        self.assertEqual(len(self.place.heads()), 1)

    def test_idle_clients_give_way(self):
        for _ in range(600):
            idle = socket.create_connection(("127.0.0.1", self.place.port))
            self.addCleanup(idle.close)
        start = time.monotonic()
        self.assertEqual(self.place.post(self.document)[0], 200)
        self.assertLess(time.monotonic() - start, 5)

    def test_many_clients_at_once(self):
        def send(number):
            link = http.client.HTTPConnection("127.0.0.1", self.place.port, timeout=60)
            for at in range(5):
                name = f"line-{number}-{at}"
                document = traces(conversation(f"{number * 100 + at + 1:032x}", 2, name))
                statuses.append(self.place.post(document, connection=link)[0])
            link.close()

        statuses = []
        clients = [threading.Thread(target=send, args=(number,)) for number in range(8)]
        for each in clients:
            each.start()
        for each in clients:
            each.join()
        self.assertEqual(statuses, [200] * 40)
        self.place.stop()
        self.assertEqual(len(self.place.heads()), 40)
        self.check_nothing_left()


class Kills(Case):
    def test_a_killed_recorder_or_server_loses_and_doubles_nothing(self):
        spans = conversation(A, 6)
        expected = self.imported(traces(spans))
        chosen = random.Random(7)
        self.place.start()
        for piece in [spans[i:i + 2] for i in range(0, len(spans), 2)] + [spans[1:3]]:
            sent = traces(piece)
            while True:  # As a client does: until it is answered.
                try:
                    if self.place.post(sent)[0] == 200:
                        break
                except (OSError, http.client.HTTPException):
                    time.sleep(0.05)
            children = self.place.children()
            self.assertTrue(children)
            with contextlib.suppress(ProcessLookupError):
                os.kill(chosen.choice(children), signal.SIGKILL)
            time.sleep(chosen.choice((0, 0.2, 2.5)))
        self.place.stop()
        self.assertEqual(self.place.heads(), expected.heads())
        self.assertEqual(self.place.spans(), expected.spans())
        self.check_nothing_left()

    def test_what_a_killed_receiver_took_is_recorded_by_the_next(self):
        self.place.start()
        self.place.post(traces(conversation(A, 3)))
        children = self.place.children()
        self.place.process.kill()
        for child in children:
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        self.place.process.communicate()
        self.assertLessEqual(len(self.place.spool()), 1)  # None, if the recorder was faster than the kill.
        with self.place.receiving():
            pass
        self.assertEqual(self.place.heads(), self.imported(traces(conversation(A, 3))).heads())
        self.check_nothing_left()


@unittest.skipUnless(trace_service_pb2, "skipped: no opentelemetry-proto")
class Official(Case):
    def test_every_field_of_a_span(self):
        """A span as the makers' library writes it in protobuf is kept as that library writes it in JSON."""
        request = trace_service_pb2.ExportTraceServiceRequest()
        scope = request.resource_spans.add(schema_url="u").scope_spans.add(schema_url="v")
        scope.scope.name = "ringer"
        span = scope.spans.add(trace_id=bytes.fromhex(A), span_id=b"\1" * 8, parent_span_id=b"\xfe" * 8, trace_state="a=b",
                               name="chat \u2603 \"\n", kind=3, start_time_unix_nano=1780000000000000001,
                               end_time_unix_nano=(1 << 63) - 1, dropped_attributes_count=4_000_000_000,
                               dropped_events_count=1, dropped_links_count=2, flags=257)
        span.status.code, span.status.message = 2, "no bell"
        span.attributes.add(key="gen_ai.operation.name").value.string_value = "chat"
        for key, kind, of in (("int", "int_value", -(1 << 63)), ("true", "bool_value", True), ("false", "bool_value", False),
                              ("real", "double_value", 0.1), ("big", "double_value", 1e300), ("nan", "double_value", float("nan")),
                              ("inf", "double_value", float("-inf")), ("bytes", "bytes_value", b"\0\xffx"),
                              ("empty", "string_value", "")):
            setattr(span.attributes.add(key=key).value, kind, of)
        span.attributes.add(key="none")
        values = span.attributes.add(key="list").value.array_value.values
        values.add().int_value = 7
        values.add().kvlist_value.values.add(key="k").value.string_value = "v"
        event = span.events.add(time_unix_nano=5, name="gen_ai.choice", dropped_attributes_count=3)
        event.attributes.add(key="index").value.int_value = 0
        span.links.add(trace_id=b"\2" * 16, span_id=b"\3" * 8, flags=1).attributes.add(key="x").value.bool_value = True
        with self.place.receiving():
            status, body, _ = self.place.post(request.SerializeToString(), kind="application/x-protobuf")
            answer = trace_service_pb2.ExportTraceServiceResponse.FromString(body)
            self.assertEqual((status, answer.partial_success.rejected_spans), (200, 0))

        def hexed(of):
            if isinstance(of, list):
                return [hexed(each) for each in of]
            if not isinstance(of, dict):
                return of
            return {key: base64.b64decode(each).hex() if key in ("traceId", "spanId", "parentSpanId") else hexed(each)
                    for key, each in of.items()}

        expected = hexed(json_format.MessageToDict(span, use_integers_for_enums=True))
        kept = [json.loads(note["text"]) for note in self.place.notes("refs/sources/")]
        found = [each for each in kept if "spanId" in each]
        self.maxDiff = None
        self.assertEqual([expected], found)


class Listening(Case):
    def test_only_this_machine(self):
        run = subprocess.run([PROGRAM, "receive", "--listen", "0.0.0.0:0"], env=self.place.environment, capture_output=True,
                             cwd=self.place.path, text=True, timeout=60)
        self.assertEqual(run.returncode, 1)
        self.assertIn("others could ask there", run.stderr)


if __name__ == "__main__":
    unittest.main()

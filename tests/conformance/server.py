"""A model server that refuses what the APIs of Anthropic, OpenAI, Google, Ollama and others refuse.

It checks each request by the rules of families.json, which were read from the providers' own pages and from recorded
errors. A request that breaks a rule gets the status and the body that the API sends. Another one gets the next answer
of a script, whole or streamed as it asks.

From a shell it prints its address, one line, and serves until its standard input ends or it is killed:

    python3 server.py --script script.json --log log.jsonl [--port N] [--key KEY] [--signatures any]

In a test:

    with Server(steps=[{"answer": {"text": "Done."}}], log=path) as server:
        ...  # server.url is http://127.0.0.1:PORT, server.entries() are the lines of the log

Paths: POST /v1/messages, /v1/messages/count_tokens, …/chat/completions, …/responses,
/v1beta/models/M:generateContent, :streamGenerateContent?alt=sse, :countTokens (/v1, too), /api/chat, /api/show; and GET
/v1/models, /v1/models/M, /v1beta/models, /v1beta/models/M, /api/tags.

A script is a list of steps, or {"steps": […], "otherwise": STEP, "window": TOKENS}. Each accepted request takes the
next step. After the last one each takes `otherwise`, by default an answer "ok". A refused request takes none. `asked`,
{WORDS: STEP}, is for requests that end with a message with these words: they take no step of the list. `window`
replaces the context window of every family, so that a test of an overflow needs no megabytes. A step:

    {"answer": {"text": "…", "thinking": "…", "calls": [{"name": "read", "input": {…}}], "stop": "max_tokens"},
     "fault": …}

`stop` is neutral (end, calls, max_tokens, refusal, content_filter, context) or the API's own word (pause_turn). An
answer that is longer than the request allows is cut, at four bytes a token. A fault is one of

    "close"                               the connection ends before the headers
    "empty"                               an answer without content
    "too_long"                            the API's error for a prompt that does not fit
    {"status": 429, "headers": {…}, "body": …}  headers and body have the API's own form if they are left out
    {"cut_after": BYTES}                  the connection ends within the body
    {"cut_in_event": N}                   … in the middle of event N of a stream, counted from 0
    {"error_event": STATUS, "after": N}   the stream's form of that error after N events, then the end
    {"silence": SECONDS, "after": N}      nothing for so long: before the headers, or after N events

A prompt is as long as its bytes, at four a token. Ollama cuts a prompt at num_ctx without an error: the log has
`dropped`. The log has one JSON line a request: number, method, path, model, family, headers (no keys), body, verdict
("ok" or the rule's name), status, answer (what was sent, without a stream's events), and for accepted requests
`prompt` (its bytes) and `kept` (how many of them begin an earlier prompt to the same model).
A verdict WIRE.shape says that a member has a type that no rule expects; `why` names the fault.

Thinking is signed with signatures that the server knows when they come back. `--signatures any` takes others, too, as
recorded requests have them.
"""
import argparse
import http.server
import json
import pathlib
import re
import socket
import sys
import threading
import time
import urllib.parse

import chat_wire
import gemini_wire
import messages_wire
import ollama_wire
import responses_wire
from answers import Answer
from families import Cache, Refusal, family_of, models_of, refusal_of, strict

LARGEST_BODY = 32 * 1024 * 1024
SECRETS = {"authorization", "x-api-key", "x-goog-api-key", "api-key", "cookie"}
WIRES = {"messages": messages_wire, "chat": chat_wire, "responses": responses_wire, "gemini": gemini_wire,
         "ollama": ollama_wire}
STREAM_TYPES = {"ollama": "application/x-ndjson"}


class Windowed:
    """A family whose context window a script replaces."""

    def __init__(self, family, window):
        self.family, self.window, self.name = family, window, family.name

    def __getitem__(self, rule):
        return self.window if rule in ("context", "max_input") else self.family[rule]


class Server:
    """The server in a thread of this process, or of its own (main)."""

    def __init__(self, steps=(), otherwise=None, log=None, key=None, any_signature=False, window=None, port=0,
                 asked=None):
        self.steps, self.otherwise = list(steps), otherwise or {"answer": {"text": "ok"}}
        self.asked = asked or {}
        self.key, self.any_signature, self.window = key, any_signature, window
        self.log = pathlib.Path(log) if log else None
        self.lines, self.number, self.taken = [], 0, 0
        self.lock, self.cache = threading.Lock(), Cache()
        handler = type("Bound", (Handler,), {"owner": self})
        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", port), handler)
        self.http.daemon_threads = True
        self.port = self.http.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"

    def __enter__(self):
        threading.Thread(target=self.http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.http.shutdown()
        self.http.server_close()

    def next_number(self):
        with self.lock:
            self.number += 1
            return self.number

    def next_step(self, body):
        said = body.get("messages") or body.get("input") or body.get("contents") or [""]
        for words, step in self.asked.items():
            if words in json.dumps(said[-1]):
                return step
        with self.lock:
            self.taken += 1
            return self.steps[self.taken - 1] if self.taken <= len(self.steps) else self.otherwise

    def write(self, entry):
        with self.lock:
            self.lines.append(entry)
            if self.log:
                with self.log.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(entry, ensure_ascii=False) + "\n")

    def entries(self):
        with self.lock:
            return list(self.lines)

    def family(self, model, wire):
        found = family_of(model, wire) if isinstance(model, str) else None
        return Windowed(found, self.window) if found and self.window else found


class Handler(http.server.BaseHTTPRequestHandler):
    """One connection."""

    owner = None
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.begin()
        self.answer_or_refuse(self.get)

    def do_POST(self):
        self.begin()
        self.answer_or_refuse(self.post)

    # ---- Reading ----

    def begin(self):
        address = urllib.parse.urlsplit(self.path)
        self.route, self.query = address.path, urllib.parse.parse_qs(address.query)
        self.number, self.is_recorded = self.owner.next_number(), False
        shown = urllib.parse.urlencode({name: one[0] for name, one in self.query.items() if name != "key"})
        self.entry = {"number": self.number, "method": self.command, "path": self.route, "query": shown, "model": None,
                      "family": None, "headers": {name.lower(): value for name, value in self.headers.items()
                                                  if name.lower() not in SECRETS},
                      "body": None, "verdict": "ok", "status": 200, "answer": None}
        self.low = {name.lower(): value for name, value in self.headers.items()}
        self.wire = self.wire_of()

    def wire_of(self):
        route = self.route
        if route.startswith("/v1/messages"):
            return "messages"
        if route.endswith("/chat/completions"):
            return "chat"
        if route.endswith("/responses"):
            return "responses"
        if route.startswith("/v1beta/") or re.search(r":\w+$", route) or "x-goog-api-key" in self.low:
            return "gemini"
        if route.startswith("/api/"):
            return "ollama"
        return "messages" if "anthropic-version" in self.low or "x-api-key" in self.low else "chat"

    def read_body(self):
        if "chunked" in self.low.get("transfer-encoding", ""):
            data = b""
            while True:
                size = int(self.rfile.readline().split(b";")[0], 16)
                data += self.rfile.read(size)
                self.rfile.readline()
                if size == 0:
                    return data
        return self.rfile.read(int(self.low.get("content-length", 0)))

    # ---- Rules of all paths ----

    def refuse(self, name, **fields):
        raise Refusal(f"{self.wire}.{name}", **fields)

    def check_key(self):
        given = self.low.get("x-api-key") or self.low.get("x-goog-api-key") or (self.query.get("key") or [None])[0]
        if not given and self.low.get("authorization", "").startswith("Bearer "):
            given = self.low["authorization"][7:].strip()
        if self.wire == "ollama":
            return
        if not given:
            self.refuse("key")
        if self.owner.key and given != self.owner.key:
            self.refuse("key_wrong", key=given[:3] + "***")
        if self.wire == "messages" and not self.low.get("anthropic-version"):
            self.refuse("version")

    def answer_or_refuse(self, work):
        data = self.read_body() if self.command == "POST" else b""
        try:
            self.check_key()
            if len(data) > LARGEST_BODY:
                self.refuse("body")
            work(data)
        except Refusal as refusal:
            self.entry["verdict"] = refusal.rule
            self.send_refusal(refusal)
        except Exception as error:
            self.entry["verdict"] = f"failed: {error!r}"  # A bug of the server, which no test may take for a refusal.
            raise
        finally:
            self.record()

    def record(self):
        """Writes the line of the log, once, and before the client has the answer."""
        if not self.is_recorded:
            self.is_recorded = True
            self.owner.write(self.entry)

    # ---- GET ----

    def get(self, _):
        wire, place = self.wire, {"gemini": f"/{self.route.split('/')[1]}/models", "ollama": "/api/tags"}.get(self.wire, "/v1/models")
        module = WIRES[wire]
        if self.route == place:
            entries = [module.model_entry(model, family) for model, family in models_of(wire)]
            listed = {"messages": {"data": entries, "has_more": False, "first_id": None, "last_id": None},
                      "gemini": {"models": entries}, "ollama": {"models": entries}}.get(
                          wire, {"object": "list", "data": entries})
            return self.send_json(200, listed)
        name = urllib.parse.unquote(self.route.removeprefix(place + "/"))
        family = self.owner.family(name, wire)
        if not self.route.startswith(place + "/"):
            self.refuse("path")
        if family is None:
            self.refuse("model", model=name)
        return self.send_json(200, module.model_entry(name, family))

    # ---- POST ----

    def post(self, data):
        module = WIRES[self.wire]
        try:
            body = strict(data)
            if not isinstance(body, dict):
                raise ValueError("not an object")
        except (ValueError, RecursionError) as error:
            self.entry["body"] = data.decode("utf-8", "replace")
            self.refuse("json", why=str(error))
        self.entry["body"] = dict(body)
        action = self.action_of(body)
        model = body.get("model")
        if model is None:
            self.refuse(*("required",) if self.wire == "messages" else ("model_missing",), path="model")
        family = self.owner.family(model, self.wire)
        if family is None:
            self.refuse("model", model=model, method="countTokens" if action == "count" else "generateContent")
        self.entry |= {"model": model, "family": family.name}
        if action == "show":
            return self.send_json(200, module.show(model, family))
        is_count = action == "count"
        try:
            self.check(module, body, family, is_count)
        except (AttributeError, IndexError, KeyError, TypeError) as error:  # A member has a shape that no rule expects.
            self.entry["why"] = repr(error)
            self.refuse("shape")
        if is_count:
            return self.send_json(200, module.counted(body))
        if self.wire != "ollama":
            module.check_length(body, family)
        self.entry["step"] = self.owner.taken
        return self.play(module, body, family, self.owner.next_step(body))

    def check(self, module, body, family, is_count):
        if self.wire == "messages":
            module.check(body, family, self.low, self.owner.any_signature, is_count)
        elif self.wire in ("responses", "gemini"):
            module.check(body, family, self.low, self.owner.any_signature)
        else:
            module.check(body, family, self.low)
        module.prompt_of(body)
        Answer({}, 0, module.limit_of(body))
        if self.wire == "ollama":
            self.entry["dropped"] = module.dropped(body, family)

    def action_of(self, body):
        """Returns what is asked; puts the model and the streaming of a path into the body."""
        if self.wire == "gemini":
            found = re.fullmatch(r"/v1(?:beta)?/models/([^/:]+):(generateContent|streamGenerateContent|countTokens)", self.route)
            if not found:
                self.refuse("path")
            body["model"] = urllib.parse.unquote(found[1])
            body["stream"] = found[2] == "streamGenerateContent" and (self.query.get("alt") or ["json"])[0]
            return "count" if found[2] == "countTokens" else "answer"
        if self.wire == "messages":
            known = {"/v1/messages": "answer", "/v1/messages/count_tokens": "count"}
        elif self.wire == "ollama":
            known = {"/api/chat": "answer", "/api/show": "show"}
        else:
            known = {self.route: "answer"}
        if self.route not in known:
            self.refuse("path")
        return known[self.route]

    def play(self, module, body, family, step):
        fault = step.get("fault")
        if isinstance(fault, dict) and "silence" in fault and not fault.get("after"):
            time.sleep(fault["silence"])
        if fault == "close":
            self.entry |= {"status": None, "answer": "closed"}
            return self.hang_up()
        if fault == "too_long":
            size = family["context"] + 1
            raise refusal_of(family, self.wire, "too_long", size=size, limit=size - 1, asked=0, total=size)
        if isinstance(fault, dict) and "status" in fault:
            return self.send_fault(fault, body)
        prompt = module.prompt_of(body)
        kept = self.owner.cache.kept(body["model"], prompt)
        self.entry |= {"prompt": len(prompt), "kept": kept}
        usage = module.usage_of(body, family, self.owner.cache, kept)
        answer = Answer(step, self.number, module.limit_of(body))
        whole = module.whole(body, answer, usage, family)
        self.entry["answer"] = whole
        is_streamed = body.get("stream", self.wire == "ollama")
        if not is_streamed:
            return self.send_json(200, whole, fault if isinstance(fault, dict) else None)
        return self.send_events(list(module.stream(body, answer, usage, family)), fault if isinstance(fault, dict) else {})

    # ---- Writing ----

    def hang_up(self):
        self.record()
        self.close_connection = True
        try:
            self.connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass

    def head(self, status, kind, length=None, headers=None):
        self.entry["status"] = status
        self.record()
        self.send_response(status)
        self.send_header("content-type", kind)
        if length is None:
            self.send_header("transfer-encoding", "chunked")
        else:
            self.send_header("content-length", str(length))
        own = {"messages": {"request-id": f"req_{self.number}", "anthropic-organization-id": "conformance"},
               "chat": {"x-request-id": f"req_{self.number}", "openai-processing-ms": "1"},
               "responses": {"x-request-id": f"req_{self.number}", "openai-processing-ms": "1"}}.get(self.wire, {})
        for name, value in {**own, **(headers or {})}.items():
            self.send_header(name, str(value))
        self.end_headers()

    def send_json(self, status, value, fault=None, headers=None):
        data = value.encode() if isinstance(value, str) else json.dumps(value, ensure_ascii=False).encode()
        if self.entry["answer"] is None:
            self.entry["answer"] = value
        self.head(status, "application/json", len(data), headers)
        if fault and ("cut_after" in fault or "cut_in_event" in fault):
            self.write(data[:fault.get("cut_after", len(data) // 2)])
            return self.hang_up()
        return self.write(data)

    def send_refusal(self, refusal):
        module = WIRES[self.wire]
        headers = {"x-should-retry": "false"} if self.wire == "messages" and refusal.status < 429 else {}
        self.send_json(refusal.status, module.error_body(refusal, self.number),
                       headers={**headers, **refusal.fact.get("headers", {})})

    def send_fault(self, fault, body):
        name = f"{self.wire}.status_{fault['status']}"
        try:
            usual = Refusal(name, model=body["model"])
            made, headers = WIRES[self.wire].error_body(usual, self.number), usual.fact.get("headers", {})
        except KeyError:
            made, headers = {"error": {"message": f"status {fault['status']}"}}, {}
        self.entry["answer"] = fault.get("body", made)
        self.send_json(fault["status"], fault.get("body", made), headers=fault.get("headers", headers))

    def write(self, data):
        try:
            self.wfile.write(data)
            self.wfile.flush()
        except OSError:
            self.close_connection = True  # The client did not wait.
            return False
        return True

    def send_events(self, events, fault):
        if "error_event" in fault:
            refusal = Refusal(f"{self.wire}.status_{fault['error_event']}", model=self.entry["model"])
            events = events[:fault.get("after", 1)] + [WIRES[self.wire].error_event(refusal, self.number)]
            self.entry["answer"] = "error event"
        if "cut_in_event" in fault:
            at = min(fault["cut_in_event"], len(events) - 1)
            events = events[:at] + [events[at][:len(events[at]) // 2]]
        if "cut_after" in fault:
            whole = b"".join(events)[:fault["cut_after"]]
            events = [whole] if whole else []
        if "cut_in_event" in fault or "cut_after" in fault:
            self.entry["answer"] = "cut"
        is_array = self.wire == "gemini" and not (events and events[0].startswith(b"data"))
        self.head(200, "application/json" if is_array else STREAM_TYPES.get(self.wire, "text/event-stream; charset=utf-8"))
        for at, event in enumerate(events):
            if fault.get("silence") and fault.get("after") == at:
                time.sleep(fault["silence"])
            if not self.write(b"%x\r\n%s\r\n" % (len(event), event)):
                return
        if self.entry["answer"] == "cut":
            self.hang_up()
        else:
            self.write(b"0\r\n\r\n")


def main():
    options = argparse.ArgumentParser(description="A model server that refuses what the real APIs refuse.")
    options.add_argument("--script")
    options.add_argument("--log")
    options.add_argument("--key")
    options.add_argument("--port", type=int, default=0)
    options.add_argument("--signatures", choices=("own", "any"), default="own")
    given = options.parse_args()
    script = json.loads(pathlib.Path(given.script).read_text(encoding="utf-8")) if given.script else []
    if isinstance(script, list):
        script = {"steps": script}
    server = Server(script.get("steps", ()), script.get("otherwise"), given.log, given.key, given.signatures == "any",
                    script.get("window"), given.port)
    with server:
        print(server.url, flush=True)
        try:
            sys.stdin.read()
        except KeyboardInterrupt:
            pass


if __name__ == "__main__":
    main()

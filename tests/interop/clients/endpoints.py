"""The providers' endpoints, as official clients ask them. The model's name says what happens; an answer depends on the request
alone, so that the same case gets the same again. Messages and events are those of tests/proxy/wires.py.

Anthropic: https://docs.anthropic.com/en/api, OpenAI: https://platform.openai.com/docs/api-reference,
Google: https://ai.google.dev/api, Ollama: https://github.com/ollama/ollama/blob/main/docs/api.md
"""
import base64
import collections
import dataclasses
import hashlib
import http.server
import json
import pathlib
import re
import socketserver
import struct
import sys
import threading
import time
import zlib

import brotli
import zstandard

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "proxy"))
import provider  # noqa: E402
import wires  # noqa: E402

ERRORS = {400: "invalid_request_error", 401: "authentication_error", 429: "rate_limit_error", 500: "api_error"}
DOCUMENT = '{"city": "Paris", "degrees": 18}'
LINES = b"".join(b'{"custom_id": "%d", "result": {"type": "succeeded"}, "text": "%s"}\n' % (i, b"x" * 500) for i in range(500))


@dataclasses.dataclass
class Got:
    """A request as it came; on a WebSocket the handshake, and each message."""
    case: str
    line: str
    headers: list
    body: bytes
    is_message: bool = False
    left: bool = False  # The client left while it was answered.
    is_over: bool = False  # The response ended.
    is_said: bool = False  # A model answered, and the answer was not asked for again.


def ollama_request(request):
    names = [tool["function"]["name"] for tool in request.get("tools", [])]
    return names, [None if message["role"] == "tool" else message["content"] for message in request["messages"]
                   if message["role"] in ("tool", "user")]


def ollama(answer, model):
    message = {"role": "assistant", "content": answer["text"], "thinking": answer["thinking"]}
    if answer["calls"]:
        message["tool_calls"] = [{"function": {"name": name, "arguments": given}} for name, given in answer["calls"]]
    return {"model": model, "created_at": "2026-11-27T15:00:00.5Z", "message": message, "done": True, "done_reason": "stop",
            "total_duration": 5000, "load_duration": 1000, "prompt_eval_count": 115, "prompt_eval_duration": 1000,
            "eval_count": 30, "eval_duration": 3000}


def ollama_events(whole):
    head = {"model": whole["model"], "created_at": whole["created_at"], "done": False}
    text = whole["message"]["content"]
    if whole["message"]["thinking"]:
        yield "", {**head, "message": {"role": "assistant", "content": "", "thinking": whole["message"]["thinking"]}}
    for at in range(0, len(text), 7):
        yield "", {**head, "message": {"role": "assistant", "content": text[at:at + 7]}}
    yield "", {**whole, "message": {**whole["message"], "content": "", "thinking": ""}}


def error_of(api, status, message):
    kind = ERRORS.get(status, "overloaded_error")
    if api == "anthropic":
        return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"}
    if api == "google":
        return {"error": {"code": status, "message": message, "status": kind.upper()}}
    if api == "ollama":
        return {"error": message}
    return {"error": {"message": message, "type": kind, "param": None, "code": None}}


# By the end of a path: whose API, what a request has, and how an answer is said at once and in events.
MODELS = (
    (r"/messages$", "anthropic", wires.anthropic_request, wires.anthropic, wires.anthropic_events),
    (r"/chat/completions$", "openai", wires.chat_request, wires.chat, wires.chat_events),
    (r"/responses$", "openai", lambda body: wires.responses_request(body, {}), wires.responses, wires.responses_events),
    (r"enerateContent$", "google", wires.gemini_request, wires.gemini, wires.gemini_events),
    (r"/api/chat$", "ollama", ollama_request, ollama, ollama_events),
)


def answer_of(request, model, names, said, attempt):
    """What the model says. No two answers have one id."""
    seed = json.dumps([request, attempt], sort_keys=True).encode()
    answer = wires.script(names, said, zlib.crc32(seed))
    if model == "thinks":
        answer["thinking"] = "Let me think about it."
    if model == "long":
        answer["text"] = "Zwölf Boxkämpfer jagen Viktor.\n" * 1000
    if model == "document":
        answer["text"] = DOCUMENT
    return answer


def coder(name):
    """Three functions: compress, flush, finish."""
    if name == "gzip":
        packer = zlib.compressobj(wbits=31)
        return packer.compress, lambda: packer.flush(zlib.Z_SYNC_FLUSH), packer.flush
    if name == "br":
        packer = brotli.Compressor()
        return packer.process, packer.flush, packer.finish
    if name == "zstd":
        packer = zstandard.ZstdCompressor().compressobj()
        return packer.compress, lambda: packer.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK), packer.flush
    return bytes, bytes, bytes


def vector(seed, size=256):
    return [round(byte / 255, 3) for byte in (hashlib.sha256(seed.encode()).digest() * size)[:size]]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    lock = threading.Lock()

    def log_message(self, *_):
        pass

    def date_time_string(self, timestamp=None):
        return "Fri, 27 Nov 2026 15:00:00 GMT"

    def start(self, status, kind, more=()):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        if "at once" not in self.got.case:  # Which of them send a cookie back would be chance.
            more = [("set-cookie", "a=b; path=/"), ("set-cookie", "c=d; path=/"), *more]
        for name, value in (("request-id", "req_1"), ("x-request-id", "req_1"), ("x-ratelimit-remaining-tokens", "7"), *more):
            self.send_header(name, value)

    def send(self, status, kind, body, more=(), coding=""):
        if coding:
            compress, _, finish = coder(coding)
            body = compress(body) + finish()
            more = [*more, ("content-encoding", coding)]
        self.start(status, kind, more)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def send_json(self, value, status=200, more=(), coding=""):
        self.send(status, "application/json", json.dumps(value).encode(), more, coding)

    def send_pieces(self, kind, pieces, coding=""):
        """A piece a chunk. A piece of None breaks the connection off."""
        compress, flush, finish = coder(coding)
        self.start(200, kind, [("content-encoding", coding)] if coding else [])
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for piece in pieces:
            if piece is None:
                self.close_connection = True
                return
            self.send_chunk(compress(piece) + flush())
        self.send_chunk(finish())
        self.wfile.write(b"0\r\n\r\n")

    def send_chunk(self, bytes_):
        if bytes_:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(bytes_), bytes_))
            self.wfile.flush()

    def read_body(self):
        if self.headers.get("transfer-encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("content-length", 0)))
        body = b""
        while size := int(self.rfile.readline(), 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def keep(self, body, is_message=False):
        one = Got(self.headers.get("x-case", ""), f"{self.command} {self.path}", self.headers.items(), body, is_message,
                  is_over=is_message)
        with Handler.lock:
            self.server.got.append(one)
        return one

    def attempt(self):
        """How often the request that is answered came so far."""
        with Handler.lock:
            return sum((each.case, each.line, each.body) == (self.got.case, self.got.line, self.got.body) for each in self.server.got)

    def handle_one(self, answer):
        self.got = self.keep(self.read_body())
        try:
            answer()
        except OSError:
            self.got.left = True
            self.close_connection = True
        self.got.is_over = True

    def do_GET(self):
        self.handle_one(self.get)

    def do_POST(self):
        self.handle_one(self.post)

    def get(self):
        path = self.path.split("?")[0]
        if self.headers.get("upgrade", "").lower() == "websocket":
            self.close_connection = True
            (self.realtime_socket if path.endswith("/realtime") else self.responses_socket)(provider.Socket(self))
        elif path == "/v1beta/models":
            self.send_json({"models": [{"name": f"models/m-{i}", "displayName": f"M {i}"} for i in range(3)]})
        elif path == "/api/tags":
            self.send_json({"models": [{"model": "m-1", "name": "m-1", "size": 5}]})
        elif path == "/v1/models":
            models = [{"id": f"m-{i}", "type": "model", "object": "model", "created": 5, "owned_by": "someone",
                       "display_name": f"M {i}", "created_at": "2026-01-01T00:00:00Z"} for i in range(3)]
            self.send_json({"object": "list", "data": models, "has_more": False, "first_id": "m-0", "last_id": "m-2"})
        elif path == "/v1/messages/batches/batch_1":  # Its address is absolute: the client asks there.
            self.send_json({**self.batch(), "results_url": f"http://{self.server.name}/v1/messages/batches/batch_1/results"})
        elif path == "/v1/batches/batch_1":
            self.send_json(self.batch())
        elif path.endswith(("/results", "/content")):
            wanted = self.headers.get("accept-encoding", "")
            self.send_pieces("application/x-jsonl", (LINES[at:at + 9000] for at in range(0, len(LINES), 9000)),
                             "gzip" if "gzip" in wanted else "")
        else:
            self.send_json({"error": "not found"}, 404)

    @staticmethod
    def batch():
        return {"id": "batch_1", "object": "batch", "type": "message_batch", "endpoint": "/v1/responses", "created_at": 5,
                "completion_window": "24h", "input_file_id": "file_1", "output_file_id": "file_2", "status": "completed",
                "processing_status": "ended"}

    def post(self):
        body = self.got.body
        path = self.path.split("?")[0]
        for pattern, api, read, whole, events in MODELS:
            if re.search(pattern, path):
                return self.ask_model(api, json.loads(body), read, whole, events)
        if path.startswith("/upload/"):
            return self.send_json({}, more=[("x-goog-upload-url", f"http://{self.server.name}/uploading?upload_id=1"),
                                            ("x-goog-upload-status", "active")])
        if path == "/uploading":
            return self.send_json({"file": {"name": "files/1", "sizeBytes": str(len(body)), "uri": "https://x.example/1"}},
                                  more=[("x-goog-upload-status", "final")])
        if path.endswith("/files"):
            return self.send_json({"id": "file_1", "object": "file", "type": "file", "bytes": 5, "size_bytes": 5,
                                   "created_at": 5, "filename": "a.bin", "purpose": "user_data", "mime_type": "text/plain"})
        self.send_json(self.reply(path, json.loads(body)))

    def reply(self, path, request):
        if path.endswith("/batches"):
            return self.batch()
        if path.endswith("/count_tokens"):
            return {"input_tokens": 42}
        if path.endswith("/input_tokens"):
            return {"object": "response.input_tokens", "input_tokens": 42}
        if path.endswith(":countTokens"):
            return {"totalTokens": 42}
        if path.endswith(":batchEmbedContents"):
            return {"embeddings": [{"values": vector(json.dumps(each))} for each in request["requests"]]}
        if path.endswith("/api/embed"):
            return {"model": request["model"], "embeddings": [vector(each) for each in request["input"]]}
        if path.endswith("/embeddings"):
            found = [vector(each) for each in request["input"]]
            if request.get("encoding_format") == "base64":
                found = [base64.b64encode(struct.pack(f"<{len(each)}f", *each)).decode() for each in found]
            return {"object": "list", "model": request["model"], "usage": {"prompt_tokens": 4, "total_tokens": 4},
                    "data": [{"object": "embedding", "index": i, "embedding": each} for i, each in enumerate(found)]}
        return {"error": f"nothing is at {path}"}

    def ask_model(self, api, request, read, whole, events):
        named = re.search(r"/models/([^/:]+):", self.path)
        model = named[1] if named else request["model"]
        if found := re.fullmatch(r"fail-(\d+)", model):
            status = int(found[1])
            if status != 429 or self.attempt() == 1:
                more = [("retry-after", "1"), ("x-should-retry", "true")] if status == 429 else []
                return self.send_json(error_of(api, status, f"This is a {status}."), status, more)
        self.got.is_said = model != "breaks-once" or self.attempt() > 1
        message = whole(answer_of(request, model, *read(request), self.attempt()), model)
        wanted = re.split(r"[,;\s]+", self.headers.get("accept-encoding", ""))
        coding = model if model in wanted else ""
        default = api == "ollama" or ":streamG" in self.path
        if not request.get("stream", default):
            return self.send_json(message, coding=coding)
        pieces, kind = self.pieces(api, events(message))
        self.send_pieces(kind, self.played(api, model, pieces), coding)

    def pieces(self, api, events):
        """The bytes of events, each apart, and their media type."""
        events = list(events)
        if api == "ollama":
            return [json.dumps(data).encode() + b"\n" for _, data in events], "application/x-ndjson"
        if api == "google" and "alt=sse" not in self.path:
            texts = [json.dumps(data, indent=2).encode() for _, data in events]
            return [b"["] + [text + b"\n,\r\n" for text in texts[:-1]] + texts[-1:] + [b"]\n"], "application/json"
        end = "\r\n\r\n" if api == "google" else "\n\n"
        return [piece.encode() for piece in wires.sse(events, end)], "text/event-stream; charset=utf-8"

    def played(self, api, model, pieces):
        half = max(len(pieces) // 2, 1)
        if model == "breaks" or (model == "breaks-once" and self.attempt() == 1):
            yield from [*pieces[:half], None]
        elif model == "errs":
            error = error_of(api, 529, "Overloaded")
            yield from pieces[:half]
            if api == "ollama":
                yield json.dumps(error).encode() + b"\n"
            else:
                name = "error" if "/messages" in self.path or "/responses" in self.path else ""
                data = {"type": "error", "code": "server_error", "message": "Overloaded", "param": None,
                        "sequence_number": 3} if "/responses" in self.path else error
                yield from (each.encode() for each in wires.sse([(name, data)]))
        elif model == "endless":
            yield from pieces[:half]
            until = time.monotonic() + 30
            while time.monotonic() < until:
                yield pieces[half % len(pieces)]
                time.sleep(0.02)
        elif model == "slow":
            for piece in pieces:
                yield piece
                time.sleep(0.05)
        else:
            yield from pieces

    def responses_socket(self, socket):
        """The Responses API on a WebSocket."""
        while (body := socket.read()) is not None:
            self.keep(body, is_message=True).is_said = True
            request = json.loads(body)
            answer = answer_of(request, request["model"], [], [], 1)
            for _, event in wires.responses_events(wires.responses(answer, request["model"])):
                socket.send(json.dumps(event).encode())

    def realtime_socket(self, socket):
        socket.send(b'{"type": "session.created", "event_id": "event_0", "session": {"type": "realtime", "model": "m-1"}}')
        while (body := socket.read()) is not None:
            self.keep(body, is_message=True)
            event = json.loads(body)
            if event["type"] == "response.create":
                for part in ("It is ", "18 degrees."):
                    socket.send(json.dumps({"type": "response.output_text.delta", "event_id": "event_1", "item_id": "item_1",
                                            "response_id": "resp_1", "content_index": 0, "output_index": 0,
                                            "delta": part}).encode())
                socket.send(b'{"type": "response.done", "event_id": "event_2", "response": {"id": "resp_1"}}')


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self):
        self.got = []
        super().__init__(("127.0.0.1", 0), Handler)
        self.name = f"127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)

    def forget(self):
        self.got.clear()

    def is_busy(self):
        return not all(each.is_over for each in self.got)

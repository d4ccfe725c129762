"""A provider that is none: keeps every request as it came, and answers by a script.

Speaks enough of the APIs of Anthropic, OpenAI (Responses over HTTP and WebSocket, and Chat) and Google to drive an agent.
Streams where that is asked for, and compresses where it may. The script is a function of a request's tools, of what is said in
it and of its number (wires.py); its answer may have a `status` other than 200, or an `end` of its stream: `cut` or `held`.
"""
import base64
import hashlib
import http.server
import json
import pathlib
import re
import socketserver
import struct
import sys
import threading
import zlib

import wires


class Socket:
    """The server's side of a WebSocket (RFC 6455), with permessage-deflate (RFC 7692) where the client offers it."""

    def __init__(self, handler):
        self.reading, self.writing = handler.rfile, handler.wfile
        offers = handler.headers.get("sec-websocket-extensions", "")
        self.packed = "permessage-deflate" in offers
        key = handler.headers["sec-websocket-key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        handler.send_response(101, "Switching Protocols")
        handler.send_header("upgrade", "websocket")
        handler.send_header("connection", "upgrade")
        handler.send_header("sec-websocket-accept", base64.b64encode(hashlib.sha1(key.encode()).digest()).decode())
        if self.packed:
            handler.send_header("sec-websocket-extensions", "permessage-deflate")
        handler.end_headers()
        self.inflater, self.deflater = zlib.decompressobj(-15), zlib.compressobj(wbits=-15)

    def read(self):
        """The next message; None: the client left."""
        message, is_packed = b"", False
        while True:
            head = self.reading.read(2)
            if len(head) < 2:
                return None
            size = head[1] & 127
            if size >= 126:
                size = struct.unpack("!H" if size == 126 else "!Q", self.reading.read(2 if size == 126 else 8))[0]
            mask = self.reading.read(4)
            body = bytes(b ^ mask[i % 4] for i, b in enumerate(self.reading.read(size)))
            kind = head[0] & 15
            if kind == 8:
                self.send(body, 8)
                return None
            if kind == 9:
                self.send(body, 10)
            if kind > 2:
                continue
            is_packed = is_packed or bool(head[0] & 64)
            message += body
            if head[0] & 128:
                return self.inflater.decompress(message + b"\0\0\xff\xff") if is_packed else message

    def send(self, body, kind=1):
        flags = 128 | kind
        if self.packed and kind < 3:
            body = self.deflater.compress(body) + self.deflater.flush(zlib.Z_SYNC_FLUSH)
            body, flags = body[:-4], flags | 64
        size = struct.pack("!B", len(body)) if len(body) < 126 else (
            struct.pack("!BH", 126, len(body)) if len(body) < 65536 else struct.pack("!BQ", 127, len(body)))
        self.writing.write(bytes([flags]) + size + body)
        self.writing.flush()


def handler_of(folder, script):
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        count = 0
        lock = threading.Lock()
        known = {}  # By response: what its request had.

        def log_message(self, *_):
            pass

        def send(self, status, kind, body, end=None):
            """Sends a response; with an `end`, as a stream."""
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("request-id", f"req_{Handler.count}")
            self.send_header("anthropic-organization-id", "an-account")
            if "gzip" in self.headers.get("accept-encoding", ""):
                packer = zlib.compressobj(wbits=31)
                body = packer.compress(body) + packer.flush(zlib.Z_FINISH if end in (None, "whole") else zlib.Z_SYNC_FLUSH)
                self.send_header("content-encoding", "gzip")
            self.send_header(*(("transfer-encoding", "chunked") if end else ("content-length", str(len(body)))))
            self.end_headers()
            if not end:
                self.wfile.write(body)
                return
            for at in range(0, len(body), 700):
                part = body[at:at + 700]
                self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
                self.wfile.flush()
            self.close_connection = end != "whole"
            if end == "whole":
                self.wfile.write(b"0\r\n\r\n")
            elif end == "held":
                self.rfile.read(1)  # Until the client leaves.

        def keep(self, body):
            with Handler.lock:
                Handler.count += 1
                number = Handler.count
            (folder / f"{number:04}.json").write_bytes(body)
            (folder / f"{number:04}.head").write_text(f"{self.requestline}\n{self.headers}")
            return number

        def make(self, asked, number):
            answer = {"status": 200, "end": "whole", **script(*asked, number)}
            (folder / f"{number:04}.answer").write_text(json.dumps(answer))
            return answer

        def do_HEAD(self):
            self.send(200, "text/plain", b"")

        def do_GET(self):
            if self.headers.get("upgrade", "").lower() == "websocket" and self.path.endswith("/responses"):
                self.close_connection = True
                self.talk(Socket(self))
                return
            self.send(404, "application/json", b'{"type":"error"}')

        def talk(self, socket):
            while (body := socket.read()) is not None:
                request = json.loads(body)
                answer, response = self.respond(request, self.keep(body))
                if answer["status"] != 200:
                    failed = {**response, "status": "failed", "output": [], "error": {"code": "server_error", "message": "Not now."}}
                    socket.send(json.dumps({"type": "response.failed", "response": failed}).encode())
                    continue
                events = list(wires.responses_events(response))
                for _, event in wires.begun(events, answer["end"]):
                    socket.send(json.dumps(event).encode())
                if answer["end"] == "cut":
                    return
                if answer["end"] == "held":
                    self.rfile.read(1)

        def respond(self, request, number):
            asked = wires.responses_request(request, Handler.known)
            answer = self.make(asked, number)
            response = wires.responses(answer, request["model"])
            if request.get("generate") is False:
                response["output"] = []
            Handler.known[response["id"]] = asked
            return answer, response

        def do_POST(self):
            body = self.rfile.read(int(self.headers["content-length"]))
            if len(body) < int(self.headers["content-length"]):
                return  # The client left.
            number = self.keep(body)
            path = self.path.split("?")[0]
            request = json.loads(body)
            if request.get("model") == "overloaded":
                self.send(529, "application/json",
                          b'{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}')
            elif path.endswith("/messages"):
                answer = self.make(wires.anthropic_request(request), number)
                self.answer(request, answer, wires.anthropic(answer, request["model"]), wires.anthropic_events)
            elif path.endswith("/responses"):
                self.answer(request, *self.respond(request, number), wires.responses_events)
            elif path.endswith("/chat/completions"):
                answer = self.make(wires.chat_request(request), number)
                self.answer(request, answer, wires.chat(answer, request["model"]), wires.chat_events)
            elif found := re.search(r"/models/([^/:]+):(stream)?[gG]enerateContent$", path):
                answer = self.make(wires.gemini_request(request), number)
                if request.get("generationConfig", {}).get("responseMimeType") == "application/json":
                    answer["text"] = '{"complexity_reasoning": "It is simple.", "complexity_score": 10}'
                self.answer({"stream": found[2]}, answer, wires.gemini(answer, found[1]), wires.gemini_events, "\r\n\r\n")
            else:
                self.send(200, "application/json", b'{"input_tokens":42}')

        def answer(self, request, answer, whole, events, end="\n\n"):
            if answer["status"] != 200:
                self.send(answer["status"], "application/json", json.dumps(wires.error(answer)).encode())
            elif request.get("stream"):
                stream = wires.sse(wires.begun(list(events(whole)), answer["end"]), end)
                self.send(200, "text/event-stream; charset=utf-8", "".join(stream).encode(), answer["end"])
            else:
                self.send(200, "application/json", json.dumps(whole).encode())

    return Handler


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], ConnectionError):  # The client left.
            super().handle_error(request, client_address)


def serve(folder, port=0, script=wires.script):
    """A server that keeps requests and answers in `folder`; it must be started by serve_forever()."""
    return Server(("127.0.0.1", port), handler_of(pathlib.Path(folder), script))

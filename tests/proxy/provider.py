"""A provider that is none: keeps every request as it came, and answers by a script.

Speaks enough of the APIs of Anthropic, OpenAI (Responses over HTTP and WebSocket, and Chat) and Google to drive an agent: while
there is a tool that runs commands and fewer than `--results` results, it thinks, says something and calls it twice; then it
ends. Streams where that is asked for, and compresses where it may.
"""
import argparse
import base64
import gzip
import hashlib
import http.server
import json
import pathlib
import re
import socketserver
import struct
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


def handler_of(folder, results):
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        count = 0
        lock = threading.Lock()
        known = {}  # By response: the tools and the count of results so far.

        def log_message(self, *_):
            pass

        def send(self, status, kind, body, stream=False):
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("request-id", f"req_{Handler.count}")
            self.send_header("anthropic-organization-id", "an-account")
            if "gzip" in self.headers.get("accept-encoding", ""):
                body = gzip.compress(body)
                self.send_header("content-encoding", "gzip")
            self.send_header(*(("transfer-encoding", "chunked") if stream else ("content-length", str(len(body)))))
            self.end_headers()
            if not stream:
                self.wfile.write(body)
                return
            for at in range(0, len(body), 700):
                part = body[at:at + 700]
                self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
                self.wfile.flush()
            self.wfile.write(b"0\r\n\r\n")

        def send_events(self, events, end="\n\n"):
            self.send(200, "text/event-stream; charset=utf-8", "".join(wires.sse(events, end)).encode(), stream=True)

        def keep(self, body):
            with Handler.lock:
                Handler.count += 1
                number = Handler.count
            (folder / f"{number:04}.json").write_bytes(body)
            (folder / f"{number:04}.head").write_text(f"{self.requestline}\n{self.headers}")
            return number

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
                number = self.keep(body)
                response = self.respond(json.loads(body), number)
                try:
                    for _, event in wires.responses_events(response):
                        socket.send(json.dumps(event).encode())
                except OSError:
                    return  # The client left.

        def respond(self, request, number):
            names, done = wires.responses_request(request, Handler.known)
            answer = wires.script(names, done, results, number, "")
            response = wires.responses(answer, request["model"])
            if request.get("generate") is False:
                response["output"] = []
            Handler.known[response["id"]] = (names, done)
            return response

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
                names, done, last = wires.anthropic_request(request)
                message = wires.anthropic(wires.script(names, done, results, number, last), request["model"])
                self.answer(request, message, wires.anthropic_events)
            elif path.endswith("/responses"):
                self.answer(request, self.respond(request, number), wires.responses_events)
            elif path.endswith("/chat/completions"):
                names, done = wires.chat_request(request)
                whole = wires.chat(wires.script(names, done, results, number, ""), request["model"])
                self.answer(request, whole, wires.chat_events)
            elif found := re.search(r"/models/([^/:]+):(stream)?[gG]enerateContent$", path):
                names, done = wires.gemini_request(request)
                answer = wires.script(names, done, results, number, "")
                if request.get("generationConfig", {}).get("responseMimeType") == "application/json":
                    answer["text"] = '{"complexity_reasoning": "It is simple.", "complexity_score": 10}'
                whole = wires.gemini(answer, found[1])
                self.answer({"stream": found[2]}, whole, wires.gemini_events, "\r\n\r\n")
            else:
                self.send(200, "application/json", b'{"input_tokens":42}')

        def answer(self, request, whole, events, end="\n\n"):
            if request.get("stream"):
                self.send_events(events(whole), end)
            else:
                self.send(200, "application/json", json.dumps(whole).encode())

    return Handler


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    request_queue_size = 128


def serve(folder, port=0, results=4):
    """A server that keeps requests in `folder`; it must be started by serve_forever()."""
    return Server(("127.0.0.1", port), handler_of(pathlib.Path(folder), results))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--results", type=int, default=4)
    arguments = parser.parse_args()
    server = serve(arguments.folder, arguments.port, arguments.results)
    print(f"http://127.0.0.1:{server.server_address[1]}", flush=True)
    server.serve_forever()

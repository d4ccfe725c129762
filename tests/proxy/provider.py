"""A provider that is none: keeps every request as it came, and answers by a script.

Speaks enough of the Messages API to drive an agent: while there is a tool called Bash and fewer than `--results` results, it
thinks, says something and calls Bash twice; then it ends. Streams where that is asked for, and compresses where it may.
"""
import argparse
import gzip
import http.server
import json
import pathlib
import socketserver


def events_of(message):
    """The stream of a message, as docs.anthropic.com/en/api/messages-streaming has it."""
    whole = message["content"]
    begun = {**message, "content": [], "stop_reason": None}
    yield "message_start", {"type": "message_start", "message": begun}
    yield "ping", {"type": "ping"}
    for index, block in enumerate(whole):
        kind = block["type"]
        empty = {"text": {"text": ""}, "thinking": {"thinking": "", "signature": ""}, "tool_use": {"input": {}}}[kind]
        yield "content_block_start", {"type": "content_block_start", "index": index, "content_block": {**block, **empty}}
        deltas = {
            "text": lambda: [{"type": "text_delta", "text": block["text"][at:at + 7]} for at in range(0, len(block["text"]), 7)],
            "thinking": lambda: [{"type": "thinking_delta", "thinking": block["thinking"]},
                                 {"type": "signature_delta", "signature": block["signature"]}],
            "tool_use": lambda: [{"type": "input_json_delta", "partial_json": json.dumps(block["input"])}],
        }[kind]()
        for delta in deltas:
            yield "content_block_delta", {"type": "content_block_delta", "index": index, "delta": delta}
        yield "content_block_stop", {"type": "content_block_stop", "index": index}
    ended = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield "message_delta", {"type": "message_delta", "delta": ended, "usage": {"output_tokens": 30}}
    yield "message_stop", {"type": "message_stop"}


def message_for(request, number, results):
    blocks = [b for m in request["messages"] if isinstance(m["content"], list) for b in m["content"]]
    done = sum(b.get("type") == "tool_result" for b in blocks)
    content = [{"type": "text", "text": f"All done after {done} results."}]
    last = request["messages"][-1]["content"]
    if isinstance(last, str) and last.startswith("my key is"):
        content = [{"type": "text", "text": f"You say: {last}"}]
    if done < results and any(tool["name"] == "Bash" for tool in request.get("tools", [])):
        content = [{"type": "thinking", "thinking": "Let me look.", "signature": "c2ln"},
                   {"type": "text", "text": f"Step {done}."}]
        for i in range(2):
            content.append({"type": "tool_use", "id": f"toolu_{number}_{i}", "name": "Bash",
                            "input": {"command": f"echo step {done + i}", "description": "say where we are"}})
    usage = {"input_tokens": 10, "cache_creation_input_tokens": 5, "cache_read_input_tokens": 100, "output_tokens": 30}
    return {"id": f"msg_{number:04}", "type": "message", "role": "assistant", "model": request["model"],
            "content": content, "stop_reason": "tool_use" if len(content) > 1 else "end_turn",
            "stop_sequence": None, "usage": usage}


def handler_of(folder, results):
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        count = 0

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

        def do_HEAD(self):
            self.send(200, "text/plain", b"")

        def do_GET(self):
            self.send(404, "application/json", b'{"type":"error"}')

        def do_POST(self):
            body = self.rfile.read(int(self.headers["content-length"]))
            if len(body) < int(self.headers["content-length"]):
                return  # The client left.
            Handler.count += 1
            number = Handler.count
            (folder / f"{number:04}.json").write_bytes(body)
            (folder / f"{number:04}.head").write_text(f"{self.requestline}\n{self.headers}")
            if not self.path.split("?")[0].endswith("/messages"):
                self.send(200, "application/json", b'{"input_tokens":42}')
                return
            request = json.loads(body)
            if request["model"] == "overloaded":
                self.send(529, "application/json",
                          b'{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}')
                return
            message = message_for(request, number, results)
            if not request.get("stream"):
                self.send(200, "application/json", json.dumps(message).encode())
                return
            stream = "".join(f"event: {name}\ndata: {json.dumps(data)}\n\n" for name, data in events_of(message))
            self.send(200, "text/event-stream; charset=utf-8", stream.encode(), stream=True)

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

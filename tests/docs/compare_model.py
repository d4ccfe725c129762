"""A model for the programs of docs/compare.md: a server of Anthropic's Messages API on this machine
that knows their three goals. It calls the tool that it is offered, then answers."""

import http.server
import json
import threading

ANSWERS = {
    "tea tins": ("Three tea tins cost 1305 cents.", {"thing": "tea tin"}),
    "Refund order 7": ("Order 7 was refunded.", {"order": "7"}),
    "How old is": ("It opened in 1889: 137 years.", {"goal": "When did the Eiffel Tower open?"}),
}


def reply(request):
    """The body of the reply to a request."""
    goal = json.dumps(request["messages"])
    known = [answer for key, answer in ANSWERS.items() if key in goal]
    text, arguments = known[0] if known else ("1889", {})
    tools = request.get("tools") or []
    content = [{"type": "text", "text": text}]
    if known and tools and "tool_result" not in goal:
        content = [{"type": "text", "text": "I look it up first."},
                   {"type": "tool_use", "id": "toolu_1", "name": tools[0]["name"],
                    "input": arguments}]
    return {"id": "msg_1", "type": "message", "role": "assistant", "model": request["model"],
            "content": content, "stop_reason": "end_turn" if len(content) == 1 else "tool_use",
            "stop_sequence": None, "usage": {"input_tokens": 600, "output_tokens": 50}}


def events(message):
    """The same reply as a stream of server-sent events."""
    yield {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}}
    for index, block in enumerate(message["content"]):
        is_text = block["type"] == "text"
        start = {**block, "text": ""} if is_text else {**block, "input": {}}
        delta = ({"type": "text_delta", "text": block["text"]} if is_text else
                 {"type": "input_json_delta", "partial_json": json.dumps(block["input"])})
        yield {"type": "content_block_start", "index": index, "content_block": start}
        yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    yield {"type": "message_delta", "usage": message["usage"],
           "delta": {"stop_reason": message["stop_reason"], "stop_sequence": None}}
    yield {"type": "message_stop"}


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        message = reply(request)
        kind, body = "application/json", json.dumps(message)
        if request.get("stream"):
            kind = "text/event-stream"
            body = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n"
                           for event in events(message))
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body.encode())))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_):
        pass


class Model:
    """The server, for a `with` block."""

    def __enter__(self):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

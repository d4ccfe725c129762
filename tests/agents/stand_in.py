"""A model's provider on 127.0.0.1 that has no model: it speaks OpenAI's chat completions, and answers
each request by a function of what the request holds.

    with StandIn(lambda request: say("done")) as provider:
        provider.address   # for `base_url`
        provider.requests  # the bodies that came, in order, as bytes
"""

import http.server
import json
import threading


def say(text):
    """An answer without calls."""
    return {"role": "assistant", "content": text}


def call(*calls, text=""):
    """An answer that calls tools: (id, tool, arguments) each."""
    return {"role": "assistant", "content": text, "tool_calls": [
        {"id": number, "type": "function", "function": {"name": tool, "arguments": json.dumps(arguments)}}
        for number, tool, arguments in calls]}


def refuse(status, message, **headers):
    """No answer, but an error."""
    return {"refusal": (status, message, headers)}


def texts(request, role):
    return [message["content"] or "" for message in request["messages"] if message["role"] == role]


def answers_in(request):
    return len(texts(request, "assistant"))


def is_for_critic(request):
    return any("Reflexion critic" in text for text in texts(request, "system"))


def whole(message, number):
    """A reply in one piece."""
    reason = "tool_calls" if message.get("tool_calls") else "stop"
    return {"id": f"reply-{number}", "object": "chat.completion", "model": "stand-in",
            "choices": [{"index": 0, "message": message, "finish_reason": reason}],
            "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}}


def events(message, number):
    """The same as a stream: the text in two pieces, then each call, then the end."""
    def chunk(delta, reason=None, **more):
        return {"id": f"reply-{number}", "object": "chat.completion.chunk", "model": "stand-in",
                "choices": [{"index": 0, "delta": delta, "finish_reason": reason}], **more}

    text = message["content"]
    yield chunk({"role": "assistant", "content": text[:len(text) // 2]})
    yield chunk({"content": text[len(text) // 2:]})
    for index, made in enumerate(message.get("tool_calls", [])):
        yield chunk({"tool_calls": [{"index": index, **made}]})
    yield chunk({}, "tool_calls" if message.get("tool_calls") else "stop")
    yield {"id": f"reply-{number}", "object": "chat.completion.chunk", "model": "stand-in",
           "choices": [], "usage": whole(message, number)["usage"]}


def complaint(request):
    """What a provider would refuse: a call without its one result, or a result without a call."""
    waiting = []
    for message in request["messages"]:
        if message["role"] == "tool":
            if message["tool_call_id"] not in waiting:
                return f"a result of no call: {message}"
            waiting.remove(message["tool_call_id"])
            continue
        if waiting:
            return f"calls without a result: {waiting}"
        waiting = [made["id"] for made in message.get("tool_calls", [])]
    return f"calls without a result: {waiting}" if waiting else None


class StandIn:
    """Listens until it is closed. `answer(request)` gives a message. What is set as `before` is called
    with the number of each request, from 1, the message, and functions that begin the answer and write
    an event of it. When it returns False, that was all."""

    def __init__(self, answer):
        self.answer = answer
        self.before = None
        self.requests = []
        self.complaints = []
        stand_in = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.0"

            def do_POST(self):
                try:
                    stand_in.serve(self)
                except OSError:
                    pass  # Nobody is there any more: it was killed, as it should be.

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.address = f"http://127.0.0.1:{self.server.server_port}/v1"
        self.thread = threading.Thread(
            target=self.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        self.thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def serve(self, handler):
        body = handler.rfile.read(int(handler.headers["Content-Length"]))
        self.requests.append(body)
        number = len(self.requests)
        request = json.loads(body)
        if (wrong := complaint(request)) is not None:
            self.complaints.append(wrong)
        streams = request.get("stream") is True

        def begin():
            handler.send_response(200)
            handler.send_header("Content-Type", "text/event-stream" if streams else "application/json")
            handler.end_headers()

        def write(event):
            handler.wfile.write(f"data: {json.dumps(event)}\n\n".encode())
            handler.wfile.flush()

        message = self.answer(request)
        if self.before is not None and self.before(number, message, begin, write) is False:
            return
        if "refusal" in message:
            status, text, headers = message["refusal"]
            handler.send_response(status)
            for name, value in headers.items():
                handler.send_header(name.replace("_", "-"), value)
            handler.end_headers()
            handler.wfile.write(json.dumps({"error": {"message": text}}).encode())
            return
        begin()
        if not streams:
            handler.wfile.write(json.dumps(whole(message, number)).encode())
            return
        for event in events(message, number):
            write(event)
        handler.wfile.write(b"data: [DONE]\n\n")

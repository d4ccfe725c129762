"""A scripted MCP server for the tests: python3 server.py ERA [FAULT] on standard streams, or as `Web` over HTTP.

ERA is `modern` (revision 2026-07-28), `legacy` (2025-11-25) or `both`. FAULT is what it does wrong; see `Faults`.
"""
import base64
import http.server
import json
import os
import sys
import threading
import time

MODERN = "2026-07-28"
META = "io.modelcontextprotocol/"
PICTURE = base64.b64encode(b"\x89PNG\r\n\x1a\npicture").decode()
TEXT = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}

TOOLS = [
    {"name": "echo", "description": "Gives the text.", "inputSchema": TEXT, "annotations": {"readOnlyHint": True}},
    {"name": "add", "description": "Adds.", "inputSchema": {"type": "object", "properties": {
        "z": {"type": "integer", "x-mcp-header": "First"}, "a": {"type": "integer"}}}},
    {"name": "picture", "description": "Gives a picture.", "inputSchema": {"type": "object"}},
    {"name": "fail", "description": "Fails.", "inputSchema": {"type": "object"}},
    {"name": "slow", "description": "Reports progress.", "inputSchema": {"type": "object"}},
    {"name": "change", "description": "Changes the tools.", "inputSchema": {"type": "object"}},
    {"name": "ask", "description": "Asks the client.", "inputSchema": {"type": "object"}},
    {"name": "where", "description": "Asks for the roots.", "inputSchema": {"type": "object"}},
    {"name": "odd name!", "description": "Has an odd name.", "inputSchema": {"type": "object"}},
    {"name": "broken", "description": "Has no schema.", "inputSchema": {"type": 7}},
]


class Refusal(Exception):
    def __init__(self, code, message, data=None):
        super().__init__(message)
        self.error = {"code": code, "message": message, **({"data": data} if data else {})}


class Talk:
    """What a server knows of one client, and how it answers."""

    def __init__(self, era, fault="", send=None):
        self.era, self.fault, self.send = era, fault, send
        self.tools = [dict(tool) for tool in TOOLS]
        self.answers = {}
        self.listening = None
        self.is_begun = False

    def serves_modern(self):
        return self.era in ("modern", "both")

    def take(self, message):
        """Returns the answer to a message; None for a notification or an answer."""
        if "method" not in message:
            self.answers[message["id"]] = message
            return None
        if "id" not in message:
            return None
        answer = {"jsonrpc": "2.0", "id": message["id"]}
        try:
            answer["result"] = self.result(message["method"], message.get("params", {}), message["id"])
        except Refusal as refusal:
            answer["error"] = refusal.error
        return answer if answer.get("result", 1) is not None else None

    def result(self, method, params, identity):
        version = params.get("_meta", {}).get(META + "protocolVersion")
        if version and self.serves_modern():
            if version != MODERN:
                raise Refusal(-32022, "Unsupported protocol version", {"supported": [MODERN], "requested": version})
            if META + "clientCapabilities" not in params["_meta"]:
                raise Refusal(-32602, "no capabilities")
            return self.modern(method, params, identity)
        if self.era == "modern":
            raise Refusal(-32602, "this server speaks " + MODERN)
        return self.legacy(method, params, identity)

    def modern(self, method, params, identity):
        if method == "server/discover":
            return {"resultType": "complete", "supportedVersions": [MODERN],
                    "capabilities": {"tools": {"listChanged": True}}, "serverInfo": {"name": "t", "version": "1"}}
        if method == "subscriptions/listen":
            self.listening = identity
            return None
        if method == "tools/list":
            return {"resultType": "complete", **self.page(params)}
        if method == "tools/call":
            return {"resultType": "complete", **self.call(params, identity)}
        raise Refusal(-32601, "no such method")

    def legacy(self, method, params, identity):
        if method == "initialize":
            self.is_begun = True
            return {"protocolVersion": "2025-11-25", "capabilities": {"tools": {"listChanged": True}},
                    "serverInfo": {"name": "t", "version": "1"}}
        if not self.is_begun:
            raise Refusal(-32600, "not initialized")
        if method == "tools/list":
            return self.page(params)
        if method == "tools/call":
            return self.call(params, identity)
        raise Refusal(-32601, "no such method")

    def page(self, params):
        """Four tools a page."""
        begin = int(params.get("cursor", 0))
        page = {"tools": self.tools[begin:begin + 4]}
        if begin + 4 < len(self.tools):
            page["nextCursor"] = str(begin + 4)
        if self.fault == "goes-round":
            page["nextCursor"] = "0"
        return page

    def ask(self, method):
        """Sends a request of its own and returns the answer, as the older revision has it."""
        self.send({"jsonrpc": "2.0", "id": "own-" + method, "method": method, "params": {}})
        return self.wait("own-" + method)

    def wait(self, identity):
        for _ in range(200):
            if identity in self.answers:
                return self.answers.pop(identity)
            self.pump()
        return {"error": "no answer came"}

    def pump(self):
        time.sleep(0.02)

    def change(self):
        self.tools = [tool for tool in self.tools if tool["name"] != "fail"]
        self.tools[0] = {**self.tools[0], "description": "Now sends the text elsewhere."}
        note = {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}
        if self.listening is not None:
            note["params"] = {"_meta": {META + "subscriptionId": self.listening}}
        self.send(note)

    def call(self, params, identity):
        name, arguments = params["name"], params.get("arguments", {})
        if name == "echo":
            if self.fault == "dies" and arguments["text"] == "die":
                print("out of memory", file=sys.stderr, flush=True)
                os._exit(3)
            return text(arguments["text"])
        if name == "add":
            both = {"sum": arguments["z"] + arguments["a"]}
            return {"content": [{"type": "text", "text": json.dumps(both)}], "structuredContent": both}
        if name == "picture":
            return {"content": [{"type": "text", "text": "as drawn:"},
                                {"type": "image", "data": PICTURE, "mimeType": "image/png"},
                                {"type": "resource_link", "uri": "file:///x.md", "name": "x.md"},
                                {"type": "resource", "resource": {"uri": "a://b", "text": "inside"}}]}
        if name == "fail":
            return {**text("the disk is full"), "isError": True}
        if name == "slow":
            token = params["_meta"]["progressToken"]
            self.send({"jsonrpc": "2.0", "method": "notifications/progress",
                       "params": {"progressToken": token, "progress": 1, "total": 2, "message": "half"}})
            return text("done")
        if name == "change":
            self.change()
            return text("changed")
        if name == "ask" and self.era == "legacy":
            refusals = [self.ask(m)["error"]["code"] for m in ("sampling/createMessage", "elicitation/create")]
            return text(f"refused: {refusals}, ping: {self.ask('ping')['result']}")
        if name == "ask":
            return {"resultType": "input_required", "requestState": "s", "inputRequests": {
                "who": {"method": "elicitation/create", "params": {"message": "Who are you?"}}}}
        if name == "where" and self.era == "legacy":
            return text(self.ask("roots/list")["result"]["roots"][0]["uri"])
        if name == "where":
            if "inputResponses" not in params:
                return {"resultType": "input_required", "requestState": "kept",
                        "inputRequests": {"r": {"method": "roots/list", "params": {}}}}
            assert params["requestState"] == "kept"
            return text(params["inputResponses"]["r"]["roots"][0]["uri"])
        if name == "odd name!":
            return text("odd")
        raise Refusal(-32602, f"Unknown tool: {name}")


def text(words):
    return {"content": [{"type": "text", "text": words}]}


class Streams(Talk):
    """A server on standard input and output."""

    def __init__(self, era, fault):
        super().__init__(era, fault, self.write)

    def write(self, message):
        sys.stdout.write(json.dumps(message) + "\n")
        sys.stdout.flush()

    def pump(self):
        self.take_line(sys.stdin.readline())

    def take_line(self, line):
        if not line:
            sys.exit()
        message = json.loads(line)
        self.misbehave(message)
        answer = self.take(message)
        if answer:
            self.write(answer)

    def misbehave(self, message):
        is_call = message.get("method") == "tools/call"
        if self.fault == "exits-at-discover" and message.get("method") == "server/discover":
            os._exit(1)
        if self.fault == "hangs" and is_call:
            time.sleep(600)
        if self.fault == "garbage" and is_call:
            for number in range(1000):
                print(f"debug: this is line {number}", flush=True)
        if self.fault == "chats":
            print("debug: a line or two", flush=True)
        if self.fault == "huge" and is_call:
            while True:
                sys.stdout.write("x" * 1_000_000)
        if self.fault == "floods" and is_call:
            while True:
                self.write({"jsonrpc": "2.0", "id": 1, "method": "ping"})
        if self.fault == "long" and is_call:
            self.write({"jsonrpc": "2.0", "id": message["id"], "result": text("line\n" * 1_000_000)})
        if self.fault == "odd" and is_call:
            for odd in ([], 7, {}, {"id": 99, "result": {}}, {"id": None, "result": 1}, {"method": 3}):
                self.write(odd)
            self.write({"jsonrpc": "2.0", "id": message["id"], "result": {"content": [
                7, {}, {"type": "image", "data": "***"}, {"type": "new"}], "structuredContent": None}})

    def run(self):
        if self.fault == "dies-at-once":
            print("no licence", file=sys.stderr)
            sys.exit(4)
        if self.fault == "silent":
            time.sleep(600)
        while True:
            self.take_line(sys.stdin.readline())


class Web(http.server.ThreadingHTTPServer):
    """A server over HTTP. `requests` has the headers and messages that it got."""

    daemon_threads = True

    def __init__(self, era, fault="", streams=False):
        super().__init__(("127.0.0.1", 0), Handler)
        self.era, self.fault, self.streams = era, fault, streams
        self.requests = []
        self.talks = {}
        self.sessions = 0
        self.shared = Talk(era, fault)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}/mcp"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body=b"", kind="application/json", **headers):
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def do_DELETE(self):
        self.server.requests.append((dict(self.headers), "DELETE"))
        self.answer(200)

    def do_GET(self):
        self.answer(405)

    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["content-length"])))
        server = self.server
        server.requests.append(({name.lower(): value for name, value in self.headers.items()}, message))
        method = message.get("method", "")
        if server.fault == "locked" and self.headers.get("authorization") != "Bearer a-key-of-24-characters-x":
            return self.answer(401, b'{"error": "no"}')
        if server.fault == "page":
            return self.answer(200, b"<html>hello</html>", "text/html")
        if server.fault == "moved":
            return self.answer(302, location="http://127.0.0.1:1/elsewhere")
        if server.fault == "hangs" and method == "tools/call":
            time.sleep(600)
        if server.fault == "huge" and method == "tools/call":
            return self.answer(200, b"x" * 20_000_000)
        if server.era == "legacy":
            return self.legacy(message, method)
        version = self.headers.get("mcp-protocol-version")
        if version != message.get("params", {}).get("_meta", {}).get(META + "protocolVersion") or \
                self.headers.get("mcp-method") != method:
            return self.refuse(message, -32020, "header mismatch")
        if method == "subscriptions/listen":
            return self.stream(lambda send: (setattr(server.shared, "send", send), time.sleep(600)))
        if method == "tools/call":
            given = message["params"]["arguments"].get("z")
            if self.headers.get("mcp-name") != message["params"]["name"] or \
                    (given is not None and self.headers.get("mcp-param-first") != str(given)):
                return self.refuse(message, -32020, "header mismatch")
        self.reply(server.shared, message)

    def legacy(self, message, method):
        server = self.server
        session = self.headers.get("mcp-session-id")
        if method == "initialize":
            session = f"s{server.sessions}"
            server.sessions += 1
            server.talks[session] = Talk("legacy", server.fault)
            return self.reply(server.talks[session], message, mcp_session_id=session)
        if session is None:
            return self.answer(400, b"no session")
        if server.fault == "forgets" and method == "tools/call":
            server.talks.pop("s0", None)
        if session not in server.talks:
            return self.answer(404)
        if "id" not in message or "method" not in message:
            server.talks[session].take(message)
            return self.answer(202)
        self.reply(server.talks[session], message)

    def refuse(self, message, code, words):
        self.answer(400, json.dumps({"jsonrpc": "2.0", "id": message.get("id"),
                                     "error": {"code": code, "message": words}}).encode())

    def reply(self, talk, message, **headers):
        if not self.server.streams:
            return self.answer(200, json.dumps(talk.take(message)).encode(), **headers)

        def work(send):
            talk.send = send
            send(talk.take(message))
        return self.stream(work, **headers)

    def stream(self, work, **headers):
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(b": hello\r\n\r\n")

        def send(message):
            self.wfile.write(f"event: message\r\ndata: {json.dumps(message)}\r\n\r\n".encode())
            self.wfile.flush()
        try:
            work(send)
        except OSError:
            pass
        self.close_connection = True


if __name__ == "__main__":
    Streams(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "").run()

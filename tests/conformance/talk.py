"""What the tests of the server share: requests to it, and streams read back."""
import http.client
import json
import unittest

from families import DATA
from server import Server

KEYS = {"messages": {"x-api-key": "key", "anthropic-version": "2023-06-01"}, "gemini": {"x-goog-api-key": "key"},
        "ollama": {}}

# Requests, and an answer, that several tests use.
SAID = [{"role": "user", "content": "Hello"}]
STEP = {"answer": {"text": "Grüße from the server, all of them.", "thinking": "It says hello, so I do.",
                   "calls": [{"name": "look", "input": {"at": "ö"}}]}}
TOOL = {"name": "look", "input_schema": {"type": "object", "properties": {}}}
FUNCTION = {"type": "function", "function": {"name": "look", "parameters": {"type": "object", "properties": {}}}}
MESSAGES = {"model": "claude-sonnet-4-6", "max_tokens": 4000, "messages": SAID, "thinking": {"type": "adaptive"}}
CHAT = {"model": "gpt-5.2", "messages": SAID}


def headers_of(path):
    if path.startswith("/v1/messages"):
        return KEYS["messages"]
    if path.startswith("/v1beta"):
        return KEYS["gemini"]
    return {} if path.startswith("/api/") else {"authorization": "Bearer key"}


class Talk:
    """One connection that is kept."""

    def __init__(self, server):
        self.server = server
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.close()

    def send(self, path, body=None, headers=None, method=None):
        """Returns the status, the headers and the bytes of the answer."""
        data = body if isinstance(body, (bytes, type(None))) else json.dumps(body).encode()
        self.connection.request(method or ("GET" if body is None else "POST"), path, data,
                                {"content-type": "application/json", **(headers_of(path) if headers is None else headers)})
        answer = self.connection.getresponse()
        return answer.status, dict(answer.headers), answer.read()

    def ask(self, path, body, headers=None):
        """Returns the status and the parsed answer."""
        status, _, data = self.send(path, body, headers)
        return status, json.loads(data)

    def verdict(self, path, body, headers=None):
        """Returns what the server's log says of the request: "ok", or the name of the rule."""
        self.send(path, body, headers)
        return self.server.entries()[-1]["verdict"]


def events_of(data):
    """Returns (name, data) of each event of a stream; data is parsed, except for `[DONE]`."""
    found = []
    for block in data.decode().split("\n\n"):
        name, text = None, None
        for line in block.split("\n"):
            if line.startswith("event: "):
                name = line[7:]
            if line.startswith("data: "):
                text = line[6:]
        if text is not None:
            found.append((name, text if text == "[DONE]" else json.loads(text)))
    return found


class RulesCase(unittest.TestCase):
    """A server without a script, and what its rules make of requests."""

    maxDiff = None

    def setUp(self):
        self.server = Server()
        self.server.__enter__()
        self.talk = Talk(self.server)

    def tearDown(self):
        self.talk.connection.close()
        self.server.__exit__()

    def shown(self, path, forms):
        return ["." if self.talk.verdict(path, form) == "ok" else "x" for form in forms]

    def refused(self, path, body, rule, headers=None):
        status, answer = self.talk.ask(path, body, headers)
        entry = self.server.entries()[-1]
        self.assertEqual(entry["verdict"], rule, answer)
        self.assertEqual(status, DATA["errors"][rule]["status"])
        return answer

    def accepted(self, path, body, headers=None):
        status, answer = self.talk.ask(path, body, headers)
        self.assertEqual((self.server.entries()[-1]["verdict"], status), ("ok", 200), answer)
        return answer


class ServedCase(unittest.TestCase):
    """Servers with a script each."""

    maxDiff = None

    def served(self, *steps, **more):
        """Returns a connection to a server that answers with `steps`."""
        server = Server(steps, **more)
        server.__enter__()
        self.addCleanup(server.__exit__)
        talk = Talk(server)
        self.addCleanup(talk.connection.close)
        return talk

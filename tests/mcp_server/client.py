"""A client of the Model Context Protocol, written from its specification and with no code of spoor's."""
import base64
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile

PROGRAM = os.environ.get("SPOOR_PROGRAM", "build/dev/spoor")
MODERN, LEGACY = "2026-07-28", "2025-11-25"
META = "io.modelcontextprotocol/"
ENVELOPE = {META + "protocolVersion": MODERN, META + "clientCapabilities": {},
            META + "clientInfo": {"name": "test", "version": "1"}}


def tokens(text):
    """A count of its own: pieces as byte-pair encoders cut them, each of which is at least one token, and a long one
    more."""
    pieces = re.findall(r" ?[A-Za-z]+|\d{1,3}| ?[^\sA-Za-z\d]|\s+", text)
    return sum(-(-len(piece) // 20) if piece.isspace() else -(-len(piece.strip()) // 5) if piece.isascii() else len(piece.strip())
               for piece in pieces)


class Place:
    """A folder with a store, and what is written into it."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.environment = {"HOME": str(self.folder), "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "SPOOR_AUTHOR": "ada",
                            "SPOOR_NOW": "2026-11-20T12:00:00Z", "SPOOR_STORE": str(self.folder / ".spoor")}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder)

    def spoor(self, *words, said=""):
        done = subprocess.run([PROGRAM, *words], cwd=self.folder, env=self.environment, input=said, text=True, check=False,
                              capture_output=True, timeout=120)
        assert done.returncode == 0, (words, done.stdout, done.stderr)
        return done.stdout

    def batch(self, *requests):
        answers = self.spoor("batch", said="".join(json.dumps(each) + "\n" for each in requests)).splitlines()
        return [json.loads(answer)["result"] for answer in answers]


class Stdio:
    """A server as a child process."""

    def __init__(self, place, *words, modern=False):
        self.modern, self.number, self.lines = modern, 0, []
        self.process = subprocess.Popen([PROGRAM, "mcp", *words], cwd=place.folder, env=place.environment, text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    def write(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def read(self):
        line = self.process.stdout.readline()
        assert line.endswith("\n"), line
        self.lines.append(line)
        return json.loads(line)

    def tell(self, method, **params):
        self.write(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}))

    def message(self, method, params):
        self.number += 1
        if self.modern:
            params = {"_meta": ENVELOPE, **params}
        return {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}

    def ask(self, method, **params):
        """Returns the whole answer."""
        message = self.message(method, params)
        self.write(json.dumps(message))
        answer = self.read()
        assert answer["jsonrpc"] == "2.0" and answer["id"] == message["id"], answer
        assert ("result" in answer) != ("error" in answer), answer
        return answer

    def result(self, method, **params):
        answer = self.ask(method, **params)
        assert "result" in answer, answer
        return answer["result"]

    def call(self, name, **arguments):
        return self.result("tools/call", name=name, arguments=arguments)

    def text(self, name, **arguments):
        result = self.call(name, **arguments)
        assert not result.get("isError"), result
        return result["content"][0]["text"]

    def end(self):
        """Closes the input. Returns the rest of the output, what was logged, and the status."""
        out, errors = self.process.communicate(timeout=20)
        return out, errors, self.process.returncode


class Web:
    """A server of `spoor serve`, asked over HTTP."""

    def __init__(self, place, *words):
        self.process = subprocess.Popen([PROGRAM, "serve", "--listen", "127.0.0.1:0", *words], cwd=place.folder,
                                        env=place.environment, stdout=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().strip() + "/mcp"
        self.port = int(re.search(r":(\d+)/", self.url)[1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=20)
        self.process.stdout.close()

    def post(self, body, token=None, method="POST", **headers):
        """Returns the status, the headers and the body of the answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        named = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
                 **{key.replace("_", "-"): value for key, value in headers.items() if value is not None}}
        if token:
            named["Authorization"] = f"Bearer {token}"
        connection.request(method, "/mcp", body if isinstance(body, (str, bytes)) else json.dumps(body), named)
        answer = connection.getresponse()
        data = answer.read()
        connection.close()
        return answer.status, answer.headers, json.loads(data) if data.startswith(b"{") else data

    def ask(self, token, method, modern=True, changed=None, **params):
        """Sends a request as its revision wants it; `changed` replaces headers (None: leaves one out)."""
        headers = {"MCP_Protocol_Version": MODERN if modern else LEGACY}
        if modern:
            params = {"_meta": ENVELOPE, **params}
            headers["Mcp_Method"] = method
            name = params.get("uri" if method == "resources/read" else "name")
            if name is not None:
                headers["Mcp_Name"] = name if name.isascii() else f"=?base64?{base64.b64encode(name.encode()).decode()}?="
        headers.update(changed or {})
        status, _, answer = self.post({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}, token, **headers)
        return status, answer

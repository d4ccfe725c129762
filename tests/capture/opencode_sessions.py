"""Sessions of the real OpenCode, made through its server: what its database has of a sub-agent, of tools that succeed and
fail, of an error of the provider, of an answer that the user stopped, of a message taken back, and of a summary.

The provider answers each question by its first word.
"""
import http.server
import json
import pathlib
import socketserver
import sqlite3
import subprocess
import sys
import threading
import time
import urllib.request

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "oracle"), str(TESTS / "proxy")]

import oracle  # noqa: E402
import wires  # noqa: E402
from readers import opencode as reader  # noqa: E402

MODEL = {"providerID": "anthropic", "modelID": "claude-sonnet-4-5"}
FIRST = {
    "tools": [("read", {"filePath": "missing.txt"}), ("glob", {"pattern": "*.none"}),
              ("bash", {"command": "echo out; exit 3", "description": "fail"})],
    "quiet": [("bash", {"command": "true", "description": "say nothing"})],
    "task": [("task", {"description": "count the boats", "prompt": "child: how many?", "subagent_type": "general"})],
}


def last_words(request):
    """The texts of the last message, and whether it has results."""
    content = request["messages"][-1]["content"]
    blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
    return [b["text"].strip('"') for b in blocks if b["type"] == "text"], any(b["type"] == "tool_result" for b in blocks)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    count = 0

    def log_message(self, *_):
        pass

    def reply(self, status, body):
        self.send_response(status)
        self.send_header("content-length", str(len(body)))
        self.send_header("content-type", "application/json" if status != 200 else "text/event-stream")
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        Handler.count += 1
        texts, has_results = last_words(request)
        word = texts[-1].split()[0].rstrip(":") if texts and texts[-1] else ""
        if word == "fail":
            self.reply(400, b'{"type":"error","error":{"type":"invalid_request_error","message":"no such thing"}}')
            return
        calls = FIRST.get(word, []) if not has_results and request.get("tools") else []
        content = [] if word == "quiet" else [{"type": "text", "text": f"Said {Handler.count}, of {word or 'results'}.\n"}]
        if request.get("tools"):  # Not for a title or a summary.
            content.insert(0, {"type": "thinking", "thinking": f"I think about {word or 'it'}.", "signature": "c2ln"})
        content += [{"type": "tool_use", "id": f"toolu_{Handler.count}_{i}", "name": name, "input": given}
                    for i, (name, given) in enumerate(calls)]
        whole = {"id": f"msg_{Handler.count:04}", "type": "message", "role": "assistant", "model": request["model"],
                 "content": content, "stop_reason": "tool_use" if calls else "end_turn", "stop_sequence": None,
                 "usage": {"input_tokens": 100 + Handler.count, "cache_creation_input_tokens": 3,
                           "cache_read_input_tokens": 5, "output_tokens": 7}}
        events = list(wires.sse(wires.anthropic_events(whole)))
        if word != "stop":
            self.reply(200, "".join(events).encode())
            return
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        self.close_connection = True
        self.wfile.write("".join(events[:-5]).encode())
        self.wfile.flush()
        time.sleep(30)


class Provider(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True


def make(command, place, environment):
    """Runs OpenCode in the empty folder `place`. Returns the path of its database."""
    provider = Provider(("127.0.0.1", 0), Handler)
    threading.Thread(target=provider.serve_forever, daemon=True).start()
    folder = place / ".config/opencode"
    folder.mkdir(parents=True)
    folder.joinpath("opencode.json").write_text(json.dumps(
        {"model": "anthropic/claude-sonnet-4-5",
         "provider": {"anthropic": {"options": {"baseURL": f"http://127.0.0.1:{provider.server_address[1]}/v1"}}}}))
    work = place / "work"
    work.mkdir()
    server = subprocess.Popen([command, "serve", "--port", "0", "--hostname", "127.0.0.1", "--print-logs"], cwd=work,
                              env={**environment, "PWD": str(work)}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              stdin=subprocess.DEVNULL, text=True)
    try:
        address = None
        for line in server.stdout:
            if "listening on " in line:
                address = line.split("listening on ")[1].split()[0]
                break
        threading.Thread(target=server.stdout.read, daemon=True).start()

        def ask(path, body=None, method="POST"):
            data = None if body is None else json.dumps(body).encode()
            request = urllib.request.Request(address + path, data, {"content-type": "application/json"}, method=method)
            with urllib.request.urlopen(request, timeout=60) as response:
                text = response.read()
            return json.loads(text) if text else None

        def say(session, text):
            return ask(f"/session/{session}/message", {"model": MODEL, "parts": [{"type": "text", "text": text}]})

        one = ask("/session", {})["id"]
        for text in ("hello there", "tools please", "quiet please", "task please", "fail now", "what was it"):
            say(one, text)
        stopper = threading.Timer(3, lambda: ask(f"/session/{one}/abort", {}))
        stopper.start()
        say(one, "stop in the middle")
        stopper.join()
        say(one, "go on")
        ask(f"/session/{one}/summarize", MODEL)
        say(one, "after the summary")
        two = ask("/session", {})["id"]
        say(two, "first of two")
        fork = ask(f"/session/{two}/fork", {})["id"]
        say(fork, "in the fork")
        back = say(two, "tools that are taken back")
        say(two, "last of two")
        parent = back["info"]["parentID"]
        ask(f"/session/{two}/revert", {"messageID": parent})
    finally:
        server.terminate()
        server.wait()
        provider.shutdown()
    return place / ".local/share/opencode/opencode.db"


def check(program, command, place, environment):
    """Compares what spoor has of such a database with what Python's sqlite3 finds there, and with an import of what
    `opencode export` writes. Returns a line about it; an AssertionError if they differ."""
    path = make(command, place, environment)
    sessions, differences = oracle.check(program, reader, path)
    assert not differences, "\n".join(map(str, differences))

    def spoor(store, *words, text=None):
        run = subprocess.run([program, "-s", str(place / store), *words], env=environment, cwd=place, input=text,
                             capture_output=True, text=True, timeout=120, check=True)
        return run.stdout

    def refs(store):
        return {ref["name"]: ref["hash"]
                for ref in json.loads(spoor(store, "batch", text='{"op":"refs","prefix":"refs/"}\n'))["result"]["refs"]
                if not ref["name"].startswith("refs/imports/")}  # They are named by files.

    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    names = [name for (name,) in database.execute("SELECT id FROM session ORDER BY time_created, id")]
    database.close()
    spoor("database", "import", str(path))
    for name in names:
        run = subprocess.run([command, "export", name], cwd=place / "work", env={**environment, "PWD": str(place / "work")},
                             capture_output=True, timeout=60, stdin=subprocess.DEVNULL, check=True)
        file = place / f"{name}.json"
        file.write_text(json.dumps(json.loads(run.stdout), ensure_ascii=False, separators=(",", ":")), encoding="utf-8")
        spoor("exports", "import", str(file))
    assert refs("database") == refs("exports"), (refs("database"), refs("exports"))
    assert "new: 0 turns, 0 notes" in spoor("database", "import", str(path))
    turns = sum(len(branch.messages) for session in sessions for branch in session.branches)
    return f"{len(names)} sessions with {turns} messages, the same as their exports"

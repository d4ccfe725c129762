"""`spoor with` and `spoor proxy` against a provider that keeps what it gets: what it got is the oracle."""
import contextlib
import hashlib
import http.server
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.error
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import provider  # noqa: E402
from agent_key import COOKIE, KEY  # noqa: E402

PROGRAM = os.environ["SPOOR_PROGRAM"]
AGENT = [sys.executable, str(HERE / "agent.py")]


class Place:
    """A home, a provider, and the program."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)
        (self.path / "requests").mkdir()
        self.server = provider.serve(self.path / "requests")
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.upstream = f"http://127.0.0.1:{self.server.server_address[1]}"
        self.environment = {**os.environ, "HOME": str(self.path), "ANTHROPIC_BASE_URL": self.upstream,
                            "NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"}
        for name in ("XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "SPOOR_STORE"):
            self.environment.pop(name, None)

    def close(self):
        self.server.shutdown()
        self.server.server_close()
        self.folder.cleanup()

    def spoor(self, *words, check=True, **more):
        run = subprocess.run([PROGRAM, *words], env=self.environment, cwd=self.path, capture_output=True, timeout=60, **more)
        if check and run.returncode != 0:
            raise AssertionError(f"{words}: {run.returncode} {run.stderr.decode()}")
        return run

    def with_agent(self, *words):
        return self.spoor("with", "--anthropic", "--", *AGENT, *words, check=False)

    def sent(self):
        """The bodies of requests to a model, as the provider got them."""
        bodies = []
        for head in sorted((self.path / "requests").glob("*.head")):
            if "/messages?" in head.read_text().split("\n")[0]:
                bodies.append(head.with_suffix(".json").read_bytes())
        return bodies

    def answers(self):
        log = json.loads(self.spoor("log", "--all", "--commits", "--json").stdout)
        turns = log["commits"] if "commits" in log else log["turns"]
        return [turn["hash"] for turn in reversed(turns) if turn["type"] == "assistant"]

    def prompts(self):
        return [self.spoor("prompt", answer, "--raw").stdout for answer in self.answers()]

    def spool(self):
        return self.path / ".local/state/spoor/spool"


class With(unittest.TestCase):
    def setUp(self):
        self.place = Place()
        self.addCleanup(self.place.close)

    def check_exact(self):
        sent = self.place.sent()
        self.assertEqual(sorted(self.place.prompts()), sorted(sent))
        self.assertEqual(self.place.spoor("store", "fsck").returncode, 0)
        self.assertEqual(list(self.place.spool().glob("*.exchange")), [])

    def coverage(self):
        """Answers of the last session, and those whose request is exact."""
        branch = self.place.spoor("sessions", "--json", "-n", "1").stdout
        branch = json.loads(branch)["sessions"][0]["session"]
        known = json.loads(self.place.spoor("compile", branch, "--json").stdout)["coverage"]
        return known["answers"], known["recorded_requests"]

    def test_a_tree_of_attempts_offers_the_tools_that_were_sent(self):
        self.place.with_agent("9", "look around")
        answer = self.place.answers()[0]
        self.place.spoor("fork", answer, "--n", "1", "--model", "openai/gpt-5", "--no-run")
        rows = json.loads(self.place.spoor("compare", "--tree", "latest", "--json").stdout)["variants"][0]["rows"]
        commit = json.loads(self.place.spoor("show", rows[0]["tree"], "--json").stdout)
        plan = json.loads(self.place.spoor("store", "cat", commit["attach"][0]["hash"]).stdout.lstrip(b"\0"))
        sent = json.loads(self.place.sent()[-1])["tools"]
        self.assertEqual([(tool["id"], tool["description"], json.loads(tool["parameters"])) for tool in plan["tools"]],
                         [(tool["name"], tool["description"], tool["input_schema"]) for tool in sent])

    def check_exported(self):
        """An export has the system prompt and the tools that the provider got."""
        sent = json.loads(self.place.sent()[-1])
        [line] = self.place.spoor("export", "--sft", "--coverage", "present").stdout.splitlines()
        line = json.loads(line)
        self.assertEqual([(tool["type"], tool["function"]) for tool in line["tools"]],
                         [("function", {"name": tool["name"], "description": tool["description"],
                                        "parameters": tool["input_schema"]}) for tool in sent["tools"]])
        systems = [message["content"] for message in line["messages"] if message["role"] == "system"]
        self.assertEqual(systems, [block["text"] for block in sent["system"]])

    def test_an_export_has_the_system_prompt_and_the_tools_that_were_sent(self):
        self.place.with_agent("9", "look around")
        self.check_exported()
        # Once the conversation is edited, it is no longer what was sent.
        self.place.spoor("edit", self.place.answers()[0], "else")
        run = self.place.spoor("export", "--sft", "--coverage", "present", check=False)
        self.assertEqual((run.returncode, run.stdout), (1, b""))
        self.assertIn(b"system prompts and tools of requests", self.place.spoor("export", "--sft").stderr)

    def test_an_export_of_a_session_file_has_what_only_the_request_has(self):
        folder = self.place.path / ".claude/projects/-work"
        folder.mkdir(parents=True)
        self.place.environment["AGENT_FILE"] = str(folder / "11111111-2222-3333-4444-555555555555.jsonl")
        program = self.place.path / "claude"
        program.write_text(f'#!/bin/sh\nexec {" ".join(AGENT)} "$@"\n')
        program.chmod(0o755)
        self.place.environment["PATH"] = f"{self.place.path}:{self.place.environment['PATH']}"
        self.place.spoor("with", "claude", "--", "9", "look around", check=False)
        turns = json.loads(self.place.spoor("log", "1", "--json").stdout)["commits"]
        self.assertNotIn("system", [turn["type"] for turn in turns])
        self.check_exported()

    def test_every_request_is_kept_byte_for_byte(self):
        for words in (("9", "look around"), ("9", "look again", "--stream")):
            with self.subTest(words=words):
                self.place.environment["AGENT_SESSION"] = hashlib.sha256(words[1].encode()).hexdigest()
                run = self.place.with_agent(*words)
                self.assertEqual(run.returncode, 7)
                self.assertIn("All done after 4 results.", run.stdout.decode())
                said = run.stderr.decode()
                self.assertRegex(said, r"spoor: recorded proxy/\w+: 3 requests, 345 tokens in, 90 out, <\$0\.01\n")
                self.assertEqual(self.coverage(), (3, 3))
        self.assertEqual(len(self.place.sent()), 6)
        self.check_exact()

    def test_turns_are_those_of_the_conversation_each_once(self):
        self.place.with_agent("9", "look around", "--stream")
        kinds = [line.split()[1] for line in
                 self.place.spoor("log", "--all", "--commits", "--oneline").stdout.decode().splitlines()]
        kinds = [re.sub(r"^\(.*", "", kind) or "assistant" for kind in kinds]
        self.assertEqual(kinds[::-1], ["system", "user"] + 2 * ["[reasoning]", "assistant", "tool", "tool"] + ["assistant"])

    def test_head_is_at_what_was_recorded_first(self):
        self.place.with_agent("9", "look around")
        self.place.environment["AGENT_SESSION"] = "another"
        self.place.with_agent("9", "look again")
        self.assertEqual(self.place.spoor("prompt", "HEAD", "--raw").stdout, self.place.sent()[2])

    def test_keys_are_nowhere(self):
        run = self.place.with_agent("9", "look around", "--tell-key", "--stream")
        self.assertEqual(run.returncode, 7)
        self.assertTrue(any(KEY.encode() in body for body in self.place.sent()))  # The provider got it.
        kept = b"".join(path.read_bytes() for path in self.place.path.rglob("*")
                        if path.is_file() and path.parent.name != "requests")
        for secret in (KEY, COOKIE, "an-account", KEY[:7]):  # The provider streams seven letters at a time.
            self.assertNotIn(secret.encode(), kept)
        unpacked = self.place.spoor("store", "cat", "--all", "--framed").stdout
        self.assertNotIn(KEY[:7].encode(), unpacked)
        self.assertIn(b"REDACTED:known-key", unpacked)

    def test_an_error_of_the_provider_passes_as_it_is(self):
        request = urllib.request.Request
        with self.proxy() as address:
            body = json.dumps({"model": "overloaded", "messages": [{"role": "user", "content": "hello there"}]}).encode()
            for base in (self.place.upstream, address):
                with self.assertRaises(urllib.error.HTTPError) as raised:
                    urllib.request.urlopen(request(base + "/v1/messages?beta=true", body))
                self.assertEqual(raised.exception.code, 529)
                self.assertIn(b"Overloaded", raised.exception.read())
        self.assertIn(b"hello there", self.place.spoor("log", "--all").stdout)

    def test_what_an_answer_of_the_chat_api_cost_is_in_its_session(self):
        for stream in (False, True):
            with self.subTest(stream=stream), self.proxy() as address:
                said = f"count to three, streaming: {stream}"
                body = {"model": "gpt-5", "stream": stream, "messages": [{"role": "user", "content": said}]}
                urllib.request.urlopen(urllib.request.Request(
                    address + "/v1/chat/completions", json.dumps(body).encode(), {"Content-Type": "application/json"})).read()
        for row in json.loads(self.place.spoor("sessions", "--json").stdout)["sessions"]:
            with self.subTest(session=row["title"]):
                tokens = [row[each] for each in ("input_tokens", "cache_read_tokens", "output_tokens")]
                self.assertEqual((tokens, row["answers"], row["models"]), ([15, 100, 30], 1, ["gpt-5"]))
                turns = json.loads(self.place.spoor("turns", str(row["number"]), "--json").stdout)["turns"]
                self.assertEqual(turns[-1]["finish_reason"], "tool_calls" if turns[-1]["calls"] else "stop")

    def test_of_a_conversation_that_the_provider_keeps_only_the_last_instructions_count(self):
        def tool(name):
            return {"type": "function", "name": name, "parameters": {"type": "object"}}

        def ask(address, **more):
            body = {"model": "gpt-5", "tools": [tool("plain"), {"type": "web_search"}], **more}
            return json.load(urllib.request.urlopen(urllib.request.Request(
                address + "/v1/responses", json.dumps(body).encode(), {"Content-Type": "application/json"})))["id"]

        added = {"type": "additional_tools", "tools": [{"type": "namespace", "name": "functions", "tools": [tool("added")]}]}
        said = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "count to one"}]}
        with self.proxy() as address:
            first = ask(address, instructions="Be brief.", input=[added, said])
            ask(address, instructions="Be long.", input="count to two", previous_response_id=first)
        prompt = json.loads(self.place.spoor("compile", "1", "--json").stdout)
        self.assertEqual([(each["role"], each["text"]) for each in prompt["messages"] if each["role"] in ("system", "user")],
                         [("system", "Be long."), ("user", "count to one"), ("user", "count to two")])
        run = self.place.spoor("export", "1", "--sft")
        self.assertEqual([each["function"]["name"] for each in json.loads(run.stdout)["tools"]], ["plain", "added"])
        self.assertIn(b"1  tools of the provider itself", run.stderr)

    def test_requests_on_a_web_socket_are_kept_too(self):
        self.place.environment["OPENAI_BASE_URL"] = self.place.upstream + "/v1"
        agent = [sys.executable, str(HERE / "socket_agent.py")]
        for number, words in enumerate((["9"], ["9", "--packed"])):
            with self.subTest(words=words):
                run = self.place.spoor("with", "--openai", "--", *agent, *words, check=False)
                self.assertEqual(run.returncode, 7, run.stderr)
                *digests, last = run.stdout.decode().split("\n")[:-1]
                self.assertEqual(last, "All done after 4 results.")
                self.assertRegex(run.stderr.decode(), r"spoor: recorded proxy/\S+: 3 requests, 345 tokens in, 90 out")
                requests = self.requests()[3 * number:]
                sent = [path.read_bytes() for path in sorted((self.place.path / "requests").glob("*.json"))][3 * number:]
                self.assertEqual([self.place.spoor("prompt", each["note"], "--raw").stdout for each in requests], sent)
                self.assertTrue(all(each["answer"] for each in requests))
                for each, digest in zip(requests, digests):
                    note = json.loads(self.place.spoor("show", each["note"], "--json").stdout)
                    body = self.place.spoor("store", "cat", note["attach"][0]["hash"], "--raw").stdout[16:]  # Behind the salt.
                    self.assertEqual(hashlib.sha256(body).hexdigest(), digest)
        kept = b"".join(path.read_bytes() for path in self.place.path.rglob("*")
                        if path.is_file() and path.parent.name != "requests")
        self.assertNotIn(KEY.encode(), kept)

    def test_a_client_that_leaves_a_web_socket_is_said(self):
        self.place.environment["OPENAI_BASE_URL"] = self.place.upstream + "/v1"
        agent = [sys.executable, str(HERE / "socket_agent.py")]
        run = self.place.spoor("with", "--openai", "--", *agent, "9", "--leave", check=False)
        self.assertEqual(run.returncode, 7, run.stderr)
        requests = self.requests()
        self.assertEqual(len(requests), 1)
        note = json.loads(self.place.spoor("show", requests[0]["note"], "--json").stdout)
        self.assertIn(json.loads(note["text"])["ending"], ("client_disconnect", "complete"))

    def requests(self):
        branches = json.loads(self.place.spoor("branch", "--json").stdout)["branches"]
        listed = {}
        for branch in branches:
            for each in json.loads(self.place.spoor("prompt", branch["name"], "--list", "--json").stdout)["requests"]:
                listed[each["note"]] = each
        return sorted(listed.values(), key=lambda each: each["time"])

    def test_one_proxy_for_several_providers(self):
        ways = ["--upstream", f"ours={self.place.upstream}", "--upstream", f"other={self.place.upstream}/x"]
        with self.proxy(*ways) as address:
            for path, status in (("/ours/v1/messages?beta=true", 200), ("/other/v1/messages?beta=true", 200),
                                 ("/oursx/v1/messages", 404), ("/v1/messages", 404), ("/ours", 200), ("/ours?a=b", 200),
                                 ("/other", 200)):
                body = json.dumps({"model": "m", "messages": [{"role": "user", "content": path}]}).encode()
                try:
                    got = urllib.request.urlopen(address + path, body).status
                except urllib.error.HTTPError as error:
                    got = error.code
                self.assertEqual(got, status, path)
        heads = [path.read_text().split()[1] for path in sorted((self.place.path / "requests").glob("*.head"))]
        self.assertEqual(heads, ["/v1/messages?beta=true", "/x/v1/messages?beta=true", "/", "/?a=b", "/x"])
        self.assertEqual(len(self.requests()), 2)

    @contextlib.contextmanager
    def proxy(self, *ways):
        ways = ways or ["--upstream", self.place.upstream]
        process = subprocess.Popen([PROGRAM, "proxy", *ways], env=self.place.environment,
                                   cwd=self.place.path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            yield process.stdout.readline().decode().strip()
        finally:
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=30)
            self.assertEqual(process.returncode, 0)

    def children(self, process):
        found = []
        for status in pathlib.Path("/proc").glob("[0-9]*/stat"):
            with contextlib.suppress(OSError):
                fields = status.read_text().rsplit(")", 1)[1].split()
                if int(fields[1]) == process.pid:
                    found.append(int(status.parent.name))
        return sorted(found)

    def started(self, process):
        """The relay, the recorder and the agent, when all of them run."""
        deadline = time.monotonic() + 20
        while len(found := self.children(process)) < 3:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)
        return found

    def test_killed_relays_and_recorders_change_nothing(self):
        for which in (0, 1):
            with self.subTest(which=("relay", "recorder")[which]):
                self.place.environment["AGENT_SESSION"] = f"session-{which}"
                self.place.environment["AGENT_PAUSE"] = "1"
                before = len(self.place.sent())
                process = subprocess.Popen([PROGRAM, "with", "--anthropic", "--", *AGENT, "9", f"look {which}"],
                                           env=self.place.environment, cwd=self.place.path,
                                           stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                children = self.started(process)
                deadline = time.monotonic() + 20
                while len(self.place.sent()) == before:
                    self.assertLess(time.monotonic(), deadline)
                    time.sleep(0.05)
                time.sleep(0.3)  # It has its first answer, and pauses before the next request.
                os.kill(children[which], signal.SIGKILL)
                out, error = process.communicate(timeout=30)
                self.assertEqual(process.returncode, 7, error)
                self.assertIn(b"All done after 4 results.", out)
        self.assertEqual(len(self.place.sent()), 6)
        self.check_exact()

    def test_three_at_once_record_each_request_once(self):
        self.place.environment["AGENT_PAUSE"] = "0.05"
        runs = []
        for number in range(3):
            environment = {**self.place.environment, "AGENT_SESSION": f"session-{number}"}
            runs.append(subprocess.Popen([PROGRAM, "with", "--anthropic", "--", *AGENT, "9", f"question {number}"],
                                         env=environment, cwd=self.place.path, stdout=subprocess.PIPE, stderr=subprocess.PIPE))
        for run in runs:
            _, error = run.communicate(timeout=60)
            self.assertEqual(run.returncode, 7)
            self.assertIn("3 requests", error.decode())
            self.assertNotIn("error", error.decode())
        self.check_exact()
        notes = sum(len(json.loads(self.place.spoor("log", ref, "--commits", "--json").stdout)["commits"])
                    for ref in ("refs/captures/proxy/" + hashlib.sha256(f"session-{n}".encode()).hexdigest()[:16]
                                for n in range(3)))
        self.assertEqual(notes, 9)

    def test_the_archive_of_a_branch_has_its_requests_and_no_others(self):
        for number in range(2):
            self.place.environment["AGENT_SESSION"] = f"session-{number}"
            self.place.with_agent("9", f"question {number}")
        sessions = json.loads(self.place.spoor("sessions", "--json").stdout)["sessions"]
        branch = sessions[-1]["session"]
        self.place.spoor("store", "archive", "one.archive", branch)
        self.place.spoor("init", "copy.spoor")
        self.place.spoor("--store", "copy.spoor", "import", "one.archive")
        commits = json.loads(self.place.spoor("log", branch, "--commits", "--json").stdout)["commits"]
        answers = [commit["hash"] for commit in commits if commit["type"] == "assistant"]
        self.assertEqual(len(answers), 3)
        for answer in answers:
            self.assertEqual(self.place.spoor("--store", "copy.spoor", "prompt", answer, "--raw").stdout,
                             self.place.spoor("prompt", answer, "--raw").stdout)
        refs = json.loads(self.place.spoor("store", "archive", "one.archive", branch, "--json").stdout)["refs"]
        self.assertEqual(sum(ref["name"].startswith("refs/captures/") for ref in refs), 1)

    def test_what_outlives_its_agent_does_not_hold_the_terminal(self):
        stuck = "import os,socket,sys; a=os.environ['ANTHROPIC_BASE_URL'].split(':'); s=socket.create_connection(('127.0.0.1'," \
                "int(a[2]))); s.sendall(b'POST /v1/messages HTTP/1.1\\r\\nHost: 127.0.0.1\\r\\nContent-Length: 9\\r\\n\\r\\n'); sys.exit(5)"
        start = time.monotonic()
        run = self.place.spoor("with", "--anthropic", "--", sys.executable, "-c", stuck, check=False)
        self.assertEqual(run.returncode, 5)
        self.assertLess(time.monotonic() - start, 10)

    def test_a_question_without_an_answer_holds_nobody_up_and_is_kept(self):
        silent = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(silent.close)
        self.place.environment["ANTHROPIC_BASE_URL"] = f"http://127.0.0.1:{silent.getsockname()[1]}"
        leaver = "import os,socket,sys; a=os.environ['ANTHROPIC_BASE_URL'].split(':'); s=socket.create_connection(('127.0.0.1'," \
                 "int(a[2]))); b=b'{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"are you there\"}]}';" \
                 "s.sendall(b'POST /v1/messages HTTP/1.1\\r\\nHost: 127.0.0.1\\r\\nContent-Length: %d\\r\\n\\r\\n' % len(b) + b);" \
                 "import time; time.sleep(0.5)"
        start = time.monotonic()
        self.place.spoor("with", "--anthropic", "--", sys.executable, "-c", leaver)
        self.assertLess(time.monotonic() - start, 10)
        self.assertIn(b"are you there", self.place.spoor("log", "--all").stdout)

    def test_a_relay_that_is_killed_as_the_agent_ends_holds_nobody_up(self):
        killer = "read relay rest < /proc/$PPID/task/$PPID/children; kill -9 $relay; exit 5"
        for _ in range(10):
            run = self.place.spoor("with", "--anthropic", "--", "sh", "-c", killer, check=False)
            self.assertEqual(run.returncode, 5, run.stderr)

    def test_a_signal_ends_the_agent_and_nothing_is_left_running(self):
        process = subprocess.Popen([PROGRAM, "with", "--anthropic", "--", "sleep", "60"], env=self.place.environment,
                                   cwd=self.place.path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        children = self.started(process)
        time.sleep(0.2)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(timeout=20), 128 + signal.SIGTERM)
        for child in children:
            self.assertFalse(pathlib.Path(f"/proc/{child}").exists())

    def test_each_signal_of_another_process_is_the_agents(self):
        for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGUSR1):
            process = subprocess.Popen([PROGRAM, "with", "--anthropic", "--", "sleep", "60"], env=self.place.environment,
                                       cwd=self.place.path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            self.started(process)
            time.sleep(0.2)
            process.send_signal(number)
            self.assertEqual(process.wait(timeout=20), 128 + number)

    def test_a_request_that_reaches_nobody_is_kept(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))  # Nobody listens.
            self.place.environment["ANTHROPIC_BASE_URL"] = f"http://127.0.0.1:{taken.getsockname()[1]}"
            run = self.place.with_agent("1", "is anybody there? " + "?" * 100_000)
        self.assertNotIn(b"could not be recorded", run.stderr)
        listed = json.loads(self.place.spoor("prompt", "HEAD", "--list", "--json").stdout)["requests"]
        self.assertTrue(all(each["bytes"] > 100_000 for each in listed) and listed, listed)

    def test_certificates_that_the_agent_trusts_are_trusted(self):
        openssl = shutil.which("openssl") or self.skipTest("no openssl")
        key, certificate = self.place.path / "key.pem", self.place.path / "own.pem"
        subprocess.run([openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
                        "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificate], check=True,
                       stderr=subprocess.DEVNULL)
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        server.socket = context.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.shutdown)
        self.place.environment["ANTHROPIC_BASE_URL"] = f"https://localhost:{server.server_address[1]}"
        asking = ("import os, urllib.error, urllib.request as r\n"
                  "try: print(r.urlopen(os.environ['ANTHROPIC_BASE_URL'] + '/none').status)\n"
                  "except urllib.error.HTTPError as error: print(error.code)")
        for variable, code in ((None, "502"), ("SSL_CERT_FILE", "404"), ("NODE_EXTRA_CA_CERTS", "404")):
            environment = {variable: str(certificate)} if variable else {}
            run = subprocess.run([PROGRAM, "with", "--anthropic", "--", sys.executable, "-c", asking], cwd=self.place.path,
                                 env=self.place.environment | environment, capture_output=True, text=True, timeout=60)
            self.assertEqual(code, run.stdout.strip(), (variable, run.stderr))

    def test_an_erased_text_is_not_written_again(self):
        self.place.with_agent("1", "my name is Adelheid Wupperfeld")
        turn = self.place.spoor("search", "Wupperfeld").stdout.split()[0].decode()
        self.place.spoor("store", "erase", turn, "--yes", "--reason", "asked")
        run = self.place.with_agent("1", "my name is Adelheid Wupperfeld")
        self.assertIn(b"spoor: recorded proxy/", run.stderr)
        self.assertNotIn(b"could not be recorded", run.stderr)
        for path in (self.place.path / ".local").rglob("*"):
            if path.is_file():
                self.assertNotIn(b"Wupperfeld", path.read_bytes(), path)

    def test_a_proxy_of_the_environment_is_not_asked_for_ours(self):
        self.place.environment |= {name: "http://127.0.0.1:9" for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY")}
        self.place.environment["no_proxy"] = "127.0.0.1"  # For the way from the relay to the provider of this test.
        asking = "import os, urllib.request as r; r.urlopen(os.environ['ANTHROPIC_BASE_URL'] + '/v1/models').read()"
        run = self.place.spoor("with", "--anthropic", "--", sys.executable, "-c", asking, check=False)
        self.assertNotIn(b"refused", run.stderr)
        said = self.place.spoor("with", "--anthropic", "--", "sh", "-c", "echo $NO_PROXY $no_proxy")
        self.assertEqual(said.stdout, b"127.0.0.1,127.0.0.1 127.0.0.1,127.0.0.1\n")

    def test_closed_standard_files_stay_closed_for_nobody_else(self):
        run = subprocess.run(["sh", "-c", '"$0" with --anthropic -- sh -c "cat; echo said" <&- >&-', PROGRAM],
                             env=self.place.environment, cwd=self.place.path, capture_output=True, timeout=60)
        self.assertIn(b"nothing was recorded", run.stderr)

    def test_the_relay_ends_when_spoor_is_killed(self):
        process = subprocess.Popen([PROGRAM, "with", "--anthropic", "--", "sleep", "5"], env=self.place.environment,
                                   cwd=self.place.path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        relay, recorder, _ = self.started(process)
        process.kill()
        process.wait()
        deadline = time.monotonic() + 20
        while any(pathlib.Path(f"/proc/{each}").exists() for each in (relay, recorder)):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.1)

    def test_a_session_that_has_a_store_open_does_not_fork(self):
        run = self.place.spoor(input=b"init\nuser hello\nwith --anthropic -- touch ran\n", check=False)
        self.assertIn(b"run it from the shell", run.stderr)
        self.assertFalse((self.place.path / "ran").exists())

    def test_the_agent_runs_though_nothing_can_be_recorded(self):
        (self.place.path / ".local").write_text("no folder")
        run = self.place.with_agent("9", "look around")
        self.assertEqual(run.returncode, 7)
        self.assertIn(b"All done after 4 results.", run.stdout)
        self.assertIn(b"nothing is recorded", run.stderr)

    def test_only_this_machine_may_ask(self):
        refused = self.place.spoor("proxy", "--upstream", self.place.upstream, "--listen", "0.0.0.0:0", check=False)
        self.assertEqual(refused.returncode, 1)
        self.assertIn(b"127.0.0.1 only", refused.stderr)
        with self.proxy() as address:
            for headers in ({"Host": "evil.example"}, {"Origin": "https://evil.example"}, {"Host": "127.0.0.1.evil.example"},
                            {"Host": "[::1].evil"}, {"Host": "127.evil.example"}, {"Origin": "https://127.0.0.1.evil.example"}):
                with self.assertRaises(urllib.error.HTTPError) as raised:
                    urllib.request.urlopen(urllib.request.Request(address + "/v1/models", headers=headers))
                self.assertEqual(raised.exception.code, 403)
        self.assertEqual(self.place.sent(), [])

    def test_a_command_that_is_not_there_and_an_unknown_agent_are_said(self):
        missing = self.place.spoor("with", "--anthropic", "--", "no-such-agent", check=False)
        self.assertEqual(missing.returncode, 127)
        self.assertIn(b"cannot run 'no-such-agent'", missing.stderr)
        unknown = self.place.spoor("with", "no-such-agent", check=False)
        self.assertEqual(unknown.returncode, 2)
        self.assertIn(b"--anthropic, --openai, --google or --ollama", unknown.stderr)


if __name__ == "__main__":
    unittest.main()

"""`spoor open` as a browser and its enemies meet it: the program, and requests made by Python's
http.client alone. SPOOR_PROGRAM=build/dev/spoor python3 this-file
"""

import gzip
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest

PROGRAM = str(pathlib.Path(os.environ.get("SPOOR_PROGRAM", "build/dev/spoor")).resolve())
SAMPLE = pathlib.Path(__file__).resolve().parents[2] / "examples/data/sample-session.jsonl"


class Page(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.spoor("import", str(SAMPLE))
        self.server = None

    def environment(self):
        return {"HOME": str(self.folder), "SPOOR_AUTHOR": "ada", "LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin"}

    def spoor(self, *words, fails=False):
        done = subprocess.run([PROGRAM, *words], cwd=self.folder, text=True, check=False, env=self.environment(),
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
        self.assertEqual(done.returncode != 0, fails, done.stdout + done.stderr)
        return done.stderr if fails else done.stdout

    def open(self, *words):
        self.server = subprocess.Popen([PROGRAM, "open", *words], cwd=self.folder, env=self.environment(),
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.stop)
        address = self.server.stdout.readline().strip()
        found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/#([A-Za-z0-9_-]{43})(/.*)?", address)
        self.assertIsNotNone(found, address)
        self.port, self.token, route = int(found[1]), found[2], found[3]
        return route

    def stop(self, how=signal.SIGINT):
        if self.server.poll() is None:
            self.server.send_signal(how)
        status = self.server.wait(timeout=20)
        self.server.stdout.close()
        self.server.stderr.close()
        return status

    def ask(self, method="POST", target="/api", body=b"{}", token=None, host=None, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        connection.putrequest(method, target, skip_host=True)
        connection.putheader("Host", host if host is not None else f"127.0.0.1:{self.port}")
        if token is None:
            token = self.token
        if token:
            connection.putheader("Authorization", f"Bearer {token}")
        headers.setdefault("Content_Type", "application/json")
        for name, value in headers.items():
            connection.putheader(name.replace("_", "-"), value)
        connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body)
        answer = connection.getresponse()
        data = answer.read()
        connection.close()
        return answer, data

    def status(self, *words, **named):
        return self.ask(*words, **named)[0].status

    def call(self, op, **members):
        answer, data = self.ask(body=json.dumps({"op": op, **members}).encode())
        self.assertEqual(answer.status, 200)
        return json.loads(data)

    def test_it_ends_with_a_signal(self):
        for how in (signal.SIGINT, signal.SIGTERM):
            self.open()
            self.assertEqual(self.stop(how), 0)
            with self.assertRaises(OSError):
                socket.create_connection(("127.0.0.1", self.port), timeout=2)

    def test_each_run_has_a_token_of_its_own(self):
        tokens = set()
        for _ in range(3):
            self.open()
            tokens.add(self.token)
            self.stop()
        self.assertEqual(len(tokens), 3)

    def test_a_revision_becomes_a_route_and_must_exist(self):
        self.assertEqual(self.open("1"), "/session/1")
        self.stop()
        self.spoor("branch", "eins/zwei+drei")
        self.assertEqual(self.open("eins/zwei+drei"), "/session/eins/zwei%2Bdrei")
        self.stop()
        self.assertIn("nosuch", self.spoor("open", "nosuch", fails=True))

    def test_no_data_without_the_token(self):
        self.open()
        self.assertEqual(self.status(), 200)
        wrong = ["", "x", self.token[:-1], self.token + "A", self.token.swapcase(), "A" * 43, "A" * 8000]
        for token in wrong:
            self.assertEqual(self.status(token=token or "none"), 401, token)
            self.assertEqual(self.status("GET", "/events", token=token or "none"), 401, token)
        for scheme in ("Basic", "bearer", "Bearer ", "Token"):
            self.assertEqual(self.status(token=False, Authorization=f"{scheme} {self.token}"), 401, scheme)
        # The token counts nowhere else.
        self.assertEqual(self.status(target=f"/api?token={self.token}", token=False), 401)
        self.assertEqual(self.status(token=False, Cookie=f"token={self.token}"), 401)

    def test_only_this_machine_and_the_page_itself_may_ask(self):
        self.open()
        here = f"127.0.0.1:{self.port}"
        for host in ("evil.example", f"evil.example:{self.port}", f"127.0.0.1.evil.example:{self.port}", "0.0.0.0",
                     "127.0.0.1@evil.example", "", f"localhost.:{self.port}", "192.168.0.1", "[::2]:80"):
            for method, target in (("GET", "/"), ("GET", "/app.js"), ("POST", "/api"), ("GET", "/events")):
                self.assertEqual(self.status(method, target, host=host), 403, (host, target))
        for host in (here, f"localhost:{self.port}", "127.0.0.1:9", "127.0.0.1"):  # 9: a port that ssh forwards.
            self.assertEqual(self.status(host=host), 200, host)
        for origin in ("http://evil.example", "null", f"https://{here}", "http://127.0.0.1:1", "http://localhost",
                       f"http://{here}.evil.example", f"http://localhost:{self.port}"):
            self.assertEqual(self.status(Origin=origin), 403, origin)
            self.assertEqual(self.status("GET", "/", Origin=origin), 403, origin)
        self.assertEqual(self.status(Origin=f"http://{here}"), 200)
        for site in ("cross-site", "same-site", "none"):
            self.assertEqual(self.status(Sec_Fetch_Site=site), 403, site)
        self.assertEqual(self.status(Sec_Fetch_Site="same-origin"), 200)
        # A link on another page leads here.
        self.assertEqual(self.status("GET", "/", Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="navigate"), 200)

    def test_two_hosts_are_refused(self):
        self.open()
        with socket.create_connection(("127.0.0.1", self.port), timeout=20) as raw:
            raw.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example\r\n\r\n")
            self.assertRegex(raw.recv(1000), rb"^HTTP/1.1 40[03] ")

    def test_two_origins_are_refused(self):
        self.open()
        here = f"http://127.0.0.1:{self.port}"
        for second in ("http://evil.example", here):
            with socket.create_connection(("127.0.0.1", self.port), timeout=20) as link:
                link.sendall((f"POST /api HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nOrigin: {here}\r\n"
                              f"Origin: {second}\r\nAuthorization: Bearer {self.token}\r\n"
                              "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}").encode())
                self.assertIn(b" 403 ", link.makefile("rb").readline())

    def test_every_answer_forbids_what_the_page_does_not_need(self):
        self.open()
        for target, method, token in (("/", "GET", None), ("/app.js", "GET", None), ("/nosuch", "GET", None),
                                      ("/api", "POST", None), ("/api", "POST", "wrong"), ("/api", "PUT", None)):
            answer, _ = self.ask(method, target, token=token)
            policy = answer.getheader("Content-Security-Policy")
            directives = dict(each.strip().split(" ", 1) for each in policy.split(";"))
            self.assertEqual(directives["default-src"], "'none'")
            self.assertEqual(directives["script-src"], "'self'")
            self.assertEqual(directives["style-src"], "'self'")
            self.assertEqual(directives["connect-src"], "'self'")
            self.assertEqual(directives["frame-ancestors"], "'none'")
            self.assertEqual(directives["base-uri"], "'none'")
            self.assertEqual(directives["form-action"], "'none'")
            self.assertEqual(directives["require-trusted-types-for"], "'script'")
            self.assertNotIn("unsafe", policy)
            self.assertNotIn("http", policy)
            self.assertEqual(answer.getheader("X-Content-Type-Options"), "nosniff")
            self.assertEqual(answer.getheader("Referrer-Policy"), "no-referrer")
            self.assertEqual(answer.getheader("Cache-Control"), "no-store")
            self.assertEqual(answer.getheader("Cross-Origin-Resource-Policy"), "same-origin")
            self.assertIsNone(answer.getheader("Set-Cookie"))
            self.assertIsNone(answer.getheader("Access-Control-Allow-Origin"))

    def test_the_files_are_small_and_name_no_other_place(self):
        self.open()
        total = 0
        for target, media_type in (("/", "text/html"), ("/app.js", "text/javascript"), ("/style.css", "text/css"),
                                   ("/icon.svg", "image/svg+xml")):
            answer, data = self.ask("GET", target, token=False)
            self.assertEqual(answer.status, 200)
            self.assertEqual(answer.getheader("Content-Type"), media_type + "; charset=utf-8")
            self.assertEqual(answer.getheader("Content-Encoding"), "gzip")
            total += len(data)
            text = gzip.decompress(data).decode()
            places = set(re.findall(r"https?://[^\s\"'`)]+", text)) - {
                "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xhtml", "http://www.w3.org/1998/Math/MathML"}
            self.assertEqual(places, set(), target)
            self.assertNotRegex(text, r"\.innerHTML\s*=[^=]\s*[^\"']*this|insertAdjacentHTML|document\.write|eval\(")
        self.assertLess(total, 300 * 1024)

    def test_methods_types_and_sizes(self):
        self.open()
        self.assertEqual(self.status("GET", "/api"), 405)
        self.assertEqual(self.status("POST", "/events"), 405)
        self.assertEqual(self.status("POST", "/"), 405)
        self.assertEqual(self.status("DELETE", "/app.js"), 405)
        for target in ("/x", "/../app.js", "/%2e%2e/etc/passwd", "//", "/index.html/", "/sync", "/mcp", "/.spoor"):
            self.assertEqual(self.status("GET", target), 404, target)
        self.assertEqual(self.status(Content_Type="text/plain"), 415)
        self.assertEqual(self.status(Content_Type="application/x-www-form-urlencoded"), 415)
        self.assertEqual(self.status(Content_Type="application/json; charset=utf-8"), 200)
        self.assertEqual(self.status(body=b" " * (4 << 20)), 200)
        self.assertEqual(self.status(body=b" " * ((4 << 20) + 1)), 413)
        for body in (b"", b"[]", b"{", b"null", b"\xff\xfe", b'{"op":7}', b'{"op":"nosuch"}', b'{"op":"show","x":1}'):
            answer, data = self.ask(body=body)
            self.assertEqual(answer.status, 200)
            self.assertIn("error", json.loads(data), body)

    def test_it_answers_what_batch_answers(self):
        self.open()
        sessions = self.call("sessions")["result"]["sessions"]
        self.assertEqual([each["number"] for each in sessions], [1])
        turns = self.call("turns", rev="1", limit=3)["result"]["turns"]
        self.assertEqual([each["position"] for each in turns], [36, 37, 38])
        self.assertEqual(self.call("show", rev=turns[-1]["commit"])["result"]["depth"], 38)
        self.assertEqual(self.call("show", rev="1")["result"]["depth"], 38)

    def test_kept_answers_are_those_of_the_store_as_it_is(self):
        self.open()
        for op in ("sessions", "timeline", "requests", "lines"):
            members = {} if op == "sessions" else {"revision": "1"}
            first = self.call(op, **members)
            self.assertEqual(self.call(op, **members), first)
            self.spoor("user", "one more")
            self.assertNotEqual(self.call(op, **members), first, op)

    def test_it_reads_only_unless_asked(self):
        self.open()
        before = self.spoor("oplog")
        for op, members in (("annotate", {"target": "HEAD", "priority": "skip"}), ("undo", {}), ("branch", {"name": "x"}),
                            ("edit", {"target": "HEAD", "text": "x"}), ("compress", {"text": "x"}), ("merge", {"source": "HEAD"})):
            self.assertEqual(self.call(op, **members)["error"]["code"], "denied", op)
        self.assertIn("--write", self.call("undo")["error"]["hint"])
        self.assertEqual(self.spoor("oplog"), before)
        self.stop()
        self.open("--write")
        branch = self.call("status")["result"]["branch"]
        made = self.call("annotate", target="HEAD~2", priority="skip", branch=branch)["result"]
        self.assertEqual(made["branch"], branch)
        self.assertEqual(self.call("undo")["result"]["command"], "page annotate")
        self.assertEqual(self.call("compress", text="all of it", to="HEAD~2", branch=branch)["result"]["branch"], branch)
        self.assertEqual(self.call("undo")["result"]["command"], "page compress")
        # And never more than that.
        for op in ("chat", "generate", "run", "judge", "switch", "store erase", "store archive", "store redact", "import",
                   "transaction", "export", "config", "record", "reset", "rebuild", "set_token_limit", "sql", "prove"):
            self.assertEqual(self.call(op)["error"]["code"], "denied", op)

    def test_lines_are_blamed_only_in_the_working_folder(self):
        (self.folder / "in.txt").write_text("here\n")
        (self.folder / "link.txt").symlink_to("/etc/passwd")
        self.open()
        for name in ("/etc/passwd", "../../../../../../etc/passwd", "link.txt", "link.txt:1",
                     "link.txt:1-2"):
            self.assertEqual(self.call("blame", revision=name)["error"]["code"], "denied", name)
            # What sessions left there is in the store; no file is read for it.
            answer = self.call("blame", revision=name, recorded=True)
            self.assertIn("no session edited", answer["error"]["message"], name)
        for members in ('"rev":"/etc/passwd"', '"revision":"in.txt","rev":"/etc/passwd"',
                        '"revision":"in.txt","revision":"/etc/passwd"', '"recorded":true,"recorded":false,"rev":"/etc/passwd"'):
            _, data = self.ask(body=('{"op":"blame",' + members + "}").encode())
            self.assertNotIn(b"root:", data, members)
        for name in ("in.txt", "in.txt:1"):
            self.assertNotIn("not in the folder", json.dumps(self.call("blame", revision=name)))

    def event(self, events):
        """The next event of a stream, without the sizes of chunks and the signs of life."""
        while not (line := events.fp.readline()).startswith(b"data: "):
            self.assertTrue(line, "the stream ended")
        return json.loads(line[6:])

    def test_each_answer_and_each_stream_has_the_number_of_erasures(self):
        self.open()
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        connection.request("GET", "/events", headers={"Authorization": f"Bearer {self.token}"})
        events = connection.getresponse()
        before = self.event(events)["erasures"]
        for _ in range(2):  # The second answer is one that was kept.
            self.assertEqual(self.call("requests", revision="1")["erasures"], before)
        turn = self.call("turns", rev="1", limit=3)["result"]["turns"][-1]["commit"]
        self.spoor("store", "erase", turn, "--reason", "asked for", "--yes")
        after = self.event(events)["erasures"]
        self.assertGreater(after, before)
        self.assertEqual(self.call("requests", revision="1")["erasures"], after)
        self.assertEqual(self.call("show", rev="nobody")["erasures"], after)
        connection.close()

    def test_new_turns_are_told_within_200_ms(self):
        self.open()
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        connection.request("GET", "/events", headers={"Authorization": f"Bearer {self.token}"})
        events = connection.getresponse()
        self.assertEqual(events.getheader("Content-Type"), "text/event-stream; charset=utf-8")
        self.assertTrue(self.event(events)["ready"])
        writer = subprocess.Popen([PROGRAM, "batch"], cwd=self.folder, env=self.environment(),
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        taken = []
        for number in range(5):
            writer.stdin.write(json.dumps({"op": "user", "text": f"{number}", "branch": "live"}) + "\n")
            writer.stdin.flush()
            made = json.loads(writer.stdout.readline())["result"]["hash"]
            begun = time.monotonic()
            event = self.event(events)
            taken.append(time.monotonic() - begun)
            self.assertEqual((event["branch"], event["head"], event["position"], event["turns"]), ("live", made, number, 1))
        writer.stdin.close()
        writer.wait(timeout=10)
        writer.stdout.close()
        self.assertLess(sorted(taken)[2], 0.2, taken)
        begun = time.monotonic()
        self.assertEqual(self.stop(), 0)  # While somebody follows.
        self.assertLess(time.monotonic() - begun, 5)
        connection.close()

    def test_many_may_ask_at_once(self):
        import concurrent.futures
        self.open()
        with concurrent.futures.ThreadPoolExecutor(24) as pool:
            all_turns = list(pool.map(lambda at: self.call("turns", rev="1", **{"from": at % 39}, limit=1), range(200)))
        for at, answer in enumerate(all_turns):
            self.assertEqual(answer["result"]["turns"][0]["position"], at % 39)

    def test_streams_that_nobody_reads_make_room(self):
        self.open()
        request = (f"GET /events HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n"
                   f"Authorization: Bearer {self.token}\r\n\r\n").encode()
        streams = []
        for _ in range(300):
            streams.append(socket.create_connection(("127.0.0.1", self.port), timeout=20))
            self.addCleanup(streams[-1].close)
            streams[-1].sendall(request)
            if len(streams) % 50 == 0:
                for _ in range(50):  # Streams end in a moment; meanwhile it says that it is busy.
                    answer, data = self.ask(body=b'{"op":"refs"}')
                    if answer.status == 200:
                        break
                    self.assertEqual(answer.status, 503)
                    time.sleep(0.1)
                self.assertIn("result", json.loads(data), len(streams))

    def test_it_listens_on_this_machine_alone(self):
        for address in ("0.0.0.0:0", "192.0.2.1:80", "[::]:0", "example.com:80", "127.0.0.1", ""):
            self.assertRegex(self.spoor("open", "--listen", address, fails=True), "cannot listen", address)


if __name__ == "__main__":
    unittest.main()

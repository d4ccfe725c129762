"""`spoor serve` as its users and its enemies meet it: the program over HTTP and TLS, and requests
made by Python's http.client alone. SPOOR_PROGRAM=build/dev/spoor python3 this-file
"""

import http.client
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile
import threading
import time
import unittest

PROGRAM = os.environ.get("SPOOR_PROGRAM", "build/dev/spoor")
TYPE = "application/vnd.spoor.sync"


class Front(threading.Thread):
    """A TCP relay to a port, that may speak TLS to its clients, and cuts after LIMIT bytes to one."""

    def __init__(self, port, tls=None):
        super().__init__(daemon=True)
        self.port, self.tls, self.limit = port, tls, None
        self.server = socket.create_server(("127.0.0.1", 0))
        self.address = self.server.getsockname()[1]
        self.start()

    def run(self):
        while True:
            try:
                client, _ = self.server.accept()
            except OSError:
                return
            threading.Thread(target=self.relay, args=(client,), daemon=True).start()

    def relay(self, client):
        try:
            if self.tls:
                client = self.tls.wrap_socket(client, server_side=True)
            upstream = socket.create_connection(("127.0.0.1", self.port))
            back = threading.Thread(target=self.pass_on, args=(upstream, client, True), daemon=True)
            back.start()
            self.pass_on(client, upstream, False)
            back.join()
            client.close()
            upstream.close()
        except OSError:
            client.close()

    def pass_on(self, source, target, is_answer):
        sent = 0
        try:
            while block := source.recv(65536):
                if is_answer and self.limit is not None and sent + len(block) > self.limit:
                    target.sendall(block[:self.limit - sent])
                    source.shutdown(socket.SHUT_RDWR)
                    target.shutdown(socket.SHUT_RDWR)
                    return
                target.sendall(block)
                sent += len(block)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            pass


class Served(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        for member in ("hub", "one", "two"):
            (self.folder / member).mkdir()
        self.run_in("hub", "init")
        self.run_in("hub", "user", "question")
        self.server = None

    def environment(self, member, variables):
        return {"HOME": str(self.folder / member), "SPOOR_AUTHOR": member, "LC_ALL": "C.UTF-8",
                "PATH": "/usr/bin:/bin", **variables}

    def run_in(self, member, *words, fails=False, said="", **variables):
        done = subprocess.run(
            [PROGRAM, *words], cwd=self.folder / member, text=True, input=said, check=False,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120,
            env=self.environment(member, variables))
        if fails:
            self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
            return done.stderr
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def allow(self, name, *words):
        return self.run_in("hub", "serve", "allow", name, *words).strip()

    def serve(self, *words):
        self.server = subprocess.Popen(
            [PROGRAM, "serve", "--listen", "127.0.0.1:0", *words], cwd=self.folder / "hub",
            env=self.environment("hub", {}), stdout=subprocess.PIPE, text=True)
        self.addCleanup(self.stop)
        url = self.server.stdout.readline().strip()
        self.assertRegex(url, r"^http://127\.0\.0\.1:\d+$")
        self.port = int(url.rsplit(":", 1)[1])
        return url

    def stop(self, how=signal.SIGTERM):
        if self.server.poll() is None:
            self.server.send_signal(how)
        status = self.server.wait(timeout=20)
        self.server.stdout.close()
        return status

    def texts(self, member):
        lines = self.run_in(member, "log", "--oneline").splitlines()
        return [line.split("  ")[-1].strip() for line in lines]

    def ask(self, body=b"", method="POST", target="/sync", token=None, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        named = {"Content-Type": TYPE, **{key.replace("_", "-"): value for key, value in headers.items()}}
        if token:
            named["Authorization"] = f"Bearer {token}"
        connection.request(method, target, body, named)
        answer = connection.getresponse()
        data = answer.read()
        connection.close()
        return answer.status, data

    def test_members_clone_pull_and_push_with_tokens(self):
        token = self.allow("one")
        self.assertRegex(token, r"^spoor_[A-Za-z0-9_-]{43}$")
        url = self.serve()
        self.assertIn("spoor remote login", self.run_in("one", "clone", url, "store", fails=True))
        self.assertFalse((self.folder / "one" / "store").exists())
        self.run_in("one", "remote", "login", url, said=token + "\n")
        kept = list((self.folder / "one" / ".config" / "spoor" / "tokens").iterdir())
        self.assertEqual([file.stat().st_mode & 0o777 for file in kept], [0o600])
        self.run_in("one", "clone", url, ".")
        self.run_in("one", "assistant", "answer")
        self.run_in("one", "push")
        self.assertEqual(self.texts("hub"), ["answer", "question"])
        self.assertIn(" one push", self.run_in("hub", "oplog", "--limit", "1"))
        self.run_in("hub", "user", "another")
        self.run_in("one", "pull")
        self.assertEqual(self.texts("one"), self.texts("hub"))
        self.assertEqual(self.stop(signal.SIGINT), 0)
        self.assertIn("cannot be reached", self.run_in("one", "fetch", fails=True))
        for member in ("hub", "one"):
            self.run_in(member, "store", "fsck")
        # The secret is nowhere but in the file of its owner.
        for path in self.folder.rglob("*"):
            if path.is_file() and path not in kept:
                self.assertNotIn(token.encode(), path.read_bytes(), path)

    def test_rights_are_kept_and_taken_back_at_once(self):
        tokens = {"reader": self.allow("reader", "--may", "read"),
                  "writer": self.allow("writer", "--prefix", "one/"),
                  "owner": self.allow("owner", "--may", "admin")}
        self.assertIn("has a token", self.run_in("hub", "serve", "allow", "owner", fails=True))
        url = self.serve()

        def push(who, *words, fails=False):
            return self.run_in("one", "push", *words, fails=fails, SPOOR_TOKEN=tokens[who])

        self.run_in("one", "clone", url, ".", SPOOR_TOKEN=tokens["reader"])
        self.run_in("one", "assistant", "answer")
        self.assertIn("takes no pushes", push("reader", fails=True))
        self.assertIn("must begin with 'one/'", push("writer", fails=True))
        self.run_in("one", "branch", "one/idea")
        push("writer", "origin", "one/idea")
        self.run_in("one", "tag", "mine")
        self.assertIn("must begin with 'one/'", push("writer", "origin", "mine", fails=True))
        self.assertIn("only go forward", push("writer", "--delete", "origin", "one/idea", fails=True))
        push("owner", "--delete", "origin", "one/idea")
        push("owner")
        listed = self.run_in("hub", "serve", "tokens")
        self.assertEqual([line.split()[:2] for line in listed.splitlines()],
                         [["owner", "admin"], ["reader", "read"], ["writer", "append"]])

        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)

        def refs():
            connection.request("POST", "/sync", b"spoor sync 1 refs 0\n",
                               {"Content-Type": TYPE, "Authorization": f"Bearer {tokens['owner']}"})
            answer = connection.getresponse()
            return answer.status, answer.read()

        self.assertEqual(refs()[0], 200)
        self.run_in("hub", "serve", "revoke", "owner")
        self.assertEqual(refs()[0], 401)  # On the connection that was let in.
        connection.close()
        self.assertIn("there are: reader, writer",
                      self.run_in("hub", "serve", "revoke", "owner", fails=True))
        self.assertIn("does not accept this token", push("owner", fails=True))

    def test_nobody_is_served_without_a_token(self):
        self.assertIn("serve allow", self.run_in("hub", "serve", fails=True))
        token = self.allow("one")
        self.serve()
        refs = b"spoor sync 1 refs 0\n"
        status, data = self.ask(refs, token=token)
        self.assertEqual(status, 200)
        self.assertTrue(data.startswith(b"spoor sync 1 ok "), data)
        self.assertIn(b"ref refs/heads/main ", data)
        for given in (None, "", token[:-1], token + "x", "spoor_", "x" * 5000):
            self.assertEqual(self.ask(refs, token=given)[0], 401, given)
        self.assertEqual(self.ask(refs, Authorization=f"Basic {token}")[0], 401)
        self.assertEqual(self.ask(refs, token=token, Origin="http://127.0.0.1")[0], 403)
        self.assertEqual(self.ask(refs, token=token, Content_Type="text/plain")[0], 415)
        self.assertEqual(self.ask(refs, token=token, method="PUT")[0], 405)
        self.assertEqual(self.ask(refs, token=token, target="/other")[0], 404)
        self.assertEqual(self.ask(refs, token=token, target="/a/b/sync?x=1")[0], 200)

    def test_rubbish_is_answered_and_ends_nothing(self):
        token = self.allow("one")
        self.serve()
        for body in (b"", b"\n", b"spoor sync 1 refs", b"spoor sync 1 refs 99999999999\n",
                     b"spoor sync 1 nothing 0\n", b"spoor sync 1 fetch 5\nwant ", b"\xff" * 100_000,
                     b"spoor sync 2 refs 0\n"):
            status, data = self.ask(body, token=token)
            self.assertEqual(status, 200, body[:40])
            self.assertTrue(data.startswith(b"spoor sync 1 error "), (body[:40], data))
        numbers = random.Random(7)
        for i in range(60):
            line = f"POST /sync HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\nContent-Type: {TYPE}\r\n"
            raw = bytearray(line.encode() + b"Transfer-Encoding: chunked\r\n\r\n14\r\nspoor sync 1 refs 0\n\r\n0\r\n\r\n")
            for _ in range(numbers.randrange(1, 6)):
                raw[numbers.randrange(len(raw))] = numbers.randrange(256)
            with socket.create_connection(("127.0.0.1", self.port)) as peer:
                peer.sendall(raw[:numbers.randrange(len(raw))] if i % 3 == 0 else raw)
                if i % 2 == 0:
                    peer.shutdown(socket.SHUT_WR)
                    while peer.recv(65536):
                        pass
        head = b"POST /sync HTTP/1.1\r\nHost: x\r\nX: " + b"y" * 200_000
        with socket.create_connection(("127.0.0.1", self.port)) as peer:
            try:
                peer.sendall(head)
                while peer.recv(65536):
                    pass
            except ConnectionError:
                pass
        self.assertEqual(self.ask(b"spoor sync 1 refs 0\n", token=token)[0], 200)
        self.run_in("hub", "store", "fsck")

    def test_connections_that_say_little_keep_nobody_out(self):
        token = self.allow("one")
        self.serve()
        begun = time.monotonic()
        silent = []
        for i in range(400):  # More than there is room for; each one says something now and then.
            silent.append(socket.create_connection(("127.0.0.1", self.port)))
            silent[-1].sendall(b"POST /sync HT")
            if i % 50 == 0:
                self.assertEqual(self.ask(b"spoor sync 1 refs 0\n", token=token)[0], 200)
        while time.monotonic() - begun < 12:
            for each in silent:
                try:
                    each.send(b"x")
                except OSError:
                    pass
            time.sleep(1)
        ended = 0
        for each in silent:  # A byte a second does not make the time for a head longer.
            each.settimeout(5)
            try:
                while each.recv(4096):
                    pass
            except ConnectionError:
                pass
            ended += 1
            each.close()
        self.assertEqual(ended, 400)
        self.assertEqual(self.ask(b"spoor sync 1 refs 0\n", token=token)[0], 200)

    def exchange(self, *pieces):
        """Sends pieces on a connection, and returns all that comes."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=20) as peer:
            for piece in pieces:
                peer.sendall(piece)
            got = b""
            while block := peer.recv(65536):
                got += block
            return got

    def test_other_clients_of_http_are_understood(self):
        token = self.allow("one")
        self.serve()
        head = (f"POST /sync HTTP/1.%d\r\nHost: x\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n"
                f"Content-Type: {TYPE}\r\nContent-Length: 20\r\n%s\r\n")
        body = b"spoor sync 1 refs 0\n"
        got = self.exchange((head % (0, "")).encode() + body)
        self.assertTrue(got.startswith(b"HTTP/1.0 200 "), got)
        self.assertNotIn(b"chunked", got.lower())
        self.assertTrue(got.split(b"\r\n\r\n", 1)[1].startswith(b"spoor sync 1 ok "), got)
        with socket.create_connection(("127.0.0.1", self.port), timeout=20) as peer:
            peer.sendall((head % (1, "Expect: 100-continue\r\n")).encode())
            self.assertEqual(peer.recv(65536), b"HTTP/1.1 100 Continue\r\n\r\n")
            peer.sendall(body)
            self.assertTrue(peer.recv(65536).startswith(b"HTTP/1.1 200 "))
        for rubbish in (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 80, b"GET\r\n\r\n",
                        b"POST /sync HTTP/9.9\r\n\r\n"):
            self.assertTrue(self.exchange(rubbish).startswith(b"HTTP/1.1 400 "), rubbish)

    def test_a_token_is_told_to_no_proxy_over_http(self):
        token = self.allow("one")
        url = self.serve()
        heard = []
        spy = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(spy.close)

        def listen():
            try:
                while True:
                    peer, _ = spy.accept()
                    heard.append(peer.recv(65536))
                    peer.close()
            except OSError:
                pass

        threading.Thread(target=listen, daemon=True).start()
        proxy = f"http://127.0.0.1:{spy.getsockname()[1]}"
        self.run_in("one", "clone", url, ".", SPOOR_TOKEN=token, http_proxy=proxy, all_proxy=proxy,
                    ALL_PROXY=proxy)
        self.run_in("one", "fetch", SPOOR_TOKEN=token, http_proxy=proxy, all_proxy=proxy, ALL_PROXY=proxy)
        self.assertEqual(heard, [])

    def test_one_name_has_some_connections(self):
        token, other = self.allow("one"), self.allow("two")
        self.serve()
        request = (f"POST /sync HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n"
                   f"Content-Type: {TYPE}\r\nContent-Length: 20\r\n\r\nspoor sync 1 refs 0\n").encode()
        opened, statuses = [], []
        for _ in range(20):
            peer = socket.create_connection(("127.0.0.1", self.port))
            peer.sendall(request)
            statuses.append(peer.recv(65536)[9:12])
            opened.append(peer)
        self.assertEqual(statuses, [b"200"] * 16 + [b"503"] * 4)
        self.assertEqual(self.ask(b"spoor sync 1 refs 0\n", token=other)[0], 200)
        for peer in opened:
            peer.close()
        deadline = time.monotonic() + 10
        while self.ask(b"spoor sync 1 refs 0\n", token=token)[0] != 200:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.1)

    def test_one_who_begins_many_pushes_keeps_nobody_out(self):
        token, other = self.allow("one"), self.allow("two")
        url = self.serve()
        for i in range(16):
            head = f"refs/heads/b{i} {i + 1:064x}\n"
            move = head.replace(" ", " - ")
            body = f"spoor sync 1 push {len(move) + 5}\nmove {move}spoor archive 3\nref {head}"
            peer = socket.create_connection(("127.0.0.1", self.port))
            self.addCleanup(peer.close)
            peer.sendall((f"POST /sync HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n"
                          f"Content-Type: {TYPE}\r\nContent-Length: 100000\r\n\r\n{body}").encode())
        deadline = time.monotonic() + 10
        while len(list((self.folder / "hub").glob(".spoor-incoming-*"))) < 16:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)
        self.run_in("two", "clone", url, ".", SPOOR_TOKEN=other)
        self.run_in("two", "user", "more")
        self.run_in("two", "push", SPOOR_TOKEN=other)

    def test_what_is_too_long_for_a_head_is_refused(self):
        self.run_in("one", "init")
        self.assertIn("the token is too long", self.run_in(
            "one", "remote", "login", "http://127.0.0.1:1", said="a" * 70000 + "\n", fails=True))
        self.assertIn("is not an address", self.run_in(
            "one", "clone", "http://127.0.0.1:1/" + "a" * 70000, "copy", fails=True)[-200:])

    def test_a_port_that_there_cannot_be_is_refused(self):
        self.allow("one")
        for address in ("127.0.0.1:65536", "127.0.0.1:99999", "127.0.0.1:-1", "127.0.0.1:+1", "127.0.0.1:", "127.0.0.1:1x"):
            self.assertIn(f"cannot listen at '{address}'",
                          self.run_in("hub", "serve", "--listen", address, fails=True))

    def test_tls_is_verified(self):
        token = self.allow("one")
        self.serve()
        certificate, key = self.folder / "cert.pem", self.folder / "key.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
                        "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", str(key),
                        "-out", str(certificate)], check=True, stderr=subprocess.DEVNULL)
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(certificate, key)
        front = Front(self.port, tls)
        url = f"https://localhost:{front.address}/team"
        said = self.run_in("one", "clone", url, ".", fails=True, SPOOR_TOKEN=token)
        self.assertIn("cannot be reached", said)
        self.run_in("two", "remote", "login", url, said=token + "\n", SSL_CERT_FILE=str(certificate))
        self.run_in("one", "clone", url, ".", SPOOR_TOKEN=token, SSL_CERT_FILE=str(certificate))
        self.run_in("one", "assistant", "-", said="x" * 3_000_000)
        self.run_in("one", "push", SPOOR_TOKEN=token, SSL_CERT_FILE=str(certificate))
        self.assertEqual(len(self.texts("hub")), 2)
        said = self.run_in("one", "remote", "add", "far", "http://example.org/x") and \
            self.run_in("one", "fetch", "far", fails=True, SPOOR_TOKEN=token)
        self.assertIn("others could read the token", said)

    def test_what_a_web_server_in_between_says_is_explained(self):
        token = self.allow("one")
        said = {b"413 Payload Too Large": "client_max_body_size", b"502 Bad Gateway": "status 502",
                b"401 Unauthorized": "does not accept this token", b"404 Not Found": "no store answers",
                b"301 Moved Permanently": "status 301", b"200 OK": "no store answers"}
        between = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(between.close)
        self.run_in("one", "init")
        self.run_in("one", "remote", "add", "far", f"http://127.0.0.1:{between.getsockname()[1]}/team")
        for status, wanted in said.items():
            def answer():
                peer, _ = between.accept()
                request = b""
                while not request.endswith(b"\r\n0\r\n\r\n"):  # Closing before that may lose the answer.
                    request += peer.recv(65536)
                peer.sendall(b"HTTP/1.1 " + status + b"\r\nContent-Type: text/html\r\n"
                             b"Location: http://example.org/\r\nContent-Length: 5\r\n\r\n<html")
                peer.close()

            answering = threading.Thread(target=answer)
            answering.start()
            self.assertIn(wanted, self.run_in("one", "fetch", "far", fails=True, SPOOR_TOKEN=token), status)
            answering.join()

    def test_a_transfer_that_is_cut_goes_on(self):
        numbers = random.Random(1)
        for _ in range(12):
            self.run_in("hub", "user", "-", said=numbers.randbytes(750_000).hex())
        token = self.allow("one")
        self.serve()
        front = Front(self.port)
        front.limit = 7_000_000
        url = f"http://127.0.0.1:{front.address}"
        said = self.run_in("one", "clone", url, ".", fails=True, SPOOR_TOKEN=token)
        self.assertIn("run the same command again", said)
        spools = list((self.folder / "one").glob(".spoor-incoming-*"))
        self.assertEqual(len(spools), 1)
        front.limit = 5_500_000  # 9 MB are all; the rest and a little.
        self.run_in("one", "clone", url, ".", SPOOR_TOKEN=token)
        self.assertEqual(len(self.texts("one")), 13)
        self.run_in("one", "store", "fsck")

    def test_a_server_that_is_killed_loses_nothing(self):
        token = self.allow("one", "--may", "admin")
        numbers = random.Random(3)
        self.run_in("one", "clone", self.serve(), ".", SPOOR_TOKEN=token)
        for i in range(8):
            self.run_in("one", "user", "-", said=numbers.randbytes(400_000).hex())
            pushed = subprocess.Popen(
                [PROGRAM, "push"], cwd=self.folder / "one",
                env=self.environment("one", {"SPOOR_TOKEN": token}),
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(numbers.random() * 0.15)
            self.server.kill()
            self.server.wait()
            is_done = pushed.wait(timeout=60) == 0
            if is_done:
                self.assertEqual(self.texts("hub"), self.texts("one"))
            self.run_in("hub", "store", "fsck")
            self.server.stdout.close()
            self.server = subprocess.Popen(
                [PROGRAM, "serve", "--listen", f"127.0.0.1:{self.port}"], cwd=self.folder / "hub",
                env=self.environment("hub", {}), stdout=subprocess.PIPE, text=True)
            self.server.stdout.readline()
        self.run_in("one", "push", SPOOR_TOKEN=token)
        self.assertEqual(self.texts("hub"), self.texts("one"))

    def test_many_push_at_once(self):
        tokens = {member: self.allow(member) for member in ("one", "two")}
        url = self.serve()
        for member, token in tokens.items():
            self.run_in(member, "clone", url, ".", SPOOR_TOKEN=token)

        def work(member):
            for i in range(6):
                self.run_in(member, "user", f"{member} {i}")
                for _ in range(20):
                    self.run_in(member, "pull", SPOOR_TOKEN=tokens[member])
                    done = subprocess.run(
                        [PROGRAM, "push"], cwd=self.folder / member, check=False,
                        env=self.environment(member, {"SPOOR_TOKEN": tokens[member]}),
                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                    if done.returncode == 0:
                        break
                else:
                    failed.append(member)

        failed = []
        workers = [threading.Thread(target=work, args=(member,)) for member in tokens]
        for each in workers:
            each.start()
        for each in workers:
            each.join()
        self.assertEqual(failed, [])
        texts = self.texts("hub")
        for member in tokens:
            mine = [text for text in reversed(texts) if re.fullmatch(rf"{member} \d", text)]
            self.assertEqual(mine, [f"{member} {i}" for i in range(6)])
        self.run_in("hub", "store", "fsck")


if __name__ == "__main__":
    unittest.main()

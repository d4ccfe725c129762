"""What a client gets through the relay is what it gets without it, byte for byte, and so is what the provider gets, but for
the host. Both ends are sockets of this test, so that nothing is tidied up on the way."""
import contextlib
import os
import pathlib
import random
import resource
import signal
import socket
import struct
import subprocess
import tempfile
import threading
import time
import unittest

PROGRAM = os.environ["SPOOR_PROGRAM"]
SEED = int(os.environ.get("SPOOR_SEED", "0")) + 23
ROUNDS = 60 * int(os.environ.get("SPOOR_SOAK", "1"))


class Reader:
    """The bytes of a connection, read up to an end or a length."""

    def __init__(self, connection):
        self.connection, self.have = connection, b""

    def more(self):
        part = self.connection.recv(65536)
        self.have += part
        return bool(part)

    def take(self, size):
        taken, self.have = self.have[:size], self.have[size:]
        return taken

    def until(self, *ends):
        while True:
            for end in ends:
                if end in self.have:
                    return self.take(self.have.index(end) + len(end))
            if not self.more():
                return None

    def request(self):
        """The head and the body of a request, as they came; None at the end."""
        head = self.until(b"\r\n\r\n", b"\n\n")
        if head is None:
            return None, b""
        length = 0
        if b"/early" in head.split(b"\r\n")[0]:  # The answer comes before the question has ended.
            self.connection.sendall(b"HTTP/1.1 413 Too Large\r\nConnection: close\r\nContent-Length: 9\r\n\r\ntoo large")
        for line in head.splitlines():
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
            if name.lower() == b"expect":
                self.connection.sendall(b"HTTP/1.1 100 Continue\r\nX-Odd:  kept \r\n\r\n")
            if name.lower() == b"transfer-encoding":
                return head, self.until(b"0\r\n\r\n")
        while len(self.have) < length:
            if not self.more():
                return None, b""
        return head, self.take(length)


def reset(connection):
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


SSE = b": a comment\n\nevent: ping\ndata: {}\n\ndata: " + b"x" * 5000 + b"\n\n"


def chunked(body, extension=b"", trailer=b"", size=100):
    parts = [body[at:at + size] for at in range(0, len(body), size)]
    return b"".join(b"%x%s\r\n%s\r\n" % (len(part), extension, part) for part in parts) + b"0\r\n" + trailer + b"\r\n"


def answer(path, connection, body):
    """Answers a request; False closes the connection."""
    send = connection.sendall
    ok = b"HTTP/1.1 200 OK\r\n"
    if path == b"/plain":
        send(ok + b"cONTENT-lENGTH: %d\r\nX-A: 1\r\nx-a:   2\t\r\n\r\n%s" % (len(body) + 3, b"got" + body))
    elif path == b"/chunked":
        send(ok + b"Transfer-Encoding: chunked\r\nTrailer: X-T\r\n\r\n" + chunked(SSE, b";ext=1", b"X-T: end\r\n"))
    elif path == b"/slow":
        send(ok + b"Transfer-Encoding: chunked\r\nContent-Type: text/event-stream\r\n\r\n")
        for part in (b"data: 1\n\n", b": alive\n\n", b"data: 2\n\n"):
            time.sleep(0.05)
            send(b"%x\r\n%s\r\n" % (len(part), part))
        send(b"0\r\n\r\n")
    elif path == b"/nothing":
        send(b"HTTP/1.1 204 No Content\r\n\r\n")
    elif path == b"/error":
        send(b"HTTP/1.1 529 Overloaded Now\r\nRetry-After: 3\r\nContent-Length: 4\r\n\r\nlate")
    elif path == b"/open-end":
        send(ok + b"Content-Type: text/plain\r\n\r\n" + SSE)
        return False
    elif path == b"/cut":
        send(ok + b"Content-Length: 1000\r\n\r\nhalf")
        return False
    elif path == b"/cut-chunk":
        send(ok + b"Transfer-Encoding: chunked\r\n\r\n64\r\nhalf")
        return False
    elif path == b"/silent":
        return False
    elif path == b"/interim-only":
        send(b"HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n")
        return False
    elif path == b"/open-end-reset":
        send(ok + b"\r\n" + SSE)
        time.sleep(0.05)
        reset(connection)
        return False
    elif path == b"/lf":
        send(b"HTTP/1.1 200 OK\nContent-Length: %d\n\ngot%s" % (len(body) + 3, body))
    elif path == b"/goes":
        send(ok + b"Content-Length: %d\r\n\r\ngot%s" % (len(body) + 3, body))
        return False
    elif path == b"/reset":
        send(ok + b"Content-Length: 1000\r\n\r\n" + b"y" * 400)
        time.sleep(0.05)
        reset(connection)
        return False
    elif path == b"/large":
        send(ok + b"Content-Length: %d\r\n\r\n" % ((20 << 20) + 7))
        for _ in range(20):
            send(b"z" * (1 << 20))
        send(b"the end")
    elif path.startswith(b"/upgrade"):
        send(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\nhello")
        while part := connection.recv(4096):
            if path == b"/upgrade":
                send(part[::-1])
            if part.endswith(b"bye"):
                break
        return False
    elif path == b"/early":
        return False
    elif path == b"/no-http":
        send(b"SSH-2.0-something\r\n\r\n")
        return False
    return True


class Upstream:
    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.address = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        self.got = []
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        reader = Reader(connection)
        try:
            while True:
                head, body = reader.request()
                if head is None:
                    break
                self.got.append((head, body))
                if not answer(head.split(b" ")[1].split(b"?")[0].removeprefix(b"/base"), connection, body):
                    break
        except OSError:
            pass
        connection.close()


def talk(address, parts, pause=0.0, until=None, half=False):
    """Sends the parts, and with `half` that no more comes; returns all that comes back, and whether the end was a reset."""
    host, port = address.removeprefix("http://").split(":")
    connection = socket.create_connection((host, int(port)), timeout=20)
    got = b""
    try:
        for part in parts:
            connection.sendall(part)
            time.sleep(pause)
        if half:
            connection.shutdown(socket.SHUT_WR)
        while until is None or not got.endswith(until):
            part = connection.recv(1 << 20)
            if not part:
                break
            got += part
        return got, False
    except ConnectionResetError:
        return got, True
    except BrokenPipeError:
        return got, True
    finally:
        connection.close()


def request(path, body=b"", method=b"POST", more=b"", host=b"127.0.0.1"):
    length = b"Content-Length: %d\r\n" % len(body) if body or method == b"POST" else b""
    return b"%s %s HTTP/1.1\r\nHost: %s\r\nX-Case: MiXed\r\n%s%s\r\n%s" % (method, path, host, more, length, body)


class Relay(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.upstream = Upstream()
        cls.folder = tempfile.TemporaryDirectory()
        environment = {**os.environ, "HOME": cls.folder.name, "no_proxy": "127.0.0.1"}
        for name in ("XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "SPOOR_STORE"):
            environment.pop(name, None)
        cls.process = subprocess.Popen([PROGRAM, "proxy", "--upstream", cls.upstream.address + "/base/"], env=environment,
                                       cwd=cls.folder.name, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        cls.address = cls.process.stdout.readline().decode().strip()

    @classmethod
    def tearDownClass(cls):
        cls.process.send_signal(signal.SIGINT)
        cls.process.communicate(timeout=60)
        cls.folder.cleanup()
        assert cls.process.returncode == 0

    def both(self, parts, **how):
        """The outcome of a direct talk, after it was seen to be that of one through the relay."""
        outcomes = []
        for address in (self.upstream.address, self.address):
            self.upstream.got.clear()
            got = talk(address, parts, **how)
            time.sleep(0.02)
            seen = [(head.replace(b" /base/", b" /"), body) for head, body in self.upstream.got]
            host = self.upstream.address.removeprefix("http://").encode()
            outcomes.append((got, [(head.replace(host, b"127.0.0.1"), body) for head, body in seen]))
        self.assertTrue(outcomes[0] == outcomes[1], [repr(each)[:500] for each in outcomes])
        return outcomes[0]

    def test_each_kind_of_response(self):
        close = b"Connection: close\r\n"
        for path in (b"/open-end", b"/cut", b"/cut-chunk", b"/silent", b"/no-http", b"/interim-only", b"/goes"):
            with self.subTest(path=path):
                self.both([request(path, b"{}")])
        for path, end in ((b"/plain", b"got{}"), (b"/chunked", b"X-T: end\r\n\r\n"), (b"/slow", b"0\r\n\r\n"),
                          (b"/nothing", b"\r\n\r\n"), (b"/error", b"late"), (b"/large", b"the end")):
            with self.subTest(path=path):
                got, seen = self.both([request(path, b"{}", more=close if path == b"/plain" else b"")], until=end)
                self.assertFalse(got[1])
                self.assertEqual(seen[0][1], b"{}")

    def test_a_reset_in_the_middle_ends_the_response_there(self):
        for address in (self.upstream.address, self.address):
            got, _ = talk(address, [request(b"/reset", b"{}")])
            self.assertIn(b"y" * 400, got)
            self.assertNotIn(b"y" * 401, got)

    def test_a_reset_is_no_end_of_a_response_without_a_length(self):
        got, _ = self.both([request(b"/open-end-reset", b"{}")])
        self.assertTrue(got[1])
        self.assertTrue(got[0].endswith(SSE))

    def test_lines_that_end_with_a_line_feed_alone(self):
        self.both([request(b"/lf", b"one") + request(b"/lf", b"two") + request(b"/plain", b"three")], until=b"gotthree")
        self.both([request(b"/plain", b"one").replace(b"\r\n", b"\n", 1) + request(b"/lf", b"two")], until=b"gottwo")
        got, _ = talk(self.address, [request(b"/plain", b"{}").replace(b"\r\n", b"\n")], until=b"got{}")
        self.assertIn(b"got{}", got)

    def test_a_client_that_says_that_it_has_no_more_to_say_is_answered(self):
        for path in (b"/plain", b"/slow", b"/large", b"/error"):
            with self.subTest(path=path):
                got, _ = self.both([request(path, b"{}")], half=True)
                self.assertTrue(got[0])
        self.both([request(b"/plain", b"{}")[:-1]], half=True)

    def test_each_kind_of_request(self):
        body = b"b" * 300_000 + b"the end"
        self.both([request(b"/plain", body)], until=b"the end")
        self.both([request(b"/plain?a=1&b=%20", body)[i:i + 7000] for i in range(0, len(body) + 100, 7000)], until=b"the end")
        head = b"POST /plain HTTP/1.1\r\nhost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n"
        encoded = chunked(b"some text", b";x=y", size=3)
        self.both([head, encoded[:5], encoded[5:]], pause=0.02, until=encoded[-8:])
        self.both([request(b"/plain", b"", method=b"GET")], until=b"got")
        self.both([request(b"/plain", b"wait", more=b"Expect: 100-continue\r\n")], until=b"gotwait")

    def test_an_answer_before_the_end_of_the_question(self):
        body = b"b" * 300_000
        text = request(b"/early", body)
        got, _ = self.both([text[:100_000], text[100_000:200_000], text[200_000:]], pause=0.05)
        self.assertTrue(got[0].endswith(b"too large"), got)

    def test_a_provider_that_is_not_there(self):
        with socket.create_server(("127.0.0.1", 0)) as closed:
            address = f"http://127.0.0.1:{closed.getsockname()[1]}"
        process = subprocess.Popen([PROGRAM, "proxy", "--upstream", address], env={**os.environ, "HOME": self.folder.name},
                                   cwd=self.folder.name, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        proxy = process.stdout.readline().decode().strip()
        for size in (10, 10 << 20):
            got, was_reset = talk(proxy, [request(b"/v1/messages", b"x" * size)])
            self.assertEqual((got.split(b" ")[1], was_reset), (b"502", False))
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)

    def start(self, upstream, most_files=None):
        """A proxy of its own: its address, and the id of its relay."""
        limit = (lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (most_files, most_files))) if most_files else None
        process = subprocess.Popen([PROGRAM, "proxy", "--upstream", upstream], env={**os.environ, "HOME": self.folder.name},
                                   cwd=self.folder.name, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, preexec_fn=limit)

        def end():
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=30)

        self.addCleanup(end)
        address = process.stdout.readline().decode().strip()
        children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        return address, min(int(each) for each in children)

    def connect(self, address):
        connection = socket.create_connection(("127.0.0.1", int(address.rsplit(":", 1)[1])), timeout=20)
        self.addCleanup(connection.close)
        return connection

    def sockets(self, relay):
        found = 0
        for each in pathlib.Path(f"/proc/{relay}/fd").iterdir():
            with contextlib.suppress(FileNotFoundError):
                found += os.readlink(each).startswith("socket:")
        return found

    def test_a_client_that_leaves_while_the_provider_is_called_is_let_go(self):
        full = socket.socket()  # Nobody accepts, so a further connection is never made.
        self.addCleanup(full.close)
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        waiting = [socket.socket() for _ in range(4)]
        for each in waiting:
            self.addCleanup(each.close)
            each.setblocking(False)
            each.connect_ex(full.getsockname())
        address, relay = self.start(f"http://127.0.0.1:{full.getsockname()[1]}")
        before = self.sockets(relay)
        clients = [self.connect(address) for _ in range(4)]
        for each in clients:
            each.sendall(request(b"/v1/messages", b"{}"))
        time.sleep(0.5)
        self.assertGreater(self.sockets(relay), before)
        for each in clients:
            each.close()
        deadline = time.monotonic() + 15
        while self.sockets(relay) > before:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.1)

    def test_idle_clients_give_way(self):
        address, _ = self.start(self.upstream.address, most_files=64)
        idle = [self.connect(address) for _ in range(100)]
        start = time.monotonic()
        got, _ = talk(address, [request(b"/plain", b"{}")], until=b"got{}")
        self.assertTrue(got.endswith(b"got{}"), got)
        self.assertLess(time.monotonic() - start, 5)
        idle[-1].sendall(request(b"/plain", b"{}"))  # The newest was kept.
        self.assertIn(b"200 OK", idle[-1].recv(1000))

    def peak(self, relay):
        """The memory that a process ever had, in MB."""
        return int(pathlib.Path(f"/proc/{relay}/status").read_text().split("VmHWM:")[1].split()[0]) / 1024

    def fresh_relay(self):
        address, relay = self.start(self.upstream.address)
        talk(address, [request(b"/plain", b"{}")], until=b"got{}")
        if self.peak(relay) > 30:
            self.skipTest("the program has a sanitizer")
        return address, relay

    def test_messages_on_a_web_socket_take_no_memory(self):
        for text in (b'{"type":"response.cancel"}', b'{"type":"response.create"}'):
            with self.subTest(text=text):
                self.flood(text)

    def flood(self, text):
        address, relay = self.fresh_relay()
        connection = self.connect(address)
        connection.sendall(b"GET /upgrade/responses HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        connection.recv(1000)
        for _ in range(200):
            connection.sendall((b"\x81" + bytes([len(text)]) + text) * 1000)
        connection.sendall(b"bye")
        while connection.recv(65536):
            pass
        # What waits to be written has a bound.
        self.assertLess(self.peak(relay), 30 if b"cancel" in text else 70)

    def test_memory_is_at_most_twice_the_bodies(self):
        address, relay = self.fresh_relay()
        size = 15 << 20
        threads = [threading.Thread(target=talk, args=(address, [request(b"/large", b"x" * size)]),
                                    kwargs={"until": b"the end"}) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertLess(self.peak(relay), 30 + 2 * 4 * (15 + 20))

    def test_many_requests_on_one_connection(self):
        one, two = request(b"/plain", b"one"), request(b"/chunked", b"two")
        three = request(b"/plain", b"three")
        _, seen = self.both([one + two + three], until=b"gotthree")  # Pipelined.
        self.assertEqual([body for _, body in seen], [b"one", b"two", b"three"])

    def test_an_upgrade_is_a_tunnel(self):
        upgrade = b"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: x\r\n"
        got, _ = self.both([request(b"/upgrade", method=b"GET", more=upgrade), b"abc", b"good bye"], pause=0.1)
        self.assertTrue(got[0].endswith(b"hellocbaeyb doog"), got)

    def test_a_client_that_leaves_ends_the_call(self):
        for address in (self.upstream.address, self.address):
            host, port = address.removeprefix("http://").split(":")
            with socket.create_connection((host, int(port))) as connection:
                connection.sendall(request(b"/slow", b"{}"))
                connection.recv(100)
        self.both([request(b"/plain", b"still there")], until=b"gotstill there")

    def test_a_client_that_leaves_before_the_answer_is_told(self):
        silent = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(silent.close)
        address, _ = self.start(f"http://127.0.0.1:{silent.getsockname()[1]}")
        for size in (100, 70_000, 1_000_000):
            text = request(b"/silent", b"x" * size)
            for parts in ([text], [text[:-size], text[-size:]]):
                client = self.connect(address)
                for part in parts:
                    client.sendall(part)
                    time.sleep(0.02)
                provider, _ = silent.accept()
                with provider:
                    provider.settimeout(5)
                    left = size
                    while left > 0:
                        left -= provider.recv(1 << 16).count(b"x")
                    time.sleep(0.05)
                    client.close()
                    with contextlib.suppress(ConnectionResetError):
                        self.assertEqual(provider.recv(1000), b"", f"{size} bytes in {len(parts)} parts")

    def test_a_body_of_no_chunks_in_parts(self):
        head = b"POST /plain HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n"
        last = request(b"/plain", b"the end")
        for parts in ([head + b"0\r\n", b"\r\n"], [head, b"0", b"\r", b"\n\r", b"\n"], [head, b"0\r\n", b"\r", b"\n"],
                      [head, b"1\r\n", b"a", b"\r\n0\r\n", b"\r", b"\n"]):
            self.both([*parts, last], until=b"gotthe end", pause=0.01)

    def test_what_cannot_be_passed_on_is_answered(self):
        for text, status in ((b"no request at all\r\n\r\n", b"400"), (request(b"/x", host=b"evil.example"), b"403"),
                             (b"CONNECT a:443 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", b"405"),
                             (b"GET http://other.example/ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", b"400")):
            got, _ = talk(self.address, [text])
            self.assertEqual(got.split(b" ")[1], status, text)

    def test_any_pieces_and_any_order(self):
        generator = random.Random(SEED)
        paths = [(b"/plain", None), (b"/chunked", None), (b"/nothing", None), (b"/error", None)]
        for _ in range(ROUNDS):
            text, last = b"", b""
            for _ in range(generator.randrange(1, 6)):
                path, _ = generator.choice(paths)
                last = b"n" * generator.randrange(1, 3000)
                text += request(path, last)
            text += request(b"/plain", b"the end")
            parts = []
            while text:
                size = generator.randrange(1, 4000)
                parts.append(text[:size])
                text = text[size:]
            self.both(parts, until=b"gotthe end")


if __name__ == "__main__":
    unittest.main()

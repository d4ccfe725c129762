"""Short conversations with every fault that the generator below knows, each held twice: straight, and through the proxy. The
client's outcome must be the same: status, head, body, and how it ended.

Both ends are sockets of this test. What may differ, because a relay of bare TCP could not make it the same:

- where one end resets the connection, bytes that were on their way may be lost: of both outcomes one begins with the other;
- where a client does not wait for the whole answer, the provider may get a reset as an end, and any part of the request;
- whether a client that still sends sees the end of the connection as a reset: that is the kernel's race.
"""
import collections
import gzip
import os
import pathlib
import random
import resource
import signal
import socket
import sqlite3
import struct
import subprocess
import tempfile
import threading
import time
import unittest

PROGRAM = os.environ["SPOOR_PROGRAM"]
SEED = int(os.environ.get("SPOOR_SEED", "0")) + 41
FACTOR = int(os.environ.get("SPOOR_SOAK", "1"))
RUNS = 10_000 if FACTOR > 1 else 250
PATIENCE = 10  # Seconds. Nobody waits longer.

Step = collections.namedtuple("Step", "kind value")  # send BYTES, pause SECONDS, wait or hear SIZE, drain, half, end, reset


# --- What is said ------------------------------------------------------------------------------------------------------------

APIS = (b"/v1/messages?beta=true", b"/v1/responses", b"/v1/chat/completions", b"/api/chat", b"/v1beta/models/g:generateContent",
        b"/v1/models", b"/")


def chunks(body, pick, fault=False):
    out = b""
    while body:
        size = pick.choice((1, 7, 100, 5000, 1 << 20))
        part, body = body[:size], body[size:]
        out += b"%x%s\r\n%s\r\n" % (len(part), pick.choice((b"", b";a=b")), part)
    if fault:
        return out + pick.choice((b"xyz\r\n", b"-1\r\n", b"fffffffffffffffff\r\n")) + b"more"
    return out + b"0\r\n" + pick.choice((b"", b"X-Trailer: 1\r\n")) + b"\r\n"


def body_of(pick, largest):
    size = pick.choice((0, 2, 100, 5000, 70_000, largest))
    return (b'{"model":"m","messages":[{"role":"user","content":"' + pick.randbytes(20).hex().encode() * (size // 40 + 1))[:size]


class Request:
    """The bytes of a request, and where its head ends."""

    def __init__(self, pick, port, largest):
        body = body_of(pick, largest)
        self.path = pick.choice(APIS)
        self.expects = len(body) > 0 and pick.random() < 0.1
        self.is_chunked = pick.random() < 0.3
        self.is_bad = self.is_chunked and pick.random() < 0.1
        head = b"POST %s HTTP/1.1\r\nhOST: 127.0.0.1:%d\r\nX-Api-Key: sk-test-%d\r\n" % (self.path, port, pick.randrange(10**9))
        head += b"User-Agent: test/1\r\n" if pick.random() < 0.5 else b""
        head += b"Expect: 100-continue\r\n" if self.expects else b""
        head += b"Transfer-Encoding: chunked\r\n" if self.is_chunked else b"Content-Length: %d\r\n" % len(body)
        self.head = head + b"\r\n"
        self.body = chunks(body, pick, self.is_bad) if self.is_chunked else body


class Response:
    """The bytes of an answer, and whether the connection goes on after it."""

    def __init__(self, pick, largest):
        self.kind = pick.choice(("length", "length", "chunked", "sse", "gzip", "open-end", "error", "empty", "lf", "bad-chunk",
                                 "not-http"))
        self.interim = pick.choice((b"", b"", b"", b"HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n"))
        status = pick.choice((b"400 Bad", b"401 No", b"429 Slow Down", b"500 Oh", b"529 Overloaded")) if self.kind == "error" else b"200 OK"
        body = body_of(pick, largest)
        head = b"HTTP/1.1 " + status + b"\r\nX-odd:   kept \r\n"
        if self.kind == "gzip":
            body = gzip.compress(body, 1)
            head += b"Content-Encoding: gzip\r\n"
        if self.kind == "sse":
            body = b"".join(b"event: ping\ndata: %d\n\n" % i for i in range(pick.randrange(200)))
            head += b"Content-Type: text/event-stream\r\n"
        if self.kind in ("chunked", "sse", "bad-chunk"):
            head += b"Transfer-Encoding: chunked\r\n\r\n"
            self.rest = chunks(body, pick, self.kind == "bad-chunk")
        elif self.kind == "open-end":
            head, self.rest = head + b"\r\n", body
        elif self.kind == "empty":
            head, self.rest = b"HTTP/1.1 204 None\r\n\r\n", b""
        elif self.kind == "not-http":
            head, self.rest = b"SSH-2.0-other\r\n\r\n", body[:100]
        else:
            head, self.rest = head + b"Content-Length: %d\r\n\r\n" % len(body), body
        if self.kind == "lf":
            head = head.replace(b"\r\n", b"\n")
        self.bytes = self.interim + head + self.rest
        self.closes = self.kind in ("open-end", "bad-chunk", "not-http") or pick.random() < 0.2


def pieces(data, pick):
    """The bytes in parts, a few of which come late."""
    if len(data) > 200_000 or pick.random() < 0.4:
        return [Step("send", data)]
    steps = []
    while data:
        size = pick.choice((1, 10, 300, 20_000))
        steps.append(Step("send", data[:size]))
        data = data[size:]
        if len(steps) > 40:
            return steps + [Step("send", data)]
        if pick.random() < 0.05:
            steps.append(Step("pause", 0.005))
    return steps


class Run:
    """A conversation: what the client does, and what the provider does."""

    def __init__(self, number, port, largest):
        pick = random.Random(SEED * 1_000_003 + number)
        self.number = number
        if pick.random() < 0.05:
            self.upgrade(pick, port)
            return
        count = pick.choice((1, 1, 1, 2, 4))
        asked = [Request(pick, port, largest) for _ in range(count)]
        told = [Response(pick, largest) for _ in range(count)]
        # What goes wrong, and with which of the requests it ends.
        self.fault = pick.choice(("none",) * 6 + ("cut", "reset", "early", "silent", "slow", "client-half", "client-leaves-asking",
                                                 "client-resets-asking", "client-leaves-hearing", "client-resets-hearing"))
        self.is_pipelined = count > 1 and self.fault == "none" and pick.random() < 0.4
        last = next((at for at, each in enumerate(told) if each.closes or asked[at].is_bad), count - 1)
        asked, told = asked[:last + 1], told[:last + 1]
        self.client, self.provider = [], []
        self.is_whole = False  # A reset comes after the whole answer.
        for at, (request, response) in enumerate(zip(asked, told)):
            fault = self.fault if at == last else "none"
            self.exchange(pick, request, response, fault, at == last)
        if self.is_pipelined:  # All that is sent, then all that is waited for.
            self.client.sort(key=lambda step: {"wait": 1, "drain": 1, "end": 2}.get(step.kind, 0))
        self.is_exact = "reset" not in self.fault and self.fault not in ("client-leaves-asking", "client-leaves-hearing")
        self.kinds = [each.kind for each in told]

    def exchange(self, pick, request, response, fault, is_last):
        whole = request.head + request.body
        expects = request.expects and not self.is_pipelined
        if fault in ("client-leaves-asking", "client-resets-asking"):
            cut = pick.randrange(len(whole))
            self.client += pieces(whole[:cut], pick) + [Step("reset" if "resets" in fault else "end", None)]
            self.provider += [Step("hear", len(whole))]
            return
        if expects and fault != "early":
            self.client += [Step("send", request.head), Step("wait", len(b"HTTP/1.1 100 Continue\r\n\r\n"))] + pieces(request.body, pick)
            self.provider += [Step("hear", len(request.head)), Step("send", b"HTTP/1.1 100 Continue\r\n\r\n"),
                              Step("hear", len(request.body))]
        elif fault == "early":  # It answers when it has the head and some of the body, and reads the rest.
            self.client += pieces(whole, pick)
            self.provider += [Step("hear", len(request.head) + len(request.body) // 2)] + pieces(response.bytes, pick)
            self.provider += [Step("hear", len(request.body) - len(request.body) // 2)]
        else:
            self.client += pieces(whole, pick)
            self.provider += [Step("hear", len(whole))]
        if fault == "client-half":
            self.client.append(Step("half", None))
        if fault == "silent":
            self.provider.append(Step("end", None))
        elif fault in ("cut", "reset"):
            cut = pick.randrange(len(response.bytes) + 1)
            self.is_whole = cut == len(response.bytes)
            self.provider += pieces(response.bytes[:cut], pick)
            # A reset takes what is on its way with it.
            self.provider += [Step("pause", 0.03), Step("reset", None)] if fault == "reset" else [Step("end", None)]
        elif fault != "early":
            if fault == "slow":
                self.provider.append(Step("pause", 0.2))
            self.provider += pieces(response.bytes, pick)
        if fault in ("client-leaves-hearing", "client-resets-hearing"):
            self.client += [Step("wait", pick.randrange(len(response.bytes) + 1)),
                            Step("reset" if "resets" in fault else "end", None)]
            self.provider.append(Step("drain", None))
        elif is_last:
            # The client reads to the end if there is one, or what it knows the length of.
            if response.closes or fault in ("cut", "reset", "silent"):
                self.provider.append(Step("end", None))
                self.client.append(Step("drain", None))
            else:
                self.client += [Step("wait", len(response.bytes)), Step("end", None)]
                self.provider.append(Step("drain", None))
        else:
            self.client.append(Step("wait", len(response.bytes)))

    def upgrade(self, pick, port):
        self.fault, self.kinds, self.is_pipelined, self.is_exact, self.is_whole = "none", ["socket"], False, True, False
        head = b"GET /v1/responses HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n" % port
        answer = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n"
        self.client = [Step("send", head), Step("wait", len(answer))]
        self.provider = [Step("hear", len(head)), Step("send", answer)]
        for _ in range(pick.randrange(1, 5)):
            text = b'{"type":"response.create"}' if pick.random() < 0.7 else pick.randbytes(100)
            ask, tell = b"\x81" + bytes([len(text)]) + text, b"\x81\x1d" + b'{"type":"response.completed"}'
            self.client += pieces(ask, pick) + [Step("wait", len(tell))]
            self.provider += [Step("hear", len(ask))] + pieces(tell, pick)
        self.client.append(Step("drain", None))
        self.provider.append(Step("end", None))

    def __repr__(self):
        def short(steps):
            return [(s.kind, (s.value[:60], len(s.value)) if isinstance(s.value, bytes) else s.value) for s in steps]
        return f"run {self.number} of seed {SEED}: {self.fault} {self.kinds}\n client {short(self.client)}\n provider {short(self.provider)}"


# --- Who says it -------------------------------------------------------------------------------------------------------------

class End:
    """One end of a connection, which takes steps. `got` is what it read, `end` how that ended: open, closed or reset."""

    def __init__(self, connection):
        self.connection, self.got, self.end, self.used = connection, bytearray(), "open", 0
        connection.settimeout(PATIENCE)

    def read(self, size=1 << 20):
        try:
            part = self.connection.recv(size)
        except ConnectionResetError:
            self.end = "reset"
            return False
        self.got += part
        self.end = "open" if part else "closed"
        return bool(part)

    def take(self, steps, adjust=lambda size: size):
        for kind, value in steps:
            try:
                if kind == "send":
                    self.connection.sendall(value)
                elif kind == "pause":
                    time.sleep(value)
                elif kind == "half":
                    self.connection.shutdown(socket.SHUT_WR)
                elif kind in ("wait", "hear"):
                    self.used += value
                    while len(self.got) < (self.used if kind == "wait" else adjust(self.used)) and self.read():
                        pass
                elif kind == "drain":
                    while self.read():
                        pass
                elif kind == "reset":
                    self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    break
                elif kind == "end":
                    break
            except TimeoutError:
                self.end = f"silent at {kind}"
                break
            except (BrokenPipeError, ConnectionResetError):  # What the other has said before it left can still be read.
                continue
            if self.end != "open" and kind in ("wait", "hear"):
                break
        self.connection.close()
        return self


def talk(run, listener, port):
    """Holds a conversation at `port`, of which the provider listens at `listener`. Returns what both ends saw."""
    listener.setblocking(False)
    try:  # Of a client that left before.
        while True:
            listener.accept()[0].close()
    except BlockingIOError:
        pass
    listener.settimeout(0.05)
    heard, has_left = [], threading.Event()

    def provide():
        late = 0
        while late < 20:
            try:
                connection = listener.accept()[0]
            except TimeoutError:
                late += has_left.is_set()
                continue
            heard.append(End(connection).take(run.provider))
            return

    provider = threading.Thread(target=provide)
    provider.start()
    client = End(socket.create_connection(("127.0.0.1", port))).take(run.client)
    has_left.set()
    provider.join()
    return client, (heard or [None])[0]


def is_beginning(one, other):
    return one.startswith(other) or other.startswith(one)


class Place:
    """A home with a proxy, the provider of it, and what is wrong with them all the time."""

    def __init__(self, trouble):
        self.trouble = trouble
        self.folder = tempfile.TemporaryDirectory()
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port = self.listener.getsockname()[1]
        environment = {**os.environ, "HOME": self.folder.name, "no_proxy": "127.0.0.1"}
        for name in ("XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "SPOOR_STORE"):
            environment.pop(name, None)
        self.lock = None
        limit = (lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))) if trouble == "full" else None
        self.process = subprocess.Popen([PROGRAM, "proxy", "--upstream", f"http://127.0.0.1:{self.port}"], env=environment,
                                        cwd=self.folder.name, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                        preexec_fn=limit)
        self.proxy = int(self.process.stdout.readline().decode().strip().rsplit(":", 1)[1])
        self.relay, self.recorder = self.children()[:2]
        if trouble == "locked":
            self.hold_store()
        if trouble == "stopped":
            os.kill(self.recorder, signal.SIGSTOP)
        if trouble == "killed":
            os.kill(self.recorder, signal.SIGKILL)

    def children(self):
        found = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        return sorted(int(each) for each in found)

    def hold_store(self):
        store = pathlib.Path(self.folder.name, ".local/share/spoor/.spoor")
        deadline = time.monotonic() + 20
        while not store.exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        self.lock = sqlite3.connect(store, isolation_level=None, check_same_thread=False)
        self.lock.execute("PRAGMA busy_timeout = 20000")
        self.lock.execute("BEGIN IMMEDIATE")

    def close(self):
        """Ends the proxy; returns whether the relay that was started first lived until now."""
        lived = self.relay in self.children()
        if self.lock:
            self.lock.execute("ROLLBACK")
        if self.trouble == "stopped":
            os.kill(self.recorder, signal.SIGCONT)
        self.process.send_signal(signal.SIGINT)
        self.process.communicate(timeout=600)
        self.left = list(pathlib.Path(self.folder.name).glob(".local/state/spoor/spool/*.exchange"))
        self.folder.cleanup()
        self.listener.close()
        return lived


class Faults(unittest.TestCase):
    def judge(self, run, place):
        straight, passed = talk(run, place.listener, place.port), talk(run, place.listener, place.proxy)
        for which, one, other in (("client", straight[0], passed[0]), ("provider", straight[1], passed[1])):
            one_got, other_got = (bytes(each.got) if each else b"" for each in (one, other))
            told = f"{place.trouble} {which}: {len(one_got)} {one and one.end}, {len(other_got)} {other and other.end} through the proxy;" \
                   f" {one_got[-80:]} {other_got[-80:]}\n{run}"
            if run.is_exact:
                self.assertTrue(one_got == other_got, told)
            else:
                self.assertTrue(is_beginning(one_got, other_got), told)
            if which == "client" and (run.is_exact or run.fault == "reset"):
                self.assertTrue(one.end == other.end or run.is_whole, told)

    def work(self, place, numbers):
        for number in numbers:
            try:
                self.judge(Run(number, place.port, 100_000_000 if number % 500 == 499 else 300_000), place)
            except AssertionError as error:
                self.errors.append(error)
                if len(self.errors) > 5:
                    return

    def test_the_outcome_is_that_without_a_proxy(self):
        self.errors = []
        places = [Place(trouble) for trouble in ("none", "locked", "full", "stopped", "killed")]
        threads = [threading.Thread(target=self.work, args=(place, range(at, RUNS, len(places))))
                   for at, place in enumerate(places)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual([(place.trouble, place.close()) for place in places], [(place.trouble, True) for place in places])
        self.assertEqual(places[0].left, [])
        self.assertFalse(self.errors, "\n".join(str(error) for error in self.errors))


if __name__ == "__main__":
    unittest.main()

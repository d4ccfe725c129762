"""What the proxy adds: to the first byte of a response, and to the time of a request, each beside the same without it.

    SPOOR_PROGRAM=build/bench/spoor python3 bench/proxy.py

Prints a table. Client and provider are in this one process, on raw sockets with keep-alive, so the figures without the proxy
are its floor. The provider answers at once: 2 kB for a request of 100 kB, as an agent's are.
"""
import os
import signal
import socket
import statistics
import subprocess
import tempfile
import threading
import time

PROGRAM = os.path.abspath(os.environ["SPOOR_PROGRAM"])
REQUESTS = int(os.environ.get("SPOOR_BENCH_REQUESTS", "2000"))
BODY = b'{"model":"m","messages":[{"role":"user","content":"' + b"x" * 100_000 + b'"}]}'
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2048\r\n\r\n" + b"y" * 2048
LARGE = 256 << 20


def serve(listener):
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=answer, args=(connection,), daemon=True).start()


def answer(connection):
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    have = b""
    while True:
        while b"\r\n\r\n" not in have:
            part = connection.recv(1 << 20)
            if not part:
                return
            have += part
        head, have = have.split(b"\r\n\r\n", 1)
        length = int(head.split(b"Content-Length: ")[1].split(b"\r\n")[0])
        while len(have) < length:
            have += connection.recv(1 << 20)
        have = have[length:]
        if b"/large" in head.split(b"\r\n")[0]:
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % LARGE)
            block = b"z" * (1 << 20)
            for _ in range(LARGE >> 20):
                connection.sendall(block)
        else:
            connection.sendall(ANSWER)


def connect(address):
    host, port = address.removeprefix("http://").split(":")
    connection = socket.create_connection((host, int(port)))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def request(path, body):
    return b"POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: %d\r\n\r\n%s" % (path, len(body), body)


def times(address, body):
    """Microseconds to the first byte of each response."""
    connection = connect(address)
    text = request(b"/v1/other", body)
    found = []
    for _ in range(REQUESTS):
        start = time.perf_counter()
        connection.sendall(text)
        got = connection.recv(1 << 16)
        found.append((time.perf_counter() - start) * 1e6)
        while len(got) < len(ANSWER):
            got += connection.recv(1 << 16)
    connection.close()
    return sorted(found)


def throughput(address):
    """Gigabytes a second of one large response."""
    connection = connect(address)
    start = time.perf_counter()
    connection.sendall(request(b"/large", b"{}"))
    got, buffer = 0, bytearray(1 << 20)
    while got < LARGE:
        got += connection.recv_into(buffer)
    return got / (time.perf_counter() - start) / 1e9


def memory_of(process):
    children = subprocess.run(["ps", "-o", "rss=", "--ppid", str(process.pid)], capture_output=True, text=True).stdout.split()
    return max(int(each) for each in children) / 1024


def main():
    listener = socket.create_server(("127.0.0.1", 0), backlog=64)
    threading.Thread(target=serve, args=(listener,), daemon=True).start()
    upstream = f"http://127.0.0.1:{listener.getsockname()[1]}"
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as home:
        environment = {**os.environ, "HOME": home, "no_proxy": "127.0.0.1"}
        for name in ("XDG_DATA_HOME", "XDG_STATE_HOME", "SPOOR_STORE"):
            environment.pop(name, None)
        process = subprocess.Popen([PROGRAM, "proxy", "--upstream", upstream], env=environment, cwd=home,
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        address = process.stdout.readline().decode().strip()
        print("| | without | with | difference |\n|---|---|---|---|")
        for name, body in (("a request of 100 B", b'{"a":1}' + b" " * 93), ("a request of 100 kB", BODY)):
            direct, relayed = times(upstream, body), times(address, body)
            for part, at in (("half of them", 0.5), ("99 of 100", 0.99)):
                one, two = (each[int(len(each) * at)] for each in (direct, relayed))
                print(f"| {name}, first byte, {part} within | {one:.0f} µs | {two:.0f} µs | {two - one:.0f} µs |")
            rate = [1e6 / statistics.mean(each) for each in (direct, relayed)]
            print(f"| {name}, a second, one after the other | {rate[0]:,.0f} | {rate[1]:,.0f} | |")
        one, two = throughput(upstream), throughput(address)
        print(f"| one response of {LARGE >> 20} MB | {one:.2f} GB/s | {two:.2f} GB/s | |")
        print(f"| memory of the larger process afterwards | | {memory_of(process):.0f} MB | |")
        process.send_signal(signal.SIGINT)
        process.wait()


if __name__ == "__main__":
    main()

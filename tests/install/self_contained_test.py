"""A self-contained program in a root that has nothing else: it keeps a turn, and calls a model over HTTPS if it can verify
the server. `./dev package` runs it on what it packed; by hand: `self_contained_test.py PROGRAM [EMULATOR]`, where EMULATOR is a
static qemu-user for a program of another processor.

Needs openssl for a certificate, and root or a kernel that lets a user unshare."""
import http.server
import json
import os
import pathlib
import shutil
import ssl
import subprocess
import sys
import tempfile
import threading

ANSWER = {"choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "from afar"}}],
          "usage": {"prompt_tokens": 1, "completion_tokens": 1}}


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        body = json.dumps(ANSWER).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def serve(folder):
    """Serves HTTPS with a certificate of its own, `server.pem`. Returns the port."""
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
                    "-addext", "subjectAltName=DNS:localhost", "-keyout", folder / "key.pem", "-out", folder / "server.pem"],
                   check=True, capture_output=True)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "server.pem", folder / "key.pem")
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_port


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        root = folder / "root"
        config = root / "home/.config/spoor"
        config.mkdir(parents=True)
        (root / "etc").mkdir()
        (root / "tmp").mkdir()
        shutil.copy(program, root / "spoor")
        command = ["/spoor"]
        if len(sys.argv) > 2:
            shutil.copy(sys.argv[2], root / "emulator")
            command = ["/emulator", "/spoor"]
        port = serve(folder)
        (root / "etc/hosts").write_text("127.0.0.1 localhost\n")
        (root / "home/server.pem").write_bytes((folder / "server.pem").read_bytes())
        (config / "config.toml").write_text(
            f'[providers.far]\nwire = "openai-chat"\nbase_url = "https://localhost:{port}/v1"\n')

        def spoor(*words, **variables):
            enter = ["chroot", root] if os.geteuid() == 0 else ["unshare", "--map-root-user", "chroot", root]
            return subprocess.run([*enter, *command, *words], text=True, capture_output=True, timeout=120,
                                  env={"HOME": "/home", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", **variables})

        assert spoor("init").returncode == 0
        assert spoor("user", "hello").returncode == 0
        assert "hello" in spoor("log").stdout
        assert json.loads(spoor("store", "fsck", "--json").stdout)["sound"]
        assert spoor("store", "archive", "/tmp/all").returncode == 0
        brought = spoor("--store", "/tmp/other.spoor", "import", "/tmp/all")
        assert brought.returncode == 0 and "verified" in brought.stdout, brought
        refused = spoor("chat", "--model", "far/m", "are you there?")
        assert refused.returncode != 0 and "certificate" in refused.stderr, refused
        answered = spoor("chat", "--model", "far/m", "are you there?", SSL_CERT_FILE="/home/server.pem")
        assert answered.stdout == "from afar\n", answered
    print(f"{program.name}: kept turns, refused a server that it cannot verify, and called one that it can")


if __name__ == "__main__":
    main()

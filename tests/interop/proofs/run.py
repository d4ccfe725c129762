"""A store's signed log, read and witnessed by a Go program with other people's libraries: run.py PROOFS-PROGRAM."""
import functools
import http.server
import os
import pathlib
import subprocess
import sys
import tempfile
import threading

PROGRAM = os.environ["SPOOR_PROGRAM"]


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def main():
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        environment = {**os.environ, "HOME": folder, "SPOOR_AUTHOR": "ada", "no_proxy": "127.0.0.1"}
        for name in [name for name in environment if name.startswith("XDG_") or name == "SPOOR_STORE"]:
            del environment[name]

        def run(*words, text=None):
            done = subprocess.run(words, env=environment, cwd=folder, input=text, capture_output=True, text=True, timeout=120)
            if done.returncode != 0:
                raise SystemExit(f"{words}: {done.returncode}\n{done.stderr}")
            return done.stdout

        spoor = functools.partial(run, PROGRAM)

        def turns(first, last):
            spoor(text="".join(f"user turn {number}\n" for number in range(first, last)))

        spoor("init")
        turns(0, 200)
        spoor("checkpoint")
        (place / "old.note").write_text(spoor("checkpoint"))
        turns(200, 700)
        spoor("branch", "side", "HEAD~300")
        newest = spoor("checkpoint", "--tiles", "served")
        (place / "request").write_text(spoor("checkpoint", "--request", "200"))
        key = spoor("checkpoint", "--key").strip()
        (place / "newest.note").write_text(newest)
        witness, answer = run(sys.argv[1], "cosign", "newest.note").split("\n", 1)
        (place / "answer").write_text(answer)
        spoor("checkpoint", "--cosignatures", "answer", "--witness", witness)
        commits = []
        for revision in ("HEAD", "HEAD~1", "HEAD~255", "HEAD~256", "HEAD~699", "side~7"):
            commit = spoor("log", revision, "-n", "1", "--json").split('"hash": "')[1][:64]
            spoor("prove", revision, "-o", commit + ".tlog-proof")
            if "proven" not in spoor("verify", commit + ".tlog-proof", "--key", key, "--witness", witness):
                raise SystemExit("not proven")
            commits.append(commit)

        handler = functools.partial(Quiet, directory=str(place / "served"))
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            url = f"http://127.0.0.1:{server.server_address[1]}/"
            print("proofs, by Go's sumdb and torchwood:", run(sys.argv[1], "check", key, witness, url, folder, *commits).strip())
            server.shutdown()


main()

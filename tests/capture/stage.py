"""A home with one agent, a provider and a store, and the session of scenario.py played there."""
import contextlib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import time

import scenario

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "proxy"))
import provider  # noqa: E402

PROGRAM = os.environ["SPOOR_PROGRAM"]
MODEL = re.compile(r"(POST \S*(/messages|/responses|/chat/completions|enerateContent)[ ?])|GET \S*/responses ")
KNOWN = re.compile(r"(HEAD|GET) / |POST \S*count_tokens")  # What agents ask besides.


def check(claim, what):
    if not claim:
        raise AssertionError(what)


class Sent:
    """A request to a model, as the provider got it, and what it answered."""

    def __init__(self, path):
        self.number = int(path.stem)
        self.body = path.read_bytes()
        self.text = self.body.decode()
        self.answer = json.loads(path.with_suffix(".answer").read_text())
        self.mark = f"Answer {self.number}:"
        self.is_warming = json.loads(self.body).get("generate") is False  # A connection: no answer is asked for.

    def is_repeated_in(self, later):
        """Whether a later request has its answer, or names the response to go on from."""
        return later.number > self.number and (
            self.mark in later.text or f'"previous_response_id":"resp_{self.number:04}"' in later.text)


class Stage:
    def __init__(self, agent, packages, home):
        self.agent, self.packages, self.home, self.work = agent, packages, home, home / "work"
        for folder in ("work", "requests"):
            (home / folder).mkdir()
        self.provider = provider.serve(home / "requests", script=scenario.Script())
        threading.Thread(target=self.provider.serve_forever, daemon=True).start()
        self.places = {"{upstream}": f"http://127.0.0.1:{self.provider.server_address[1]}"}
        self.environment = {"HOME": str(home), "PATH": f"{packages}/node_modules/.bin:{os.environ['PATH']}",
                            "LC_ALL": "C.UTF-8"}
        self.configure(agent.variables, agent.files)
        self.others = []

    def configure(self, variables, files):
        def filled(text):
            for name, place in self.places.items():
                text = text.replace(name, place)
            return text

        for name, text in files.items():
            path = self.home / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(filled(text))
        self.environment.update({name: filled(text) for name, text in variables.items()})

    def spoor(self, *words):
        run = subprocess.run([PROGRAM, *words], env=self.environment, cwd=self.work, capture_output=True, timeout=180,
                             stdin=subprocess.DEVNULL)
        check(run.returncode == 0, f"{words}: {run.returncode} {run.stdout.decode()[-3000:]} {run.stderr.decode()[-3000:]}")
        return run.stdout

    def refs(self, prefix):
        asked = json.dumps({"op": "refs", "prefix": prefix}) + "\n"
        run = subprocess.run([PROGRAM, "batch"], input=asked, text=True, env=self.environment, cwd=self.work, capture_output=True,
                             timeout=60, check=True)
        return [each["name"] for each in json.loads(run.stdout)["result"]["refs"]]

    def json(self, *words):
        return json.loads(self.spoor(*words, "--json"))

    def ask(self, question, before=()):
        """Runs the agent with a question. Returns what it and spoor say on standard error."""
        again = question != scenario.LOOK
        words = [*before, *((self.agent.again if again else self.agent.first)), question]
        process = subprocess.Popen(words, env=self.environment, cwd=self.work, stdin=subprocess.DEVNULL, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        try:
            if question == scenario.STOP:
                self.wait_for(lambda: any(sent.answer["end"] == "held" for sent in self.sent()), "no answer to stop")
                time.sleep(1)
            out, error = self.end_of(process, question == scenario.STOP)
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            out, error = process.communicate()
            print(out[-2000:], error[-2000:])
            raise
        odd = r"\b(unknown|invalid|unrecognized)\b"
        unknown = re.search(rf"(?i).*{odd}.*\bhook.*|.*\bhook.*{odd}.*", error)
        check(not unknown, f"an unknown hook: {unknown and unknown[0]}")
        is_said = question in (scenario.BREAK, scenario.STOP) or "this is all" in out
        check(is_said, f"{question}: {process.returncode} {out[-2000:]} {error[-2000:]}")
        return error

    @staticmethod
    def end_of(process, is_stopped):
        for _ in range(5 * is_stopped):  # Ctrl-C in a terminal, again if nothing happens.
            os.killpg(process.pid, signal.SIGINT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                return process.communicate(timeout=15)
        return process.communicate(timeout=120)

    def play(self, before):
        return [self.ask(question, before) for question in scenario.QUESTIONS]

    @staticmethod
    def wait_for(claim, what, seconds=60):
        until = time.monotonic() + seconds
        while not claim():
            check(time.monotonic() < until, what)
            time.sleep(0.1)

    def sent(self):
        """The requests to models, in order."""
        found = []
        for path in sorted((self.home / "requests").glob("*.json")):
            line = path.with_suffix(".head").read_text().split("\n")[0]
            if MODEL.match(line) and path.with_suffix(".answer").exists():
                found.append(Sent(path))
            else:
                check(KNOWN.match(line), f"an unknown request: {line}")
        return found

    def start(self, *words):
        process = subprocess.Popen([PROGRAM, *words], env=self.environment, cwd=self.work, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.others.append(process)
        return process

    def close(self):
        for process in self.others:
            process.kill()
            process.communicate()
        self.provider.shutdown()
        self.provider.server_close()

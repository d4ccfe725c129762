"""Writers of turns with the real program, each of which remembers what was acknowledged to it."""
import json
import os
import subprocess
import threading
import time
from dataclasses import dataclass

PROGRAM = os.environ["SPOOR_PROGRAM"]


@dataclass
class Turn:
    """An acknowledged one. Its times are of the clock, in seconds."""
    text: str
    begin: float
    end: float
    hash: str | None = None


class Writer(threading.Thread):
    """Appends to a branch until stop(), one turn after the other; `turns` has them. An error ends it: `problem`."""

    def __init__(self, name, branch, environment, pause):
        super().__init__(name=name, daemon=True)
        self.branch, self.pause = branch, pause
        self.environment = environment
        self.turns = []
        self.problem = None
        self.is_stopped = threading.Event()
        self.said_path = f"{environment['HOME']}/{name}.stderr"

    def run(self):
        try:
            with open(self.said_path, "w", encoding="utf-8") as said:
                self.write(said)
        except Exception as problem:
            self.problem = problem

    def write(self, said):
        """Appends turns; what the program prints to standard error goes to the file `said`."""
        while not self.is_stopped.wait(self.pause):
            text = f"{self.name} {len(self.turns) + 1}"
            begin = time.time()
            name = self.append(text, said)
            self.turns.append(Turn(text, begin, time.time(), name))

    def stop(self):
        self.is_stopped.set()
        self.join(120)
        if self.is_alive():
            self.problem = AssertionError("its last turn takes longer than two minutes")

    def said(self):
        with open(self.said_path, encoding="utf-8") as file:
            return file.read().splitlines()


class BatchWriter(Writer):
    """One `spoor batch`, which has its connection all the time."""

    def write(self, said):
        self.process = subprocess.Popen([PROGRAM, "batch"], env=self.environment, stdin=subprocess.PIPE, text=True,
                                        stdout=subprocess.PIPE, stderr=said, start_new_session=True)
        super().write(said)
        self.process.stdin.close()
        status = self.process.wait(60)
        if status != 0:
            raise AssertionError(f"exit status {status}")

    def append(self, text, _):
        self.process.stdin.write(json.dumps({"op": "user", "text": text, "branch": self.branch}) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        if "result" not in answer:
            raise AssertionError(f"{text}: {answer}")
        return answer["result"]["hash"]


class CommandWriter(Writer):
    """A program for each turn, as people type them, on the branch of their HEAD."""

    def append(self, text, said):
        ran = subprocess.run([PROGRAM, "user", text], env=self.environment, stdin=subprocess.DEVNULL,
                             stdout=subprocess.DEVNULL, stderr=said, timeout=120, start_new_session=True)
        if ran.returncode != 0:
            raise AssertionError(f"{text}: exit status {ran.returncode}: {self.said()[-2:]}")

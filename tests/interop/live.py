"""A real model, where there is one: every way in which spoor asks it, and what the record of that must be.

SPOOR_TEST_MODEL=PROVIDER/MODEL names it, with the provider's key where `spoor models` looks for it; SPOOR_TEST_URL is the
address of its API, if that is not the provider's own. Without the first nothing is run, which the last line says. The tests are
of the record and the protocol: a weak model may miss a task, which is reported and is not a failure.
"""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("SPOOR_PROGRAM", "")
TASK = "run ./check.sh, find out why it fails, and make it pass"
TOOLS = "read_file,edit_file,run_command"
PATIENCE = float(os.environ.get("SPOOR_TEST_PATIENCE", "600"))  # Seconds for one command.


class Failure(Exception):
    pass


class Live:
    def __init__(self, model, url, folder):
        self.model, self.folder = model, pathlib.Path(folder)
        self.store = self.folder / "store"
        self.work = self.folder / "slug"
        self.environment = dict(os.environ, NO_COLOR="1", SPOOR_PAGER="cat")
        self.point_to(url)

    def point_to(self, url):
        """Sends requests to this address; None: the provider's own."""
        config = self.folder / "config" / "spoor" / "config.toml"
        config.parent.mkdir(parents=True, exist_ok=True)
        theirs = pathlib.Path(os.environ.get("XDG_CONFIG_HOME", os.path.expanduser("~/.config")), "spoor", "config.toml")
        text = theirs.read_text() if theirs.exists() and not url else ""
        provider = self.model.split("/")[0]
        config.write_text(text + (f'[providers.{provider}]\nbase_url = "{url}"\n' if url else ""))
        self.environment["XDG_CONFIG_HOME"] = str(config.parent.parent)

    def command(self, *words):
        return [PROGRAM, "--store", str(self.store), *words]

    def spoor(self, *words, may_miss=False):
        done = subprocess.run(self.command(*words), cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=PATIENCE)
        if done.returncode != 0 and not (may_miss and done.returncode == 1):
            raise Failure(f"{' '.join(words)}: status {done.returncode}\n{done.stderr}")
        return done

    def fresh_work(self):
        shutil.rmtree(self.work, ignore_errors=True)
        shutil.copytree(ROOT / "examples" / "data" / "slug", self.work)

    def run_words(self, *words):
        return ("run", TASK, "--model", self.model, "--tools", TOOLS, "--root", str(self.work), "--max-steps", "20", *words)

    def is_done(self):
        return subprocess.run(["./check.sh"], cwd=self.work, capture_output=True, check=False).returncode == 0

    def check_record(self):
        """Each request must be rebuilt byte for byte, the store sound, the run explained."""
        answers = re.findall(r"^([0-9a-f]{8,}) (?:\(.*?\) )?assistant", self.spoor("log", "--oneline", "--no-pager").stdout, re.M)
        if not answers:
            raise Failure("no answer is in the log")
        for answer in answers:
            said = self.spoor("prompt", answer)
            if not (said.stdout + said.stderr).count("verified:"):
                raise Failure(f"the request of {answer} is not verified: {said.stderr}")
        self.spoor("store", "fsck")

    def chat(self):
        said = self.spoor("chat", "--model", self.model, "Answer with the word yes.")
        if not said.stdout.strip():
            raise Failure("the answer is empty")
        self.check_record()
        return "answered"

    def planner(self, name):
        self.fresh_work()
        self.spoor(*self.run_words("--planner", name), may_miss=True)
        if "Goal: " not in self.spoor("debrief").stdout:
            raise Failure("the debrief has no goal")
        self.spoor("replay")
        self.check_record()
        return "task done" if self.is_done() else "task missed"

    def resume(self):
        self.fresh_work()
        process = subprocess.Popen(self.command(*self.run_words()), cwd=self.folder, env=self.environment,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        for line in process.stderr:  # Until the first call has its result.
            if " → " in line:
                break
        process.send_signal(signal.SIGKILL)
        process.communicate()
        self.spoor("resume", "--max-steps", "20", may_miss=True)
        self.check_record()
        return "task done" if self.is_done() else "task missed"

    def proxy(self, url):
        upstream = url or self.spoor("models", self.model.split("/")[0], "--json").stdout
        if not url:
            found = re.search(r'"base_url":\s*"([^"]+)"', upstream)
            if not found:
                return "skipped: the address of the provider is not known; set SPOOR_TEST_URL"
            upstream = found[1]
        process = subprocess.Popen(self.command("proxy", "--upstream", upstream), cwd=self.folder, env=self.environment,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        try:
            address = re.search(r"http://\S+", process.stdout.readline())
            if not address:
                raise Failure("the proxy printed no address")
            self.point_to(address[0])
            other = self.folder / "other"
            said = subprocess.run([PROGRAM, "--store", str(other), "init"], env=self.environment, capture_output=True, check=True)
            said = subprocess.run([PROGRAM, "--store", str(other), "chat", "--model", self.model, "Answer with the word yes."],
                                  cwd=self.folder, env=self.environment, capture_output=True, text=True, timeout=PATIENCE,
                                  stdin=subprocess.DEVNULL, check=False)
            if said.returncode != 0 or not said.stdout.strip():
                raise Failure(f"through the proxy: {said.stderr}")
        finally:
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=60)
            self.point_to(url)
        if "Answer with the word yes." not in self.spoor("search", "Answer with the word yes.").stdout:
            raise Failure("the proxy did not record the request")
        self.spoor("store", "fsck")
        return "recorded"


def main():
    model, url = os.environ.get("SPOOR_TEST_MODEL"), os.environ.get("SPOOR_TEST_URL")
    if not model:
        print("live model: not run (SPOOR_TEST_MODEL=PROVIDER/MODEL names one)")
        return 0
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        live = Live(model, url, folder)
        parts = [("chat", live.chat), *((name, lambda name=name: live.planner(name)) for name in ("react", "plan", "reflexion")),
                 ("resume after a kill", live.resume), ("proxy", lambda: live.proxy(url))]
        for name, part in parts:
            began = time.monotonic()
            try:
                said = part()
            except (Failure, subprocess.SubprocessError) as failure:
                said, failed = f"FAILED: {failure}", failed + 1
            print(f"live model {model}: {name}: {said} ({time.monotonic() - began:.1f} s)", flush=True)
    print(f"live model: {'all parts ran' if not failed else f'{failed} of {len(parts)} parts failed'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

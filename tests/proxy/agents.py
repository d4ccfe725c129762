"""Real agents, recorded: each from npm, in a network of its own that has nothing but the loopback device, with a provider
that is none. What the provider got is compared with what spoor rebuilds.

`./dev agents` installs them and runs this; without the folder of one, it is named as skipped.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PROGRAM = os.environ["SPOOR_PROGRAM"]
AGENTS = pathlib.Path(sys.argv[1]).resolve()
INSIDE = "SPOOR_AGENTS_INSIDE"


def check(claim, what):
    if not claim:
        raise SystemExit(f"agents: {what}")


def claude_code(place):
    """Claude Code: a conversation with parallel calls, then one that goes on in the same session."""
    command = AGENTS / "node_modules/.bin/claude"
    environment = {**os.environ, "HOME": str(place), "PATH": f"{command.parent}:{os.environ['PATH']}",
                   "ANTHROPIC_API_KEY": "sk-ant-a-key-of-nobody-0123456789", "DISABLE_AUTOUPDATER": "1",
                   "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_TELEMETRY": "1"}
    for name in ("XDG_DATA_HOME", "XDG_STATE_HOME", "SPOOR_STORE", "CLAUDE_CONFIG_DIR"):
        environment.pop(name, None)
    folder = place / "work"
    requests = place / "requests"
    for each in (folder, requests):
        each.mkdir()
    server = subprocess.Popen([sys.executable, str(HERE / "provider.py"), str(requests)], stdout=subprocess.PIPE, text=True)
    environment["ANTHROPIC_BASE_URL"] = server.stdout.readline().strip()

    def spoor(*words):
        run = subprocess.run([PROGRAM, *words], env=environment, cwd=folder, capture_output=True, timeout=120,
                             stdin=subprocess.DEVNULL)
        check(run.returncode == 0, f"{words}: {run.returncode} {run.stdout.decode()} {run.stderr.decode()}")
        return run

    try:
        said = []
        for words in (["-p", "look around here"], ["--continue", "-p", "and once more"]):
            run = spoor("with", "claude", "--", *words, "--allowedTools", "Bash")
            check("All done after 4 results." in run.stdout.decode(), run.stdout.decode())
            said.append(run.stderr.decode().splitlines()[-1])
            check(re.match(r"spoor: recorded claude-code/[0-9a-f]{8}: \d+ requests?, ", said[-1]), said[-1])
        spoor("import")

        sent = [path.read_bytes() for path in sorted(requests.glob("*.json"))
                if "/messages?" in path.with_suffix(".head").read_text().split("\n")[0]]
        branches = json.loads(spoor("branch", "--json").stdout)["branches"]
        lines = [each["name"] for each in branches if each["name"].startswith("claude-code/")]
        check(len(lines) == 1, f"one conversation is on several lines: {lines}")
        log = json.loads(spoor("log", lines[0], "--commits", "--json").stdout)
        turns = log["commits"] if "commits" in log else log["turns"]
        prompts = {spoor("prompt", turn["hash"], "--raw").stdout for turn in turns if turn["type"] == "assistant"}
        check(prompts == set(sent), f"{len(sent)} requests were sent, and {len(prompts & set(sent))} are rebuilt")
        asked = [turn for turn in turns if turn["type"] == "user"]
        check(len(asked) == 2, f"{len(asked)} user turns for 2 questions")
        spoor("store", "fsck")
        left = list((place / ".local/state/spoor/spool").glob("*"))
        check(not left, f"left in the spool: {left}")
        kept = sum(path.stat().st_size for path in (place / ".local/share/spoor").glob(".spoor"))
        version = subprocess.run([command, "--version"], env=environment, capture_output=True, text=True).stdout.split()[0]
        print(f"Claude Code {version}: {len(sent)} requests of {sum(map(len, sent)):,} bytes rebuilt byte for byte, "
              f"{len(turns)} turns each once, a store of {kept:,} bytes")
    finally:
        server.terminate()
        server.wait()


def main():
    if INSIDE not in os.environ:  # A network without anything: what the agent sends elsewhere goes nowhere.
        os.execvpe("unshare", ["unshare", "--user", "--map-root-user", "--net", sys.executable, *sys.argv],
                   {**os.environ, INSIDE: "1"})
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    if not (AGENTS / "node_modules/.bin/claude").exists():
        print(f"skipped: no Claude Code in {AGENTS}")
        return
    with tempfile.TemporaryDirectory() as place:
        claude_code(pathlib.Path(place))


if __name__ == "__main__":
    main()

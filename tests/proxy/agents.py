"""Real agents, recorded: each from npm, in a network of its own that has nothing but the loopback device, with a provider
that is none. What the provider got is compared with what spoor rebuilds.

`./dev agents` installs them and runs this; one that is not in the folder is named as skipped.
"""
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import opencode_sessions

HERE = pathlib.Path(__file__).resolve().parent
PROGRAM = os.environ["SPOOR_PROGRAM"]
AGENTS = pathlib.Path(sys.argv[1]).resolve()
INSIDE = "SPOOR_AGENTS_INSIDE"
KEYS = {"ANTHROPIC_API_KEY": "sk-ant-a-key-of-nobody-0123456789", "CODEX_API_KEY": "sk-openai-of-nobody-0123456789",
        "GEMINI_API_KEY": "AIza-of-nobody-0123456789"}
ANSWER = re.compile(r"All done after \d+ results\.")  # Gemini CLI says each twice when it goes on.


def check(claim, what):
    if not claim:
        raise SystemExit(f"agents: {what}")


class Agent:
    """How an agent is run: twice, the second time in the session of the first. `asides` are the requests, of both runs, that
    lead to no turn of the conversation."""
    title = command = name = ""
    package = ""
    words = ([], [])
    asides = 0
    variables = {}

    def settings(self, home, upstream):
        """Writes the agent's own settings."""


class ClaudeCode(Agent):
    title, command, name, package = "Claude Code", "claude", "claude-code", "@anthropic-ai/claude-code"
    words = (["-p", "look around here", "--allowedTools", "Bash"],
             ["--continue", "-p", "and once more", "--allowedTools", "Bash"])
    variables = {"DISABLE_AUTOUPDATER": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_TELEMETRY": "1"}

    def settings(self, home, upstream):
        (home / ".claude").mkdir()
        (home / ".claude/settings.json").write_text(json.dumps({"env": {"ANTHROPIC_BASE_URL": upstream}}))


class Codex(Agent):
    """Over a WebSocket, as it asks OpenAI."""
    title, command, name, package = "Codex", "codex", "codex", "@openai/codex"
    options = ["--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"]
    words = (["exec", *options, "look around here"], ["exec", *options, "resume", "--last", "and once more"])
    asides = 2  # Each run warms the connection up.

    def settings(self, home, upstream):
        (home / ".codex").mkdir()
        (home / ".codex/config.toml").write_text(f'openai_base_url = "{upstream}/v1"\n')


class GeminiCli(Agent):
    title, command, name, package = "Gemini CLI", "gemini", "gemini-cli", "@google/gemini-cli"
    words = (["--yolo", "-p", "look around here"], ["--yolo", "--resume", "latest", "-p", "and once more"])
    asides = 2  # A small model says which one is to answer.
    variables = {"GEMINI_CLI_TRUST_WORKSPACE": "true"}

    def settings(self, home, upstream):
        self.variables = {**self.variables, "GOOGLE_GEMINI_BASE_URL": upstream}
        (home / ".gemini").mkdir()
        (home / ".gemini/settings.json").write_text('{"security":{"auth":{"selectedType":"gemini-api-key"}}}')


class Pi(Agent):
    title, command, name, package = "Pi", "pi", "pi", "@mariozechner/pi-coding-agent"
    words = (["-p", "look around here"], ["--continue", "-p", "and once more"])
    model = ["--provider", "anthropic", "--model", "claude-sonnet-4-5"]

    def settings(self, home, upstream):
        self.words = tuple([*self.model, *each] for each in self.words)
        (home / ".pi/agent").mkdir(parents=True)
        (home / ".pi/agent/models.json").write_text(json.dumps({"providers": {"anthropic": {"baseUrl": upstream}}}))


class OpenCode(Agent):
    """Keeps its sessions in a database."""
    title, command, name, package = "OpenCode", "opencode", "opencode", "opencode-ai"
    words = (["run", "look around here"], ["run", "--continue", "and once more"])
    asides = 1  # A title.
    variables = {"OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1"}

    def settings(self, home, upstream):
        folder = home / ".config/opencode"
        folder.mkdir(parents=True)
        folder.joinpath("opencode.json").write_text(json.dumps(
            {"model": "anthropic/claude-sonnet-4-5",
             "provider": {"anthropic": {"options": {"baseURL": f"{upstream}/v1"}}}}))


def record(agent, place):
    command = AGENTS / "node_modules/.bin" / agent.command
    environment = {**os.environ, **KEYS, "HOME": str(place), "PATH": f"{command.parent}:{os.environ['PATH']}"}
    for name in list(environment):
        if name.startswith(("XDG_", "SPOOR_STORE", "CLAUDE", "CODEX_HOME", "OPENCODE", "PI_")) or name.endswith("_BASE_URL"):
            del environment[name]
    folder = place / "work"
    requests = place / "requests"
    for each in (folder, requests):
        each.mkdir()
    server = subprocess.Popen([sys.executable, str(HERE / "provider.py"), str(requests)], stdout=subprocess.PIPE, text=True)
    agent.settings(place, server.stdout.readline().strip())
    environment.update(agent.variables)

    def spoor(*words):
        run = subprocess.run([PROGRAM, *words], env=environment, cwd=folder, capture_output=True, timeout=180,
                             stdin=subprocess.DEVNULL)
        check(run.returncode == 0, f"{words}: {run.returncode} {run.stdout.decode()} {run.stderr.decode()}")
        return run

    try:
        for words in agent.words:
            run = spoor("with", agent.command, "--", *words)
            check(ANSWER.search(run.stdout.decode()), run.stdout.decode())
            said = run.stderr.decode().splitlines()[-1]
            check(re.match(rf"spoor: recorded {agent.name}/\S+: \d+ requests?, ", said), said)
        said = spoor("import").stdout.decode()
        check("new: 0 turns" in said, f"an import after the recording has found: {said}")

        asks = re.compile(r"POST \S*(/messages|/responses|/chat/completions|enerateContent)[ ?]|GET \S*/responses ")
        sent = [path.read_bytes() for path in sorted(requests.glob("*.json"))
                if asks.match(path.with_suffix(".head").read_text())]
        branches = json.loads(spoor("branch", "--json").stdout)["branches"]
        lines = [each["name"] for each in branches if each["name"].startswith(agent.name + "/")]
        check(len(lines) == 1, f"one conversation is on several lines: {lines}")
        turns = json.loads(spoor("log", lines[0], "--commits", "--json").stdout)["commits"]
        listed = json.loads(spoor("prompt", lines[0], "--list", "--json").stdout)["requests"]
        rebuilt = [spoor("prompt", each["note"], "--raw").stdout for each in listed]
        check(collections.Counter(rebuilt) == collections.Counter(sent),
              f"{len(sent)} requests were sent, {len(rebuilt)} are recorded, and {len(set(rebuilt) & set(sent))} are equal")
        asides = [each for each in listed if each["answer"] is None]
        check(len(asides) == agent.asides, f"{len(asides)} requests beside the conversation, not {agent.asides}")
        answers = {spoor("prompt", turn["hash"], "--raw").stdout for turn in turns if turn["type"] == "assistant"}
        check(len(answers) == len(sent) - agent.asides, f"{len(answers)} requests lead to turns of {len(sent)}")
        coverage = json.loads(spoor("compile", lines[0], "--json").stdout)["coverage"]
        check(coverage["answers"] == coverage["recorded_requests"] == len(answers), f"not every request counts as exact: {coverage}")
        asked = [turn for turn in turns if turn["type"] == "user" and turn["message"] in
                 ("look around here", "and once more", '"look around here"', '"and once more"')]
        check(len(asked) == 2, f"{len(asked)} user turns for 2 questions: {[turn['message'] for turn in turns]}")
        check(sum(turn["type"] == "tool" for turn in turns) == 4, "not every result is there once")
        check(all(turn["time"] for turn in turns if turn["depth"] > 1), "a turn has no time")
        spoor("store", "fsck")
        left = list((place / ".local/state/spoor/spool").glob("*"))
        check(not left, f"left in the spool: {left}")
        kept = sum(path.stat().st_size for path in (place / ".local/share/spoor").glob(".spoor"))
        package = json.loads((AGENTS / "node_modules" / agent.package / "package.json").read_text())
        print(f"{agent.title} {package['version']}: {len(sent)} requests of {sum(map(len, sent)):,} bytes rebuilt byte for byte, "
              f"{len(asides)} of them beside the conversation; {len(turns)} turns each once; a store of {kept:,} bytes", flush=True)
    finally:
        server.terminate()
        server.wait()


def opencode_database(place):
    command = AGENTS / "node_modules/.bin/opencode"
    environment = {"HOME": str(place), "PATH": f"{command.parent}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8", **KEYS,
                   **OpenCode.variables}
    print("OpenCode's database:", opencode_sessions.check(PROGRAM, str(command), place, environment), flush=True)


def claude_code_telemetry(place, protocol):
    """Claude Code's events, received: each is about a turn of its session, which is there once."""
    command = AGENTS / "node_modules/.bin/claude"
    environment = {**os.environ, "HOME": str(place), "PATH": f"{command.parent}:{os.environ['PATH']}",
                   "ANTHROPIC_API_KEY": "sk-ant-a-key-of-nobody-0123456789", "DISABLE_AUTOUPDATER": "1",
                   "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}
    for name in ("XDG_DATA_HOME", "XDG_STATE_HOME", "SPOOR_STORE", "CLAUDE_CONFIG_DIR", "DISABLE_TELEMETRY"):
        environment.pop(name, None)
    for name in ("work", "requests"):
        (place / name).mkdir()
    server = subprocess.Popen([sys.executable, str(HERE / "provider.py"), str(place / "requests")], stdout=subprocess.PIPE,
                              text=True)
    receiver = subprocess.Popen([PROGRAM, "receive", "--listen", "127.0.0.1:0"], env=environment, cwd=place,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        environment["ANTHROPIC_BASE_URL"] = server.stdout.readline().strip()
        telemetry = {"CLAUDE_CODE_ENABLE_TELEMETRY": "1", "OTEL_METRICS_EXPORTER": "otlp", "OTEL_LOGS_EXPORTER": "otlp",
                     "OTEL_TRACES_EXPORTER": "otlp", "CLAUDE_CODE_ENHANCED_TELEMETRY_BETA": "1",
                     "OTEL_EXPORTER_OTLP_PROTOCOL": protocol,
                     "OTEL_EXPORTER_OTLP_ENDPOINT": receiver.stdout.readline().strip() + "/some/prefix"}
        run = subprocess.run([command, "-p", "look around here", "--allowedTools", "Bash"], env={**environment, **telemetry},
                             cwd=place / "work", capture_output=True, timeout=120, stdin=subprocess.DEVNULL)
        check("All done after 4 results." in run.stdout.decode(), run.stdout.decode())
        receiver.terminate()
        said = receiver.communicate(timeout=60)[1].splitlines()[-1]
        counts = re.search(r"(\d+) events? \((\d+) about turns in the store\)", said)
        check(counts and counts[1] == counts[2] and int(counts[1]) > 10, said)
        lines = subprocess.run([PROGRAM, "branch", "--json"], env=environment, cwd=place, capture_output=True).stdout
        check(len(json.loads(lines)["branches"]) == 1, f"one conversation is on several lines: {lines}")
        left = list((place / ".local/state/spoor/received").glob("*"))
        check(not left, f"left in the spool: {left}")
        print(f"Claude Code's telemetry, {protocol}: {said.removeprefix('spoor: ')}")
    finally:
        for process in (server, receiver):
            process.terminate()
            process.wait()


def main():
    if INSIDE not in os.environ:  # A network without anything: what the agent sends elsewhere goes nowhere.
        os.execvpe("unshare", ["unshare", "--user", "--map-root-user", "--net", sys.executable, *sys.argv],
                   {**os.environ, INSIDE: "1"})
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    for kind in (ClaudeCode, Codex, GeminiCli, OpenCode, Pi):
        if sys.argv[2:] and kind.command not in sys.argv[2:]:
            continue
        if not (AGENTS / "node_modules/.bin" / kind.command).exists():
            print(f"skipped: no {kind.title} in {AGENTS}")
            continue
        with tempfile.TemporaryDirectory() as place:
            record(kind(), pathlib.Path(place))
        if kind is OpenCode:
            with tempfile.TemporaryDirectory() as place:
                opencode_database(pathlib.Path(place))
        for protocol in ("http/json", "http/protobuf") if kind is ClaudeCode else ():
            with tempfile.TemporaryDirectory() as place:
                claude_code_telemetry(pathlib.Path(place), protocol)


if __name__ == "__main__":
    main()

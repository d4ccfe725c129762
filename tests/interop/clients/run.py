"""Official clients through `spoor proxy`, and straight at the provider: each case of cases.py by each language, twice. Equal
must be what the program got, and what the provider got; and the store must have each request of a recorded API, byte for byte.

`./dev interop` installs the clients and runs this: run.py PYTHON NPM-FOLDER [PART-OF-A-CASE'S-NAME]
"""
import collections
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.parse

import cases
import endpoints

HERE = pathlib.Path(__file__).resolve().parent
PROGRAM = os.environ["SPOOR_PROGRAM"]
INSIDE = "SPOOR_INTEROP_INSIDE"
RECORDED = re.compile(r"POST \S*(/messages|/responses|/chat/completions|:generateContent|:streamGenerateContent|/api/chat)(\?|$)")
PATHS = {"anthropic": "", "openai": "/v1", "google": "", "ollama": ""}
# Google's has no name: its JavaScript client takes only the host of an address for the second request of an upload.
NAMES = {"anthropic": "anthropic", "openai": "openai", "ollama": "ollama", "google": ""}


def environment(home):
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "SPOOR_STORE", "OPENAI_", "ANTHROPIC_",
                                                                                     "GOOGLE_", "GEMINI_", "OLLAMA_"))}
    return {**kept, "HOME": str(home), "no_proxy": "127.0.0.1", "PYTHONDONTWRITEBYTECODE": "1"}


def ask(server, command, bases, table, place):
    """Runs the client program. Returns by case what it got, and what the provider got."""
    server.forget()
    setup = place / "setup.json"
    setup.write_text(json.dumps({"bases": bases, "cases": table, "file": str(place / "a file.txt")}))
    run = subprocess.run([*command[:2], str(setup), *command[2:]], env=environment(place), capture_output=True, timeout=600)
    if run.returncode != 0:
        raise SystemExit(f"{command}: {run.returncode}\n{run.stdout.decode()[-3000:]}\n{run.stderr.decode()[-3000:]}")
    outcomes = [json.loads(line) for line in run.stdout.decode().splitlines()]
    until = time.monotonic() + 10
    while server.is_busy() and time.monotonic() < until:  # The provider notices late that a client left.
        time.sleep(0.05)
    got = collections.defaultdict(list)
    for each in server.got:
        got[urllib.parse.unquote(each.case)].append(each)
    return {outcome["name"]: outcome for outcome in outcomes}, got


def seen(requests):
    """What of requests is compared: everything but what is random in each run."""
    found = []
    for each in requests:
        headers, body = [], each.body
        boundary = next((value.partition("boundary=")[2] for _, value in each.headers if "boundary=" in value), None)
        if boundary:
            body = body.replace(boundary.encode(), b"BOUNDARY")
        for name, value in each.headers:
            if name.lower() == "sec-websocket-key":
                value = "…"
            if boundary and name.lower() == "content-length":
                value = str(int(value) - len(each.body) + len(body))
            headers.append((name, value.replace(boundary, "BOUNDARY") if boundary else value))
        # One that knows how an answer ends may leave before its last byte; "endless" has no end.
        left = each.left and (b"endless" in body or "endless" in each.line)
        found.append((each.line, headers, body, each.is_message, left))
    return sorted(found)


def spoor(home, *words):
    run = subprocess.run([PROGRAM, *words], env=environment(home), cwd=home, capture_output=True, timeout=120)
    if run.returncode != 0:
        raise SystemExit(f"{words}: {run.returncode} {run.stderr.decode()}")
    return run.stdout


def recorded(home):
    """The bytes of all requests in the store, and of those that a turn answers."""
    listed = {}
    for branch in json.loads(spoor(home, "branch", "--json"))["branches"]:
        for each in json.loads(spoor(home, "prompt", branch["name"], "--list", "--json"))["requests"]:
            listed[each["note"]] = each["answer"]
    answers = [answer for answer in listed.values() if answer]
    return (collections.Counter(spoor(home, "prompt", note, "--raw") for note in listed),
            collections.Counter(spoor(home, "prompt", answer, "--raw") for answer in answers))


def short(value):
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) < 700 else f"{text[:350]} … {text[-350:]} ({len(text)})"


def error_in(outcome):
    """The error that the program got, if any; without an outcome, that."""
    if outcome is None:
        return "nothing"
    return next((got[-1] for got in outcome["got"] if isinstance(got[-1], dict) and {"error", "message"} <= got[-1].keys()), None)


def first_difference(one, other, place=""):
    if type(one) is type(other) and isinstance(one, dict) and one.keys() == other.keys():
        return next((found for key in one if (found := first_difference(one[key], other[key], f"{place}.{key}"))), "")
    if type(one) is type(other) and isinstance(one, (list, tuple)) and len(one) == len(other):
        return next((found for i in range(len(one)) if (found := first_difference(one[i], other[i], f"{place}[{i}]"))), "")
    return "" if one == other else f"{place}:\n    direct  {short(one)}\n    proxied {short(other)}"


def through(language, command, table, server):
    """Returns the failures of a language, and prints what was done."""
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        (place / "a file.txt").write_bytes(b"a line\r\n" * 130_000)
        direct, sent = ask(server, command, {api: f"http://{server.name}{path}" for api, path in PATHS.items()}, table, place)
        words = [word for api, name in NAMES.items()
                 for word in ("--upstream", f"{name}{'=' if name else ''}http://{server.name}{PATHS[api]}")]
        proxy = subprocess.Popen([PROGRAM, "proxy", *words], env=environment(place), cwd=place, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, text=True)
        address = proxy.stdout.readline().strip()
        proxied, passed = ask(server, command, {api: f"{address}/{name}".rstrip("/") for api, name in NAMES.items()}, table, place)
        proxy.send_signal(signal.SIGINT)
        said = proxy.communicate(timeout=60)[1]
        if proxy.returncode != 0:
            failures.append(f"spoor proxy: {proxy.returncode} {said}")
        for case in table:
            name = case["name"]
            error = error_in(direct.get(name))
            if error and "fails" not in case:
                failures.append(f"{name}: {short(error)}")
            for what, one, other in (("the program got", direct.get(name), proxied.get(name)),
                                     ("the provider got", seen(sent[name]), seen(passed[name]))):
                if not one or one != other:
                    failures.append(f"{name}: {what}{first_difference(one, other)}")
        asked = [each for requests in passed.values() for each in requests
                 if RECORDED.match(each.line) or (each.is_message and each.line.split("?")[0].endswith("/responses"))]
        wanted = collections.Counter(each.body for each in asked)
        answered = collections.Counter(each.body for each in asked if each.is_said)
        have, found = recorded(place)
        for body in wanted | have:
            if wanted[body] != have[body]:
                failures.append(f"sent {wanted[body]} times, recorded {have[body]} times: {short(body)}")
        for body, times in (answered - found).items():
            failures.append(f"{times} of {answered[body]} not found by the answer: {short(body)}")
        dropped = place / ".local/state/spoor/spool/dropped"
        reasons = {line.split()[-1] for line in dropped.read_text().splitlines()} if dropped.exists() else set()
        if reasons - {"unknown_provider"}:  # Realtime's is one.
            failures.append(f"not recorded: {reasons}")
        count = sum(map(len, passed.values()))
        print(f"{language}: {len(table)} cases, {count} requests passed on, {wanted.total()} of them recorded: "
              f"{sum(len(body) * times for body, times in wanted.items()):,} bytes; {len(failures)} failures", flush=True)
    return failures


def main():
    if INSIDE not in os.environ:
        os.execvpe("unshare", ["unshare", "--user", "--map-root-user", "--net", sys.executable, *sys.argv],
                   {**os.environ, INSIDE: "1"})
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    npm = pathlib.Path(sys.argv[1])
    table = [case for case in cases.cases() if all(word in case["name"] for word in sys.argv[2:])]
    server = endpoints.Server()
    failed = False
    for language, command in (("JavaScript", ["node", npm / "client.mjs"]),
                              ("Python", [sys.executable, HERE / "client.py", "sync"]),
                              ("Python, async", [sys.executable, HERE / "client.py", "async"])):
        asked = [case for case in table if case.get("without") != language]
        for failure in through(language, command, asked, server):
            failed = True
            print(f"FAILED  {language}, {failure}", flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()

"""Decision events from the outside: `ctest -R agents/events`, or
SPOOR_PROGRAM=build/dev/spoor python3 this-file.

- Each request that comes in at a model's provider, and each program that a run starts (strace counts
  them), has its event; nothing is connected to but the provider.
- Events of a run that goes on are there before the next action begins, and after SIGKILL.
- They are the same to the byte in other processes, on other days, in other time zones and locales; ids
  are unique, and parents form a tree.
- Exports are read by parsers of their formats: OTLP by OpenTelemetry's own definitions (node, and the
  packages of `./dev interop`), PROV-JSON by the Python package prov. A collector is sent the same.

What is not installed is skipped, with a line that says so.
"""

import collections
import http.server
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import threading

from stand_in import StandIn, answers_in, call, refuse, say
from workplace import PATIENCE, PROGRAM, Failed, Workplace, check, wait_until

HERE = pathlib.Path(__file__).resolve().parent
MODULES = os.environ.get("SPOOR_NODE_MODULES", str(HERE.parents[1] / "build" / "interop" / "node_modules"))
TOOL = "#!/bin/sh\necho \"$1\" >> ran\necho \"tool $1 is done\"\n"
RUN = ("run", "do all", "--model", "fake/m", "--tools", "run_command,read_file", "--root", "project")


def tool(number):
    return (f"call_{number}", "run_command", {"argv": ["./tool", str(number)]})


def works(request):
    return [call(tool(1)), call(tool(2), ("call_r", "read_file", {"path": "tool"})), call(tool(3)),
            say("all is done")][answers_in(request)]


def prepare(place):
    path = place.project / "tool"
    path.write_text(TOOL)
    path.chmod(0o755)


def events_of(place, run="latest", **environment):
    done = subprocess.run([PROGRAM, "--store", "work.spoor", "events", run, "--jsonl"], cwd=place.path,
                          env={**place.environment, **environment}, capture_output=True, check=False,
                          timeout=PATIENCE)
    check(done.returncode == 0, done.stderr.decode())
    return done.stdout


def kinds(events):
    return [event["agent_action"]["action_type"] for event in events]


def check_tree(events):
    spans = [event["span_id"] for event in events]
    check(len(set(spans)) == len(spans), "a span has two events")
    ids = [event["event_id"] for event in events]
    check(len(set(ids)) == len(ids), "an id has two events")
    roots = {event["parent_span_id"] for event in events} - set(spans) - {None}
    check(len(roots) <= 1, f"parents without an event: {roots}")
    parents = {event["span_id"]: event["parent_span_id"] for event in events}
    for span in spans:
        seen = set()
        while span in parents:
            check(span not in seen, "parents go round in a circle")
            seen.add(span)
            span = parents[span]


def boundary():
    """Requests, connections and programs, each with its event."""
    if shutil.which("strace") is None:
        return "skipped: no strace"
    refusals = [refuse(529, "no room now"), refuse(529, "no room now")]
    with StandIn(lambda request: refusals.pop() if refusals else works(request)) as provider, \
            Workplace(provider.address) as place:
        prepare(place)
        trace = place.path / "trace"
        done = subprocess.run(
            ["strace", "-f", "-qq", "-e", "trace=execve,connect", "-e", "signal=none", "-o", trace,
             PROGRAM, "--store", "work.spoor", *RUN], cwd=place.path,
            # A leak sanitizer cannot work while the process is traced.
            env={**place.environment, "ASAN_OPTIONS": "detect_leaks=0"},
            capture_output=True, check=False, timeout=PATIENCE)
        if not trace.exists() or "execve" not in trace.read_text():
            return "skipped: strace may trace nothing here"
        check(done.returncode == 0, done.stderr.decode())
        lines = trace.read_text().splitlines()
        begun = [line for line in lines if "execve(" in line and line.endswith(" = 0")][1:]
        ports = [line.split("htons(")[1].split(")")[0] for line in lines
                 if "connect(" in line and "sin_port" in line]
        events = [json.loads(line) for line in events_of(place).splitlines()]
        check_tree(events)
        commands = [event for event in events if event["agent_action"]["action_type"] == "command"]
        check(len(begun) == len(commands) == 3, f"{len(begun)} programs, {len(commands)} events: {begun}")
        attempts = sum(event["prompt_provenance"]["attempts"] for event in events
                       if event["model_output"] is not None)
        check(len(provider.requests) == attempts == 6, f"{len(provider.requests)} requests, {attempts}")
        own = str(provider.server.server_port)
        check(set(ports) == {own}, f"connected to {set(ports)}, not only {own}")
        # One more asks for the context of the model, which is not in the table.
        check(len(ports) == attempts + 1, f"{len(ports)} connections, {attempts} attempts")
        found = place.json("audit")
        check(all(one["level"] == "warning" for one in found["failures"]), found)
        check(found["requests_verified"] == 4, found)
    return "6 requests, their connections and 3 programs have their events"


def failure():
    """A call of which nothing ever comes."""
    with StandIn(lambda request: refuse(400, "no")) as provider, Workplace(provider.address) as place:
        prepare(place)
        place.spoor(*RUN, status=1)
        events = [json.loads(line) for line in events_of(place).splitlines()]
        check(kinds(events) == ["other", "no_op"], kinds(events))
        check(events[0]["prompt_provenance"]["prompt_bundle"]["messages"], "without its prompt")
        place.spoor("audit")
    return "a failed call has its event and its prompt"


def following():
    """Each event is read before the next action begins, and none is lost."""
    read = []
    with StandIn(works) as provider, Workplace(provider.address) as place:
        prepare(place)
        follower = None
        expected = {2: 2, 3: 5, 4: 7}

        def before(number, *_):
            nonlocal follower
            if number == 1:
                follower = place.start("events", "latest", "--follow", "--jsonl")
                threading.Thread(target=lambda: read.extend(follower.stdout), daemon=True).start()
            else:
                wait_until(lambda: len(read) >= expected[number], f"events before request {number}")
                check(len(read) == expected[number], f"{len(read)} events before request {number}")
            if number == 4:
                running.kill()
                return False
            return True

        provider.before = before
        running = place.start(*RUN)
        running.wait(PATIENCE)
        check(running.returncode == -signal.SIGKILL, f"it ended with {running.returncode}")
        follower.send_signal(signal.SIGINT)
        follower.wait(PATIENCE)
        again = events_of(place).splitlines(keepends=True)
        check(again == read, "what was followed is not what is there")
        provider.before = None
        place.spoor("resume")
        whole = events_of(place).splitlines(keepends=True)
        check(whole[:len(read)] == read, "a resumed run has other events before")
        check(kinds(map(json.loads, whole))[-2:] == ["message", "message"], "it did not end")
        check_tree([json.loads(line) for line in whole])
    return "events are there before the next action, and after SIGKILL"


def determinism():
    with StandIn(works) as provider, Workplace(provider.address) as place:
        prepare(place)
        place.spoor(*RUN)
        first = events_of(place)
        for variation in ({"TZ": "Pacific/Kiritimati", "SPOOR_NOW": "2031-02-03T04:05:06Z"},
                          {"LC_ALL": "tr_TR.UTF-8", "LANG": "de_DE.UTF-8"}, {"LC_ALL": "C"}):
            check(events_of(place, **variation) == first, f"other bytes under {variation}")
        for line in first.splitlines():
            event = json.loads(line)
            text = json.dumps(event, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
            check(text.encode() == line, "not in canonical form")
        place.spoor("events", "--profile", "white-box")
        verified = place.json("events", "--verify")
        check(verified["prompts"] == verified["hashes_verified"] == verified["requests_verified"] == 4,
              verified)
    return "the same bytes in 4 processes, on 2 days, in 3 locales"


def exports():
    told = []
    with StandIn(works) as provider, Workplace(provider.address) as place:
        prepare(place)
        place.spoor(*RUN)
        for edition, schema in (("1.41", "schemas/1.41.0"), ("latest", "schemas/gen-ai-dev/1.42.0-dev")):
            place.spoor("export", "latest", "--otlp", "run.jsonl", "--edition", edition, "--content")
            traces, logs = map(json.loads, (place.path / "run.jsonl").read_text().splitlines())
            check(schema in traces["resourceSpans"][0]["schemaUrl"], "another schema")
            spans = traces["resourceSpans"][0]["scopeSpans"][0]["spans"]
            names = collections.Counter(span["name"].split()[0] for span in spans)
            check(names == {"invoke_agent": 1, "chat": 4, "execute_tool": 4}, names)
            ids = {span["spanId"] for span in spans}
            check(all(span.get("parentSpanId", span["spanId"]) in ids for span in spans), "no tree")
            details = logs["resourceLogs"][0]["scopeLogs"][0]["logRecords"]
            check(len(details) == 4, f"{len(details)} log events")
            if shutil.which("node") is None or not pathlib.Path(MODULES, "@opentelemetry").is_dir():
                told.append("skipped: no @opentelemetry/otlp-transformer (./dev interop)")
                continue
            done = subprocess.run(["node", HERE / "otlp_check.mjs", place.path / "run.jsonl"],
                                  env={**os.environ, "SPOOR_NODE_MODULES": MODULES},
                                  capture_output=True, check=False, timeout=PATIENCE)
            check(done.returncode == 0, done.stderr.decode())
            told.append(f"OTLP {edition} is read by OpenTelemetry's definitions")
        place.spoor("export", "latest", "--otlp", "bare.jsonl")
        bare = (place.path / "bare.jsonl").read_text()
        check("tool 1 is done" not in bare and "do all" not in bare, "texts that nobody asked for")

        place.spoor("export", "latest", "--prov", "prov.json")
        script = ("import sys, prov.model\n"
                  "d = prov.model.ProvDocument.deserialize(source=sys.argv[1], format='json')\n"
                  "print(len(d.get_records()), d.get_provn().count('wasEndedBy'))")
        for python in (sys.executable, "/usr/bin/python3"):
            has = subprocess.run([python, "-c", "import prov"], capture_output=True, check=False)
            if has.returncode != 0:
                continue
            done = subprocess.run([python, "-c", script, place.path / "prov.json"],
                                  capture_output=True, check=False, timeout=PATIENCE)
            check(done.returncode == 0, done.stderr.decode())
            records, ends = map(int, done.stdout.split())
            check(records > 40 and ends == 1, f"{records} records, {ends} ends")
            told.append(f"PROV-JSON is read by prov: {records} records")
            break
        else:
            told.append("skipped: no package prov")
        told.append(posts(place))
    return "; ".join(told)


def posts(place):
    """To a collector that takes it, and one that does not."""
    came = {}
    status, takes_logs = 200, True

    class Collector(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            came[self.path] = (self.headers["Content-Type"], self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(404 if self.path == "/v1/logs" and not takes_logs else status)
            self.end_headers()

        def log_message(self, *_):
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Collector) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}"
        place.spoor("export", "latest", "--post", address)
        check(set(came) == {"/v1/traces", "/v1/logs"}, came.keys())
        check(came["/v1/traces"][0] == "application/x-protobuf", "another type")
        check(b"invoke_agent" in came["/v1/traces"][1], "no run")
        check(b"gen_ai.client.inference.operation.details" in came["/v1/logs"][1], "no logs")
        takes_logs = False
        place.spoor("export", "latest", "--post", address)
        status = 503
        place.spoor("export", "latest", "--post", address, status=1)
        server.shutdown()
    return "a collector is sent traces and logs"


def main():
    failed = 0
    for test in (boundary, failure, following, determinism, exports):
        try:
            print(f"{test.__name__}: {test()}", flush=True)
        except Failed as problem:
            print(f"{test.__name__}: FAILED: {problem}", flush=True)
            failed += 1
    print(f"{5 - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

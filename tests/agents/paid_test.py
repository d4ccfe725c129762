"""No request that was sent is missing from the record, wherever the process is killed: `ctest -R agents/paid`,
or SPOOR_PROGRAM=build/dev/spoor python3 this-file.

A stand-in (stand_in.py) counts what is sent. Booked is what the store says: answers, failed requests, and
requests begun and never settled. Killed while a request is in flight, the two are equal. Killed at any other
moment, the store may know one more for each kill: a request is recorded before it is sent.

SPOOR_SOAK goes round that many times as often, SPOOR_SEED begins elsewhere.
"""

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time

from stand_in import StandIn, answers_in, call, refuse, say
from workplace import PATIENCE, Failed, Workplace, check

ROUNDS = int(os.environ.get("SPOOR_SOAK", "1"))
SEED = 20 + int(os.environ.get("SPOOR_SEED", "0"))
STEPS = 4
MODEL = ("--model", "fake/m")


def works(request):
    """Lists the folder a few times, then says that it is done."""
    made = answers_in(request)
    return say("done") if made >= STEPS else call((f"call_{made}", "list", {}), text="I look")


def booked(totals):
    return totals["answers"] + totals["failed_requests"] + totals["unsettled_requests"]


def run_totals(place):
    return place.json("runs")["runs"][0]["totals"]


def failed_calls(place):
    """Of chats: they are on a chain of their own."""
    status, out, _ = place.finish(place.start("log", "--json", "refs/requests/failed"))
    return len(json.loads(out)["commits"]) if status == 0 else 0


def start_run(place):
    return place.start("run", "look around", *MODEL, "--root", "project", "--tools", "list", "--max-steps", "20")


def killer(provider, process, numbers):
    """Kills what `process` gives when one of these requests has come in."""
    def before(number, *_):
        if number not in numbers:
            return True
        process().kill()
        return False
    provider.before = before


def in_flight(numbers):
    """A run is killed while each of these requests waits for its answer, and resumed each time."""
    with StandIn(works) as provider, Workplace(provider.address) as place:
        current, known = [None], threading.Event()

        def process():
            check(known.wait(PATIENCE), "nobody asks")
            return current[0]

        killer(provider, process, numbers)
        for kill in range(len(numbers)):
            known.clear()
            current[0] = start_run(place) if kill == 0 else place.start("resume", *MODEL)
            known.set()
            status, _, err = place.finish(current[0])
            check(status == -signal.SIGKILL, f"status {status}, and not killed\n{err.decode()}")
            totals = run_totals(place)
            check(totals["unsettled_requests"] == kill + 1, f"after kill {kill + 1}: {totals}")
            check(booked(totals) == len(provider.requests), f"{len(provider.requests)} sent: {totals}")
            check(totals["cost_trust"] != "reported", f"a sum without its unknown part: {totals}")
            said = place.spoor("runs")
            what = "1 request" if kill == 0 else f"{kill + 1} requests"
            check(f"{what} begun and never settled" in said, said)
        place.spoor("resume", *MODEL)
        totals = run_totals(place)
        check(booked(totals) == len(provider.requests), f"{len(provider.requests)} sent: {totals}")
        check(totals["unsettled_requests"] == len(numbers), f"after the end: {totals}")
        check(not place.spoor("report").count("Unsettled") == 0, "the report is silent")
        place.check_sound()
        check(not provider.complaints, f"a provider would refuse {provider.complaints}")


def prompts_stay(number):
    """What a killed process recorded is in no prompt: the request that is made again is the same."""
    with StandIn(works) as provider, Workplace(provider.address) as place:
        process = [start_run(place)]
        killer(provider, lambda: process[0], {number})
        place.finish(process[0])
        place.spoor("resume", *MODEL)
        first, again = provider.requests[number - 1:number + 1]
        check(first == again, f"request {number} changed")


def chats(random_source):
    """Chats that are killed in flight, refused, or answered, in any order."""
    with StandIn(lambda request: say("Four.")) as provider, Workplace(provider.address) as place:
        process, kills, refusals = [None], 0, 0
        known = threading.Event()
        for _ in range(6):
            kind = random_source.choice(["answer", "kill", "refuse"])
            provider.answer = (lambda _: refuse(400, "no")) if kind == "refuse" else (lambda _: say("Four."))

            def before(*_):
                check(known.wait(PATIENCE), "nobody asks")
                process[0].kill()
                return False

            provider.before = before if kind == "kill" else None
            known.clear()
            process[0] = place.start("chat", "How much is 2+2?", *MODEL)
            known.set()
            status, _, err = place.finish(process[0])
            wanted = {"answer": 0, "kill": -signal.SIGKILL, "refuse": status}[kind]
            check(status == wanted, f"{kind}: status {status}\n{err.decode()}")
            kills += kind == "kill"
            refusals += kind == "refuse"
        totals = place.json("stats", "--all")["totals"]
        check(totals["unsettled_requests"] == kills, f"{kills} killed: {totals}")
        check(failed_calls(place) == refusals, f"{refusals} refused, {failed_calls(place)} recorded")
        check(booked(totals) + refusals == len(provider.requests), f"{len(provider.requests)} sent: {totals}")
        if kills > 0:
            check("begun and never settled" in place.spoor("stats"), "stats are silent")
        place.check_sound()


def at_any_moment(random_source):
    """A run that is killed at random moments, and resumed until it is done."""
    with StandIn(works) as provider, Workplace(provider.address) as place:
        place.spoor("init")
        provider.before = lambda *_: time.sleep(0.01)
        kills, is_over = 0, False
        while not is_over:
            # Killed before anything of the run was there, it begins anew.
            has_run = bool(place.json("runs")["runs"])
            process = place.start("resume", *MODEL) if has_run else start_run(place)
            if kills < 12:
                try:
                    process.wait(random_source.uniform(0.005, 0.06))
                except subprocess.TimeoutExpired:
                    process.kill()
            status, _, err = place.finish(process)
            kills += status == -signal.SIGKILL
            # It may have ended the run, and been killed before it said so.
            is_over = status == 0 or b"has achieved its goal" in err
            check(is_over or status == -signal.SIGKILL, f"status {status}\n{err.decode()}")
        totals = run_totals(place)
        sent = len(provider.requests)
        check(sent <= booked(totals) <= sent + kills, f"{sent} sent, {kills} kills: {totals}")
        place.check_sound()
        return kills


def main():
    source = random.Random(SEED)
    began = time.monotonic()
    failures, kills = [], 0

    def make(what, function, *words):
        try:
            return function(*words) or 0
        except Failed as failed:
            failures.append(f"{what} (seed {SEED}): {failed}")
            return 0

    for number in range(1, STEPS + 2):
        make(f"in flight at {number}", in_flight, [number])
    make("in flight at three requests", in_flight, [1, 3, 4])
    make("prompts", prompts_stay, 2)
    for _ in range(2 * ROUNDS):
        make("chats", chats, source)
        kills += make("at any moment", at_any_moment, source)
    if kills == 0:
        failures.append("nothing was killed at a random moment")
    for failure in failures:
        print(f"error: {failure}", file=sys.stderr)
    print(f"{kills} kills at random moments, {time.monotonic() - began:.1f} s")
    sys.exit(1 if failures else 0)


main()

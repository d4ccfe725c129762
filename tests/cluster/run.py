"""Three machines of PostgreSQL under load, whose primary is killed and cut off: no acknowledged turn is lost or there twice.

`./dev cluster [KILLS]` runs it and prints the figures of docs/postgres.md.
"""
import argparse
import contextlib
import os
import pathlib
import signal
import subprocess
import tempfile
import time

import machines
from cluster import Cluster
from figures import Figures
from writers import PROGRAM, BatchWriter, CommandWriter

CUTS = 2  # Of each kind.
LONGEST_GAP = 10  # Seconds between two acknowledged turns of a writer.


def say(text):
    print(f"{time.strftime('%H:%M:%S')} {text}", flush=True)


def environment_of(home, address):
    home.mkdir()
    return {"PATH": os.environ["PATH"], "HOME": str(home), "USER": "ann", "LC_ALL": "C.UTF-8", "SPOOR_STORE": address}


def spoor(environment, *words):
    ran = subprocess.run([PROGRAM, *words], env=environment, capture_output=True, text=True, timeout=900)
    if ran.returncode != 0:
        raise AssertionError(f"spoor {' '.join(words)}: {ran.returncode}: {ran.stdout[-1000:]}{ran.stderr[-1000:]}")
    return ran.stdout


def writers_of(environment):
    """Four with a branch each, two of one branch, and two people of another."""
    yield from (BatchWriter(f"alone{number}", f"alone{number}", environment, 0.01 * number) for number in range(4))
    yield from (BatchWriter(f"both{number}", "both", environment, 0.02) for number in range(2))
    yield from (CommandWriter(f"person{number}", "main", environment, 0.1) for number in range(2))


class Run:
    def __init__(self, cluster, writers):
        self.cluster, self.writers = cluster, writers
        self.blows = []  # When each took effect.

    def wait_for_turns(self):
        """Waits until each writer was acknowledged a turn that began now or later."""
        begin = time.time()
        for writer in self.writers:
            while not (writer.turns and writer.turns[-1].begin > begin):
                if writer.problem or time.time() > begin + 120:
                    raise AssertionError(f"{writer.name} does not go on: {writer.problem}, {writer.said()[-2:]}")
                time.sleep(0.05)

    @contextlib.contextmanager
    def blow(self, what):
        """The primary, to be struck; then waits until another one is there, all write, and later for the whole cluster."""
        primary = self.cluster.wait_until_whole()
        begin = time.time()
        self.blows.append(begin)
        say(f"{what} {primary.name}")
        yield primary
        self.cluster.wait_for_another_primary(primary)
        say(f"  another primary after {time.time() - begin:.1f} s")
        self.wait_for_turns()
        say(f"  all write after {time.time() - begin:.1f} s")

    def kill(self):
        with self.blow("kill") as primary:
            primary.kill()
        self.cluster.start(primary)

    def cut(self):
        """Pulls all cables of the primary for a while."""
        with self.blow("cut off") as primary:
            primary.pull("peers", "clients")
        primary.plug()

    def cut_from_peers(self):
        """Pulls the cable to the other machines for a while, and ends all sessions of clients, who may come again: there are
        turns that no other machine has."""
        with self.blow("cut from its peers") as primary:
            primary.pull("peers")
            for _ in range(3):
                time.sleep(0.3)
                primary.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'spoor'")
        primary.plug()


def play(folder, kills):
    """Returns the figures, after all blows."""
    home = pathlib.Path(folder) / "home"
    cluster = Cluster(folder)
    try:
        say("three machines start")
        cluster.wait_until_whole()
        environment = environment_of(home, cluster.address("agents"))
        spoor(environment, "init", environment["SPOOR_STORE"])
        run = Run(cluster, list(writers_of(environment)))
        for writer in run.writers:
            writer.start()
        run.wait_for_turns()
        for _ in range(kills):
            run.kill()
        for _ in range(CUTS):
            run.cut()
            run.cut_from_peers()
        cluster.wait_until_whole()
        for writer in run.writers:
            writer.stop()
        say("read all turns, and check the store")
        figures = Figures(run.writers, run.blows, kills, environment)
        spoor(environment, "store", "fsck")
        return figures
    finally:
        if keep := os.environ.get("SPOOR_CLUSTER_KEEP"):
            subprocess.run(["cp", "-r", folder, keep], check=False)
        cluster.stop()


def main():
    parser = argparse.ArgumentParser(prog="./dev cluster")
    parser.add_argument("kills", nargs="?", type=int, default=20, help="how often the primary is killed (default 20)")
    options = parser.parse_args()
    machines.enter()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # In a shell's background it is ignored.
    machines.prepare()
    with tempfile.TemporaryDirectory(prefix="spoor-cluster-") as folder:
        os.chmod(folder, 0o711)  # The servers' user finds its folders.
        figures = play(folder, options.kills)
    print(figures.table())
    problems = figures.problems(LONGEST_GAP)
    for problem in problems:
        print(f"FAILED: {problem}")
    return 1 if problems else 0


if __name__ == "__main__":
    raise SystemExit(main())

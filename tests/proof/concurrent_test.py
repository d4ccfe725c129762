"""Four processes sign the log of one store while two write it and gc folds it: each note is signed, and the log begins with all
of them.

concurrent_test.py PROGRAM
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import threading

TURNS = 3_000


def main():
    with tempfile.TemporaryDirectory() as folder:
        environment = {"PATH": os.environ["PATH"], "HOME": folder, "SPOOR_AUTHOR": "ada"}
        failures, notes, are_written = [], set(), threading.Event()

        def spoor(*words, script=None):
            done = subprocess.run([sys.argv[1], *words], env=environment, cwd=folder, input=script, capture_output=True, text=True)
            if done.returncode != 0:
                failures.append(f"{words}: {done.returncode} {done.stderr}")
            return done.stdout

        def write(branch):
            spoor("branch", branch, "main")
            for number in range(40):
                spoor("tag", f"{branch}-{number}", branch)

        def sign():
            while not are_written.is_set():
                notes.add(spoor("checkpoint"))

        def fold():
            while not are_written.is_set():
                spoor("store", "gc", "--prune", "--retention", "now")

        spoor("init")
        spoor(script="".join(f"user turn {number}\n" for number in range(TURNS)))  # So that reading the log takes a while.
        writers = [threading.Thread(target=write, args=(name,)) for name in ("one", "two")]
        others = [threading.Thread(target=sign) for _ in range(4)] + [threading.Thread(target=fold)]
        for each in writers + others:
            each.start()
        for each in writers:
            each.join()
        are_written.set()
        for each in others:
            each.join()

        for number, note in enumerate(sorted(notes)):
            (pathlib.Path(folder) / f"{number}.note").write_text(note)
            spoor("store", "fsck", "--since", f"{number}.note")
        size = int(spoor("checkpoint").split("\n")[1])
        print(f"{len(notes)} notes of up to {size} operations", *failures[:5], sep="\n")
        sys.exit(1 if failures or size != TURNS + 82 or len(notes) < 3 else 0)


main()

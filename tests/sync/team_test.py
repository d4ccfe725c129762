"""Stores that meet over a path and over ssh: the program as users run it, with an `ssh` of ours first
in PATH, which runs the other side here. SPOOR_PROGRAM=build/dev/spoor python3 this-file

Archives are read here with `zstd` and hashlib, from docs/format.md alone.
"""

import hashlib
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("SPOOR_PROGRAM", "build/dev/spoor")

# Notes how it was called; then it is the other machine. It ends after LIMIT bytes of the answer.
SSH = """#!/bin/sh
printf '%s\\n' "$*" >> "$CALLS"
while [ "$1" != -- ]; do shift; done
[ "$2" = unreachable ] && { echo 'ssh: no route' >&2; exit 255; }
cd "$OTHER_HOME" || exit 1
if [ -n "$LIMIT" ]; then
  sh -c "$3" | python3 -c "$CUT" "$LIMIT"
else
  exec sh -c "$3"
fi
"""

# `head -c` would keep short answers until its end.
CUT = """
import os, sys
left = int(sys.argv[1])
while left > 0 and (block := os.read(0, min(left, 65536))):
    left -= len(block)
    while block:
        block = block[os.write(1, block):]
"""


def name(kind, body):
    return hashlib.sha256(b"spoor1 %s %d\0" % (kind.encode(), len(body)) + body).hexdigest()


def read_archive(data):
    """The head's lines, and the objects by name, of an archive of format 3; checks every hash."""
    head, rest = [], data
    while not rest.startswith((b"part ", b"end ")):
        line, rest = rest.split(b"\n", 1)
        head.append(line.decode())
    chain = hashlib.sha256(b"".join(line.encode() + b"\n" for line in head)).digest()
    objects = {}
    while rest.startswith(b"part "):
        line, rest = rest.split(b"\n", 1)
        _, size, digest = line.decode().split(" ")
        frame, rest = rest[:int(size)], rest[int(size) + 1:]
        chain = hashlib.sha256(chain + frame).digest()
        assert chain.hex() == digest
        text = subprocess.run(["zstd", "-dc"], input=frame, stdout=subprocess.PIPE, check=True).stdout
        while text:
            line, text = text.split(b"\n", 1)
            word, kind, length, oid = line.decode().split(" ")
            body, end, text = text[:int(length)], text[int(length):int(length) + 1], text[int(length) + 1:]
            assert word == "object" and end == b"\n" and name(kind, body) == oid and oid not in objects
            objects[oid] = kind
    assert rest == f"end {chain.hex()}\n".encode()
    return head, objects


class Team(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        (self.folder / "bin").mkdir()
        (self.folder / "bin" / "spoor").symlink_to(pathlib.Path(PROGRAM).resolve())
        ssh = self.folder / "bin" / "ssh"
        ssh.write_text(SSH)
        ssh.chmod(0o755)
        self.calls = self.folder / "calls"
        for member in ("hub", "one", "two"):
            (self.folder / member).mkdir()

    def run_in(self, member, *words, fails=False, **variables):
        done = subprocess.run(
            [str(self.folder / "bin" / "spoor"), *words], cwd=self.folder / member, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
            env={"HOME": str(self.folder), "SPOOR_AUTHOR": member, "CALLS": str(self.calls), "CUT": CUT,
                 "OTHER_HOME": str(self.folder / "hub"), "LC_ALL": "C.UTF-8",
                 "PATH": f"{self.folder / 'bin'}:/usr/bin:/bin", **variables})
        if fails:
            self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
            return done.stderr
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def texts(self, member, revision="HEAD"):
        lines = self.run_in(member, "log", "--oneline", revision).splitlines()
        return [line.split("  ")[-1].strip() for line in lines]

    def spools(self, member):
        return list((self.folder / member).glob(".spoor-incoming-*"))

    def test_a_clone_over_ssh_pulls_and_pushes(self):
        self.run_in("hub", "init")
        self.run_in("hub", "user", "question")
        self.run_in("one", "clone", "ssh://ben@example.org:2222/~/.spoor")
        call = self.calls.read_text().splitlines()[-1]
        self.assertEqual(call, "-p 2222 -- ben@example.org spoor serve --stdio './.spoor'")
        self.run_in("one", "assistant", "answer")
        self.run_in("one", "push")
        self.assertEqual(self.texts("hub"), ["answer", "question"])
        self.assertIn("push", self.run_in("hub", "oplog", "--limit", "1"))
        self.run_in("hub", "user", "another question")
        self.run_in("one", "pull")
        self.assertEqual(self.texts("one"), self.texts("hub"))
        self.run_in("hub", "store", "fsck")
        self.run_in("one", "store", "fsck")

    def test_a_path_with_quotes_is_one_word_there(self):
        (self.folder / "hub" / "it's $HOME").mkdir()
        self.run_in("hub", "init", "it's $HOME")
        self.run_in("hub", "--store", "it's $HOME", "user", "question")
        self.run_in("one", "clone", "ssh://h/~/it's $HOME/.spoor")
        self.assertEqual(self.texts("one"), ["question"])
        (self.folder / "hub" / "it's $HOME").rename(self.folder / "hub" / "-x")
        self.run_in("two", "clone", "ssh://ben@[::1]:2222/~/-x")
        call = self.calls.read_text().splitlines()[-1]
        self.assertEqual(call, "-p 2222 -- ben@::1 spoor serve --stdio './-x'")
        self.assertEqual(self.texts("two"), ["question"])
        self.assertIn("is not an address", self.run_in("two", "clone", "ssh://[-o]/y", fails=True))

    def test_what_ssh_says_is_seen_and_an_option_is_no_host(self):
        self.assertIn("ssh: no route", self.run_in("one", "clone", "ssh://unreachable/x", fails=True))
        self.assertEqual(list((self.folder / "one").iterdir()), [])
        before = self.calls.read_text()
        for address in ("ssh://-oProxyCommand=x/y", "ssh:///y", "ssh://h", "ssh://h:22x/y"):
            self.assertIn("is not an address", self.run_in("one", "clone", address, fails=True))
        self.assertEqual(self.calls.read_text(), before)

    def test_a_clone_that_is_cut_goes_on(self):
        self.run_in("hub", "init")
        numbers = random.Random(1)
        for _ in range(12):
            text = numbers.randbytes(750_000).hex()
            file = self.folder / "text"
            file.write_text(text)
            with file.open() as source:
                subprocess.run(
                    [PROGRAM, "user", "-"], stdin=source, cwd=self.folder / "hub", check=True,
                    stdout=subprocess.DEVNULL,
                    env={"HOME": str(self.folder), "SPOOR_AUTHOR": "hub"})
        said = self.run_in("one", "clone", "ssh://h/~/.spoor", fails=True, LIMIT="7000000")
        self.assertIn("run the same command again", said)
        self.assertEqual(len(self.spools("one")), 1)
        self.assertGreater(self.spools("one")[0].stat().st_size, 3_500_000)
        self.assertEqual(self.run_in("one", "branch"), "")
        # 9 MB were sent in all; 5 MB and a little suffice for the rest.
        self.assertIn("made a new store", self.run_in("one", "clone", "ssh://h/~/.spoor", LIMIT="5500000"))
        self.assertEqual(len(self.texts("one")), 12)
        self.assertEqual(self.spools("one"), [])
        self.run_in("one", "store", "fsck")

    def test_a_clone_of_a_store_whose_head_is_on_no_branch_begins_on_main(self):
        self.run_in("hub", "init")
        self.run_in("hub", "user", "question")
        self.run_in("hub", "branch", "another")
        self.run_in("hub", "switch", "--detach", "HEAD")
        self.assertIn("on branch main", self.run_in("one", "clone", "../hub"))
        self.assertEqual(self.texts("one"), ["question"])

    def test_a_store_that_redacts_takes_no_secret(self):
        self.run_in("hub", "init", "--capture", "redacted")
        self.run_in("hub", "user", "question")
        self.run_in("one", "clone", "../hub")
        self.run_in("one", "assistant", "an answer")
        self.run_in("one", "push")
        key = "AKIA" + "QYLPMN5HHHFPZAM2"
        self.run_in("one", "user", f"use {key} for it")
        said = self.run_in("one", "push", fails=True)
        self.assertRegex(said, "records texts as 'redacted', and content '[0-9a-f]{12}'")
        for words in (["reset", "HEAD~1"], ["user", "a note", "--metadata", f'{{"seen": "{key}"}}']):
            self.run_in("one", *words)
        self.assertIn("would be changed", self.run_in("one", "push", fails=True))
        self.run_in("one", "reset", "HEAD~1")
        self.run_in("one", "user", "by another", SPOOR_AUTHOR=key)
        self.assertIn("and commit '", self.run_in("one", "push", fails=True))
        self.run_in("one", "reset", "HEAD~1")
        self.run_in("one", "branch", f"for-{key}")
        self.assertIn("the name of a ref", self.run_in("one", "push", "origin", f"for-{key}", fails=True))
        self.assertEqual(self.texts("hub"), ["an answer", "question"])
        for file in (self.folder / "hub").iterdir():
            self.assertNotIn(key.encode(), file.read_bytes())
        self.assertEqual(self.spools("hub"), [])
        self.run_in("hub", "store", "fsck")

    def test_a_store_with_a_limit_of_tokens_takes_no_larger_prompt(self):
        self.run_in("hub", "init", "--token-limit", "40")
        self.run_in("hub", "user", "question")
        self.run_in("one", "clone", "../hub")
        self.run_in("one", "assistant", "short")
        self.run_in("one", "push")
        self.assertIn("one push", self.run_in("hub", "oplog", "--limit", "1"))
        self.run_in("one", "user", "many words " * 40)
        said = self.run_in("one", "push", fails=True)
        self.assertIn("over this store's limit of 40", said)
        self.assertEqual(self.texts("hub"), ["short", "question"])

    def test_a_store_that_is_not_trusted_is_read_only(self):
        self.run_in("hub", "init")
        self.run_in("hub", "user", "question")
        shutil.copytree(self.folder / "hub", self.folder / "copy")
        self.run_in("one", "clone", "../copy")
        self.run_in("one", "assistant", "answer")
        self.assertIn("takes no pushes", self.run_in("one", "push", fails=True))

    def test_reports_see_what_was_merged_and_what_others_have(self):
        self.run_in("hub", "init")
        sample = str(ROOT / "examples" / "data" / "sample-session.jsonl")
        self.run_in("hub", "import", sample)
        branch = json.loads(self.run_in("hub", "status", "--json"))["branch"]

        def counted(member):
            spent = json.loads(self.run_in(member, "cost", "--json"))
            return {"calls": self.run_in(member, "calls").count("\n"),
                    "answers": sum(row["answers"] for row in spent["costs"]),
                    "edits": self.run_in(member, "file", "shop/cart.py").count("\n")}

        whole = counted("hub")
        self.assertGreater(whole["calls"], 5)
        self.run_in("one", "clone", "../hub")
        self.run_in("two", "clone", "../hub")
        self.assertEqual(counted("one"), whole)
        # Two go on from an early turn, and merge.
        self.run_in("one", "reset", "HEAD~9")
        self.run_in("one", "user", "something else")
        self.run_in("one", "pull")
        self.assertEqual(counted("one"), whole)
        self.run_in("one", "push")
        self.assertEqual(counted("hub"), whole)
        self.run_in("two", "user", "and another thing")
        self.run_in("two", "pull")
        self.run_in("two", "push")
        for member in ("hub", "two"):
            self.assertEqual(counted(member), whole)
        # Of another branch there is only origin/… here.
        self.run_in("two", "init", "fresh")
        self.run_in("two", "--store", "fresh", "remote", "add", "team", "../hub")
        self.run_in("two", "--store", "fresh", "fetch", "team")
        shown = self.run_in("two", "--store", "fresh", "sessions")
        self.assertIn(f"team/{branch}", self.run_in("two", "--store", "fresh", "sessions", "--json"))
        self.assertEqual(self.run_in("two", "--store", "fresh", "calls").count("\n"), whole["calls"])
        self.assertEqual(shown.splitlines()[-1].split()[-2:], self.run_in("hub", "sessions").splitlines()[-1].split()[-2:])
        self.assertEqual(len(self.run_in("two", "--store", "fresh", "log", "--all", "--oneline").splitlines()),
                         len(self.run_in("hub", "log", "--all", "--oneline").splitlines()))

    def test_an_erasure_explains_and_obliges_nobody(self):
        self.run_in("hub", "init")
        self.run_in("hub", "user", "a text that is to go")
        self.run_in("hub", "user", "second")
        self.run_in("one", "clone", "../hub")
        (self.folder / "one" / ".spoor-incoming-0").write_text("of a transfer that was cut")
        self.run_in("one", "store", "erase", "HEAD~1", "--reason", "asked for", "--yes")
        self.assertEqual(self.spools("one"), [])
        self.run_in("one", "user", "third")
        self.run_in("one", "push")
        self.assertEqual(self.texts("hub"), ["third", "second", "a text that is to go"])
        self.run_in("hub", "branch", "again", "HEAD~2")
        self.run_in("hub", "switch", "again")
        self.run_in("hub", "user", "fourth")
        self.run_in("one", "fetch")
        self.assertIn("[erased: asked for]", self.run_in("one", "log", "--oneline", "origin/again"))
        # Who clones from there has the reason, and not the text.
        self.run_in("two", "clone", "../one")
        self.assertIn("[erased: asked for]", self.run_in("two", "log", "--oneline"))
        for member in ("hub", "one", "two"):
            self.run_in(member, "store", "fsck")

    def test_an_archive_is_as_the_format_says(self):
        self.run_in("hub", "init")
        for i in range(30):
            self.run_in("hub", "user", f"turn {i} " + "x" * i)
        self.run_in("hub", "store", "archive", "all.archive")
        head, objects = read_archive((self.folder / "hub" / "all.archive").read_bytes())
        self.assertEqual(head[0], "spoor archive 3")
        self.assertEqual(sorted(objects.values()), ["blob"] * 30 + ["commit"] * 30)
        self.run_in("hub", "store", "archive", "new.archive", "main", "--since", "main~4")
        head, new = read_archive((self.folder / "hub" / "new.archive").read_bytes())
        self.assertEqual(sum(line.startswith("have ") for line in head), 1)
        self.assertEqual(len(new), 8)
        self.assertLess(set(new), set(objects))
        self.assertTrue(re.fullmatch("ref refs/heads/main [0-9a-f]{64}", head[-1]))


if __name__ == "__main__":
    unittest.main()

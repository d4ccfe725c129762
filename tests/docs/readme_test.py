"""Checks README.md and pages of docs/: `ctest -R docs/`, or
SPOOR_PROGRAM=build/dev/spoor python3 this-file [docs/tour.md].

- Its ```console blocks replay byte for byte, in order and as one session: `$ command`, then all the
  command prints, then `[exit N]` unless N is 0. The session has a home folder of its own, in which
  ~/spoor stands for the source tree, and a clock that moves a minute with each command.
- Its ```cpp block is a file of examples/ (PROGRAMS).

Exit status 1 with a diff where something differs. With SPOOR_UPDATE_TRANSCRIPTS=1 both kinds of block
are written anew instead: read the diff.
"""

import datetime
import difflib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = {"README.md": "conversation.cc", "docs/agents.md": "quickstart.cc"}
BLOCK = re.compile(r"^```(console|cpp)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Shell:
    """Runs commands in one folder, with nothing of the tester's own environment."""

    def __init__(self, folder, program):
        self.home = folder / "home"
        self.work = self.home / "spoor"
        self.work.mkdir(parents=True)
        (self.work / "examples").symlink_to(ROOT / "examples")
        (folder / "bin").mkdir()
        (folder / "bin" / "spoor").symlink_to(program)
        self.environment = {
            "HOME": str(self.home),
            "XDG_CONFIG_HOME": str(self.home / "config"),
            "PATH": f"{folder / 'bin'}:/usr/bin:/bin",
            "LC_ALL": "C.UTF-8",
            "SPOOR_AUTHOR": "ada",
        }
        self.now = datetime.datetime(2026, 11, 21, 19, 59)

    def run(self, command):
        self.now += datetime.timedelta(minutes=1)
        done = subprocess.run(
            ["sh", "-c", command], cwd=self.work, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
            env={**self.environment, "SPOOR_NOW": f"{self.now.isoformat()}Z"})
        output = done.stdout.decode().replace(str(self.home), "~")
        if "SPOOR_POSIX_ONLY" in os.environ:  # Nothing confines commands there, as the program says in one sentence.
            output = re.sub(r"run_command is only confined by nothing:.*?\n(?=made a new store|run [0-9a-f]{8})", "", output,
                            flags=re.S)
        if output and not output.endswith("\n"):
            output += "\n[no line end]\n"
        if done.returncode != 0:
            output += f"[exit {done.returncode}]\n"
        return output


def replay(shell, block):
    """The block as it should be: its commands, each with what it prints now."""
    commands = [line for line in block.splitlines() if line.startswith("$ ")]
    return "".join(f"{command}\n{shell.run(command[2:])}" for command in commands)


def expected(name, text, shell):
    """The page of this name as it should be."""
    def block(match):
        kind, body = match.groups()
        if kind == "cpp":
            body = (ROOT / "examples" / PROGRAMS[name]).read_text(encoding="utf-8")
        else:
            body = replay(shell, body)
        return f"```{kind}\n{body}```"
    return BLOCK.sub(block, text)


def main():
    program = os.environ.get("SPOOR_PROGRAM")
    if program is None:
        sys.exit("error: SPOOR_PROGRAM names no program")
    name = sys.argv[1] if len(sys.argv) > 1 else "README.md"
    page = ROOT / name
    text = page.read_text(encoding="utf-8")
    kinds = {"console", "cpp"} if name in PROGRAMS else {"console"}
    if {kind for kind, _ in BLOCK.findall(text)} != kinds:
        sys.exit(f"error: {name} shows no session or no program")

    if "$ git " in text and shutil.which("git", path="/usr/bin:/bin") is None:
        print(f"skipped: no git for {name}")
        return

    with tempfile.TemporaryDirectory() as folder:
        # A link on the way to it would hide the folder's name.
        shell = Shell(pathlib.Path(folder).resolve(), pathlib.Path(program).resolve())
        wanted = expected(name, text, shell)

    if "SPOOR_UPDATE_TRANSCRIPTS" in os.environ:
        page.write_text(wanted, encoding="utf-8")
        text = wanted
    sys.stdout.writelines(difflib.unified_diff(
        text.splitlines(keepends=True), wanted.splitlines(keepends=True),
        name, f"{name} as it should be"))
    sys.exit(0 if text == wanted else 1)


main()

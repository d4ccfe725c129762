"""Someone who types into spoor at a pseudo-terminal, and looks at its screen."""

import codecs
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import tempfile
import termios
import time

from screen import Screen

PROGRAM = os.environ["SPOOR_PROGRAM"]
PATIENCE = 30  # Seconds until something is taken for missing; machines may be slow.

TAB, ENTER, ESCAPE = "\t", "\r", "\x1b"
UP, DOWN, RIGHT, LEFT = ESCAPE + "[A", ESCAPE + "[B", ESCAPE + "[C", ESCAPE + "[D"
CTRL_A, CTRL_C, CTRL_D, CTRL_E, CTRL_R, CTRL_U = "\x01", "\x03", "\x04", "\x05", "\x12", "\x15"


def spawn(command, folder, environment, columns=80, rows=24):
    """Starts a program at a terminal of its own: its process id, and our end of the terminal."""
    ours, its = pty.openpty()
    fcntl.ioctl(ours, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    was = os.getcwd()
    os.chdir(folder)
    # The first terminal that a session's leader opens becomes its own.
    pid = os.posix_spawn(command[0], command, environment, setsid=True, file_actions=[
        (os.POSIX_SPAWN_OPEN, 0, os.ttyname(its), os.O_RDWR, 0),
        (os.POSIX_SPAWN_DUP2, 0, 1), (os.POSIX_SPAWN_DUP2, 0, 2)])
    os.chdir(was)
    os.close(its)
    return pid, ours


class Home:
    """A folder with a store, and nothing of the tester's own environment."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = self.folder.name
        self.environment = {
            "HOME": self.path,
            "PATH": "/usr/bin:/bin",
            "TERM": "xterm",
            "NO_COLOR": "1",
            "SPOOR_AUTHOR": "ada",
            "SPOOR_NOW": "2026-11-21T20:00:00Z",
            "SPOOR_PAGER": "cat",
        }

    def close(self):
        self.folder.cleanup()

    def spoor(self, *words, errors="strict"):
        """What one command prints; it must work."""
        done = subprocess.run([PROGRAM, *words], cwd=self.path, env=self.environment,
                              stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8",
                              errors=errors, timeout=PATIENCE)
        assert done.returncode == 0, (words, done.stderr)
        return done.stdout

    def make_history(self):
        """system, user, reasoning, assistant, user, assistant on main; a branch and a tag."""
        self.spoor("init")
        for verb, text in (("system", "be brief"), ("user", "list the files"),
                           ("think", "ls will do"), ("assistant", "a.txt and b.txt"),
                           ("user", "and the hidden ones"), ("assistant", ".profile")):
            self.spoor(verb, text)
        self.spoor("branch", "topic/first", "HEAD~2")
        self.spoor("branch", "topic/second", "HEAD~1")
        self.spoor("tag", "asked", "HEAD~1")

    def id_of(self, revision):
        return self.spoor("log", "--oneline", "-n", "1", revision)[:8]


class Typist:
    """One session. Close it, or use it in a with statement."""

    def __init__(self, home, columns=80, rows=24, words=(), environment=None):
        self.screen = Screen(columns, rows)
        self.seen = ""  # Everything the program wrote.
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.status = None
        self.pid, self.terminal = spawn([PROGRAM, *words], home.path,
                                        {**home.environment, **(environment or {})}, columns, rows)

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        if self.status is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.terminal)

    def type(self, keys):
        data = keys.encode("utf-8", "surrogateescape")
        while data:
            data = data[os.write(self.terminal, data[:512]):]
            self.look(0)

    def look(self, seconds):
        """Takes in what the program writes within that time; False at its end."""
        ready, _, _ = select.select([self.terminal], [], [], seconds)
        if not ready:
            return True
        try:
            data = os.read(self.terminal, 65536)
        except OSError:
            data = b""
        text = self.decoder.decode(data)
        self.seen += text
        self.screen.feed(text)
        return bool(data)

    def wait(self, is_there, what):
        """Until the screen is as wanted."""
        until = time.monotonic() + PATIENCE
        while not is_there(self.screen):
            if time.monotonic() > until or not self.look(0.1):
                raise AssertionError(f"{what} did not come; the screen:\n{self.screen.text()}")

    def wait_for(self, text):
        self.wait(lambda screen: text in screen.text(), repr(text))

    def wait_for_line(self, text):
        """Until the cursor stands behind this, on its row."""
        self.wait(lambda screen: screen.before_cursor() == text, f"the line {text!r}")

    PROMPT = re.compile(r"^\S.* ?\S*> $|^\(no store\)> $")

    def prompt(self):
        """Waits for an empty prompt and returns it."""
        self.wait(lambda screen: self.PROMPT.match(screen.before_cursor()), "a prompt")
        return self.screen.before_cursor()

    def run(self, line):
        """Types a line at an empty prompt; returns the rows printed until the next prompt."""
        prompt = self.prompt()
        self.type(line)
        self.wait_for_line(prompt + line)
        top = self.screen.row
        rows_before = self.seen.count("\n")
        self.type(ENTER)
        self.wait(lambda screen: self.seen.count("\n") > rows_before
                  and self.PROMPT.match(screen.before_cursor()), f"the end of {line!r}")
        rows = self.screen.rows()
        start = max((i for i, row in enumerate(rows[: self.screen.row])
                     if row == (prompt + line).rstrip()), default=top - 1)
        return rows[start + 1 : self.screen.row]

    def resize(self, columns, rows=24):
        self.screen.resize(columns, rows)
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        os.kill(self.pid, signal.SIGWINCH)

    def leave(self):
        """Ctrl-D; the exit status."""
        self.prompt()
        self.type(CTRL_D)
        return self.wait_for_exit()

    def wait_for_exit(self):
        until = time.monotonic() + PATIENCE
        while self.look(0.1):
            assert time.monotonic() < until, "the session did not end"
        _, status = os.waitpid(self.pid, 0)
        self.status = os.waitstatus_to_exitcode(status)
        return self.status

"""The terminal browser as a person sees it: keys are typed into `spoor tui` at a pseudo-terminal, and each screen must be
that of the recording tui.txt. In it a line `== KEYS` has what was typed, then the screen follows.

SPOOR_RECORD=1 writes new screens into the file: look at them before you keep them.
"""
import os
import pathlib
import re
import signal
import unittest

from typist import (CTRL_C, DOWN, ENTER, ESCAPE, PROGRAM, TAB, Home, Typist)

HERE = pathlib.Path(__file__).parent
RECORDING = HERE / "tui.txt"
SAMPLE = HERE.parent.parent / "examples/data/sample-session.jsonl"
NAMES = {"<enter>": ENTER, "<tab>": TAB, "<escape>": ESCAPE, "<down>": DOWN, "<page-down>": ESCAPE + "[6~"}
WAITS = re.compile(r" … (\d+/\d+ )?──")  # In the heading of a pane whose text is being made.


def keys_of(text):
    for name, key in NAMES.items():
        text = text.replace(name, key)
    return text


class Browser(unittest.TestCase):
    def setUp(self):
        self.home = Home()
        self.addCleanup(self.home.close)
        self.home.spoor("import", str(SAMPLE))

    def open(self, *words, environment=None, **how):
        person = Typist(self.home, words=("tui", *words), environment={"TERM": "xterm", **(environment or {})}, **how)
        self.addCleanup(person.__exit__)
        return person

    def begun(self, *words, **how):
        """A person at the first screen."""
        person = self.open(*words, **how)
        self.sees(person, "spoor ")
        return person

    def sees(self, person, text):
        """Waits for a text, and until no pane waits for its own; the screen."""
        person.wait(lambda screen: text in screen.text() and not WAITS.search(screen.text()), repr(text))
        return person.screen.text()

    def test_the_recording_is_what_the_screen_shows(self):
        recording = re.findall(r"^== (.*)\n((?:(?!== ).*\n)*)", RECORDING.read_text(), re.M)
        person = self.begun()
        new = []
        for typed, wanted in recording:
            person.type(keys_of(typed))
            if os.environ.get("SPOOR_RECORD"):
                seen = None
                while seen != len(person.seen):
                    seen = len(person.seen)
                    person.look(1.5)
                new.append(f"== {typed}\n{person.screen.text()}\n")
                continue
            try:
                person.wait(lambda screen: screen.text() + "\n" == wanted, typed)
            except AssertionError:
                self.assertEqual(person.screen.text() + "\n", wanted, f"after {typed}")
        self.assertEqual(person.screen.unknown, [])
        if new:
            RECORDING.write_text("".join(new))
        person.type("Q")
        self.assertEqual(person.wait_for_exit(), 0)

    def test_the_screen_is_given_back(self):
        person = self.begun()
        self.assertIn("\x1b[?1049h", person.seen)
        person.type("q")
        self.assertEqual(person.wait_for_exit(), 0)
        self.assertIn("\x1b[?1049l", person.seen)

    def test_a_pane_has_what_its_command_prints(self):
        person = self.begun(columns=139, rows=600)
        for typed, command in ((ENTER, "spoor show --brief 07c77991"), ("p", "spoor pprint 07c77991"),
                               ("t", "spoor reasoning 166d0343"), ("i", "spoor show 07c77991"),
                               (":29" + ENTER + "s", "spoor show --brief 85f2f328")):
            # At a terminal, times are relative, and the lines of prompts have rules.
            said = [line.rstrip() for line in self.home.spoor(*command.split()[1:]).splitlines() if len(line) <= 139
                    and "2026-03-14T" not in line and "──" not in line and "\t" not in line]
            person.type(typed)
            person.wait(lambda screen: command in screen.text() and set(said) <= set(screen.rows()), command)

    def test_another_size_is_another_layout(self):
        person = self.begun()
        person.type(ENTER)
        self.sees(person, "39/39")
        for columns, rows in ((160, 40), (40, 12), (9, 2), (100, 30)):
            person.resize(columns, rows)
            if rows > 2:
                person.wait(lambda screen: screen.rows()[-1] and "39/39" in screen.rows()[0]
                            and ("│" in screen.text()) == (columns >= 140), f"a layout for {columns} columns")

    def test_turns_appear_as_they_are_written(self):
        person = self.begun()
        person.type(ENTER)
        self.sees(person, "39/39")
        self.home.spoor("user", "and one more thing")
        person.wait_for("40/40")
        person.wait_for("and one more thing")

    def test_ctrl_c_does_not_end_it_and_a_lost_terminal_does(self):
        person = self.begun()
        person.type(CTRL_C)
        person.wait_for("Q leaves")
        os.kill(person.pid, signal.SIGHUP)
        self.assertNotEqual(person.wait_for_exit(), 0)

    def test_colours_are_those_of_the_palette_and_the_background_is_the_terminals(self):
        self.home.environment.pop("NO_COLOR")
        person = self.begun(environment={"TERM": "xterm-256color"})
        person.type(ENTER)
        self.sees(person, "39/39")
        codes = {int(code) for found in re.findall(r"\x1b\[([0-9;]*)m", person.seen) for code in found.split(";") if code}
        self.assertTrue(codes & set(range(31, 38)))
        self.assertFalse(codes & (set(range(40, 48)) | {38, 48}))

    def test_without_a_terminal_it_says_what_to_use(self):
        import subprocess
        done = subprocess.run([PROGRAM, "tui"], cwd=self.home.path, env=self.home.environment, capture_output=True,
                              stdin=subprocess.DEVNULL, text=True, timeout=30)
        self.assertEqual(done.returncode, 1)
        self.assertIn("error: this needs a terminal", done.stderr)
        self.assertIn("spoor log", done.stderr)

    def test_an_unknown_terminal_is_an_error(self):
        person = self.open(environment={"TERM": "no-such-terminal"})
        person.wait_for("set TERM")
        self.assertEqual(person.wait_for_exit(), 1)


if __name__ == "__main__":
    unittest.main()

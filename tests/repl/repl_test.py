"""The interactive session as a person sees it: `ctest -R repl`, or
SPOOR_PROGRAM=build/dev/spoor python3 tests/repl/repl_test.py [Class.test]."""

import json
import os
import stat
import unittest

from typist import (CTRL_A, CTRL_C, CTRL_D, CTRL_E, CTRL_R, CTRL_U, DOWN, ENTER, ESCAPE, LEFT, TAB, UP, Home,
                    Typist)


def pasted(text):
    """As a terminal sends it that was asked to mark what is pasted."""
    return ESCAPE + "[200~" + text.replace("\n", "\r") + ESCAPE + "[201~"


class Session(unittest.TestCase):
    def setUp(self):
        self.home = Home()
        self.addCleanup(self.home.close)
        self.home.make_history()
        self.head = self.home.id_of("HEAD")

    def open(self, *words, **how):
        typist = Typist(self.home, words=words, **how)
        self.addCleanup(typist.__exit__)
        return typist


class Prompt(Session):
    def test_shows_branch_head_and_view(self):
        person = self.open()
        self.assertEqual(person.prompt(), f"main {self.head}> ")
        earlier = self.home.id_of("HEAD~3")
        person.run("at HEAD~3")
        self.assertEqual(person.prompt(), f"main {self.head} at {earlier}> ")
        person.run("back")
        self.assertEqual(person.prompt(), f"main {self.head}> ")
        person.run("switch --detach HEAD~1")
        self.assertEqual(person.prompt(), f"(detached) {self.home.id_of('HEAD')}> ")

    def test_without_a_store_says_how_to_make_one_and_makes_one(self):
        for name in os.listdir(self.home.path):
            if name.startswith(".spoor"):
                os.remove(os.path.join(self.home.path, name))
        person = self.open()
        person.wait_for("hint: create one with 'spoor init'")
        self.assertEqual(person.prompt(), "(no store)> ")
        person.run("init")
        self.assertEqual(person.prompt(), "main (no commits)> ")
        person.run("user hello")
        self.assertEqual(person.prompt(), f"main {self.home.id_of('HEAD')}> ")

    def test_ctrl_d_leaves_with_status_0_even_after_a_failure(self):
        person = self.open()
        self.assertEqual(person.run("lgo"), ["error: unknown command 'lgo'",
                                             "hint: did you mean 'log'?"])
        self.assertEqual(person.leave(), 0)

    def test_quit_leaves(self):
        person = self.open()
        person.prompt()
        person.type("quit" + ENTER)
        self.assertEqual(person.wait_for_exit(), 0)

    def test_another_writer_shows_at_the_next_prompt(self):
        person = self.open()
        person.prompt()
        self.home.spoor("user", "from elsewhere")
        person.run("version")
        self.assertEqual(person.prompt(), f"main {self.home.id_of('HEAD')}> ")


class Completion(Session):
    def test_verbs(self):
        person = self.open()
        prompt = person.prompt()
        person.type("pp" + TAB)
        person.wait_for_line(prompt + "pprint ")
        person.type(CTRL_U + "sta" + TAB)
        person.wait_for_line(prompt + "stat")
        person.type(TAB)
        person.wait_for("stats   ")
        person.wait_for("status  ")
        person.wait_for_line(prompt + "stat")

    def test_a_slash_stays(self):
        person = self.open()
        prompt = person.prompt()
        person.type("/pp" + TAB)
        person.wait_for_line(prompt + "/pprint ")

    def test_options_of_the_verb(self):
        person = self.open()
        prompt = person.prompt()
        person.type("log --on" + TAB)
        person.wait_for_line(prompt + "log --oneline ")
        person.type("--col" + TAB)
        person.wait_for_line(prompt + "log --oneline --color ")
        person.type("n" + TAB)
        person.wait_for_line(prompt + "log --oneline --color never ")

    def test_branches_and_tags(self):
        person = self.open()
        prompt = person.prompt()
        person.type("switch to" + TAB)
        person.wait_for_line(prompt + "switch topic/")
        person.type("s" + TAB)
        person.wait_for_line(prompt + "switch topic/second ")
        person.type(CTRL_U + "show as" + TAB)
        person.wait_for_line(prompt + "show asked ")
        person.type(CTRL_U + "log main..topic/f" + TAB)
        person.wait_for_line(prompt + "log main..topic/first ")

    def test_ids_are_listed_with_what_they_say(self):
        person = self.open()
        prompt = person.prompt()
        asked = self.home.id_of("HEAD~1")
        person.type("show " + asked[:6] + TAB)
        person.wait_for_line(prompt + "show " + asked + " ")
        person.type(CTRL_U + "show " + TAB)
        person.wait_for(asked + "      user and the hidden ones")
        person.wait_for("topic/first   branch")
        person.wait_for_line(prompt + "show ")

    def test_in_the_middle_of_a_line(self):
        person = self.open()
        prompt = person.prompt()
        person.type("show  --text" + LEFT * 7 + "asked"[:2] + TAB)
        person.wait_for_line(prompt + "show asked ")
        person.wait_for("show asked  --text")

    def test_numbers(self):
        person = self.open()
        person.run("log --oneline -n 2")
        person.type("show @" + TAB)
        person.wait_for("@2  user and the hidden ones")

    def test_files(self):
        with open(os.path.join(self.home.path, "a file"), "w", encoding="utf-8"):
            pass
        person = self.open()
        prompt = person.prompt()
        person.type("import a" + TAB)
        person.wait_for_line(prompt + "import 'a file' ")

    def test_text_that_a_terminal_might_obey_is_shown_harmless(self):
        self.home.spoor("user", "\x1b]0;evil\x07 \u202etxt")
        person = self.open()
        person.prompt()
        person.type("show " + TAB)
        person.wait_for("user ]0;evil <U+202E>txt")
        self.assertNotIn("\x1b]", person.seen)
        self.assertNotIn("\u202e", person.seen)

    def test_nothing_of_a_turn(self):
        person = self.open(environment={"SPOOR_MODEL": "m-1"})
        prompt = person.prompt()
        person.type("pp" + TAB)
        person.type("x")
        person.wait_for_line(prompt + "ppx")


class History(Session):
    def path(self):
        return os.path.join(self.home.path, ".local/state/spoor/history")

    def test_goes_on_across_sessions(self):
        first = self.open()
        first.run("status")
        first.run("version")
        first.leave()
        second = self.open()
        prompt = second.prompt()
        second.type(UP)
        second.wait_for_line(prompt + "version")
        second.type(UP)
        second.wait_for_line(prompt + "status")
        second.type(DOWN)
        second.wait_for_line(prompt + "version")

    def test_is_the_owners_alone(self):
        person = self.open()
        person.run("status")
        self.assertEqual(stat.S_IMODE(os.stat(self.path()).st_mode), 0o600)

    def test_forgets_what_begins_with_a_blank_and_keeps_repetitions_once(self):
        person = self.open()
        person.run("status")
        person.run(" version")
        person.run("status")
        person.leave()
        with open(self.path(), encoding="utf-8") as file:
            self.assertEqual(file.read(), "status\n")

    def test_is_searched_by_ctrl_r(self):
        person = self.open()
        person.run("branch")
        person.run("status")
        person.type(CTRL_R + "bran" + ENTER)
        person.wait_for("* main")


class Paste(Session):
    def test_of_many_lines_is_one_input(self):
        person = self.open()
        prompt = person.prompt()
        person.type("user " + pasted("first\n\n  it's 'third'\n"))
        person.wait_for("  it's 'third'")
        person.wait_for_line("")  # Nothing has run.
        self.assertIn(prompt + "user first", person.screen.text())
        person.type("last" + ENTER)
        person.wait_for(f"main: {self.head} -> ")
        self.assertEqual(self.home.spoor("show", "--text"), "first\n\n  it's 'third'\nlast")
        person.prompt()
        person.type(UP)
        person.wait_for_line("last")

    def test_comes_back_from_history_in_one_piece(self):
        first = self.open()
        first.prompt()
        first.type(pasted("user one\ntwo") + ENTER)
        first.wait_for(" -> ")
        first.leave()
        second = self.open()
        second.prompt()
        second.type(UP)
        second.wait_for_line("two")
        second.type(ENTER)
        second.wait_for(" -> ")
        self.assertEqual(self.home.spoor("show", "--text"), "one\ntwo")

    def test_of_commands_runs_them_in_turn(self):
        person = self.open()
        person.prompt()
        person.type(pasted("show --text asked\nbranch"))
        person.wait_for_line("branch")
        person.type(ENTER)
        person.wait_for("* main")
        self.assertIn("\nand the hidden ones\n", person.screen.text())

    def test_escape_sequences_in_it_are_text(self):
        person = self.open()
        person.prompt()
        person.type("user " + pasted("a" + ESCAPE + "[31mred") + ENTER)
        person.wait_for(" -> ")
        self.assertEqual(self.home.spoor("show", "--text", "--raw"), "a\x1b[31mred")
        self.assertNotIn("\x1b[31m", person.seen)

    def test_of_a_long_text_is_whole(self):
        text = "\n".join(f"{number} " + "word " * 15 for number in range(200))
        person = self.open()
        person.prompt()
        person.type("user " + pasted(text) + "." + ENTER)
        person.wait_for(" -> ")
        self.assertEqual(self.home.spoor("show", "--text"), text + ".")


class Characters(Session):
    def test_wide_ones_are_edited_as_wide(self):
        person = self.open()
        prompt = person.prompt()
        person.type("user 漢字 text")
        person.wait_for_line(prompt + "user 漢字 text")
        person.type(LEFT * 6 + "中")
        person.wait_for_line(prompt + "user 漢中")
        self.assertIn("user 漢中字 text", person.screen.text())
        person.type(ENTER)
        person.wait_for(" -> ")
        self.assertEqual(self.home.spoor("show", "--text"), "漢中字 text")

    def test_a_line_of_wide_ones_wraps_and_is_erased_whole(self):
        person = self.open(columns=40)
        prompt = person.prompt()
        person.type("user " + "漢" * 30)
        person.wait(lambda screen: screen.text().count("漢") == 30, "thirty wide characters")
        person.type(CTRL_A + "\x0b")
        person.wait(lambda screen: "漢" not in screen.text(), "an empty line")
        person.wait_for_line(prompt)

    def test_bytes_that_are_no_text_survive(self):
        person = self.open(environment={"SPOOR_MODEL": "m-1"})
        person.prompt()
        person.type("caf\udce9 \udcf0\udc9f!" + ENTER)
        person.wait_for(" -> ")
        person.leave()
        self.assertEqual(self.home.spoor("show", "--text", "--raw", errors="surrogateescape"),
                         "caf\udce9 \udcf0\udc9f!")

    def test_in_any_locale(self):
        person = self.open(environment={"LC_ALL": "C"})
        prompt = person.prompt()
        person.type("user é漢")
        person.wait_for_line(prompt + "user é漢")


class Keys(Session):
    def edit(self, home_file, environment=None):
        with open(os.path.join(self.home.path, ".editrc"), "w", encoding="utf-8") as file:
            file.write(home_file)
        return self.open(environment=environment)

    def test_of_vi_complete_cancel_and_paste_too(self):
        person = self.edit("bind -v\n")
        prompt = person.prompt()
        person.type("pp" + TAB)
        person.wait_for_line(prompt + "pprint ")
        person.type(CTRL_C)
        person.wait_for_line(prompt)
        person.type("user " + pasted("one\ntwo"))
        person.wait_for("\ntwo")
        person.type(ENTER)
        person.wait_for(" -> ")
        self.assertEqual(self.home.spoor("show", "--text"), "one\ntwo")

    def test_ctrl_d_deletes_within_a_line(self):
        person = self.open()
        prompt = person.prompt()
        person.type("xstatus" + CTRL_A + CTRL_D + CTRL_E)
        person.wait_for_line(prompt + "status")
        person.type(CTRL_D + CTRL_D)  # Nothing is behind the cursor.
        person.type(ENTER)
        person.wait_for("On branch main")

    def test_a_terminal_without_abilities_will_do(self):
        person = self.open(environment={"TERM": "dumb"})
        prompt = person.prompt()
        person.type("status")
        person.wait_for_line(prompt + "status")
        person.type(ENTER)
        person.wait_for("On branch main")
        self.assertEqual(person.leave(), 0)


class Interrupt(Session):
    def test_drops_the_line_at_a_prompt(self):
        person = self.open()
        prompt = person.prompt()
        person.type("user never")
        person.wait_for_line(prompt + "user never")
        person.type(CTRL_C)
        person.wait_for_line(prompt)
        self.assertEqual(self.home.id_of("HEAD"), self.head)
        person.run("status")

    def test_drops_an_open_quote(self):
        person = self.open()
        prompt = person.prompt()
        person.type("user 'open" + ENTER)
        person.wait_for_line("...> ")
        person.type("more" + CTRL_C)
        person.wait_for_line(prompt)
        self.assertEqual(self.home.id_of("HEAD"), self.head)

    def test_ends_a_long_listing_and_keeps_the_session(self):
        for number in range(40):
            self.home.spoor("user", f"{number}\n" * 4000)
        person = self.open()
        prompt = person.prompt()
        person.type("log -p" + ENTER)
        person.wait_for("    39")
        person.type(CTRL_C)
        person.wait_for("error: interrupted")
        person.wait_for_line(prompt)
        self.assertNotIn("    10\r\n", person.seen)  # It was far from the end.
        self.assertIn("On branch main", person.run("status"))
        for _ in range(3):
            person.type("x")
            person.wait_for_line(prompt + "x")
            person.type(CTRL_C)
            person.wait_for_line(prompt)
        self.assertIn("On branch main", person.run("status"))
        self.assertEqual(person.leave(), 0)


class Walking(Session):
    def test_at_next_prev_back_with_log_diff_and_pprint_at_each(self):
        person = self.open()
        stations = [("at HEAD~4", "HEAD~4"), ("next", "HEAD~3"), ("next 2", "HEAD~1"),
                    ("prev", "HEAD~2"), ("at topic/second", "HEAD~1"), ("back", "HEAD~2"),
                    ("back", "HEAD")]
        for step, revision in stations:
            with self.subTest(step=step, revision=revision):
                person.run(step)
                person.run(".once out")
                person.run("log --oneline")
                self.assertEqual(self.read("out").replace(" (view)", "").replace(", view", ""),
                                 self.home.spoor("log", "--oneline", revision))
                for verb in ("pprint", "compile"):
                    person.run(".once out")
                    person.run(verb)
                    self.assertEqual(self.read("out"), self.home.spoor(verb, revision))
                person.run(".once out")
                person.run("diff")
                self.assertEqual(self.read("out"),
                                 self.home.spoor("diff", f"{revision}~1..{revision}"))
        self.assertEqual(self.home.id_of("main"), self.head)

    def read(self, name):
        with open(os.path.join(self.home.path, name), encoding="utf-8") as file:
            return file.read()

    def test_each_step_shows_where_one_stands(self):
        person = self.open()
        shown = person.run("at HEAD~3")
        self.assertRegex(shown[0], f"^{self.home.id_of('HEAD~3')}  .*  \\[reasoning\\]$")
        self.assertEqual(shown[1], "    ls will do")
        self.assertIn("    a.txt and b.txt", person.run("next"))
        self.assertEqual(person.run("where")[0], "on main, commit 4 of 6, 2 before its end; "
                                                 "'back' returns")

    def test_listing_numbers_name_ids(self):
        person = self.open()
        listed = person.run("log --oneline -n 3")
        self.assertEqual([row[:3] for row in listed], ["@1 ", "@2 ", "@3 "])
        self.assertIn("    and the hidden ones", person.run("at @2"))


class Window(Session):
    def test_a_listing_fits_the_new_width(self):
        self.home.spoor("user", "word " * 60)
        person = self.open()
        person.run("log --oneline -n 1")
        self.assertEqual(len(person.screen.rows()[person.screen.row - 1]), 80)
        person.resize(120)
        listed = person.run("log --oneline -n 1")
        self.assertEqual(len(listed[-1]), 120)
        person.resize(60)
        listed = person.run("log --oneline -n 1")
        self.assertEqual(len(listed[-1]), 60)

    def test_the_line_being_typed_is_drawn_anew(self):
        person = self.open()
        prompt = person.prompt()
        person.type("user some words")
        person.wait_for_line(prompt + "user some words")
        mark = len(person.seen)
        person.resize(50)
        person.wait(lambda _: len(person.seen) > mark, "the line drawn anew")
        person.type(" more")
        person.wait_for_line(prompt + "user some words more")
        self.assertEqual(person.screen.text().count("user some"), 1)
        person.type(" and even more words")  # On a second row.
        person.wait_for_line("words")
        person.type(CTRL_U)
        person.wait_for_line(prompt)
        person.wait(lambda screen: "words" not in screen.text(), "a screen without the line")

    def test_the_pager_takes_what_does_not_fit(self):
        person = self.open(rows=8, environment={"SPOOR_PAGER": "less", "LESS": "FRX"})
        person.prompt()
        person.type("log" + ENTER)
        person.wait_for_line(":")
        person.type("q")
        person.prompt()
        self.assertEqual(person.leave(), 0)

    def test_a_pager_that_is_not_there_loses_nothing(self):
        person = self.open(environment={"SPOOR_PAGER": "no-such-pager"})
        person.prompt()
        shown = "\n".join(person.run("show --text HEAD"))
        self.assertIn("no-such-pager", shown)  # The shell says so.
        self.assertIn(self.home.spoor("show", "--text", "HEAD").strip(), shown)
        self.assertEqual(person.leave(), 0)

    def test_the_pager_has_ctrl_c_to_itself(self):
        self.home.spoor("user", "line\n" * 20_000)
        person = self.open(rows=8, environment={"SPOOR_PAGER": "less", "LESS": "FRX"})
        prompt = person.prompt()
        person.type("show" + ENTER)
        person.wait_for_line(":")
        mark = len(person.seen)
        person.type(CTRL_C)
        person.wait(lambda _: len(person.seen) > mark, "the pager's answer")

        def is_left(screen):  # The pager throws away what is typed before it reads again.
            if screen.before_cursor() == ":":
                person.type("q")
            return screen.before_cursor() == prompt

        person.wait(is_left, "the prompt behind the pager")
        self.assertNotIn("interrupted", person.seen)
        self.assertEqual(person.leave(), 0)


class Model(Session):
    def test_a_line_is_a_turn_and_a_slash_a_command(self):
        person = self.open(environment={"SPOOR_MODEL": "m-1"})
        person.prompt()
        person.type("log the error 'please" + ENTER)
        person.wait_for(" -> ")
        self.assertEqual(self.home.spoor("show", "--text"), "log the error 'please")
        person.prompt()
        person.run("/status")
        self.assertIn("On branch main", person.screen.text())

    def script(self, reply):
        path = os.path.join(self.home.path, "replies.jsonl")
        with open(path, "w", encoding="utf-8") as file:
            for _ in range(5):  # The n-th line is the n-th answer; the history has some already.
                file.write(json.dumps({"choices": [{"message": reply}]}) + "\n")
        return {"SPOOR_MODEL": "scripted/" + path}

    def test_the_answer_comes_below_with_its_reasoning_and_what_it_took(self):
        person = self.open(environment=self.script({"content": "Twelve 漢字.", "reasoning": "four, eight"}))
        person.prompt()
        person.type("how many?" + ENTER)
        person.wait_for(", scripted/")  # How the line wraps after it is the folder's matter.
        screen = person.screen.text()
        self.assertIn("four, eight\n\nTwelve 漢字.\nmain: ", screen)
        person.prompt()
        person.run("/log --oneline -n 3")
        self.assertIn("[reasoning] four, eight", person.screen.text())
        self.assertEqual(person.leave(), 0)

    def test_ctrl_c_keeps_what_came_and_the_session(self):
        person = self.open(environment=self.script({"content": "word " * 2_000}))
        person.prompt()
        person.type("go on" + ENTER)
        person.wait_for("word word")
        person.type(CTRL_C)
        person.wait_for("the partial answer is kept")
        person.prompt()
        shown = self.home.spoor("show")
        self.assertIn('interrupted "interrupted"', shown)
        self.assertIn("word word", shown)
        self.assertEqual(person.leave(), 0)

    def test_a_model_that_cannot_be_asked_loses_no_line(self):
        person = self.open(environment={"SPOOR_MODEL": "anthropic/x", "ANTHROPIC_API_KEY": ""})
        person.prompt()
        person.type("are you there?" + ENTER)
        person.wait_for("no API key for 'anthropic'")
        person.prompt()
        self.assertEqual(self.home.spoor("show", "--text"), "are you there?")


if __name__ == "__main__":
    unittest.main(verbosity=1)

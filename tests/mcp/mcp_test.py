"""spoor run with MCP servers: our scripted ones, over standard streams and HTTP, and those that misbehave."""
import json
import os
import pathlib
import re
import subprocess
import tempfile
import time
import unittest

from server import Web

PROGRAM = os.environ["SPOOR_PROGRAM"]
SERVER = pathlib.Path(__file__).with_name("server.py")
KEY = "a-key-of-24-characters-x"


class Place:
    """A home, a folder to work in with a copy of the server, and a model that makes one call after the other."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="spoor-mcp-")
        self.home = pathlib.Path(self.folder.name).resolve()
        self.work = self.home / "work"
        self.work.mkdir()
        (self.work / "server.py").write_text(SERVER.read_text(encoding="utf-8"), encoding="utf-8")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.folder.cleanup()

    def script(self, calls):
        """Each of `calls` is one answer: (tool, arguments), or a list of them. Returns the model's name."""
        lines = []
        for number, step in enumerate(calls):
            step = step if isinstance(step, list) else [step]
            tools = [{"id": f"c{number}-{i}", "type": "function", "function": {"name": name.replace(".", "_"),
                      "arguments": json.dumps(arguments)}} for i, (name, arguments) in enumerate(step)]
            lines.append({"choices": [{"finish_reason": "tool_calls", "message": {"role": "assistant", "tool_calls": tools}}]})
        lines.append({"choices": [{"finish_reason": "stop", "message": {"role": "assistant", "content": "done"}}]})
        (self.home / "script.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        return f"scripted/{self.home}/script.jsonl"

    def spoor(self, *arguments, timeout=60, **variables):
        return subprocess.run([PROGRAM, *arguments], cwd=self.work, capture_output=True, text=True, timeout=timeout,
                              stdin=subprocess.DEVNULL, check=False,
                              env={"HOME": str(self.home), "PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8",
                                   "no_proxy": "127.0.0.1", **variables})

    def run(self, calls, *arguments, **more):
        return self.spoor("run", "x", "--no-rationale", "--model", self.script(calls), *arguments, **more)

    def results(self):
        """The texts of the results of the last run's calls."""
        messages = json.loads(self.spoor("compile", "--to", "openai").stdout)
        return [message["content"] for message in messages if message["role"] == "tool"]


def stdio(era, fault=""):
    return f"t=python3 server.py {era} {fault}"


ECHO = ("t.echo", {"text": "häl\"lo"})


class Common:
    """The same calls for each era and transport."""

    def start(self):
        raise NotImplementedError

    def call(self, *calls, arguments=(), **more):
        with Place() as place:
            done = place.run(calls, *self.start(), *arguments, **more)
            self.assertEqual(done.returncode, 0, done.stderr)
            return place.results()

    def test_text_and_its_bytes(self):
        self.assertEqual(self.call(ECHO), ['häl"lo'])

    def test_structured_content_and_numbers(self):
        self.assertEqual(self.call(("t.add", {"z": 3, "a": 4})), ['{"sum": 7}'])

    def test_pictures_links_and_resources(self):
        text, = self.call(("t.picture", {}))
        self.assertEqual(text, "as drawn:\n[image: image/png, 15 bytes, attached]\n[x.md at file:///x.md]\n[a://b]\ninside")

    def test_a_failure_of_the_tool_is_a_failed_result(self):
        self.assertEqual(self.call(("t.fail", {})), ["error: the disk is full"])

    def test_names_are_made_ids_and_broken_tools_left_out(self):
        self.assertEqual(self.call(("t.odd_name_", {})), ["odd"])
        with Place() as place:
            done = place.run([ECHO], *self.start())
            self.assertIn("warning: the server 't' has a tool that cannot be used: 'broken'", done.stderr)

    def test_arguments_are_checked_before_the_server_sees_them(self):
        text, = self.call(("t.echo", {"text": 7}))
        self.assertIn("/text: expected string", text)

    def test_what_the_server_asks_for(self):
        text, = self.call(("t.ask", {}))
        self.assertRegex(text, r"refused: \[-32601, -32601\], ping: \{\}|input that is not offered here \(elicitation/create\)")

    def test_changed_tools_are_told_and_not_used(self):
        results = self.call(("t.echo", {"text": "1"}), ("t.change", {}), ("t.echo", {"text": "2"}), ("t.fail", {}), ("t.slow", {}))
        self.assertEqual(results[0], "1")
        self.assertIn("describes 't.echo' in another way than when this run began", results[2])
        self.assertIn("has no tool 't.fail' any more", results[3])
        self.assertEqual(results[4], "done")

    def test_chosen_tools_only(self):
        with Place() as place:
            done = place.run([("t.add", {"z": 1, "a": 1})], *self.start(), "--tools", "t.echo")
            self.assertIn("there is no tool", done.stderr)
            done = place.run([ECHO], *self.start(), "--tools", "t.nosuch")
            self.assertEqual(done.returncode, 1)
            self.assertIn("the server 't' has no tool 't.nosuch'", done.stderr)
            self.assertIn("t.echo", done.stderr)

    def test_approval_is_asked_by_the_tools_name_and_kept_for_resume(self):
        with Place() as place:
            done = place.run([ECHO], *self.start(), "--ask-before", "t.echo")
            self.assertEqual(done.returncode, 1)
            self.assertIn("'t.echo' waits for approval", done.stderr)
            done = place.spoor("resume", "--approve")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(place.results(), ['häl"lo'])
            done = place.spoor("replay")
            self.assertIn("no differences", done.stdout, done.stderr)


class ModernStreams(Common, unittest.TestCase):
    def start(self):
        return "--mcp", stdio("modern")

    def test_roots(self):
        text, = self.call(("t.where", {}))
        self.assertRegex(text, r"^file:///.*/work$")


class LegacyStreams(Common, unittest.TestCase):
    def start(self):
        return "--mcp", stdio("legacy")

    def test_roots(self):
        text, = self.call(("t.where", {}))
        self.assertRegex(text, r"^file:///.*/work$")

    def test_a_server_that_ends_at_the_newer_question_is_started_again(self):
        with Place() as place:
            done = place.run([ECHO], "--mcp", stdio("legacy", "exits-at-discover"))
            self.assertEqual(done.returncode, 0, done.stderr)


class WebCommon(Common):
    era, streams = "modern", False

    def setUp(self):
        self.web = Web(self.era, streams=self.streams)
        self.addCleanup(self.web.shutdown)

    def start(self):
        return "--mcp", f"t={self.web.url}"

    # One server serves several runs here, so a change would outlive a test's first.
    def test_no_root_is_given_away(self):
        self.call(ECHO)
        for _, message in self.web.requests:
            self.assertNotIn("roots", json.dumps(message))


class ModernWeb(WebCommon, unittest.TestCase):
    def test_headers_mirror_the_message(self):
        self.call(("t.add", {"z": 3, "a": 4}))
        headers, message = self.web.requests[-1]
        self.assertEqual((headers["mcp-method"], headers["mcp-name"], headers["mcp-param-first"]), ("tools/call", "add", "3"))
        self.assertEqual(headers["mcp-protocol-version"], "2026-07-28")
        self.assertNotIn("mcp-session-id", headers)


class ModernEvents(WebCommon, unittest.TestCase):
    streams = True


class LegacyWeb(WebCommon, unittest.TestCase):
    era = "legacy"

    test_what_the_server_asks_for = None  # It needs a stream.
    test_changed_tools_are_told_and_not_used = None

    def test_the_session_is_kept_and_given_up(self):
        self.call(ECHO)
        self.assertEqual([headers.get("mcp-session-id") for headers, _ in self.web.requests[2:-1]], ["s0"] * (len(self.web.requests) - 3))
        self.assertEqual(self.web.requests[-1][1], "DELETE")

    def test_a_forgotten_session_is_begun_again(self):
        self.web.fault = "forgets"
        self.assertEqual(self.call(ECHO, ECHO), ['häl"lo'] * 2)


class LegacyEvents(WebCommon, unittest.TestCase):
    era, streams = "legacy", True

    def test_what_the_server_asks_for(self):
        text, = self.call(("t.ask", {}))
        self.assertIn("refused: [-32601, -32601], ping: {}", text)


class Progress(unittest.TestCase):
    def test_progress_is_a_message_of_the_stream(self):
        with Place() as place:
            done = place.run([("t.slow", {})], "--mcp", stdio("modern"))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(place.results(), ["done"])


class Faults(unittest.TestCase):
    """A server that misbehaves is a failed result or an error with a hint, and never a hang."""

    def call(self, fault, *calls, **more):
        with Place() as place:
            began = time.monotonic()
            done = place.run(calls or [ECHO], "--mcp", stdio("modern", fault), **more)
            self.assertLess(time.monotonic() - began, 50)
            return done, place.results() if done.returncode == 0 else None

    def test_dies_before_it_begins(self):
        done, _ = self.call("dies-at-once")
        self.assertEqual(done.returncode, 1)
        self.assertIn("error: the server 't': the server ended (exit code 4)", done.stderr)
        self.assertIn("it printed: no licence", done.stderr)

    def test_is_no_program(self):
        with Place() as place:
            done = place.run([ECHO], "--mcp", "t=./nosuch --flag")
            self.assertEqual(done.returncode, 1)
            self.assertIn("the server 't': cannot run './nosuch'", done.stderr)

    def test_dies_in_a_call_and_is_started_again(self):
        done, results = self.call("dies", ("t.echo", {"text": "die"}), ECHO)
        self.assertIn("the server ended (exit code 3)", results[0])
        self.assertIn("out of memory", results[0])
        self.assertEqual(results[1], 'häl"lo')

    def test_dies_again_and_again(self):
        _, results = self.call("dies", *[("t.echo", {"text": "die"})] * 6)
        self.assertIn("the server has ended 4 times", results[-1])

    def test_prints_garbage(self):
        _, results = self.call("garbage")
        self.assertIn("prints lines that are not messages, such as 'debug: this is line", results[0])

    def test_some_lines_of_a_log_are_skipped(self):
        _, results = self.call("chats")
        self.assertEqual(results, ['häl"lo'])

    def test_prints_without_end(self):
        _, results = self.call("huge")
        self.assertIn("a message of more than 16 MiB", results[0])

    def test_floods_with_requests(self):
        _, results = self.call("floods")
        self.assertIn("does not read its input", results[0])

    def test_a_long_result_is_cut(self):
        _, results = self.call("long")
        self.assertLess(len(results[0]), 31_000)
        self.assertIn("bytes left out", results[0])

    def test_odd_messages(self):
        _, results = self.call("odd")
        self.assertEqual(results, ["[something of the type '', left out]\n" * 2 + "[image: cannot be read]\n"
                                    "[something of the type 'new', left out]\nnull"])

    def test_hangs_until_it_is_interrupted(self):
        with Place() as place:
            process = subprocess.Popen(
                [PROGRAM, "run", "x", "--no-rationale", "--model", place.script([ECHO]), "--mcp", stdio("modern", "hangs")],
                cwd=place.work, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True,
                env={"HOME": str(place.home), "PATH": os.environ["PATH"]})
            time.sleep(3)
            process.send_signal(2)
            _, err = process.communicate(timeout=20)
            self.assertEqual(process.returncode, 130, err)
            self.assertIn("interrupted", err)


class WebFaults(unittest.TestCase):
    def call(self, fault, *arguments, calls=(ECHO,), **more):
        web = Web("modern", fault)
        self.addCleanup(web.shutdown)
        with Place() as place:
            done = place.run(calls, "--mcp", f"t={web.url}", *arguments, **more)
            return done, place.results() if done.returncode == 0 else None

    def test_a_key_is_asked_for_and_never_recorded(self):
        done, _ = self.call("locked")
        self.assertEqual(done.returncode, 1)
        self.assertIn("the server answers with HTTP status 401", done.stderr)
        self.assertIn("--mcp-key", done.stderr)
        web = Web("modern", "locked")
        self.addCleanup(web.shutdown)
        with Place() as place:
            done = place.run([("t.echo", {"text": KEY})], "--mcp", f"t={web.url}", "--mcp-key", "t=WORD", WORD=KEY)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(place.results(), ["[REDACTED:known-key]"])
            store = place.home / ".local/share/spoor"
            for path in store.rglob("*"):
                if path.is_file() and "trusted" not in path.name:
                    self.assertNotIn(KEY.encode(), path.read_bytes(), path)

    def test_pages_that_are_no_server(self):
        done, _ = self.call("page")
        self.assertEqual(done.returncode, 1)
        self.assertIn("the server's answer is not a message of the protocol", done.stderr)
        done, _ = self.call("moved")
        self.assertIn("the server leads on to 'http://127.0.0.1:1/elsewhere'", done.stderr)

    def test_a_list_that_goes_round(self):
        done, results = self.call("goes-round")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(results, [ECHO[1]["text"]])
        self.assertLessEqual(done.stderr.count("warning"), 8, done.stderr)

    def test_nobody_is_there(self):
        with Place() as place:
            done = place.run([ECHO], "--mcp", "t=http://127.0.0.1:9/mcp")
            self.assertEqual(done.returncode, 1)
            self.assertIn("the server 't': cannot reach 'http://127.0.0.1:9'", done.stderr)

    def test_a_huge_answer(self):
        _, results = self.call("huge")
        self.assertIn("a message of more than 16 MiB", results[0])


class Config(unittest.TestCase):
    def write(self, place, servers):
        (place.work / ".mcp.json").write_text(json.dumps({"mcpServers": servers}), encoding="utf-8")

    def test_a_file_is_read_when_it_is_named(self):
        servers = {"t": {"command": "python3", "args": ["server.py", "${ERA:-legacy}"], "env": {"TOKEN": "${WORD}"}},
                   "off": {"command": "false", "disabled": True}}
        with Place() as place:
            self.write(place, servers)
            done = place.run([ECHO])
            self.assertIn("there is no tool 't_echo'", done.stderr)
            done = place.run([ECHO], "--mcp-config", ".mcp.json")
            self.assertEqual(done.returncode, 1)
            self.assertIn("the variable 'WORD' is not set", done.stderr)
        with Place() as place:
            self.write(place, servers)
            done = place.run([ECHO], "--mcp-config", ".mcp.json", WORD=KEY)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_secrets_in_the_file_are_refused(self):
        with Place() as place:
            for entry in ({"type": "http", "url": "http://127.0.0.1:9/", "headers": {"Authorization": "Bearer abc"}},
                          {"command": "true", "env": {"API_TOKEN": "abc"}}):
                self.write(place, {"t": entry})
                done = place.run([ECHO], "--mcp-config", ".mcp.json")
                self.assertEqual(done.returncode, 1)
                self.assertRegex(done.stderr, "the file has the value of '(Authorization|API_TOKEN)' of the server 't' in it")

    def test_a_key_does_not_travel_in_clear(self):
        with Place() as place:
            done = place.run([ECHO], "--mcp", "t=http://example.com/mcp", "--mcp-key", "t=WORD", WORD=KEY)
            self.assertIn("a key would be sent to 'example.com' in clear", done.stderr)

    def test_mistakes_on_the_line(self):
        with Place() as place:
            for given, words in (("t", "is not NAME=COMMAND|URL"), ("a.b=true", "cannot be the name of a server"),
                                 ("t='open", "a quote that is not closed")):
                done = place.run([ECHO], "--mcp", given)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(words, done.stderr)


class Trust(unittest.TestCase):
    def test_a_copied_store_cannot_name_commands(self):
        with Place() as place:
            done = place.run([ECHO], "--mcp", stdio("modern"), "--ask-before", "t.echo")
            self.assertEqual(done.returncode, 1, done.stderr)
            theirs = place.home / "theirs.spoor"
            theirs.write_bytes((place.home / ".local/share/spoor/.spoor").read_bytes())
            done = place.spoor("resume", "--approve", "--store", str(theirs))
            self.assertEqual(done.returncode, 1)
            self.assertIn("so it can only be read", done.stderr)


if __name__ == "__main__":
    unittest.main()

"""`spoor enable` and `disable`: files of agents, as they were and as they are again."""
import json
import os
import pathlib
import subprocess
import tempfile
import tomllib
import unittest

PROGRAM = os.environ["SPOOR_PROGRAM"]
COMMAND = f"{PROGRAM} watch --background"
MINE = '{\n    "env": {"A": "b"},\n    "hooks": {\n        "Stop": [{"hooks": []}]\n    }\n}\n'


class Enable(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.home = pathlib.Path(folder.name)
        self.environment = {"HOME": folder.name, "PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}
        self.addCleanup(self.spoor, "watch", "--stop")

    def spoor(self, *words):
        run = subprocess.run([PROGRAM, *words], env=self.environment, cwd=self.home, capture_output=True, text=True,
                             timeout=60, stdin=subprocess.DEVNULL)
        return run.returncode, run.stdout, run.stderr

    def write(self, name, text):
        path = self.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def test_every_file_is_as_it_was(self):
        claude = self.write(".claude/settings.json", MINE)
        claude.chmod(0o640)
        gemini = self.write(".gemini/settings.json", "{}")
        (self.home / ".codex").mkdir()
        (self.home / ".pi/agent").mkdir(parents=True)
        status, out, error = self.spoor("enable", "--yes")
        self.assertEqual(status, 0, error)
        for agent in ("Claude Code", "Codex", "Gemini CLI", "Pi"):
            self.assertIn(f"enabled {agent}\n", out)
        self.assertIn("/hooks", out)  # What Codex asks.
        self.assertIn('+        "SessionStart"', out)
        hooks = json.loads(claude.read_text())["hooks"]
        self.assertEqual(hooks["SessionStart"], [{"hooks": [{"type": "command", "command": COMMAND}]}])
        self.assertEqual(hooks["Stop"], [{"hooks": []}])
        self.assertEqual(claude.stat().st_mode & 0o777, 0o640)
        self.assertIn(COMMAND, (self.home / ".pi/agent/extensions/spoor.ts").read_text())
        self.assertEqual(self.spoor("watch")[0], 1)  # One runs.
        self.assertEqual(self.spoor("enable", "--yes")[1].count("enabled already"), 4)
        status, out, _ = self.spoor("disable")
        self.assertEqual(status, 0)
        self.assertEqual((claude.read_text(), gemini.read_text()), (MINE, "{}"))
        self.assertEqual(claude.stat().st_mode & 0o777, 0o640)
        for name in (".codex/hooks.json", ".pi/agent/extensions/spoor.ts", ".claude.json", ".codex/config.toml",
                     ".claude/skills", ".codex/skills", ".gemini/skills", ".pi/agent/skills"):
            self.assertFalse((self.home / name).exists(), name)
        self.assertIn("nothing is enabled", self.spoor("disable")[2])

    def test_each_agent_is_told_of_the_server_and_has_a_skill(self):
        mine = {".claude.json": '{\n  "numStartups": 7,\n  "mcpServers": {"a": {"command": "b"}}\n}', ".codex/config.toml":
                '# mine\nmodel = "x"', ".cursor/mcp.json": "{}", ".gemini/settings.json": '{"theme": "dark"}\n',
                ".factory/mcp.json": " "}
        for name, text in mine.items():
            self.write(name, text)
        (self.home / ".claude/skills/other").mkdir(parents=True)
        (self.home / ".pi/agent").mkdir(parents=True)
        status, out, error = self.spoor("enable", "--yes")
        self.assertEqual(status, 0, error)
        for name in (".claude.json", ".gemini/settings.json", ".cursor/mcp.json", ".factory/mcp.json"):
            server = json.loads((self.home / name).read_text())["mcpServers"]["spoor"]
            self.assertEqual((server["command"], server["args"]), (PROGRAM, ["mcp"]))
        self.assertEqual(tomllib.loads((self.home / ".codex/config.toml").read_text()),
                         {"model": "x", "mcp_servers": {"spoor": {"command": PROGRAM, "args": ["mcp"]}}})
        self.assertIn("+[mcp_servers.spoor]", out)
        for folder in (".claude", ".codex", ".gemini", ".pi/agent", ".cursor", ".factory"):
            skill = (self.home / folder / "skills/spoor/SKILL.md").read_text()
            self.assertRegex(skill, r"\A---\nname: spoor\ndescription: [^\n]{50,1000}\n---\n\n# ")
        self.assertEqual(self.spoor("enable", "--yes")[1].count("enabled already"), 6)
        # The agent writes its file anew, and a second enable changes nothing of it.
        claude = self.home / ".claude.json"
        claude.write_text(json.dumps(json.loads(claude.read_text()) | {"numStartups": 8}, indent=2))
        self.assertEqual(self.spoor("enable", "--yes")[0], 0)
        self.assertEqual(self.spoor("disable")[0], 0)
        self.assertEqual(json.loads(claude.read_text()), json.loads(mine.pop(".claude.json")) | {"numStartups": 8})
        for name, text in mine.items():
            self.assertEqual((self.home / name).read_text(), text)
        left = [path for path in self.home.rglob("*poor*") if ".local" not in path.parts and ".config" not in path.parts]
        self.assertEqual(left, [])
        self.assertTrue((self.home / ".claude/skills/other").is_dir())

    def test_a_server_of_the_same_name_is_not_replaced(self):
        mine = self.write(".claude.json", '{"mcpServers": {"spoor": {"command": "mine"}}}')
        codex = self.write(".codex/config.toml", 'mcp_servers = { spoor = { command = "mine" } }\n')
        (self.home / ".claude").mkdir()
        status, _, error = self.spoor("enable", "--yes")
        self.assertEqual(status, 1)
        self.assertIn("has 'spoor' already", error)
        self.assertIn("config.toml", error)
        self.assertFalse((self.home / ".claude/settings.json").exists())
        self.assertEqual(json.loads(mine.read_text()), {"mcpServers": {"spoor": {"command": "mine"}}})
        self.assertIn("mine", codex.read_text())

    def test_a_skill_that_was_changed_stays(self):
        (self.home / ".claude").mkdir()
        self.assertEqual(self.spoor("enable", "--yes")[0], 0)
        skill = self.home / ".claude/skills/spoor/SKILL.md"
        skill.write_text(skill.read_text() + "mine\n")
        status, _, error = self.spoor("disable")
        self.assertEqual(status, 1)
        self.assertIn("remove it yourself", error)
        self.assertIn("mine", skill.read_text())

    def test_what_was_changed_since_is_merged_or_named(self):
        claude = self.write(".claude/settings.json", MINE)
        droid = self.write(".factory/settings.json", "{}")
        self.assertEqual(self.spoor("enable", "--yes")[0], 0)
        claude.write_text(claude.read_text().replace('"A": "b"', '"A": "c", "D": "e"'))
        droid.write_text(json.dumps({"theirs": f"run {COMMAND} first"}))
        status, out, error = self.spoor("disable")
        self.assertEqual(status, 1)
        self.assertIn("disabled Claude Code: its file was changed since: only spoor's part was taken out", out)
        self.assertEqual(claude.read_text(), MINE.replace('"A": "b"', '"A": "c", "D": "e"'))
        self.assertIn("still names spoor", error)
        self.assertIn("theirs", droid.read_text())

    def test_a_file_that_the_agent_writes_anew_is_taken_back(self):
        claude = self.write(".claude/settings.json", MINE)
        self.assertEqual(self.spoor("enable", "--yes")[0], 0)
        for indent in (None, 1, 2):
            claude.write_text(json.dumps(json.loads(claude.read_text()) | {"added": indent}, indent=indent))
            self.assertEqual(self.spoor("enable", "--yes")[0], 0)
            self.assertEqual(claude.read_text().count(COMMAND), 2)
        claude.write_text(json.dumps(json.loads(claude.read_text()), indent=2))
        status, out, error = self.spoor("disable")
        self.assertEqual((status, error), (0, ""), out)
        self.assertEqual(json.loads(claude.read_text()), json.loads(MINE) | {"added": 2})

    def test_one_file_that_cannot_be_changed_keeps_no_other(self):
        claude = self.write(".claude/settings.json", "{ // mine\n}")
        gemini = self.write(".gemini/settings.json", " \n")
        status, out, error = self.spoor("enable", "--yes")
        self.assertEqual(status, 1)
        self.assertIn("files with comments are not changed", error)
        self.assertIn("enabled Gemini CLI", out)
        self.assertEqual(self.spoor("disable")[0], 0)
        self.assertEqual((claude.read_text(), gemini.read_text()), ("{ // mine\n}", " \n"))

    def test_a_link_to_a_file_that_is_not_there_stays_one(self):
        link = self.home / ".claude/settings.json"
        link.parent.mkdir()
        link.symlink_to("../settings/claude.json")
        (self.home / "settings").mkdir()
        self.assertEqual(self.spoor("enable", "--yes")[0], 0)
        self.assertTrue(link.is_symlink() and link.exists())
        self.assertEqual(self.spoor("disable")[0], 0)
        self.assertTrue(link.is_symlink() and not link.exists())

    def test_edits_between_two_enables_stay(self):
        claude = self.write(".claude/settings.json", '{\n  "model": "a"\n}\n')
        self.assertEqual(self.spoor("enable", "--yes")[0], 0)
        claude.write_text(claude.read_text().replace('"model": "a"', '"model": "a",\n  "permissions": {}'))
        self.assertEqual(self.spoor("enable", "--yes")[0], 0)
        self.assertEqual(claude.read_text().count(COMMAND), 2)
        self.assertEqual(self.spoor("disable")[0], 0)
        self.assertEqual(json.loads(claude.read_text()), {"model": "a", "permissions": {}})

    def test_another_folder_of_an_agent_is_not_mixed_up(self):
        one = self.write("one/settings.json", '{"model": "one"}')
        two = self.write("two/settings.json", '{"model": "two"}')
        for folder, status in (("one", 0), ("two", 1)):
            self.environment["CLAUDE_CONFIG_DIR"] = str(self.home / folder)
            self.assertEqual(self.spoor("enable", "claude", "--yes")[0], status)
        self.assertEqual(self.spoor("disable")[0], 0)
        self.assertEqual((one.read_text(), two.read_text()), ('{"model": "one"}', '{"model": "two"}'))

    def test_without_a_person_nothing_is_written(self):
        claude = self.write(".claude/settings.json", MINE)
        status, out, error = self.spoor("enable")
        self.assertEqual(status, 1)
        self.assertIn('+        "SessionStart"', out)
        self.assertIn("--yes", error)
        self.assertEqual(claude.read_text(), MINE)

    def test_a_file_that_cannot_be_read_is_named(self):
        claude = self.write(".claude/settings.json", "{ // mine\n}")
        status, _, error = self.spoor("enable", "--yes")
        self.assertEqual(status, 1)
        self.assertIn("settings.json", error)
        self.assertEqual(claude.read_text(), "{ // mine\n}")
        self.assertEqual(self.spoor("enable", "opencode")[0], 2)


if __name__ == "__main__":
    unittest.main()

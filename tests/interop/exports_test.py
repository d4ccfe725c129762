#!/usr/bin/env python3
"""The exports for training, viewers and evaluation, read by the programs of the formats' owners: OpenAI's types, `datasets` and
the chat templates of TRL, Harbor's validator, Inspect. What they read is compared with the session's own file, read here, and
with the prompt after an import of the export.

Run it with a Python of at least 3.12 that has the packages of exports-requirements.txt, and SPOOR_PROGRAM. A case whose package
is missing is skipped, and says so. `--real` is for the sessions next to the checkout (../shared/data)."""
import collections
import contextlib
import hashlib
import importlib.util
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
REAL = ROOT.parent / "shared/data"
PROGRAM = os.environ["SPOOR_PROGRAM"]
SAMPLE = ROOT / "examples/data/sample-session.jsonl"
HOSTILE = "\x1b[31mred \u202e \x9b2J </script> \u0000 \"quoted\" \ud83d\ude00".encode("utf-16", "surrogatepass").decode("utf-16")
TOKEN = "ghp_" + "aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY1zAb"
TEMPLATES = ("qwen3_training", "glm4moe", "qwen2_5_training", "gemma4")


def needs(*packages):
    missing = [name for name in packages if not importlib.util.find_spec(name)]
    return unittest.skipIf(missing, f"no {', '.join(missing)}")


class Store:
    """A store in a home folder of its own."""

    def __init__(self, home):
        self.home = pathlib.Path(home)
        self.environment = {"HOME": str(home), "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "SPOOR_AUTHOR": "ada",
                            "SPOOR_NOW": "2026-11-21T20:00:00Z"}

    def run(self, *words, status=0, text=None):
        done = subprocess.run([PROGRAM, *words], cwd=self.home, env=self.environment, input=text or "", capture_output=True,
                              check=False, encoding="utf-8")
        if done.returncode not in (status if isinstance(status, tuple) else (status,)):
            raise AssertionError(f"{words}: exit {done.returncode}: {done.stderr[-500:]}")
        self.said = done.stderr
        return done.stdout

    def lines(self, *words):
        return [json.loads(line) for line in self.run(*words).splitlines()]

    def left_out(self):
        return json.loads(self.said.splitlines()[-1])["left_out"]

    def prompt(self, revision):
        return json.loads(self.run("export", revision, "--openai"))["messages"]


def of_source(path):
    """Texts, calls and results of a Claude Code session, read from its file."""
    texts, calls, results = set(), {}, {}
    for line in path.read_text(encoding="utf-8").splitlines():
        message = json.loads(line).get("message")
        if not isinstance(message, dict):
            continue
        content = message["content"]
        if isinstance(content, str):
            texts.add(content)
            continue
        for block in content:
            if block["type"] == "text":
                texts.add(block["text"])
            elif block["type"] == "tool_use":
                calls[block["id"]] = (block["name"], block["input"])
            elif block["type"] == "tool_result":
                inner = block["content"]
                results[block["tool_use_id"]] = inner if isinstance(inner, str) else "".join(part["text"] for part in inner)
    return texts, calls, results


class Case(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.store = self.new_store("first")

    def new_store(self, name):
        (self.folder / name).mkdir()
        return Store(self.folder / name)

    def import_sample(self):
        self.store.run("import", str(SAMPLE))
        return sorted({line for line in self.store.run("branch").split() if line.startswith("claude-code/")})

    def make_hostile(self):
        """A history of one's own: hidden characters, arguments that are not an object, a picture's place, a secret."""
        turns = [{"op": "system", "text": "Be brief."},
                 {"op": "user", "text": HOSTILE},
                 {"op": "reasoning", "text": f"The token {TOKEN} is a secret."},
                 {"op": "assistant", "text": "", "tool_calls": [
                     {"id": "c1", "name": "patch", "arguments": f"*** Begin {HOSTILE}"},
                     {"id": "c2", "name": "look", "arguments": json.dumps({"z": 1, "a": [1.50, {"token": TOKEN}]})}]},
                 {"op": "tool", "text": HOSTILE, "call_id": "c1", "name": "patch"},
                 {"op": "tool", "text": "", "call_id": "c2", "name": "look"},
                 {"op": "assistant", "text": HOSTILE},
                 {"op": "user", "text": "And now?"}]
        self.store.run("init")
        for line in self.store.run("batch", text="".join(json.dumps(turn) + "\n" for turn in turns)).splitlines():
            self.assertNotIn("error", json.loads(line), line)

    def make_tree(self):
        """A run, and a tree of four attempts from it, two of which pass."""
        (self.store.home / "examples").symlink_to(ROOT / "examples")
        shutil.copytree(ROOT / "examples/data/slug", self.store.home / "slug")
        model = "scripted/examples/data/agent-replies.jsonl"
        self.store.run("run", "make ./check.sh pass", "--model", model, "--root", "slug", "--tools",
                       "read_file,edit_file,run_command")
        self.store.run("fork", "HEAD~12", "--n", "2", "--model", model, "--model", "scripted/examples/data/rash-replies.jsonl",
                       "--test", 'grep -q "check passes"')

    def write(self, name, rows):
        path = self.folder / name
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        return str(path)


def rendered(messages, tools, template):
    """Text of a conversation by a chat template that TRL ships, as transformers renders it."""
    import transformers.utils.chat_template_utils as utils
    folder = pathlib.Path(importlib.util.find_spec("trl").origin).parent / "chat_templates"
    text = (folder / f"{template}.jinja").read_text(encoding="utf-8")
    return utils.render_jinja_template([messages], tools=tools, chat_template=text, bos_token="", eos_token="")[0][0]


class Training(Case):
    def test_the_sample_is_what_its_file_says(self):
        texts, calls, results = of_source(SAMPLE)
        seen_calls, seen_results = set(), set()
        branches = self.import_sample()
        self.assertEqual(len(branches), 2)
        for form in ("openai", "trl"):
            for line in self.store.lines("export", "--sft", "--to", form, *branches):
                self.assertEqual(line["messages"][-1]["role"], "assistant")
                for message in line["messages"]:
                    self.assertNotIn("reasoning_content", message)
                    if message["role"] == "tool":
                        self.assertEqual(message["content"], results[message["tool_call_id"]])
                        seen_results.add(message["tool_call_id"])
                        continue
                    self.assertTrue(not message["content"] or message["content"] in texts or
                                    any(text and text in message["content"] for text in texts), message["content"][:80])
                    for call in message.get("tool_calls", []):
                        arguments = call["function"]["arguments"]
                        self.assertIsInstance(arguments, str if form == "openai" else dict)
                        arguments = json.loads(arguments) if form == "openai" else arguments
                        self.assertEqual((call["function"]["name"], arguments), calls[call["id"]])
                        self.assertEqual(list(arguments), list(calls[call["id"]][1]), "the order of members")
                        seen_calls.add(call["id"])
        self.assertEqual(seen_calls, set(calls))
        self.assertEqual(seen_results, set(results))

    def test_thoughts_only_where_asked(self):
        self.import_sample()
        thoughts = [block["thinking"] for line in SAMPLE.read_text(encoding="utf-8").splitlines()
                    for block in (json.loads(line).get("message") or {}).get("content", [])
                    if isinstance(block, dict) and block.get("type") == "thinking" and block["thinking"]]
        [line] = self.store.lines("export", "1", "--sft", "--include-reasoning", "--json")
        shown = [message["reasoning_content"] for message in line["messages"] if "reasoning_content" in message]
        self.assertTrue(shown)
        self.assertLessEqual(set(shown), set(thoughts))
        self.store.run("export", "1", "--sft", "--json")
        self.assertEqual(self.store.left_out()["thoughts (--include-reasoning adds them)"], len(shown))

    def test_results_without_a_call_are_counted(self):
        (self.folder / "chat.jsonl").write_text(json.dumps({"messages": [
            {"role": "user", "content": "and?"}, {"role": "tool", "tool_call_id": "c1", "content": "42"},
            {"role": "assistant", "content": "it is 42"}]}) + "\n")
        self.store.run("import", str(self.folder / "chat.jsonl"))
        for words in (("--sft",), ("--sft", "--to", "trl"), ("--atif", "-")):
            self.store.run("export", "1", *words, "--json")
            self.assertEqual(self.store.left_out(), {"results whose call is not in the prompt": 1})

    @needs("openai", "pydantic")
    def test_openai_takes_every_line(self):
        import pydantic
        from openai.types.chat import ChatCompletionMessageParam, ChatCompletionToolParam
        self.make_tree()
        self.store.run("import", str(SAMPLE))
        messages = pydantic.TypeAdapter(list[ChatCompletionMessageParam])
        tools = pydantic.TypeAdapter(list[ChatCompletionToolParam])
        lines = self.store.lines("export", "--sft")
        self.assertEqual(len(lines), 2)
        self.assertTrue(any("tools" in line for line in lines))
        for line in lines:
            self.assertLessEqual(set(line), {"messages", "tools"})
            read = messages.validate_python(line["messages"])
            self.assertEqual([message["role"] for message in read], [message["role"] for message in line["messages"]])
            tools.validate_python(line.get("tools", []))

    @needs("datasets", "trl", "transformers", "jinja2")
    def test_trl_loads_and_renders_sft(self):
        import datasets
        from trl.data_utils import is_conversational
        self.make_tree()
        self.store.run("import", str(SAMPLE))
        rows = self.store.lines("export", "--sft", "--to", "trl", "--include-reasoning", "--licence", "CC-BY-4.0")
        path = self.write("train.jsonl", rows)
        loaded = datasets.load_dataset("json", data_files=path, split="train", cache_dir=str(self.folder / "cache"))
        self.assertEqual(len(loaded), 2)
        for row, line in zip(loaded, rows, strict=True):
            self.assertTrue(is_conversational(row))
            self.assertEqual(row["license"], "CC-BY-4.0")
            self.assertEqual(len(row["messages"]), len(line["messages"]))
            for template in TEMPLATES:
                text = rendered(line["messages"], line.get("tools"), template)
                for message in line["messages"]:
                    self.assertIn(message["content"].strip(), text, template)
                    for call in message.get("tool_calls", []):
                        self.assertIn(call["function"]["name"], text, template)

    @needs("datasets", "trl", "transformers", "jinja2")
    def test_trl_loads_pairs(self):
        import datasets
        from trl.data_utils import is_conversational
        self.make_tree()
        rows = self.store.lines("export", "--dpo", "--to", "trl")
        verdicts = {}
        for variant in json.loads(self.store.run("compare", "--tree", "latest", "--json"))["variants"]:
            verdicts.update({each["end"]: each["verdict"] for each in variant["rows"]})
        self.assertEqual(len(rows), 2)
        self.assertEqual(len({row[side] for row in rows for side in ("chosen_attempt", "rejected_attempt")}), 4)
        for row in rows:
            self.assertEqual(verdicts[row["chosen_attempt"]], "pass")
            self.assertEqual(verdicts[row["rejected_attempt"]], "fail")
            for side in ("chosen", "rejected"):
                [note] = row[f"{side}_judgements"]
                judged = json.loads(self.store.run("show", "--json", note))
                self.assertIn(row[f"{side}_attempt"], judged["about"])
                whole = self.store.prompt(row[f"{side}_attempt"])
                self.assertEqual([each["content"] for each in row["prompt"] + row[side]], [each["content"] for each in whole])
            self.assertNotEqual(row["chosen"], row["rejected"])
            for template in TEMPLATES:
                prompt = rendered(row["prompt"], row["tools"], template)
                for side in ("chosen", "rejected"):
                    text = rendered(row["prompt"] + row[side], row["tools"], template)
                    self.assertGreater(len(text), len(prompt))
        path = self.write("pairs.jsonl", rows)
        loaded = datasets.load_dataset("json", data_files=path, split="train", cache_dir=str(self.folder / "cache"))
        self.assertTrue(all(is_conversational(row) for row in loaded))
        self.assertEqual(rows, self.store.lines("export", "--dpo", "--to", "trl"), "the same pairs again")

    def test_hostile_text_and_secrets(self):
        self.make_hostile()
        for form in (["--sft"], ["--sft", "--to", "trl"], ["--sts"], ["--atif", "-"], ["--inspect", "-"]):
            out = self.store.run("export", "main", *form, "--include-reasoning", "--json")
            self.assertIn(TOKEN, out)
            for hidden in "\x1b\u202e\x9b\x00":
                self.assertNotIn(hidden, out, form)
            everything = json.dumps([json.loads(line) for line in out.splitlines()])
            self.assertIn(json.dumps(HOSTILE)[1:-1], everything, form)
            redacted = self.store.run("export", "main", *form, "--include-reasoning", "--redact", "--json")
            self.assertNotIn(TOKEN, redacted, form)
            reasons = self.store.left_out()
            self.assertEqual(sum(count for reason, count in reasons.items() if "secret" in reason), 2, form)
        [line] = self.store.lines("export", "main", "--sft", "--to", "trl", "--json")
        first, second = line["messages"][2]["tool_calls"]
        self.assertEqual(first["function"]["arguments"], {"input": f"*** Begin {HOSTILE}"})
        self.assertEqual(list(second["function"]["arguments"]), ["z", "a"])
        reasons = self.store.left_out()
        self.assertEqual(reasons["messages after the last answer"], 1)
        self.assertEqual(reasons["arguments that are not an object, put into 'input'"], 1)


class Traces(Case):
    @needs("datasets")
    def test_datasets_reads_a_trace(self):
        from datasets.packaged_modules.json.json import parse_traces_info
        self.import_sample()
        lines = self.store.run("export", "1", "--sts", "--include-reasoning").splitlines()
        head = json.loads(lines[0])
        self.assertEqual(head["type"], "session")
        self.assertEqual(head["harness"], "spoor")
        _, session, prompt, _, users, _ = parse_traces_info(lines)
        prompts = [message["content"] for message in self.store.prompt("1") if message["role"] == "user"]
        self.assertEqual((session, prompt, users), (head["id"], prompts[0], len(prompts)))

    def test_the_members_are_those_of_the_page(self):
        self.import_sample()
        lines = self.store.lines("export", "1", "--sts", "--include-reasoning")
        _, calls, results = of_source(SAMPLE)
        known = {"role", "content", "reasoningContent", "toolCalls", "toolCallId", "timestamp", "model"}
        open_calls = set()
        for line in lines[1:]:
            self.assertEqual(set(line), {"type", "message"})
            message = line["message"]
            self.assertLessEqual(set(message), known)
            self.assertIn(message["role"], {"user", "assistant", "system", "tool"})
            self.assertGreater(message["timestamp"], 1_700_000_000_000)
            for call in message.get("toolCalls", []):
                self.assertEqual((call["function"]["name"], json.loads(call["function"]["arguments"])), calls[call["id"]])
                open_calls.add(call["id"])
            if message["role"] == "tool":
                self.assertEqual(message["content"], results[message["toolCallId"]])
                open_calls.remove(message["toolCallId"])
        self.assertFalse(open_calls)


def atif_errors(path):
    from harbor.utils.trajectory_validator import TrajectoryValidator
    validator = TrajectoryValidator()
    return [] if validator.validate(path) else validator.errors


@needs("harbor", "pydantic")
class Atif(Case):
    def test_a_round_trip(self):
        from harbor.models.trajectories import Trajectory
        self.import_sample()
        path = self.folder / "trajectory.json"
        self.store.run("export", "1", "--atif", str(path), "--include-reasoning")
        self.assertEqual(atif_errors(path), [])
        read = Trajectory(**json.loads(path.read_text(encoding="utf-8")))
        self.assertEqual(read.schema_version, Trajectory.model_fields["schema_version"].default, "the newest version")
        usage = {}
        for line in SAMPLE.read_text(encoding="utf-8").splitlines():
            message = json.loads(line).get("message") or {}
            if message.get("usage"):
                usage[message["id"]] = message["usage"]
        stated = {(each["input_tokens"] + each["cache_read_input_tokens"] + each["cache_creation_input_tokens"],
                   each["output_tokens"]) for each in usage.values()}
        metrics = [step.metrics for step in read.steps if step.metrics]
        self.assertTrue(metrics)
        for each in metrics:
            self.assertIn((each.prompt_tokens, each.completion_tokens), stated)
        self.assertTrue(any(step.reasoning_content for step in read.steps))
        again = self.new_store("second")
        again.run("import", str(path))
        self.assertEqual(again.prompt("1"), self.store.prompt("1"))

    def test_a_tree_and_hostile_text(self):
        self.make_tree()
        path = self.folder / "run.json"
        self.store.run("export", "HEAD", "--atif", str(path))
        self.assertEqual(atif_errors(path), [])
        self.assertTrue(json.loads(path.read_text(encoding="utf-8"))["agent"]["tool_definitions"])
        self.store = self.new_store("other")
        self.make_hostile()
        self.store.run("export", "main", "--atif", str(path))
        self.assertEqual(atif_errors(path), [])

    def test_sub_agents(self):
        self.store.run("import", str(ROOT / "tests/data/claude/sidechain.jsonl"))
        path = self.folder / "agents.json"
        self.store.run("export", "1", "--atif", str(path))
        self.assertEqual(atif_errors(path), [])
        document = json.loads(path.read_text(encoding="utf-8"))
        [agent] = document["subagent_trajectories"]
        self.assertEqual(agent["steps"][0]["message"], "Count the buoys in data/buoys.csv")
        references = [(result["source_call_id"], reference["trajectory_id"]) for step in document["steps"]
                      for result in step.get("observation", {}).get("results", [])
                      for reference in result.get("subagent_trajectory_ref", [])]
        self.assertEqual(references, [("toolu_06T", agent["trajectory_id"])])


@needs("inspect_ai")
class Inspect(Case):
    def test_a_round_trip(self):
        from inspect_ai.log import read_eval_log, write_eval_log
        self.import_sample()
        path = self.folder / "log.json"
        self.store.run("export", "1", "--inspect", str(path), "--include-reasoning")
        log = read_eval_log(str(path))
        self.assertEqual((log.status, len(log.samples)), ("success", 1))
        [sample] = log.samples
        self.assertEqual([message.text for message in sample.messages],
                         [message["content"] for message in self.store.prompt("1")])
        total = sum(event.output.usage.output_tokens for event in sample.events)
        self.assertEqual(sum(usage.output_tokens for usage in sample.model_usage.values()), total)
        self.assertGreater(total, 0)
        packed = self.folder / "log.eval"
        write_eval_log(log, str(packed))
        for number, source in enumerate((path, packed)):
            again = self.new_store(f"again-{number}")
            again.run("import", str(source))
            self.assertEqual(again.prompt("1"), self.store.prompt("1"))

    def test_scores_of_a_tree(self):
        from inspect_ai.log import read_eval_log
        self.make_tree()
        path = self.folder / "tree.json"
        self.store.run("export", "--tree", "latest", "--inspect", str(path))
        log = read_eval_log(str(path))
        self.assertEqual([(sample.epoch, sample.scores["test"].value) for sample in log.samples],
                         [(1, "C"), (2, "I"), (3, "C"), (4, "I")])
        self.assertEqual(len({sample.id for sample in log.samples}), 1)
        self.assertEqual(log.results.scores[0].metrics["accuracy"].value, 0.5)
        self.assertIn("exit status", log.samples[0].scores["test"].explanation)

    def test_hostile_text(self):
        from inspect_ai.log import read_eval_log
        self.make_hostile()
        path = self.folder / "hostile.json"
        self.store.run("export", "main", "--inspect", str(path))
        [sample] = read_eval_log(str(path)).samples
        self.assertEqual(sample.messages[1].text, HOSTILE)


@needs("pyarrow")
@unittest.skipUnless("SPOOR_LIBRARY" in os.environ, "no SPOOR_LIBRARY")
class Tables(Case):
    def test_the_example_of_the_page_writes_parquet(self):
        import pyarrow.parquet
        sys.path.insert(0, str(ROOT / "bindings/python"))
        import spoor
        file = str(self.folder / "tables.spoor")
        self.store.run("--store", file, "init")
        self.store.run("--store", file, "import", str(SAMPLE))
        [example] = re.findall(r"^```python\n(.*?)^```$", (ROOT / "docs/exports.md").read_text(encoding="utf-8"), re.M | re.S)
        with spoor.open(file) as store, contextlib.chdir(self.folder):
            exec(compile(example, "docs/exports.md", "exec"), {"store": store})
            for name in ("sessions", "calls", "costs"):
                read = pyarrow.parquet.read_table(f"{name}.parquet")
                self.assertTrue(read.equals(getattr(store, name)()), name)
                self.assertGreater(read.num_rows, 0)


class Source(Case):
    def sums(self, folder):
        return {hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}

    def test_the_file_comes_back(self):
        files = self.folder / "files"
        self.store.run("import", str(SAMPLE))
        self.store.run("export", "1", "--source", str(files), status=1)
        self.assertIn("is not in the store", self.store.said)
        self.assertFalse(files.exists())
        self.store.run("import", "--keep-source", str(SAMPLE))
        printed = self.store.run("export", "1", "--source", str(files))
        self.assertEqual(self.sums(files), {hashlib.sha256(SAMPLE.read_bytes()).hexdigest()})
        self.assertIn(printed.split()[0], self.sums(files))
        [path] = files.iterdir()
        path.write_text("mine")
        self.store.run("export", "1", "--source", str(files), status=1)
        self.assertEqual(path.read_text(), "mine", "an existing file stays")

    def test_ids_of_which_the_same_name_is_made(self):
        sample, sums = SAMPLE.read_text(), set()
        for ident in ("a/b", "a b", "a_b"):
            path = self.folder / f"{len(sums)}.jsonl"
            path.write_text(sample.replace("5b0e6c1a-7d42-4f3e-9a68-2c91d4e07f35", ident)
                            .replace("Order 1042", f"Order {len(sums)}"))
            sums.add(hashlib.sha256(path.read_bytes()).hexdigest())
            self.store.run("import", "--keep-source", str(path))
        for _ in range(2):
            self.store.run("export", "--source", str(self.folder / "files"))
            self.assertEqual(self.sums(self.folder / "files"), sums)

    def test_a_full_disk_leaves_no_part_of_a_file(self):
        files, limit = self.folder / "files", 40_960  # Less than the sample has.
        self.store.run("import", "--keep-source", str(SAMPLE))
        full = subprocess.run([PROGRAM, "export", "1", "--source", str(files)], cwd=self.folder, env=self.store.environment,
                              capture_output=True, check=False,
                              preexec_fn=lambda: (signal.signal(signal.SIGXFSZ, signal.SIG_IGN),
                                                  resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))))
        self.assertNotEqual(full.returncode, 0, full.stdout)
        self.assertEqual(list(files.iterdir()), [], full.stderr)
        self.store.run("export", "1", "--source", str(files))

    @unittest.skipUnless(REAL.is_dir(), "no sessions of others")
    def test_real_files_come_back(self):
        for name, pattern in (("claude-code-entirecontext", "*.jsonl"), ("codex-hk", "*.jsonl"), ("pi-mono", "*.jsonl")):
            for number, path in enumerate(sorted((REAL / name).rglob(pattern))[:3]):
                store, files = self.new_store(f"{name}-{number}"), self.folder / f"files-{name}-{number}"
                store.run("import", "--keep-source", str(path), status=(0, 1))
                if not json.loads(store.run("sessions", "--json"))["sessions"]:
                    continue
                store.run("export", "--source", str(files))
                self.assertEqual(self.sums(files), {hashlib.sha256(path.read_bytes()).hexdigest()}, name)


@unittest.skipIf("--real" not in sys.argv or not REAL.is_dir(), "no --real, or no sessions")
class Real(Case):
    def test_every_session(self):
        """Sessions of others, at most SPOOR_EACH of each agent: the owners' readers, and the same prompts after an import."""
        from inspect_ai.log import read_eval_log
        self.store.run("import", str(REAL), status=(0, 1))  # Some of the files are no sessions.
        counts = {"sessions": 0, "same after ATIF": 0, "same after Inspect": 0}
        other, seen = set(), collections.Counter()
        for row in json.loads(self.store.run("sessions", "--json"))["sessions"]:
            name, path = str(row["number"]), self.folder / "one.json"
            prompt = self.store.prompt(name)
            seen[row["agent"]] += 1
            if not prompt or seen[row["agent"]] > int(os.environ.get("SPOOR_EACH", "1000")):
                continue
            counts["sessions"] += 1
            self.store.run("export", name, "--atif", str(path))
            self.assertEqual(atif_errors(path), [], row["session"])
            is_same = self.is_same(path, prompt)
            counts["same after ATIF"] += is_same
            other |= set() if is_same else {f"ATIF of {row['agent']}"}
            self.store.run("export", name, "--inspect", str(path))
            read_eval_log(str(path))
            is_same = self.is_same(path, prompt)
            counts["same after Inspect"] += is_same
            other |= set() if is_same else {f"Inspect of {row['agent']}"}
        print(counts, "not the same:", *sorted(other))

    def is_same(self, path, prompt):
        home = self.folder / "again"
        shutil.rmtree(home, ignore_errors=True)
        again = self.new_store("again")
        try:
            again.run("import", str(path))
            return again.prompt("1") == prompt
        except AssertionError:
            return False


if __name__ == "__main__":
    unittest.main(argv=[word for word in sys.argv if word != "--real"], verbosity=2)

#!/usr/bin/env python3
"""What a notebook shows of values: hostile text stays text, and all of it is bounded. Needs SPOOR_LIBRARY;
a notebook is executed where nbclient and ipykernel are installed."""
import html.parser
import pathlib
import re
import tempfile
import unittest

import spoor
from examples import run
from spoor import _html

HOSTILE = [
    "<script>alert(1)</script>", "</pre><script>alert(1)</script><pre>", "<img src=x onerror=alert(1)>",
    '"><svg onload=alert(1)>', "' onmouseover='alert(1)", "<a href=\"javascript:alert(1)\">x</a>",
    "javascript:alert(1)", "[x](javascript:alert(1))", "<iframe srcdoc='<script>1</script>'></iframe>",
    "<style>@import 'http://example.com/x.css'</style>", "</div></details></summary></code>",
    "<!-- --><!--", "<![CDATA[", "<?php ?>", "&lt;script&gt;&#60;script&#62;", "\x1b]8;;http://x\x07y\x1b]8;;\x07",
    "\x1b[31mred\x1b[0m", "\x9b31m", "a\u202eb\u2066c", "tag\U000e0041\u200b", "\udcff", "nul\0",
    "$$\\href{javascript:alert(1)}{x}$$", "<math><mtext></mtext></math>", "<template><p></template>",
    "\r\n\r\nSet-Cookie: x", "<base href=//example.com>", "<plaintext>", "<textarea>", "style=\"x\"",
    "<h1 style='position:fixed;inset:0'>", "\u00a0\u3164\ufeff",
]
ELEMENTS = {
    "div": {"class", "style"}, "b": set(), "span": {"style"}, "code": {"style"}, "pre": {"style"},
    "details": set(), "summary": {"style"},
    "svg": {"width", "height", "fill", "stroke-width", "style"}, "polyline": {"points", "stroke"},
    "circle": {"cx", "cy", "r", "fill"},
}
HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2066-\u2069\ud800-\udfff\U000e0000-\U000e0fff]")


class Reader(html.parser.HTMLParser):
    """Reads a document. What is not allowed is in `bad`."""

    def __init__(self, document):
        super().__init__(convert_charrefs=True)
        self.bad, self.open, self.texts, self.counts = [], [], [], {}
        self.loose = []  # Text outside of <pre> and <code>.
        self.feed(document)
        self.close()
        if self.open:
            self.bad.append(f"not closed: {self.open}")

    def handle_starttag(self, tag, attributes):
        self.open.append(tag)
        self.counts[tag] = self.counts.get(tag, 0) + 1
        allowed = ELEMENTS.get(tag)
        if allowed is None:
            self.bad.append(tag)
        for name, value in attributes:
            if name not in (allowed or ()):
                self.bad.append(f"{tag} {name}")
            if not re.fullmatch(r"[a-z0-9_#%().,:; -]+", value or ""):
                self.bad.append(f"{tag} {name}={value}")
            if "url" in value or "position" in value:
                self.bad.append(f"{tag} {name}={value}")

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.bad.append(f"/{tag}")

    def handle_data(self, data):
        self.texts.append(data)
        if not {"pre", "code"} & set(self.open):
            self.loose.append(data)

    def other(self, data):
        self.bad.append(data)

    handle_comment = handle_decl = handle_pi = unknown_decl = other


class NotebookTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name) / "talk.spoor"
        self.store = spoor.open(self.path, create=True, relaxed=True)
        self.addCleanup(self.store.close)

    def read(self, value):
        document = value._repr_html_()
        document.encode()
        reader = Reader(document)
        self.assertEqual(reader.bad, [])
        self.assertIsNone(HIDDEN.search(document))
        return reader, "".join(reader.texts)

    def test_hostile_text_stays_text_in_values(self):
        for text in [*HOSTILE, "\ud800"]:
            call = spoor.ToolCall(text, text, text)
            message = spoor.Message(text, text, (call,), text, text, name=text)
            thought = spoor.Message("assistant", text * 2, (), "", "c" * 64,
                                    (spoor.Part("reasoning", text), spoor.Part(text, text)))
            prompt = spoor.Prompt(text, text, 7, (message, thought), ({"hash": None, "why": text},))
            changes = (spoor.Change("added", None, message, 1), spoor.Change("removed", thought, None, 1),
                       spoor.Change("changed", message, thought, 1))
            diff = spoor.Diff(text, text, changes, 0, 0, {text: [text, {text: text}]})
            commit = spoor.Commit(text, ("p",), text, text, text, None, (text, text))
            for value in (message, prompt, diff, spoor.History((commit,) * 2)):
                reader, shown = self.read(value)
                visible = _html._HIDDEN.sub(_html._visible, text).replace("\n", " ")[:7]
                self.assertIn(visible, shown.replace("\n", " "))
                # No stored text is where MathJax would look for formulas.
                self.assertNotIn("$", "".join(reader.loose))

    def test_hostile_text_of_a_store_stays_text(self):
        call = spoor.ToolCall("c1", "<b>look</b>", '{"at": "<script>"}')
        with self.store.branch("main") as b:
            start = b.user("hi")
            for text in HOSTILE:
                b.user(text)
                b.reasoning(text)
                b.assistant(text, [call])
                b.tool(text, call, is_error=True)
        prompt = self.store.compile("main", include_reasoning=True)
        reader, shown = self.read(prompt)
        self.assertIn("<script>alert(1)</script>", shown)
        self.assertIn("calls <b>look</b>", shown)
        self.assertIn("failed", shown)
        self.assertGreater(reader.counts["details"], 1)
        self.read(self.store.diff(start.id, "main", include_reasoning=True))
        self.read(self.store.history())

    def test_thinking_is_folded_and_apart_from_the_answer(self):
        with self.store.branch("main") as b:
            b.user("6 x 7?")
            b.reasoning("a product")
            b.assistant("42")
        prompt = self.store.compile("main", include_reasoning=True)
        document = prompt._repr_html_()
        folded = re.findall(r"<details>.*?</details>", document, re.S)
        self.assertEqual(len(folded), 1)
        self.assertIn("a product", folded[0])
        self.assertNotIn("42", folded[0])
        self.assertEqual(document.count("a product"), 1)
        self.assertEqual([part for message in prompt.messages for part in message.parts][0],
                         spoor.Part("reasoning", "a product"))
        self.assertNotIn("<details", self.store.compile("main")._repr_html_())

    def test_a_huge_text_is_cut_with_a_note(self):
        with self.store.branch("main") as b:
            first = b.user("start")
            b.user("<&\x1b" * 1_000_000)
        document = self.store.compile("main")._repr_html_()
        self.assertLess(len(document), 40_000)
        self.assertIn("2,996,000 more characters", document)
        self.assertLess(len(self.store.diff(first.id, "main")._repr_html_()), 40_000)

    def test_a_long_list_is_cut_with_a_note(self):
        with self.store.branch("main") as b:
            for number in range(1000):
                b.user(f"turn {number}.")
        _, shown = self.read(self.store.compile("main"))
        self.assertIn("turn 0.", shown)
        self.assertIn("turn 999.", shown)
        self.assertNotIn("turn 500.", shown)
        self.assertIn("900 messages are not shown here", shown)

    def test_a_diff_shows_the_lines_that_differ(self):
        lines = [f"line {number}" for number in range(500)]
        old = self.store.branch("main").user("\n".join(lines)).id
        lines[450] = "another"
        self.store.call("edit", target=old, text="\n".join(lines), branch="main")
        diff = self.store.diff(old, "main")
        self.assertEqual([change.change for change in diff.changes], ["changed"])
        _, shown = self.read(diff)
        self.assertIn("- line 450", shown)
        self.assertIn("+ another", shown)
        self.assertIn("  line 449", shown)
        self.assertNotIn("line 400", shown)
        _, shown = self.read(self.store.diff("main", "main"))
        self.assertIn("0 added, 0 removed, 0 changed, 1 unchanged", shown)

    def test_a_history_draws_each_parent(self):
        main = self.store.branch("main")
        base = main.user("base").id
        main.user("ours")
        self.store.call("branch", name="topic", to=base)
        self.store.branch("topic").user("theirs")
        self.store.call("merge", source="topic", branch="main")
        history = self.store.history()
        reader, shown = self.read(history)
        parents = sum(len(commit.parents) for commit in history.commits)
        self.assertEqual(reader.counts["circle"], len(history.commits))
        self.assertEqual(reader.counts["polyline"], parents)
        self.assertTrue(any(len(commit.parents) == 2 for commit in history.commits))
        self.assertIn("theirs", shown)
        self.assertIsNotNone(history.commits[0].time.tzinfo)
        # A line leads to each commit from its child, at the place where its dot is.
        document = history._repr_html_()
        dots = re.findall(r'<circle cx="(\d+)" cy="(\d+)"', document)
        self.assertEqual(len(set(dots)), len(dots))
        rows = {commit.id: dot for commit, dot in zip(history.commits, dots)}
        drawn = {(ends[0], ends[-1]) for points in re.findall('points="([^"]+)"', document)
                 for ends in [[tuple(point.split(",")) for point in points.split(" ")]]}
        self.assertEqual(drawn, {(rows[commit.id], rows[parent]) for commit in history.commits
                                 for parent in commit.parents})
        self.assertEqual(len(self.store.history("topic", limit=1).commits), 1)
        self.read(self.store.history(limit=1))

    def test_the_examples_of_the_page_run(self):
        self.store.branch("main").user("hi")
        self.store.branch("main").assistant("hello")
        scope = run("Notebooks", {"spoor": spoor, "store": self.store})
        self.assertEqual(scope["prompt"].messages[0].text, "hi")
        self.assertEqual([change.after.text for change in scope["changed"].changes], ["hello"])
        self.assertEqual(len(scope["history"].commits), 2)

    def test_a_notebook_has_html(self):
        try:
            import nbclient
            import nbformat
            import ipykernel  # noqa: F401
        except ImportError as error:
            self.skipTest(str(error))
        with self.store.branch("main") as b:
            b.user("<script>alert(1)</script>")
            b.assistant("hello")
        cells = [f"import spoor\nstore = spoor.open({str(self.path)!r})\nstore.compile('main')",
                 "store.diff('main~1', 'main')", "store.history()"]
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
        nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
        for cell in notebook.cells:
            [output] = cell.outputs
            self.assertEqual(output.output_type, "execute_result")
            self.assertEqual(Reader(output.data["text/html"]).bad, [])
            self.assertIn("text/plain", output.data)
        print(f"\nnotebooks: nbclient {nbclient.__version__} shows 3 of 3 values as HTML")


if __name__ == "__main__":
    unittest.main()

"""Checks the pictures of README.md: `ctest -R docs/picture`; `./dev pictures` makes them anew.

docs/log.svg is what `spoor sessions` and `spoor log` print in colour for the sample session, docs/pictures/tui.svg the screen
of `spoor tui`: both must be the same, byte for byte. The pictures of the page depend on the fonts of the machine: here they
must be made (if there is a Chromium), and be of the same size as those in docs/pictures.
With SPOOR_UPDATE_TRANSCRIPTS=1 all are written anew.
"""

import html
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "repl"))
from screen import Screen  # noqa: E402
from typist import Home, Typist  # noqa: E402

LOG = ROOT / "docs" / "log.svg"
FOLDER = ROOT / "docs" / "pictures"
TUI = FOLDER / "tui.svg"
SAMPLE = ROOT / "examples" / "data" / "sample-session.jsonl"
MOST_BYTES = 400_000  # Of all pictures of the README together.
COMMANDS = [["sessions"], ["log", "1", "-n", "1"]]
CELL_WIDTH, LINE_HEIGHT = 7.85, 18
FOREGROUND, BACKGROUND, SELECTED = "#d4d4d4", "#1e1e1e", "#3d4f60"
COLOURS = ["#808080", "#f48771", "#8cc265", "#d5b06b", "#61afef", "#c678dd", "#56b6c2", "#d4d4d4"]
BRIGHT = ["#8a8a8a", "#ff8f80", "#a5e075", "#f0c674", "#8cc9ff", "#e08cff", "#7fd5e0", "#ffffff"]
ESCAPE = re.compile(r"\x1b\[([0-9;]*)m")


def printed():
    """The text with its escapes, each command after its prompt."""
    with tempfile.TemporaryDirectory() as home:
        environment = {"HOME": home, "PATH": os.environ["PATH"], "SPOOR_NOW": "2026-03-15T00:00:00Z"}
        program = os.environ["SPOOR_PROGRAM"]
        subprocess.run([program, "import", SAMPLE], cwd=home, env=environment, check=True,
                       capture_output=True)
        text = ""
        for command in COMMANDS:
            done = subprocess.run([program, "--color", "always", *command], cwd=home,
                                  env=environment, check=True, capture_output=True)
            text += f"\x1b[1m$ spoor {' '.join(command)}\x1b[0m\n{done.stdout.decode()}\n"
        return text.rstrip("\n").split("\n")


def style_after(codes, style):
    """What a list of SGR codes (ECMA-48, 8.3.117) makes of a style."""
    style = dict(style)
    for code in [int(code or 0) for code in codes.split(";")]:
        if code == 0:
            style = {}
        elif code == 1:
            style["font-weight"] = "bold"
        elif code == 2:
            style["opacity"] = "0.65"
        elif code == 3:
            style["font-style"] = "italic"
        elif code == 4:
            style["text-decoration"] = "underline"
        elif code == 7:
            style["background"] = SELECTED
        elif code == 39:
            style.pop("fill", None)
        elif 30 <= code <= 37:
            style["fill"] = COLOURS[code - 30]
        elif 90 <= code <= 97:
            style["fill"] = BRIGHT[code - 90]
    return style


def spans(line, place):
    """One line as tspan elements, and before it a rectangle below what is reversed."""
    parts, below, style, at, column = [], [], {}, 0, 0
    for escape in [*ESCAPE.finditer(line), None]:
        end = escape.start() if escape else len(line)
        if end > at:
            if "background" in style:
                below.append(f'<rect x="{12 + column * CELL_WIDTH:.1f}" y="{place - 14}" width="{(end - at) * CELL_WIDTH:.1f}" '
                             f'height="{LINE_HEIGHT}" fill="{SELECTED}"/>')
            column += end - at
            attributes = "".join(f' {name}="{value}"' for name, value in style.items() if name != "background")
            parts.append(f"<tspan{attributes}>{html.escape(line[at:end], quote=False)}</tspan>")
        if escape:
            style, at = style_after(escape.group(1), style), escape.end()
    return "".join(below) + f'<text x="12" y="{place}" xml:space="preserve">{"".join(parts)}</text>'


def svg(lines, title):
    columns = max(len(ESCAPE.sub("", line)) for line in lines)
    width, height = round(columns * CELL_WIDTH) + 24, len(lines) * LINE_HEIGHT + 24
    rows = [spans(line, 24 + i * LINE_HEIGHT) for i, line in enumerate(lines)]
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'font-family="ui-monospace, Menlo, Consolas, monospace" font-size="13" fill="{FOREGROUND}">',
        f"<title>{title}</title>",
        f'<rect width="100%" height="100%" rx="8" fill="{BACKGROUND}"/>',
        *rows,
        "</svg>",
        "",
    ])


class ColouredScreen(Screen):
    """A screen whose cells have their colours, as SGR codes around each."""

    def __init__(self, columns, rows):
        super().__init__(columns, rows)
        self.codes = []

    def control(self, parameters, final):
        super().control(parameters, final)
        if final == "m" and parameters[:1] not in ("?", ">"):
            for code in (parameters or "0").split(";"):
                self.codes = [] if code in ("", "0") else [*self.codes, code]

    def print(self, char):
        super().print(char)
        if self.codes:
            cell = self.cells[self.row][self.column - 1]
            self.cells[self.row][self.column - 1] = f"\x1b[{';'.join(self.codes)}m{cell}\x1b[0m"

    def lines(self):
        """The rows; codes that cells next to each other have in common are there once."""
        return [self.joined(row) for row in self.cells]

    @staticmethod
    def joined(row):
        runs = []
        for cell in row:
            codes, text = re.fullmatch(r"((?:\x1b\[[0-9;]+m)?)(.*?)(?:\x1b\[0m)?", cell, re.S).groups()
            if runs and runs[-1][0] == codes:
                runs[-1][1] += text
            else:
                runs.append([codes, text])
        return "".join(f"{codes}{text}\x1b[0m" if codes else text for codes, text in runs).rstrip()


def screen_of_tui():
    """The rows of the terminal browser at an edit of the sample session."""
    home = Home()
    del home.environment["NO_COLOR"]
    home.environment.update(TERM="xterm-256color", SPOOR_NOW="2026-03-15T00:00:00Z")
    home.spoor("import", str(SAMPLE))
    columns, rows = 150, 28
    with Typist(home, columns=columns, rows=rows, words=("tui", "1")) as person:
        person.screen = ColouredScreen(columns, rows)
        person.wait(lambda screen: "39/39" in ESCAPE.sub("", screen.text()), "the last turn")
        person.type(":30\r")
        person.wait(lambda screen: "30/39" in (text := ESCAPE.sub("", screen.text())) and "@@" in text, "an edit")
        seen = None
        while seen != len(person.seen):  # It draws in pieces.
            seen = len(person.seen)
            person.look(0.7)
        lines = person.screen.lines()
    home.close()
    return lines


def size_of(png):
    """Width and height of a PNG (its first chunk, IHDR)."""
    return struct.unpack(">II", png.read_bytes()[16:24])


def check_page(is_new):
    """Makes the pictures of the page; what is wrong with those in docs/pictures."""
    if not shutil.which("node"):
        print("the page: skipped: there is no node")
        return []
    with tempfile.TemporaryDirectory() as folder:
        made = subprocess.run(["node", ROOT / "tests/browser/pictures.mjs", folder], capture_output=True, encoding="utf-8", check=False)
        if made.returncode:
            return [f"tests/browser/pictures.mjs: {made.stderr[-2000:]}"]
        print(f"the page: {made.stdout.strip()}")
        if made.stdout.startswith("skipped"):
            return []
        wrong = []
        for path in sorted(pathlib.Path(folder).glob("*.png")):
            kept = FOLDER / path.name
            if is_new:
                shutil.copyfile(path, kept)
            if not kept.exists() or size_of(kept) != size_of(path):
                wrong.append(f"docs/pictures/{path.name} is not of the size that tests/browser/pictures.mjs makes")
            if path.name not in {each.name for each in named()}:
                wrong.append(f"README.md does not show {path.name}")
        return wrong


def named():
    """The pictures that README.md shows."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return [ROOT / name for name in re.findall(r"^!\[[^\]]+\]\(([^)]+)\)$", text, re.M)]


def main():
    is_new = bool(os.environ.get("SPOOR_UPDATE_TRANSCRIPTS"))
    wrong = []
    for path, lines, title in ((LOG, printed(), "spoor sessions and spoor log in a terminal"),
                               (TUI, screen_of_tui(), "spoor tui in a terminal")):
        picture = svg(lines, title)
        if is_new:
            path.parent.mkdir(exist_ok=True)
            path.write_text(picture, encoding="utf-8")
        if not path.exists() or path.read_text(encoding="utf-8") != picture:
            wrong.append(f"{path.name} is not what spoor prints")
        print(f"{path.name}: {len(lines)} lines as spoor prints them")
    wrong += check_page(is_new)
    missing = [path.name for path in named() if not path.exists()]
    wrong += [f"README.md shows {', '.join(missing)}, which does not exist"] if missing else []
    size = sum(path.stat().st_size for path in named() if path.exists())
    wrong += [f"the pictures have {size} bytes, more than {MOST_BYTES}"] if size > MOST_BYTES else []
    for each in wrong:
        print(each)
    if wrong:
        print("'./dev pictures' makes them anew")
    print(f"{len(named())} pictures in README.md, {size} bytes")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

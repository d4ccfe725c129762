"""Checks docs/log.svg, the picture of README.md: `ctest -R docs/picture`.

The picture is what `spoor sessions` and `spoor log` print in colour for the sample session, as SVG.
With SPOOR_UPDATE_TRANSCRIPTS=1 it is written anew.
"""

import html
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PICTURE = ROOT / "docs" / "log.svg"
COMMANDS = [["sessions"], ["log", "1", "-n", "1"]]
CELL_WIDTH, LINE_HEIGHT = 7.85, 18
FOREGROUND, BACKGROUND = "#d4d4d4", "#1e1e1e"
COLOURS = ["#808080", "#f48771", "#8cc265", "#d5b06b", "#61afef", "#c678dd", "#56b6c2", "#d4d4d4"]
BRIGHT = ["#8a8a8a", "#ff8f80", "#a5e075", "#f0c674", "#8cc9ff", "#e08cff", "#7fd5e0", "#ffffff"]
ESCAPE = re.compile(r"\x1b\[([0-9;]*)m")


def printed():
    """The text with its escapes, each command after its prompt."""
    with tempfile.TemporaryDirectory() as home:
        environment = {"HOME": home, "PATH": os.environ["PATH"], "SPOOR_NOW": "2026-03-15T00:00:00Z"}
        program = os.environ["SPOOR_PROGRAM"]
        sample = ROOT / "examples" / "data" / "sample-session.jsonl"
        subprocess.run([program, "import", sample], cwd=home, env=environment, check=True,
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
        elif 30 <= code <= 37:
            style["fill"] = COLOURS[code - 30]
        elif 90 <= code <= 97:
            style["fill"] = BRIGHT[code - 90]
    return style


def spans(line):
    """One line as tspan elements."""
    parts, style, at = [], {}, 0
    for escape in [*ESCAPE.finditer(line), None]:
        end = escape.start() if escape else len(line)
        if end > at:
            attributes = "".join(f' {name}="{value}"' for name, value in style.items())
            parts.append(f"<tspan{attributes}>{html.escape(line[at:end], quote=False)}</tspan>")
        if escape:
            style, at = style_after(escape.group(1), style), escape.end()
    return "".join(parts)


def svg(lines):
    columns = max(len(ESCAPE.sub("", line)) for line in lines)
    width, height = round(columns * CELL_WIDTH) + 24, len(lines) * LINE_HEIGHT + 24
    rows = [
        f'<text x="12" y="{24 + i * LINE_HEIGHT}" xml:space="preserve">{spans(line)}</text>'
        for i, line in enumerate(lines)
    ]
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'font-family="ui-monospace, Menlo, Consolas, monospace" font-size="13" fill="{FOREGROUND}">',
        "<title>spoor sessions and spoor log in a terminal</title>",
        f'<rect width="100%" height="100%" rx="8" fill="{BACKGROUND}"/>',
        *rows,
        "</svg>",
        "",
    ])


def main():
    picture = svg(printed())
    if os.environ.get("SPOOR_UPDATE_TRANSCRIPTS"):
        PICTURE.write_text(picture, encoding="utf-8")
    if not PICTURE.exists() or PICTURE.read_text(encoding="utf-8") != picture:
        print("docs/log.svg is not what spoor prints; SPOOR_UPDATE_TRANSCRIPTS=1 writes it anew")
        return 1
    print(f"{picture.count('<text')} lines are as spoor prints them")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Writes the table of docs/page.md: page_figures.py FIGURES, the figures.json that page_test.mjs left in its folder."""

import gzip
import json
import pathlib
import re
import sys

TREE = pathlib.Path(__file__).resolve().parents[2]


def main():
    figures = json.loads(pathlib.Path(sys.argv[1]).read_text())
    files = sorted((TREE / "page/dist").iterdir())
    packed = sum(len(gzip.compress(path.read_bytes(), 9)) for path in files)
    rows = [
        ("files of the page, compressed", f"{packed / 1024:.1f} KiB"),
        ("turns of the session", f"{figures['turns']:,}"),
        ("from opening the address to the first turns, median of 7 (most)",
         f"{figures['first_paint_ms_median']} ms ({figures['first_paint_ms_most']} ms)"),
        ("work of a jump to any place, median of 200 (95 %)",
         f"{figures['jump_work_ms_median']} ms ({figures['jump_work_ms_95']} ms)"),
        ("until its turns are there, median (95 %)",
         f"{figures['jump_filled_ms_median']} ms ({figures['jump_filled_ms_95']} ms)"),
        ("work of a scroll to the next rows, 95 %", f"{figures['step_work_ms_95']} ms"),
        ("rows in the document at a time", f"{figures['rows_in_the_document']}"),
        ("a turn that is written is shown, median of 12 (most)",
         f"{figures['live_ms_median']} ms ({figures['live_ms_most']} ms)"),
        ("views, widths and colours in which axe finds nothing", f"{figures['axe_views']}"),
        ("hostile texts in every field; executed, or sent elsewhere", f"{figures['hostile_payloads']}; 0"),
        ("load of the machine meanwhile, of two processors", f"{figures.get('load', 0):.1f}"),
    ]
    table = "| | |\n| --- | --- |\n" + "".join(f"| {name} | {value} |\n" for name, value in rows)
    page = TREE / "docs/page.md"
    text = page.read_text()
    page.write_text(re.sub(r"(?<=<!-- figures -->\n).*?(?=<!-- end -->)", lambda _: table, text, flags=re.DOTALL))


if __name__ == "__main__":
    main()

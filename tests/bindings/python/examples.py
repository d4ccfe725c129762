"""The examples of docs/python.md, for the tests that run them."""
import pathlib
import re

PAGE = pathlib.Path(__file__).resolve().parents[3] / "docs/python.md"


def run(section, scope):
    """Runs the Python blocks of one section, in order. Raises if it has none."""
    body = re.search(rf"^## {re.escape(section)}\n(.*?)(?=^## |\Z)", PAGE.read_text(encoding="utf-8"),
                     re.M | re.S).group(1)
    blocks = re.findall(r"^```python\n(.*?)^```$", body, re.M | re.S)
    if not blocks:
        raise ValueError(f"the section '{section}' has no example")
    for block in blocks:
        exec(compile(block, f"{PAGE}: {section}", "exec"), scope)
    return scope

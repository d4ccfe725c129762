"""The table of docs/capture.md has a row of the right form for each agent and witness: `ctest -R docs/capture`."""
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "capture"))
import agents  # noqa: E402
import page  # noqa: E402


def main():
    head, _, *rows = page.parts()[1].splitlines()
    wrong = [] if head == page.line(page.HEAD) else [head]
    wrong += [row for row in rows if not page.ROW.fullmatch(row)]
    for found in filter(None, map(page.ROW.fullmatch, rows)):
        witness, recorded, sent = found.groups()[:3]
        if recorded != (sent if witness in ("proxy", "all") else "0"):
            wrong.append(found[0])
    wanted = [(agent.title, cell) for agent in agents.ALL for cell in page.cells(agent) if cell in page.WITNESSES]
    found = [(row.split(" | ")[0][2:].rsplit(" ", 1)[0], row.split(" | ")[1]) for row in rows]
    print("\n".join(wrong + [f"rows: {found}, not {wanted}"] * (found != wanted)) or f"{len(rows)} rows")
    return 1 if wrong or found != wanted else 0


if __name__ == "__main__":
    sys.exit(main())

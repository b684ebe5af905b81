"""The scoreboard: all records of a build, read back and summed up."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from featurelearning.claims import FAILS, HOLDS, IN_PART, LETTERS, OTHER_MECHANISM, PAPERS, PASSING

__all__ = ["MARKS", "main", "read_records", "scoreboard", "summary", "verdict_class", "write_reports"]

MARKS = {HOLDS: "✓", OTHER_MECHANISM: "✓≠", IN_PART: "◐", FAILS: "✗"}
PLURAL = {HOLDS: "hold", OTHER_MECHANISM: "hold with a different mechanism", IN_PART: "hold in part", FAILS: "fail"}
Records = Sequence[dict[str, Any]]


def verdict_class(verdict: str) -> str:
    """CSS class of a verdict, e.g. ``verdict-holds-in-part``."""
    return "verdict-" + verdict.replace(" ", "-")


def read_records(folder: Path) -> list[dict[str, Any]]:
    """The claims' records in `folder`, in the order of paper, number and suffix."""
    records = [json.loads(path.read_text(encoding="utf-8")) for path in folder.glob("*.json")]

    def order(record: dict[str, Any]) -> tuple[str, int, str]:
        letter, number, suffix = re.fullmatch(r"([A-Z])(\d+)(.*)", record["id"]).groups()
        return letter, int(number), suffix

    return sorted(records, key=order)


def summary(records: Records) -> str:
    """E.g. ``25 claims measured: 24 hold, 1 fails``."""
    counts = Counter(record["verdict"] for record in records)
    words = [
        f"{counts[verdict]} {verdict if counts[verdict] == 1 else PLURAL[verdict]}"
        for verdict in PLURAL if counts[verdict]
    ]
    return f"{len(records)} claims measured: {', '.join(words) or 'none'}"


def scoreboard(records: Records, paper: str) -> str:
    """Markdown table of one paper's claims: number and page, statement, measured, expected, verdict."""
    mine = [record for record in records if record["paper"] == paper]
    if not mine:
        return "No claim of this paper was measured in this build."
    rows = [
        f"| {{ref}}`{r['id']} <{r['id'].lower()}>` | {_cell(r['statement'])} | {_headline(r)} | "
        f"[{MARKS[r['verdict']]} {r['verdict']}]{{.{verdict_class(r['verdict'])}}} |"
        for r in mine
    ]
    head = ["| Claim | Statement | Measured against expected | Verdict |", "|---|---|---|---|"]
    return "\n".join([":::{div} scoreboard", *head, *rows, ":::"])


def _headline(record: dict[str, Any]) -> str:
    """The first check that fails, else the first; and how many hold."""
    holds = record["holds"]
    name = next((name for name, held in holds.items() if not held), next(iter(holds)))
    tolerance, expected = record["tolerance"][name], record["expected"][name]
    wanted = f"{expected:.6g} ± {tolerance:.2g}" if tolerance is not None else expected
    measured = record["measured"][name]
    if expected == "true":
        measured = "true" if measured == 1.0 else "false"
    else:
        measured = f"{measured:.6g}" if measured is not None else "not a number"
    label = _cell(record["label"][name])
    return f"{label}: **{measured}** ({wanted}). {sum(holds.values())} of {len(holds)} checks hold."


def _cell(text: str) -> str:
    return text.replace("|", r"\|").replace("\n", " ")


def write_reports(records: Records, folder: Path) -> None:
    """Write what the book's first page and scoreboard include: ``summary.md``, and a table a paper."""
    folder.mkdir(parents=True, exist_ok=True)
    parts = [
        f"- Part {letter}, {paper}: {summary([r for r in records if r['paper'] == paper])}."
        for letter, paper in LETTERS.items()
    ]
    presets = ", ".join(sorted({record["preset"] for record in records})) or "none"
    text = "\n".join([f"**This build: {summary(records)}** (preset: {presets}).", "", *parts, ""])
    (folder / "summary.md").write_text(text, encoding="utf-8")
    for paper in PAPERS:
        (folder / f"{paper}.md").write_text(scoreboard(records, paper) + "\n", encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    """Say what a build found; exit code 1 if a claim does not hold, or if there is none."""
    parser = argparse.ArgumentParser(prog="python -m featurelearning.verdicts", description=main.__doc__)
    parser.add_argument("records", type=Path, help="folder of the claims' records")
    parser.add_argument("--write", type=Path, metavar="FOLDER", help="write the pages' tables instead")
    options = parser.parse_args(arguments)
    records = read_records(options.records)
    if options.write:
        write_reports(records, options.write)
        return 0
    print(summary(records))
    failing = [r for r in records if r["verdict"] not in PASSING]
    for record in failing:
        print(f"  {record['id']} {record['verdict'].upper()}: {record['statement']}", file=sys.stderr)
    return 1 if failing or not records else 0


if __name__ == "__main__":
    sys.exit(main())

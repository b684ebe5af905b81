"""The scoreboard: all records of a build, read back and summed up."""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from featurelearning.claims import FAILS, HOLDS, IN_PART, OTHER_MECHANISM, PASSING

__all__ = ["MARKS", "main", "read_records", "scoreboard", "summary", "verdict_class"]

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
        f"{counts[verdict]} {verdict if counts[verdict] == 1 else PLURAL[verdict]}" for verdict in PLURAL if counts[verdict]
    ]
    return f"{len(records)} claims measured: {', '.join(words) or 'none'}"


def scoreboard(records: Records, paper: str) -> str:
    """Markdown table of one paper's claims: number and page, statement, measured, expected, verdict."""
    mine = [record for record in records if record["paper"] == paper]
    rows = [
        f"| {{ref}}`{r['id']} <{r['id'].lower()}>` | {_cell(r['statement'])} | {_headline(r)} | "
        f"[{MARKS[r['verdict']]} {r['verdict']}]{{.{verdict_class(r['verdict'])}}} |"
        for r in mine
    ]
    return "\n".join([
        ":::{div} scoreboard", "| Claim | Statement | Measured against expected | Verdict |", "|---|---|---|---|", *rows, ":::",
    ])


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
    return f"{_cell(record['label'][name])}: **{measured}** ({wanted}). {sum(holds.values())} of {len(holds)} checks hold."


def _cell(text: str) -> str:
    return text.replace("|", r"\|").replace("\n", " ")


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what a build found; exit code 1 if a claim does not hold, or if there is none."""
    folder = Path((arguments or sys.argv[1:])[0])
    records = read_records(folder)
    print(summary(records))
    failing = [r for r in records if r["verdict"] not in PASSING]
    for record in failing:
        print(f"  {record['id']} {record['verdict'].upper()}: {record['statement']}", file=sys.stderr)
    return 1 if failing or not records else 0


if __name__ == "__main__":
    sys.exit(main())

"""The scoreboard: read back from records, in order, red when something does not hold."""

from __future__ import annotations

import json

import pytest

from featurelearning import claims
from featurelearning.claims import FAILS, HOLDS, IN_PART, OTHER_MECHANISM, Claim, Evidence
from featurelearning.verdicts import main, read_records, scoreboard, summary


def record(identifier, holds=True, statement="A statement."):
    check = claims.close("x", "label | of $x$", 1.0 if holds else 9.0, 1.0, absolute=0.1, reason="r")
    paper = claims.LETTERS[identifier[0]]
    claim = Claim(identifier, paper, statement, "s", "figure", f"{paper}/page", (), lambda: Evidence((check,)))
    return claim.run().record()


@pytest.fixture
def folder(tmp_path):
    for identifier in ("C10", "C2", "B1b", "B1a", "A3"):
        (tmp_path / f"{identifier}.json").write_text(json.dumps(record(identifier)))
    return tmp_path


def test_records_come_in_order(folder):
    assert [r["id"] for r in read_records(folder)] == ["A3", "B1a", "B1b", "C2", "C10"]


def test_summary_counts_every_verdict():
    records = [{"verdict": v} for v in (HOLDS, HOLDS, OTHER_MECHANISM, IN_PART, FAILS)]
    assert summary(records) == "5 claims measured: 2 hold, 1 holds with a different mechanism, 1 holds in part, 1 fails"


def test_scoreboard_has_a_row_a_claim_and_shows_the_failing_check(folder):
    records = [*read_records(folder), record("C11", holds=False)]
    rows = [line for line in scoreboard(records, "gauge").splitlines() if line.startswith("| {ref}")]
    assert [row.split("`")[1] for row in rows] == ["C2 <c2>", "C10 <c10>", "C11 <c11>"]
    assert "verdict-fails" in rows[2] and "**9** (1 ± 0.1). 0 of 1 checks hold" in rows[2]
    assert r"label \| of" in rows[0], "a bar in a label must not open a new column"


def test_exit_code(folder, capsys):
    assert main([str(folder)]) == 0
    (folder / "C11.json").write_text(json.dumps(record("C11", holds=False)))
    assert main([str(folder)]) == 1
    assert "C11 FAILS" in capsys.readouterr().err


def test_no_record_is_no_success(tmp_path):
    assert main([str(tmp_path)]) == 1


def test_tables_for_the_pages(folder, tmp_path):
    assert main([str(folder), "--write", str(tmp_path / "measured")]) == 0
    assert {p.name for p in (tmp_path / "measured").iterdir()} == {"summary.md", "gauge.md", "locality.md", "separation.md"}
    text = (tmp_path / "measured" / "summary.md").read_text()
    assert "5 claims measured: 5 hold** (preset: full)" in text
    assert "- Part C, gauge: 2 claims measured: 2 hold." in text

"""The command: exit codes, messages, JSON, and that bad input leaves nothing behind."""

from __future__ import annotations

import csv
import json
import subprocess
import sys

import pytest

from featurelearning import claims, cli


def run(capsys, *arguments):
    code = cli.main(arguments)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_check_prints_and_exits_0(capsys):
    code, out, _ = run(capsys, "check", "C5", "--preset", "quick")
    assert code == 0
    for word in ("C5", "parameters: phi=", "slope =", "expected 2 within", "verdict: holds", " s, quick"):
        assert word in out


def test_check_json_is_one_object_a_line(capsys):
    code, out, _ = run(capsys, "check", "C5", "C6", "--preset", "quick", "--json")
    records = [json.loads(line) for line in out.splitlines()]
    assert code == 0
    assert [record["id"] for record in records] == ["C5", "C6"]
    assert {"statement", "parameters", "measured", "expected", "tolerance", "verdict", "seconds"} <= set(records[0])


def test_reference_values_of_c5(capsys):
    _, out, _ = run(capsys, "check", "C5", "--json")
    measured = json.loads(out)["measured"]
    assert measured["slope"] == pytest.approx(1.9982, abs=0.002)
    assert measured["ratio_over_D2"] == pytest.approx(1.6639260, rel=1e-3)


def test_another_angle_has_another_prefactor(capsys):
    code, out, _ = run(capsys, "check", "C5", "--json", "-p", "phi=2.0943951")
    assert code == 0
    assert json.loads(out)["measured"]["ratio_over_D2"] == pytest.approx(4.834, rel=1e-3)


def test_a_claim_that_does_not_hold_exits_1(capsys, monkeypatch):
    failing = claims.Evidence((claims.at_most("x", "x", 2, 1, reason="r"),))
    claim = claims.find("C5")
    monkeypatch.setattr(cli.claims, "find", lambda _: type(claim)(**{**vars(claim), "measure": lambda **_: failing}))
    code, out, _ = run(capsys, "check", "C5")
    assert code == 1
    assert "verdict: fails" in out and "NOT x = 2" in out


def test_list_names_every_claim(capsys):
    code, out, _ = run(capsys, "list", "--json")
    assert code == 0
    records = [json.loads(line) for line in out.splitlines()]
    assert [record["id"] for record in records] == [claim.id for claim in claims.load()]
    assert set(records[0]) == {"id", "paper", "kind", "statement", "notebook", "verdict"}


@pytest.mark.parametrize(("arguments", "words"), [
    (("-p", "phi=4"), ["phi = 4", "0 < phi < 3.14159"]),
    (("-p", "foo=1"), ["unknown parameter foo", "phi", "stop"]),
    (("-p", "D=abc"), ["D = 'abc'", "number"]),
    (("-p", "phi"), ["-p phi", "name=value"]),
    (("-p", "stop=2"), ["stop = 2", "phi"]),
    (("--preset", "slow"), ["quick or full"]),
])
@pytest.mark.parametrize("command", ["check", "figure"])
def test_bad_input_exits_2_and_writes_nothing(capsys, tmp_path, monkeypatch, command, arguments, words):
    monkeypatch.chdir(tmp_path)
    code, out, err = run(capsys, command, "C5", *arguments)
    assert code == 2
    assert out == ""
    for word in words:
        assert word in err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("arguments", "words"), [
    (("check",), "name claims"),
    (("check", "--paper", "physics"), "locality, separation, gauge"),
    (("check", "X1"), "the known ones are"),
    (("check", "C1", "--all"), "name claims"),
    (("figure", "C99"), "the known ones are"),
])
def test_bad_selection_exits_2(capsys, arguments, words):
    code, _, err = run(capsys, *arguments)
    assert code == 2
    assert words in err


@pytest.mark.parametrize("arguments", [(), ("dance",), ("check", "--nonsense")])
def test_bad_usage_exits_2(arguments):
    with pytest.raises(SystemExit) as stop:
        cli.main(arguments)
    assert stop.value.code == 2


def test_figure_leaves_the_figure_and_its_data(capsys, tmp_path):
    code, out, _ = run(capsys, "figure", "C5", "--preset", "quick", "-p", "phi=2.0943951", "--output", str(tmp_path / "out"))
    assert code == 0
    folder = tmp_path / "out"
    assert {"C5.svg", "C5.png", "C5.csv", "C5.json", "C5.ipynb"} <= {path.name for path in folder.iterdir()}
    record = json.loads((folder / "C5.json").read_text())
    assert record["parameters"]["phi"] == 2.0943951
    assert record["preset"] == "quick"
    with (folder / "C5.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert {row["series"] for row in rows} >= {"integrated flow"}
    assert "4.8" in out


def test_several_claims_side_by_side_come_in_order():
    """As a module, since the processes that measure start by importing the main module again."""
    command = [sys.executable, "-m", "featurelearning", "check", "C8", "C5", "C6", "--preset", "quick", "--json"]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert [json.loads(line)["id"] for line in out.splitlines()] == ["C8", "C5", "C6"]


def test_module_is_the_command():
    run = subprocess.run([sys.executable, "-m", "featurelearning", "--version"], capture_output=True, text=True, check=True)
    assert run.stdout.startswith("featurelearning ")

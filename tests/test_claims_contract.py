"""Claims, checks, verdicts and parameters: the contract itself, on small claims made here."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from featurelearning import claims
from featurelearning.claims import (
    FAILS, HOLDS, IN_PART, OTHER_MECHANISM, Claim, Evidence, Parameter, ParameterError,
    at_least, at_most, close, is_true, verdict, within,
)

ANGLE = Parameter("phi", full=1.0, quick=0.5, low=0.0, high=math.pi, closed="neither", meaning="an angle", why="no more")
SIZES = Parameter("D", full=(4.0, 8.0), meaning="sizes", low=0.0, closed="neither", at_least=2)
COUNT = Parameter("m", full=4, low=2, meaning="a number of units")


def good(name="a", **about):
    return close(name, name, 1.0, 1.0, absolute=0.1, reason="r", **about)


def bad(name="b", **about):
    return close(name, name, 2.0, 1.0, absolute=0.1, reason="r", **about)


@pytest.mark.parametrize(("checks", "expected"), [
    ((good(),), HOLDS),
    ((good(), bad()), FAILS),
    ((good(part="x"), bad(part="y")), IN_PART),
    ((bad(part="x"), bad(part="y")), FAILS),
    ((good(), bad(about="mechanism")), OTHER_MECHANISM),
    ((bad(), good(about="mechanism")), FAILS),
    ((good(about="mechanism"),), FAILS),
    ((), FAILS),
])
def test_verdict(checks, expected):
    assert verdict(checks) == expected


@given(st.floats(-10, 10), st.floats(-10, 10), st.floats(0, 5))
def test_close_is_a_distance(measured, expected, tolerance):
    check = close("a", "a", measured, expected, absolute=tolerance, reason="r")
    assert check.holds == (expected - tolerance <= measured <= expected + tolerance)


def test_not_a_number_never_holds():
    nan = math.nan
    for check in (close("a", "a", nan, 1, absolute=9, reason="r"), at_most("a", "a", nan, 1, reason="r"),
                  at_least("a", "a", nan, 1, reason="r"), within("a", "a", nan, 0, 1, reason="r")):
        assert not check.holds
    assert not is_true("a", "a", False, reason="r").holds


def test_parameters_parse_text():
    values = claims.resolve((ANGLE, SIZES, COUNT), "quick", {"phi": "2.5", "D": "1,2,3", "m": "8"})
    assert values == {"phi": 2.5, "D": (1.0, 2.0, 3.0), "m": 8}
    assert claims.resolve((ANGLE, SIZES, COUNT), "quick") == {"phi": 0.5, "D": (4.0, 8.0), "m": 4}


@pytest.mark.parametrize(("raw", "words"), [
    ({"phi": "4"}, ["phi = 4", "out of range", "0 < phi < 3.14159", "no more"]),
    ({"phi": "nan"}, ["out of range"]),
    ({"phi": "inf"}, ["out of range"]),
    ({"D": "abc"}, ["D = 'abc'", "number", "comma-separated"]),
    ({"D": "4"}, ["at least 2", "example: D=4,8"]),
    ({"D": "4,-1"}, ["out of range"]),
    ({"m": "2.5"}, ["whole number"]),
    ({"m": "1"}, ["2 <= m"]),
    ({"foo": "1"}, ["unknown parameter foo", "phi", "D", "m", "an angle"]),
])
def test_bad_input_is_explained(raw, words):
    with pytest.raises(ParameterError) as error:
        claims.resolve((ANGLE, SIZES, COUNT), "full", raw)
    for word in words:
        assert word in str(error.value)


def test_unknown_preset():
    with pytest.raises(ParameterError, match="quick or full"):
        claims.resolve((ANGLE,), "slow")


def test_record_is_plain_json():
    def measure(*, phi):
        return Evidence((close("a", "a", phi, 1.0, absolute=0.1, reason="r"), at_most("b", "b", 0, 1, reason="r")))

    claim = Claim("C99", "gauge", "s", "src", "figure", "gauge/x", (ANGLE,), measure)
    record = json.loads(json.dumps(claim.run("full").record(), allow_nan=False))
    assert record["verdict"] == HOLDS
    assert record["measured"] == {"a": 1.0, "b": 0.0}
    assert record["expected"] == {"a": 1.0, "b": "at most 1"}
    assert record["parameters"] == {"phi": 1.0}


ALL = claims.load()


def test_ids_are_unique_and_in_order():
    ids = [claim.id for claim in ALL]
    assert len(set(ids)) == len(ids)


@pytest.mark.parametrize("claim", ALL, ids=lambda claim: claim.id)
def test_declarations(claim):
    assert claims.LETTERS[claim.id[0]] == claim.paper
    assert claim.notebook.startswith(f"{claim.paper}/")
    assert claim.kind in ("theorem", "figure", "beyond")
    assert claim.statement.endswith(".") and claim.source
    for preset in claims.PRESETS:
        for parameter in claim.parameters:
            value = parameter.value(preset)
            assert parameter.parse(value) == value, f"the {preset} value of {parameter.name} breaks its own range"
        claim.resolve(preset)


@pytest.mark.parametrize("notebook", sorted({claim.notebook for claim in ALL}))
def test_names_shared_on_a_page_mean_the_same(notebook):
    declared = {}
    for claim in ALL:
        if claim.notebook == notebook:
            for parameter in claim.parameters:
                assert declared.setdefault(parameter.name, parameter) is parameter, parameter.name

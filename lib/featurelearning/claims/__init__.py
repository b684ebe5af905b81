"""Every claim of the three papers: one small function each, with a tolerance and its reason."""

from __future__ import annotations

from importlib import import_module

from featurelearning.claims.claim import (
    FAILS, HOLDS, IN_PART, OTHER_MECHANISM, PASSING,
    Check, Claim, Evidence, Outcome, at_least, at_most, close, is_true, verdict, within,
)
from featurelearning.claims.parameters import PRESETS, Parameter, ParameterError, resolve

__all__ = [
    "FAILS", "HOLDS", "IN_PART", "OTHER_MECHANISM", "PAPERS", "PASSING", "PRESETS",
    "Check", "Claim", "Evidence", "Outcome", "Parameter", "ParameterError",
    "at_least", "at_most", "close", "find", "is_true", "load", "resolve", "verdict", "within",
]

# A claim's number begins with its paper's letter.
LETTERS = {"A": "locality", "B": "separation", "C": "gauge"}
PAPERS = tuple(LETTERS.values())


def load(paper: str | None = None) -> tuple[Claim, ...]:
    """All claims of `paper`, or of every paper, in the order of their numbers.

    Raises
    ------
    ParameterError
        If there is no such paper.
    """
    if paper is None:
        return tuple(claim for name in PAPERS for claim in load(name))
    if paper not in PAPERS:
        raise ParameterError(f"paper {paper!r} is unknown; allowed: {', '.join(PAPERS)}")
    return import_module(f"featurelearning.claims.{paper}").CLAIMS


def find(identifier: str) -> Claim:
    """The claim with this id, e.g. ``"C5"`` (case does not matter); imports its paper alone.

    Raises
    ------
    ParameterError
        If there is none; the message lists the ids.
    """
    paper = LETTERS.get(identifier[:1].upper())
    for claim in load(paper) if paper else ():
        if claim.id.upper() == identifier.upper():
            return claim
    known = ", ".join(claim.id for claim in load())
    raise ParameterError(f"claim {identifier!r} is unknown; the known ones are: {known}")

"""What a claim is, what a check is, and how a verdict is computed from measured numbers."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from featurelearning.claims.parameters import Parameter, resolve

__all__ = [
    "FAILS", "HOLDS", "IN_PART", "OTHER_MECHANISM", "PASSING",
    "Check", "Claim", "Evidence", "Outcome",
    "at_least", "at_most", "close", "is_true", "verdict", "within",
]

HOLDS = "holds"
OTHER_MECHANISM = "holds with a different mechanism"
IN_PART = "holds in part"
FAILS = "fails"
PASSING = (HOLDS, OTHER_MECHANISM)


@dataclass(frozen=True)
class Check:
    """One measured number against what is expected of it.

    `holds` is computed: ``low <= measured <= high``. A NaN never holds.

    Parameters
    ----------
    name : str
        Short key, unique within the claim, a Python identifier, e.g. ``"slope"``.
    label : str
        What is measured, in words; may hold ``$...$`` mathematics.
    measured : float
        The number from this run (a truth value counts as 1 or 0).
    expected : float or None
        The value that theory gives, or None if the check is a bound.
    low, high : float
        Limits between which the claim stands.
    tolerance : float or None
        Absolute tolerance around `expected`, None for a bound.
    reason : str
        Why the limits are what they are.
    about : {"statement", "mechanism"}
        Whether the number tests the claim or the paper's explanation of it.
    part : str
        Which part of the statement it tests, when the statement has several.
    """

    name: str
    label: str
    measured: float
    expected: float | None
    low: float
    high: float
    tolerance: float | None
    reason: str
    about: str = "statement"
    part: str = ""

    @property
    def holds(self) -> bool:
        """Whether the measured number lies within the limits."""
        return bool(self.low <= self.measured <= self.high)

    @property
    def wanted(self) -> str:
        """The expectation in words, e.g. ``2 ± 0.01`` or ``at most 1e-08``."""
        if self.expected is not None and self.tolerance is not None:
            return f"{self.expected:.6g} ± {self.tolerance:.2g}"
        if self.low == self.high == 1.0:
            return "true"
        if self.low == -math.inf:
            return f"at most {self.high:.4g}"
        if self.high == math.inf:
            return f"at least {self.low:.4g}"
        return f"{self.low:.4g} to {self.high:.4g}"


def close(name, label, measured, expected, *, reason, absolute=None, relative=None, **about) -> Check:
    """Check ``|measured - expected| <= tolerance``, the tolerance absolute or relative (give one)."""
    if (absolute is None) == (relative is None):
        raise ValueError("give one of absolute and relative")
    tolerance = float(absolute if absolute is not None else relative * abs(expected))
    expected = float(expected)
    return Check(name, label, float(measured), expected, expected - tolerance, expected + tolerance,
                 tolerance, reason, **about)


def at_most(name, label, measured, bound, *, reason, **about) -> Check:
    """Check ``measured <= bound``."""
    return Check(name, label, float(measured), None, -math.inf, float(bound), None, reason, **about)


def at_least(name, label, measured, bound, *, reason, **about) -> Check:
    """Check ``measured >= bound``."""
    return Check(name, label, float(measured), None, float(bound), math.inf, None, reason, **about)


def within(name, label, measured, low, high, *, reason, **about) -> Check:
    """Check ``low <= measured <= high``."""
    return Check(name, label, float(measured), None, float(low), float(high), None, reason, **about)


def is_true(name, label, measured, *, reason, **about) -> Check:
    """Check that a computed truth value is true."""
    return Check(name, label, float(bool(measured)), None, 1.0, 1.0, None, reason, **about)


@dataclass(frozen=True)
class Evidence:
    """What a claim's function returns: its checks, and the arrays that a figure of it shows."""

    checks: tuple[Check, ...]
    data: Mapping[str, Any] = field(default_factory=dict)


def verdict(checks: tuple[Check, ...]) -> str:
    """Verdict from the checks.

    A part of the statement holds if all its checks hold. All parts: ``holds``, or ``holds with a
    different mechanism`` if a check of the paper's explanation does not; some parts: ``holds in
    part``; none, or no check at all: ``fails``.
    """
    statement = [check for check in checks if check.about == "statement"]
    parts: dict[str, bool] = {}
    for check in statement:
        parts[check.part] = parts.get(check.part, True) and check.holds
    if not any(parts.values()):
        return FAILS
    if not all(parts.values()):
        return IN_PART
    explained = all(check.holds for check in checks if check.about == "mechanism")
    return HOLDS if explained else OTHER_MECHANISM


@dataclass(frozen=True)
class Claim:
    """A statement of a paper, or beyond it, that a function can test.

    Parameters
    ----------
    id : str
        E.g. ``"C5"``: the paper's letter and a number.
    paper : {"locality", "separation", "gauge"}
    statement : str
        One sentence in the book's words.
    source : str
        What of the paper it rests on.
    kind : {"theorem", "figure", "beyond"}
    notebook : str
        The page that shows it, e.g. ``"gauge/two-paths"``.
    parameters : tuple of Parameter
        What `measure` takes, by keyword.
    measure : callable
        Pure function from parameter values to :class:`Evidence`.
    validate : callable, optional
        Called with the same keywords before `measure`; raises ``ParameterError`` for a
        combination of values that makes no sense.
    """

    id: str
    paper: str
    statement: str
    source: str
    kind: str
    notebook: str
    parameters: tuple[Parameter, ...]
    measure: Callable[..., Evidence]
    validate: Callable[..., None] | None = None

    def resolve(self, preset: str, overrides: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Typed parameter values; raises ``ParameterError`` on bad input."""
        values = resolve(self.parameters, preset, overrides)
        if self.validate is not None:
            self.validate(**values)
        return values

    def run(self, preset: str = "full", overrides: Mapping[str, Any] | None = None) -> Outcome:
        """Measure the claim."""
        values = self.resolve(preset, overrides)
        start = time.perf_counter()
        evidence = self.measure(**values)
        return Outcome(self, preset, values, evidence, time.perf_counter() - start)


@dataclass(frozen=True)
class Outcome:
    """A claim, measured: with which parameters, what came out, how long it took."""

    claim: Claim
    preset: str
    parameters: Mapping[str, Any]
    evidence: Evidence
    seconds: float

    @property
    def verdict(self) -> str:
        """The verdict, computed from the checks of this run."""
        return verdict(self.evidence.checks)

    def record(self) -> dict[str, Any]:
        """The outcome as plain JSON types; measured, expected, tolerance and reason by check name."""
        checks = self.evidence.checks
        return {
            "id": self.claim.id,
            "paper": self.claim.paper,
            "kind": self.claim.kind,
            "statement": self.claim.statement,
            "source": self.claim.source,
            "notebook": self.claim.notebook,
            "preset": self.preset,
            "parameters": {k: list(v) if isinstance(v, tuple) else v for k, v in self.parameters.items()},
            "measured": {c.name: _finite(c.measured) for c in checks},
            "expected": {c.name: c.wanted if c.expected is None else c.expected for c in checks},
            "tolerance": {c.name: c.tolerance for c in checks},
            "limits": {c.name: [_finite(c.low), _finite(c.high)] for c in checks},
            "reason": {c.name: c.reason for c in checks},
            "label": {c.name: c.label for c in checks},
            "holds": {c.name: c.holds for c in checks},
            "about": {c.name: c.about for c in checks},
            "part": {c.name: c.part for c in checks},
            "verdict": self.verdict,
            "seconds": round(self.seconds, 3),
        }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None

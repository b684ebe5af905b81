"""Typed, bounded parameters: what a claim accepts and what it answers to bad input."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["PRESETS", "Parameter", "ParameterError", "resolve"]

PRESETS = ("quick", "full")
WORDS = {int: "whole number", float: "number", str: "word"}


class ParameterError(ValueError):
    """A parameter that is unknown, of the wrong type or out of its range."""


@dataclass(frozen=True)
class Parameter:
    """One named parameter of a claim.

    Parameters
    ----------
    name : str
        The symbol's name in the formulas, e.g. ``"phi"``.
    full : int, float, str or tuple
        Value under the ``full`` preset. Its type is the parameter's type; a tuple declares a
        list whose elements have the type of the first one.
    meaning : str
        What it is, in words, with its unit.
    quick : same as `full`, optional
        Value under the ``quick`` preset (default: the same as `full`).
    low, high : float
        Bounds of the allowed range.
    closed : {"both", "neither", "left", "right"}
        Which bounds belong to the range.
    why : str
        Why the range is what it is; shown in the error message.
    choices : tuple of str
        Allowed values of a text parameter.
    at_least : int
        Smallest number of elements of a list parameter.
    """

    name: str
    full: Any
    meaning: str
    quick: Any = None
    low: float = -math.inf
    high: float = math.inf
    closed: str = "both"
    why: str = ""
    choices: tuple[str, ...] = ()
    at_least: int = 1

    def value(self, preset: str) -> Any:
        """Value under `preset` ("quick" or "full")."""
        return self.quick if preset == "quick" and self.quick is not None else self.full

    @property
    def type_name(self) -> str:
        """The parameter's type in words."""
        if isinstance(self.full, tuple):
            return f"comma-separated list of {WORDS[type(self.full[0])]}s"
        return WORDS[type(self.full)]

    @property
    def allowed(self) -> str:
        """The allowed values in words, e.g. ``0 < phi < 3.14159 (the angle of two directions)``."""
        if self.choices:
            return " or ".join(self.choices)
        name = f"each {self.name}" if isinstance(self.full, tuple) else self.name
        left = "<=" if self.closed in ("both", "left") else "<"
        right = "<=" if self.closed in ("both", "right") else "<"
        text = name
        if self.low > -math.inf:
            text = f"{self.low:g} {left} {text}"
        if self.high < math.inf:
            text = f"{text} {right} {self.high:g}"
        text = f"any {self.type_name}" if text == name else text
        return f"{text} ({self.why})" if self.why else text

    def parse(self, raw: Any) -> Any:
        """Convert `raw` (text from a command line, or a value) and check it.

        Raises
        ------
        ParameterError
            Naming the parameter, the value, and what is allowed.
        """
        if not isinstance(self.full, tuple):
            return self._scalar(raw, type(self.full))
        items = raw.split(",") if isinstance(raw, str) else raw
        if not isinstance(items, Sequence):
            items = [items]
        values = tuple(self._scalar(item, type(self.full[0])) for item in items)
        if len(values) < self.at_least:
            raise ParameterError(
                f"{self.name} = {raw}: {len(values)} value(s), at least {self.at_least} are needed; "
                f"example: {self.name}={','.join(format(v, 'g') for v in self.full)}"
            )
        return values

    def _scalar(self, raw: Any, kind: type) -> Any:
        try:
            number = raw if kind is str else float(raw)
            if kind is int and not number.is_integer():
                raise ValueError
            value = kind(number)
        except (TypeError, ValueError, OverflowError):
            raise ParameterError(
                f"{self.name} = {raw!r} is not a {WORDS[kind]}; "
                f"{self.name} is {self.meaning} and takes a {self.type_name}: {self.allowed}"
            ) from None
        if kind is str:
            inside = value in self.choices
        else:
            above = value >= self.low if self.closed in ("both", "left") else value > self.low
            below = value <= self.high if self.closed in ("both", "right") else value < self.high
            inside = above and below and math.isfinite(value)
        if not inside:
            raise ParameterError(
                f"{self.name} = {raw} is out of range; {self.name} is {self.meaning}; allowed: {self.allowed}"
            )
        return value


def resolve(
    parameters: Sequence[Parameter], preset: str, overrides: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Values of all `parameters` under `preset`, with typed and checked `overrides`.

    Raises
    ------
    ParameterError
        For an unknown preset or name (the known ones are listed) or a value that does not fit.
    """
    if preset not in PRESETS:
        raise ParameterError(f"preset = {preset!r} is unknown; allowed: {' or '.join(PRESETS)}")
    overrides = overrides or {}
    known = {parameter.name: parameter for parameter in parameters}
    unknown = [name for name in overrides if name not in known]
    if unknown:
        listing = "".join(
            f"\n  {p.name}: {p.meaning}; {p.type_name}; allowed: {p.allowed}" for p in parameters
        )
        raise ParameterError(f"unknown parameter {', '.join(unknown)}; the known ones are:{listing or ' none'}")
    return {
        name: parameter.parse(overrides[name]) if name in overrides else parameter.value(preset)
        for name, parameter in known.items()
    }

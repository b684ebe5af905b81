"""A proof by ball arithmetic that a function F(x, phi) is positive for 0 < x <= pi - phi.

The domain is cut into boxes in (s, phi) with ``x = s (pi - phi)``. A box is settled when its enclosure
shows ``F > 0`` or ``dF/dx > 0``. Since F = 0 at x = 0, going up in x at fixed phi through settled boxes
keeps F positive: either the box says so, or F was not negative where it entered and rises. Boxes that
show neither are halved. Balls (Arb, through python-flint) bound every rounding, so this is a proof, up to
the correctness of that library; dF/dx comes from power-series arithmetic, not from a formula of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
from flint import arb, arb_series
from numpy.typing import NDArray

__all__ = ["PositivityProof", "prove_positive"]


@dataclass(frozen=True)
class PositivityProof:
    """What :func:`prove_positive` found.

    Parameters
    ----------
    proved : bool
        Whether every box was settled.
    refuted : bool
        Whether the witness holds a point at which F is certainly negative.
    witness : tuple of float or None
        ``(phi_low, phi_high, s_low, s_high)`` of the box that ended an unsuccessful attempt;
        ``s = x/(pi - phi)``.
    phi : tuple of float
        The range of phi.
    boxes : ndarray, shape (n, 4)
        Settled boxes, ordered as `witness`.
    by_slope : ndarray of bool, shape (n,)
        Whether a box was settled by dF/dx > 0 (else by F > 0).
    examined : int
        Boxes looked at, including those that were halved.
    """

    proved: bool
    refuted: bool
    witness: tuple[float, float, float, float] | None
    phi: tuple[float, float]
    boxes: NDArray
    by_slope: NDArray
    examined: int


def prove_positive(F: Callable[[Any, Any, Any], Any], *, phi: tuple[float, float],
                   max_boxes: int = 200_000, resolution: float = 1e-7) -> PositivityProof:
    """Prove ``F(x, phi) > 0`` for all ``0 < x <= pi - phi`` and all phi in a range.

    Parameters
    ----------
    F : callable
        ``F(x, phi, ops)``, written with +, -, *, /, `ops.sin`, `ops.cos`, `ops.pi`, so that it runs in ball
        and power-series arithmetic. Must satisfy ``F(0, phi) = 0`` identically (as algebra: no enclosure can
        show that; a certain negative value at 0 is found and refutes).
    phi : tuple of float
        ``(low, high)``, ``0 < low < high < pi``.
    max_boxes : int
        Boxes after which the attempt ends as not proved.
    resolution : float
        Side of a box, in phi and in s, below which it is not halved: the attempt ends as not proved.

    Returns
    -------
    PositivityProof
        If not proved, with the box at which the attempt ended.

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    low, high = (float(end) for end in phi)
    if not 0 < low < high < np.pi:
        raise ValueError(f"phi = {phi}; allowed: (low, high) with 0 < low < high < pi")
    if not (max_boxes >= 1 and resolution > 0):
        raise ValueError(f"max_boxes = {max_boxes}, resolution = {resolution}; allowed: at least 1, and > 0")
    ops = SimpleNamespace(sin=lambda t: t.sin(), cos=lambda t: t.cos(), pi=arb.pi())
    boxes, by_slope, examined = [], [], 0

    def ended(witness: tuple | None, *, refuted: bool = False) -> PositivityProof:
        return PositivityProof(witness is None, refuted, witness, (low, high), np.array(boxes).reshape(-1, 4),
                               np.array(by_slope, dtype=bool), examined)

    waiting = [(low, high, 0.0, 1.0)]
    while waiting:
        box = waiting.pop()
        examined += 1
        finding = _examine(F, box, ops)
        if finding == "negative":
            return ended(box, refuted=True)
        if finding is not None:
            boxes.append(box)
            by_slope.append(finding == "slope")
            continue
        if examined >= max_boxes or max(box[1] - box[0], box[3] - box[2]) < resolution:
            return ended(box)
        waiting.extend(_halves(box))
    return ended(None)


def _examine(F: Callable, box: tuple[float, float, float, float], ops: SimpleNamespace) -> str | None:
    """"slope" or "value" if the box is settled, "negative" if F < 0 somewhere in it, None if undecided."""
    phi_low, phi_high, s_low, s_high = box
    phi, middle = _ball(phi_low, phi_high), arb((phi_low + phi_high) / 2)
    x = _ball(s_low, s_high) * (ops.pi - phi)
    x_middle = arb((s_low + s_high) / 2) * (ops.pi - middle)
    at_middle = F(x_middle, middle, ops)
    if at_middle < 0 or (s_low == 0 and F(arb(0), middle, ops) < 0):
        return "negative"
    # Added to a result that does not depend on the variable, this makes a series of it.
    zero = arb_series([0, 0], 2)
    in_x = F(arb_series([x, 1], 2), phi, ops) + zero
    if in_x[1] > 0:
        return "slope"
    if s_low == 0:
        return None
    # Two enclosures of F over the box: the direct one, and the mean-value form about its middle.
    in_phi = F(x, arb_series([phi, 1], 2), ops) + zero
    mean_value = at_middle + in_x[1] * (x - x_middle) + in_phi[1] * (phi - middle)
    return "value" if in_x[0] > 0 or mean_value > 0 else None


def _ball(low: float, high: float) -> arb:
    return arb(low).union(arb(high))


def _halves(box: tuple[float, float, float, float]) -> list[tuple[float, float, float, float]]:
    """The two halves across the side that is longer in (x, phi)."""
    phi_low, phi_high, s_low, s_high = box
    if (s_high - s_low) * (np.pi - phi_low) > phi_high - phi_low:
        cut = (s_low + s_high) / 2
        return [(phi_low, phi_high, cut, s_high), (phi_low, phi_high, s_low, cut)]
    cut = (phi_low + phi_high) / 2
    return [(cut, phi_high, s_low, s_high), (phi_low, cut, s_low, s_high)]

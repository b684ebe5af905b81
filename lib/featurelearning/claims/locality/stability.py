"""Learning rates that a claim may be run with: below the limit of stability, or its numbers mean nothing."""

from __future__ import annotations

from collections.abc import Iterable

from numpy.typing import ArrayLike

from featurelearning.claims import ParameterError
from featurelearning.locality import linear_response

__all__ = ["require_increasing", "require_stable"]


def require_stable(name: str, eta: float, *, P: int, correlations: Iterable[ArrayLike],
                   activation: str = "erf") -> None:
    """Raise ParameterError if `eta`, called `name`, is unstable for a student at one of the correlations.

    The convolution is the less stable student at every correlation that is not negative.
    """
    for C in correlations:
        limit = linear_response("conv", P=P, C=C, eta=1e-6, sigma=0.0, activation=activation).eta_max
        if eta >= limit:
            raise ParameterError(f"{name} = {eta:g} at P = {P} and correlation {C}: the convolution "
                                 f"diverges; allowed: {name} < {limit:.4g}")


def require_increasing(name: str, values: tuple[float, ...], first: float | None = None) -> None:
    """Raise ParameterError unless `values`, called `name`, increase, and begin at `first` (if given)."""
    if any(b <= a for a, b in zip(values, values[1:], strict=False)):
        raise ParameterError(f"{name} = {values} must increase")
    if first is not None and values[0] != first:
        raise ParameterError(f"{name} = {values} must begin with {first:g}")

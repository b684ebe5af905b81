"""Gaussian averages of the chosen activation, callable from the compiled right-hand sides."""

from __future__ import annotations

from numba import njit

from featurelearning.gaussian import (
    erf_H, erf_I2, erf_I4, erf_J, erf_J4, linear_H, linear_I2, linear_I4, linear_J, linear_J4,
)

__all__ = ["ACTIVATIONS", "H", "I2", "I4", "J", "J4", "is_linear"]

ACTIVATIONS = ("erf", "linear")


def is_linear(activation: str) -> bool:
    """Whether the activation is ``g(x) = x``; the other choice is ``g(x) = erf(x / sqrt 2)``.

    Raises
    ------
    ValueError
        For any other activation: the equations need the average of four fields in closed form.
    """
    if activation not in ACTIVATIONS:
        raise ValueError(f"activation = {activation!r} has no closed equations; allowed: "
                         f"{' or '.join(ACTIVATIONS)}")
    return activation == "linear"


@njit(cache=True)
def I2(linear, aa, ab, bb):
    """Average ``<g(a) g(b)>``."""
    return linear_I2(aa, ab, bb) if linear else erf_I2(aa, ab, bb)


@njit(cache=True)
def J(linear, aa, ab, bb):
    """Average ``<g'(a) g'(b)>``."""
    return linear_J(aa, ab, bb) if linear else erf_J(aa, ab, bb)


@njit(cache=True)
def H(linear, aa, ab, bb):
    """Average ``<g''(a) g(b)>``."""
    return linear_H(aa, ab, bb) if linear else erf_H(aa, ab, bb)


@njit(cache=True)
def I4(linear, aa, ab, ac, ad, bb, bc, bd, cc, cd, dd):
    """Average ``<g'(a) g'(b) g(c) g(d)>``."""
    if linear:
        return linear_I4(aa, ab, ac, ad, bb, bc, bd, cc, cd, dd)
    return erf_I4(aa, ab, ac, ad, bb, bc, bd, cc, cd, dd)


@njit(cache=True)
def J4(linear, aa, ab, ac, ad, bb, bc, bd, cc, cd, dd):
    """Average ``<g'(a) g'(b) g'(c) g'(d)>``."""
    if linear:
        return linear_J4(aa, ab, ac, ad, bb, bc, bd, cc, cd, dd)
    return erf_J4(aa, ab, ac, ad, bb, bc, bd, cc, cd, dd)

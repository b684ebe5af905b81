r"""The activations of the simulators, and their derivatives, compiled.

.. math::

    g(x) = \mathrm{erf}(x/\sqrt2), \qquad g(x) = x, \qquad g(x) = \max(x, 0).
"""

from __future__ import annotations

import math

from numba import njit

__all__ = ["ERF", "LINEAR", "RELU", "activation_code", "g", "g_prime"]

ERF, LINEAR, RELU = 0, 1, 2
_CODES = {"erf": ERF, "linear": LINEAR, "relu": RELU}


def activation_code(activation: str) -> int:
    """The number by which the compiled loops know an activation.

    Parameters
    ----------
    activation : {"erf", "linear", "relu"}

    Returns
    -------
    int

    Raises
    ------
    ValueError
        If the name is another one.
    """
    if activation not in _CODES:
        raise ValueError(f"activation = {activation!r} is unknown; allowed: {', '.join(_CODES)}")
    return _CODES[activation]


@njit(cache=True, inline="always")
def g(code: int, x: float) -> float:
    """Activation ``g(x)``: ``erf(x/sqrt 2)``, ``x`` or ``max(x, 0)`` for codes ERF, LINEAR, RELU."""
    if code == ERF:
        return math.erf(x * math.sqrt(0.5))
    if code == LINEAR:
        return x
    return max(x, 0.0)


@njit(cache=True, inline="always")
def g_prime(code: int, x: float) -> float:
    """Derivative ``g'(x)``: ``sqrt(2/pi) exp(-x^2/2)``, 1, or the step (0 at 0)."""
    if code == ERF:
        return math.sqrt(2 / math.pi) * math.exp(-0.5 * x * x)
    if code == LINEAR:
        return 1.0
    return 1.0 if x > 0.0 else 0.0

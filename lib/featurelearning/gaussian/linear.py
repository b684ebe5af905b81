r"""The averages of :mod:`featurelearning.gaussian.erf` for linear and for rectified linear units.

For ReLU the average of two activations times two derivatives is an orthant integral without closed
form, so only the averages over two fields are here. The constants of linear units are returned as numbers,
which broadcast.
"""

from __future__ import annotations

import numpy as np
from numba import njit

__all__ = ["linear_H", "linear_I2", "linear_I4", "linear_J", "linear_J4", "relu_I2", "relu_J"]


@njit(cache=True)
def linear_I2(aa, ab, bb):
    """Average ``<a b> = ab`` of two linear units."""
    return ab


@njit(cache=True)
def linear_J(aa, ab, bb):
    """Average ``<g'(a) g'(b)> = 1`` of the derivatives of two linear units."""
    return 1.0


@njit(cache=True)
def linear_H(aa, ab, bb):
    """Average ``<g''(a) g(b)> = 0`` of linear units."""
    return 0.0


@njit(cache=True)
def linear_I4(aa, ab, ac, ad, bb, bc, bd, cc, cd, dd):
    """Average ``<g'(a) g'(b) g(c) g(d)> = cd`` of linear units; arguments as for ``erf_I4``."""
    return cd


@njit(cache=True)
def linear_J4(aa, ab, ac, ad, bb, bc, bd, cc, cd, dd):
    """Average 1 of four derivatives of linear units; arguments as for ``erf_J4``."""
    return 1.0


@njit(cache=True)
def relu_I2(aa, ab, bb):
    r"""Average of two ReLUs, ``sqrt(aa bb) [sqrt(1 - rho^2) + rho (pi/2 + arcsin rho)] / (2 pi)``.

    Parameters
    ----------
    aa, ab, bb : float or array
        Entries of a positive semi-definite 2x2 covariance; ``rho = ab / sqrt(aa bb)``, and a zero
        variance gives zero.

    Returns
    -------
    float or array
        Non-negative.

    Notes
    -----
    Arc-cosine kernel of order one, Cho and Saul (2009), halved.
    """
    rest = np.sqrt(np.maximum(aa * bb - ab * ab, 0.0))
    return np.maximum(rest + ab * (0.5 * np.pi + np.arctan2(ab, rest)), 0.0) / (2.0 * np.pi)


@njit(cache=True)
def relu_J(aa, ab, bb):
    r"""Average of two ReLU derivatives, ``1/4 + arcsin(rho) / (2 pi)`` with ``rho = ab / sqrt(aa bb)``.

    Parameters
    ----------
    aa, ab, bb : float or array
        Entries of a positive semi-definite 2x2 covariance.

    Returns
    -------
    float or array
        In [0, 1/2], the probability that both fields are positive.

    Notes
    -----
    Arc-cosine kernel of order zero, Cho and Saul (2009), halved.
    """
    rest = np.sqrt(np.maximum(aa * bb - ab * ab, 0.0))
    return 0.25 + np.arctan2(ab, rest) / (2.0 * np.pi)

r"""Gaussian averages of ``g(x) = erf(x / sqrt 2)`` and its derivatives, in closed form.

All fields are centred and jointly Gaussian; ``ab`` is the covariance of the fields a and b, ``aa``
the variance of a. Every function takes numbers or arrays (which broadcast), is compiled, and can be
called from other compiled code. Variances may be zero and fields may coincide: the covariance need
only be positive semi-definite.

Saad and Solla, "On-line learning in soft committee machines" (1995); the average of four
derivatives is derived here.
"""

from __future__ import annotations

import numpy as np
from numba import njit

__all__ = ["erf_H", "erf_I2", "erf_I4", "erf_J", "erf_J4"]

TWO_OVER_PI = 2.0 / np.pi


@njit(cache=True)
def erf_I2(aa, ab, bb):
    r"""Average :math:`I_2 = \langle g(a) g(b)\rangle = \frac{2}{\pi}\arcsin\frac{ab}{\sqrt{(1+aa)(1+bb)}}`.

    Parameters
    ----------
    aa, ab, bb : float or array
        Entries of a positive semi-definite 2x2 covariance.

    Returns
    -------
    float or array
        In (-1, 1).
    """
    return TWO_OVER_PI * _arcsine(ab / np.sqrt((1.0 + aa) * (1.0 + bb)))


@njit(cache=True)
def erf_J(aa, ab, bb):
    r"""Average :math:`J = \langle g'(a) g'(b)\rangle = \frac{2}{\pi}\,[(1+aa)(1+bb) - ab^2]^{-1/2}`.

    Parameters
    ----------
    aa, ab, bb : float or array
        Entries of a positive semi-definite 2x2 covariance.

    Returns
    -------
    float or array
        In (0, 2/pi].
    """
    return TWO_OVER_PI / np.sqrt(_determinant(aa, ab, bb))


@njit(cache=True)
def erf_H(aa, ab, bb):
    r"""Average :math:`H = \langle g''(a) g(b)\rangle = -J\,ab/(1+aa)`, with J of :func:`erf_J`.

    Parameters
    ----------
    aa, ab, bb : float or array
        Entries of a positive semi-definite 2x2 covariance; a is the field of the second derivative.

    Returns
    -------
    float or array
    """
    return -TWO_OVER_PI * ab / ((1.0 + aa) * np.sqrt(_determinant(aa, ab, bb)))


@njit(cache=True)
def erf_I4(aa, ab, ac, ad, bb, bc, bd, cc, cd, dd):
    r"""Average :math:`I_4 = \langle g'(a) g'(b) g(c) g(d)\rangle`.

    The factors :math:`g'(a) g'(b) \propto e^{-(a^2+b^2)/2}` turn the Gaussian into another one, with
    covariance :math:`\Sigma' = (\Sigma^{-1} + \Pi_a + \Pi_b)^{-1}`, so that

    .. math::

        I_4 = \langle g'(a)g'(b)\rangle\,\frac{2}{\pi}
              \arcsin\frac{\Sigma'_{cd}}{\sqrt{(1+\Sigma'_{cc})(1+\Sigma'_{dd})}} .

    It equals the formula of Saad and Solla in :math:`L_0, L_1, L_2, L_4`, with
    :math:`L_0 = L_4 \Sigma'_{cd}`, :math:`L_1 = L_4 (1+\Sigma'_{cc})`, but divides by nothing below 1
    and subtracts squares one field at a time.

    Parameters
    ----------
    aa, ab, ac, ad, bb, bc, bd, cc, cd, dd : float or array
        Upper triangle of a positive semi-definite 4x4 covariance, by rows.

    Returns
    -------
    float or array
    """
    a = 1.0 + aa
    b = 1.0 + _variance_left(aa, ab, bb)
    bc_left = bc - ab * ac / a
    bd_left = bd - ab * ad / a
    cc_left = np.maximum(cc - ac * ac / a - bc_left * bc_left / b, 0.0)
    dd_left = np.maximum(dd - ad * ad / a - bd_left * bd_left / b, 0.0)
    cd_left = cd - ac * ad / a - bc_left * bd_left / b
    return TWO_OVER_PI / np.sqrt(a * b) * erf_I2(cc_left, cd_left, dd_left)


@njit(cache=True)
def erf_J4(aa, ab, ac, ad, bb, bc, bd, cc, cd, dd):
    r"""Average :math:`\langle g'(a) g'(b) g'(c) g'(d)\rangle = (2/\pi)^2 \det(1 + \Sigma)^{-1/2}`.

    Parameters
    ----------
    aa, ab, ac, ad, bb, bc, bd, cc, cd, dd : float or array
        Upper triangle of a positive semi-definite 4x4 covariance, by rows; fields may repeat.

    Returns
    -------
    float or array
        In (0, (2/pi)^2].
    """
    a = 1.0 + aa
    b = 1.0 + _variance_left(aa, ab, bb)
    bc_left = bc - ab * ac / a
    bd_left = bd - ab * ad / a
    cc_left = np.maximum(cc - ac * ac / a - bc_left * bc_left / b, 0.0)
    dd_left = np.maximum(dd - ad * ad / a - bd_left * bd_left / b, 0.0)
    cd_left = cd - ac * ad / a - bc_left * bd_left / b
    return TWO_OVER_PI * TWO_OVER_PI / np.sqrt(a * b * _determinant(cc_left, cd_left, dd_left))


@njit(cache=True)
def _determinant(aa, ab, bb):
    """``(1+aa)(1+bb) - ab^2``, at least 1 because ``ab^2 <= aa bb``."""
    return 1.0 + aa + bb + np.maximum(aa * bb - ab * ab, 0.0)


@njit(cache=True)
def _variance_left(aa, ab, bb):
    """Variance of b after the factor ``exp(-a^2/2)``: ``bb - ab^2 / (1 + aa)``."""
    return (bb + np.maximum(aa * bb - ab * ab, 0.0)) / (1.0 + aa)


@njit(cache=True)
def _arcsine(x):
    """Arcsine of a ratio that rounding may carry past 1."""
    return np.arcsin(np.minimum(np.maximum(x, -1.0), 1.0))

"""The limit of infinite imbalance: its landscape at the selected solution, and its linear rates.

At D = infinity the duplicates follow ``E(q, P, theta)`` with chi = phi frozen, downhill in the metric
``dq^2 + q^2 dtheta^2 + dP^2/M``: the number of redundant units, M = m - 1, is in the metric only.
Coordinates at the selected solution (q, theta, P) = (1, 0, 0) are ``(q - 1, q theta, P)``.
Trajectories of the limit are those of :func:`featurelearning.gauge.duplicates` with ``D=numpy.inf``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from featurelearning.gauge.rates import fast_coefficient_rate, fast_selected_direction_rate
from featurelearning.gaussian import relu_kernel, relu_kernel_slope

__all__ = ["decay_rate", "hessian", "limit_rates"]


def hessian(phi: float) -> NDArray:
    """Hessian of the loss at the selected solution, ``[[1/2, 0, K], [0, 1/2, -K'], [K, -K', 1/2]](phi)``.

    Positive definite for 0 < phi < pi: eigenvalues ``1/2`` and ``1/2 +- n`` with
    ``n = sqrt(K^2 + K'^2) < 1/2``.

    Parameters
    ----------
    phi : float
        Angle of the redundant direction, in (0, pi).

    Returns
    -------
    ndarray, shape (3, 3)
        Symmetric.

    Raises
    ------
    ValueError
        If phi is out of range.
    """
    if not 0 < phi < np.pi:
        raise ValueError(f"phi = {phi}; allowed: 0 < phi < pi")
    K, slope = relu_kernel(phi), relu_kernel_slope(phi)
    return np.array([[0.5, 0, K], [0, 0.5, -slope], [K, -slope, 0.5]])


def limit_rates(*, m: int, phi: float) -> NDArray:
    """Linear rates of the limit at the selected solution: the eigenvalues of ``diag(1, 1, M) H``, ascending.

    Computed from the similar symmetric matrix ``M^(1/2) H M^(1/2)``. The least one, lambda, governs
    ``P ~ e^{-lambda tau}`` and ``L ~ e^{-2 lambda tau}``; it lies between ``1/2 - n`` (m = 2) and
    ``1/2 - 2 n^2`` (m = infinity).

    Parameters
    ----------
    m : int
        Number of units, at least 2.
    phi : float
        Angle in (0, pi).

    Returns
    -------
    ndarray, shape (3,)
        Positive.

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    return _rates(np.ones(2), m=m, phi=phi)


def decay_rate(*, m: int, chi: float, D: float) -> float:
    """Linear rate lambda at finite imbalance: the least eigenvalue of ``diag(S/D, A/D, M) H(chi)``.

    S and A are the selected unit's rates at coefficient 1 and imbalance D.

    Parameters
    ----------
    m : int
        Number of units, at least 2.
    chi : float
        Final redundant angle, in (0, pi).
    D : float
        Imbalance, positive or ``numpy.inf``.

    Returns
    -------
    float
        In fast time.

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    if not D > 0:
        raise ValueError(f"D = {D}; allowed: an imbalance > 0, or numpy.inf")
    one = np.float64(1.0)
    return float(_rates(np.array([fast_coefficient_rate(one, D), fast_selected_direction_rate(one, D)]), m=m,
                        phi=chi)[0])


def _rates(selected: NDArray, *, m: int, phi: float) -> NDArray:
    if not (m >= 2 and m == int(m)):
        raise ValueError(f"m = {m}; allowed: a whole number of units >= 2")
    root = np.sqrt([*selected, m - 1])
    return np.linalg.eigvalsh(root[:, None] * hessian(phi) * root[None, :])

r"""Closed form of the linear network's equation of state for many samples.

For n much larger than PS every direction of a filter decouples. The teacher's direction, of variance
:math:`\lambda`, obeys with :math:`k = \sigma_a^2/(\chi P)` and :math:`\tau = \sigma^2/n`

.. math::

    \frac1\lambda = \frac{S}{\sigma_w^2} - \frac kC\Bigl[\frac{|a|^2}{(k\lambda+\tau)^2}
        - \frac{P}{k\lambda+\tau}\Bigr] .
"""

from __future__ import annotations

import numpy as np

__all__ = ["cubic_eigenvalue", "cubic_roots"]


def cubic_roots(
    *, P: int, S: int, C: float, tau: float, chi: float = 1.0, sw2: float = 1.0, sa2: float = 1.0,
    a2: float = 1.0
) -> np.ndarray:
    r"""All positive roots :math:`\lambda/S_0`, :math:`S_0 = \sigma_w^2/S`, in ascending order.

    The equation times :math:`\lambda(k\lambda+\tau)^2` is a cubic. For C >= P there is exactly one root,
    since the difference of its two sides is then strictly monotone.

    Parameters
    ----------
    P, S : int
        Patches and patch size, >= 1.
    C : float
        Width, > 0.
    tau : float
        Noise variance per sample, > 0.
    chi, sw2, sa2, a2 : float
        Readout scaling, variances, and squared length of the teacher's readout, all > 0.

    Returns
    -------
    array

    Raises
    ------
    ValueError
        If an argument is not positive.

    Notes
    -----
    Derived here.
    """
    given = dict(P=P, S=S, C=C, tau=tau, chi=chi, sw2=sw2, sa2=sa2, a2=a2)
    for name, value in given.items():
        if not value > 0:
            raise ValueError(f"{name} = {value}; allowed: {name} > 0")
    # In units of S0, so that the coefficients are of order one: k stands for k S0.
    S0 = sw2 / S
    k = sa2 * S0 / (chi * P)
    coefficients = [
        k**2,
        2 * k * tau + k**2 * (P / C - 1),
        tau**2 + k * (P * tau - a2) / C - 2 * k * tau,
        -(tau**2),
    ]
    roots = np.roots(coefficients)
    real = roots.real[np.abs(roots.imag) < 1e-9 * np.abs(roots)]
    return np.sort(real[real > 0])


def cubic_eigenvalue(
    *, P: int, S: int, C: float, tau: float, chi: float = 1.0, sw2: float = 1.0, sa2: float = 1.0,
    a2: float = 1.0
) -> float:
    r"""The unique positive root :math:`\lambda/S_0` (arguments as :func:`cubic_roots`).

    Raises
    ------
    ValueError
        If there are several, which needs C < P, or an argument is not positive.
    """
    roots = cubic_roots(P=P, S=S, C=C, tau=tau, chi=chi, sw2=sw2, sa2=sa2, a2=a2)
    if len(roots) != 1:
        raise ValueError(f"C = {C}, P = {P}: {len(roots)} positive roots; one is guaranteed for C >= P only")
    return float(roots[0])

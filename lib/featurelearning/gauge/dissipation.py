"""Where the loss of duplicates goes: into coefficients or directions, of the selected or the redundant units.

Under any loss ``dL/dt = - sum_j [S_j g_j^2 + a_j^2 |h_j|^2]``, with ``g_j = -dL/dq_j``, ``-q_j h_j`` the
gradient in the direction s_j and ``a_j^2 = (S_j + delta_j)/2``: a coefficient and a direction part per unit.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from featurelearning.gauge.duplicates import duplicates_loss, duplicates_rhs, duplicates_start
from featurelearning.gauge.integrate import increasing_times, landing
from featurelearning.gauge.rates import fast_coefficient_rate, fast_selected_direction_rate

__all__ = ["Dissipation", "dissipation", "dissipation_rates"]


@dataclass(frozen=True)
class Dissipation:
    """Loss dissipated up to the fast times `tau`, and the loss left; arrays of shape (T,).

    The four parts are non-negative and increasing, and add up to ``loss[0] - loss`` when tau[0] = 0.
    """

    tau: NDArray
    selected_coefficient: NDArray
    selected_direction: NDArray
    redundant_coefficient: NDArray
    redundant_direction: NDArray
    loss: NDArray

    @property
    def total(self) -> NDArray:
        """Sum of the four parts."""
        return (self.selected_coefficient + self.selected_direction
                + self.redundant_coefficient + self.redundant_direction)

    @property
    def direction_share(self) -> NDArray:
        """Part of the dissipated loss that went into directions (nan at tau = 0)."""
        with np.errstate(invalid="ignore"):
            return (self.selected_direction + self.redundant_direction) / self.total


def dissipation_rates(state: NDArray, *, m: float, phi: float, D: float) -> NDArray:
    """The four parts of ``-dL/dtau``: selected coefficient, direction; redundant coefficient, direction.

    From the velocities: with ``dq/dt = S g`` and ``ds/dt = A h``, a coefficient's part is
    ``(dq/dt)^2/S`` and a direction's part ``a^2 |h|^2 = (q/A) |ds/dt|^2``.

    Parameters
    ----------
    state : ndarray, shape (4,)
        ``(q, theta, P, D^2 (chi - phi))``.
    m, phi, D
        As in :func:`featurelearning.gauge.duplicates`.

    Returns
    -------
    ndarray, shape (4,)
        Non-negative.
    """
    dq, dtheta, dP, dx = duplicates_rhs(state, m=m, phi=phi, D=D)
    q, _, P, _ = state
    M = m - 1
    p = P / M
    return np.array([
        dq**2 / fast_coefficient_rate(q, D),
        q * dtheta**2 / fast_selected_direction_rate(q, D),
        dP**2 / (M * fast_coefficient_rate(p, D)),
        # M (p/A) chi'^2 with p/A = (S + D)/2, which is regular at p = 0, and chi' = x'/D^2.
        M * (1 + fast_coefficient_rate(p, D)) / 2 * (dx / D) ** 2,
    ])


def dissipation(tau: ArrayLike, *, m: int, phi: float, D: float, kappa: float = 1.0) -> Dissipation:
    """Dissipated loss by part along the flow of duplicates, integrated together with it.

    Parameters
    ----------
    tau : array_like, shape (T,)
        Fast times >= 0, strictly increasing.
    m, phi, D, kappa
        As in :func:`featurelearning.gauge.duplicates`, scalars.

    Returns
    -------
    Dissipation

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    tau = increasing_times(tau, "tau")
    start = np.concatenate([duplicates_start(m=m, phi=phi, kappa=kappa), np.zeros(4)])

    def rhs(_: float, y: NDArray) -> NDArray:
        case = {"m": m, "phi": phi, "D": D}
        return np.concatenate([duplicates_rhs(y[:4], **case), dissipation_rates(y[:4], **case)])

    times = tau if tau[0] == 0 else np.concatenate(([0.0], tau))
    y = landing(rhs, start, times)[len(times) - len(tau):].T
    return Dissipation(tau, *y[4:], duplicates_loss(y[0], y[1], y[2], phi + y[3] / D**2))

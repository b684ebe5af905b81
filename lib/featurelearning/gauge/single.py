"""One student and one teacher: the same function, two imbalances, two speeds and two paths.

    dq/dt = S (K(theta) - q/2),    dtheta/dt = A K'(theta),

with the rates S and A of the imbalance delta. The angle decreases to 0 and q tends to 1. Since
theta is monotone it serves as the clock: paths and alignment times come from one integration in
theta, whatever the stiffness in time. Teacher coefficient and norm are 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.integrate import solve_ivp

from featurelearning.gauge.integrate import increasing_times, landing
from featurelearning.gauge.rates import coefficient_rate, direction_rate
from featurelearning.gaussian import relu_kernel, relu_kernel_slope

__all__ = ["AlignmentPath", "alignment_path", "alignment_time", "nullcline", "path_curvature",
           "single_flow", "single_velocity", "velocity_determinant"]


@dataclass(frozen=True)
class AlignmentPath:
    """A path of one student, by angle: arrays of one shape, `theta` decreasing.

    `t` is the time since the start, `q` the coefficient and `c` the alignment ``cos theta``.
    """

    theta: NDArray
    q: NDArray
    t: NDArray

    @property
    def c(self) -> NDArray:
        """Alignment ``cos theta``."""
        return np.cos(self.theta)


def single_velocity(q: ArrayLike, theta: ArrayLike, delta: ArrayLike) -> tuple[NDArray, NDArray]:
    """Velocity ``(dq/dt, dtheta/dt) = (S [K(theta) - q/2], A K'(theta))`` at imbalance `delta`.

    Raises
    ------
    ValueError
        If an argument is not finite, or the direction is undefined (q = 0 with delta >= 0).
    """
    return (coefficient_rate(q, delta) * (relu_kernel(theta) - np.asarray(q) / 2),
            direction_rate(q, delta) * relu_kernel_slope(theta))


def nullcline(theta: ArrayLike) -> NDArray:
    """Best coefficient at a fixed direction, ``q = 2 K(theta)``: there dq/dt = 0 at any imbalance."""
    return 2 * relu_kernel(theta)


def single_flow(t: ArrayLike, *, q0: float, theta0: float, delta: float) -> tuple[NDArray, NDArray]:
    """Coefficient and angle at times `t` (original time, unit learning rates), start at t = 0.

    For large negative imbalance over times of order ``|delta|`` use :func:`alignment_path`, which
    does not resolve the fast relaxation of q in time.

    Parameters
    ----------
    t : array_like, shape (T,)
        Times >= 0, strictly increasing.
    q0, theta0 : float
        Start: ``q0 > 0``, ``0 <= theta0 < pi``.
    delta : float
        Imbalance, any sign.

    Returns
    -------
    q, theta : ndarray, shape (T,)

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    t = increasing_times(t, "t")
    _check_start(q0, theta0)
    times = t if t[0] == 0 else np.concatenate(([0.0], t))
    states = landing(lambda _, y: np.array(single_velocity(y[0], y[1], delta)), np.array([q0, theta0]), times)
    return states[len(times) - len(t):, 0], states[len(times) - len(t):, 1]


def alignment_path(theta: ArrayLike, *, q0: float, delta: float, weight_decay: float = 0.0) -> AlignmentPath:
    """Path from angle ``theta[0]`` through the angles `theta`: ``dq/dtheta`` and ``dt/dtheta = 1/(A K')``.

    With weight decay ``(lambda/2)(|a|^2 + |w|^2)`` in the loss, ``dq/dt = S g - 2 lambda q`` and
    ``delta(t) = delta e^{-2 lambda t}``; the direction's equation is unchanged.

    Parameters
    ----------
    theta : array_like, shape (T,)
        Strictly decreasing angles in (0, pi), the first one the start.
    q0 : float
        Initial coefficient, positive.
    delta : float
        Initial imbalance, any sign.
    weight_decay : float
        lambda >= 0.

    Returns
    -------
    AlignmentPath

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    theta = np.atleast_1d(np.asarray(theta, dtype=float))
    if np.any(np.diff(theta) >= 0) or not np.all((theta > 0) & (theta < np.pi)):
        raise ValueError(f"theta = {theta}; allowed: strictly decreasing angles strictly between 0 and pi")
    if not (np.isfinite(weight_decay) and weight_decay >= 0):
        raise ValueError(f"weight_decay = {weight_decay}; allowed: a finite lambda >= 0")
    _check_start(q0, theta[0])

    def by_angle(angle: float, state: NDArray) -> NDArray:
        q, t = state
        dq, dtheta = single_velocity(q, angle, delta * np.exp(-2 * weight_decay * t))
        return np.array([(dq - 2 * weight_decay * q) / dtheta, 1 / dtheta])

    if len(theta) == 1:
        return AlignmentPath(theta, np.array([float(q0)]), np.zeros(1))
    # q relaxes ~ D^2 times faster than theta turns at delta = -D: an implicit method is needed.
    solution = solve_ivp(by_angle, (theta[0], theta[-1]), [q0, 0.0], method="LSODA", t_eval=theta[1:],
                         rtol=1e-11, atol=1e-13)
    if not solution.success:
        raise ArithmeticError(f"integration in the angle stopped: {solution.message}")
    return AlignmentPath(theta, np.append(q0, solution.y[0]), np.append(0.0, solution.y[1]))


def alignment_time(delta: float, *, q0: float, theta0: float, stop: float,
                   weight_decay: float = 0.0) -> float:
    """Time in which the angle falls from `theta0` to `stop`, in original time.

    Parameters
    ----------
    delta : float
        Imbalance ``a^2 - |w|^2``, any sign.
    q0 : float
        Initial coefficient, positive.
    theta0, stop : float
        Initial and final angle, ``0 < stop < theta0 < pi``.
    weight_decay : float
        lambda >= 0 of a penalty ``(lambda/2)(|a|^2 + |w|^2)``.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    if not 0 < stop < theta0 < np.pi:
        raise ValueError(f"stop = {stop}, theta0 = {theta0}; allowed: 0 < stop < theta0 < pi")
    return float(alignment_path([theta0, stop], q0=q0, delta=delta, weight_decay=weight_decay).t[-1])


def velocity_determinant(q: ArrayLike, theta: ArrayLike, D: ArrayLike) -> NDArray:
    """Sine of the angle between the velocities in the plane (q, c) at imbalances +D and -D.

    The determinant ``q'_+ c'_- - q'_- c'_+ = S g (c'_- - c'_+)`` with ``g = K(theta) - q/2``, over
    the product of the two speeds. It is zero only on the nullcline (g = 0): elsewhere no change of
    time makes the two paths one.

    Parameters
    ----------
    q, theta, D : array_like
        State and size of the imbalance, broadcast together; ``q > 0``, ``0 < theta < pi``.

    Returns
    -------
    ndarray
        In [-1, 1].
    """
    (q_plus, c_plus), (q_minus, c_minus) = (
        (dq, -np.sin(theta) * dtheta)
        for dq, dtheta in (single_velocity(q, theta, D), single_velocity(q, theta, -np.asarray(D)))
    )
    return (q_plus * c_minus - q_minus * c_plus) / (np.hypot(c_plus, q_plus) * np.hypot(c_minus, q_minus))


def path_curvature(theta: ArrayLike, delta: ArrayLike) -> NDArray:
    """Second derivative ``q''(c) = S (dK/dc) / c' = S / (A sin^2 theta)`` of a path on the nullcline.

    There q'(c) = 0 for either sign of the imbalance, but this curvature differs by ``A(D)/A(-D)``.

    Parameters
    ----------
    theta, delta : array_like
        Angle in (0, pi) on the nullcline ``q = 2 K(theta)``, and imbalance.

    Returns
    -------
    ndarray
    """
    q = nullcline(theta)
    return coefficient_rate(q, delta) / (direction_rate(q, delta) * np.sin(theta) ** 2)


def _check_start(q0: float, theta0: float) -> None:
    if not (np.isfinite(q0) and q0 > 0):
        raise ValueError(f"q0 = {q0}; allowed: a finite initial coefficient > 0")
    if not 0 <= theta0 < np.pi:
        raise ValueError(f"theta0 = {theta0}; allowed: 0 <= theta0 < pi")

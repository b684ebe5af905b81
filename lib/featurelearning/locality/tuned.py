"""The error after a given time with the learning rate that is best for that time."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize, minimize_scalar

from featurelearning.locality.averages import is_linear
from featurelearning.locality.exchangeable import exchangeable_error, exchangeable_rhs, exchangeable_slope
from featurelearning.locality.flow import solve_exchangeable
from featurelearning.locality.linear import linear_error

__all__ = ["TunedError", "annealed_error", "error_after", "first_order_transition", "tuned_error"]

# An error that diverges, or that no longer is a number, loses against every finite one.
HOPELESS = 1e3
# Learning rates that are looked at: below, training times of 1e-2 and less make no difference.
RATES = (1e-4, 20.0)
RATE_GRID = np.geomspace(*RATES, 49)


def error_after(student: str, T: float, eta: float, *, P: int, c: float, sigma: float, Q0: float = 0.5,
                activation: str = "erf", tied: bool = False, t0: float = np.inf) -> float:
    """Error at time `T` under the learning rate ``eta / (1 + t/t0)``; 1000 if it diverges.

    Parameters
    ----------
    student : {"conv", "lcn"}
    T : float
        Training time in units of D steps.
    eta : float
        Initial learning rate.
    P, c, sigma, Q0, activation, tied
        As for :func:`tuned_error`.
    t0 : float
        Time scale of the decay (default: constant rate).

    Returns
    -------
    float
    """
    if is_linear(activation) and np.isinf(t0):
        E = float(linear_error(student, T, P=P, c=c, eta=eta, sigma=sigma, Q0=Q0, tied=tied))
    else:
        try:
            E = solve_exchangeable(student, [T], (Q0, Q0 if tied else 0.0, 0.0), P=P, c=c, eta=eta,
                                   sigma=sigma,
                                   activation=activation, t0=t0, rtol=1e-8, atol=1e-10)[0][0]
        except RuntimeError:
            return HOPELESS
    return E if np.isfinite(E) and E < HOPELESS else HOPELESS


class TunedError(NamedTuple):
    """Best error ``E`` and the constant learning rate ``eta`` that attains it."""

    E: float | NDArray
    eta: float | NDArray


def tuned_error(
    student: str, T: ArrayLike, *, P: int, c: float, sigma: float, Q0: float = 0.5, activation: str = "erf",
    tied: bool = False,
) -> TunedError:
    """Best error ``E*(T) = min_eta E(T)`` over constant learning rates, and the rate that attains it.

    The first time is scanned over all rates; later ones start from their predecessor's best rate and
    fall back on the scan if the minimum is not inside a factor of 2.5 of it.

    Parameters
    ----------
    student : {"conv", "lcn"}
    T : float or (n,) array
        Training times, positive, best in increasing order.
    P : int
        Number of positions.
    c : float
        Correlation of two positions.
    sigma : float
        Standard deviation of the label noise.
    Q0 : float
        Norm of the initial weights; they do not overlap with the teacher.
    activation : {"erf", "linear"}
    tied : bool
        Whether free weights start equal at all positions (they start independent otherwise).

    Returns
    -------
    TunedError
        ``E`` and ``eta``, floats or (n,) arrays.

    Raises
    ------
    ValueError
        If an argument is outside its range.
    """
    times = np.atleast_1d(np.asarray(T, dtype=float))
    if not np.all(times > 0):
        raise ValueError(f"T = {T}: training times must be positive")
    model = {"P": P, "c": c, "sigma": sigma, "Q0": Q0, "activation": activation, "tied": tied}
    E, eta = np.empty_like(times), np.empty_like(times)
    for i, time in enumerate(times):

        def logarithm(x: float) -> float:
            return np.log(max(error_after(student, time, np.exp(x), **model), 1e-300))

        best = None if i == 0 else _minimum(logarithm, np.log(eta[i - 1]), np.log(2.5))
        if best is None:
            scan = [logarithm(x) for x in np.log(RATE_GRID)]
            step = np.log(RATE_GRID[1] / RATE_GRID[0])
            best = _minimum(logarithm, np.log(RATE_GRID[np.argmin(scan)]), 1.5 * step)
        if best is None:
            raise ValueError(f"no best learning rate between {RATES[0]:g} and {RATES[1]:g} at T = {time:g}")
        eta[i], E[i] = np.exp(best)
    return TunedError(E, eta) if np.ndim(T) else TunedError(float(E[0]), float(eta[0]))


def annealed_error(student: str, T: float, *, start: tuple[float, float] | None = None, **model
                   ) -> tuple[float, float, float]:
    """Best error at time `T` over the schedules ``eta0 / (1 + t/t0)``, by simplex search.

    Parameters
    ----------
    student : {"conv", "lcn"}
    T : float
        Training time, positive.
    start : (float, float), optional
        First guess of ``eta0`` and ``t0``; by default several: decay scales from a hundredth of `T`
        to far above it, each with the best constant rate times ``sqrt(1 + T/t0)``. The search keeps
        the best end, which may still be a local minimum.
    **model
        As for :func:`tuned_error`.

    Returns
    -------
    E, eta0, t0 : float
    """
    constant = tuned_error(student, T, **model)[1]
    guesses = [start] if start else [
        (constant * (1 + 1 / s) ** 0.5, s * T) for s in (0.02, 0.1, 0.5, 10.0)]

    def logarithm(x: NDArray) -> float:
        return np.log(max(error_after(student, T, np.exp(x[0]), t0=np.exp(x[1]), **model), 1e-300))

    ends = [minimize(logarithm, np.log(guess), method="Nelder-Mead",
                     options={"xatol": 1e-4, "fatol": 1e-7, "maxiter": 200}) for guess in guesses]
    best = min(ends, key=lambda end: end.fun)
    return float(np.exp(best.fun)), float(np.exp(best.x[0])), float(np.exp(best.x[1]))


def first_order_transition(*, P: int, c: float, sigma: float, Q0: float = 0.5,
                           activation: str = "erf") -> float:
    """Predicted transition time ``T_1 = (E_conv(0) - E_lcn(0)) / (rho_conv - rho_lcn)``.

    At first order in time the best rate lowers the error at speed ``rho = alpha^2 / (4 beta)``, where
    ``dE/dt(0) = -alpha eta + beta eta^2``. It is a lower estimate of the transition time, good when
    that is short. Derived here.

    Parameters
    ----------
    P, c, sigma, Q0, activation
        As for :func:`tuned_error`.

    Returns
    -------
    float
        Zero if both start with the same error (``c = 0``).
    """
    linear, a = is_linear(activation), P**-0.5
    E, rho = {}, {}
    for student in ("conv", "lcn"):
        shared = student == "conv"
        state = (Q0, Q0 if shared else 0.0, 0.0)
        slope = np.array(exchangeable_slope(*state, linear, P, c, a, 1.0))
        slow, fast = (slope @ exchangeable_rhs(*state, shared, linear, P, c, a, eta, sigma, 1.0)
                      for eta in (1.0, 2.0))
        beta = 0.5 * fast - slow
        alpha = beta - slow
        E[student], rho[student] = exchangeable_error(*state, linear, P, c, a, 1.0), alpha**2 / (4 * beta)
    return (E["conv"] - E["lcn"]) / (rho["conv"] - rho["lcn"])


def _minimum(function, centre: float, width: float) -> tuple[float, float] | None:
    """Minimum of `function` within `width` of `centre`, or None if it lies at an end."""
    found = minimize_scalar(function, bounds=(centre - width, centre + width), method="bounded",
                            options={"xatol": 1e-5})
    inside = abs(found.x - centre) < 0.98 * width
    return (found.x, found.fun) if inside else None

"""The symmetric saddle of a convolution whose kernel is larger than the teacher's.

On a ring the kernel ``w = (B, 0, ..)`` solves the task as well as ``(0, B, ..)``. Reversing the order of the
blocks maps the equations of motion to themselves, so a start without overlap with the teacher stays
symmetric and cannot reach these solutions: it ends at a saddle, which a small asymmetry leaves like
``exp(Lambda t)``. For two patches this is the whole story; longer kernels may pass several saddles.
Derived here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.interpolate import PchipInterpolator
from scipy.optimize import root
from scipy.stats import halfnorm

from featurelearning.locality.flow import Trajectory, committee_model, integrate
from featurelearning.locality.general import general_error, general_rhs
from featurelearning.locality.passage import time_to_error

__all__ = ["Saddle", "mean_recovery_time", "recovery_time", "symmetric_flow", "symmetric_saddle"]


@dataclass(frozen=True)
class Saddle:
    """Overlaps ``Q`` (k, k) and ``overlaps`` (k,), error ``E`` and growth rate of an asymmetry, ``rate``.

    For ``k = 2`` there are three numbers: ``Q11``, ``Q12`` and ``R``, the blocks' common overlap with the teacher.
    """

    Q: NDArray
    overlaps: NDArray
    E: float
    rate: float

    @property
    def Q11(self) -> float:
        """Norm of the first block."""
        return float(self.Q[0, 0])

    @property
    def Q12(self) -> float:
        """Overlap of the first two blocks."""
        return float(self.Q[0, 1])

    @property
    def R(self) -> float:
        """Overlap of the first block with the teacher."""
        return float(self.overlaps[0])


def symmetric_saddle(*, P: int, k: int, c: ArrayLike, eta: float, sigma: float, Q0: float = 0.5) -> Saddle:
    """Stationary point within the reversal-symmetric states of a periodic kernel of `k` patches.

    It is found from the end of the symmetric flow by Newton's method on the symmetric coordinates
    alone (in all coordinates rounding errors would grow like ``exp(Lambda t)``); ``Lambda`` is the
    largest growth rate of the antisymmetric coordinates, by central differences.

    Parameters
    ----------
    P : int
        Number of positions.
    k : int
        Kernel size in patches, ``2 <= k <= P``.
    c : float or (P, P) array
        Correlation of the patches; a matrix must not change when the positions are reversed.
    eta, sigma : float
        Learning rate and standard deviation of the label noise.
    Q0 : float
        Norm of the initial blocks.

    Returns
    -------
    Saddle

    Raises
    ------
    ValueError
        If an argument is outside its range.
    RuntimeError
        If no stationary point is found, or it is a solution and no saddle.
    """
    if k < 2:
        raise ValueError(f"k = {k}: the kernel must be larger than the teacher's, at least 2 patches")
    model = committee_model("conv", P=P, C=c, eta=eta, sigma=sigma, kernel=k)
    even, odd = _parity_bases(k)

    def motion(y: NDArray) -> NDArray:
        return _pack(*general_rhs(*_unpack(y, k), *model.constants))

    def within(x: NDArray) -> NDArray:
        return even.T @ motion(even @ x)

    end = symmetric_flow([1000.0 / eta], P=P, k=k, c=c, eta=eta, sigma=sigma, Q0=Q0)
    found = root(within, even.T @ _pack(end.Q[-1], end.R[-1]), tol=1e-13)
    if np.max(np.abs(found.fun)) > 1e-10:
        raise RuntimeError(f"no symmetric stationary point at eta = {eta}, c = {c}: {found.message}")
    y = even @ found.x
    step = 1e-5
    growth = np.array([odd.T @ (motion(y + step * e) - motion(y - step * e)) / (2 * step) for e in odd.T]).T
    Q, R = _unpack(y, k)
    rate = float(np.max(np.linalg.eigvals(growth).real))
    if rate <= 0:
        raise RuntimeError(f"the symmetric stationary point at eta = {eta}, c = {c} is no saddle (rate "
                           f"{rate:.3g})")
    return Saddle(Q, R[:, 0], float(general_error(Q, R, *model.constants)), rate)


def symmetric_flow(t: ArrayLike, *, P: int, k: int, c: ArrayLike, eta: float, sigma: float, Q0: float = 0.5
                   ) -> Trajectory:
    """Learning curve from zero overlap with the teacher, kept reversal-symmetric at every step.

    Without that, rounding errors grow like ``exp(Lambda t)`` and end the stay at the saddle.

    Parameters
    ----------
    t : (n,) array
        Increasing times, at least 0.
    P, k, c, eta, sigma, Q0
        As for :func:`symmetric_saddle`.

    Returns
    -------
    Trajectory
    """
    model = committee_model("conv", P=P, C=c, eta=eta, sigma=sigma, kernel=k)
    constants = model.constants
    even, _ = _parity_bases(k)

    def motion(x: NDArray, _: float) -> NDArray:
        return even.T @ _pack(*general_rhs(*_unpack(even @ x, k), *constants))

    t = np.atleast_1d(np.asarray(t, dtype=float))
    x = integrate(motion, even.T @ _pack(Q0 * np.eye(k), np.zeros((k, 1))), t, (), 1e-9, 1e-12)
    Q, R = zip(*(_unpack(even @ row, k) for row in x))
    E = np.array([general_error(q, r, *constants) for q, r in zip(Q, R)])
    return Trajectory(t, E, np.array(Q), np.array(R))


def recovery_time(delta: float, *, P: int, c: ArrayLike, eta: float, sigma: float, threshold: float,
                  boundary: str = "periodic", Q0: float = 0.5, t_max: float = 1e4) -> float:
    """Time to ``E = threshold`` with a kernel of two patches that starts with ``R_1 - R_2 = delta``.

    Parameters
    ----------
    delta : float
        Initial asymmetry; the start is ``R = (delta/2, -delta/2)``.
    P, c, eta, sigma, Q0
        As for :func:`symmetric_saddle`.
    threshold : float
        Error that counts as recovery.
    boundary : {"periodic", "zero"}
        Beyond the last patch the kernel wraps round, or meets zeros.
    t_max : float
        Longest time to look at.

    Returns
    -------
    float
        Time in units of D steps; NaN if it is later than `t_max`.
    """
    # a late escape amplifies the integrator's errors like the asymmetry itself
    return time_to_error("conv", threshold, t_max=t_max, P=P, C=c, eta=eta, sigma=sigma, kernel=2, Q0=Q0,
                         boundary=boundary, R0=np.array([[0.5 * delta], [-0.5 * delta]]), rtol=1e-10,
                         atol=1e-6 * min(1e-6, abs(delta)) if delta else 1e-12)


def mean_recovery_time(D: ArrayLike, *, P: int, c: ArrayLike, eta: float, sigma: float, threshold: float,
                       Q0: float = 0.5, points: int = 24) -> NDArray:
    """Recovery time averaged over random initial weights in `D` dimensions, kernel of two patches.

    Independent Gaussian weights start with ``delta = R_1 - R_2 ~ N(0, 2 Q0 / D)``; the average of
    :func:`recovery_time` over that law is taken on quantiles of ``|delta|``, between which the time is
    interpolated in ``ln |delta|``. For ``D -> infinity`` it grows like ``ln(D) / (2 Lambda)``.

    Parameters
    ----------
    D : float or (n,) array
        Patch dimensions.
    P, c, eta, sigma, threshold, Q0
        As for :func:`recovery_time`.
    points : int
        Number of asymmetries at which the equations are solved.

    Returns
    -------
    (n,) array
    """
    spread = np.sqrt(2 * Q0 / np.atleast_1d(np.asarray(D, dtype=float)))
    quantiles = halfnorm.ppf((np.arange(400) + 0.5) / 400)
    # overlaps beyond those of parallel weights are no start; they carry no weight at the D of interest
    largest = min(spread.max() * quantiles[-1], 1.9 * np.sqrt(Q0))
    delta = np.geomspace(spread.min() * quantiles[0], largest, points)
    times = [recovery_time(d, P=P, c=c, eta=eta, sigma=sigma, threshold=threshold, Q0=Q0) for d in delta]
    interpolated = PchipInterpolator(np.log(delta), times)
    return np.array([interpolated(np.log(np.minimum(s * quantiles, largest))).mean() for s in spread])


def _parity_bases(k: int) -> tuple[NDArray, NDArray]:
    """Orthonormal bases of the states (Q, R) that block reversal keeps, and of those it turns over."""
    size = k * (k + 1) // 2 + k
    reversal = np.zeros((size, size))
    for i, unit in enumerate(np.eye(size)):
        Q, R = _unpack(unit, k)
        reversal[:, i] = _pack(Q[::-1, ::-1], R[::-1])
    values, vectors = np.linalg.eig(reversal)
    even, odd = vectors[:, values.real > 0].real, vectors[:, values.real < 0].real
    return np.linalg.qr(even)[0], np.linalg.qr(odd)[0]


def _pack(Q: NDArray, R: NDArray) -> NDArray:
    return np.concatenate([Q[np.triu_indices(len(Q))], R[:, 0]])


def _unpack(y: NDArray, k: int) -> tuple[NDArray, NDArray]:
    Q = np.zeros((k, k))
    Q[np.triu_indices(k)] = y[: k * (k + 1) // 2]
    return Q + np.triu(Q, 1).T, np.ascontiguousarray(y[k * (k + 1) // 2:, None])

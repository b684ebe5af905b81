r"""Equations of state of the three-layer fully connected network with erf units.

Pre-activations :math:`h_1 = W_1 x` (N1 units), :math:`h_2 = W_2\,\mathrm{erf}(h_1)` (N2 units), output
:math:`a\cdot\mathrm{erf}(h_2)`. With :math:`Q_1(\Sigma) = \sigma_w^2 k(X\Sigma X^T)`, :math:`Q_f(K_1) =
(\sigma_a^2/\chi)\,k(K_1)` and :math:`D` the entrywise derivative of the arcsine kernel,

.. math::

    K_1^{-1} &= Q_1^{-1} - s, & s &= \tfrac{\sigma_a^2}{\chi N_2} D[A; K_1], & A &= tt^T - \tilde K^{-1}, \\
    \Sigma^{-1} &= \Sigma_0^{-1} - \tfrac{N_2}{N_1} B, & B &= \sigma_w^2 X^T D[A_1; X\Sigma X^T] X,
    & A_1 &= s + s K_1 s .

:math:`Q_1` is never inverted: :math:`K_1 = Q_1(1 - sQ_1)^{-1}`. :math:`\Sigma` is solved outside, :math:`s`
inside, since iterating both at once diverges.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular

from featurelearning.gaussian import arcsine_derivative, arcsine_kernel
from featurelearning.separation.anderson import anderson_mix
from featurelearning.separation.regression import Posterior, condition

__all__ = ["FCN3", "Hidden", "fcn3_free_energy", "fcn3_pull", "first_kernel", "solve_hidden"]

JITTER = 1e-10
HISTORY = 5
HALVINGS = 40


@dataclass(frozen=True)
class FCN3:
    r"""The student and its training data.

    Parameters
    ----------
    X, y : arrays, shapes (n, d) and (n,)
    N1, N2 : float
        Widths, > 0, both finite or both infinite.
    sigma2 : float
        Noise variance :math:`\sigma^2 > 0`.
    chi, sw2, sa2 : float
        Readout scaling and variances :math:`\sigma_w^2, \sigma_a^2`, all > 0.

    Raises
    ------
    ValueError
        If a width, variance or scaling is out of range.
    """

    X: np.ndarray
    y: np.ndarray
    N1: float
    N2: float
    sigma2: float
    chi: float = 1.0
    sw2: float = 2.0
    sa2: float = 2.0

    def __post_init__(self):
        for name in ("N1", "N2", "sigma2", "chi", "sw2", "sa2"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} = {getattr(self, name)}; allowed: {name} > 0")
        if np.isinf(self.N1) != np.isinf(self.N2):
            raise ValueError(f"N1 = {self.N1}, N2 = {self.N2}; allowed: both finite or both numpy.inf")

    @property
    def S0(self) -> float:
        """Prior variance of an entry of the first layer."""
        return self.sw2 / self.X.shape[1]


@dataclass(frozen=True)
class Hidden:
    r"""Second layer at fixed :math:`\Sigma`.

    Parameters
    ----------
    Q1, K1, s : arrays, shape (n, n)
        Kernel without and with the pull of the output, and that pull.
    posterior : Posterior
        Of the output GP.
    log_det : float
        :math:`\log\det(1 - sQ_1)`.
    residual : float
        Relative residual of :math:`s`.
    """

    Q1: np.ndarray
    K1: np.ndarray
    s: np.ndarray
    posterior: Posterior
    log_det: float
    residual: float

    @property
    def A1(self) -> np.ndarray:
        r""":math:`Q_1^{-1}K_1Q_1^{-1} - Q_1^{-1} = s + s K_1 s`."""
        return self.s + self.s @ self.K1 @ self.s


def first_kernel(model: FCN3, Sigma: np.ndarray) -> np.ndarray:
    r"""Kernel :math:`Q_1 = \sigma_w^2 k(X\Sigma X^T)` of the second pre-activations, with a relative jitter
    of 1e-10."""
    Q1 = model.sw2 * arcsine_kernel(model.X @ Sigma @ model.X.T)
    Q1[np.diag_indices_from(Q1)] += JITTER * np.trace(Q1) / len(Q1)
    return Q1


def solve_hidden(
    model: FCN3, Sigma: np.ndarray, s: np.ndarray | None = None, *, tolerance: float = 1e-11, steps: int = 200
) -> Hidden:
    r"""Solve :math:`s = (\sigma_a^2/\chi N_2)\,D[A; K_1(s)]` at fixed :math:`\Sigma` by Anderson mixing.

    A step that leaves :math:`1 - sQ_1` without a positive definite symmetric form is halved, and the
    history is forgotten whenever the residual doubles.

    Parameters
    ----------
    model : FCN3
    Sigma : array, shape (d, d)
    s : array, shape (n, n), optional
        Start (default: zero).
    tolerance : float
        Relative residual to reach; the best found is returned if it is not.
    steps : int

    Returns
    -------
    Hidden
    """
    Q1 = first_kernel(model, Sigma)
    R = np.linalg.cholesky(Q1)
    zero = np.zeros_like(Q1)
    hidden, target = _evaluate(model, Q1, R, zero if s is None else s) or _evaluate(model, Q1, R, zero)
    best, points, moves, damping = hidden, [], [], 1.0
    for _ in range(steps):
        if best.residual < tolerance:
            break
        points, moves = points[-HISTORY:] + [hidden.s], moves[-HISTORY:] + [target - hidden.s]
        move = anderson_mix(points, moves, damping) - hidden.s
        tries = (_evaluate(model, Q1, R, hidden.s + move * 0.5**k) for k in range(HALVINGS))
        here = next((state for state in tries if state is not None), None)
        if here is None:
            break
        if here[0].residual > 2 * hidden.residual:
            points, moves, damping = [], [], max(0.5 * damping, 0.05)
        hidden, target = here
        best = min(best, hidden, key=lambda state: state.residual)
    return best


def _evaluate(model: FCN3, Q1, R, s) -> tuple[Hidden, np.ndarray] | None:
    """State at s, and the s that the equation asks for; None where 1 - s Q1 is not positive."""
    try:
        factor = np.linalg.cholesky(np.eye(len(Q1)) - R.T @ s @ R)
    except np.linalg.LinAlgError:
        return None
    half = solve_triangular(factor, R.T, lower=True)
    K1 = half.T @ half
    posterior = condition(model.sa2 / model.chi * arcsine_kernel(K1), model.y, model.sigma2)
    target = np.zeros_like(Q1)
    if np.isfinite(model.N2):
        target = model.sa2 / (model.chi * model.N2) * arcsine_derivative(posterior.pull, K1)
    residual = np.linalg.norm(s - target) / max(np.linalg.norm(target), np.finfo(float).tiny)
    log_det = 2 * np.sum(np.log(np.diagonal(factor)))
    return Hidden(Q1, K1, s, posterior, log_det, float(residual)), target


def fcn3_free_energy(model: FCN3, Sigma: np.ndarray, hidden: Hidden) -> tuple[float, np.ndarray]:
    r"""Free energy with :math:`K_1` at its stationary point, and its gradient by the envelope theorem.

    .. math::

        F &= \tfrac{N_1}{2}[\mathrm{tr}\Sigma/S_0 - \log\det(\Sigma/S_0) - d]
            + \tfrac{N_2}{2}[\mathrm{tr}(sK_1) + \log\det(1 - sQ_1)] + \tfrac12 y\cdot t +
            \tfrac12\log\det\tilde K, \\
        \partial F/\partial\Sigma &= \tfrac{N_1}{2}(\Sigma_0^{-1} - \Sigma^{-1}) - \tfrac{N_2}{2} B .

    Parameters
    ----------
    model : FCN3
        With finite widths.
    Sigma : array, shape (d, d)
        Positive definite.
    hidden : Hidden
        The second layer at that :math:`\Sigma`.

    Returns
    -------
    float, array of shape (d, d)
    """
    d, S0 = len(Sigma), model.S0
    first = np.trace(Sigma) / S0 - np.linalg.slogdet(Sigma / S0)[1] - d
    second = np.sum(hidden.s * hidden.K1) + hidden.log_det
    energy = 0.5 * model.N1 * first + 0.5 * model.N2 * second + hidden.posterior.energy
    gradient = 0.5 * model.N1 * (np.eye(d) / S0 - np.linalg.inv(Sigma))
    return energy, gradient - 0.5 * model.N2 * fcn3_pull(model, Sigma, hidden)


def fcn3_pull(model: FCN3, Sigma: np.ndarray, hidden: Hidden) -> np.ndarray:
    r"""Pull :math:`B = \sigma_w^2 X^T D[A_1; X\Sigma X^T] X` of the second layer on the first, (d, d)."""
    B = model.sw2 * model.X.T @ arcsine_derivative(hidden.A1, model.X @ Sigma @ model.X.T) @ model.X
    return 0.5 * (B + B.T)

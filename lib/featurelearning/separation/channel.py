r"""Mean-field law of one channel without the Gaussian assumption.

If all channels are independent with a common density q, minimising :math:`C\,\mathrm{KL}(q\|\mathrm{prior})
- \log N(y; 0, \tilde K[q])` over all densities gives

.. math::

    q(w) \propto \exp\Bigl(-\frac{|w|^2}{2S_0} + \frac{\mathrm{tr}(A k_w)}{2C}\Bigr),\qquad
    k_w = p\sum_i \phi(X_iw)\phi(X_iw)^T,\qquad K = E_q[k_w] .

Restricting q to Gaussians gives back the equation of state of :mod:`.cnn`. Here q is a cloud of walkers
that Hamiltonian Monte Carlo moves while K follows their average. Derived here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import erf

from featurelearning.separation.cnn import CNN
from featurelearning.separation.posterior import erf_slope
from featurelearning.separation.regression import condition, relative_distance

__all__ = ["ChannelDensity", "channel_log_density", "solve_channel_density"]


@dataclass(frozen=True)
class ChannelDensity:
    r"""Self-consistent channel law.

    Parameters
    ----------
    walkers : array, shape (rounds, walkers, S)
        Filters in units of the prior's standard deviation, after the burn-in.
    kernel : array, shape (n, n)
        Self-consistent :math:`K`.
    mismatch : float
        Relative Frobenius distance between that and the kernel of the kept walkers.
    acceptance : float
    """

    walkers: np.ndarray
    kernel: np.ndarray
    mismatch: float
    acceptance: float


def channel_log_density(model: CNN, C: float, A: np.ndarray, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    r"""Log density up to a constant, and its gradient, of whitened filters :math:`w = \sqrt{S_0}\,q`.

    Parameters
    ----------
    model : CNN
        With erf units.
    C : float
        Width.
    A : array, shape (n, n)
        The pull on the output kernel.
    q : array, shape (walkers, S)

    Returns
    -------
    arrays of shapes (walkers,) and (walkers, S)
    """
    value, gradient = -0.5 * np.sum(q**2, axis=1), -q
    for X in model.patches:
        h = np.sqrt(model.S0) * (X @ q.T)
        pulled = A @ erf(h)
        value = value + model.p / (2 * C) * np.sum(erf(h) * pulled, axis=0)
        gradient = gradient + model.p / C * np.sqrt(model.S0) * (pulled * erf_slope(h)).T @ X
    return value, gradient


def solve_channel_density(
    model: CNN,
    C: float,
    *,
    start: np.ndarray,
    walkers: int,
    burn_in: int,
    rounds: int,
    rng: np.random.Generator,
    step: float = 0.3,
    leapfrog: int = 5,
) -> ChannelDensity:
    r"""Sample the channel law and make it self-consistent.

    In round r the kernel moves by :math:`1/(r+1)^{0.6}` of the way to the walkers' kernel in the burn-in,
    and by the running average afterwards, so that its noise dies out.

    Parameters
    ----------
    model : CNN
        With erf units.
    C : float
        Width.
    start : array, shape (S, S)
        Covariance of the first walkers in units of the prior variance, e.g. the Gaussian solution.
    walkers, burn_in, rounds : int
        Size of the cloud, rounds before and while it is kept.
    rng : numpy.random.Generator
    step, leapfrog : float, int
        Of a transition.

    Returns
    -------
    ChannelDensity

    Raises
    ------
    ValueError
        For linear units, whose channel law is Gaussian anyway.
    """
    if model.activation != "erf":
        raise ValueError(f"activation = {model.activation!r}; allowed: 'erf'")
    q = rng.standard_normal((walkers, model.data.S)) @ np.linalg.cholesky(start).T
    K = _mean_kernel(model, q)
    kept, sums, accepted = [], np.zeros_like(K), []
    for r in range(burn_in + rounds):
        A = condition(K, model.data.y, model.sigma2).pull
        q, rate = _transition(model, C, A, q, step, leapfrog, rng)
        accepted.append(rate)
        latest = _mean_kernel(model, q)
        K = K + (latest - K) / (1 + min(r, burn_in) + max(r - burn_in, 0)) ** 0.6
        if r >= burn_in:
            kept.append(q)
            sums += latest
    return ChannelDensity(np.array(kept), K, relative_distance(K, sums / rounds), float(np.mean(accepted)))


def _mean_kernel(model: CNN, q: np.ndarray) -> np.ndarray:
    K = np.zeros((model.data.n, model.data.n))
    for X in model.patches:
        phi = erf(np.sqrt(model.S0) * (X @ q.T))
        K += model.p / len(q) * (phi @ phi.T)
    return K


def _transition(model, C, A, q, step, leapfrog, rng) -> tuple[np.ndarray, float]:
    momentum = rng.standard_normal(q.shape)
    value, slope = channel_log_density(model, C, A, q)
    energy = value - 0.5 * np.sum(momentum**2, axis=1)
    moved, length = q, step * rng.uniform(0.8, 1.2)
    for _ in range(leapfrog):
        momentum = momentum + 0.5 * length * slope
        moved = moved + length * momentum
        value, slope = channel_log_density(model, C, A, moved)
        momentum = momentum + 0.5 * length * slope
    gain = value - 0.5 * np.sum(momentum**2, axis=1) - energy
    accept = np.log(rng.uniform(size=len(q))) < gain
    return np.where(accept[:, None], moved, q), float(np.mean(np.minimum(1, np.exp(np.minimum(gain, 0)))))

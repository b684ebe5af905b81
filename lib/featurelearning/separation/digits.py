r"""A small deep CNN on handwritten digits: convolution, erf, convolution, erf, readout.

Images of 8 x 8 pixels; both convolutions are 3 x 3 without padding, so the hidden maps have 36 and 16
positions. Filters have variance :math:`\sigma_w^2` over their fan-in, readouts :math:`\sigma_a^2/(16\chi
C)`. The readout is integrated out as in :mod:`.posterior`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from scipy.special import erf

from featurelearning.gaussian import arcsine_kernel
from featurelearning.separation.posterior import erf_slope
from featurelearning.separation.regression import condition

__all__ = ["DeepCNNPotential", "DigitsData", "digits_data", "layer_kernel", "second_layer_moments", "windows"]

SIDE, WINDOW = 8, 3
FIRST, SECOND = SIDE - WINDOW + 1, SIDE - 2 * WINDOW + 2


@dataclass(frozen=True)
class DigitsData:
    """Images, shape (n, 8, 8), pixels in [0, 1], and labels: -1 for digits 0 to 4, +1 for 5 to 9."""

    X: np.ndarray
    y: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray


def digits_data(n: int, n_test: int) -> DigitsData:
    """The first `n` digits of scikit-learn's set to train on, and the next `n_test` to test.

    Raises
    ------
    ValueError
        If the set is too small for that.
    """
    from sklearn.datasets import load_digits

    digits = load_digits()
    total = len(digits.images)
    if n < 1 or n_test < 1 or n + n_test > total:
        raise ValueError(f"n = {n}, n_test = {n_test}; allowed: each >= 1, together at most {total}")
    X = digits.images[: n + n_test] / 16
    y = np.where(digits.target[: n + n_test] < 5, -1.0, 1.0)
    return DigitsData(X[:n], y[:n], X[n:], y[n:])


@dataclass(frozen=True)
class DeepCNNPotential:
    r"""Collapsed potential of both convolutions in whitened weights.

    Parameters
    ----------
    data : DigitsData
    C : int
        Channels of both layers, >= 1.
    sigma2, chi, sw2, sa2 : float
        Noise variance, readout scaling, weight variances; > 0.
    """

    data: DigitsData
    C: int
    sigma2: float
    chi: float
    sw2: float
    sa2: float = 1.0

    def __post_init__(self):
        for name in ("C", "sigma2", "chi", "sw2", "sa2"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} = {getattr(self, name)}; allowed: {name} > 0")

    @property
    def dimension(self) -> int:
        """Number of whitened weights, 9C (1 + C)."""
        return WINDOW**2 * self.C * (1 + self.C)

    @property
    def weight(self) -> float:
        """Prior variance of a readout."""
        return self.sa2 / (self.chi * SECOND**2 * self.C)

    @cached_property
    def patches(self) -> np.ndarray:
        """Training patches, shape (36 n, 9)."""
        return windows(self.data.X[..., None])

    def layers(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Filters of both layers, (C, 9) and (C, 9C), the latter by offset and then channel."""
        cut = WINDOW**2 * self.C
        first = np.sqrt(self.sw2 / WINDOW**2) * q[:cut].reshape(self.C, -1)
        return first, np.sqrt(self.sw2 / cut) * q[cut:].reshape(self.C, -1)

    def hidden(self, q: np.ndarray, patches: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Pre-activations h1 (36 n, C) and h2 (16 n, C), and the windows (16 n, 9C) that h2 is made of."""
        first, second = self.layers(q)
        h1 = patches @ first.T
        inputs = windows(erf(h1).reshape(-1, FIRST, FIRST, self.C))
        return h1, inputs @ second.T, inputs

    def value_and_gradient(self, q: np.ndarray) -> tuple[float, np.ndarray]:
        """U(q) and its gradient, shape (dimension,)."""
        _, second = self.layers(q)
        h1, h2, inputs = self.hidden(q, self.patches)
        phi = erf(h2).reshape(len(self.data.y), -1)
        posterior = condition(self.weight * (phi @ phi.T), self.data.y, self.sigma2)
        d_h2 = -self.weight * (posterior.pull @ phi).reshape(h2.shape) * erf_slope(h2)
        d_h1 = _scatter(d_h2 @ second, self.C) * erf_slope(h1)
        gradient = np.concatenate([
            np.sqrt(self.sw2 / WINDOW**2) * (d_h1.T @ self.patches).ravel(),
            np.sqrt(self.sw2 / (WINDOW**2 * self.C)) * (d_h2.T @ inputs).ravel(),
        ])
        return 0.5 * (q @ q) + posterior.energy, q + gradient


def second_layer_moments(first_kernel: np.ndarray, sw2: float) -> np.ndarray:
    r"""Mean second moment of h2 at each of its 16 positions under the prior.

    .. math::

        \langle h_2(x,p)\,h_2(x',p)\rangle = \frac{\sigma_w^2}{9}\sum_{o\in 3\times 3} k_1(x, x')_{p+o}

    Parameters
    ----------
    first_kernel : array, shape (36, m, m)
        Activation kernel of the first layer at each position.
    sw2 : float

    Returns
    -------
    array, shape (16, m, m)
    """
    m = first_kernel.shape[-1]
    maps = first_kernel.reshape(FIRST, FIRST, m, m)
    around = sliding_window_view(maps, (WINDOW, WINDOW), axis=(0, 1))
    return sw2 * around.mean(axis=(-2, -1)).reshape(-1, m, m)


def layer_kernel(moments: np.ndarray) -> np.ndarray:
    """Mean over positions of the arcsine kernels of second moments, shape (positions, m, m) to (m, m)."""
    return np.mean(arcsine_kernel(moments), axis=0)


def windows(maps: np.ndarray) -> np.ndarray:
    """All 3 x 3 windows of maps (n, side, side, C) as rows (n positions, 9 C), by offset and then channel."""
    view = sliding_window_view(maps, (WINDOW, WINDOW), axis=(1, 2)).transpose(0, 1, 2, 4, 5, 3)
    return view.reshape(-1, WINDOW**2 * maps.shape[3])


def _scatter(rows: np.ndarray, C: int) -> np.ndarray:
    """Adjoint of `_windows` for the first hidden map: rows (16 n, 9 C) to (36 n, C)."""
    grid = rows.reshape(-1, SECOND, SECOND, WINDOW, WINDOW, C)
    maps = np.zeros((len(grid), FIRST, FIRST, C))
    for i in range(WINDOW):
        for j in range(WINDOW):
            maps[:, i:i + SECOND, j:j + SECOND] += grid[:, :, :, i, j]
    return maps.reshape(-1, C)

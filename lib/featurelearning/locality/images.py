r"""Correlation between neighbouring patches of real images, as the model defines it.

The model has :math:`E[x_p x_q^T] = C_{pq} S` with one covariance S for every patch, and S = I. For measured
cross-covariances :math:`K_{pq} = \mathrm{cov}(x_p, x_q)` and :math:`S = \frac1P\sum_p K_{pp}`,

.. math::

    C_{pq} = \frac{\mathrm{tr} K_{pq}}{\sqrt{\mathrm{tr} K_{pp}\,\mathrm{tr} K_{qq}}}, \qquad
    \text{share}_{pq} = \frac{\langle K_{pq}, S\rangle^2}{\|K_{pq}\|^2\,\|S\|^2},

the second being the part of :math:`\|K_{pq}\|^2` that a multiple of S explains: 1 if the covariance is the
Kronecker product :math:`C\otimes S`. Whitened patches are :math:`S^{-1/2} x_p`, which is the model's S = I.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["PatchCorrelation", "digits", "patch_correlation", "photographs", "quarters", "random_windows"]


@dataclass(frozen=True)
class PatchCorrelation:
    """Correlations of P patches.

    Parameters
    ----------
    C : ndarray, shape (P, P)
        Correlation ``tr K_pq`` normalised; unit diagonal.
    share : ndarray, shape (P, P)
        Part of ``|K_pq|^2`` that a multiple of the mean patch covariance explains, in [0, 1].
    whitened : ndarray, shape (P, P)
        `C` of the whitened patches.
    """

    C: NDArray
    share: NDArray
    whitened: NDArray

    @property
    def c(self) -> float:
        """Mean of `C` over the pairs of different patches."""
        return _mean_of_pairs(self.C)

    @property
    def kronecker_share(self) -> float:
        """Mean of `share` over the pairs of different patches."""
        return _mean_of_pairs(self.share)

    @property
    def whitened_c(self) -> float:
        """Mean of `whitened` over the pairs of different patches."""
        return _mean_of_pairs(self.whitened)


def patch_correlation(x: ArrayLike) -> PatchCorrelation:
    r"""Correlations :math:`C_{pq} = \mathrm{tr}K_{pq}/\sqrt{\mathrm{tr}K_{pp}\mathrm{tr}K_{qq}}` of patches.

    Whitening leaves out the directions in which the mean covariance S is zero to rounding.

    Parameters
    ----------
    x : array_like, shape (n, P, d)
        n samples of P patches with d pixels, ``n >= 2``, ``P >= 2``.

    Returns
    -------
    PatchCorrelation

    Raises
    ------
    ValueError
        If the shape is another one, or a patch is constant over the samples.
    """
    x = np.asarray(x, dtype=float)
    if x.ndim != 3 or x.shape[0] < 2 or x.shape[1] < 2:
        raise ValueError(f"x has shape {x.shape}; allowed: (n, P, d) with n >= 2 samples of P >= 2 patches")
    centred = x - x.mean(axis=0)
    K = np.einsum("npi,nqj->pqij", centred, centred, optimize=True) / (len(x) - 1)
    if np.any(np.einsum("ppii->p", K) <= 0):
        raise ValueError("a patch of x is constant over the samples; allowed: patches that vary")
    S = np.einsum("ppij->ij", K) / x.shape[1]
    norms = np.einsum("pqij,pqij->pq", K, K) * np.sum(S * S)
    share = np.einsum("pqij,ij->pq", K, S) ** 2 / np.maximum(norms, np.finfo(float).tiny)
    variances, directions = np.linalg.eigh(S)
    kept = variances > 1e-10 * variances[-1]
    whitening = directions[:, kept] / np.sqrt(variances[kept])
    return PatchCorrelation(_normalised_traces(K), share, _normalised_traces(whitening.T @ K @ whitening))


def random_windows(image: ArrayLike, size: int, n: int, rng: np.random.Generator) -> NDArray:
    """Windows of 2 x 2 neighbouring patches at n random places of an image.

    Parameters
    ----------
    image : array_like, shape (height, width)
        Grey values.
    size : int
        Side of a patch in pixels.
    n : int
        Number of windows, drawn with replacement.
    rng : numpy.random.Generator

    Returns
    -------
    ndarray, shape (n, 4, size**2)
        Patches in the order top left, top right, bottom left, bottom right.

    Raises
    ------
    ValueError
        If a window does not fit into the image.
    """
    image = np.asarray(image, dtype=float)
    if image.ndim != 2 or not 1 <= size <= min(image.shape) // 2:
        raise ValueError(f"size = {size} for an image of shape {image.shape}; allowed: 1 to half its sides")
    top = rng.integers(image.shape[0] - 2 * size + 1, size=n)
    left = rng.integers(image.shape[1] - 2 * size + 1, size=n)
    inside = np.arange(2 * size)
    return quarters(image[(top[:, None] + inside)[:, :, None], (left[:, None] + inside)[:, None, :]])


def quarters(windows: ArrayLike) -> NDArray:
    """The 2 x 2 patches of square windows: shape (n, 2 s, 2 s) to (n, 4, s**2)."""
    windows = np.asarray(windows, dtype=float)
    n, size = len(windows), windows.shape[1] // 2
    return windows.reshape(n, 2, size, 2, size).transpose(0, 1, 3, 2, 4).reshape(n, 4, size * size)


def photographs() -> dict[str, NDArray]:
    """Grey values (mean of the colours) of scikit-learn's two sample photographs by name, (427, 640) each."""
    from sklearn.datasets import load_sample_images  # takes a second to import, and no other module needs it

    sample = load_sample_images()
    names = [str(path).replace("\\", "/").rsplit("/", 1)[-1].split(".")[0] for path in sample.filenames]
    return {name: image.mean(axis=2) for name, image in zip(names, sample.images, strict=True)}


def digits() -> NDArray:
    """scikit-learn's 1797 handwritten digits as 2 x 2 patches of 4 x 4 pixels, shape (1797, 4, 16)."""
    from sklearn.datasets import load_digits

    return quarters(load_digits().images)


def _normalised_traces(K: NDArray) -> NDArray:
    traces = np.einsum("pqii->pq", K)
    scale = np.sqrt(traces.diagonal())
    return traces / np.outer(scale, scale)


def _mean_of_pairs(values: NDArray) -> float:
    return float(values[~np.eye(len(values), dtype=bool)].mean())

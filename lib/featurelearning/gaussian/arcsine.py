r"""The arcsine kernel of erf units and its derivative with respect to the covariance.

For jointly Gaussian, centred :math:`u, v` with covariance matrix :math:`G`,

.. math::

    E[\mathrm{erf}(u)\,\mathrm{erf}(v)] = \frac{2}{\pi}\arcsin\rho,\qquad
    \rho = \frac{2 G_{uv}}{\sqrt{(1 + 2 G_{uu})(1 + 2 G_{vv})}} .
"""

from __future__ import annotations

import numpy as np

__all__ = ["arcsine_cross_kernel", "arcsine_derivative", "arcsine_diagonal", "arcsine_kernel"]


def arcsine_kernel(G: np.ndarray) -> np.ndarray:
    r"""Kernel :math:`k(G)_{mn} = (2/\pi)\arcsin\bigl(2 G_{mn}/\sqrt{(1+2G_{mm})(1+2G_{nn})}\bigr)`.

    Parameters
    ----------
    G : array, shape (..., n, n)
        Symmetric positive semidefinite covariance of the pre-activations; leading axes are a batch.

    Returns
    -------
    array, shape (..., n, n)
        :math:`E[\mathrm{erf}(u_m)\,\mathrm{erf}(u_n)]`, entries in (-1, 1).

    Raises
    ------
    ValueError
        If `G` is not square or has a negative variance.

    Notes
    -----
    Williams, "Computing with infinite networks" (1996).
    """
    variance = _variances(G)
    return arcsine_cross_kernel(G, variance, variance)


def arcsine_cross_kernel(G: np.ndarray, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    r"""Kernel :math:`(2/\pi)\arcsin\bigl(2 G_{mn}/\sqrt{(1+2 l_m)(1+2 r_n)}\bigr)` between two sets of
    inputs.

    Parameters
    ----------
    G : array, shape (..., m, n)
        Covariance between the two sets of pre-activations.
    left, right : arrays, shapes (..., m) and (..., n)
        Their variances, nonnegative.

    Returns
    -------
    array, shape (..., m, n)
    """
    scale = np.sqrt((1 + 2 * left)[..., :, None] * (1 + 2 * right)[..., None, :])
    return (2 / np.pi) * np.arcsin(2 * G / scale)


def arcsine_diagonal(variance: np.ndarray) -> np.ndarray:
    r"""Diagonal of the kernel, :math:`E[\mathrm{erf}(u)^2] = (2/\pi)\arcsin(2 v/(1+2v))`."""
    return (2 / np.pi) * np.arcsin(2 * variance / (1 + 2 * variance))


def arcsine_derivative(A: np.ndarray, G: np.ndarray) -> np.ndarray:
    r"""Entrywise derivative :math:`D[A; G] = \partial \sum_{mn} A_{mn} k(G)_{mn} / \partial G`.

    With :math:`v_m = 1 + 2 G_{mm}` and :math:`\rho_{mn} = 2 G_{mn}/\sqrt{v_m v_n}`,

    .. math::

        D_{mn} &= \frac{2}{\pi}\frac{2 A_{mn}}{\sqrt{1-\rho_{mn}^2}\sqrt{v_m v_n}} \quad (m \ne n), \\
        D_{mm} &= \frac{2}{\pi}\Bigl[-\frac{2}{v_m}\sum_{n\ne m}\frac{A_{mn}\rho_{mn}}{\sqrt{1-\rho_{mn}^2}}
            + \frac{2 A_{mm}}{(1+2G_{mm})\sqrt{1+4G_{mm}}}\Bigr].

    The diagonal collects the variances, which every entry of a row and column of the kernel holds.
    "Entrywise" treats :math:`G_{mn}` and :math:`G_{nm}` as two variables, so that a symmetric change
    :math:`dG` gives :math:`d\sum A k = \sum_{mn} D_{mn}\,dG_{mn}`.

    Parameters
    ----------
    A : array, shape (..., n, n)
        Symmetric weights.
    G : array, shape (..., n, n)
        Symmetric positive semidefinite covariance, no two rows of it belonging to equal inputs (there
        :math:`\rho_{mn} = 1` is possible and the derivative diverges).

    Returns
    -------
    array, shape (..., n, n)
        Symmetric.

    Raises
    ------
    ValueError
        If the shapes do not match, or `G` has a negative variance.

    Notes
    -----
    Derived here.
    """
    variance = _variances(G)
    if A.shape[-2:] != G.shape[-2:]:
        raise ValueError(f"A has shape {A.shape}, G has {G.shape}; the last two axes must agree")
    v = 1 + 2 * variance
    scale = np.sqrt(v[..., :, None] * v[..., None, :])
    rho = 2 * G / scale
    diagonal = np.arange(G.shape[-1])
    rho[..., diagonal, diagonal] = 0
    slope = A / np.sqrt(1 - rho**2)
    D = (4 / np.pi) * slope / scale
    own = A[..., diagonal, diagonal] / (v * np.sqrt(1 + 4 * variance))
    D[..., diagonal, diagonal] = (4 / np.pi) * (own - np.sum(slope * rho, axis=-1) / v)
    return D


def _variances(G: np.ndarray) -> np.ndarray:
    if G.ndim < 2 or G.shape[-1] != G.shape[-2]:
        raise ValueError(f"G has shape {G.shape}; a square matrix, or a batch of them, is needed")
    variance = np.diagonal(G, axis1=-2, axis2=-1)
    if np.any(variance < 0):
        raise ValueError(f"G has the variance {variance.min()} on its diagonal; variances are >= 0")
    return variance

r"""Generalisation error of a student with given overlaps, for every activation of the simulators.

.. math::

    E = \tfrac12 \langle(\phi - y)^2\rangle
      = \frac{a^2}{2} \Bigl[\sum_{uu'} I_2(\lambda_u,\lambda_{u'}) - 2\sum_{u,mp} I_2(\lambda_u,\nu_{mp})
      + \sum_{mp,nq} I_2(\nu_{mp},\nu_{nq})\Bigr], \qquad I_2(a,b) = \langle g(a)g(b)\rangle,

without label noise. The covariances of the fields are linear in the overlaps Q and R.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from featurelearning.gaussian import erf_I2, linear_I2, relu_I2
from featurelearning.locality.activation import ERF, LINEAR
from featurelearning.locality.general import field_covariance
from featurelearning.locality.problem import Problem

__all__ = ["error_of_overlaps", "generalisation_errors"]


def generalisation_errors(setting: Problem, Q: NDArray, R: NDArray) -> NDArray:
    r"""Errors :math:`E = \langle(\phi - y)^2\rangle/2` of recorded overlaps.

    Parameters
    ----------
    setting : Problem
    Q : ndarray, shape (runs, n, n_b, n_b)
        Student overlaps, positive semidefinite.
    R : ndarray, shape (runs, n, n_b, M)
        Overlaps with the teacher.

    Returns
    -------
    ndarray, shape (runs, n)
    """
    model, E = setting.model, np.empty(Q.shape[:2])
    for index in np.ndindex(E.shape):
        E[index] = error_of_overlaps(Q[index], R[index], *model.taps, model.C, model.T, setting.code, model.a)
    return E


@njit(cache=True)
def error_of_overlaps(Q, R, count, block, patch, C, T, code, a):
    r"""Error :math:`E = \tfrac12\sum_{rs}\alpha_r\alpha_s I_2(z_r, z_s)` with :math:`\alpha_r = \pm a`.

    Compiled, for use inside other compiled loops.

    Parameters
    ----------
    Q, R : ndarray, shapes (n_b, n_b) and (n_b, M)
        Overlaps.
    count, block, patch : ndarray of int
        The model's taps: the entries of the architecture, unit by unit.
    C, T : ndarray, shapes (P, P) and (M, M)
        Correlation of the patches, overlaps of the teacher's filters.
    code : int
        Number of the activation.
    a : float
        Output scale.

    Returns
    -------
    float
        Non-negative.
    """
    covariance = field_covariance(Q, R, count, block, patch, C, T)
    units = count.size
    total = 0.0
    for r in range(len(covariance)):
        for s in range(r, len(covariance)):
            average = _I2(code, covariance[r, r], covariance[r, s], covariance[s, s])
            same_side = (r < units) == (s < units)
            total += (1.0 if same_side else -1.0) * (1.0 if r == s else 2.0) * average
    return max(0.5 * a * a * total, 0.0)


@njit(cache=True)
def _I2(code, aa, ab, bb):
    """Average ``<g(a) g(b)>`` of the activation with this code."""
    if code == ERF:
        return erf_I2(aa, ab, bb)
    if code == LINEAR:
        return linear_I2(aa, ab, bb)
    return relu_I2(aa, ab, bb)

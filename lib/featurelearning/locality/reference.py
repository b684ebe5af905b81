"""The equations of :mod:`featurelearning.locality.general`, written as sums over all indices.

Slow and obvious: every average is an array over all its fields, and the four-field average is the
formula of Saad and Solla (1995) itself. It is what the compiled equations are tested against.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from featurelearning.locality.general import CommitteeModel

__all__ = ["reference_error", "reference_rhs"]


def reference_error(model: CommitteeModel, Q: NDArray, R: NDArray) -> float:
    """Generalisation error ``E = 1/2 sum_rs alpha_r alpha_s I2(r, s)``.

    Parameters
    ----------
    model : CommitteeModel
    Q, R : (n_b, n_b) and (n_b, M) arrays
        Order parameters.

    Returns
    -------
    float
    """
    alpha = _field_weights(model)
    return 0.5 * alpha @ _two(_covariance(model, Q, R), model.activation) @ alpha


def reference_rhs(model: CommitteeModel, Q: NDArray, R: NDArray) -> tuple[NDArray, NDArray]:
    """Time derivatives of ``Q`` and ``R``, each term summed over units, fields, blocks and patches.

    ``dR_bm/dt = -eta a sum_up A[u,b,p] v_u <Delta g'(l_u) B_m.x_p>``,
    ``dQ_bb'/dt = -eta a (sum_up A[u,b,p] v_u <Delta g'(l_u) w^b'.x_p> + (b <-> b'))
    + eta^2 a^2 sum_uu'pq A[u,b,p] A[u',b',q] C_pq v_u v_u' <Delta^2 g'(l_u) g'(l_u')>``.

    Parameters
    ----------
    model : CommitteeModel
    Q, R : (n_b, n_b) and (n_b, M) arrays
        Order parameters.

    Returns
    -------
    dQ, dR : (n_b, n_b) and (n_b, M) arrays
    """
    A, C, U = model.A, model.C, len(model.A)
    alpha, cov = _field_weights(model), _covariance(model, Q, R)
    one = np.ones(len(alpha))
    variance = np.diag(cov)
    if model.activation == "linear":
        J, H = np.ones((U, len(alpha))), np.zeros((U, len(alpha)))
        squared = np.full((U, U), alpha @ cov @ alpha)
    else:
        determinant = np.outer(1 + variance[:U], 1 + variance) - cov[:U] ** 2
        J = 2 / np.pi / np.sqrt(determinant)
        H = -J * cov[:U] / np.outer(1 + variance[:U], one)
        squared = np.einsum("r,s,uwrs->uw", alpha, alpha, _four(cov, U))
    coefficient = alpha * J
    coefficient[:, :U] += np.diag(H @ alpha)

    # covariance of the fields w^b . x_p and B_m . x_p with the student's and the teacher's fields
    weight_fields = np.concatenate(
        [np.einsum("uaq,pq,ba->bpu", A, C, Q), np.einsum("pq,bm->bpmq", C, R).reshape(*A.shape[1:], -1)],
        axis=2)
    teacher_fields = np.concatenate(
        [np.einsum("ubq,pq,bm->mpu", A, C, R),
         np.einsum("pq,mn->mpnq", C, model.T).reshape(len(model.T), len(C), -1)], axis=2)
    drift_R = model.a * np.einsum("ubp,u,us,mps->bm", A, model.v, coefficient, teacher_fields)
    drift_Q = model.a * np.einsum("ubp,u,us,aps->ba", A, model.v, coefficient, weight_fields)
    noise = squared + model.sigma**2 * J[:, :U]
    square = model.a**2 * np.einsum("ubp,waq,pq,u,w,uw->ba", A, A, C, model.v, model.v, noise, optimize=True)
    return -model.eta * (drift_Q + drift_Q.T) + model.eta**2 * square, -model.eta * drift_R


def _field_weights(model: CommitteeModel) -> NDArray:
    return model.a * np.concatenate([model.v, -np.repeat(model.v_star, len(model.C))])


def _covariance(model: CommitteeModel, Q: NDArray, R: NDArray) -> NDArray:
    A, C = model.A, model.C
    students = np.einsum("ubp,waq,pq,ba->uw", A, A, C, Q, optimize=True)
    mixed = np.einsum("ubp,pq,bm->umq", A, C, R).reshape(len(A), -1)
    return np.block([[students, mixed], [mixed.T, np.kron(model.T, C)]])


def _two(cov: NDArray, activation: str) -> NDArray:
    if activation == "linear":
        return cov
    scale = np.sqrt(1 + np.diag(cov))
    return 2 / np.pi * np.arcsin(np.clip(cov / np.outer(scale, scale), -1, 1))


def _four(cov: NDArray, U: int) -> NDArray:
    """``<g'(l_u) g'(l_w) g(z_r) g(z_s)>`` as an array over ``u, w, r, s``."""
    variance = np.diag(cov)
    aa, bb = variance[:U, None, None, None], variance[None, :U, None, None]
    cc, dd = variance[None, None, :, None], variance[None, None, None, :]
    ab, cd = cov[:U, :U, None, None], cov[None, None, :, :]
    ac, ad = cov[:U, None, :, None], cov[:U, None, None, :]
    bc, bd = cov[None, :U, :, None], cov[None, :U, None, :]
    L4 = (1 + aa) * (1 + bb) - ab**2
    L0 = L4 * cd - bc * bd * (1 + aa) - ac * ad * (1 + bb) + ab * ac * bd + ab * ad * bc
    L1 = L4 * (1 + cc) - bc**2 * (1 + aa) - ac**2 * (1 + bb) + 2 * ab * ac * bc
    L2 = L4 * (1 + dd) - bd**2 * (1 + aa) - ad**2 * (1 + bb) + 2 * ab * ad * bd
    return 4 / np.pi**2 / np.sqrt(L4) * np.arcsin(np.clip(L0 / np.sqrt(L1 * L2), -1, 1))

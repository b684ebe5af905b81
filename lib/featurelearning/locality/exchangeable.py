"""Equations of motion of the three order parameters that equal correlations leave.

One teacher filter, one student filter of the matched size, ``C_pq = c`` for ``p != q``: all positions
are alike, and the state is

``Q``  norm of the weights at one position, ``w_p . w_p / D``;
``O``  overlap of the weights at two positions, ``w_p . w_q / D`` (a convolution has ``O = Q``);
``R``  overlap with the teacher, ``w_p . B / D``.

The cost of a right-hand side does not depend on the number of positions.
"""

from __future__ import annotations

from numba import njit

from featurelearning.locality.averages import H, I2, I4, J

__all__ = ["exchangeable_error", "exchangeable_rhs", "exchangeable_slope"]


@njit(cache=True)
def exchangeable_error(Q, O, R, linear, P, c, a, T):
    """Generalisation error ``E = 1/2 <(phi - y)^2>`` without label noise.

    ``E = a^2/2 [P e(same) + P (P-1) e(other)]`` with ``e = I2(l,l) - 2 I2(l,n) + I2(n,n)`` over
    student fields l and teacher fields n at the same position, and at two positions.

    Parameters
    ----------
    Q, O, R : float
        Order parameters.
    linear : bool
        Whether ``g(x) = x`` rather than ``erf(x / sqrt 2)``.
    P : int
        Number of positions.
    c : float
        Correlation of two positions, ``-1/(P-1) <= c <= 1``.
    a : float
        Output scale.
    T : float
        Squared norm of the teacher, ``B . B / D``.

    Returns
    -------
    float
        Non-negative.
    """
    same = I2(linear, Q, Q, Q) - 2.0 * I2(linear, Q, R, T) + I2(linear, T, T, T)
    other = I2(linear, Q, c * O, Q) - 2.0 * I2(linear, Q, c * R, T) + I2(linear, T, c * T, T)
    return max(0.5 * a * a * P * (same + (P - 1) * other), 0.0)


@njit(cache=True)
def exchangeable_slope(Q, O, R, linear, P, c, a, T):
    """Derivatives ``(dE/dQ, dE/dO, dE/dR)``, arguments as for :func:`exchangeable_error`.

    They use ``d<g(a)g(b)>/d(ab) = <g'g'>`` and ``d<g(a)g(b)>/d(aa) = <g''g>/2``. Derived here.
    """
    n = P - 1
    by_Q = H(linear, Q, Q, Q) + J(linear, Q, Q, Q) - H(linear, Q, R, T)
    by_Q += n * (H(linear, Q, c * O, Q) - H(linear, Q, c * R, T))
    by_O = n * c * J(linear, Q, c * O, Q)
    by_R = -2.0 * (J(linear, Q, R, T) + n * c * J(linear, Q, c * R, T))
    scale = 0.5 * a * a * P
    return scale * by_Q, scale * by_O, scale * by_R


@njit(cache=True)
def exchangeable_rhs(Q, O, R, shared, linear, P, c, a, eta, sigma, T):
    """Time derivatives ``(dQ/dt, dO/dt, dR/dt)`` of online SGD with step ``eta / D``, time ``steps / D``.

    With p one position and o another,

    ``h  = H(lp,lp) + (P-1) H(lp,lo) - H(lp,np) - (P-1) H(lp,no)``,
    ``gR = h R + J(lp,lp) R + (P-1) J(lp,lo) c R - J(lp,np) T - (P-1) J(lp,no) c T``, and likewise
    ``gQ, gO`` (projections of the mean update on the own and on another position's weights):

    free weights: ``dR = -eta a^2 gR``, ``dQ = -2 eta a^2 gQ + eta^2 a^2 N_same``,
    ``dO = -2 eta a^2 gO + eta^2 a^2 c N_other``;
    shared weights: ``dR = -eta a^2 P gR``,
    ``dQ = dO = -2 eta a^2 P gQ + eta^2 a^2 (P N_same + P (P-1) c N_other)``.

    Derived here; ``N`` is :func:`squared_update`.

    Parameters
    ----------
    Q, O, R : float
        Order parameters; shared weights require ``O = Q``.
    shared : bool
        Convolution (True) or locally connected (False).
    linear, P, c, a, T
        As for :func:`exchangeable_error`.
    eta : float
        Learning rate.
    sigma : float
        Standard deviation of the label noise.

    Returns
    -------
    tuple of float
    """
    n = P - 1
    J_same, J_other = J(linear, Q, Q, Q), J(linear, Q, c * O, Q)
    J_teacher, J_far = J(linear, Q, R, T), J(linear, Q, c * R, T)
    h = H(linear, Q, Q, Q) - H(linear, Q, R, T) + n * (H(linear, Q, c * O, Q) - H(linear, Q, c * R, T))
    gR = (h + J_same + n * c * J_other) * R - (J_teacher + n * c * J_far) * T
    gQ = (h + J_same) * Q + n * c * J_other * O - (J_teacher + n * c * J_far) * R
    N_same, N_other = squared_update(Q, O, R, linear, P, c, a, sigma, T)
    rate = eta * a * a
    if shared:
        dQ = -2.0 * rate * P * gQ + eta * rate * P * (N_same + n * c * N_other)
        return dQ, dQ, -rate * P * gR
    gO = (h + J_same + (P - 2) * c * J_other) * O + J_other * c * Q - (J_teacher + n * c * J_far) * R
    dQ = -2.0 * rate * gQ + eta * rate * N_same
    dO = -2.0 * rate * gO + eta * rate * c * N_other
    return dQ, dO, -rate * gR


@njit(cache=True)
def squared_update(Q, O, R, linear, P, c, a, sigma, T):
    """Averages ``N_pq = <Delta^2 g'(l_p) g'(l_q)>`` of the squared error, for p = q and for p != q.

    ``Delta = a sum_r e_r - sigma zeta`` with ``e = g(l) - g(n)``, so ``N`` sums the four-field
    averages over the positions r, s, grouped by which of p, q, r, s coincide.

    Returns
    -------
    same, other : float
        `other` is 0 where it does not enter (one position, or ``c = 0``).
    """
    n = P - 1
    same = 0.0
    same += _four(0, 0, 0, 0, Q, O, R, linear, c, T)
    if n > 0:
        same += 2 * n * _four(0, 0, 0, 1, Q, O, R, linear, c, T)
        same += n * _four(0, 0, 1, 1, Q, O, R, linear, c, T)
    if n > 1:
        same += n * (n - 1) * _four(0, 0, 1, 2, Q, O, R, linear, c, T)
    same = a * a * same + sigma * sigma * J(linear, Q, Q, Q)
    if n == 0 or c == 0.0:
        return same, 0.0
    other = 2 * _four(0, 1, 0, 0, Q, O, R, linear, c, T) + 2 * _four(0, 1, 0, 1, Q, O, R, linear, c, T)
    if n > 1:
        other += 4 * (n - 1) * _four(0, 1, 0, 2, Q, O, R, linear, c, T)
        other += (n - 1) * _four(0, 1, 2, 2, Q, O, R, linear, c, T)
    if n > 2:
        other += (n - 1) * (n - 2) * _four(0, 1, 2, 3, Q, O, R, linear, c, T)
    return same, a * a * other + sigma * sigma * J(linear, Q, c * O, Q)


@njit(cache=True)
def _four(p, q, r, s, Q, O, R, linear, c, T):
    """Average ``<g'(l_p) g'(l_q) e_r e_s>`` with ``e = g(l) - g(n)``; p, q, r, s are position labels."""
    pq = Q if p == q else c * O
    total = 0.0
    for r_teacher in range(2):
        rr = T if r_teacher else Q
        pr = (R if p == r else c * R) if r_teacher else (Q if p == r else c * O)
        qr = (R if q == r else c * R) if r_teacher else (Q if q == r else c * O)
        for s_teacher in range(2):
            ss = T if s_teacher else Q
            ps = (R if p == s else c * R) if s_teacher else (Q if p == s else c * O)
            qs = (R if q == s else c * R) if s_teacher else (Q if q == s else c * O)
            if r_teacher and s_teacher:
                rs = T if r == s else c * T
            elif r_teacher or s_teacher:
                rs = R if r == s else c * R
            else:
                rs = Q if r == s else c * O
            sign = 1.0 if r_teacher == s_teacher else -1.0
            total += sign * I4(linear, Q, pq, pr, ps, Q, qr, qs, rr, rs, ss)
    return total

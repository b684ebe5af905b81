"""Kernels are inert at infinite width and adapt at finite width."""

from __future__ import annotations

import numpy as np

from featurelearning.claims import Claim, Evidence, close, within
from featurelearning.claims.parameters import Parameter
from featurelearning.claims.separation.parameters import N_SAMPLES, P, S, SIGMA2
from featurelearning.separation import adaptation_slope, solve_cnn, teacher_data

__all__ = ["CLAIMS"]

WIDTHS = Parameter(
    "C", (10.0, 30.0, 100.0, 300.0, 1000.0, 3000.0, 10000.0), "widths, ascending",
    quick=(30.0, 300.0, 1000.0, 10000.0), low=1, high=1e6, at_least=2,
    why="the smallest one should adapt visibly and the largest ones hardly"
)


def b2(*, C, n, P, S, sigma2) -> Evidence:
    r"""Check that C (lambda - 1) tends to the first-order coefficient and falls as 1/C.

    Data, for each activation ("linear", "erf"): ``<activation>_lambda`` over ``C``,
    ``<activation>_perpendicular``, and the coefficient ``<activation>_slope``.
    """
    checks, data = [], {"C": np.array(C)}
    for activation in ("linear", "erf"):
        task = teacher_data(activation, n=n, P=P, S=S)
        slope = adaptation_slope(task, activation=activation, sigma2=sigma2)
        solved = [solve_cnn(task, C=width, activation=activation, sigma2=sigma2) for width in C]
        lam = np.array([solution.teacher_eigenvalue for solution in solved])
        tail = np.log((lam[-1] - 1) / (lam[-2] - 1)) / np.log(C[-1] / C[-2])
        order = 10 * max(1.0, abs(slope) / 32)
        for width, value in zip(C, lam):
            if width < 1000:
                continue
            checks.append(close(
                f"{activation}_coefficient_{width:g}", rf"$C(\lambda - 1)$ at C = {width:g}, {activation}",
                width * (value - 1), slope, relative=order / width,
                reason="the next order of the wide expansion is 10/C or "
                       "less, and more if adaptation is stronger",
            ))
        checks.append(close(
            f"{activation}_exponent", rf"log-log slope of $\lambda - 1$ between the two largest widths, "
                                      rf"{activation}",
            tail, -1.0, absolute=order * (1 / C[-2] - 1 / C[-1]) / np.log(C[-1] / C[-2]),
            reason="the same next order, carried through the logarithm",
        ))
        infinite = solve_cnn(task, C=np.inf, activation=activation, sigma2=sigma2).teacher_eigenvalue
        checks.append(within(
            f"{activation}_adapts", rf"$\lambda$ at the smallest width, over its infinite-width value, "
                                    rf"{activation}",
            lam[0] / infinite, 1 + 0.2 * slope / C[0], np.inf,
            reason="a kernel that adapts is visibly above 1; saturation "
                   "lets less than the first order through",
        ))
        data |= {
            f"{activation}_lambda": lam, f"{activation}_slope": slope,
            f"{activation}_perpendicular": np.array([solution.orthogonal_eigenvalue for solution in solved]),
        }
    return Evidence(tuple(checks), data)


CLAIMS = (
    Claim(
        id="B2", paper="separation",
        statement="The kernel of an infinitely wide network does not react to the data, while at "
                  "width C the filter covariance grows along the teacher in proportion to 1/C, "
                  "with a coefficient that one Gaussian-process regression gives.",
        source="Abstract (kernels inert at infinite width, adapting at "
               "finite width); the coefficient is derived here",
        kind="figure", notebook="separation/adaptation",
        parameters=(WIDTHS, N_SAMPLES, P, S, SIGMA2), measure=b2,
    ),
)

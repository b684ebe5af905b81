"""Speed of the locality equations as ratios, both sides timed in turn in one run, on one thread.

Run ``OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 python tests/bench/bench_locality_ode.py``.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from featurelearning.locality import (
    CommitteeModel, committee_model, exchangeable_rhs, general_rhs, reference_rhs, solve_general,
)
from featurelearning.locality.flow import integrate

ROUNDS = 5


def seconds(sides: Sequence[tuple[Callable[[], object], int]]) -> list[float]:
    """Median over interleaved rounds of the time per call of each (function, calls in a round)."""
    samples: list[list[float]] = [[] for _ in sides]
    for side, _ in sides:
        side()
    for _ in range(ROUNDS):
        for sample, (side, calls) in zip(samples, sides, strict=True):
            start = time.perf_counter()
            for _ in range(calls):
                side()
            sample.append((time.perf_counter() - start) / calls)
    return [float(np.median(sample)) for sample in samples]


def eight_filters() -> tuple[CommitteeModel, NDArray, NDArray]:
    """Eight filters at one position, eight orthonormal teachers, and a start near the unspecialised state."""
    model = committee_model("conv", P=1, C=0.0, eta=0.3, sigma=0.1, filters=8, teachers=8, a=8**-0.5)
    R = 1e-2 * np.random.default_rng(0).normal(size=(8, 8))
    return model, 0.5 * np.eye(8) + R @ R.T, R


def numpy_solution(model: CommitteeModel, t: NDArray, Q0: NDArray, R0: NDArray) -> NDArray:
    """The solution with the broadcast right-hand side, by the same integrator at the same tolerances."""
    n_b, M = R0.shape
    upper = np.triu_indices(n_b)

    def flow(y: NDArray, _: float) -> NDArray:
        Q = np.zeros((n_b, n_b))
        Q[upper] = y[: len(upper[0])]
        dQ, dR = reference_rhs(model, Q + np.triu(Q, 1).T, y[len(upper[0]):].reshape(n_b, M))
        return np.concatenate([dQ[upper], dR.ravel()])

    return integrate(flow, np.concatenate([Q0[upper], R0.ravel()]), t, (), 1e-8, 1e-10)


def main() -> None:
    """Print the table of ratios."""
    model, Q, R = eight_filters()
    constants = model.constants
    t = np.linspace(0.0, 1000.0, 51)
    fast, slow = seconds([
        (lambda: solve_general(model, t, Q, R, rtol=1e-8, atol=1e-10), 1),
        (lambda: numpy_solution(model, t, Q, R), 1),
    ])
    fast_call, slow_call = seconds([
        (lambda: general_rhs(Q, R, *constants), 300), (lambda: reference_rhs(model, Q, R), 30),
    ])
    few, many = seconds([
        (lambda P=P: exchangeable_rhs(0.9, 0.4, 0.3, False, False, P, 0.3, P**-0.5, 0.5, 0.2, 1.0), 20000)
        for P in (4, 64)
    ])
    rows = [
        ("numpy / compiled, K=M=8 to t=1000", slow / fast, ">= 4"),
        ("numpy / compiled, one right-hand side", slow_call / fast_call, ">= 4"),
        ("reduced right-hand side, P=64 / P=4", many / few, "<= 1.5"),
    ]
    print("rtol 1e-8, one thread")
    for name, ratio, wanted in rows:
        print(f"{name:42s}{ratio:8.2f}   wanted {wanted}")


if __name__ == "__main__":
    main()

"""Speed of the locality simulators as ratios, both sides timed in turn in one run, on one thread.

Run ``OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 python tests/bench/bench_locality_sgd.py``.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import numpy as np
from numba import njit

from featurelearning.locality.chain import chain_steps, initial_coordinates
from featurelearning.locality.problem import Problem, problem
from featurelearning.locality.sgd import initial_weights, reference_step, sgd_steps

ROUNDS = 9


@njit(cache=True)
def draw_only(P, D, steps, rng):
    """The normals of `steps` steps and nothing else: P patches of D numbers, and the label noise."""
    x = np.empty((P, D))
    total = 0.0
    for _ in range(steps):
        for p in range(P):
            row = x[p]
            for i in range(D):
                row[i] = rng.standard_normal()
        total += rng.standard_normal() + x[P - 1, D - 1]
    return total


def seconds_per_step(sides: Sequence[tuple[Callable[[int], object], int]]) -> list[float]:
    """Median over interleaved rounds of the time per step of each (function of a number of steps, steps)."""
    samples: list[list[float]] = [[] for _ in sides]
    for side, _ in sides:
        side(1)
    for _ in range(ROUNDS):
        for sample, (side, steps) in zip(samples, sides, strict=True):
            start = time.perf_counter()
            side(steps)
            sample.append((time.perf_counter() - start) / steps)
    return [float(np.median(sample)) for sample in samples]


def setting(student: str, P: int, D: int) -> Problem:
    """Two filters and two teachers, erf, correlation 0.4."""
    return problem(
        student, P=P, C=0.4 if P > 1 else 0.0, eta=0.5, sigma=0.1, D=D, rng=np.random.default_rng(0), runs=1,
        Q0=0.5, R0=0.0, activation="erf", kernel=1, boundary="periodic", filters=2, teachers=2, T=None,
        a=None, start="exact",
    )


def direct(case: Problem) -> Callable[[int], object]:
    """The compiled loop in D dimensions."""
    rng = np.random.default_rng(1)
    w, B = initial_weights(case, rng)
    update = case.update
    return lambda steps: sgd_steps(w, B, *update, steps, rng)


def normals(case: Problem) -> Callable[[int], object]:
    """The draws of :func:`direct`."""
    rng = np.random.default_rng(1)
    return lambda steps: draw_only(case.P, case.D, steps, rng)


def plain(case: Problem) -> Callable[[int], object]:
    """The same step in numpy."""
    rng = np.random.default_rng(1)
    w, B = initial_weights(case, rng)

    def side(steps: int) -> None:
        student = w
        for _ in range(steps):
            student = reference_step(student, B, case, rng)

    return side


def chain(case: Problem) -> Callable[[int], object]:
    """The chain of the overlaps."""
    rng = np.random.default_rng(1)
    along, across = initial_coordinates(case, rng)
    update = case.update
    return lambda steps: chain_steps(along, across, case.teacher, *update, case.D, case.freedom, steps, rng)


def main() -> None:
    """Print the table of ratios."""
    single = setting("conv", 1, 1000)
    sgd, numpy_loop, draws, markov, markov_large = seconds_per_step([
        (direct(single), 3000), (plain(single), 500), (normals(single), 3000), (chain(single), 60000),
        (chain(setting("conv", 1, 100_000)), 60000),
    ])
    rows = [
        ("plain numpy / SGD, P=1", numpy_loop / sgd, ">= 4"),
        ("SGD / its normals alone, P=1", sgd / draws, "<= 1.6"),
        ("SGD / chain, P=1", sgd / markov, ">= 20"),
        ("chain at D=1e5 / at D=1e3, P=1", markov_large / markov, "0.8 to 1.25"),
    ]
    for P in (4, 16):
        for student in ("conv", "lcn"):
            case = setting(student, P, 1000)
            sgd, draws = seconds_per_step([(direct(case), 3000 // P), (normals(case), 3000 // P)])
            rows.append((f"SGD / its normals alone, P={P} {student}", sgd / draws, "<= 1.75"))
    print("D = 1000, K = M = 2, one thread")
    for name, ratio, wanted in rows:
        print(f"{name:42s}{ratio:8.2f}   wanted {wanted}")


if __name__ == "__main__":
    main()

"""How the equations of state are solved, and whether their solution is unique."""

from __future__ import annotations

import numpy as np

from featurelearning.claims import Claim, Evidence, at_least, at_most, close, is_true
from featurelearning.claims.parameters import Parameter
from featurelearning.claims.separation.parameters import N_SAMPLES, P, S, SIGMA2
from featurelearning.separation import (
    CNN, cnn_pull, cubic_eigenvalue, cubic_roots, damped_iteration, solve_cnn, teacher_data,
)

__all__ = ["CLAIMS"]

C_STRONG = Parameter(
    "C", 10.0, "width", low=2, high=15, why="the plain iteration cycles only where adaptation is strong"
)
C_MANY = Parameter("C_many", 10.0, "width with many samples", low=8, high=1e4)
DAMPINGS = Parameter(
    "eta", (0.1, 0.3), "dampings that should converge", low=0, high=0.35, closed="right",
    why="the plain iteration cycles beyond about 0.4 at the default width",
)
UNDAMPED = Parameter("eta_large", (0.5, 1.0), "dampings that should cycle", low=0.45, high=1)
STEPS = Parameter("steps", 1000, "steps of the iteration", low=100, high=100000)

N_HE3 = Parameter("n_he3", (100, 200, 400), "training samples of the cubic teacher", quick=(100,), low=20,
                  high=1000)
CHI_HE3 = Parameter("chi_he3", (1.0, 30.0, 100.0), "readout scalings for the cubic teacher", low=1, high=1000)
C_HE3 = Parameter("C_he3", (1000.0, 100.0, 10.0), "widths for the cubic teacher", low=5, high=1e5)
CUBIC_GRID = Parameter("grid", 12, "values of tau and of chi on the grid of cubics", quick=6, low=2, high=200)

N_MANY = Parameter("n_many", 200, "samples, many more than the PS weights of a linear map", low=80, high=2000)
N_FEW = Parameter("n_few", 50, "samples, fewer than PS", low=10, high=80)
C_FEW = Parameter("C_few", 30.0, "width with few samples", low=5, high=1e4)


def b6a(*, C, n, P, S, sigma2, eta, eta_large, steps) -> Evidence:
    """Check that damped iteration reaches the minimum of the free energy and that plain iteration does not
    settle.

    Data: ``residuals_<eta>`` by step for each damping, ``lambda`` of the minimum.
    """
    task = teacher_data("linear", n=n, P=P, S=S)
    model = CNN(task, "linear", sigma2)
    root = solve_cnn(task, C=C, activation="linear", sigma2=sigma2)
    checks, data = [], {"lambda": root.teacher_eigenvalue}
    for damping in (*eta, *eta_large):
        end = damped_iteration(
            lambda covariance: cnn_pull(model, C, covariance), np.eye(S), eta=damping, tolerance=1e-10,
            steps=steps
        )
        data[f"residuals_{damping:g}"] = end.residuals
        key = f"eta_{damping:g}".replace(".", "_")
        if damping in eta:
            checks.append(close(
                key, rf"$\lambda$ where damping {damping:g} ends", task.w @ end.covariance @ task.w,
                root.teacher_eigenvalue, absolute=1e-6,
                reason="both residuals are below 1e-10 and the root is well conditioned",
            ))
        else:
            checks.append(at_least(
                key, f"smallest residual of the last 100 steps with damping {damping:g}",
                end.residuals[-100:].min(), 0.1,
                reason="a cycle keeps a residual of order one; a converging iteration falls below any bound",
            ))
    return Evidence(tuple(checks), data)


def b6b(*, n, P, S, sigma2, n_he3, chi_he3, C_he3, grid) -> Evidence:
    """Check that solving from the prior and from a strongly aligned start gives one solution.

    Data: ``cases`` (names), ``lambda_prior``, ``lambda_aligned``, ``free_energy_difference``;
    ``cubic_roots`` (numbers of positive roots).
    """
    cases = [
        (f"{kind}, C = {C:g}, chi = {chi:g}", teacher_data(kind, n=n, P=P, S=S), kind, C, chi, 1.0)
        for kind, C, chi in (
            ("linear", 10.0, 1.0), ("linear", 30.0, 30.0), ("erf", 10.0, 1.0), ("erf", 30.0, 30.0),
            ("erf", 100.0, 30.0)
        )
    ] + [
        (f"cubic, n = {size}, C = {C:g}, chi = {chi:g}", teacher_data("he3", n=size, P=1, S=12), "erf", C,
         chi, 2.0)
        for size in n_he3 for chi in chi_he3 for C in C_he3
    ]
    ends = []
    for _, task, activation, C, chi, sa2 in cases:
        setting = dict(C=C, activation=activation, sigma2=sigma2, chi=chi, sa2=sa2)
        aligned = 0.3 * np.eye(task.S) + 6 * np.outer(task.w, task.w)
        ends.append((solve_cnn(task, **setting), solve_cnn(task, start=aligned, **setting)))
    lam = np.array([[solution.teacher_eigenvalue for solution in pair] for pair in ends])
    energy = np.array([[solution.free_energy for solution in pair] for pair in ends])
    gap = np.abs(energy[:, 0] - energy[:, 1]) / np.abs(energy[:, 0])
    counts = np.array([
        len(cubic_roots(P=P, S=S, C=C, tau=tau, chi=chi))
        for tau in np.logspace(-5, 0, grid) for chi in np.logspace(0, 3, grid) for C in (P, 3 * P, 30 * P)
    ])
    checks = (
        at_most("eigenvalue", r"largest relative difference in $\lambda$",
                np.max(np.abs(lam[:, 0] / lam[:, 1] - 1)),
                1e-5, reason="both solutions have residuals below 1e-10"),
        at_most("free_energy", "largest relative difference in free energy", np.max(gap), 1e-6,
                reason="the free energy is flat at its minimum, so it is more accurate than the solution"),
        is_true("cubic", "every scalar cubic with C >= P has one positive root", np.all(counts == 1),
                reason="the two sides differ by a strictly monotone function for C >= P"),
    )
    return Evidence(checks, {
        "cases": np.array([case[0] for case in cases]), "lambda_prior": lam[:, 0],
        "lambda_aligned": lam[:, 1],
        "free_energy_difference": energy[:, 0] - energy[:, 1], "cubic_roots": counts,
    })


def b11(*, C_many, C_few, n_many, n_few, P, S, sigma2) -> Evidence:
    r"""Check that the equation of state closes on the scalar cubic for n >> PS, and only there.

    Data: ``n``, ``equation`` and ``cubic`` (lambda over n at width ``C_many``), ``few_equation``,
    ``few_cubic``.
    """
    def pair(size, width):
        task = teacher_data("linear", n=size, P=P, S=S)
        solution = solve_cnn(task, C=width, activation="linear", sigma2=sigma2)
        return solution.teacher_eigenvalue, cubic_eigenvalue(P=P, S=S, C=width, tau=sigma2 / size)

    sizes = np.unique(np.round(n_many * np.array([0.25, 0.4, 0.6, 0.8, 1.0, 1.5, 2.0])).astype(int))
    curve = np.array([pair(int(size), C_many) for size in sizes])
    many, few = pair(n_many, C_many), pair(n_few, C_few)
    checks = (
        close("many_samples", rf"$\lambda$ of the equation of state at n = {n_many}", many[0], many[1],
              relative=0.01 * max(1.0, (2.5 * P * S / n_many) ** 2),
              reason="the equivalent-kernel limit neglects the "
                     "spectrum's spread, a 1 % effect at n = 2.5 PS"),
        at_least("few_samples", f"relative error of the cubic at n = {n_few}", abs(few[1] / few[0] - 1), 0.05,
                 reason="below n = PS directions do not decouple; the closed form must not be used there"),
    )
    return Evidence(checks, {
        "n": sizes, "equation": curve[:, 0], "cubic": curve[:, 1], "few_equation": few[0],
        "few_cubic": few[1],
    })


CLAIMS = (
    Claim(
        id="B6a", paper="separation",
        statement="Iterating the equations of state converges when damped enough and never "
                  "settles when not, although the solution is a minimum of a free energy.",
        source="Our equations; not in the paper as far as its abstract shows",
        kind="beyond", notebook="separation/solving",
        parameters=(C_STRONG, N_SAMPLES, P, S, SIGMA2, DAMPINGS, UNDAMPED, STEPS), measure=b6a,
    ),
    Claim(
        id="B6b", paper="separation",
        statement="Feature learning sets in smoothly: two very different starts end in one solution for "
                  "linear, erf and cubic teachers, so there is no sign of a first-order transition.",
        source="Our equations; not in the paper as far as its abstract shows",
        kind="beyond", notebook="separation/solving",
        parameters=(N_SAMPLES, P, S, SIGMA2, N_HE3, CHI_HE3, C_HE3, CUBIC_GRID), measure=b6b,
    ),
    Claim(
        id="B11", paper="separation",
        statement="With many more samples than weights the matrix equation of the linear "
                  "network closes on one scalar cubic; with few samples it does not.",
        source="Derived here; not in the paper as far as its abstract shows",
        kind="theorem", notebook="separation/solving",
        parameters=(C_MANY, C_FEW, N_MANY, N_FEW, P, S, SIGMA2), measure=b11,
    ),
)

"""Both hidden layers of a fully connected network adapt."""

from __future__ import annotations

import numpy as np

from featurelearning.claims import Claim, Evidence, at_least, close, is_true
from featurelearning.claims.separation.parameters import (
    CHAINS, CHI_STRONG, D_FCN, DRAWS, N_FCN, SEED, SIGMA2, WIDTHS_FCN,
)
from featurelearning.claims.separation.sampling import convergence, mixing
from featurelearning.separation import observe_fcn3, sample_fcn3, solve_fcn3, teacher_data

__all__ = ["CLAIMS"]


def b9(*, N, n, d, sigma2, chi, chains, draws, seed) -> Evidence:
    r"""Check theory against sampled three-layer networks: close at strong learning, too low in the standard
    scaling.

    Data, for "strong" and "standard": ``<r>_lambda``, ``<r>_growth``, ``<r>_alpha``, ``<r>_test`` over
    ``N`` with ``_error`` and ``<r>_theory_lambda`` and so on; ``<r>_nngp_alpha``, ``<r>_nngp_test``;
    ``kurtosis_<name>`` at strong learning; ``sampled``, ``rhat``, ``ess`` of the sampled quantities.
    """
    rng, checks, data, means, plotted = np.random.default_rng(seed), [], {"N": np.array(N)}, [], {}
    task = teacher_data("fcn", n=n, P=1, S=d)
    for regime, scaling in (("strong", chi), ("standard", 1.0)):
        setting = dict(sigma2=sigma2, chi=scaling)
        solved = [solve_fcn3(task, N1=width, N2=width, **setting) for width in N]
        sampled = [
            observe_fcn3(*sample_fcn3(
                task, N1=width, N2=width, rng=rng, chains=chains, draws=draws, warm_up=120, **setting
            ), task)
            for width in N
        ]
        infinite = solve_fcn3(task, N1=np.inf, N2=np.inf, **setting)
        means += [x for sample in sampled for x in sample.scalars]
        for width, theory, sample in zip(N, solved, sampled):
            if regime == "strong":
                checks += _close_to_theory(width, theory, sample)
            else:
                checks += _theory_is_low(width, theory, sample)
        checks.append(at_least(
            f"{regime}_adapts", f"growth of the second layer's kernel at the smallest width, {regime}",
            sampled[0].kernel_growth.mean - 3 * sampled[0].kernel_growth.error, 1.2,
            reason="1 at infinite width; both layers adapt visibly at the smallest one",
        ))
        pairs = {
            "lambda": "teacher_eigenvalue", "growth": "kernel_growth", "alpha": "alpha", "test": "test_mse",
        }
        for key, field in pairs.items():
            data[f"{regime}_{key}"] = np.array([getattr(s, field).mean for s in sampled])
            data[f"{regime}_{key}_error"] = np.array([getattr(s, field).error for s in sampled])
            data[f"{regime}_theory_{key}"] = np.array([getattr(s, field) for s in solved])
        plotted |= {
            f"{regime}, N = {width}, {words}": mean for width, sample in zip(N, sampled) for words, mean in (
                ("first layer", sample.teacher_eigenvalue), ("second layer", sample.kernel_growth),
                ("test error", sample.test_mse),
            )
        }
        data |= {f"{regime}_nngp_alpha": infinite.alpha, f"{regime}_nngp_test": infinite.test_mse}
        if regime == "strong":
            for name in sampled[0].kurtosis:
                key = name.replace(" ", "_")
                data[f"kurtosis_{key}"] = np.array([s.kurtosis[name].mean for s in sampled])
    return Evidence((*checks, *mixing(means, chains, draws)), data | convergence(plotted))


def _close_to_theory(width, theory, sample):
    rows = (
        ("lambda", r"$\lambda$ of the first layer", sample.teacher_eigenvalue, theory.teacher_eigenvalue,
         0.04),
        ("growth", "growth of the second layer's kernel", sample.kernel_growth, theory.kernel_growth, 0.10),
        ("test", "test error", sample.test_mse, theory.test_mse, 0.20),
    )
    checks = [
        close(f"strong_{key}_{width}", f"{words}, strong learning, N = {width}", seen.mean, expected,
              part="strong", absolute=share * expected + 3 * seen.error,
              reason=f"{100 * share:g} % for corrections to the saddle, "
                     "and three standard errors of the sample")
        for key, words, seen, expected, share in rows
    ]
    checks.append(close(
        f"strong_alpha_{width}", f"learned fraction, strong learning, N = {width}", sample.alpha.mean,
        theory.alpha,
        absolute=0.003 + 3 * sample.alpha.error, part="strong", reason="0.003, and three standard errors",
    ))
    return checks


def _theory_is_low(width, theory, sample):
    low = (
        theory.teacher_eigenvalue < sample.teacher_eigenvalue.mean - 3 * sample.teacher_eigenvalue.error
        and theory.kernel_growth < sample.kernel_growth.mean - 3 * sample.kernel_growth.error
    )
    return [is_true(
        f"standard_low_{width}", f"theory underestimates both kernels in the standard scaling, N = {width}",
        low, reason="by more than three standard errors: kernels fluctuate when n is comparable to N",
        part="standard",
    )]


CLAIMS = (
    Claim(
        id="B9", paper="separation",
        statement="Both layers of a three-layer network adapt; the theory predicts how much "
                  "when learning is strong at every width, and underestimates it in the "
                  "standard scaling at widths comparable to the sample size.",
        source="Abstract (fully connected networks, accurate "
               "predictions); the limit of validity is our finding",
        kind="figure", notebook="separation/two-layers",
        parameters=(WIDTHS_FCN, N_FCN, D_FCN, SIGMA2, CHI_STRONG, CHAINS, DRAWS, SEED), measure=b9,
    ),
)

"""One outlier of the filter covariance, aligned with the teacher."""

from __future__ import annotations

import numpy as np

from featurelearning.claims import Claim, Evidence, at_least, close
from featurelearning.claims.parameters import Parameter
from featurelearning.claims.separation.parameters import (
    CHAINS, DRAWS, N_SAMPLES, P, S, SEED, SIGMA2, WIDTHS_LINEAR,
)
from featurelearning.claims.separation.sampling import convergence, mixing
from featurelearning.separation import observe_cnn, sample_networks, solve_cnn, teacher_data

__all__ = ["CLAIMS"]

C_SAMPLED = Parameter("C", 30, "width of the sampled networks", low=5, high=300)
N_MORE = Parameter("n_more", 120, "samples at which the outlier is well separated", low=80, high=400)


def b5(*, C, C_linear, n, n_more, P, S, sigma2, chains, draws, seed) -> Evidence:
    """Check the overlap of the leading eigenvector with the teacher, in theory and in sampled networks.

    Data: ``C_linear``, ``linear_overlap`` and ``erf_overlap`` of theory over it; ``eigenvalues_<a>``
    (theory) and ``eigenvalues_sampled_<a>`` at n; ``eigenvalues_more``, ``eigenvalues_sampled_more`` at
    ``n_more``, linear; ``overlap_sampled`` and ``overlap_theory`` (linear, erf, linear at ``n_more``);
    ``sampled``, ``rhat``, ``ess``.
    """
    rng, checks, means, overlaps = np.random.default_rng(seed), [], [], []
    data = {"C_linear": np.array(C_linear)}
    for activation in ("linear", "erf"):
        task = teacher_data(activation, n=n, P=P, S=S)
        setting = dict(activation=activation, sigma2=sigma2)
        theory = solve_cnn(task, C=C, **setting)
        network = observe_cnn(*sample_networks(task, C=C, chi=1.0, rng=rng, chains=chains, draws=draws,
                                               **setting), every=1)
        means += [network.teacher_eigenvalue, network.alpha]
        overlaps += [(network.overlap, theory.overlap)]
        curve = [solve_cnn(task, C=width, **setting).overlap for width in C_linear]
        checks += [
            at_least(f"theory_{activation}", "smallest overlap in theory over the "
                                             f"widths, {activation}, n = {n}",
                     min(curve), 0.93, reason="1/sqrt(S) would be chance; the pull is along "
                                              "the teacher up to sample noise"),
            close(f"sampled_{activation}", f"overlap in sampled networks, {activation}, n = {n}, C = {C}",
                  network.overlap, theory.overlap, absolute=0.02,
                  reason="sampling error of the leading eigenvector where it is separated"),
        ]
        data |= {
            f"{activation}_overlap": np.array(curve),
            f"eigenvalues_{activation}": np.linalg.eigvalsh(theory.covariance),
            f"eigenvalues_sampled_{activation}": np.linalg.eigvalsh(network.second_moment),
        }
    task = teacher_data("linear", n=n_more, P=P, S=S)
    theory = solve_cnn(task, C=C, activation="linear", sigma2=sigma2)
    network = observe_cnn(*sample_networks(
        task, C=C, activation="linear", sigma2=sigma2, chi=1.0, rng=rng, chains=chains, draws=draws
    ), every=1)
    means += [network.teacher_eigenvalue, network.alpha]
    leading = np.linalg.eigvalsh(theory.covariance)
    for key, overlap, gap in (
        ("theory", theory.overlap, leading[-1] / leading[-2]), ("sampled", network.overlap, network.gap),
    ):
        checks += [
            at_least(f"more_{key}", f"overlap, linear, n = {n_more}, {key}", overlap, 0.995,
                     reason="with n > PS the teacher's direction is known"),
            at_least(f"gap_{key}", f"ratio of the two largest eigenvalues, linear, n = {n_more}, {key}", gap,
                     2.0, reason="one direction grows, all others shrink"),
        ]
    overlaps += [(network.overlap, theory.overlap)]
    data |= {"overlap_sampled": np.array(overlaps)[:, 0], "overlap_theory": np.array(overlaps)[:, 1]}
    data |= {"eigenvalues_more": leading,
             "eigenvalues_sampled_more": np.linalg.eigvalsh(network.second_moment)}
    names = [f"{words}, {task}" for task in (f"linear, n = {n}", f"erf, n = {n}", f"linear, n = {n_more}")
             for words in ("variance along the teacher", "learned fraction")]
    return Evidence((*checks, *mixing(means, chains, draws)), data | convergence(dict(zip(names, means))))


CLAIMS = (
    Claim(
        id="B5", paper="separation",
        statement="The adapted filter covariance has a single outlier, "
                  "and its eigenvector is the teacher's filter.",
        source="Recalled from the paper and not checked there: an "
               "outlier of the filter covariance; our setting",
        kind="figure", notebook="separation/outlier",
        parameters=(C_SAMPLED, WIDTHS_LINEAR, N_SAMPLES, N_MORE, P, S, SIGMA2, CHAINS, DRAWS, SEED),
        measure=b5,
    ),
)

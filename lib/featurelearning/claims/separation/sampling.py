"""Checks that a sampled number can be trusted, shared by the claims that sample."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from featurelearning.claims import Check, at_least, at_most
from featurelearning.separation import ChainMean

__all__ = ["convergence", "convergence_table", "mixing"]

LONG = 700


def mixing(means: Iterable[ChainMean], chains: int, draws: int) -> tuple[Check, Check]:
    """Checks of the largest R-hat and the smallest effective sample size of sampled scalars."""
    means = list(means)
    total = chains * draws
    limit, wanted = (1.01, 400.0) if total >= LONG else (1.1, 0.15 * total)
    return (
        at_most(
            "rhat", r"largest split $\hat R$", max(mean.rhat for mean in means), limit,
            reason="chains from independent starts must agree; a short "
                   "run estimates the ratio with more noise",
        ),
        at_least(
            "ess", "smallest effective sample size", min(mean.ess for mean in means), wanted,
            reason="400 makes the standard errors themselves reliable; a "
                   "short run is held to 15 % of its draws",
        ),
    )


def convergence(means: Mapping[str, ChainMean]) -> dict[str, Any]:
    """Data keys ``sampled`` (names of sampled quantities), ``rhat`` and ``ess``, in one order."""
    return {
        "sampled": tuple(means),
        "rhat": np.array([mean.rhat for mean in means.values()]),
        "ess": np.array([mean.ess for mean in means.values()]),
    }


def convergence_table(data: Mapping[str, Any]) -> str:
    """Folded Markdown table of what :func:`convergence` put into a claim's data."""
    rows = (
        f"| {name} | {rhat:.3f} | {ess:.0f} |" for name, rhat,
        ess in zip(data["sampled"], data["rhat"], data["ess"])
    )
    return "\n".join([
        rf"::::{{dropdown}} Convergence of each sampled quantity: $\hat R\le$ {max(data['rhat']):.3f}, "
        f"effective sample size at least {min(data['ess']):.0f}",
        r"| sampled quantity | split $\hat R$ | effective sample size |", "|---|---|---|", *rows, "::::",
    ])

"""Is the convolution's excess error a bias of weight sharing? It vanishes with the noise and the rate."""

from __future__ import annotations

import numpy as np

from featurelearning.claims import Claim, Evidence, Parameter, at_least, at_most
from featurelearning.claims.locality.parameters import C, P, SIGMA_LABEL
from featurelearning.claims.locality.stability import require_increasing
from featurelearning.locality import linear_response, noise_floor, solve, tuned_error

__all__ = ["CLAIMS", "a21"]

T_LONG = Parameter("T_long", full=(30.0, 100.0, 300.0, 1000.0, 3000.0), low=1.0, high=1e4, at_least=2,
                   meaning="the training times, in units of D steps, increasing")
# Without noise the errors decay at a rate of order eta; this share of the limit of stability is near the
# fastest.
RATE_SHARE = 0.4


def a21(*, P, c, sigma, T_long) -> Evidence:
    """Check that both errors vanish without label noise, and at the best rates keep falling with it.

    Data
    ----
    T_long, E_conv, E_lcn, eta_conv, eta_lcn : best errors and rates with noise, (n,); estimate : of E_conv,
    for linear units, (n,); t, noiseless_conv, noiseless_lcn : error curves without noise, (k,);
    eta_noiseless : rates of these; floors : asymptotic errors of the convolution with and without noise.
    """
    T = np.array(T_long)
    tuned = {student: tuned_error(student, T, P=P, c=c, sigma=sigma) for student in ("conv", "lcn")}
    t = np.concatenate([[0.0], np.geomspace(0.1, 3000.0, 120)])
    rate, noiseless = {}, {}
    for student in ("conv", "lcn"):
        rate[student] = RATE_SHARE * linear_response(student, P=P, C=c, eta=1e-3, sigma=0.0).eta_max
        noiseless[student] = solve(student, t, P=P, C=c, eta=rate[student], sigma=0.0).E
    noisy_floor = noise_floor("conv", P=P, c=c, eta=rate["conv"], sigma=sigma)
    estimate = sigma**2 / (8 * T) * (1 + np.log(8 * noiseless["conv"][0] * T / sigma**2))
    late = {student: np.log(E[-1] / E[-2]) / np.log(T[-1] / T[-2]) for student, (E, _) in tuned.items()}
    return Evidence(
        checks=(
            at_most("conv_noiseless", "error of the convolution without noise, at the end",
                    noiseless["conv"][-1], 1e-10,
                    part="without noise", reason="exponential decay to rounding"),
            at_most("lcn_noiseless", "error of the locally connected network without noise, at the end",
                    noiseless["lcn"][-1], 1e-10, part="without noise",
                    reason="exponential decay to rounding"),
            at_most("conv_tuned", "the convolution's best error at the last time, over the estimate "
                                  "$\\sigma^2 [1 + \\ln(8 E(0) T/\\sigma^2)]/(8 T)$",
                    tuned["conv"][0][-1] / estimate[-1], 3.0,
                    part="with noise, best rates",
                    reason="the estimate minimises exponential decay plus a floor linear in the rate; the "
                           "slower start of erf units costs a factor of about two"),
            at_most("falling", "slope of ln E* in ln T between the last two times, the larger of both "
                               "students",
                    max(late.values()), -0.6, part="with noise, best rates",
                    reason="$\\ln T / T$ has slope $-1 + 1/\\ln T$ up to constants in the logarithm; a floor "
                           "has slope 0"),
            at_least("bias", "the convolution's asymptotic error without noise, over that with noise",
                     noiseless["conv"][-1] / noisy_floor, 0.5, about="mechanism",
                     reason="a bias of weight sharing would not need label noise"),
        ),
        data={"T_long": T, "E_conv": tuned["conv"][0], "E_lcn": tuned["lcn"][0], "eta_conv": tuned["conv"][1],
              "eta_lcn": tuned["lcn"][1], "estimate": estimate, "t": t, "noiseless_conv": noiseless["conv"],
              "noiseless_lcn": noiseless["lcn"],
              "eta_noiseless": rate, "floors": {"noise": noisy_floor, "no noise": noiseless["conv"][-1]}},
    )


def _validate(*, P, c, sigma, T_long) -> None:
    require_increasing("T_long", T_long)


CLAIMS = (
    Claim(
        id="A21", paper="locality", kind="beyond", notebook="locality/bias", measure=a21,
        statement="Sharing weights costs no accuracy in the end: without label noise the convolution's error "
                  "vanishes although the positions are correlated, and with noise its best error keeps "
                  "falling with the training time.",
        source="tests the explanation of finding (c) that the summary gives, a bias of weight sharing",
        parameters=(P, C, SIGMA_LABEL, T_LONG), validate=_validate,
    ),
)

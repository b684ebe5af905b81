"""Two teachers and perturbed duplicates: starts, outcomes, and batches of descents."""

from __future__ import annotations

import numpy as np
import pytest

from featurelearning.gauge import (
    Entries, first_entries, frozen_directions_loss, imbalances, network, orthogonal_teachers, pair_outcomes,
    perturbed_starts, population_loss, students_near, teacher_runs, teacher_runs_on_samples, to_weights,
)
from featurelearning.gaussian import angle

D = 32.0


def starts(seeds=5, low=0.5, high=0.9, seed=0, d=10):
    U, c = orthogonal_teachers(d)
    return *students_near(np.random.default_rng(seed), U, seeds=seeds, low=low, high=high), U, c


def test_students_start_near_their_teachers():
    q, s, U, _ = starts(seeds=200)
    own = angle(s, np.repeat(U, 2, axis=0))
    assert np.all((own >= 0.5) & (own <= 0.9))
    assert np.ptp(own) > 0.38
    assert np.all((q >= 0.45) & (q <= 0.55))
    assert np.allclose(np.linalg.norm(s, axis=-1), 1)


@pytest.mark.parametrize("designated", [(0, 2), (1, 3)])
def test_designated_students_learn_their_teachers(designated):
    q, s, U, c = starts()
    runs = teacher_runs(q, s, imbalances(designated, D), U, c, D=D, h=0.2, steps=400)
    assert np.all(runs.angles[-1][:, designated, (0, 1)] < 0.2)
    others = [student for student in range(4) if student not in designated]
    assert np.max(runs.moved[-1][:, others]) < 0.1
    assert np.all(runs.loss[-1] < 0.1 * runs.loss[0])


def test_designation_matters_on_samples_too():
    q, s, U, c = starts(seeds=3)
    rng = np.random.default_rng(1)
    runs = teacher_runs_on_samples(rng, q, s, imbalances((1, 3), D), U, c, N=2000, D=D, h=0.2, steps=200)
    assert np.all(runs.angles[-1][:, (1, 3), (0, 1)] < 0.2)
    assert runs.loss.shape == runs.q.shape[:2] == (51, 3)


def test_a_batch_is_its_members():
    q, s, U, c = starts(seeds=2)
    delta = imbalances((0, 1), D)
    both = teacher_runs(q, s, delta, U, c, D=D, h=0.1, steps=50)
    second = teacher_runs(q[1:], s[1:], delta, U, c, D=D, h=0.1, steps=50)
    assert np.allclose(both.q[:, 1], second.q[:, 0], rtol=0, atol=1e-12)
    assert both.tau[[0, -1]] == pytest.approx([0, 5])


def test_imbalances_do_not_show_in_the_function():
    q, s, _, _ = starts(seeds=1)
    X = np.random.default_rng(0).standard_normal((100, 10))
    first, second = (network(X, *(part[0] for part in to_weights(q, s,
                                                                 np.full_like(q, delta)))) for delta in (D,
                                                                                                         -D))
    assert np.max(np.abs(first - second)) < 1e-13


def test_frozen_directions_loss_is_a_minimum():
    q, s, U, c = starts(seeds=3)
    least = frozen_directions_loss(s, U, c)
    rng = np.random.default_rng(0)
    for _ in range(20):
        trial = q + 0.3 * rng.standard_normal(q.shape)
        assert np.all(population_loss(*to_weights(trial, s, np.full_like(q, -1.0)), U, c) > least)
    # Descent with nearly frozen directions reaches it, up to the little that these turn.
    runs = teacher_runs(q, s, np.full(4, -1000.0), U, c, D=1000.0, h=0.5, steps=4000)
    assert np.max(runs.moved[-1]) < 1e-3
    assert runs.loss[-1] == pytest.approx(least, rel=0.01)


def test_pair_outcomes_count_each_run_once():
    far = 1.5
    angles = np.array([[[0.1, far], [far, 0.1]], [[far, 0.1], [0.1, far]], [[0.3, far], [0.1, far]],
                       [[0.5, far], [0.1, far]]])
    assert pair_outcomes(angles) == {"assigned": 1, "swapped": 1, "both near the first": 1, "other": 1}


def test_entry_order():
    entries = Entries(np.array([[1.0, 2.0], [2.0, 1.0], [np.inf, np.inf], [1.0, np.inf], [1.0, 1.0]]),
                      np.zeros((5, 2)))
    assert entries.designated_first.tolist() == [True, False, False, True, False]


def test_perturbed_duplicates_select_the_designated_unit():
    rng = np.random.default_rng(0)
    q, s, delta = perturbed_starts(rng, starts=6, m=4, d=6, phi=np.pi / 3, D=D, q_spread=0.5, tilt=0.3,
                                   D_spread=0.75)
    common = np.array([0.5, np.sqrt(0.75), 0, 0, 0, 0])
    assert np.all((q > 0.125) & (q < 0.375))
    assert np.all(angle(s, common) <= 0.3 + 1e-12)
    assert np.all(delta[:, 0] > 0)
    assert np.all(delta[:, 1:] < 0)
    found = first_entries(q, s, delta, D=D, h=0.1, steps=500)
    assert np.all(found.designated_first)
    # A control: without the difference in sign no unit wins.
    assert not np.any(first_entries(q, s, np.full_like(q, D), D=D, h=0.1, steps=500).designated_first)


@pytest.mark.parametrize("call", [
    lambda: orthogonal_teachers(1), lambda: imbalances((5,), D), lambda: imbalances((0,), -1.0),
    lambda: starts(low=0.9, high=0.5), lambda: teacher_runs(*starts()[:2], np.ones(4), *starts()[2:], D=D,
                                                            h=0.0, steps=3),
    lambda: perturbed_starts(np.random.default_rng(0), starts=1, m=1, d=3, phi=1.0, D=1.0),
    lambda: perturbed_starts(np.random.default_rng(0), starts=1, m=2, d=3, phi=1.0, D=1.0, q_spread=1.5),
])
def test_bad_input_is_explained(call):
    with pytest.raises(ValueError, match="allowed"):
        call()

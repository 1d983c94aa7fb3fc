"""Detectors of change: against slow oracles, in their closed forms, and as other libraries' users call them."""

from __future__ import annotations

import copy
import math
import pickle

import numpy as np
import pytest
from scipy import stats
from sklearn.base import clone

from streamboost import drift
from streamboost.drift import ADWIN, DDM, HDDM_A, HDDM_W, KSWIN, PageHinkley
from streamboost.drift.kswin import largest_gap
from tests.catalogue import DETECTORS
from tests.oracle import drift as oracle

ALL = [getattr(drift, name)(**DETECTORS[name]) for name in drift.__all__]


def jumps(seed: int, n: int = 600) -> np.ndarray:
    rng = np.random.default_rng(seed)
    level = np.repeat(rng.uniform(0.05, 0.95, 3), n // 3)
    return (rng.random(n) < level).astype(float)


def first(detector, xs):
    return next((t for t, x in enumerate(xs) if detector.update(x)), None)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("delta", [0.1, 0.002])
def test_adwin_is_its_oracle(seed, delta):
    ours, slow = ADWIN(delta), oracle.Adwin(delta)
    rng = np.random.default_rng(seed)
    xs = jumps(seed) if seed % 2 else np.clip(jumps(seed) * 0.6 + 0.3 * rng.random(600), 0, 1)
    for x in xs:
        assert ours.update(x) == slow.update(x)
        assert ours.width == len(slow.window)
        assert ours.estimation == pytest.approx(np.mean(slow.window), abs=1e-12)
        assert ours.variance == pytest.approx(np.var(slow.window), abs=1e-12)


@pytest.mark.parametrize("seed", range(8))
def test_first_alarms_are_the_oracles(seed):
    xs = jumps(seed)
    assert first(DDM(), xs) == oracle.ddm(xs)[0]
    assert first(HDDM_A(), xs) == oracle.hddm_a(xs)
    assert first(HDDM_W(), xs) == oracle.hddm_w(xs)
    assert first(PageHinkley(threshold=10), xs) == oracle.page_hinkley(xs, threshold=10)


def test_ddm_warns_first():
    xs = np.concatenate([np.arange(300) % 10 == 0, np.arange(300) % 3 == 0]).astype(float)
    detector, warned = DDM(), None
    for t, x in enumerate(xs):
        if detector.update(x):
            break
        if warned is None and detector.warning_detected:
            warned = t
    assert (t, warned) == oracle.ddm(xs)
    assert warned < t


def test_two_sided_detectors_see_falls():
    xs = [1.0] * 200 + [0.0] * 200
    for one_sided in (HDDM_A(), HDDM_W(), ADWIN(), PageHinkley(threshold=10, mode="up")):
        assert first(one_sided, xs) is None
    for both in (HDDM_A(two_sided=True), HDDM_W(two_sided=True), PageHinkley(threshold=10)):
        assert 200 <= first(both, xs) < 260


def test_kswin_sees_shape_and_its_gap_is_the_usual_statistic():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=40), rng.normal(size=40) + 0.3
    assert largest_gap(a, b) == pytest.approx(stats.ks_2samp(a, b).statistic)
    narrow, wide = rng.normal(size=300), 6 * rng.normal(size=300)
    at = first(KSWIN(seed=5), np.concatenate([narrow, wide]))
    assert 300 <= at < 400
    quiet = sum(KSWIN(alpha=1e-4, seed=2).update(x) for x in rng.normal(size=2000))
    assert quiet == 0


def test_kswin_bound_is_the_closed_form():
    detector = KSWIN(alpha=0.01, window_size=20, stat_size=10)
    bound = math.sqrt(math.log(200) / 10)
    needed = math.floor(bound * 10) + 1  # so many of the ten newest must lie above all others
    xs = [0.0] * 20 + [1.0] * 10
    assert first(detector, xs) == 20 + needed - 1


@pytest.mark.parametrize("detector", ALL, ids=lambda d: type(d).__name__)
def test_copies_go_on_alike_and_clones_start_anew(detector):
    detector = clone(detector)
    xs = jumps(3)
    for x in xs[:250]:
        detector.update(x)
    others = [copy.deepcopy(detector), pickle.loads(pickle.dumps(detector))]
    rest = [detector.update(x) for x in xs[250:]]
    for other in others:
        assert [other.update(x) for x in xs[250:]] == rest
    fresh = clone(detector)
    assert fresh.n_detections == 0
    assert not fresh.drift_detected
    again = clone(detector)
    assert [fresh.update(x) for x in xs] == [again.update(x) for x in xs]


@pytest.mark.parametrize("detector", ALL, ids=lambda d: type(d).__name__)
@pytest.mark.parametrize("wrong", [math.nan, math.inf, -math.inf])
def test_numbers_that_are_none_are_refused_and_change_nothing(detector, wrong):
    detector, other = clone(detector), clone(detector)
    xs = jumps(1)
    for x in xs[:300]:
        assert detector.update(x) == other.update(x)
    with pytest.raises(ValueError, match="takes"):
        detector.update(wrong)
    assert [detector.update(x) for x in xs[300:]] == [other.update(x) for x in xs[300:]]


@pytest.mark.parametrize("detector", [ADWIN(), DDM(), HDDM_A(), HDDM_W()], ids=lambda d: type(d).__name__)
def test_errors_lie_between_0_and_1(detector):
    with pytest.raises(ValueError, match=r"from 0 to 1, got 1\.5"):
        clone(detector).update(1.5)


@pytest.mark.parametrize(
    ("detector", "message"),
    [
        (ADWIN(0.0), "delta"),
        (ADWIN(1.0), "delta"),
        (ADWIN(0.01, warning=0.001), "at least delta"),
        (DDM(warning_threshold=4.0), "a warning must come first"),
        (HDDM_A(0.01, warning_confidence=0.001), "a warning must come first"),
        (HDDM_W(lambda_val=0.0), "lambda_val"),
        (KSWIN(stat_size=60), "at most half"),
        (PageHinkley(mode="sideways"), "mode"),
    ],
    ids=lambda d: repr(d) if not isinstance(d, str) else "",
)
def test_wrong_parameters_are_named(detector, message):
    with pytest.raises(ValueError, match=message):
        detector.update(0.0)


def test_warning_comes_before_drift():
    detector = ADWIN(1e-5, warning=0.01)
    warned = drifted = None
    rng = np.random.default_rng(4)
    for t in range(3000):
        detector.update(float(rng.random() < (0.1 if t < 1500 else 0.25)))
        if detector.warning_detected and warned is None:
            warned = t
        if detector.drift_detected and drifted is None:
            drifted = t
    assert 1500 <= warned < drifted

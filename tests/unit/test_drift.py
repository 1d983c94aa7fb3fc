"""Detectors of change: against slow oracles, in their closed forms, and as other libraries' users call them."""

from __future__ import annotations

import copy
import math
import pickle

import numpy as np
import pytest
from oracle import drift as oracle
from scipy import stats
from sklearn.base import clone

from streamboost import _core
from streamboost.catalogue import DETECTORS
from streamboost.drift import ADWIN, DDM, HDDM_A, HDDM_W, KSWIN, PageHinkley
from streamboost.drift.choice import CLASSES, detector_of

# Every detector's usual setting and others, some so eager that streams of some hundred numbers drift several times.
SETTINGS = {
    "adwin": [{}, {"delta": 0.1, "warning": 0.4}, {"delta": 0.002, "warning": 0.002}],
    "ddm": [{}, {"warm_start": 5, "warning_threshold": 0.5, "drift_threshold": 1.5}],
    "hddm-a": [{}, {"drift_confidence": 0.1, "warning_confidence": 0.3, "two_sided": True}],
    "hddm-w": [
        {},
        {"drift_confidence": 0.05, "warning_confidence": 0.2, "lambda_val": 0.2, "two_sided": True},
    ],
    "kswin": [
        {"window_size": 60, "stat_size": 20, "seed": 7},
        {"alpha": 0.3, "window_size": 24, "stat_size": 12, "mode": "up"},
        {"alpha": 0.3, "window_size": 24, "stat_size": 8, "mode": "down"},
    ],
    "page-hinkley": [
        {"threshold": 5.0},
        {"min_instances": 5, "delta": 0.0, "threshold": 3.0, "alpha": 0.99, "mode": "up"},
        {"threshold": 4.0, "mode": "down"},
    ],
}
ALL = [
    pytest.param(name, params, id=f"{name}-{i}")
    for name, many in SETTINGS.items()
    for i, params in enumerate(many)
]
FIRST = [pytest.param(CLASSES[name](**many[0]), id=name) for name, many in SETTINGS.items()]


def jumps(seed: int, n: int = 600) -> np.ndarray:
    rng = np.random.default_rng(seed)
    level = np.repeat(rng.uniform(0.05, 0.95, 3), n // 3)
    return (rng.random(n) < level).astype(float)


def first(detector, xs):
    return next((t for t, x in enumerate(xs) if detector.update(x)), None)


def test_every_detector_of_the_table_has_settings_and_an_oracle():
    names = {entry.name for entry in DETECTORS}
    assert names == set(SETTINGS) == set(oracle.DETECTORS) == set(CLASSES)
    for entry in DETECTORS:
        assert CLASSES[entry.name].__name__ == entry.class_name
        detector_of(entry.name)


@pytest.mark.parametrize(("name", "params"), ALL)
@pytest.mark.parametrize("seed", range(6))
def test_detectors_are_their_oracles(name, params, seed):
    ours, slow = CLASSES[name](**params), oracle.DETECTORS[name](**params)
    rng = np.random.default_rng(seed)
    xs = jumps(seed) if seed % 2 else np.clip(jumps(seed) * 0.6 + 0.3 * rng.random(600), 0, 1)
    found = 0
    for t, x in enumerate(xs):
        warning, drift = slow.update(x)
        assert ours.update(x) == ours.drift_detected == drift, t
        assert ours.warning_detected == (warning and not drift), t
        found += drift
    assert ours.n_detections == found


@pytest.mark.parametrize(("name", "params"), ALL)
def test_the_settings_find_something(name, params):
    falls_only = params.get("mode") == "down"
    xs = np.concatenate([np.zeros(300), np.ones(300)])
    detector = CLASSES[name](**params)
    at = first(detector, 1 - xs if falls_only else xs)
    assert 300 <= at < 400


@pytest.mark.parametrize("seed", range(4))
def test_the_window_of_adwin_is_its_oracles(seed):
    ours, slow = ADWIN(0.1), oracle.Adwin(0.1)
    for x in np.random.default_rng(seed).random(600) ** (1 + 3 * (np.arange(600) < 300)):
        ours.update(x)
        slow.update(x)
        assert ours.width == len(slow.window)
        assert ours.estimation == pytest.approx(np.mean(slow.window), abs=1e-12)
        assert ours.variance == pytest.approx(np.var(slow.window), abs=1e-12)


def test_ddm_warns_first():
    xs = np.concatenate([np.arange(300) % 10 == 0, np.arange(300) % 3 == 0]).astype(float)
    detector, warned = DDM(), None
    for t, x in enumerate(xs):
        if detector.update(x):
            break
        if warned is None and detector.warning_detected:
            warned = t
    assert 300 <= warned < t


def test_two_sided_detectors_see_falls():
    xs = [1.0] * 200 + [0.0] * 200
    ups = (HDDM_A(), HDDM_W(), ADWIN(), PageHinkley(threshold=10, mode="up"), KSWIN(mode="up"))
    for one_sided in ups:
        assert first(one_sided, xs) is None
    both = (HDDM_A(two_sided=True), HDDM_W(two_sided=True), PageHinkley(threshold=10), KSWIN())
    for detector in (*both, KSWIN(mode="down")):
        assert 200 <= first(detector, xs) < 260


def test_kswin_sees_shape_and_its_gap_is_the_usual_statistic():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=40), rng.normal(size=40) + 0.3
    assert max(oracle.gaps(a, b)) == pytest.approx(stats.ks_2samp(a, b).statistic)
    assert oracle.gaps(a, b)[0] == pytest.approx(stats.ks_2samp(a, b, alternative="greater").statistic)
    narrow, wide = rng.normal(size=300), 6 * rng.normal(size=300)
    at = first(KSWIN(seed=5), np.concatenate([narrow, wide]))
    assert 300 <= at < 400
    quiet = KSWIN(alpha=1e-4, seed=2)
    assert sum(quiet.update(x) for x in rng.normal(size=2000)) == 0


def test_kswin_bound_is_the_closed_form():
    detector = KSWIN(alpha=0.01, window_size=20, stat_size=10)
    bound = math.sqrt(math.log(200) / 10)
    needed = math.floor(bound * 10) + 1  # so many of the ten newest must lie above all others
    xs = [0.0] * 20 + [1.0] * 10
    assert first(detector, xs) == 20 + needed - 1


@pytest.mark.parametrize("detector", FIRST)
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
    detector.reset()
    assert [fresh.update(x) for x in xs] == [detector.update(x) for x in xs]


@pytest.mark.parametrize("detector", FIRST)
@pytest.mark.parametrize("wrong", [math.nan, math.inf, -math.inf])
def test_numbers_that_are_none_are_refused_and_change_nothing(detector, wrong):
    detector, other = clone(detector), clone(detector)
    xs = jumps(1)
    for x in xs[:300]:
        assert detector.update(x) == other.update(x)
    with pytest.raises(ValueError, match="takes"):
        detector.update(wrong)
    assert [detector.update(x) for x in xs[300:]] == [other.update(x) for x in xs[300:]]


@pytest.mark.parametrize("entry", [e for e in DETECTORS if e.highest == 1], ids=lambda e: e.name)
def test_errors_lie_between_0_and_1(entry):
    with pytest.raises(ValueError, match=r"got 1\.5: nothing was learned"):
        CLASSES[entry.name]().update(1.5)


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
        (KSWIN(window_size=20_000), "window_size"),
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


@pytest.mark.parametrize("detector", FIRST)
def test_states_that_no_stream_leaves_are_refused_or_harmless(detector):
    for x in jumps(5)[:250]:
        detector.update(x)
    core = _core.Detector(detector._named_params())
    good = detector._running.state()
    core.restore(good)
    assert core.state() == good
    for at in range(len(good)):
        for wrong in (-1.0, 0.5, 7.0, 1e300, math.nan, math.inf):
            bad = [*good[:at], wrong, *good[at + 1 :]]
            try:
                core.restore(bad)
            except ValueError:
                continue
            for x in jumps(6)[:150]:
                core.update(x)
            assert np.isfinite(core.state()).all()
    for short in ([], [-1.0]):
        with pytest.raises(ValueError, match="broken"):
            core.restore(short)


# ---- what stands for a detector


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("adwin", ADWIN(0.001, warning=0.01)),
        ("ADWIN", ADWIN(0.001, warning=0.01)),
        ("adwin(0.002)", ADWIN(0.002, warning=0.01)),
        ("adwin(delta=1e-5, warning=None)", ADWIN(1e-5)),
        ("ddm", DDM()),
        ("hddm_a(two_sided=True)", HDDM_A(two_sided=True)),
        ("hddm-w (0.01, warning_confidence=0.1)", HDDM_W(0.01, warning_confidence=0.1)),
        ("kswin(alpha=0.001)", KSWIN(0.001, mode="up")),
        ("page-hinkley(mode=both)", PageHinkley()),
        ("page-hinkley(mode='both')", PageHinkley()),
    ],
)
def test_text_stands_for_detectors(given, meant):
    found = detector_of(given)
    assert type(found) is type(meant)
    assert found.get_params() == meant.get_params()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("adwim", "no detector 'adwim'; did you mean 'adwin'"),
        ("nothing like it", "give None, a detector"),
        ("", "give None, a detector"),
        (0.5, "give None, a detector"),
        (ADWIN, "give None, a detector"),
        ({}, "give None, a detector"),
        ("adwin(", "give None, a detector"),
        ("adwin(delta=)", "write the parameters as in adwin"),
        ("adwin(delta=open('x'))", "write the parameters as in adwin"),
        ("adwin(*[1])", "write the parameters as in adwin"),
        ("adwin(0.1).real)", "write the parameters as in adwin"),
        ("adwin(detla=0.1)", "are the parameters of ADWIN"),
        ("adwin(0.1, 0.2, 0.3)", "are the parameters of ADWIN"),
        ("adwin(delta=2)", "delta"),
        ("ddm(warning_threshold=9)", "a warning must come first"),
    ],
)
def test_wrong_detectors_are_refused_with_advice(given, message):
    with pytest.raises(ValueError, match=message):
        detector_of(given)

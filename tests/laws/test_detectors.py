"""Guards with every detector: the oracle step by step, the laws bit for bit, and what a user may give."""

import copy
import pickle

import numpy as np
import pytest
from oracle.adaptive import AdaptiveBagging
from oracle.naive_bayes import NaiveBayes as SlowBayes
from sklearn.base import clone

import streamboost as sb
from laws.guards import check_guard_laws, turning
from streamboost import models
from streamboost.catalogue import DETECTORS
from streamboost.distributed import KeyedClassifier
from streamboost.drift import ADWIN, DDM, HDDM_A, HDDM_W, KSWIN, PageHinkley
from tests.inside.handles import key_of


class Mine:
    """A detector of a user: many errors among the last few."""

    def __init__(self, most=5, size=12):
        self.most, self.size = most, size
        self.errors = []
        self.warning = False

    def update(self, x):
        self.errors = [*self.errors, x][-self.size :]
        self.warning = sum(self.errors) >= self.most - 1
        return sum(self.errors) >= self.most + 1


class RiverStyle:
    """One that answers by flags."""

    def __init__(self):
        self.inner = Mine()

    def update(self, x):
        self.drift_detected = self.inner.update(x)
        self.warning_detected = self.inner.warning
        return self


# So eager that streams of some hundred rows warn, drift and replace.
EAGER = {
    "adwin": ADWIN(0.3, warning=0.7),
    "ddm": DDM(10, warning_threshold=1.0, drift_threshold=1.5),
    "hddm-a": HDDM_A(0.1, warning_confidence=0.5),
    "hddm-w": HDDM_W(0.1, warning_confidence=0.4, lambda_val=0.1),
    "kswin": KSWIN(0.2, window_size=30, stat_size=12, seed=3, mode="up"),
    "page-hinkley": PageHinkley(10, threshold=4.0, alpha=0.999, mode="up"),
}
OWN = {"own": Mine(), "river-style": RiverStyle()}


def test_every_detector_of_the_table_has_a_case():
    assert {entry.name for entry in DETECTORS} == set(EAGER)


@pytest.mark.parametrize("background", [True, False])
@pytest.mark.parametrize("name", EAGER)
def test_a_guarded_forest_is_its_oracle(name, background):
    X, y = turning(260, seed=3)
    detector = EAGER[name]
    model = sb.StreamBoostClassifier(
        sb.NaiveBayes(),
        n_estimators=4,
        poisson_rate=2.0,
        window=50.0,
        companions=(),
        drift=detector,
        background=background,
        random_state=5,
    )
    proba = model.test_then_train(X, y, classes=[0, 1], output="proba")

    def make(columns, n_classes, key, lane, birth=0):
        return SlowBayes(columns, n_classes, key, lane)

    drift = {"detector": name, "background": background, **detector.get_params()}
    oracle = AdaptiveBagging(
        make, 4, key_of(model), poisson_rate=2.0, window=50.0, drift=drift, width=2, n_classes=2
    )
    for t in range(len(X)):
        answer = oracle.answer(X[t].tolist())
        if t and not answer.close:
            np.testing.assert_allclose(proba[t], answer.proba, rtol=1e-8, atol=1e-11, err_msg=f"row {t}")
        oracle.learn(X[t].tolist(), int(y[t]), 1.0)
        assert not oracle.doubt, t
    found = model.report().lanes
    assert found["drifts"].tolist() == [g.drifts for g in oracle.guards]
    assert found["warnings"].tolist() == [g.warnings for g in oracle.guards]
    assert found["age"].tolist() == [len(X) - g.born_at for g in oracle.guards]
    assert found["drifts"].sum() >= 2, "a stream that does not drift shows nothing"


KINDS = {
    "streamboost": lambda drift: sb.StreamBoostClassifier(n_estimators=5, drift=drift),
    "oza": lambda drift: sb.OnlineBoostingClassifier(
        sb.NaiveBayes(), n_estimators=5, drift=drift, background=False
    ),
    "osboost": lambda drift: sb.OSBoostClassifier(sb.NaiveBayes(), n_estimators=5, drift=drift),
    "worst": lambda drift: sb.LeveragingBaggingClassifier(sb.NaiveBayes(), n_estimators=5, drift=drift),
    "forest-regressor": lambda drift: sb.AdaptiveRandomForestRegressor(n_estimators=5, drift=drift),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", [*EAGER, *OWN])
def test_chunks_cuts_threads_and_pauses_do_not_matter(name, kind, tmp_path):
    X, y = turning(400, seed=2)
    model = KINDS[kind]({**EAGER, **OWN}[name])
    if kind == "forest-regressor":
        y = np.where(np.arange(400) < 250, 2.0, -5.0) * X[:, 0] + 0.1 * X[:, 1]
    check_guard_laws(model, X, y, tmp_path / "m.sboost")


# ---- what a user may give, and what comes back


@pytest.mark.parametrize("name", [*EAGER, "adwin(delta=0.2, warning=0.5)", "text"])
def test_parameters_survive_files_clones_and_pickles(name, tmp_path):
    given = {**EAGER, "text": "kswin"}.get(name, name)
    X, y = turning(100)
    model = sb.OnlineBaggingClassifier(sb.NaiveBayes(), n_estimators=3, drift=given).partial_fit(X, y)
    model.save(tmp_path / "m.sboost")
    for other in (models.load(tmp_path / "m.sboost"), clone(model), pickle.loads(pickle.dumps(model))):
        assert type(other.drift) is type(given)
        assert repr(other) == repr(model) or other.random_state != model.random_state
        if not isinstance(given, str):
            assert other.drift.get_params() == given.get_params()
    models.load(tmp_path / "m.sboost").partial_fit(X, y)


def test_a_detector_of_a_model_at_work_is_frozen():
    X, y = turning(100)
    model = sb.OnlineBaggingClassifier(sb.NaiveBayes(), n_estimators=3, drift=DDM()).partial_fit(X, y)
    model.drift.warm_start = 5
    with pytest.raises(ValueError, match="drift"):
        model.partial_fit(X, y)
    model.set_params(drift__warm_start=30).partial_fit(X, y)
    assert model.get_params()["drift__warm_start"] == 30


@pytest.mark.parametrize("name", OWN)
def test_own_detectors_are_copied_pickled_and_not_saved(name, tmp_path):
    X, y = turning(400, seed=4)
    model = sb.OnlineBaggingClassifier(
        sb.NaiveBayes(), n_estimators=3, drift=OWN[name], random_state=0, n_jobs=2
    )
    model.partial_fit(X[:200], y[:200], classes=[0, 1])
    assert model.report().lanes["warnings"].sum() > 0
    with pytest.raises(
        ValueError, match=r"is a Python-written detector of drift.*one of streamboost's own detectors"
    ):
        model.save(tmp_path / "m.sboost")
    assert not (tmp_path / "m.sboost").exists()
    for other in (copy.deepcopy(model), pickle.loads(pickle.dumps(model)), model.snapshot()):
        assert other.predict_proba(X).tobytes() == model.predict_proba(X).tobytes()
    others = [copy.deepcopy(model), pickle.loads(pickle.dumps(model))]
    for one in (model, *others):
        one.partial_fit(X[200:], y[200:])
    for other in others:
        assert other.predict_proba(X).tobytes() == model.predict_proba(X).tobytes()
        assert other.report().lanes["drifts"].tolist() == model.report().lanes["drifts"].tolist()
    assert model.report().lanes["drifts"].sum() > 0
    assert getattr(OWN[name], "errors", []) == [], "the user's object is a pattern and learns nothing"
    with pytest.raises(ValueError, match="detectors of Python code"):
        KeyedClassifier(clone(model), key="k")


def test_an_own_detector_that_fails_leaves_a_clear_error():
    class Broken:
        def update(self, x):
            raise RuntimeError("no battery")

    X, y = turning(50)
    model = sb.OnlineBaggingClassifier(sb.NaiveBayes(), n_estimators=3, drift=Broken())
    with pytest.raises(RuntimeError, match="no battery"):
        model.partial_fit(X, y)


def test_learners_of_python_with_own_detectors():
    from sklearn.naive_bayes import GaussianNB

    X, y = turning(400, seed=4)
    model = sb.OnlineBaggingClassifier(
        GaussianNB(), n_estimators=3, drift=Mine(), background=False, random_state=0
    )
    model.partial_fit(X[:200], y[:200], classes=[0, 1])
    other = pickle.loads(pickle.dumps(model))
    for one in (model, other):
        one.partial_fit(X[200:], y[200:])
    assert model.report().lanes["replacements"].sum() > 0
    assert other.predict_proba(X).tobytes() == model.predict_proba(X).tobytes()


@pytest.mark.parametrize("entry", DETECTORS, ids=lambda entry: entry.name)
def test_each_detector_by_name_helps_where_the_labels_turn(entry):
    X, y = turning(4000, seed=5)
    guarded = sb.OnlineBaggingClassifier(sb.NaiveBayes(), n_estimators=10, drift=entry.name, random_state=1)
    plain = sb.OnlineBaggingClassifier(sb.NaiveBayes(), n_estimators=10, random_state=1)
    right = [(m.test_then_train(X, y, classes=[0, 1]) == y).mean() for m in (guarded, plain)]
    assert right[0] > right[1] + 0.05

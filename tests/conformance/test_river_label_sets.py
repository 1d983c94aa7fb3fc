"""River's checks of classifiers of label sets, and its metrics and chains beside ours."""

from __future__ import annotations

import numpy as np
import pytest

river = pytest.importorskip("river")
from river import base, datasets, metrics  # noqa: E402

from streamboost import (  # noqa: E402
    BinaryRelevanceClassifier,
    ClassifierChain,
    OnlineBaggingClassifier,
    OnlineBMRClassifier,
)
from streamboost.compat.river import RiverMultiLabelClassifier  # noqa: E402
from tests.conformance.river_checks import passed_checks  # noqa: E402

each = OnlineBaggingClassifier(n_estimators=2, random_state=1)
MODELS = [
    OnlineBMRClassifier(n_estimators=3, random_state=1),
    BinaryRelevanceClassifier(each),
    ClassifierChain(each),
]
of_sets = pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)


class Songs:
    """In the place of River's set of songs, which it would have to download."""

    def take(self, n):
        for row in np.random.default_rng(4).normal(size=(n, 4)).tolist():
            yield dict(zip("abcd", row, strict=True)), {"calm": row[0] > 0, "loud": row[1] > 0.5}


@of_sets
def test_every_check_of_river_passes(model, monkeypatch):
    monkeypatch.setattr(datasets, "Music", Songs)
    assert passed_checks(RiverMultiLabelClassifier(model)) >= 24


@of_sets
def test_it_learns_as_the_model_does(model):
    adapter, ours = RiverMultiLabelClassifier(model).clone(), RiverMultiLabelClassifier(model).clone().model
    assert isinstance(adapter, base.MultiLabelClassifier)
    X = np.random.default_rng(3).normal(size=(300, 2))
    exact = metrics.multioutput.ExactMatch()
    for t, (a, b) in enumerate(X.tolist()):
        x, y = {"a": a, "b": b}, {"up": a > 0, "down": b > 0}
        if t > 150:
            exact.update(y, adapter.predict_one(x))
        adapter.learn_one(dict(reversed(x.items())) if t % 2 else x, y, w=0.0 if t % 5 == 4 else 1.0)
        ours.learn_one(x, y, sample_weight=0.0 if t % 5 == 4 else 1.0)
    assert exact.get() > 0.4
    assert adapter.predict_one(x) == ours.predict_one(x)
    proba = adapter.predict_proba_one(x)
    assert {label: p[True] for label, p in proba.items()} == ours.predict_proba_one(x)
    assert all(sum(p.values()) == pytest.approx(1) for p in proba.values())
    assert adapter.clone(include_attributes=True).predict_one(x) == adapter.predict_one(x)
    with pytest.raises(ValueError, match="dict"):
        adapter.learn_one(x, True)


def test_models_of_the_other_kind_are_refused():
    with pytest.raises(TypeError, match="no classifier of label sets"):
        RiverMultiLabelClassifier(OnlineBaggingClassifier())

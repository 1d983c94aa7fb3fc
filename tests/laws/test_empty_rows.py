"""A stream may begin with rows that hold nothing: they are learned, and the first row with values begins the columns."""

import pickle

import numpy as np
import pytest
from sklearn.base import is_regressor

from tests import catalogue

ALL = [
    pytest.param(entry, of, id=f"{entry.name}-{of.name}" if of else entry.name)
    for entry in catalogue.STREAMING
    for of in (
        catalogue.learners_of(entry) if entry.name in ("single", "single-regressor", "bagging") else [None]
    )
    if of is None or not of.nominal_only
]
ROWS = [{}, {"a": None}, {}, {"a": 1.5}, {}, {"a": -1.0, "b": 2.0}, {"b": 0.5}, {"a": 0.5, "c": 1.0}] * 2


@pytest.mark.parametrize(("entry", "of"), ALL)
def test_rows_without_values_are_learned_and_saved_as_any_other(entry, of):
    found = catalogue.rows(entry, of, np.random.default_rng(1), len(ROWS), several=False)
    stays, goes = (catalogue.model(entry, None if of is None else catalogue.learner(of)) for _ in range(2))
    first = {} if found.classes is None else {"classes": found.classes}
    for x, y in zip(ROWS, found.y.tolist(), strict=True):
        for model in (stays, goes):
            model.learn_one(x, y, **first)
        first = {}
        goes = pickle.loads(pickle.dumps(goes))
        assert catalogue.state(goes) == catalogue.state(stays)
        answer = stays.predict_one(x) if is_regressor(stays) else sum(stays.predict_proba_one(x).values())
        assert np.isfinite(answer)

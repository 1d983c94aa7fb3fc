"""Rows that wait for a batch phase, as a file may claim them: every lie is refused before anything reads it."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from streamboost import PrimedOnlineBoostingClassifier
from tests.catalogue import arrays
from tests.inside.handles import core_of


def waiting(sparse: bool = False) -> PrimedOnlineBoostingClassifier:
    rng = np.random.default_rng(3)
    X = rng.integers(0, 3, (6, 3)).astype(float)
    X[0], X[2, 1] = [1, 2, 1], np.nan
    nominal = {} if sparse else {"categorical_features": [0]}
    model = PrimedOnlineBoostingClassifier(n_estimators=3, n_prime=8, random_state=1, **nominal)
    rows = sp.csr_matrix(np.nan_to_num(X)) if sparse else X
    return model.partial_fit(rows, [0, 1, 0, 1, 1, 0], classes=[0, 1])


def bits(value: float) -> int:
    return int(np.float64(value).view(np.int64))


LIES = {
    "label": ("rows/label", 0, 2),
    "negative label": ("rows/label", 0, -1),
    "weight 0": ("rows/weight", 1, bits(0.0)),
    "weight nan": ("rows/weight", 1, bits(np.nan)),
    "infinity": ("rows/cell", 1, bits(np.inf)),
    "category": ("rows/cell", 0, bits(3.0)),
    "half a category": ("rows/cell", 0, bits(0.5)),
    "negative category": ("rows/cell", 0, bits(-1.0)),
    "length": ("rows/length", 0, 4),
    "negative length": ("rows/length", 0, -3),
    "huge length": ("rows/length", 5, 2**62),
    "kind": ("rows/sparse", 0, 1),
    "no kind": ("rows/sparse", 0, 7),
}


@pytest.mark.parametrize("lie", LIES)
def test_lies_about_rows_are_refused(lie: str) -> None:
    model = waiting()
    name, at, value = LIES[lie]
    state = {key: array.copy() for key, array in arrays(model).items()}
    core_of(model).restore(state)  # the truth is taken
    state[name][at] = value
    with pytest.raises(ValueError):
        core_of(model).restore(state)


@pytest.mark.parametrize(("at", "value"), [(0, -1), (0, 3), (0, 2**40), (1, 0)])
def test_lies_about_columns_are_refused(at: int, value: int) -> None:
    model = waiting(sparse=True)
    state = {key: array.copy() for key, array in arrays(model).items()}
    core_of(model).restore(state)
    state["rows/column"][:2] = [0, 1]
    state["rows/column"][at] = value
    with pytest.raises(ValueError):
        core_of(model).restore(state)


@pytest.mark.parametrize("name", ["rows/cell", "rows/label", "rows/length", "rows/weight", "rows/sparse"])
def test_missing_rows_are_refused(name: str) -> None:
    model = waiting()
    state = arrays(model)
    state[name] = state[name][:-1].copy()
    with pytest.raises(ValueError):
        core_of(model).restore(state)


def test_rows_that_should_be_gone_are_refused() -> None:
    model = waiting()
    state = {key: array.copy() for key, array in arrays(model).items()}
    state["combiner/n_prime"] = np.array(2)
    with pytest.raises(ValueError, match="number of remembered rows"):
        core_of(model).restore(state)

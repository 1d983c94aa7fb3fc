from __future__ import annotations

import numpy as np
import pytest

from streamboost.base.inputs.schema import Growth, Schema, categorical_names, check_names, resolve_categorical


@pytest.mark.parametrize("given", [[False, True, False], [1], ["b"], np.array([1]), [-2]])
def test_mask_numbers_and_names_say_the_same(given):
    assert resolve_categorical(given, ["a", "b", "c"], 3) == [False, True, False]


@pytest.mark.parametrize(
    ("given", "word"),
    [([True], "mask of length 1"), ([7], "contains 7"), (["z"], "'z'"), ([1.5], "contains 1.5")],
)
def test_bad_categorical_features_say_what_is_allowed(given, word):
    with pytest.raises(ValueError, match=word):
        resolve_categorical(given, ["a", "b", "c"], 3)


def test_masks_make_no_sense_for_dicts():
    assert categorical_names(["job", 3]) == ["job", 3]
    with pytest.raises(ValueError, match="names"):
        categorical_names([True, False])


def test_growth_counts_only_after_commit():
    schema = Schema(["a", "b"], [False, True])
    growth = Growth(names=["c"], nominal=[True], values={1: ["x"], 2: ["y", "z"]})
    assert schema.n_values().tolist() == [-1, 0]
    assert schema.n_values(growth).tolist() == [-1, 1, 2]
    schema.commit(growth)
    assert schema.n_values().tolist() == [-1, 1, 2]
    assert schema.d0 == 2
    assert schema.index == {"a": 0, "b": 1, "c": 2}


@pytest.mark.parametrize(
    ("given", "word"),
    [
        (["a", "c"], "unseen at fit time"),
        (["a"], "yet now missing"),
        (None, "no column names"),
    ],
)
def test_other_columns_are_refused(given, word):
    with pytest.raises(ValueError, match=word):
        check_names(["a", "b"], given, "Model")


def test_names_on_a_positional_model_are_refused():
    with pytest.raises(ValueError, match="by position"):
        check_names(None, ["a"], "Model")

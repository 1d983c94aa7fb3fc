"""The handles by which tests look inside a model; users have none of them. What changes in there is followed here alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any
from unittest import mock

import numpy as np

import streamboost as sb
from streamboost import _core
from streamboost.base.estimator import Estimator


def session_of(model: Any) -> Any:
    """What the model has been since its first row: schema, labels, locks, the native model."""
    return model._session


def core_of(model: Any) -> Any:
    """The native model."""
    return model._session.model


def tree_nodes(model: Any, lane: int = 0) -> list[Any]:
    """The nodes of a tree: ("leaf" or the kind of split, column, ...)."""
    found: list[Any] = core_of(model).tree(lane)
    return found


def state_of(model: Any) -> dict[str, Any]:
    """All numbers of the native model; `arrays` of tests/catalogue.py reads them from a file, which not all models have."""
    found: dict[str, Any] = core_of(model).state()
    return found


def bits(model: Any) -> dict[str, tuple[str, tuple[int, ...], bytes]]:
    """The same as bytes: models are alike if these are equal."""
    return {name: (a.dtype.str, a.shape, a.tobytes()) for name, a in state_of(model).items()}


def key_of(model: Any) -> int:
    """The key of all random draws."""
    found: int = session_of(model).seed
    return found


def lane_objects(model: Any) -> list[Any]:
    """The learners written in Python, one of each lane."""
    found: list[Any] = core_of(model).lane_objects()
    return found


def model_of_all(keyed: Any) -> Any:
    """Of models by key, the one that learns the rows of every key."""
    return keyed._global


@contextmanager
def noticed(
    *, before: Callable[[Any], object] | None = None, after: Callable[[Any], object] | None = None
) -> Iterator[None]:
    """Every model that learns inside is shown, before and after; rows take the long way, so that none is missed."""
    learn = Estimator._learn

    def learn_noticed(self: Any, *arguments: Any, **options: Any) -> Any:
        if before is not None:
            before(self)
        found = learn(self, *arguments, **options)
        if after is not None:
            after(self)
        return found

    with mock.patch.multiple(Estimator, _learn=learn_noticed, _learn_fast=lambda *_, **__: False):
        yield


def learner_params(model: Any) -> dict[str, Any]:
    """What the core is told about the learner."""
    found: dict[str, Any] = model._learner_plan(0).params
    return found


def hashed_model(view: str, bits: int, *, numbers: bool = False, newton: bool = True) -> Any:
    """A native model of one expert over hashed words."""
    params = {"view": view, "bits": bits, "window_bits": bits, "newton": newton, "late": False}
    return _core.Model(booster="hashed_regressor" if numbers else "hashed", booster_params=params, seed=1)


def shares_model(bits: int, window: float, *, words: bool = False) -> Any:
    """A native model of past shares of values and crosses, or of all tokens."""
    params = {"bits": bits, "window": window, "information": 0.03, "words": words}
    return _core.Model(booster="hashed_shares", booster_params=params, seed=1)


def encoded_model(*, numbers: bool, encoding: dict[str, Any] | None = None, score_bits: int = 0) -> Any:
    """A native model of one learner behind target statistics, and scores; `encoding` empty: rows as they are."""
    learner = sb.LinearRegression() if numbers else sb.NaiveBayes()
    kind = sb.OnlineBaggingRegressor if numbers else sb.OnlineBaggingClassifier
    plan = kind(learner, n_estimators=1, random_state=1).fit(np.eye(2), [0, 1]).session.plan
    own = (
        {"most_columns": 256, "sparse": False, "score_bits": score_bits, "open": False}
        if encoding is None
        else encoding
    )
    return _core.Model(**{**plan, "encoding": own})


@contextmanager
def lanes_cut(cuts: Sequence[int], wave_chunk: int = 0) -> Iterator[None]:
    """Models started inside have their lanes cut into blocks there, and threads hand each other so many rows at a time."""
    whole = _core.Model
    with mock.patch.object(_core, "Model", partial(whole, cuts=cuts, wave_chunk=wave_chunk)):
        yield

"""The laws that every ensemble keeps, bit for bit."""

from __future__ import annotations

import copy
import itertools
import os
import pickle
import tempfile
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.estimator_checks import check_estimator

from streamboost.checks.expected import expected_failed_checks
from streamboost.checks.results import Check, CheckResult, run_checks, same, small_stream
from streamboost.models import load

FIRST = {"classes": [0, 1]}


def check_ensemble(model: Any, *, sklearn: bool = False, on_fail: str = "raise") -> list[CheckResult]:
    """Check that an ensemble keeps the laws: the same bits whatever the chunks, files, threads and questions between.

    Parameters
    ----------
    model : estimator
        An unfitted ensemble that takes numeric columns and two classes. It is cloned, never taught itself.
    sklearn : bool
        Whether to run scikit-learn's `check_estimator` as well, which takes some seconds.
    on_fail : {"raise", "return"}
        Raise one AssertionError that lists all failures, or return results only.

    Returns
    -------
    list of CheckResult
        ``name``, ``demand``, ``error`` and ``passed`` of every check.
    """
    checks: tuple[Check, ...] = (*ENSEMBLE_CHECKS, check_scikit_learn) if sklearn else ENSEMBLE_CHECKS
    return run_checks(model, checks, type(model).__name__, on_fail)


def fresh(model: Any, **params: Any) -> Any:
    """Return an untaught copy with a fixed seed."""
    return clone(model).set_params(random_state=3, **params)


def taught(model: Any, X: Any, y: Any, **params: Any) -> Any:
    """Return a copy that has learned these rows in one call."""
    return fresh(model, **params).partial_fit(X, y, **FIRST)


def check_learns(model: Any) -> None:
    """It does better than guessing on an easy stream, and its probabilities are probabilities."""
    X, y = small_stream(600)
    it = fresh(model)
    answers, proba = it.test_then_train(X, y, output="both", **FIRST)
    assert np.mean(answers[300:] == y[300:]) > 0.6, "it guesses"
    for p in (proba, it.predict_proba(X)):
        assert p.shape == (600, 2), f"probabilities have shape {p.shape}, expected (600, 2)"
        assert ((p >= 0) & (p <= 1)).all(), "a probability lies outside [0, 1]"
        assert np.allclose(p.sum(axis=1), 1), "probabilities do not sum to 1"
    assert it.classes_.tolist() == [0, 1], "classes_ is not what was declared"
    assert it.memory_bytes() > 0, "memory_bytes says nothing"


def check_chunks_do_not_matter(model: Any) -> None:
    """One row at a time, any chunks and one call of `test_then_train` give the same bits."""
    X, y = small_stream(90)
    whole = fresh(model)
    expected = whole.test_then_train(X, y, output="proba", **FIRST)
    for cuts in (range(91), (0, 7, 8, 50, 90)):
        parts, answers = fresh(model), []
        for a, b in itertools.pairwise(cuts):
            answers.append(parts.test_then_train(X[a:b], y[a:b], output="proba", **FIRST))
        same(np.concatenate(answers), expected, f"answers in {len(answers)} calls differ from those in one")
        same(
            parts.predict_proba(X),
            whole.predict_proba(X),
            f"{len(answers)} calls leave another model than one",
        )


def check_dicts_are_rows(model: Any) -> None:
    """`learn_one` and `predict_one` on dicts are `partial_fit` and `predict` on rows."""
    X, y = small_stream(40)
    whole, singly = taught(model, X, y), fresh(model)
    singly.partial_fit(X[:1], y[:1], **FIRST)
    for row, label in zip(X[1:].tolist(), y[1:].tolist(), strict=True):
        singly.learn_one(dict(enumerate(row)), label)
    same(singly.predict_proba(X), whole.predict_proba(X), "learned from dicts, the model is another one")
    answers = [singly.predict_one(dict(enumerate(row))) for row in X.tolist()]
    assert answers == whole.predict(X).tolist(), "asked with dicts, the model answers differently"


def check_answering_changes_nothing(model: Any) -> None:
    """Asking is pure: twice the same answer, and a model that was asked learns like one that was not."""
    X, y = small_stream(60)
    asked = taught(model, X[:30], y[:30])
    for verb in (asked.predict, asked.predict_proba, asked.decision_function):
        same(verb(X), verb(X), f"{verb.__name__} answers differently when asked twice")
    same(
        asked.partial_fit(X[30:], y[30:]).predict_proba(X),
        taught(model, X, y).predict_proba(X),
        "a model that was asked has learned something else",
    )


def check_no_peeking(model: Any) -> None:
    """An answer depends on the rows before it and on nothing else."""
    X, y = small_stream(60)
    answers = fresh(model).test_then_train(X, y, output="proba", **FIRST)
    other = np.concatenate([y[:30], 1 - y[30:]])
    same(
        fresh(model).test_then_train(X, other, output="proba", **FIRST)[:31],
        answers[:31],
        "answers for the first 31 rows know the labels after them",
    )


def check_weight_zero_is_nothing(model: Any) -> None:
    """A row of weight 0 leaves no trace, and a batch of them is no error."""
    X, y = small_stream(60)
    weight = np.tile([1.0, 0.0], 30)
    it = fresh(model).partial_fit(X, y, sample_weight=weight, **FIRST)
    same(
        it.predict_proba(X),
        taught(model, X[::2], y[::2]).predict_proba(X),
        "rows of weight 0 have changed the model",
    )
    it.partial_fit(X, y, sample_weight=np.zeros(60))
    it.partial_fit(X[:0], y[:0])


def check_copies_and_pickles_go_on(model: Any) -> None:
    """Copied or pickled and taught on, it is what it would have been; the original is left alone."""
    X, y = small_stream(60)
    expected = taught(model, X, y).predict_proba(X)
    half = taught(model, X[:30], y[:30])
    before = half.predict_proba(X)
    for duplicate in (copy.deepcopy(half), pickle.loads(pickle.dumps(half))):
        same(duplicate.partial_fit(X[30:], y[30:]).predict_proba(X), expected, "a copy goes on differently")
    same(half.predict_proba(X), before, "teaching a copy has changed the original")


def check_files_go_on(model: Any) -> None:
    """Saved, loaded and taught on, it is what it would have been, for learners that can be saved."""
    X, y = small_stream(60)
    half = taught(model, X[:30], y[:30])
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.sboost")
        try:
            half.save(path)
        except ValueError as refusal:
            if "pickle" not in str(refusal):
                raise AssertionError(f"save refuses without advice: {refusal}") from refusal
            return
        again = load(path)
    assert type(again) is type(half), f"load gives a {type(again).__name__}"
    same(
        again.partial_fit(X[30:], y[30:]).predict_proba(X),
        taught(model, X, y).predict_proba(X),
        "a file goes on differently",
    )


def check_threads_do_not_matter(model: Any) -> None:
    """Two threads and one give the same bits."""
    X, y = small_stream(90)
    answers = [
        fresh(model, n_jobs=n_jobs).test_then_train(X, y, output="proba", **FIRST) for n_jobs in (None, 2)
    ]
    same(answers[0], answers[1], "n_jobs=2 answers differently")


def check_missing_values(model: Any) -> None:
    """Missing values are taken, and spoil nothing for later."""
    X, y = small_stream(120)
    X[20, 0] = X[21, 1] = np.nan
    X[22] = np.nan
    proba = taught(model, X, y).predict_proba(X)
    assert np.isfinite(proba).all(), "answers are no numbers after a missing value"


def check_bad_input_teaches_nothing(model: Any) -> None:
    """Infinity, unknown labels, another width and bad weights are refused before anything is learned."""
    X, y = small_stream(40)
    it = taught(model, X, y)
    before = it.predict_proba(X)
    bad = X.copy()
    bad[-1, -1] = np.inf
    calls: tuple[tuple[Any, Any, Any], ...] = (
        (bad, y, None),
        (X, np.where(np.arange(40) == 39, 7, y), None),
        (X[:, :2], y, None),
        (X, y, np.where(np.arange(40) == 39, -1.0, 1.0)),
        (X, y[:-1], None),
    )
    for rows, labels, weight in calls:
        try:
            it.partial_fit(rows, labels, sample_weight=weight)
        except (ValueError, TypeError):
            same(it.predict_proba(X), before, "a call that was refused has taught something")
            continue
        raise AssertionError("a call that must be refused was taken")


def check_scikit_learn(model: Any) -> None:
    """scikit-learn's own `check_estimator` passes, but for what no stream learner can."""
    check_estimator(clone(model), expected_failed_checks=expected_failed_checks(model), on_skip=None)


ENSEMBLE_CHECKS = (
    check_learns,
    check_chunks_do_not_matter,
    check_dicts_are_rows,
    check_answering_changes_nothing,
    check_no_peeking,
    check_weight_zero_is_nothing,
    check_copies_and_pickles_go_on,
    check_files_go_on,
    check_threads_do_not_matter,
    check_missing_values,
    check_bad_input_teaches_nothing,
)

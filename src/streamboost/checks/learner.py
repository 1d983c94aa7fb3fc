"""Checks of what any weak learner, ours or that of another library, must do to be boosted."""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from typing import Any

import numpy as np

from streamboost.base.params import LaneScope
from streamboost.checks.results import CheckResult, run_checks, same, small_stream
from streamboost.ensemble import OnlineBaggingClassifier, OnlineBoostingClassifier, SingleLearnerClassifier
from streamboost.learners import Learner
from streamboost.learners.adapters import ArrayLane, DictLane, lane_kind, seeded_copy


@dataclass
class LearnerUnderTest:
    """A learner, and the kind of columns it takes."""

    learner: Any
    nominal: bool

    def stream(self, n_rows: int = 240, n_classes: int = 2) -> Any:
        """Return rows and labels that the learner can take."""
        return small_stream(n_rows, n_classes, nominal=self.nominal)

    def inside(self, cls: Any = SingleLearnerClassifier, **params: Any) -> Any:
        """Return an ensemble of a few copies of it."""
        if cls is not SingleLearnerClassifier:
            params["n_estimators"] = 3
        columns = [0, 1, 2] if self.nominal else None
        params |= {
            "calibration": None,
            "categorical_features": columns,
        }  # what is looked at are its own answers
        return cls(seeded_copy(self.learner, 1, 0), random_state=1, **params)

    def taught(self) -> Taught | None:
        """Return a copy that was taught two classes outside of any ensemble; None of our own learners, which have no verbs."""
        if isinstance(self.learner, Learner):
            return None
        X, y = self.stream(60)
        values: list[list[Any] | None] = [[0, 1, 2] if self.nominal else None] * 3
        scope = LaneScope(2, ["a", "b", "c"], values)
        lane = lane_kind(self.learner)(seeded_copy(self.learner, 1, 0), scope)
        for row, label in zip(X, y.tolist(), strict=True):
            lane.learn(row, label, 1.0, False)
        return Taught(lane)


@dataclass
class Taught:
    """A learner of another library behind its adapter."""

    lane: ArrayLane | DictLane

    @property
    def learner(self) -> Any:
        """The learner itself."""
        return self.lane.learner

    def answer(self, row: Any, n_classes: int) -> Any:
        """Return the answers that an ensemble would get."""
        return self.lane.answer(row, n_classes)

    def labels(self, row: Any) -> list[Any]:
        """Return every label that the learner itself names for a row."""
        x: Any = self.lane._row(row)
        if isinstance(self.lane, ArrayLane):
            return [*np.asarray(self.learner.predict(x)).tolist(), *getattr(self.learner, "classes_", ())]
        said = self.learner.predict_one(x)
        return [] if said is None else [said]


def _state(learner: Any) -> bytes | None:
    try:  # twice, since a pickle also tells which of its parts were one object
        return pickle.dumps(pickle.loads(pickle.dumps(learner)))
    except Exception:  # what cannot be pickled fails where pickles are asked for
        return None


def check_learner(learner: Any, *, nominal: bool = False, on_fail: str = "raise") -> list[CheckResult]:
    """Check that a weak learner can be boosted: one of ours, scikit-learn style, River style, or your own.

    Parameters
    ----------
    learner : learner
        An instance with `partial_fit` and `predict`, or with `learn_one` and `predict_one`, or one of ours. It is
        copied, never taught itself.
    nominal : bool
        Whether it takes nominal columns only.
    on_fail : {"raise", "return"}
        Raise one AssertionError that lists all failures, or return results only.

    Returns
    -------
    list of CheckResult
        ``name``, ``demand``, ``error`` and ``passed`` of every check.
    """
    subject = LearnerUnderTest(learner, nominal)
    return run_checks(subject, LEARNER_CHECKS, type(learner).__name__, on_fail)


def check_learns(it: LearnerUnderTest) -> None:
    """It does better than guessing on an easy stream of two classes."""
    # A network needs a few thousand rows; the loop ends early for learners that need fewer.
    for n_rows in (600, 4000):
        X, y = it.stream(n_rows)
        answers = it.inside().test_then_train(X, y, classes=[0, 1])
        right = float(np.mean(answers[n_rows // 2 :] == y[n_rows // 2 :]))
        if right > 0.6:
            return
    raise AssertionError(f"it is right in {right:.0%} of the rows, where 95% is possible and 50% is guessing")


def check_three_classes(it: LearnerUnderTest) -> None:
    """It takes more than two classes when they are declared."""
    X, y = it.stream(600, 3)
    right = float(np.mean(it.inside().fit(X, y).predict(X) == y))
    assert right > 0.4, f"it is right in {right:.0%} of the rows, where a third is guessing"


def check_untrained_is_no_error(it: LearnerUnderTest) -> None:
    """A copy that has learned nothing yet abstains instead of raising."""
    X, y = it.stream(40)
    for cls in (OnlineBaggingClassifier, OnlineBoostingClassifier):
        proba = it.inside(cls).test_then_train(X, y, classes=[0, 1], output="proba")
        assert np.isfinite(proba).all(), f"{cls.__name__} answers {proba[~np.isfinite(proba)][0]}"


def check_one_class_so_far(it: LearnerUnderTest) -> None:
    """A stream that shows one class for long is learned."""
    X, _ = it.stream(40)
    model = it.inside().partial_fit(X, np.zeros(40, int), classes=[0, 1])
    assert (model.predict(X) == 0).all(), "it answers a class that it never saw"


def check_missing_values(it: LearnerUnderTest) -> None:
    """A missing value (NaN) is taken, and spoils nothing for later."""
    X, y = it.stream(200)
    X[20, 0] = X[21, 1] = np.nan
    X[22] = np.nan
    proba = it.inside(OnlineBaggingClassifier).fit(X, y).predict_proba(X)
    assert np.isfinite(proba).all(), "answers are no numbers after a missing value"
    assert proba[:, 1].std() > 0, "it tells no rows apart after a missing value"


def check_chunks_do_not_matter(it: LearnerUnderTest) -> None:
    """Rows learned one at a time and at once give the same bits."""
    X, y = it.stream(80)
    for cls in (SingleLearnerClassifier, OnlineBaggingClassifier, OnlineBoostingClassifier):
        whole, parts = it.inside(cls), it.inside(cls)
        whole.partial_fit(X, y, classes=[0, 1])
        for i in range(80):
            parts.partial_fit(X[i : i + 1], y[i : i + 1], classes=[0, 1])
        same(whole.predict_proba(X), parts.predict_proba(X), f"{cls.__name__}: one call differs from 80")


def check_answering_changes_nothing(it: LearnerUnderTest) -> None:
    """Asking is pure: twice the same answer, and a model that was asked learns like one that was not."""
    X, y = it.stream(80)
    asked, quiet = it.inside(OnlineBaggingClassifier), it.inside(OnlineBaggingClassifier)
    for i in range(0, 80, 10):
        quiet.partial_fit(X[i : i + 10], y[i : i + 10], classes=[0, 1])
        asked.partial_fit(X[i : i + 10], y[i : i + 10], classes=[0, 1])
        same(asked.predict_proba(X), asked.predict_proba(X), "asked twice, it answers differently")
    same(asked.predict_proba(X), quiet.predict_proba(X), "having been asked, it has learned something else")


def check_predict_keeps_the_state(it: LearnerUnderTest) -> None:
    """Asking leaves the learner itself as it was, even where no answer shows it yet."""
    taught = it.taught()
    if taught is None:
        return
    before = _state(taught.learner)
    for row in it.stream(20)[0]:
        taught.answer(row, 2)
        taught.labels(row)
    if _state(taught.learner) != before:
        raise AssertionError("its state is another one after it was asked")


def check_answers_declared_labels(it: LearnerUnderTest) -> None:
    """It answers only labels that it was taught or that were declared."""
    taught = it.taught()
    if taught is None:
        return
    for row in it.stream(60)[0]:
        for label in taught.labels(row):
            assert label in (0, 1), f"it answers {label!r}, where 0 and 1 are the classes"


def check_weight_zero_is_nothing(it: LearnerUnderTest) -> None:
    """A row of weight 0 leaves no trace."""
    X, y = it.stream(80)
    weight = np.tile([1.0, 0.0], 40)
    with_zeros = it.inside(OnlineBoostingClassifier).partial_fit(X, y, classes=[0, 1], sample_weight=weight)
    without = it.inside(OnlineBoostingClassifier).partial_fit(X[::2], y[::2], classes=[0, 1])
    same(with_zeros.predict_proba(X), without.predict_proba(X), "rows of weight 0 have changed its answers")


def check_weights_count(it: LearnerUnderTest) -> None:
    """Where two labels contradict each other, the heavier one wins."""
    X = np.ones((200, 3))
    y = np.tile([1, 0], 100)
    model = it.inside().partial_fit(X, y, classes=[0, 1], sample_weight=np.tile([9.0, 1.0], 100))
    heavy = model.predict_proba(X[:1])[0, 1]
    model = it.inside().partial_fit(X, y, classes=[0, 1], sample_weight=np.tile([1.0, 9.0], 100))
    light = model.predict_proba(X[:1])[0, 1]
    assert heavy >= light, f"with weight 9 the label gets {heavy:.3f}, with weight 1 {light:.3f}"


def check_pickles_go_on(it: LearnerUnderTest) -> None:
    """Pickled, loaded and taught on, it is what it would have been."""
    X, y = it.stream(80)
    whole = it.inside(OnlineBaggingClassifier).partial_fit(X, y, classes=[0, 1])
    half = it.inside(OnlineBaggingClassifier).partial_fit(X[:40], y[:40], classes=[0, 1])
    half = pickle.loads(pickle.dumps(half)).partial_fit(X[40:], y[40:])
    same(whole.predict_proba(X), half.predict_proba(X), "a pickle goes on differently")


def check_seeds(it: LearnerUnderTest) -> None:
    """Equal seeds give equal models: randomness comes from `random_state` or `seed`, and from nowhere else."""
    X, y = it.stream(80)
    answers = [it.inside(OnlineBaggingClassifier).fit(X, y).predict_proba(X) for _ in range(2)]
    same(answers[0], answers[1], "two runs with the same seed differ")


def check_new_features(it: LearnerUnderTest) -> None:
    """In dict rows, features that come and go are taken."""
    if it.nominal:
        return
    X, y = it.stream(60)
    model = it.inside(OnlineBaggingClassifier)
    for i, (row, label) in enumerate(zip(X.tolist(), y.tolist(), strict=True)):
        names = ("a",) if i < 20 else ("a", "b", "c") if i < 40 else ("b", "c")
        model.learn_one(dict(zip(names, row, strict=False)), label, classes=[0, 1] if i == 0 else None)
        model.predict_one({"c": 1.0, "never": 2.0})


LEARNER_CHECKS = (
    check_learns,
    check_three_classes,
    check_untrained_is_no_error,
    check_one_class_so_far,
    check_missing_values,
    check_chunks_do_not_matter,
    check_answering_changes_nothing,
    check_predict_keeps_the_state,
    check_answers_declared_labels,
    check_weight_zero_is_nothing,
    check_weights_count,
    check_pickles_go_on,
    check_seeds,
    check_new_features,
)

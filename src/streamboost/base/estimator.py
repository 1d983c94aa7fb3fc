"""The verbs: fit and predict of every classifier, partial_fit and test_then_train of those that learn from streams.

A regressor has the same ones (regressor.py).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin

from streamboost.base.files.persist import Persistence
from streamboost.base.fitted import FittedAttributes
from streamboost.base.inputs.labels import ClassCodes
from streamboost.base.inputs.schema import Schema
from streamboost.base.inputs.sources import TableRows
from streamboost.base.params import BoosterPlan, LearnerPlan, WatchedParameters, count_threads, snapshot
from streamboost.base.row_verbs import RowAnswers, RowVerbs
from streamboost.base.session import Session
from streamboost.catalogue import ModelEntry

if TYPE_CHECKING:
    from typing_extensions import Self

OUTPUTS = ("label", "proba", "score", "both")


class Estimator(FittedAttributes, Persistence, WatchedParameters, BaseEstimator):
    """Parameters, validation and files of one model; the arithmetic lives in the core."""

    _entry: ClassVar[ModelEntry]
    _model_version: ClassVar[int] = 1
    _free_parameters: ClassVar[frozenset[str]] = frozenset({"random_state", "n_jobs"})
    _session_kind: Callable[..., Session] = Session  # where the lanes live: in this process, or in shards

    n_jobs: int | None
    random_state: Any
    tie: str
    monitor: bool
    categorical_features: Any

    # What an ensemble must say about itself.

    @abstractmethod
    def _booster_plan(self) -> BoosterPlan: ...

    def _fit_plan(self, n_rows: int) -> BoosterPlan:
        """Return the plan of `fit`, which knows how many rows of positive weight there are."""
        return self._booster_plan()

    def _stages(self) -> dict[str, Any]:
        """Return what comes after the vote, as the core reads it; empty: nothing."""
        return {}

    def _class_settings(self, labels: Sequence[Any], declared: bool) -> NDArray[np.float64] | None:
        """Return what the user says of the classes, as the core reads it, or refuse it. `labels`: by code."""
        return None

    @abstractmethod
    def _learner_plan(self, seed: int) -> LearnerPlan: ...

    @abstractmethod
    def _resumed_plan(self, seed: int, lanes: list[Any]) -> LearnerPlan: ...

    def _n_lanes(self) -> int:
        return int(self.n_estimators)

    def _new_session(
        self,
        seed: int,
        labels: ClassCodes,
        columns: Schema,
        lanes: list[Any] | None = None,
        n_fit: int | None = None,
    ) -> Session:
        names = tuple(name for name in self._get_param_names() if name not in self._free_parameters)
        return self._session_kind(
            type(self).__name__,
            self._booster_plan() if n_fit is None else self._fit_plan(n_fit),
            self._learner_plan(seed) if lanes is None else self._resumed_plan(seed, lanes),
            n_estimators=self._n_lanes(),
            seed=seed,
            tie=str(self.tie),
            monitor=bool(self.monitor),
            threads=count_threads(self.n_jobs),
            labels=labels,
            schema=columns,
            frozen=snapshot(self, names),
            stages=self._stages(),
            class_settings=self._class_settings,
        )

    def _ask(self, X: Any, answer: str) -> NDArray[Any]:
        if self._session is None:
            self._refuse_unfitted(fitted=True)
        source = TableRows(X, type(self).__name__)
        answers: NDArray[Any] = self._read(lambda session: session.ask(source, answer))
        return answers

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        return tags


class Classifier(RowAnswers, ClassifierMixin, Estimator):
    """A model that tells classes."""

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Forget everything, declare the labels of `y` and learn all rows in their order.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features)
            The rows.
        y : array of shape (n_samples,)
            Their labels.
        sample_weight : array of shape (n_samples,), optional
            Weights of the rows, 0 or more, not all 0.

        Returns
        -------
        self
        """
        self._learn(TableRows(X, type(self).__name__, least=1), y, None, sample_weight, fit=True)
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most likely label of each row; changes nothing."""
        return self._ask(X, "label")

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class in ``classes_``, one row per row of `X`."""
        return self._ask(X, "proba")

    def predict_both(self, X: Any) -> tuple[NDArray[Any], NDArray[np.float64]]:
        """Return what `predict` and `predict_proba` do, asking the model once."""
        labels, proba = self._ask(X, "both")
        return labels, proba

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return scores: one number per row for two classes (positive: ``classes_[1]``), else one per class."""
        scores = self._ask(X, "score")
        if scores.shape[1] == 1:
            return -scores[:, 0]
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = self._entry.max_classes is None
        return tags


class StreamClassifier(RowVerbs, Classifier):
    """A classifier that goes on learning, in chunks or row by row."""

    def partial_fit(
        self, X: Any, y: Any, classes: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Learn some more rows.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features)
            The rows.
        y : array of shape (n_samples,)
            Their labels.
        classes : array, optional
            All labels that may ever appear, given at the first call; else labels are discovered as they come.
        sample_weight : array of shape (n_samples,), optional
            Weights of the rows; a row of weight 0 is checked and otherwise ignored.

        Returns
        -------
        self
        """
        self._learn(TableRows(X, type(self).__name__), y, classes, sample_weight)
        return self

    @overload
    def test_then_train(
        self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None, *, output: Literal["both"]
    ) -> tuple[NDArray[Any], NDArray[np.float64]]: ...

    @overload
    def test_then_train(
        self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None, output: str = "label"
    ) -> NDArray[Any]: ...

    def test_then_train(
        self,
        X: Any,
        y: Any,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        output: str = "label",
    ) -> Any:
        """Answer for each row before learning it, in one pass.

        Parameters
        ----------
        X, y, classes, sample_weight
            As in :meth:`partial_fit`.
        output : {"label", "proba", "score", "both"}
            What to answer. Rows before the first known class get None (labels) or NaN.

        Returns
        -------
        array
            Labels of shape (n_samples,), or one column for each class in ``classes_`` (as known after the call);
            with ``"both"`` a pair: labels, probabilities.
        """
        if output not in OUTPUTS:
            raise ValueError(
                f"output={output!r} is not allowed; choose one of {', '.join(map(repr, OUTPUTS))}."
            )
        return self._learn(TableRows(X, type(self).__name__), y, classes, sample_weight, output)

"""The verbs of classifiers: fit and predict of every one, partial_fit and test_then_train of those that learn from streams.

A regressor has the same ones (regressor.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin

from streamboost.base.estimator import Estimator
from streamboost.base.inputs.sources import DictRow, TableRows
from streamboost.base.pending import NOTHING_SAID, LateRecords, PendingAnswers

if TYPE_CHECKING:
    from typing_extensions import Self

OUTPUTS = ("label", "proba", "score", "both")


class Classifier(ClassifierMixin, Estimator):
    """A classifier. Dicts with the usual keys take a short way (`FastRow` in the bindings)."""

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

    def predict_votes(self, X: Any) -> NDArray[np.float64]:
        """Return the share of the learners that are for each class in ``classes_``, whatever weight their votes have.

        Learners that have seen nothing yet do not count. Of a model that pools several ensembles, each counts the same.
        """
        return self._ask(X, "votes")

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

    def predict_pending(self, X: Any) -> PendingAnswers:
        """Return the answers to rows whose labels are still to come, to be handed back to `partial_fit` with the labels.

        Where labels come late a model has learned other rows in between. What it learns about its own experts should then be how
        good their answers were when they were given, not how good they would be now.

        Returns
        -------
        PendingAnswers
            With ``prediction`` (what `predict` returns) and ``proba`` (what `predict_proba` does).
        """
        (labels, proba), records = self._pending(TableRows(X, type(self).__name__), "both")
        return PendingAnswers(labels, proba, records)

    def predict_pending_one(self, x: Mapping[Any, Any]) -> PendingAnswers:
        """Return the answer to one dict whose label is still to come, for `learn_one`; see :meth:`predict_pending`."""
        if self._session is None:
            return PendingAnswers(None, {}, np.full((1, 1), NOTHING_SAID))
        (label, proba), records = self._pending_one(x, "row")
        return PendingAnswers(label, proba, records)

    # One row at a time.

    @property
    def classes_(self) -> NDArray[Any]:
        """Labels known so far, sorted."""
        return self._read(lambda session: session.labels.classes, fitted=False)

    def predict_one(self, x: Mapping[Any, Any]) -> Any:
        """Return the label of one dict, or None while no class is known."""
        session = self._session
        fast = None if session is None else session.fast
        if fast is not None:
            label = fast.predict(x)
            if label is not NotImplemented:
                return label
        answer = self._ask_one(x, "row")
        return None if answer is None else answer[0]

    def predict_proba_one(self, x: Mapping[Any, Any]) -> dict[Any, float]:
        """Return the probability of each known label for one dict; empty while no class is known."""
        session = self._session
        fast = None if session is None else session.fast
        if fast is not None:
            proba: Any = fast.predict_proba(x)
            if proba is not NotImplemented:
                known: dict[Any, float] = proba
                return known
        answer = self._ask_one(x, "row")
        return {} if answer is None else answer[1]

    def predict_both_one(self, x: Mapping[Any, Any]) -> tuple[Any, dict[Any, float]]:
        """Return what `predict_one` and `predict_proba_one` do, asking the model once."""
        session = self._session
        fast = None if session is None else session.fast
        if fast is not None:
            both: Any = fast.predict_both(x)
            if both is not NotImplemented:
                label, proba = both
                return label, proba
        answer: tuple[Any, dict[Any, float]] | None = self._ask_one(x, "row")
        return answer or (None, {})

    def predict_votes_one(self, x: Mapping[Any, Any]) -> dict[Any, float]:
        """Return the share of the learners that are for each known label; empty while no class is known."""
        shares = self._ask_one(x, "votes")
        return {} if shares is None else dict(zip(self.classes_.tolist(), shares[0].tolist(), strict=True))

    def _ask_one(self, x: Mapping[Any, Any], answer: str) -> Any:
        """Return the answer to one dict by the long way; None before the first row."""
        if self._session is None:
            return None
        source = DictRow(x, type(self).__name__)
        return self._read(lambda session: session.ask(source, answer))


def check_output(output: str, allowed: Iterable[str]) -> None:
    """Raise for an answer that there is not."""
    if output not in allowed:
        raise ValueError(f"output={output!r} is not allowed; choose one of {', '.join(map(repr, allowed))}.")


class StreamClassifier(Classifier):
    """A classifier that goes on learning, in chunks or row by row."""

    def partial_fit(
        self,
        X: Any,
        y: Any,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        pending: PendingAnswers | None = None,
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
        pending : PendingAnswers, optional
            What :meth:`predict_pending` answered to these rows when they came.

        Returns
        -------
        self
        """
        self._learn(TableRows(X, type(self).__name__), y, classes, sample_weight, pending=pending)
        return self

    @overload
    def test_then_train(
        self,
        X: Any,
        y: Any,
        classes: Any = None,
        sample_weight: Any = None,
        *,
        output: Literal["both"],
        pending: LateRecords | None = None,
    ) -> tuple[NDArray[Any], NDArray[np.float64]]: ...

    @overload
    def test_then_train(
        self,
        X: Any,
        y: Any,
        classes: Any = None,
        sample_weight: Any = None,
        output: str = "label",
        *,
        pending: LateRecords | None = None,
    ) -> NDArray[Any]: ...

    def test_then_train(
        self,
        X: Any,
        y: Any,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        output: str = "label",
        *,
        pending: LateRecords | None = None,
    ) -> Any:
        """Answer for each row before learning it, in one pass.

        Parameters
        ----------
        X, y, classes, sample_weight
            As in :meth:`partial_fit`.
        output : {"label", "proba", "score", "both"}
            What to answer. Rows before the first known class get None (labels) or NaN.
        pending
            For evaluations with late labels: where rows of weight 0 leave what is said to them, and others find it.

        Returns
        -------
        array
            Labels of shape (n_samples,), or one column for each class in ``classes_`` (as known after the call);
            with ``"both"`` a pair: labels, probabilities.
        """
        check_output(output, OUTPUTS)
        return self._learn(
            TableRows(X, type(self).__name__), y, classes, sample_weight, output, pending=pending
        )

    # One row at a time.

    def learn_one(
        self,
        x: Mapping[Any, Any],
        y: Any,
        sample_weight: float = 1.0,
        classes: ArrayLike | None = None,
        pending: PendingAnswers | None = None,
    ) -> None:
        """Learn one row given as a dict. New keys become new columns, absent ones are missing values.

        Parameters
        ----------
        x : dict
            Names of features and their values: numbers, or text and booleans for nominal ones.
        y : label
            Text, a whole number or a boolean.
        sample_weight : float
            Weight of the row; 0 means that it is checked and otherwise ignored.
        classes : array, optional
            All labels that may ever appear, given with the first row; else labels are discovered as they come.
        pending : PendingAnswers, optional
            What :meth:`predict_pending_one` answered to this row when it came.
        """
        if classes is None and sample_weight == 1.0 and self._learn_fast(x, y, pending):
            return
        source = DictRow(x, type(self).__name__)
        self._learn(source, _one_label(y), classes, [sample_weight], pending=pending)

    def test_then_train_one(
        self,
        x: Mapping[Any, Any],
        y: Any,
        sample_weight: float = 1.0,
        classes: ArrayLike | None = None,
    ) -> tuple[Any, dict[Any, float]]:
        """Answer for one row given as a dict, then learn it; the row is read and scored once.

        Parameters
        ----------
        x, y, sample_weight, classes
            As in :meth:`learn_one`; a row of weight 0 is only answered.

        Returns
        -------
        label
            What :meth:`predict_one` would have said: None while no class is known.
        probabilities : dict
            What :meth:`predict_proba_one` would have said.
        """
        if classes is None and sample_weight == 1.0:
            found = self._test_then_train_fast(x, y)
            if found is not None:
                label, proba = found
                return label, proba
        source = DictRow(x, type(self).__name__)
        label, proba = self._learn(source, _one_label(y), classes, [sample_weight], "row")
        return label, proba


def _one_label(y: Any) -> NDArray[Any]:
    # Texts as they are: those of NumPy would lose a zero byte at the end.
    label = np.asarray([y], dtype=object if isinstance(y, str) else None)
    if label.ndim != 1:
        raise ValueError(f"y must be one label, got {y!r}.")
    return label

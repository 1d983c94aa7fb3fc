"""The verbs of classifiers of label sets: indicators in and out, or dicts {label: bool}."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin

from streamboost.base.classifier import check_output
from streamboost.base.estimator import Estimator
from streamboost.base.files.manifest import Manifest
from streamboost.base.inputs.label_sets import LabelSets, SetCodes, check_fit, one_set, read_sets
from streamboost.base.inputs.labels import ClassCodes
from streamboost.base.inputs.sources import DictRow, Source, TableRows

if TYPE_CHECKING:
    from typing_extensions import Self

SET_OUTPUTS = {"label": "proba", "proba": "proba", "score": "score", "both": "full"}
"""What may be asked for, and what the core is asked."""


def members(proba: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the labels that are likelier there than not, as indicators; none where nothing is known."""
    return (np.nan_to_num(proba) >= 0.5).astype(np.int64)


class SetAnswers:
    """Predictions that follow from the probabilities of the labels."""

    def predict(self: Any, X: Any) -> NDArray[np.int64]:
        """Return indicators, one column for each of ``labels_``: 1 where the probability is at least one half."""
        return members(self.predict_proba(X))

    def predict_one(self: Any, x: Mapping[Any, Any]) -> dict[Any, bool]:
        """Return for each known label whether one dict is likelier to have it than not."""
        return {label: p >= 0.5 for label, p in self.predict_proba_one(x).items()}

    def decision_function_one(self: Any, x: Mapping[Any, Any]) -> dict[Any, float]:
        """Return for each known label the score that ranks it for one dict, the likeliest highest."""
        return {label: p - 0.5 for label, p in self.predict_proba_one(x).items()}

    @property
    def classes_(self: Any) -> NDArray[Any]:
        """The same as ``labels_``: what scikit-learn calls them."""
        found: NDArray[Any] = self.labels_
        return found


class MultilabelClassifier(SetAnswers, ClassifierMixin, Estimator):
    """A classifier of label sets that goes on learning."""

    tie = "lowest"
    _nothing_known = "no label is known"

    def _first_labels(self, classes: ArrayLike | None) -> ClassCodes:
        return SetCodes() if classes is None else SetCodes(list(classes), declared=True)  # type: ignore[arg-type]

    def _stored_labels(self, manifest: Manifest) -> ClassCodes:
        return SetCodes(manifest.labels, declared=manifest.declared)

    def _read_labels(self, y: Any, source: Source, known: ClassCodes) -> Any:
        return read_sets(y, source.n_rows, list(known.book.values) if known.declared else None)

    # Learning.

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Forget everything and learn all rows in their order; `y` as in :meth:`partial_fit`."""
        check_fit(y, sample_weight)
        before = self.__dict__.pop("_session", None)
        try:
            return self.partial_fit(X, y, sample_weight=sample_weight)
        except BaseException:
            if before is not None:
                self.__dict__.setdefault("_session", before)
            raise

    def partial_fit(
        self, X: Any, y: Any, labels: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Learn some more rows.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features)
            The rows.
        y : array, sparse matrix or frame of shape (n_samples, n_labels)
            Indicators: 1 where a row has a label, 0 where it has not, NaN where nobody knows: such a label is neither in the
            set nor outside. A row of which nothing is known is not learned.
        labels : array, optional
            Names of the columns of `y`, given at the first call; by default a frame's own, or 0, 1, 2, ...
        sample_weight : array of shape (n_samples,), optional
            Weights of the rows; a row of weight 0 is checked and otherwise ignored.

        Returns
        -------
        self
        """
        self._learn_sets(TableRows(X, type(self).__name__), y, labels, sample_weight, "none")
        return self

    def test_then_train(
        self,
        X: Any,
        y: Any,
        labels: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        output: str = "label",
    ) -> Any:
        """Answer for each row before learning it, in one pass.

        Parameters
        ----------
        X, y, labels, sample_weight
            As in :meth:`partial_fit`.
        output : {"label", "proba", "score", "both"}
            Indicators, probabilities, scores that rank the labels, or a pair: probabilities and scores.

        Returns
        -------
        array of shape (n_samples, n_labels)
            Columns in the order of ``labels_``.
        """
        check_output(output, SET_OUTPUTS)
        found = self._learn_sets(
            TableRows(X, type(self).__name__), y, labels, sample_weight, SET_OUTPUTS[output]
        )
        return members(found) if output == "label" else found

    def _learn_sets(self, source: Source, y: Any, labels: ArrayLike | None, weight: Any, answer: str) -> Any:
        names = None if labels is None else np.asarray(labels).tolist()
        if self._session is not None and self._session.labels.declared:
            known = self._session.labels.book.values
            if names is not None and names != known:
                raise ValueError(f"labels={names!r} are not those of the first call: {known!r}.")
            names = known
        sets = read_sets(y, source.n_rows, names)
        return self._learn(source, sets, sets.names if self._session is None else None, weight, answer)

    def learn_one(
        self, x: Mapping[Any, Any], y: Mapping[Any, bool] | None, sample_weight: float = 1.0
    ) -> None:
        """Learn one row given as a dict; `y` says of each label whether the row has it. New labels are welcome.

        Labels that are not named in `y` are not in the set; of one that is None nobody knows. A row whose whole set is unknown
        (None) is checked and not learned.
        """
        sets, weight = one_set(y, sample_weight)
        self._learn(DictRow(x, type(self).__name__), sets, None, [weight])

    def test_then_train_one(
        self, x: Mapping[Any, Any], y: Mapping[Any, bool] | None, sample_weight: float = 1.0
    ) -> dict[Any, bool]:
        """Return what :meth:`predict_one` would say, then learn the row."""
        answer = self.predict_one(x)
        self.learn_one(x, y, sample_weight)
        return answer

    # Answering.

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability that a row has a label, one column for each of ``labels_``; rows do not sum to 1."""
        return self._ask(X, "proba")

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return scores that rank the labels of each row, the likeliest highest."""
        return self._ask(X, "score")

    def predict_proba_one(self, x: Mapping[Any, Any]) -> dict[Any, float]:
        """Return the probability of each known label for one dict; empty while none is known."""
        return self._ask_one(x, "proba")

    def decision_function_one(self, x: Mapping[Any, Any]) -> dict[Any, float]:
        """Return for each known label the score that ranks it for one dict, the likeliest highest; empty while none is known."""
        return self._ask_one(x, "score")

    def _ask_one(self, x: Mapping[Any, Any], answer: str) -> dict[Any, float]:
        if self._session is None:
            return {}
        source = DictRow(x, type(self).__name__)
        found = self._read(lambda session: session.ask(source, answer))
        return dict(zip(self.labels_.tolist(), found[0].tolist(), strict=True))

    @property
    def labels_(self) -> NDArray[Any]:
        """Names of the labels, in the order of the columns."""
        return self._read(lambda session: session.labels.classes, fitted=False)

    def __sklearn_tags__(self) -> Any:
        return label_set_tags(super().__sklearn_tags__())


def label_set_tags(tags: Any) -> Any:
    """Return scikit-learn's tags of a classifier, of one that learns sets of labels."""
    tags.classifier_tags.multi_label = True
    tags.classifier_tags.multi_class = False
    tags.target_tags.multi_output = True
    tags.target_tags.single_output = False
    return tags


__all__ = ["SET_OUTPUTS", "LabelSets", "MultilabelClassifier", "SetAnswers", "label_set_tags", "members"]

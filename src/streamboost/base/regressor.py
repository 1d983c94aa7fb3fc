"""The verbs of regressors: those of the classifiers, with numbers in the place of labels."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin

from streamboost.base.estimator import Estimator
from streamboost.base.files.archive import ModelFileError
from streamboost.base.files.manifest import Manifest
from streamboost.base.inputs.labels import ClassCodes
from streamboost.base.inputs.sources import DictRow, Source, TableRows
from streamboost.base.inputs.targets import Numbers, read_targets
from streamboost.base.pending import NOTHING_SAID, LateRecords, PendingAnswers

if TYPE_CHECKING:
    from typing_extensions import Self


class StreamRegressor(RegressorMixin, Estimator):
    """A model that predicts numbers and goes on learning, in chunks or row by row."""

    tie = "lowest"  # numbers do not tie
    target: str = "raw"
    _nothing_known: ClassVar[str] = "no target is learned"

    def _first_labels(self, classes: ArrayLike | None) -> ClassCodes:
        return Numbers()

    def _stored_labels(self, manifest: Manifest) -> ClassCodes:
        if manifest.labels or not manifest.declared:
            raise ModelFileError("the file of a regressor holds labels")
        return Numbers()

    def _read_labels(self, y: Any, source: Source, known: ClassCodes) -> Any:
        return read_targets(
            y, source.n_rows, type(self).__name__, above=-1.0 if self.target == "log1p" else None
        )

    # Learning.

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Forget everything and learn all rows in their order.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features)
            The rows.
        y : array of shape (n_samples,)
            Their targets: finite numbers.
        sample_weight : array of shape (n_samples,), optional
            Weights of the rows, 0 or more, not all 0.

        Returns
        -------
        self
        """
        self._learn(TableRows(X, type(self).__name__, least=1), y, None, sample_weight, fit=True)
        return self

    def partial_fit(
        self,
        X: Any,
        y: Any,
        sample_weight: ArrayLike | None = None,
        pending: PendingAnswers | None = None,
    ) -> Self:
        """Learn some more rows.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features)
            The rows.
        y : array of shape (n_samples,)
            Their targets: finite numbers.
        sample_weight : array of shape (n_samples,), optional
            Weights of the rows; a row of weight 0 is checked and otherwise ignored.
        pending : PendingAnswers, optional
            What :meth:`predict_pending` answered to these rows when they came.

        Returns
        -------
        self
        """
        self._learn(TableRows(X, type(self).__name__), y, None, sample_weight, pending=pending)
        return self

    def test_then_train(
        self,
        X: Any,
        y: Any,
        sample_weight: ArrayLike | None = None,
        *,
        pending: LateRecords | None = None,
    ) -> NDArray[np.float64]:
        """Answer for each row before learning it, in one pass.

        Parameters
        ----------
        X, y, sample_weight
            As in :meth:`partial_fit`.
        pending
            For evaluations with late targets: where rows of weight 0 leave what is said to them, and others find it.

        Returns
        -------
        array of shape (n_samples,)
            The predictions; NaN for rows before the first target.
        """
        numbers: NDArray[np.float64] = self._learn(
            TableRows(X, type(self).__name__), y, None, sample_weight, "number", pending=pending
        )
        return numbers

    def learn_one(
        self,
        x: Mapping[Any, Any],
        y: Any,
        sample_weight: float = 1.0,
        pending: PendingAnswers | None = None,
    ) -> None:
        """Learn one row given as a dict. New keys become new columns, absent ones are missing values.

        Parameters
        ----------
        x : dict
            Names of features and their values: numbers, or text and booleans for nominal ones.
        y : float
            The target, a finite number.
        sample_weight : float
            Weight of the row; 0 means that it is checked and otherwise ignored.
        pending : PendingAnswers, optional
            What :meth:`predict_pending_one` answered to this row when it came.
        """
        if sample_weight == 1.0 and self._is_plain(y) and self._learn_fast(x, y, pending):
            return
        source = DictRow(x, type(self).__name__)
        self._learn(source, _one_target(y), None, [sample_weight], pending=pending)

    def test_then_train_one(self, x: Mapping[Any, Any], y: Any, sample_weight: float = 1.0) -> float:
        """Answer for one row given as a dict, then learn it; the row is read and scored once.

        Parameters
        ----------
        x, y, sample_weight
            As in :meth:`learn_one`; a row of weight 0 is only answered.

        Returns
        -------
        float
            What :meth:`predict_one` would have said: 0.0 before the first target.
        """
        found = self._test_then_train_fast(x, y) if sample_weight == 1.0 and self._is_plain(y) else None
        if found is None:
            source = DictRow(x, type(self).__name__)
            found = tuple(self._learn(source, _one_target(y), None, [sample_weight], "number"))
        number = float(found[0])
        return 0.0 if math.isnan(number) else number

    def _is_plain(self, y: Any) -> bool:
        """Whether a target needs no closer look than the short way takes."""
        return y is not None and self.target == "raw"

    # Answering.

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Return the predicted number of each row; changes nothing."""
        return self._ask(X, "number")

    def predict_pending(self, X: Any) -> PendingAnswers:
        """Return the answers to rows whose targets are still to come, to be handed back to `partial_fit` with the targets.

        Where targets come late a model has learned other rows in between. What it learns about its own experts should then be
        how good their answers were when they were given, not how good they would be now.

        Returns
        -------
        PendingAnswers
            With ``prediction``, what `predict` returns.
        """
        numbers, records = self._pending(TableRows(X, type(self).__name__), "number")
        return PendingAnswers(numbers, None, records)

    def predict_pending_one(self, x: Mapping[Any, Any]) -> PendingAnswers:
        """Return the answer to one dict whose target is still to come, for `learn_one`; see :meth:`predict_pending`."""
        if self._session is None:
            return PendingAnswers(0.0, None, np.full((1, 1), NOTHING_SAID))
        number, records = self._pending_one(x, "number")
        return PendingAnswers(number if isinstance(number, float) else float(number[0]), None, records)

    def predict_one(self, x: Mapping[Any, Any]) -> float:
        """Return the predicted number of one dict; 0.0 before the first target."""
        session = self._session
        if session is None:
            return 0.0
        if session.fast is not None:
            number: Any = session.fast.predict(x)
            if number is not NotImplemented:
                known: float = number
                return known
        source = DictRow(x, type(self).__name__)
        return float(self._read(lambda at_work: at_work.ask(source, "number"))[0])


def _one_target(y: Any) -> NDArray[Any]:
    target = np.empty(1, dtype=object)
    target[0] = y
    return target

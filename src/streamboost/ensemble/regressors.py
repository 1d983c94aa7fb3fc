"""Base class of the regression ensembles: intervals and explanations beside predictions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from streamboost.base.inputs.sources import DictRow, Source, TableRows
from streamboost.base.pending import LateRecords
from streamboost.base.regressor import StreamRegressor
from streamboost.base.session import Session
from streamboost.ensemble.classifier import USUAL_ORDERS, cells_of
from streamboost.ensemble.common import StreamEnsemble, column_names
from streamboost.ensemble.options import LEARNER
from streamboost.ensemble.output_options import IMPORTANCES_HALF_LIFE, check_coverages, kept_coverages
from streamboost.ensemble.word_shares import word_shares
from streamboost.learners import Learner, LinearRegression
from streamboost.report.explanation import METHODS, Explanation, Explanations

REGRESSION_LEARNER = LEARNER.saying(
    "The weak learner: one of streamboost's own regressors (None means ``LinearRegression()``), or any regressor with "
    "``partial_fit`` and ``predict`` (scikit-learn style) or ``learn_one`` and ``predict_one`` (River style)."
)


class RegressionEnsemble(StreamEnsemble, StreamRegressor):
    """A regressor made of weak learners."""

    _attributes: ClassVar[tuple[tuple[str, str, str], ...]] = (
        ("n_features_in_", "int", "Number of columns."),
        ("feature_names_in_", "array of str", "Names of the columns, if the first rows had names."),
    )

    coverages: Sequence[float] | float | None = None
    importances: bool = False

    @classmethod
    def _default_learner(cls) -> Learner:
        return LinearRegression()

    def _advice(self, lanes: Any, n_learned: int) -> tuple[str, ...]:
        return ()

    def _validate_params(self) -> None:
        super()._validate_params()
        check_coverages(self.coverages)

    def _stages(self) -> dict[str, Any]:
        stages: dict[str, Any] = {}
        if self.target != "raw":
            stages["target"] = self.target
        if self.coverages is not None:
            stages["coverages"] = np.array(kept_coverages(self.coverages), dtype=np.float64)
        if self.importances:
            stages["importances_half_life"] = IMPORTANCES_HALF_LIFE
        return stages

    # Intervals.

    def predict_interval(self, X: Any, coverage: float = 0.9) -> NDArray[np.float64]:
        """Return an interval for each row; a share `coverage` of the intervals contains the target.

        That holds on any stream, drifting ones included (adaptive conformal inference), as the model goes on learning.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features)
            The rows.
        coverage : float
            One of the `coverages` that the model keeps.

        Returns
        -------
        array of shape (n_samples, 2)
            Lower and upper ends; infinite while nothing is known of the errors or where the promise asks for it, NaN where the
            interval is empty, which evens out a time of too many hits.
        """
        return self._ask(X, self._interval_answer(coverage))

    def predict_interval_one(self, x: Mapping[Any, Any], coverage: float = 0.9) -> tuple[float, float]:
        """Return the interval for one dict, infinite before the first target; see :meth:`predict_interval`."""
        answer = self._interval_answer(coverage)
        if self._session is None:
            return -np.inf, np.inf
        source = DictRow(x, type(self).__name__)
        low, high = self._read(lambda session: session.ask(source, answer))[0].tolist()
        return low, high

    def test_then_train_intervals(
        self,
        X: Any,
        y: Any,
        coverage: float = 0.9,
        sample_weight: ArrayLike | None = None,
        *,
        pending: LateRecords | None = None,
    ) -> NDArray[np.float64]:
        """Return the interval of each row before learning it, in one pass; see :meth:`predict_interval`."""
        intervals: NDArray[np.float64] = self._learn(
            TableRows(X, type(self).__name__),
            y,
            None,
            sample_weight,
            self._interval_answer(coverage),
            pending=pending,
        )
        return intervals

    # Explanations.

    def explain(
        self, X: Any, *, n_orders: int | None = None, exact: bool = False, words: bool = False
    ) -> Explanations:
        """Return how much each column, then each lag, contributes to the answer of each row: base + contributions = answer.

        A contribution is a Shapley value of the game in which columns are there or missing: the mean change of the answer when
        the column comes in, over orders of the columns. The base is the answer to a row with nothing in it.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features)
            The rows.
        n_orders : int or None
            Orders of the columns, drawn by the model's key, each followed by the same backwards. None: 8.
        exact : bool
            All subsets of the columns; for rows of at most 12 cells.
        words : bool
            Whether the contribution of a text is shared out among its words, at the cost of about 8 answers for each word.

        Returns
        -------
        Explanations
        """
        return self._explained(TableRows(X, type(self).__name__), n_orders, exact, words)

    def explain_one(
        self, x: Mapping[Any, Any], *, n_orders: int | None = None, exact: bool = False
    ) -> Explanation:
        """Return how much each column, and each word of a text, contributes to the answer of one dict; see :meth:`explain`."""
        return self._explained(DictRow(x, type(self).__name__), n_orders, exact, words=True)[0]

    def _explained(self, source: Source, n_orders: int | None, exact: bool, words: bool) -> Explanations:
        n_orders = USUAL_ORDERS if n_orders is None else n_orders
        if n_orders < 1:
            raise ValueError(f"n_orders={n_orders!r} must be at least 1.")
        if self._session is None:
            self._refuse_unfitted(fitted=True)
        orders = 0 if exact else n_orders
        return self._read(lambda session: self._explained_by(session, source, orders, words))

    def _explained_by(self, session: Session, source: Source, orders: int, words: bool) -> Explanations:
        rows = source.coded(session.schema, None, False)
        base, contributions, answer, codes, ways = session.model.explain(
            rows.native, np.full(rows.n_rows, -1, np.int32), orders
        )
        told = np.full(rows.n_rows, "the answer", dtype=object)
        method = METHODS[int(ways.max(initial=0))]
        cells = cells_of(session, rows)
        if words and session.schema.words:
            cells["words"] = word_shares(session, rows, np.full_like(codes, -1), contributions)
        names = [*column_names(session), *self._lag_names()]
        return Explanations(base, contributions, answer, told, names, method, **cells)

    def _interval_answer(self, coverage: float) -> str:
        kept = kept_coverages(self.coverages)
        if coverage not in kept:
            raise ValueError(
                f"coverage={coverage!r} is not kept by this {type(self).__name__}: start it with coverages=({coverage!r},) "
                + (f"(it keeps {kept})." if kept else "(it keeps none).")
            )
        return f"interval:{kept.index(coverage)}"

"""Base class of the streaming classifiers: prediction sets, explanations and health beside predictions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from streamboost.base.classifier import StreamClassifier
from streamboost.base.inputs.encoding import CodedRows
from streamboost.base.inputs.sources import DictRow, Source, TableRows
from streamboost.base.pending import LateRecords
from streamboost.base.session import Session
from streamboost.ensemble.common import StreamEnsemble, column_names
from streamboost.ensemble.output_options import (
    check_output_options,
    class_settings,
    kept_coverages,
    stages_of,
)
from streamboost.ensemble.word_shares import word_shares
from streamboost.learners.trees import impurity_decreases
from streamboost.report.explanation import METHODS, Explanation, Explanations
from streamboost.report.health import Health, make_health

USUAL_ORDERS = 8  # where there is no closed form


def cells_of(session: Session, rows: CodedRows, past: Sequence[Any] | None = None) -> dict[str, Any]:
    """The cells of rows and the lags after them, and what their codes stand for, as `Explanations` has them.

    past: the classes, of which lags are codes; None: they are numbers.
    """
    lags = session.model.lags()
    values = [*(None if book is None else book.values for book in session.schema.books), *[past] * len(lags)]
    texts = {
        column: (rows.words or [])[place :: len(session.schema.words)]
        for place, column in enumerate(session.schema.words)
    }
    if rows.dense is None:
        return {}
    return {
        "coded": np.hstack((rows.dense, np.tile(lags, (rows.n_rows, 1)))),
        "values": values,
        "texts": texts,
    }


class Ensemble(StreamEnsemble, StreamClassifier):
    """A classifier made of weak learners, with the parameters of `output_options.OUTPUT_OPTIONS`."""

    # The defaults, for a subclass whose constructor does not take them.
    calibration: str | None = None
    calibration_half_life: float | str | None = "auto"
    class_weight: str | Mapping[Any, float] | None = None
    class_weight_half_life: float | str | None = "auto"
    decision: str = "argmax"
    decision_costs: Mapping[tuple[Any, Any], float] | None = None
    coverages: Sequence[float] | None = None
    keep_health: bool = False
    importances: bool = False

    def _validate_params(self) -> None:
        super()._validate_params()
        check_output_options(self)

    def _stages(self) -> dict[str, Any]:
        return stages_of(self, bool(self._guard()))

    def _class_settings(self, labels: Sequence[Any], declared: bool) -> NDArray[np.float64] | None:
        return class_settings(self, labels, declared)

    # Sets.

    def predict_set(self, X: Any, coverage: float = 0.9) -> NDArray[np.bool_]:
        """Return which classes are in the set of each row; a share `coverage` of the sets contains the true label.

        That holds on any stream, drifting ones included (adaptive conformal inference), as the model goes on learning. A
        set may be empty: no label fits, the row is of a new kind.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features)
            The rows.
        coverage : float
            One of the `coverages` that the model keeps.

        Returns
        -------
        array of bool, shape (n_samples, n_classes)
            One column for each class in ``classes_``.
        """
        found: NDArray[np.bool_] = self._ask(X, self._set_answer(coverage))
        return found

    def predict_set_one(self, x: Mapping[Any, Any], coverage: float = 0.9) -> set[Any]:
        """Return the set of labels for one dict; empty while no class is known."""
        inside = self._ask_one(x, self._set_answer(coverage))
        return set() if inside is None else set(self.classes_[inside[0]].tolist())

    def test_then_train_sets(
        self,
        X: Any,
        y: Any,
        coverage: float = 0.9,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        *,
        pending: LateRecords | None = None,
    ) -> NDArray[np.bool_]:
        """Return the set of each row before learning it, in one pass; as :meth:`predict_set` and :meth:`partial_fit`."""
        found: NDArray[np.bool_] = self._learn(
            TableRows(X, type(self).__name__),
            y,
            classes,
            sample_weight,
            self._set_answer(coverage),
            pending=pending,
        )
        return found

    def _set_answer(self, coverage: float) -> str:
        kept = self._coverages()
        if coverage not in kept:
            raise ValueError(
                f"coverage={coverage!r} is not kept by this {type(self).__name__}: start it with coverages=({coverage!r},) "
                + (f"(it keeps {list(kept)})." if kept else "(it keeps none).")
            )
        return f"set:{kept.index(coverage)}"

    def _coverages(self) -> list[float]:
        return kept_coverages(self.coverages)

    # Explanations.

    def explain(
        self,
        X: Any,
        label: Any = None,
        *,
        n_orders: int | None = None,
        exact: bool = False,
        words: bool = False,
    ) -> Explanations:
        """Return how much each column, then each lag, contributes to the score of each row: base + contributions = score.

        The score is that of :meth:`decision_function`, of ``classes_[1]`` where there are two classes. Linear learners, naive
        Bayes and trees have contributions in closed form, and ensembles that add up their learners' answers
        add these with the weights of the vote. Elsewhere a contribution is a Shapley value of the game in which columns are
        there or missing: the mean change of the score when the column comes in, over orders of the columns.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features)
            The rows.
        label : the class whose score is explained. By default ``classes_[1]`` of two, else the answered one.
        n_orders : int or None
            Orders of the columns, drawn by the model's key, each followed by the same backwards. None: the closed form, or
            8 orders where there is none.
        exact : bool
            Exact Shapley values: of trees by the weights of their nodes (TreeSHAP), else over all subsets of the columns,
            for rows of at most 12 cells.
        words : bool
            Whether the contribution of a text is shared out among its words, at the cost of about 8 answers for each word.

        Returns
        -------
        Explanations
        """
        source = TableRows(X, type(self).__name__)
        return self._explained(source, label, n_orders, exact, words)

    def explain_one(
        self, x: Mapping[Any, Any], label: Any = None, *, n_orders: int | None = None, exact: bool = False
    ) -> Explanation:
        """Return how much each column, and each word of a text, contributes to the score of one dict; see :meth:`explain`."""
        return self._explained(DictRow(x, type(self).__name__), label, n_orders, exact, words=True)[0]

    def _explained(
        self, source: Source, label: Any, n_orders: int | None, exact: bool, words: bool
    ) -> Explanations:
        if n_orders is not None and n_orders < 1:
            raise ValueError(f"n_orders={n_orders!r} must be at least 1.")
        if self._session is None:
            self._refuse_unfitted(fitted=True)
        orders = 0 if exact else -USUAL_ORDERS if n_orders is None else n_orders
        return self._read(lambda session: self._explained_by(session, source, label, orders, words))

    def _explained_by(
        self, session: Session, source: Source, label: Any, orders: int, words: bool
    ) -> Explanations:
        classes = session.labels.classes
        code = -1
        if label is not None:
            if label not in session.labels.book.codes:
                raise ValueError(f"label={label!r} is none of the classes {classes.tolist()[:10]}.")
            code = session.labels.book.codes[label]
        elif len(classes) == 2:
            code = int(session.labels.order[1])
        rows = source.coded(session.schema, None, False)
        wanted = np.full(rows.n_rows, code, np.int32)
        base, contributions, score, codes, ways = session.model.explain(rows.native, wanted, orders)
        told = session.labels.decode(np.where(codes < 0, 0, codes).astype(np.int32))
        method = METHODS[int(ways.max(initial=0))]
        cells = cells_of(session, rows, session.labels.book.values)
        if words and session.schema.words:
            cells["words"] = word_shares(session, rows, codes, contributions)
        names = [*column_names(session), *self._lag_names()]
        return Explanations(base, contributions, score, told, names, method, **cells)

    @property
    def impurity_importances_(self) -> NDArray[np.float64]:
        """How much splits on each column lower the Gini impurity, over all trees. Only where learners are trees.

        They sum to 1; with `lags`, what is missing to it is the share of the past targets.

        Computed from the present leaves, so that nothing has to be kept. Favours columns with many values, which
        ``feature_importances_`` does not.
        """
        return self._read(self._impurities_of, fitted=False)

    def _impurities_of(self, session: Session) -> NDArray[np.float64]:
        if not session.learner.trees:
            raise AttributeError(
                f"impurity_importances_ are those of trees; the learners of this model are {session.learner.title}."
            )
        n_lags = len(self._lag_names())
        width = n_lags + session.schema.width
        trees = (session.model.tree(lane) for lane in range(self._n_lanes()))
        total = np.sum([impurity_decreases(nodes, width) for nodes in trees], axis=0)
        found: NDArray[np.float64] = total / total.sum() if total.sum() > 0 else total
        return found[n_lags:]

    # Health.

    def health(self) -> Health:
        """Compare the model's recent rows with its past: errors, probabilities, columns and classes, also in plain sentences.

        The model must be started with ``keep_health=True``.
        """
        return self._read(self._health_of)

    def _health_of(self, session: Session) -> Health:
        raw = session.model.report()
        if "health/rows" not in raw:
            raise ValueError(
                "health() needs statistics that are collected only with keep_health=True, from the first row on. Train "
                "sklearn.base.clone(model).set_params(keep_health=True) beside this model."
            )
        return make_health(
            {name: value for name, value in raw.items() if name.startswith(("health/", "coverage/"))},
            column_names(session),
            session.labels.book.values,
        )

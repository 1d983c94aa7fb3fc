"""The verbs of every streaming classifier: fit, partial_fit, test_then_train, predict, and their dict forms."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Literal, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import NotFittedError

from streamboost.base.files.persist import Persistence
from streamboost.base.inputs.arrays import Table, check_table, encode_table, first_schema, read_table
from streamboost.base.inputs.labels import ClassCodes, check_same_classes, declare, read_labels
from streamboost.base.inputs.schema import Schema
from streamboost.base.inputs.weights import read_weight
from streamboost.base.params import (
    BoosterPlan,
    LearnerPlan,
    changed_parameter,
    count_threads,
    snapshot,
)
from streamboost.base.random import draw_seed
from streamboost.base.row_verbs import RowVerbs
from streamboost.base.session import Session
from streamboost.catalogue import ModelEntry

if TYPE_CHECKING:
    from typing_extensions import Self

OUTPUTS = ("label", "proba", "score", "both")


class StreamClassifier(RowVerbs, Persistence, ClassifierMixin, BaseEstimator):
    """Parameters, validation and labels of one streaming ensemble; the arithmetic lives in the core."""

    _entry: ClassVar[ModelEntry]
    _model_version: ClassVar[int] = 1
    _free_parameters: ClassVar[frozenset[str]] = frozenset({"random_state", "n_jobs"})
    _session: Session | None = None

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

    @abstractmethod
    def _learner_plan(self, seed: int) -> LearnerPlan: ...

    @abstractmethod
    def _resumed_plan(self, seed: int, lanes: list[Any]) -> LearnerPlan: ...

    def _look_back(self, session: Session) -> None:
        """Judge what was learned, after a call that learned something."""

    def _n_lanes(self) -> int:
        return int(self.n_estimators)

    # Learning.

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
        self._advance(X, y, None, sample_weight, "none", fit=True)
        return self

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
        self._advance(X, y, classes, sample_weight, "none")
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
        raw = self._advance(X, y, classes, sample_weight, output)
        if raw is None:
            raise RuntimeError("the core gave no answer")
        if output == "both":
            codes = np.where(np.isnan(raw[:, -1]), -1, raw[:, -1]).astype(np.int32)
            return self._present(codes, "label"), self._present(raw[:, :-1], "proba")
        return self._present(raw, output)

    def _advance(
        self, X: Any, y: Any, classes: ArrayLike | None, sample_weight: Any, answer: str, fit: bool = False
    ) -> NDArray[Any] | None:
        title = type(self).__name__
        session = None if fit else self._ready()
        table = read_table(X, title, least=1 if fit else 0)
        labels = session.labels if session is not None else ClassCodes()
        discovering = classes is None and not labels.declared
        y = read_labels(y, table.n_rows, title, discovering=discovering)
        weight = read_weight(sample_weight, table.n_rows)
        active = None if weight is None else weight > 0
        if fit:
            if active is not None and not active.any():
                raise ValueError(
                    "Sample weights must contain at least one non-zero number: there is nothing to learn."
                )
            classes = np.unique(y)
        if not table.n_rows:  # it is the first rows that fix columns and labels: no rows, nothing
            return self._no_answers(table, session, answer)
        if session is None:
            labels = declare(classes) if classes is not None else labels
            schema = first_schema(table, self.categorical_features)
            n_fit = None if not fit else table.n_rows if active is None else int(active.sum())
            session = self._start(labels, schema, n_fit)
        elif classes is not None:
            check_same_classes(classes, labels)
        check_table(table, session.schema, title)
        codes, new = session.labels.encode(y, active)
        session.check_classes(new)
        block = encode_table(table, session.schema, active, grow=True)
        session.check_scale(block)
        session.reserve(block.growth, len(session.labels) + len(new))
        self._session = session
        raw = session.learn(block, codes, weight, new, answer)
        self._look_back(session)
        return raw

    def _start(self, labels: ClassCodes, schema: Schema, n_fit: int | None = None) -> Session:
        self._validate_params()
        session = self._new_session(draw_seed(self.random_state), labels, schema, n_fit=n_fit)
        session.check_classes([])
        return session

    def _new_session(
        self,
        seed: int,
        labels: ClassCodes,
        columns: Schema,
        lanes: list[Any] | None = None,
        n_fit: int | None = None,
    ) -> Session:
        names = tuple(name for name in self._get_param_names() if name not in self._free_parameters)
        return Session(
            type(self).__name__,
            self._booster_plan() if n_fit is None else self._fit_plan(n_fit),
            self._learner_plan(seed) if lanes is None else self._resumed_plan(seed, lanes),
            n_estimators=self._n_lanes(),
            seed=seed,
            tie=self.tie,
            monitor=self.monitor,
            threads=count_threads(self.n_jobs),
            labels=labels,
            schema=columns,
            frozen=snapshot(self, names),
        )

    def _ready(self) -> Session | None:
        """Return the running session, or None; raise if it cannot go on."""
        session = self._session
        if session is None:
            return None
        if session.broken is not None:
            raise RuntimeError(
                f"This {type(self).__name__} is broken: a learner raised in the middle of a call ({session.broken}), "
                "so some learners have seen rows that others have not. Call fit to start again."
            )
        name = changed_parameter(self, session.frozen)
        if name is not None:
            raise ValueError(
                f"The parameter {name} of this {type(self).__name__} was changed after its first call, which froze it. "
                "Call fit to start again with the new value, or set the old one back."
            )
        return session

    def set_params(self, **params: Any) -> Self:
        """Set parameters. Those that shape a started model take effect with the next `fit`; until then it refuses."""
        super().set_params(**params)
        if self._session is not None:
            self._session.fast = None  # the long way compares parameters
        return self

    # Answering.

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most likely label of each row; changes nothing."""
        return self._present(self._answers(X, "label"), "label")

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class in ``classes_``, one row per row of `X`."""
        return self._present(self._answers(X, "proba"), "proba")

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return scores: one number per row for two classes (positive: ``classes_[1]``), else one per class."""
        scores = self._present(self._answers(X, "score"), "score")
        if scores.shape[1] == 1:
            return -scores[:, 0]
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    def _answers(self, X: Any, answer: str) -> NDArray[Any]:
        session = self._fitted()
        title = type(self).__name__
        table: Table = read_table(X, title)
        if not table.n_rows:
            return self._no_answers(table, session, answer)
        check_table(table, session.schema, title)
        return session.ask(encode_table(table, session.schema, None, grow=False), answer)

    def _no_answers(self, table: Table, session: Session | None, answer: str) -> NDArray[Any]:
        if session is not None:
            check_table(table, session.schema, type(self).__name__)
        n_classes = 0 if session is None else len(session.labels)
        return np.empty(0, np.int32) if answer == "label" else np.empty((0, n_classes + (answer == "both")))

    def _fitted(self) -> Session:
        session = self._ready()
        if session is None or not session.knows_classes:
            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet: no class is declared or learned. "
                "Call fit, partial_fit or test_then_train first."
            )
        return session

    def _present(self, raw: NDArray[Any], output: str) -> NDArray[Any]:
        labels = ClassCodes() if self._session is None else self._session.labels
        return labels.decode(raw) if output == "label" else raw[:, labels.order]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_class = self._entry.max_classes is None
        return tags

"""One classifier per label: binary relevance, and chains that also look at the labels before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ClassVar

import narwhals as nw
import numpy as np
import scipy.sparse
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.exceptions import NotFittedError
from sklearn.utils import get_tags

from streamboost.base.classifier import check_output
from streamboost.base.files.archive import ModelFileError
from streamboost.base.inputs.coded import CodedTable
from streamboost.base.inputs.label_sets import LabelSets, check_fit, nothing_known, one_set, read_sets
from streamboost.base.inputs.labels import check_label
from streamboost.base.inputs.weights import read_weight
from streamboost.base.multilabel import SET_OUTPUTS, SetAnswers, label_set_tags, members
from streamboost.base.parameter import Declared, anything, parameter
from streamboost.base.pieces import InStep, LearningInterrupted
from streamboost.ensemble import StreamBoostClassifier
from streamboost.feedback.composite import Composite, check_rows, composite_bytes, part_of, table_of

if TYPE_CHECKING:
    from typing_extensions import Self

Floats = NDArray[np.float64]
EACH = parameter(
    "estimator",
    anything("classifier"),
    "The classifier of every label; it is copied. None means ``StreamBoostClassifier()``.",
    to_core=False,
)

LABELS_AND_MODELS = (
    ("labels_", "array", "Names of the labels, in the order of the columns."),
    ("models_", "dict", "The classifier of each label."),
)
_FEW_ROWS = 1024  # between two looks for Ctrl-C


class LabelwiseClassifier(SetAnswers, Composite, Declared, ClassifierMixin, BaseEstimator):
    """Base class of classifiers of label sets that have one model for every label."""

    task: ClassVar[str] = "multilabel"
    reads_coded_rows: ClassVar[bool] = True
    reads_coded_labels: ClassVar[bool] = False
    _name: ClassVar[str]
    _models: dict[Any, Any]
    _fixed: bool
    estimator: Any

    # Learning.

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Forget everything and learn all rows in their order; `y` as in :meth:`partial_fit`."""
        check_fit(y, sample_weight)
        before = self.__dict__.pop("_models", None)
        try:
            return self.partial_fit(X, y, sample_weight=sample_weight)
        except BaseException:
            if before is not None:
                self._models = before
            raise

    def partial_fit(
        self, X: Any, y: Any, labels: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Learn some more rows: indicators `y` of shape (n_samples, n_labels), named by `labels` at the first call.

        NaN where nobody knows whether a row has a label: the model of that label does not learn the row.
        """
        self.test_then_train(X, y, labels, sample_weight)
        return self

    def test_then_train(
        self,
        X: Any,
        y: Any,
        labels: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        output: str = "label",
    ) -> Any:
        """Answer for each row before learning it: "label" (indicators), "proba", "score", or "both" (probabilities, scores)."""
        check_output(output, SET_OUTPUTS)
        X = table_of(X)
        names = None if labels is None else np.asarray(labels).tolist()
        if getattr(self, "_fixed", False) and hasattr(self, "_models"):
            if names is not None and names != list(self._models):
                raise ValueError(f"labels={names!r} are not those of the first call: {list(self._models)!r}.")
            names = list(self._models)
        sets = read_sets(y, int(X.shape[0]), names)
        weight = read_weight(sample_weight, len(sets.table))
        amount = np.ones(len(sets.table)) if weight is None else weight
        if sets.names:
            amount = np.where(nothing_known(sets.table), 0.0, amount)
        fresh, learns = not getattr(self, "_models", {}), bool((amount > 0).any())
        if fresh:
            try:
                with self._all_or_nothing():
                    self._begin(sets, fixed=True, learns=learns)
                    proba = self._step(X, sets, amount)
            except KeyboardInterrupt as error:  # all models are gone again
                raise LearningInterrupted(0, len(amount)) from error
        else:
            with InStep(len(amount)) as step, self._all_or_nothing():
                self._begin(sets, fixed=True, learns=learns)
                proba = self._steps(X, sets, amount, step)
        if output == "both":
            return proba, proba - 0.5
        return members(proba) if output == "label" else proba - 0.5 if output == "score" else proba

    def learn_one(
        self, x: Mapping[Any, Any], y: Mapping[Any, bool] | None, sample_weight: float = 1.0
    ) -> None:
        """Learn one row, a dict; `y` says of each label whether the row has it. New labels are welcome.

        A label that is None is one of which nobody knows; a row whose whole set is unknown (None) is checked and not learned.
        """
        sets, sample_weight = one_set(y, sample_weight)
        row = dict(zip(sets.names, sets.table[0].tolist(), strict=True))
        with InStep(1) as step, self._all_or_nothing():
            if sample_weight > 0:
                self._begin(sets, fixed=False, learns=True)
            models = getattr(self, "_models", {})
            names = list(models)
            # The last one first: it has the most columns, so that what it has room for others have, too.
            for at, (name, model) in reversed(list(enumerate(models.items()))):
                truth = row.get(name, 0.0)
                amount = 0.0 if np.isnan(truth) else sample_weight
                seen = self._one(x, names[:at], row)
                model.learn_one(seen, truth == 1, sample_weight=amount, **_first(model))
                step.part_learned()
            step.took()

    # Answering.

    def predict_proba(self, X: Any) -> Floats:
        """Return the probability that a row has a label, one column for each of ``labels_``; rows do not sum to 1."""
        if not hasattr(self, "_models"):
            raise NotFittedError(f"This {type(self).__name__} has learned nothing yet.")
        X = table_of(X)
        return self._step(X, LabelSets([], np.zeros((int(X.shape[0]), 0))), np.zeros(int(X.shape[0])))

    def decision_function(self, X: Any) -> Floats:
        """Return scores that rank the labels: their probabilities less one half."""
        return self.predict_proba(X) - 0.5

    def predict_proba_one(self, x: Mapping[Any, Any]) -> dict[Any, float]:
        """Return the probability of each known label for one dict."""
        found: dict[Any, float] = {}
        told: dict[Any, float] = {}
        for name, model in getattr(self, "_models", {}).items():
            found[name] = float(model.predict_proba_one(self._one(x, list(told), told)).get(True, 0.0))
            told[name] = float(found[name] >= 0.5)
        return found

    @property
    def models_(self) -> dict[Any, Any]:
        """The classifier of each label, by its name: for reports and explanations."""
        return dict(getattr(self, "_models", {}))

    @property
    def n_learned_(self) -> int:
        """Rows that were learned: by the classifier that learned most of them."""
        return max((int(model.n_learned_) for model in getattr(self, "_models", {}).values()), default=0)

    @property
    def columns_(self) -> Any:
        """The columns that it knows."""
        return self._first_model.columns_

    @property
    def n_features_in_(self) -> int:
        """The number of columns."""
        return int(self._first_model.n_features_in_)

    @property
    def feature_names_in_(self) -> NDArray[Any]:
        """Names of the columns, if they have names."""
        return np.asarray(self._first_model.feature_names_in_)

    @property
    def _first_model(self) -> Any:
        models = list(getattr(self, "_models", {}).values())
        if not models:
            raise AttributeError(f"This {type(self).__name__} has learned nothing yet.")
        return models[0]

    def __sklearn_is_fitted__(self) -> bool:
        return bool(getattr(self, "_models", {}))

    def __sklearn_tags__(self) -> Any:
        tags = label_set_tags(super().__sklearn_tags__())
        each = StreamBoostClassifier() if self.estimator is None else self.estimator
        tags.input_tags = get_tags(each).input_tags
        return tags

    @property
    def labels_(self) -> NDArray[Any]:
        """Names of the labels, in the order of the columns."""
        if not hasattr(self, "_models"):
            raise AttributeError(f"This {type(self).__name__} has not seen any label yet.")
        return np.array(list(self._models))

    def memory_bytes(self) -> int:
        """Return the size of all models in bytes."""
        return sum(int(model.memory_bytes()) for model in getattr(self, "_models", {}).values())

    # Files.

    def to_bytes(self, *, metadata: Mapping[str, Any] | None = None) -> bytes:
        """Return what `save` writes."""
        if not hasattr(self, "_models"):
            raise ValueError(f"This {type(self).__name__} has learned nothing yet: there is nothing to save.")
        state = {"labels": list(self._models), "fixed": self._fixed}
        facts = self._metadata if metadata is None else metadata
        return composite_bytes(self._name, list(self._models.values()), {}, state, facts)

    @classmethod
    def _from_parts(cls, parts: Sequence[Any], params: dict[str, Any], state: dict[str, Any]) -> Any:
        labels = state.get("labels")
        if (
            params
            or not isinstance(labels, list)
            or len(labels) != len(parts)
            or len(set(map(str, labels))) < len(labels)
        ):
            raise ModelFileError(f"the labels of a {cls._name!r} are not those of its models")
        for label in labels:
            check_label(label, "A label")
        if any(type(part) is not type(parts[0]) or not hasattr(part, "classes_") for part in parts):
            raise ModelFileError(f"the models of a {cls._name!r} are not classifiers of one kind")
        made = cls(clone(parts[0]) if parts else None)
        made._models = dict(zip(labels, parts, strict=True))
        made._fixed = bool(state.get("fixed"))
        return made

    # Inside.

    @contextmanager
    def _all_or_nothing(self) -> Iterator[None]:
        """Labels that a refused call has brought are none."""
        before = dict(self._models) if hasattr(self, "_models") else None
        try:
            yield
        except BaseException:
            if before is None:
                self.__dict__.pop("_models", None)
            else:
                self._models = before
            raise

    def _begin(self, sets: LabelSets, *, fixed: bool, learns: bool) -> None:
        known = getattr(self, "_models", {})
        new = [name for name in sets.names if name not in known]
        if known and new and self._fixed:
            raise ValueError(
                f"y has the label {new[0]!r}, which is none of the {len(known)} labels of the model."
            )
        if not known and not new and learns and fixed:
            raise ValueError("y has no column: there is no label to learn.")
        if not learns and not known:
            self._models, self._fixed = {}, False
        for name in new:
            check_label(name, "A label in y")
        if len(set(map(str, (*known, *new)))) < len(known) + len(new):
            raise ValueError("labels: two names are the same text.")
        if new and learns:
            self._fixed = fixed if not hasattr(self, "_models") else self._fixed
            given = StreamBoostClassifier() if self.estimator is None else self.estimator
            more = {name: part_of(given, type(self).__name__) for name in new}
            if not hasattr(given, "started"):
                raise TypeError(
                    f"estimator={type(given).__name__} of {type(self).__name__} is made of models itself: choose one of the "
                    "ensembles, as StreamBoostClassifier()."
                )
            self._models = {**known, **more}  # another dict: somebody may be going through that of before

    def _steps(self, X: Any, sets: LabelSets, weight: Floats, step: InStep) -> Floats:
        """The same in pieces: all models have learned one before the next begins."""
        models, n, parts = list(self._models.values()), len(weight), []
        # New models take columns and kinds from the whole table.
        most = _FEW_ROWS if all(model.started for model in models) else n
        if most < n:
            check_rows(models[0], X)
        while step.done < n:
            rows = np.arange(step.done, min(n, step.done + most))
            piece = X if len(rows) == n else _repeated(X, rows)
            parts.append(self._step(piece, LabelSets(sets.names, sets.table[rows]), weight[rows], step))
            step.took(len(rows))
        return np.concatenate(parts) if parts else self._step(X, sets, weight)

    def _step(self, X: Any, sets: LabelSets, weight: Floats, step: InStep | None = None) -> Floats:
        """The probabilities before each row; rows of positive weight are learned."""
        proba = np.zeros((len(weight), len(self._models)))
        for at, (name, model) in enumerate(self._models.items()):
            truth = sets.table[:, sets.names.index(name)] if name in sets.names else np.zeros(len(weight))
            proba[:, at] = _answered(model, X, truth, weight)
            if step is not None:
                step.part_learned()
        return proba

    def _one(self, x: Mapping[Any, Any], before: list[Any], told: Mapping[Any, float]) -> Mapping[Any, Any]:
        """The row as a model sees it: without the labels before."""
        return x


class BinaryRelevanceClassifier(LabelwiseClassifier):
    """A classifier for each label, which knows nothing of the others.

    When to use it: sets of labels with any classifier of this library. It is the baseline that methods for label sets have to
    beat, and a strong one with a strong classifier.

    Examples
    --------
    >>> from streamboost import BinaryRelevanceClassifier, OnlineBaggingClassifier
    >>> model = BinaryRelevanceClassifier(OnlineBaggingClassifier(n_estimators=5, random_state=7))
    >>> X, y = [[0.1], [0.5], [0.9]] * 40, [[1, 0, 0], [1, 1, 0], [0, 1, 1]] * 40
    >>> model.partial_fit(X, y, labels=["cold", "mild", "warm"]).predict([[0.1], [0.9]]).tolist()
    [[1, 0, 0], [0, 1, 1]]
    """

    _name = "binary-relevance"
    _parameters = (EACH,)
    _attributes = LABELS_AND_MODELS

    def __init__(self, estimator: Any = None) -> None:
        self.estimator = estimator


class ClassifierChain(LabelwiseClassifier):
    """A classifier for each label, which also sees the labels before it: in learning as they are, in answering as they were
    guessed.

    When to use it: labels that go together, the telling ones first.

    References
    ----------
    J. Read, B. Pfahringer, G. Holmes and E. Frank, Classifier chains for multi-label classification, *Machine Learning* 85
    (2011).

    Examples
    --------
    >>> from streamboost import ClassifierChain, OnlineBaggingClassifier
    >>> model = ClassifierChain(OnlineBaggingClassifier(n_estimators=5, random_state=7))
    >>> X, y = [[0.1], [0.5], [0.9]] * 40, [[1, 0, 0], [1, 1, 0], [0, 1, 1]] * 40
    >>> model.partial_fit(X, y, labels=["cold", "mild", "warm"]).predict([[0.1], [0.9]]).tolist()
    [[1, 0, 0], [0, 1, 1]]
    """

    _name = "classifier-chain"
    _parameters = (EACH,)
    _attributes = LABELS_AND_MODELS

    def __init__(self, estimator: Any = None) -> None:
        self.estimator = estimator

    def _one(self, x: Mapping[Any, Any], before: list[Any], told: Mapping[Any, float]) -> Mapping[Any, Any]:
        """The row with the labels before, in columns of theirs: after all others where columns have no names."""
        first = next(iter(self._models.values()))
        if before and first.started and first.columns_.names is None:
            columns: list[Any] = [first.n_features_in_ + at for at in range(len(before))]
        else:
            columns = list(map(_shown, before))
        _check_free(x, columns)
        return {**x, **{column: told.get(label, 0.0) for column, label in zip(columns, before, strict=True)}}

    def _step(self, X: Any, sets: LabelSets, weight: Floats, step: InStep | None = None) -> Floats:
        """Every row twice: asked with the labels as they are guessed, then learned with the labels as they are."""
        n, columns = len(weight), list(map(_shown, self._models))
        _check_free(_names_of(X), columns[:-1])
        twice = _repeated(X, np.repeat(np.arange(n), 2))
        proba, before = np.zeros((n, len(self._models))), np.zeros((2 * n, 0))
        amount = np.stack([np.zeros(n), weight], axis=1).reshape(-1)
        for at, (name, model) in enumerate(self._models.items()):
            truth = sets.table[:, sets.names.index(name)] if name in sets.names else np.zeros(n)
            rows = _beside(twice, before, columns[:at])
            proba[:, at] = _answered(model, rows, np.repeat(truth, 2), amount)[::2]
            if step is not None:
                step.part_learned()
            told = np.stack([proba[:, at] >= 0.5, truth], axis=1).reshape(-1)
            before = np.column_stack([before, told.astype(np.float64)])
        return proba


def _shown(label: Any) -> str:
    """The column in which a chain shows a label."""
    return f"label:{label}"


def _names_of(X: Any) -> Iterable[Any]:
    if isinstance(X, np.ndarray) or scipy.sparse.issparse(X):
        return ()
    return X.names or () if isinstance(X, CodedTable) else nw.from_native(X, eager_only=True).columns


def _check_free(taken: Iterable[Any], columns: list[Any]) -> None:
    """Refuse rows that have columns where the labels should be."""
    both = set(taken).intersection(columns)
    if both:
        raise ValueError(
            f"X has a column {min(both)!r}, which is where the chain shows a label: give one of them another name."
        )


def _answered(model: Any, X: Any, truth: Floats, weight: Floats) -> Floats:
    """The probability of each row before it is learned; 0 where nothing is known."""
    amount = np.where(np.isnan(truth), 0.0, weight)
    found = model.test_then_train(X, truth == 1, sample_weight=amount, output="proba", **_first(model))
    return np.nan_to_num(found[:, -1]) if found.shape[1] else np.zeros(len(weight))


def _first(model: Any) -> dict[str, Any]:
    return {} if model.started else {"classes": [False, True]}


def _repeated(X: Any, places: NDArray[np.intp]) -> Any:
    """Rows by their numbers, some of them twice."""
    if isinstance(X, np.ndarray | CodedTable) or scipy.sparse.issparse(X):
        return X[places]
    return nw.maybe_reset_index(nw.from_native(X, eager_only=True)[places.tolist()]).to_native()


def _beside(X: Any, columns: Floats, names: list[str]) -> Any:
    """Rows with more columns."""
    if isinstance(X, CodedTable):
        known = X.names if X.names is not None else tuple(map(str, range(X.shape[1])))
        return CodedTable(np.column_stack([X.rows, columns]), X.values, (*known, *names), X.words)
    if scipy.sparse.issparse(X):
        return scipy.sparse.hstack([X, scipy.sparse.csr_matrix(columns)], format="csr")
    if isinstance(X, np.ndarray):
        return np.column_stack([X, columns])
    frame = nw.from_native(X, eager_only=True)
    more = [
        nw.new_series(name, column, backend=frame.implementation)
        for name, column in zip(names, columns.T, strict=True)
    ]
    return frame.with_columns(*more).to_native()

"""Active learning: a classifier that chooses the rows whose labels it asks for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets

from streamboost.base.classifier import Classifier, check_output
from streamboost.base.files.archive import ModelFileError
from streamboost.base.inputs.unlabeled import filled, missing_labels
from streamboost.base.inputs.weights import check_something_weighs, read_weight
from streamboost.base.parameter import NONE, Declared, anything, number, one_of, parameter
from streamboost.base.pieces import InStep, InterruptsWait
from streamboost.base.random import draw_seed, known_state
from streamboost.ensemble import StreamBoostClassifier
from streamboost.ensemble.options import RANDOM_STATE
from streamboost.feedback.composite import Composite, check_rows, composite_bytes, part_of, table_of
from streamboost.feedback.query import QUERIES, RULES, QueryStrategy

if TYPE_CHECKING:
    from typing_extensions import Self

Floats = NDArray[np.float64]
NAME = "active"
_LONGEST_LOOK = 1024  # rows that are asked about at a time


@dataclass(frozen=True)
class _Answers:
    """The model's answers to some rows: labels, probabilities of `classes`, and how sure it is of each row."""

    labels: NDArray[Any]
    proba: Floats
    classes: list[Any]
    confidence: Floats

    def first(self, n: int) -> _Answers:
        return _Answers(self.labels[:n], self.proba[:n], self.classes, self.confidence[:n])


def _shorten_memory(model: Any, budget: float) -> None:
    """Let an untaught default model remember fewer labels, as they come more seldom, unless its memory was chosen."""
    usual = StreamBoostClassifier()
    if type(model) is not StreamBoostClassifier or model.started:
        return
    share = budget**0.7
    if model.window == usual.window:
        model.set_params(window=max(usual.window * share, 2.0))
    if model.short_memory == usual.short_memory:
        model.set_params(short_memory=max(round(usual.short_memory * share), 200))


def _has(verb: str) -> Callable[[Any], bool]:
    return lambda model: hasattr(model._begun, verb)


class ActiveClassifier(Composite, Declared, ClassifierMixin, BaseEstimator):
    r"""A classifier that asks for the labels of a few rows only, within a budget.

    Ask :meth:`query_one` whether a row deserves its label. If so, find the label and :meth:`learn_one`; if not,
    :meth:`skip_one`. :meth:`test_then_train` plays this on rows whose labels are known, and looks at no label that it did not ask
    for.

    When to use it: a person or an expensive test gives the labels. Labels that come for free are best learned all.

    Notes
    -----
    The strategies:

    - ``"random"``: by chance, the budget being the probability.
    - ``"uncertainty"``: rows whose most probable label has less than `threshold`.
    - ``"variable"``: the same with a threshold that falls with every question and rises with every row that is let go, so
      that the budget is spent however sure the model is.
    - ``"randomized"``: as variable, the threshold times a normal draw of mean 1 and deviation 1: now and then rows are asked for
      that the model is sure of.
    - ``"split"``: a share of the rows by chance, the others as variable. The rows of chance show changes where the model is sure
      and wrong; they are watched for drift, after which the threshold starts again.
    - ``"disagreement"``: as variable, by the entropy of the votes of the learners instead of the probabilities; its threshold
      moves by the rule of the paper.

    A row that is not asked for leaves the model as it was. Only the strategy remembers that it came by.

    The `window` and the `short_memory` of the default are counted in labels. With the share b of them they would reach too far
    back after a change: an untaught :class:`StreamBoostClassifier` gets :math:`b^{0.7}` times as much of each that is as usual.

    References
    ----------
    I. Žliobaitė, A. Bifet, B. Pfahringer and G. Holmes, Active learning with drifting streaming data, *IEEE Transactions on
    Neural Networks and Learning Systems* 25 (2014).

    Examples
    --------
    >>> from streamboost import ActiveClassifier, HoeffdingTree, OnlineBaggingClassifier
    >>> trees = OnlineBaggingClassifier(HoeffdingTree(), n_estimators=10, random_state=7)
    >>> model = ActiveClassifier(trees, budget=0.1, random_state=7)
    >>> for t in range(1000):
    ...     x = {"x": t * 0.618 % 1}
    ...     if model.query_one(x):
    ...         model.learn_one(x, "high" if x["x"] > 0.5 else "low")
    ...     else:
    ...         model.skip_one(x)
    >>> model.predict_one({"x": 0.9}), model.n_asked_ < 120
    ('high', True)
    """

    _parameters = (
        parameter(
            "estimator",
            anything("classifier"),
            "The model that learns; it is copied. None means ``StreamBoostClassifier()``. Any classifier of streamboost, or an "
            "object with its ``test_then_train`` and ``classes_``.",
            to_core=False,
        ),
        parameter(
            "budget", number("(0, 1]"), "The share of the rows whose labels may be asked for.", to_core=False
        ),
        parameter("query", one_of(*QUERIES), "How the rows are chosen: see the notes.", to_core=False),
        parameter(
            "threshold",
            number("(0, 1]"),
            'Of ``query="uncertainty"``: the probability below which the label is asked for.',
            to_core=False,
        ),
        parameter(
            "random_share",
            number("[0, 1]"),
            'Of ``query="split"``: the share of the rows that is left to chance.',
            to_core=False,
        ),
        parameter(
            "rule",
            (one_of(*RULES), NONE),
            "How a moving threshold moves. Quantile: so that the share `budget` of the rows lies below it, and the labels of the "
            "least sure rows are asked for. Paper: by equal steps up and down, so that it settles at the median. None: paper "
            'with ``query="disagreement"``, which does better so, and quantile with all others.',
            to_core=False,
        ),
        RANDOM_STATE.saying("Key of the draws of the strategy. The model has a `random_state` of its own."),
    )
    _attributes = (
        ("model_", "classifier", "The model that learns."),
        ("n_rows_", "int", "Rows that came by: asked for or not."),
        ("n_asked_", "int", "Rows whose labels were learned."),
        ("threshold_", "float", "Where the threshold stands now."),
    )
    _strategy: QueryStrategy | None = None
    _adopted = False
    model_: Any

    def __init__(
        self,
        estimator: Any = None,
        *,
        budget: float = 0.1,
        query: str = "split",
        threshold: float = 0.9,
        random_share: float = 0.1,
        rule: str | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.budget = budget
        self.query = query
        self.threshold = threshold
        self.random_share = random_share
        self.rule = rule
        self.random_state = random_state

    @classmethod
    def around(cls, model: Any, **params: Any) -> ActiveClassifier:
        """Return one whose questions are for this very model, not for a copy of it."""
        made = cls(model, **params)
        made._adopted = True
        return made

    # Asking.

    def query_one(self, x: Mapping[Any, Any]) -> bool:
        """Return whether the label of this row should be found out; changes nothing."""
        strategy = self._begin()
        return strategy.wants(self._confidence_one(x))

    def skip_one(self, x: Mapping[Any, Any]) -> None:
        """Let a row go without its label: the model stays as it is."""
        self._begin().note(False)

    def skip(self, X: Any) -> None:
        """Let rows go without their labels."""
        strategy = self._begin()
        for _ in range(_count(X)):
            strategy.note(False)

    # Learning.

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Forget everything and learn rows whose labels were found out; those without (None, NaN) are let go."""
        if y is None:
            raise ValueError("This classifier requires y to be passed, but the target y is None.")
        check_something_weighs(sample_weight)
        self.__dict__.pop("_strategy", None)
        self.__dict__.pop("model_", None)
        absent = missing_labels(y)
        found = y if absent is None else [label for label, none in zip(y, absent, strict=True) if not none]
        found = np.asarray(found)
        check_classification_targets(found)
        return self.partial_fit(X, y, classes=np.unique(found), sample_weight=sample_weight)

    def partial_fit(
        self, X: Any, y: Any, classes: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Learn rows whose labels were found out; rows without a label (None, NaN) are let go."""
        n = _count(X)
        weight = read_weight(sample_weight, n)
        absent = missing_labels(y)
        strategy = self._begin()
        known = self._known() if classes is None else np.asarray(classes).tolist()
        told: dict[str, Any] = {"sample_weight": weight}
        if absent is not None:
            told["sample_weight"] = np.where(absent, 0.0, 1.0 if weight is None else weight)
        done = n
        try:
            self.model_.partial_fit(
                X, y if absent is None else filled(y, absent, known), **_given(classes=classes, **told)
            )
        except BaseException as error:
            done = getattr(error, "n_rows_learned", 0)
            raise
        finally:
            with InterruptsWait(True):
                for row in range(done):
                    if weight is None or weight[row] > 0:
                        strategy.note(absent is None or not absent[row])
        return self

    def learn_one(
        self, x: Mapping[Any, Any], y: Any, sample_weight: float = 1.0, classes: ArrayLike | None = None
    ) -> None:
        """Learn a row, a dict, whose label was found out; without a label (None, NaN) it is let go."""
        if missing_labels([y]) is not None:
            self.skip_one(x)
            return
        strategy = self._begin()
        with InStep(1) as step:
            wrong = self._judged_one(x, y) if strategy.by_chance else None
            self.model_.learn_one(x, y, **_given(classes=classes), sample_weight=sample_weight)
            if sample_weight > 0:
                strategy.note(True, wrong)
            step.took()

    def test_then_train(
        self,
        X: Any,
        y: Any,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        output: str = "label",
    ) -> Any:
        """Answer each row, and learn it only if its label is asked for.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features)
            The rows.
        y : array of shape (n_samples,)
            Their labels, looked at where they are asked for.
        classes : array, optional
            All labels that may ever appear, for models that must know them.
        sample_weight : array of shape (n_samples,), optional
            Weights of the rows; one of weight 0 is only answered.
        output : {"label", "proba", "both"}
            What to answer.

        Returns
        -------
        array
            As :meth:`StreamBoostClassifier.test_then_train` gives it.
        """
        check_output(output, ("label", "proba", "both"))
        records = isinstance(X, list) and bool(X) and isinstance(X[0], Mapping)
        X = X if records else table_of(X)
        n = _count(X)
        if y is None:
            raise ValueError("This classifier requires y to be passed, but the target y is None.")
        if len(y) != n:
            raise ValueError(f"X has {n} rows, but y has {len(y)} labels.")
        weight = read_weight(sample_weight, n)
        absent = missing_labels(y)
        counts = np.ones(n, dtype=bool) if weight is None else weight > 0
        may = counts if absent is None else counts & ~absent
        strategy = self._begin()
        check_rows(self.model_, X)
        said: list[_Answers] = []
        at, look = 0, 1
        with InStep(n) as step:
            while at < n:
                end = min(n, at + look)
                found = self._ask(X[at:end])
                used, asked = self._decide(strategy, found.confidence, counts[at:end], may[at:end])
                said.append(found.first(used))
                last = at + used - 1
                if asked:
                    step.done += used - 1  # Ctrl-C waits: the label of the next row is paid for
                    more = _given(
                        classes=classes, sample_weight=None if weight is None else weight[last : last + 1]
                    )
                    self.model_.test_then_train(X[last : last + 1], y[last : last + 1], **more)
                    strategy.note(True, bool(found.labels[used - 1] != np.asarray(y[last : last + 1])[0]))
                at += used
                step.took(1 if asked else used)
                look = min(2 * used if asked else 2 * look, _LONGEST_LOOK)
        return _together(said, self._known(), output)

    def test_then_train_one(
        self,
        x: Mapping[Any, Any],
        y: Any,
        sample_weight: float = 1.0,
        classes: ArrayLike | None = None,
    ) -> tuple[Any, dict[Any, float]]:
        """Return label and probabilities of a row, a dict, and learn it only if its label is asked for."""
        answer = self.predict_one(x), self.predict_proba_one(x)
        read_weight([sample_weight], 1)
        if sample_weight > 0:
            if y is not None and self.query_one(x):
                self.learn_one(x, y, sample_weight, classes)
            else:
                self.skip_one(x)
        return answer

    # Answering.

    @available_if(_has("predict"))  # type: ignore[untyped-decorator]
    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most likely label of each row; changes nothing."""
        return np.asarray(self._begun.predict(X))

    @available_if(_has("predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of each class in ``classes_``, one row per row of `X`."""
        return np.asarray(self._begun.predict_proba(X))

    def predict_one(self, x: Mapping[Any, Any]) -> Any:
        """Return the label of one dict, or None while no class is known."""
        return self._begun.predict_one(x)

    def predict_proba_one(self, x: Mapping[Any, Any]) -> dict[Any, float]:
        """Return the probability of each known label for one dict."""
        found: dict[Any, float] = self._begun.predict_proba_one(x)
        return found

    @property
    def classes_(self) -> NDArray[Any]:
        """Labels known so far, sorted."""
        return np.asarray(self._begun.classes_)

    @property
    def n_rows_(self) -> int:
        """Rows that came by."""
        return self._begin().n_rows

    @property
    def n_asked_(self) -> int:
        """Rows whose labels were learned."""
        return self._begin().n_asked

    @property
    def threshold_(self) -> float:
        """Where the threshold stands now."""
        return self._begin().threshold

    @property
    def n_learned_(self) -> int:
        """Rows that the model has learned, those before it began to ask included."""
        return int(self._begun.n_learned_)

    @property
    def columns_(self) -> Any:
        """The columns that the model knows."""
        return self._begun.columns_

    @property
    def n_features_in_(self) -> int:
        """The number of columns."""
        return int(self._begun.n_features_in_)

    @property
    def feature_names_in_(self) -> NDArray[Any]:
        """Names of the columns, if they have names."""
        return np.asarray(self._begun.feature_names_in_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(
            StreamBoostClassifier() if self.estimator is None else self.estimator
        ).input_tags
        return tags

    @property
    def reads_coded_rows(self) -> bool:
        """Whether files are read for it as for a model of streamboost: internal, for the loop of evaluation."""
        return self.estimator is None or isinstance(self.estimator, Classifier)

    @property
    def reads_coded_labels(self) -> bool:
        """The same of labels."""
        return self.reads_coded_rows

    @property
    def needs_classes(self) -> bool:
        """Whether the model must know its labels before the first row: internal, for the loop of evaluation."""
        return bool(getattr(self._begun, "needs_classes", False))

    @available_if(_has("memory_bytes"))  # type: ignore[untyped-decorator]
    def memory_bytes(self) -> int:
        """Return the size of the model in bytes."""
        return int(self._begun.memory_bytes())

    # Files.

    def to_bytes(self, *, metadata: Mapping[str, Any] | None = None) -> bytes:
        """Return what `save` writes."""
        names = ("budget", "query", "threshold", "random_share")
        strategy = self._begin()
        state = {**strategy.state(), "seed": strategy.seed}
        # The rule by name: a file goes on by it whatever the strategy's own will be.
        params = {**{name: getattr(self, name) for name in names}, "rule": strategy.rule}
        facts = self._metadata if metadata is None else metadata
        return composite_bytes(NAME, [self.model_], params, state, facts)

    @classmethod
    def _from_parts(
        cls, parts: Sequence[Any], params: dict[str, Any], state: dict[str, Any]
    ) -> ActiveClassifier:
        if len(parts) != 1 or not hasattr(parts[0], "classes_"):
            raise ModelFileError("an active classifier has one model, a classifier")
        seed = state.get("seed")
        if type(seed) is not int or not 0 <= seed < 2**64:
            raise ModelFileError("the seed of the queries is damaged")
        # Files of 1.0.0 name no rule: there was the paper's.
        made = cls(clone(parts[0]), **{"rule": "paper", **params}, random_state=known_state(seed))
        made._validate_params()
        made.model_ = parts[0]
        made._strategy = made._new_strategy(seed)
        made._strategy.restore(state)
        return made

    # Inside.

    def _new_strategy(self, seed: int) -> QueryStrategy:
        return QueryStrategy(
            self.budget,
            self.query,
            threshold=self.threshold,
            random_share=self.random_share,
            rule=self.rule,
            seed=seed,
        )

    def _begin(self) -> QueryStrategy:
        if self._strategy is None:
            self._validate_params()
            chosen = StreamBoostClassifier() if self.estimator is None else self.estimator
            self.model_ = chosen if self._adopted else part_of(chosen, type(self).__name__)
            _shorten_memory(self.model_, float(self.budget))
            self._strategy = self._new_strategy(draw_seed(self.random_state))
        return self._strategy

    @property
    def _begun(self) -> Any:
        self._begin()
        return self.model_

    def _known(self) -> list[Any]:
        """The labels that the model knows."""
        found: list[Any] = np.asarray(getattr(self.model_, "classes_", ())).tolist()
        return found

    def _ask(self, X: Any) -> _Answers:
        """Answers without learning, also of models that know no label yet."""
        n, known = _count(X), self._known()
        if not known:
            return _Answers(np.full(n, None, dtype=object), np.full((n, 0), np.nan), [], np.zeros(n))
        needs = self._begin().needs
        nothing = np.full(n, known[0], dtype=object if isinstance(known[0], str) else None)
        labels, proba = self.model_.test_then_train(X, nothing, sample_weight=np.zeros(n), output="both")
        shares = self.model_.predict_votes(X) if needs == "votes" else proba
        return _Answers(labels, proba, known, _confidence(shares, needs))

    def _confidence_one(self, x: Mapping[Any, Any]) -> float:
        needs = self._begin().needs
        found = self.model_.predict_votes_one(x) if needs == "votes" else self.model_.predict_proba_one(x)
        return float(_confidence(np.array([list(found.values())]), needs)[0]) if found else 0.0

    def _judged_one(self, x: Mapping[Any, Any], y: Any) -> bool:
        return bool(self.model_.predict_one(x) != y)

    @staticmethod
    def _decide(
        strategy: QueryStrategy, confidence: Floats, counts: NDArray[np.bool_], may: NDArray[np.bool_]
    ) -> tuple[int, bool]:
        """Go along rows up to the first one to be asked for: after it the model is another."""
        for at, sure in enumerate(confidence.tolist()):
            if not counts[at]:
                continue
            if may[at] and strategy.wants(sure):
                return at + 1, True
            strategy.note(False)
        return len(confidence), False


def _confidence(shares: Floats, needs: str) -> Floats:
    """How sure a model is: the largest probability, or 1 less the entropy of the votes over its largest possible value."""
    if shares.shape[1] < 2:  # it has had no choice yet
        return np.zeros(len(shares))
    p = np.nan_to_num(shares)
    if needs != "votes":
        return np.asarray(p.max(axis=1))
    entropy = -(p * np.log(np.where(p > 0, p, 1.0))).sum(axis=1)
    return np.asarray(1.0 - entropy / np.log(p.shape[1]))


def _together(said: list[_Answers], known: list[Any], output: str) -> Any:
    """Answers of several parts as those of one call, with a column for each label known in the end."""
    labels = np.empty(sum(len(part.labels) for part in said), dtype=object)
    proba = np.full((len(labels), len(known)), np.nan)
    place = {label: at for at, label in enumerate(known)}
    at = 0
    for part in said:
        rows = slice(at, at + len(part.labels))
        labels[rows] = part.labels
        if part.classes:
            proba[rows] = 0.0
            proba[rows, [place[label] for label in part.classes]] = part.proba
        at = rows.stop
    if labels.size and not any(label is None for label in labels):
        labels = np.array(labels.tolist())
    return {"label": labels, "proba": proba, "both": (labels, proba)}[output]


def _count(X: Any) -> int:
    return int(X.shape[0]) if hasattr(X, "shape") else len(X if hasattr(X, "__len__") else np.asarray(X))


def _given(**options: Any) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}

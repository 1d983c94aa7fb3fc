"""Boosting with bandit feedback: only whether the label that was shown is right is learned."""

from __future__ import annotations

import copy
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.exceptions import NotFittedError

from streamboost import _core
from streamboost.base.classifier import Classifier
from streamboost.base.estimator import with_session
from streamboost.base.files.archive import ModelFileError
from streamboost.base.inputs.labels import check_length, declare
from streamboost.base.inputs.unlabeled import missing_labels
from streamboost.base.inputs.weights import LARGEST_WEIGHT, read_weight
from streamboost.base.parameter import Declared, anything, number, one_of, parameter
from streamboost.base.pieces import InStep
from streamboost.base.random import draw_seed, known_state
from streamboost.base.warned import warn_user
from streamboost.ensemble import (
    AdaBoostOLMClassifier,
    OnlineMBBMClassifier,
    OSBoostClassifier,
    StreamBoostClassifier,
)
from streamboost.ensemble.bandit import BanditEnsemble, Judged
from streamboost.ensemble.options import RANDOM_STATE, SIZE
from streamboost.feedback.composite import Composite, check_rows, composite_bytes, table_of

if TYPE_CHECKING:
    from typing_extensions import Self

Floats = NDArray[np.float64]
NAME = "bandit"
PURPOSE = 15  # of draws: exploration
BASES = ("rewards", "mbbm", "olm", "osboost")
LEAST_PROBABILITY = 2.0**-53  # of a label that a draw can show
OF_EACH_LABEL = ("rewards", "osboost")
"""Those that have a model for each label."""


class BanditBoostingClassifier(Composite, Declared, ClassifierMixin, BaseEstimator):
    r"""Boosting from bandit feedback: show a label, hear whether it was right, and never the truth otherwise.

    :meth:`act_one` chooses a label: mostly the best one, now and then another, so that something can be learned about it; it also
    says with which probability. :meth:`learn_bandit_one` takes the reward for it: 1 if it was right, else 0.

    When to use it: recommendations, routing, tests on users: whatever is not shown is not judged. If the true labels come,
    any other classifier learns faster.

    Notes
    -----
    ``"rewards"``: a classifier for each label, which learns from the rows at which its label was shown whether it was right. A
    label has the probability :math:`\rho / k`, the best one :math:`1 - \rho` more. It takes any classifier of streamboost.

    ``"mbbm"`` and ``"olm"`` (Zhang, Jung and Tewari): the best label has the probability :math:`1 - \rho`, each other one
    :math:`\rho / (k - 1)`. From the reward follows an unbiased estimate of the truth, and with it that of the costs which
    :class:`OnlineMBBMClassifier` or :class:`AdaBoostOLMClassifier` would have; every learner is taught the cheapest label.

    ``"osboost"`` (Chen, Lin and Lu): an :class:`OSBoostClassifier` for each label, with learned votes; labels have the
    probabilities of ``"rewards"``. Only the one that was played learns, right or wrong, with the weight 1 over its
    probability.

    References
    ----------
    D. T. Zhang, Y. H. Jung and A. Tewari, Online multiclass boosting with bandit feedback, AISTATS 2019.
    S.-T. Chen, H.-T. Lin and C.-J. Lu, Boosting with online binary learners for the multiclass bandit problem, ICML 2014.

    Examples
    --------
    >>> from streamboost import BanditBoostingClassifier, NaiveBayes
    >>> model = BanditBoostingClassifier(NaiveBayes(), labels=["low", "high"], base="olm", random_state=7)
    >>> for t in range(600):
    ...     x = {"x": t * 0.618 % 1}
    ...     label, probability = model.act_one(x)
    ...     model.learn_bandit_one(x, label, label == ("high" if x["x"] > 0.5 else "low"), probability)
    >>> model.predict_one({"x": 0.1}), model.predict_one({"x": 0.9})
    ('low', 'high')
    """

    _parameters = (
        parameter(
            "estimator",
            anything("classifier or learner"),
            "Of rewards: the classifier of every label; it is copied. None: ``StreamBoostClassifier()``. Of the others: the weak "
            "learner. None: ``HoeffdingTree()``, of osboost ``NaiveBayes()``.",
            to_core=False,
        ),
        parameter(
            "labels",
            anything("sequence of labels"),
            "All labels that may be shown; at least two.",
            to_core=False,
        ),
        parameter("base", one_of(*BASES), "What learns: see the notes.", to_core=False),
        SIZE.saying("Number of learners, of osboost for each label; rewards has those of its classifier."),
        parameter(
            "exploration",
            number("(0, 1)"),
            "The share of the rows at which another label is tried.",
            to_core=False,
        ),
        parameter(
            "edge",
            number("(0, 1)"),
            "How much better than guessing the learners are (mbbm, osboost).",
            to_core=False,
        ),
        parameter(
            "categorical_features",
            anything("None or features"),
            "Which features are nominal, as :class:`StreamBoostClassifier` takes them.",
            to_core=False,
        ),
        RANDOM_STATE.saying("Key of all draws, those of the models included."),
    )
    _attributes = (
        ("classes_", "array", "The labels, sorted."),
        ("n_acts_", "int", "Labels that were shown."),
        ("n_learned_", "int", "Rewards that were learned."),
    )
    reads_coded_rows: ClassVar[bool] = True
    reads_coded_labels: ClassVar[bool] = False
    needs_classes: ClassVar[bool] = True
    _models: list[Any] | None = None
    _seed = 0
    _n_acts = 0

    def __init__(
        self,
        estimator: Any = None,
        *,
        labels: Any = None,
        base: str = "rewards",
        n_estimators: int = 20,
        exploration: float = 0.1,
        edge: float = 0.1,
        categorical_features: Any = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.labels = labels
        self.base = base
        self.n_estimators = n_estimators
        self.exploration = exploration
        self.edge = edge
        self.categorical_features = categorical_features
        self.random_state = random_state

    # Acting.

    def act_one(self, x: Mapping[Any, Any], number: int | None = None) -> tuple[Any, float]:
        """Return the label to show for a row, a dict, and the probability that it was given.

        ``number`` is the key of the draw: with the same one, the same model shows the same label, and nothing changes. None: the
        number of the act, which is counted.
        """
        return self._played(int(np.argmax(self._scores(x)[0])), number)

    def act(self, X: Any) -> tuple[NDArray[Any], Floats]:
        """Return the labels to show for rows, and their probabilities."""
        acts = [self._played(int(best)) for best in self._scores(X).argmax(axis=1)]
        return np.array([label for label, _ in acts]), np.array([p for _, p in acts])

    def _played(self, best: int, number: int | None = None) -> tuple[Any, float]:
        k, rho = len(self._labels), float(self.exploration)
        other = rho / k if self.base in OF_EACH_LABEL else rho / (k - 1)
        mine = 1 - (k - 1) * other
        drawn = _core.uniform(self._seed, self._n_acts if number is None else number, 0, PURPOSE)
        self._n_acts += number is None
        if drawn < mine:
            return self._labels[best], mine
        skip = min(int((drawn - mine) / other), k - 2)
        return self._labels[skip + (skip >= best)], other

    # Learning.

    def learn_bandit_one(
        self, x: Mapping[Any, Any], label: Any, reward: float, probability: float, sample_weight: float = 1.0
    ) -> None:
        """Learn what came of a label that was shown: the reward is 1 (or True) if it was right, else 0."""
        facts = self._facts([label], [reward], [probability], 1)[0]
        weight = read_weight([sample_weight], 1)
        self._teach(x, facts, 1.0 if weight is None else float(weight[0]))

    def learn_bandit(
        self,
        X: Any,
        labels: ArrayLike,
        rewards: ArrayLike,
        probabilities: ArrayLike,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Learn what came of labels that were shown; rows in their order."""
        X = table_of(X)
        weight = read_weight(sample_weight, int(X.shape[0]))
        facts = self._facts(labels, rewards, probabilities, int(X.shape[0]))
        self._check(X)
        with InStep(len(facts)) as step:
            for t, fact in enumerate(facts):
                self._teach(X[t : t + 1], fact, 1.0 if weight is None else float(weight[t]))
                step.took()
        return self

    def test_then_train(
        self,
        X: Any,
        y: Any,
        classes: Any = None,
        sample_weight: ArrayLike | None = None,
        output: str = "label",
    ) -> Any:
        """Show a label for each row and learn only whether it was right: what `y` says otherwise is never looked at.

        Rows without a label (None, NaN) are answered and not learned: nobody knows whether the label that is shown is right.
        Answers are the labels that were shown, explorations included; with "both" a pair: labels, probabilities of the classes.
        """
        records = isinstance(X, list) and bool(X) and isinstance(X[0], Mapping)
        X = X if hasattr(X, "shape") or records else np.asarray(X)
        truth = np.asarray(y).tolist()
        n = len(X) if records else int(X.shape[0])
        check_length(len(truth), n)
        if output not in ("label", "both"):
            raise ValueError(f'output={output!r} is not allowed: choose "label" or "both".')
        weight, absent = read_weight(sample_weight, n), missing_labels(y)
        if absent is not None:
            warn_user(f"Rows without a label came to this {type(self).__name__}: it does not learn them.")
            weight = np.where(absent, 0.0, 1.0 if weight is None else weight)
        shown, proba = [], np.zeros((n, len(self._begin())))
        self._check(X)
        with InStep(n) as step:
            for t in range(n):
                row = X[t] if records else X[t : t + 1]
                proba[t] = self._scores(row)[0]
                best = int(proba[t].argmax())
                if weight is not None and weight[t] == 0:
                    shown.append(self._labels[best])
                    step.took()
                    continue
                label, p = self._played(best)
                shown.append(label)
                facts = self._facts([label], [label == truth[t]], [p], 1)[0]
                self._teach(row, facts, 1.0 if weight is None else float(weight[t]), best)
                step.took()
        return np.array(shown) if output == "label" else (np.array(shown), proba)

    def with_all_labels(self) -> Any:
        """Return an untrained classifier of the same kind that learns from the labels themselves; regret is measured by it."""
        more = {"categorical_features": self.categorical_features, "random_state": self.random_state}
        if self.base == "rewards":
            return _given(StreamBoostClassifier() if self.estimator is None else clone(self.estimator), more)
        if self.base == "olm":
            return AdaBoostOLMClassifier(
                self.estimator, n_estimators=self.n_estimators, calibration=None, **more
            )
        return OnlineMBBMClassifier(
            self.estimator, n_estimators=self.n_estimators, edge=self.edge, calibration=None, **more
        )

    # Answering.

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the best label of each row, without exploring; changes nothing."""
        return np.asarray(np.array(self._begin())[self._scores(X).argmax(axis=1)])

    def predict_proba(self, X: Any) -> Floats:
        """Return the share of the vote that each class in ``classes_`` has."""
        return self._scores(X)

    def predict_one(self, x: Mapping[Any, Any]) -> Any:
        """Return the best label of one dict, without exploring; changes nothing."""
        return self._begin()[int(np.argmax(self._scores(x)[0]))]

    def predict_proba_one(self, x: Mapping[Any, Any]) -> dict[Any, float]:
        """Return the share of the vote that each label has for one dict."""
        return dict(zip(self._begin(), self._scores(x)[0].tolist(), strict=True))

    @property
    def classes_(self) -> NDArray[Any]:
        """The labels, sorted."""
        return np.array(self._begin())

    @property
    def n_acts_(self) -> int:
        """Labels that were shown."""
        return self._n_acts

    @property
    def n_learned_(self) -> int:
        """Rewards that were learned."""
        return sum(model.n_learned_ for model in self._started)

    @property
    def models_(self) -> dict[Any, Any]:
        """What learns, for reports and explanations: of rewards and osboost the classifier of each label, else the ensemble as
        that of all."""
        labels = self._begin()
        assert self._models is not None
        return dict(zip(labels, self._models * (len(labels) if len(self._models) == 1 else 1), strict=True))

    @property
    def started(self) -> bool:
        """Whether rewards have come."""
        return bool(self._started)

    @property
    def columns_(self) -> Any:
        """The columns that it knows; those of the model that knows most."""
        return max((model.columns_ for model in self._started), key=lambda columns: len(columns.names or ()))

    @property
    def is_snapshot(self) -> bool:
        """Whether it is one that :meth:`snapshot` gave, which never learns."""
        return any(model.is_snapshot for model in self._started)

    def snapshot(self) -> Self:
        """Return a copy as it is now, for reading only."""
        self._begin()
        made = copy.copy(self)
        assert self._models is not None
        made._models = [
            model.snapshot() if model.started else with_session(model, None) for model in self._models
        ]
        return made

    def memory_bytes(self) -> int:
        """Return the size of the model in bytes."""
        return sum(model.memory_bytes() for model in self._models or ())

    # Files.

    def to_bytes(self, *, metadata: Mapping[str, Any] | None = None) -> bytes:
        """Return what `save` writes."""
        if not self.started:
            raise NotFittedError(
                f"This {type(self).__name__} has learned nothing yet: there is nothing to save."
            )
        assert self._models is not None
        names = ("base", "n_estimators", "exploration", "edge")
        params = {**{name: getattr(self, name) for name in names}, "labels": self._labels}
        started = [model.started for model in self._models]
        state = {"seed": self._seed, "acts": self._n_acts, "started": started}
        facts = self._metadata if metadata is None else metadata
        return composite_bytes(NAME, self._started, params, state, facts)

    @classmethod
    def _from_parts(cls, parts: Sequence[Any], params: dict[str, Any], state: dict[str, Any]) -> Any:
        seed, acts, started = (state.get(name) for name in ("seed", "acts", "started"))
        if type(seed) is not int or not 0 <= seed < 2**64 or type(acts) is not int or not 0 <= acts < 2**62:
            raise ModelFileError("the draws of a bandit are damaged")
        labels, of_each = params.get("labels"), params.get("base") in OF_EACH_LABEL
        if (
            not isinstance(started, list)
            or sum(map(bool, started)) != len(parts)
            or not parts
            or not isinstance(labels, list)
            or len(started) != (len(labels) if of_each else 1)
        ):
            raise ModelFileError("the models of a bandit are not those of its labels")
        if not all(isinstance(part, Classifier) for part in parts):
            raise ModelFileError("the models of a bandit are classifiers")
        first = parts[0]
        made = cls(
            clone(first) if params.get("base") == "rewards" else first.estimator,
            **params,
            categorical_features=first.categorical_features,
            random_state=known_state(seed),
        )
        made._begin(seed)
        assert made._models is not None
        if any(type(part) is not type(made._models[0]) for part in parts):
            raise ModelFileError("the models of a bandit are not those of its base")
        rest = iter(parts)
        made._models = [
            next(rest) if is_there else model for is_there, model in zip(started, made._models, strict=True)
        ]
        made._n_acts = acts
        return made

    # Inside.

    def _begin(self, seed: int | None = None) -> list[Any]:
        """The labels, sorted; at the first call the models are made, with a seed that is drawn if none is known."""
        if self._models is None:
            self._validate_params()
            given = self.labels
            if not hasattr(given, "dtype"):
                given = list(given) if isinstance(given, Iterable) and not isinstance(given, str) else []
            labels = declare(given).book.values if len(given) else []
            if len(labels) < 2:
                raise ValueError(
                    f"labels={self.labels!r} is not allowed: give at least two labels that may be shown."
                )
            self._seed = draw_seed(self.random_state) if seed is None else seed
            self._models = self._made(len(labels), self._seed % 2**32)
            self._labels = labels
        return self._labels

    def _made(self, k: int, key: int) -> list[Any]:
        more = {"categorical_features": self.categorical_features, "random_state": key}
        if self.base == "rewards":
            each = StreamBoostClassifier() if self.estimator is None else self.estimator
            if not isinstance(each, Classifier):
                raise TypeError(
                    f"estimator={each!r} is not allowed: base='rewards' takes a classifier of streamboost, "
                    "as OnlineBaggingClassifier(HoeffdingTree())."
                )
            return [_given(clone(each), {**more, "random_state": (key + at) % 2**32}) for at in range(k)]
        if self.base == "osboost":
            return [
                OSBoostClassifier(
                    self.estimator,
                    n_estimators=self.n_estimators,
                    gamma=self.edge,
                    vote="ocp",
                    calibration=None,
                    **more,
                )
                for _ in range(k)
            ]
        ensemble = BanditEnsemble(
            self.estimator,
            n_estimators=self.n_estimators,
            base=self.base,
            edge=self.edge,
            exploration=self.exploration,
            **more,
        )
        return [ensemble]

    def _check(self, X: Any) -> None:
        assert self._models is not None
        check_rows((self._started or self._models)[0], X)

    @property
    def _started(self) -> list[Any]:
        return [model for model in self._models or () if model.started]

    def _scores(self, X: Any) -> Floats:
        """Return what is thought of the labels at each row of a table, or at one dict; ties go to the first."""
        k = len(self._begin())
        assert self._models is not None
        X = X if isinstance(X, Mapping) else table_of(X)
        n = 1 if isinstance(X, Mapping) else int(X.shape[0])
        if self.base not in OF_EACH_LABEL:
            (model,) = self._models
            return _proba(model, X) if model.started else np.full((n, k), 1 / k)
        found = np.full((n, k), 0.5)
        for at, model in enumerate(self._models):
            if model.started:
                found[:, at] = _proba(model, X)[:, -1]
        found[found.sum(axis=1) == 0] = 1.0  # no learner knows anything of its label
        return np.asarray(found / found.sum(axis=1, keepdims=True))

    def _facts(self, labels: Any, rewards: Any, probabilities: Any, n: int) -> Floats:
        """Code of the label, reward and probability of every row, or say what is wrong with them."""
        place = {label: at for at, label in enumerate(self._begin())}
        shown = np.asarray(labels)
        reward, p = _numbers(rewards), _numbers(probabilities)
        if not shown.shape == reward.shape == p.shape == (n,):
            raise ValueError("labels, rewards and probabilities must be as many as the rows.")
        codes = [place.get(label) if isinstance(label, Hashable) else None for label in shown.tolist()]
        if None in codes:
            raise ValueError(
                f"label={shown.tolist()[codes.index(None)]!r} is none of the labels: {self._labels}."
            )
        if not np.isin(reward, (0.0, 1.0)).all():
            raise ValueError("reward must be 1 (right) or 0 (wrong).")
        if not ((p >= LEAST_PROBABILITY) & (p <= 1)).all():
            raise ValueError(
                "probability must be above 0 (at least 2^-53) and at most 1: what act_one has returned with the label."
            )
        return np.column_stack([np.array(codes, dtype=np.float64), reward, p])

    def _teach(self, row: Any, facts: Floats, weight: float, best: int | None = None) -> None:
        """Learn one row, of a table or a dict; ``best`` is the label that is thought best now, if that is known."""
        assert self._models is not None
        if self.is_snapshot:
            raise RuntimeError(
                f"This {type(self).__name__} is a snapshot, which never learns. Teach the model it was taken from, or a "
                "copy.deepcopy of the snapshot."
            )
        shown, reward, p = facts.tolist()
        if self.base in OF_EACH_LABEL:
            model = self._models[int(shown)]
            first = {} if model.started else {"classes": [False, True]}
            amount = min(weight / p, LARGEST_WEIGHT) if self.base == "osboost" else weight
            if isinstance(row, Mapping):
                model.learn_one(row, reward == 1, sample_weight=amount, **first)
            else:
                model.partial_fit(row, [reward == 1], sample_weight=[amount], **first)
            return
        if best is None:
            best = int(self._scores(row)[0].argmax())
        judged = Judged(self._labels, np.array([[*facts, best]], dtype=np.float64))
        self._models[0].learn_judged(row, judged, np.array([weight]))


def _given(model: Any, options: dict[str, Any]) -> Any:
    """The model with options that are not None; some have no nominal features."""
    known = model.get_params(deep=False)
    return model.set_params(
        **{name: value for name, value in options.items() if value is not None and name in known}
    )


def _numbers(values: Any) -> Floats:
    """Numbers, or NaN in the place of them all: the caller says what they should be."""
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        return np.full(len(values), np.nan)


def _proba(model: Any, X: Any) -> Floats:
    """Probabilities of rows of a table, or of one dict, by the sorted labels."""
    if isinstance(X, Mapping):
        return np.array([list(model.predict_proba_one(X).values())])
    return np.asarray(model.predict_proba(X))

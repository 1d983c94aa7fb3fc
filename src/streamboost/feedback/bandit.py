"""Boosting where only the label that was played is judged: right, or wrong."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.exceptions import NotFittedError

from streamboost import _core
from streamboost.base.files.archive import ModelFileError
from streamboost.base.files.writing import write_model
from streamboost.base.inputs.coded import CodedLabels
from streamboost.base.inputs.weights import read_weight
from streamboost.base.parameter import Declared, anything, number, one_of, parameter
from streamboost.base.random import draw_seed
from streamboost.ensemble import OSBoostClassifier
from streamboost.ensemble.bandit import BanditEnsemble, Judged
from streamboost.ensemble.options import LEARNER, RANDOM_STATE, SIZE
from streamboost.feedback.composite import composite_bytes

if TYPE_CHECKING:
    from typing_extensions import Self

Floats = NDArray[np.float64]
NAME = "bandit"
PURPOSE = 15  # of draws: exploration
BASES = ("mbbm", "olm", "osboost")


class BanditBoostingClassifier(Declared, ClassifierMixin, BaseEstimator):
    r"""Online boosting from bandit feedback: show a label, hear whether it was right, and never the truth otherwise.

    :meth:`act_one` chooses a label: mostly the best one, now and then another, so that something can be learned about it; it also
    says with which probability. :meth:`learn_bandit_one` takes the reward for it: 1 if it was right, else 0.

    When to use it: recommendations, routing, tests on users: whatever is not shown is not judged. If the true labels come,
    any other classifier learns faster.

    Notes
    -----
    ``"mbbm"`` and ``"olm"`` (Zhang, Jung and Tewari): the best label has the probability :math:`1 - \rho`, each other one
    :math:`\rho / (k - 1)`. From the reward follows an unbiased estimate of the truth, and with it that of the costs which
    :class:`OnlineMBBMClassifier` or :class:`AdaBoostOLMClassifier` would have; every learner is taught the cheapest label.

    ``"osboost"`` (Chen, Lin and Lu): an :class:`OSBoostClassifier` for each label, with learned votes; a label has the
    probability
    :math:`\rho / k`, the best one :math:`1 - \rho` more. Only the one that was played learns, right or wrong, with the
    weight 1 over its probability. Features are read as its learners want them; nominal ones need learners that take them.

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
        LEARNER.saying(
            "The weak learner: one of streamboost's own classifiers. None: ``HoeffdingTree()``, of osboost ``NaiveBayes()``."
        ),
        parameter(
            "labels",
            anything("sequence of labels"),
            "All labels that may be shown; at least two.",
            to_core=False,
        ),
        parameter("base", one_of(*BASES), "The booster: see the notes.", to_core=False),
        SIZE.saying("Number of learners; of osboost, for each label."),
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
        RANDOM_STATE,
    )
    _attributes = (
        ("classes_", "array", "The labels, sorted."),
        ("n_acts_", "int", "Labels that were shown."),
    )
    _models: list[Any] | None = None
    _seed = 0
    _n_acts = 0
    _metadata: Mapping[str, Any] = {}

    def __init__(
        self,
        estimator: Any = None,
        *,
        labels: Any = None,
        base: str = "mbbm",
        n_estimators: int = 20,
        exploration: float = 0.1,
        edge: float = 0.1,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.labels = labels
        self.base = base
        self.n_estimators = n_estimators
        self.exploration = exploration
        self.edge = edge
        self.random_state = random_state

    # Acting: the draws are keyed by the number of the act.

    def act_one(self, x: Mapping[Any, Any]) -> tuple[Any, float]:
        """Return the label to show for a row, a dict, and the probability that it was given."""
        best = int(np.argmax(self._scores_one(x)))
        return self._played(best)

    def act(self, X: Any) -> tuple[NDArray[Any], Floats]:
        """Return the labels to show for rows, and their probabilities."""
        acts = [self._played(int(best)) for best in self._scores(X).argmax(axis=1)]
        return np.array([label for label, _ in acts]), np.array([p for _, p in acts])

    def _played(self, best: int) -> tuple[Any, float]:
        self._begin()
        k, rho = len(self._labels), float(self.exploration)
        other = rho / k if self.base == "osboost" else rho / (k - 1)
        mine = 1 - rho + other if self.base == "osboost" else 1 - rho
        drawn = _core.uniform(self._seed, self._n_acts, 0, PURPOSE)
        self._n_acts += 1
        if drawn < mine:
            return self._labels[best], mine
        skip = min(int((drawn - mine) / other), k - 2)
        return self._labels[skip + (skip >= best)], other

    # Learning.

    def learn_bandit_one(
        self, x: Mapping[Any, Any], label: Any, reward: float, probability: float, sample_weight: float = 1.0
    ) -> None:
        """Learn what came of a label that was shown: the reward is 1 (or True) if it was right, else 0."""
        facts = self._facts([label], [reward], [probability], self._scores_one(x)[None])
        weight = read_weight([sample_weight], 1)
        if self.base == "osboost":
            self._teach_one(x, facts[0], 1.0 if weight is None else float(weight[0]))
        else:
            self._one.learn_judged(x, Judged(self._labels, facts), weight)

    def learn_bandit(
        self,
        X: Any,
        labels: ArrayLike,
        rewards: ArrayLike,
        probabilities: ArrayLike,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Learn what came of labels that were shown; rows in their order."""
        X = X if hasattr(X, "shape") else np.asarray(X)
        n = int(X.shape[0])
        weight = read_weight(sample_weight, n)
        facts = self._facts(labels, rewards, probabilities, np.zeros((n, len(self._begin_labels()))))
        for t in range(n):  # what is thought best depends on the rows before
            row = X[t : t + 1]
            facts[t, 3] = float(np.argmax(self._scores(row)[0]))
            amount = None if weight is None else weight[t : t + 1]
            if self.base == "osboost":
                self._teach(row, facts[t], 1.0 if amount is None else float(amount[0]))
            else:
                self._one.learn_judged(row, Judged(self._labels, facts[t : t + 1]), amount)
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

        Answers are the labels that were shown, explorations included; with "both" a pair: labels, probabilities of the classes.
        """
        X = X if hasattr(X, "shape") else np.asarray(X)
        truth = y.tolist() if isinstance(y, CodedLabels) else np.asarray(y).tolist()
        n = int(X.shape[0])
        weight = np.ones(n) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        shown, proba = [], np.zeros((n, len(self._begin_labels())))
        for t in range(n):
            row = X[t : t + 1]
            proba[t] = self._scores(row)[0]
            if weight[t] == 0:
                shown.append(self._labels[int(proba[t].argmax())])
                continue
            label, p = self._played(int(proba[t].argmax()))
            shown.append(label)
            self.learn_bandit(row, [label], [label == truth[t]], [p], [weight[t]])
        return np.array(shown) if output == "label" else (np.array(shown), proba)

    # Answering.

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the best label of each row, without exploring; changes nothing."""
        return np.asarray(np.array(self._begin_labels())[self._scores(X).argmax(axis=1)])

    def predict_proba(self, X: Any) -> Floats:
        """Return the share of the vote that each class in ``classes_`` has."""
        return self._scores(X)

    def predict_one(self, x: Mapping[Any, Any]) -> Any:
        """Return the best label of one dict, without exploring; changes nothing."""
        return self._begin_labels()[int(np.argmax(self._scores_one(x)))]

    @property
    def classes_(self) -> NDArray[Any]:
        """The labels, sorted."""
        return np.array(self._begin_labels())

    @property
    def n_acts_(self) -> int:
        """Labels that were shown."""
        return self._n_acts

    def memory_bytes(self) -> int:
        """Return the size of the model in bytes."""
        return sum(model.memory_bytes() for model in self._models or ())

    # Files.

    def save(
        self, path: str | os.PathLike[str] | BinaryIO, *, metadata: Mapping[str, Any] | None = None
    ) -> None:
        """Write the model to a file; read it back with :func:`streamboost.load`."""
        write_model(path, self.to_bytes(metadata=metadata))

    def to_bytes(self, *, metadata: Mapping[str, Any] | None = None) -> bytes:
        """Return what `save` writes."""
        if self._models is None or not any(model.started for model in self._models):
            raise NotFittedError(
                f"This {type(self).__name__} has learned nothing yet: there is nothing to save."
            )
        started = [model.started for model in self._models]
        names = ("base", "n_estimators", "exploration", "edge")
        params = {**{name: getattr(self, name) for name in names}, "labels": self._labels}
        state = {"seed": self._seed, "acts": self._n_acts, "started": started}
        parts = [model for model in self._models if model.started]
        return composite_bytes(NAME, parts, params, state, self._metadata if metadata is None else metadata)

    @property
    def metadata_(self) -> dict[str, Any]:
        """The user's own facts that the model was loaded with."""
        return dict(self._metadata)

    @classmethod
    def _from_parts(cls, parts: Sequence[Any], params: dict[str, Any], state: dict[str, Any]) -> Any:
        seed, acts, started = (state.get(name) for name in ("seed", "acts", "started"))
        if type(seed) is not int or not 0 <= seed < 2**64 or type(acts) is not int or not 0 <= acts < 2**62:
            raise ModelFileError("the draws of a bandit are damaged")
        if not isinstance(started, list) or sum(map(bool, started)) != len(parts) or not parts:
            raise ModelFileError("the models of a bandit are not those of its labels")
        made = cls(parts[0].estimator, **params, random_state=seed)
        made._begin()
        assert made._models is not None
        if len(started) != len(made._models) or any(
            type(part) is not type(made._models[0]) for part in parts
        ):
            raise ModelFileError("the models of a bandit are not those of its base")
        rest = iter(parts)
        made._models = [
            next(rest) if is_there else model for is_there, model in zip(started, made._models, strict=True)
        ]
        made._seed, made._n_acts = seed, acts
        return made

    # Inside.

    def _begin(self) -> None:
        if self._models is not None:
            return
        self._validate_params()
        labels = sorted(dict.fromkeys(np.asarray(self.labels).tolist())) if self.labels is not None else []
        if len(labels) < 2:
            raise ValueError(
                f"labels={self.labels!r} is not allowed: give at least two labels that may be shown."
            )
        self._labels = labels
        self._seed = draw_seed(self.random_state)
        key = self._seed % 2**32
        if self.base == "osboost":
            each = OSBoostClassifier(
                self.estimator, n_estimators=self.n_estimators, gamma=self.edge, vote="ocp", random_state=key
            )
            self._models = [clone(each) for _ in labels]
        else:
            self._models = [
                BanditEnsemble(
                    self.estimator,
                    n_estimators=self.n_estimators,
                    base=self.base,
                    edge=self.edge,
                    exploration=self.exploration,
                    random_state=key,
                )
            ]

    def _begin_labels(self) -> list[Any]:
        self._begin()
        return self._labels

    @property
    def _one(self) -> Any:
        self._begin()
        assert self._models is not None
        return self._models[0]

    def _scores(self, X: Any) -> Floats:
        """What is thought of the labels, in the order of ``classes_``; ties go to the first."""
        X = X if hasattr(X, "shape") else np.asarray(X)
        k, n = len(self._begin_labels()), int(X.shape[0])
        assert self._models is not None
        if self.base != "osboost":
            return np.asarray(self._one.predict_proba(X)) if self._one.started else np.full((n, k), 1 / k)
        found = np.zeros((n, k))
        for at, model in enumerate(self._models):
            found[:, at] = model.predict_proba(X)[:, -1] if model.started else 0.5
        return np.asarray(found / np.maximum(found.sum(axis=1, keepdims=True), 1e-300))

    def _scores_one(self, x: Mapping[Any, Any]) -> Floats:
        k = len(self._begin_labels())
        assert self._models is not None
        if self.base != "osboost":
            found = self._one.predict_proba_one(x) if self._one.started else {}
            return np.array([found.get(label, 0.0) for label in self._labels]) if found else np.full(k, 1 / k)
        each = [model.predict_proba_one(x).get(True, 0.0) if model.started else 0.5 for model in self._models]
        return np.array(each) / max(sum(each), 1e-300)

    def _facts(self, labels: Any, rewards: Any, probabilities: Any, scores: Floats) -> Floats:
        """Label, reward, probability and the label thought best of every row, or say what is wrong with them."""
        place = {label: at for at, label in enumerate(self._begin_labels())}
        shown = np.asarray(labels).tolist()
        facts = np.zeros((len(scores), 4))
        if not len(shown) == len(np.asarray(rewards)) == len(np.asarray(probabilities)) == len(scores):
            raise ValueError("labels, rewards and probabilities must be as many as the rows.")
        for row, label in enumerate(shown):
            if label not in place:
                raise ValueError(f"label={label!r} is none of the labels: {self._labels}.")
            facts[row, 0] = place[label]
        facts[:, 1] = np.asarray(rewards, dtype=np.float64)
        facts[:, 2] = np.asarray(probabilities, dtype=np.float64)
        facts[:, 3] = scores.argmax(axis=1)
        if not np.isin(facts[:, 1], (0.0, 1.0)).all():
            raise ValueError("reward must be 1 (right) or 0 (wrong).")
        if not ((facts[:, 2] > 0) & (facts[:, 2] <= 1)).all():
            raise ValueError(
                "probability must be above 0 and at most 1: what act_one has returned with the label."
            )
        return facts

    def _teach(self, X: Any, facts: Floats, weight: float) -> None:
        assert self._models is not None
        model = self._models[int(facts[0])]
        first = {} if model.started else {"classes": [False, True]}
        model.partial_fit(X, [facts[1] == 1], sample_weight=[weight / facts[2]], **first)

    def _teach_one(self, x: Mapping[Any, Any], facts: Floats, weight: float) -> None:
        assert self._models is not None
        model = self._models[int(facts[0])]
        first = {} if model.started else {"classes": [False, True]}
        model.learn_one(x, bool(facts[1] == 1), sample_weight=weight / facts[2], **first)

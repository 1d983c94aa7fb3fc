"""Several models, ours or others', and one answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import NotFittedError

from streamboost.adapters.any_model import as_model, fresh_copy
from streamboost.adapters.labels import LabelCodes
from streamboost.adapters.records import n_rows_of
from streamboost.base.pieces import InterruptsWait
from streamboost.stacking.pools import POOLS, Bayes, Floats, Hedge, LogPool


class StackedClassifier(ClassifierMixin, BaseEstimator):
    r"""One answer from several models of any make, weighed by how well each has done lately.

    Every model answers a row before it learns it; the weights learn from the same label. Nothing flows back to the models: each
    is what it would be alone.

    When to use it: models of different kinds, each of them right sometimes. For forests, linear learners and naive Bayes
    :class:`~streamboost.StreamBoostClassifier` has it built in, and is much faster.

    Parameters
    ----------
    estimators : list of models, or of pairs (name, model)
        Models of this library, scikit-learn classifiers with ``partial_fit`` (they need ``classes`` at the first call) or models
        of River. They are copied. The first one begins with twice the weight of each other one.
    combine : {"log-pool", "hedge", "bayes"}
        A logarithmic opinion pool, whose weights need not sum to 1; means weighted by the exponential of what each gave to wrong
        classes; or by how likely each alone made the labels.
    window : float
        Examples that count as lately.
    referee : bool
        Whether a model speaks alone while it has been right more often than any other and than all together.

    Examples
    --------
    >>> from sklearn.linear_model import SGDClassifier
    >>> from streamboost import HoeffdingTree, OnlineBaggingClassifier, StackedClassifier
    >>> trees = OnlineBaggingClassifier(HoeffdingTree(), random_state=7)
    >>> model = StackedClassifier([trees, ("linear", SGDClassifier(loss="log_loss", random_state=7))])
    >>> X, y = [[0.1], [0.9], [0.2], [0.8]] * 20, ["low", "high", "low", "high"] * 20
    >>> model.partial_fit(X, y, classes=["low", "high"]).predict([[0.0], [1.0]]).tolist()
    ['low', 'high']
    """

    needs_classes = False
    _codes: LabelCodes
    _known: int
    _names: list[str]
    _models: list[Any]
    _pool: LogPool | Hedge | Bayes
    _right: Floats  # faded right answers of each model, and of all together
    _broken: str

    def __init__(
        self,
        estimators: Sequence[Any],
        *,
        combine: str = "log-pool",
        window: float = 1000.0,
        referee: bool = True,
    ) -> None:
        self.estimators = estimators
        self.combine = combine
        self.window = window
        self.referee = referee

    # ---- learning

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> StackedClassifier:
        """Begin again, with these rows and their labels."""
        self.__dict__.pop("_models", None)
        return self.partial_fit(X, y, classes=np.unique(np.asarray(y)), sample_weight=sample_weight)

    def partial_fit(
        self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None
    ) -> StackedClassifier:
        """Learn rows, all models the same."""
        self.test_then_train(X, y, classes=classes, sample_weight=sample_weight)
        return self

    def learn_one(self, x: Mapping[Any, Any], y: Any, sample_weight: float = 1.0) -> None:
        """Learn one row, a dict."""
        self.test_then_train([x], np.array([y]), sample_weight=np.array([sample_weight]))

    def test_then_train(
        self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None, output: str = "label"
    ) -> Any:
        """Answer each row, then learn it; rows of weight 0 are only answered."""
        if output not in ("label", "proba", "both"):
            raise ValueError(f'output={output!r} is not allowed: choose from "label", "proba", "both".')
        X = X if hasattr(X, "shape") or _records(X) else np.asarray(X)
        y, n = np.asarray(y), n_rows_of(X)
        weight = np.ones(n) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        if y.shape != (n,) or weight.shape != (n,):
            raise ValueError(
                f"{n} rows need {n} labels and weights, got shapes {y.shape} and {weight.shape}."
            )
        if not (np.isfinite(weight).all() and (weight >= 0).all()):
            raise ValueError("sample_weight must be finite and not negative.")
        self._begin(_records(X))
        if classes is not None:
            self._codes.encode(np.asarray(classes))
            self._known = len(self._codes)
        learned = weight > 0
        codes = np.full(n, -1)
        codes[learned] = self._codes.encode(y[learned])
        P = np.full((n, len(self._codes)), np.nan)
        with InterruptsWait(True):
            said = self._ask_all(X, y, weight, classes)
            for t in range(n):
                spoken = self._row(said[:, t], int(codes[t]), float(weight[t]))
                P[t, : spoken.size] = spoken
        return self._combined(P, output)

    # ---- answering

    def predict_proba(self, X: Any) -> Floats:
        """Probabilities, one column for each of ``classes_``; nothing is learned."""
        X = X if hasattr(X, "shape") or _records(X) else np.asarray(X)
        if not len(getattr(self, "_codes", ())):
            raise NotFittedError(f"This {type(self).__name__} has not seen any label yet.")
        n = n_rows_of(X)
        said = self._ask_all(X, np.full(n, self._codes.labels[0]), np.zeros(n), None)
        P = np.zeros((n, len(self._codes)))
        for t in range(n):
            P[t, : self._known] = self._row(said[:, t], -1, 0.0)
        found: Floats = self._combined(P, "proba")
        return found

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The likeliest label of each row."""
        return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])

    def predict_proba_one(self, x: Mapping[Any, Any]) -> dict[Any, float]:
        """Probabilities of one row, a dict."""
        if not len(getattr(self, "_codes", ())):
            return {}
        return dict(zip(self.classes_.tolist(), self.predict_proba([x])[0].tolist(), strict=True))

    def predict_one(self, x: Mapping[Any, Any]) -> Any:
        """The likeliest label of one row, a dict; None before any was learned."""
        found = self.predict_proba_one(x)
        return max(found, key=lambda label: found[label]) if found else None

    @property
    def classes_(self) -> npt.NDArray[Any]:
        """The labels, sorted where they can be."""
        if not hasattr(self, "_codes"):
            raise AttributeError(f"This {type(self).__name__} has not seen any label yet.")
        return np.array(self._codes.labels)[self._order()]

    @property
    def weights_(self) -> dict[str, float]:
        """What each model weighs now."""
        return dict(zip(self._names, self._pool.weights.tolist(), strict=True))

    # ---- inside

    def _begin(self, records: bool) -> None:
        if getattr(self, "_broken", None) and hasattr(self, "_models"):
            raise RuntimeError(f"{self._broken} The models are no longer in step: call fit to begin again.")
        if hasattr(self, "_models"):
            return
        pairs = [
            e if isinstance(e, tuple) else (f"{type(e).__name__}-{at}", e)
            for at, e in enumerate(self.estimators)
        ]
        if not pairs:
            raise ValueError("estimators is empty: pass at least one model.")
        names = [name for name, _ in pairs]
        if len(set(names)) < len(names):
            raise ValueError(f"estimators: two models have the same name, {sorted(names)}.")
        if self.combine not in POOLS:
            raise ValueError(f"combine={self.combine!r} is not allowed: choose from {list(POOLS)}.")
        if not self.window > 1:
            raise ValueError(f"window={self.window!r} is not allowed: it must be above 1.")
        models = [as_model(fresh_copy(model), records=records) for _, model in pairs]
        self._names, self._broken = names, ""
        self._codes, self._known = LabelCodes(), 0
        self._pool = POOLS[self.combine](len(models), self.window)
        self._right = np.zeros(len(models) + 1)
        self._models = models

    def _ask_all(self, X: Any, y: Any, weight: Floats, classes: Any) -> Floats:
        """What every model says before it learns: [model, row, class], in the order of the codes."""
        said = np.zeros((len(self._models), len(y), len(self._codes)))
        declared = {} if classes is None else {"classes": classes}
        code = {label: at for at, label in enumerate(self._codes.labels)}
        for m, model in enumerate(self._models):
            try:
                _, proba = model.test_then_train(X, y, sample_weight=weight, output="both", **declared)
            except BaseException as error:
                if weight.any() and (m > 0 or getattr(error, "n_rows_learned", 0) > 0):
                    self._broken = f"{self._names[m]} failed: {error}."
                raise
            known = getattr(model, "classes_", ())  # none yet: rows were asked about before any label came
            for column, label in enumerate(np.asarray(known).tolist()):
                if label in code:
                    said[m, :, code[label]] = np.nan_to_num(proba[:, column])
        return said

    def _row(self, p: Floats, label: int, weight: float) -> Floats:
        """The answer to one row over the labels known before it; then its label is learned, if there is one."""
        known = self._known
        after = max(known, label + 1)
        p = p[:, :known]
        total = p.sum(axis=1, keepdims=True)
        p = np.where(total > 0, p / np.where(total > 0, total, 1), 1 / max(known, 1))
        together = self._pool.answer(p) if known > 1 else np.ones(known)
        best = int(self._right[:-1].argmax())
        alone = self.referee and self._right[best] > self._right[-1]
        spoken = p[best] if alone else together
        if weight > 0:
            if after > 1:
                wider = np.hstack((p, np.zeros((len(p), after - known))))
                self._pool.learn(wider, label, weight)
                right = [known > 1 and int(q.argmax()) == label for q in (*p, together)]
                self._right = (1 - 1 / self.window) * self._right + np.array(right, dtype=np.float64)
            self._known = after
        return spoken

    def _order(self) -> list[int]:
        labels = self._codes.labels
        try:
            return sorted(range(len(labels)), key=lambda at: labels[at])
        except TypeError:
            return list(range(len(labels)))

    def _combined(self, P: Floats, output: str) -> Any:
        answered: npt.NDArray[np.bool_] = np.zeros(len(P), dtype=np.bool_)
        if P.shape[1]:
            answered |= ~np.isnan(P).all(axis=1)
        filled = np.where(answered[:, None], np.nan_to_num(P), P)
        names = np.empty(len(self._codes) + 1, dtype=object)
        names[:-1] = self._codes.labels
        best = np.full(len(P), -1)
        if answered.any():
            best[answered] = filled[answered].argmax(axis=1)
        proba = filled[:, self._order()]
        return {"label": names[best], "proba": proba, "both": (names[best], proba)}[output]


def _records(X: Any) -> bool:
    return isinstance(X, list) and bool(X) and isinstance(X[0], Mapping)

"""Our ensembles as River classifiers, classifiers of label sets, regressors, active learners and policies of bandits.

The other direction, River's models as weak learners of our ensembles, needs nothing from here: pass one as ``estimator``.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone as fresh

from streamboost.base.classifier import StreamClassifier
from streamboost.base.errors import ClassesNeeded, TooManyClasses
from streamboost.base.inputs.dates import taken_apart
from streamboost.base.inputs.frames import is_dated
from streamboost.base.regressor import StreamRegressor
from streamboost.feedback import ActiveClassifier, BanditBoostingClassifier

try:
    from river import active, bandit, base
except ImportError as error:
    raise ImportError(
        'streamboost.compat.river needs River: install it with pip install "streamboost[river]".'
    ) from error

if TYPE_CHECKING:
    from typing_extensions import Self


class _Driver(base.Base):
    """Base class of the adapters: a model and its copies."""

    model: Any

    @property
    def _raw_memory_usage(self) -> int:
        python: int = super()._raw_memory_usage
        return python + int(self.model.memory_bytes())

    def clone(self, new_params: dict[str, Any] | None = None, include_attributes: bool = False) -> Self:
        """Return an adapter with the same parameters that has learned nothing (or all, with `include_attributes`)."""
        params = {**self._get_params(), **(new_params or {})}
        duplicate = copy.deepcopy if include_attributes else fresh
        return type(self)(**{**params, "model": duplicate(params["model"])})


class _FrameDriver(_Driver):
    """An adapter that also takes the rows of frames."""

    def learn_many(self, X: Any, y: Any) -> None:
        """Learn the rows of a frame in their order: one native call, once its columns are all known."""
        frame = nw.from_native(X, eager_only=True)
        labels = np.asarray(y)
        done = 0
        while done < len(frame) and not self._covers(frame):
            self.learn_one(_row(frame, done), labels[done])
            done += 1
        if done < len(frame):
            try:
                self.model.partial_fit(self._aligned(frame[done:]), labels[done:])
            except ValueError as error:
                raise _in_rivers_words(error) from error

    def _covers(self, frame: Any) -> bool:
        """Whether the model knows all columns of a frame, by names that frames can have."""
        columns = getattr(self.model, "columns_", None)
        if columns is None or columns.names is None:
            return False
        known = set(columns.names)
        return all(isinstance(name, str) for name in known) and known.issuperset(frame.columns)

    def _aligned(self, frame: Any) -> Any:
        """Return the model's columns: those that the frame lacks are missing, those that the model lacks are left out."""
        names = self.model.columns_.names
        if names is None:
            return frame.to_native()
        dates = {name for name in frame.columns if is_dated(frame[name])}
        wanted = [name for name in names if taken_apart(name)[0] not in dates]
        absent = [nw.lit(None, dtype=nw.Float64).alias(name) for name in wanted if name not in frame.columns]
        return frame.with_columns(*absent).select(*wanted, *sorted(dates)).to_native()

    def _named_in_order(self, x: dict[Any, Any]) -> dict[Any, Any]:
        """Columns are numbered as they come, and a dict has no order: let that of its keys mean nothing."""
        return x if self.model.has_columns(x) else _sorted(x)


def _sorted(x: dict[Any, Any]) -> dict[Any, Any]:
    return dict(sorted(x.items(), key=lambda item: (type(item[0]).__name__, item[0])))


def _seeded(model: Any, seed: int | None) -> Any:
    """The model with River's seed, if there is one."""
    if seed is None or model.random_state == seed:
        return model
    if model.started:
        raise ValueError(f"seed={seed} comes too late: this {type(model).__name__} has learned already.")
    return fresh(model).set_params(random_state=seed)


class RiverClassifier(_FrameDriver, base.MiniBatchClassifier):
    """A River classifier that drives one of our ensembles.

    Features may come and go, labels and nominal values are discovered, absent and NaN values are missing, and
    `learn_many` learns exactly what `learn_one` would, row by row.

    Parameters
    ----------
    model : estimator
        An ensemble of streamboost. It is the wrapper's own from now on, with what it has learned; `clone` starts from
        a fresh one with the same parameters.
    seed : int, optional
        River's name for ``random_state``; None leaves the one of the model.
    classes : sequence, optional
        All labels that may appear, for algorithms that must know them before the first row.

    Examples
    --------
    >>> from river import datasets, evaluate, metrics, preprocessing
    >>> from streamboost import OSBoostClassifier
    >>> from streamboost.compat.river import RiverClassifier
    >>> model = preprocessing.StandardScaler() | RiverClassifier(OSBoostClassifier(), seed=7)
    >>> accuracy = evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    >>> accuracy.get() > 0.8
    True
    """

    def __init__(self, model: Any, seed: int | None = None, classes: ArrayLike | None = None) -> None:
        if not isinstance(model, StreamClassifier):
            raise TypeError(
                f"model={model!r} is no ensemble of streamboost; pass one, such as OSBoostClassifier()."
            )
        self.model = _seeded(model, seed)
        self.seed = seed
        self.classes = classes

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        from streamboost.ensemble import OnlineBaggingClassifier, OSBoostClassifier

        yield {"model": OnlineBaggingClassifier(n_estimators=5)}
        yield {"model": OSBoostClassifier(n_estimators=5)}

    @property
    def _multiclass(self) -> bool:
        if self.classes is not None:
            return len(np.unique(self.classes)) > 2
        # Without classes= a learner that must know them all beforehand is binary, whatever the algorithm could do.
        discovers = self.model._learner_plan(0).discovers
        return discovers is None and self.model._booster_plan().max_classes is None

    # One row.

    def learn_one(self, x: dict[Any, Any], y: Any, w: float = 1.0) -> None:
        """Learn one row, with a weight if wanted."""
        classes = None if self.model.started else self.classes
        try:
            self.model.learn_one(self._named_in_order(x), y, sample_weight=w, classes=classes)
        except ValueError as error:
            raise _in_rivers_words(error) from error

    def test_then_train_one(self, x: dict[Any, Any], y: Any, w: float = 1.0) -> tuple[Any, dict[Any, float]]:
        """Return the most likely label and the probabilities of one row, then learn it; the row is scored once."""
        if not self.model.started:  # River's answers before the first row are its own
            before = self.predict_one(x), self.predict_proba_one(x)
            self.learn_one(x, y, w)
            return before
        try:
            label, proba = self.model.test_then_train_one(self._named_in_order(x), y, sample_weight=w)
        except ValueError as error:
            raise _in_rivers_words(error) from error
        return label, self._with_both(proba)

    def predict_proba_one(self, x: dict[Any, Any], **kwargs: Any) -> dict[Any, float]:
        """Return the probability of each known label.

        In River the labels of a binary classifier are False and True from the start; so they are here, as long as
        nothing else was learned.
        """
        return self._with_both(self.model.predict_proba_one(x))

    def _with_both(self, proba: dict[Any, float]) -> dict[Any, float]:
        if not self._multiclass and len(proba) < 2 and proba.keys() <= {False, True}:
            rest = 0.0 if proba else 0.5
            return {label: proba.get(label, rest) for label in (False, True)}
        return proba

    def predict_one(self, x: dict[Any, Any], **kwargs: Any) -> Any:
        """Return the most likely label, or None while none is known."""
        return self.model.predict_one(x)

    def predict_proba_many(self, X: Any) -> Any:
        """Return a frame with one column of probabilities for each known label."""
        frame = nw.from_native(X, eager_only=True)
        if not self.model.__sklearn_is_fitted__():
            return _frame(np.empty((len(frame), 0)), [], X)
        return _frame(self.model.predict_proba(self._aligned(frame)), self.model.classes_.tolist(), X)

    def predict_many(self, X: Any) -> Any:
        """Return a series of the most likely labels."""
        frame = nw.from_native(X, eager_only=True)
        if not self.model.__sklearn_is_fitted__():
            return _series(np.full(len(frame), None, dtype=object), X)
        return _series(self.model.predict(self._aligned(frame)), X)


class RiverRegressor(_FrameDriver, base.MiniBatchRegressor):
    """A River regressor that drives one of our regressors.

    Features may come and go, nominal values are discovered, absent and NaN values are missing, and `learn_many` learns
    exactly what `learn_one` would, row by row.

    Parameters
    ----------
    model : estimator
        A regressor of streamboost. It is the wrapper's own from now on, with what it has learned; `clone` starts from a
        fresh one with the same parameters.
    seed : int, optional
        River's name for ``random_state``; None leaves the one of the model.

    Examples
    --------
    >>> from river import datasets, evaluate, metrics
    >>> from streamboost import StreamBoostRegressor
    >>> from streamboost.compat.river import RiverRegressor
    >>> model = RiverRegressor(StreamBoostRegressor(n_estimators=5), seed=7)
    >>> error = evaluate.progressive_val_score(datasets.TrumpApproval(), model, metrics.MAE())
    >>> error.get() < 1
    True
    """

    def __init__(self, model: Any, seed: int | None = None) -> None:
        if not isinstance(model, StreamRegressor):
            raise TypeError(
                f"model={model!r} is no regressor of streamboost; pass one, such as StreamBoostRegressor()."
            )
        self.model = _seeded(model, seed)
        self.seed = seed

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        from streamboost.ensemble import OnlineBaggingRegressor, StreamBoostRegressor

        yield {"model": OnlineBaggingRegressor(n_estimators=5)}
        yield {"model": StreamBoostRegressor(n_estimators=5)}

    def learn_one(self, x: dict[Any, Any], y: Any, w: float = 1.0) -> None:
        """Learn one row, with a weight if wanted."""
        try:
            self.model.learn_one(self._named_in_order(x), y, sample_weight=w)
        except ValueError as error:
            raise _in_rivers_words(error) from error

    def test_then_train_one(self, x: dict[Any, Any], y: Any, w: float = 1.0) -> float:
        """Return the predicted number of one row, then learn it; the row is scored once."""
        try:
            number: float = self.model.test_then_train_one(self._named_in_order(x), y, sample_weight=w)
        except ValueError as error:
            raise _in_rivers_words(error) from error
        return number

    def predict_one(self, x: dict[Any, Any]) -> float:
        """Return the predicted number; 0.0 before the first target."""
        number: float = self.model.predict_one(x)
        return number

    def predict_many(self, X: Any) -> Any:
        """Return a series of predicted numbers."""
        frame = nw.from_native(X, eager_only=True)
        if not self.model.__sklearn_is_fitted__():
            return _series(np.zeros(len(frame)), X)
        return _series(self.model.predict(self._aligned(frame)), X)


class RiverMultiLabelClassifier(_Driver, base.MultiLabelClassifier):
    """A River classifier of label sets that drives one of ours.

    Parameters
    ----------
    model : estimator
        ``OnlineBMRClassifier()``, ``AdaOLMRClassifier()``, ``BinaryRelevanceClassifier()`` or ``ClassifierChain()``. It is the
        wrapper's own from now on, with what it has learned; `clone` starts from a fresh one with the same parameters.

    Examples
    --------
    >>> from streamboost import OnlineBMRClassifier
    >>> from streamboost.compat.river import RiverMultiLabelClassifier
    >>> model = RiverMultiLabelClassifier(OnlineBMRClassifier(random_state=7))
    >>> for t in range(400):
    ...     x = t * 0.618 % 1
    ...     model.learn_one({"x": x}, {"low": x < 0.6, "high": x > 0.4})
    >>> model.predict_one({"x": 0.1})
    {'low': True, 'high': False}
    """

    def __init__(self, model: Any) -> None:
        if getattr(getattr(model, "_entry", model), "task", None) != "multilabel":
            raise TypeError(
                f"model={model!r} is no classifier of label sets; pass one, such as OnlineBMRClassifier()."
            )
        self.model = model

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        from streamboost import BinaryRelevanceClassifier, OnlineBaggingClassifier, OnlineBMRClassifier

        yield {"model": OnlineBMRClassifier(n_estimators=5)}
        yield {"model": BinaryRelevanceClassifier(OnlineBaggingClassifier(n_estimators=2))}

    def learn_one(self, x: dict[Any, Any], y: dict[Any, bool], w: float = 1.0) -> None:
        """Learn one row; `y` says of each label whether the row has it. New labels are welcome."""
        try:
            self.model.learn_one(_sorted(x), y, sample_weight=w)
        except ValueError as error:
            raise _in_rivers_words(error) from error

    def predict_proba_one(self, x: dict[Any, Any], **kwargs: Any) -> dict[Any, dict[bool, float]]:
        """Return the probabilities of False and True for each known label."""
        found = self.model.predict_proba_one(x)
        return {label: {False: 1.0 - p, True: p} for label, p in found.items()}

    def predict_one(self, x: dict[Any, Any], **kwargs: Any) -> dict[Any, bool]:
        """Return for each known label whether the row is likelier to have it than not."""
        found: dict[Any, bool] = self.model.predict_one(x)
        return found


class RiverActiveClassifier(_Driver, active.base.ActiveLearningClassifier):
    """A River active learner that drives one of ours: answers come with whether the label is wanted.

    River has no word for a row that is let go. So a row whose label is not wanted is let go as it is answered, and every row is
    to be asked about once; :meth:`streamboost.ActiveClassifier.predict_one` answers without such a trace.

    Parameters
    ----------
    model : ActiveClassifier
        With its budget and strategy. It is the wrapper's own from now on; `clone` starts from a fresh one.

    Examples
    --------
    >>> from river import datasets, evaluate, metrics
    >>> from streamboost import ActiveClassifier, OnlineBaggingClassifier
    >>> from streamboost.compat.river import RiverActiveClassifier
    >>> inside = ActiveClassifier(OnlineBaggingClassifier(random_state=7), budget=0.2, random_state=7)
    >>> model = RiverActiveClassifier(inside)
    >>> _ = evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    >>> inside.n_rows_, inside.n_asked_ < 300
    (1250, True)
    """

    def __init__(self, model: ActiveClassifier) -> None:
        if not isinstance(model, ActiveClassifier):
            raise TypeError(f"model={model!r} is no active learner; pass an ActiveClassifier.")
        self.model = model

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        from streamboost import OnlineBaggingClassifier

        yield {"model": ActiveClassifier(OnlineBaggingClassifier(n_estimators=2), budget=0.5)}

    @property
    def _wrapped_model(self) -> Any:
        return self.model

    @property
    def _supervised(self) -> bool:
        return True

    @property
    def _multiclass(self) -> bool:
        return True

    def _ask_for_label(self, x: dict[Any, Any], y_pred: Any) -> bool:
        wanted: bool = self.model.query_one(x)
        if not wanted:
            self.model.skip_one(x)
        return wanted

    def predict_proba_one(self, x: dict[Any, Any], **kwargs: Any) -> tuple[dict[Any, float], bool]:
        """Return the probability of each known label, and whether the label of this row is wanted."""
        proba = self.model.predict_proba_one(x)
        return proba, self._ask_for_label(x, proba)

    def predict_one(self, x: dict[Any, Any], **kwargs: Any) -> tuple[Any, bool]:
        """Return the most likely label, and whether the label of this row is wanted."""
        answer = self.model.predict_one(x)
        return answer, self._ask_for_label(x, answer)

    def learn_one(self, x: dict[Any, Any], y: Any, w: float = 1.0) -> None:
        """Learn a row whose label was wanted, and found out."""
        try:
            self.model.learn_one(x, y, sample_weight=w)
        except ValueError as error:
            raise _in_rivers_words(error) from error


class RiverPolicy(bandit.base.ContextualPolicy):
    """A contextual policy of River that drives our bandits: arms are labels, and the context is the row.

    A reward is learned with the probability that its arm had when it was pulled last. Rewards that come late, when the arm may
    have been pulled again, are for :meth:`streamboost.BanditBoostingClassifier.learn_bandit_one`, which takes the
    probability.

    Parameters
    ----------
    model : BanditBoostingClassifier
        Its labels are the arms. It is the policy's own from now on; `clone` starts from a fresh one.

    Examples
    --------
    >>> from streamboost import BanditBoostingClassifier, NaiveBayes, OnlineBaggingClassifier
    >>> from streamboost.compat.river import RiverPolicy
    >>> inside = OnlineBaggingClassifier(NaiveBayes(), n_estimators=5)
    >>> policy = RiverPolicy(BanditBoostingClassifier(inside, labels=["low", "high"], random_state=7))
    >>> for t in range(300):
    ...     context = {"x": t * 0.618 % 1}
    ...     arm = policy.pull(["low", "high"], context=context)
    ...     policy.update(arm, context, float(arm == ("high" if context["x"] > 0.5 else "low")))
    >>> policy.model.predict_one({"x": 0.9})
    'high'
    """

    def __init__(self, model: BanditBoostingClassifier) -> None:
        if not isinstance(model, BanditBoostingClassifier):
            raise TypeError(f"model={model!r} is no bandit; pass a BanditBoostingClassifier.")
        super().__init__()
        self.model = model
        self._chance: dict[Any, float] = {}

    clone = _Driver.clone

    def _pull(self, arm_ids: list[Any], context: dict[Any, Any]) -> Any:
        if set(arm_ids) != set(self.model.classes_.tolist()):
            raise ValueError(
                f"arm_ids={arm_ids!r} are not the labels of the model: {self.model.classes_.tolist()}."
            )
        arm, self._chance[arm] = self.model.act_one(context)
        return arm

    def update(self, arm_id: Any, context: dict[Any, Any], *reward_args: Any, **reward_kwargs: Any) -> None:
        """Learn the reward of an arm: 1 if it was right, else 0."""
        if arm_id not in self._chance:
            raise ValueError(f"arm_id={arm_id!r} was never pulled.")
        self.model.learn_bandit_one(context, arm_id, reward_args[0], self._chance[arm_id])
        super().update(arm_id, context, *reward_args, **reward_kwargs)


def _in_rivers_words(error: ValueError) -> ValueError:
    """The same error with the names that are parameters here."""
    text = str(error)
    if isinstance(error, ClassesNeeded):
        text = f"{error.what} pass classes=[...] to RiverClassifier."
    elif isinstance(error, TooManyClasses):
        text = (
            f"{error.what} Use RiverClassifier(StreamBoostClassifier()), or one model per class: "
            f"river.multiclass.OneVsRestClassifier(RiverClassifier({error.who}(...)))."
        )
    told = ValueError(text.replace("sample_weight", "w").replace("random_state", "seed"))
    told.__dict__.update(error.__dict__)  # how many rows were learned
    return told


def _row(frame: Any, number: int) -> dict[Any, Any]:
    return dict(zip(frame.columns, frame.row(number), strict=True))


def _frame(values: NDArray[Any], names: list[Any], like: Any) -> Any:
    native = nw.from_native(like, eager_only=True)
    if native.implementation.is_pandas_like():
        return type(like)(values, columns=names, index=like.index)
    columns = {str(name): values[:, i] for i, name in enumerate(names)}
    return nw.from_dict(columns, backend=native.implementation).to_native()


def _series(values: NDArray[Any], like: Any) -> Any:
    native = nw.from_native(like, eager_only=True)
    if native.implementation.is_pandas_like():
        import pandas as pd

        return pd.Series(values, index=like.index)
    return nw.new_series("label", values, backend=native.implementation).to_native()

"""One small model per key (customer, machine, sensor), in bounded memory.

An interleaved stream gives every key what its own rows alone would give. At most `max_models` models are in memory; the one that
was used least recently is written to the store and comes back, bit for bit, when its key does.
"""

from __future__ import annotations

import json
import math
import os
import shutil
import tempfile
import time
from abc import abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from streamboost.adapters.records import as_records
from streamboost.base.estimator import with_session
from streamboost.base.inputs.unlabeled import is_missing
from streamboost.base.pending import PendingAnswers
from streamboost.base.pieces import InStep
from streamboost.base.random import draw_seed
from streamboost.distributed.closable import Closable
from streamboost.distributed.key_store import Found, KeyStore, StoredModel, prior_of
from streamboost.distributed.model_templates import KeyedModel, ModelTemplates
from streamboost.models import load

if TYPE_CHECKING:
    from typing_extensions import Self

_EIGHT_LOG_2 = 8 * math.log(2)


def key_of(x: Mapping[Any, Any], name: str) -> Any:
    """Return the key of a row."""
    try:
        value = x[name]
    except KeyError:
        raise ValueError(f"the row has no feature {name!r}, which says whose it is.") from None
    if not isinstance(value, str | int):
        value = value.item() if hasattr(value, "item") else value
        if not isinstance(value, str | int):
            raise ValueError(f"{name}={value!r} is not allowed: a key is text, a whole number or a boolean.")
    return value


def _text(key: Any) -> str:
    """Return a key as JSON: to a dict 1 and True would be one."""
    key = key.item() if hasattr(key, "item") else key
    return str(key) if type(key) is int else json.dumps(key)


class OwnModel(KeyedModel):
    """The model of one key, and what it and the global model have lost on the key's rows."""

    __slots__ = ("bytes", "lost_global", "lost_own", "n", "stored", "used")

    def __init__(
        self, keyed_model: KeyedModel, n: int = 0, lost_own: float = 0.0, lost_global: float = 0.0
    ) -> None:
        super().__init__(keyed_model.estimator, keyed_model.template, keyed_model.core)
        self.n = self.stored = n
        self.lost_own = lost_own
        self.lost_global = lost_global
        self.used = 0.0
        self.bytes = 0

    def share(self) -> float:
        """Return the weight of the own model in the answer: Hedge over two experts, whatever the number of rows."""
        eta = math.sqrt(_EIGHT_LOG_2 / (self.n + 1))
        gap = eta * (self.lost_own - self.lost_global)
        return 1 / (1 + math.exp(gap)) if gap < 700 else 0.0


@dataclass(frozen=True)
class KeyedPendingAnswer:
    """The prediction for a row, and the pending answers of the key's own model and of the global one, if there were any."""

    prediction: Any
    own: PendingAnswers | None
    whole: PendingAnswers | None


class KeyedModels(Closable):
    """Base class of the models by key: :class:`~streamboost.distributed.KeyedClassifier` and
    :class:`~streamboost.distributed.KeyedRegressor`."""

    def __init__(
        self,
        model: Any,
        key: str,
        *,
        max_models: int = 10_000,
        max_bytes: int = 4 * 2**30,
        idle_s: float | None = None,
        fallback: str | None = "global",
        folder: str | os.PathLike[str] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._check_model(model)
        _check_options(max_models, max_bytes, idle_s, fallback)
        self.model = clone(model)
        if not isinstance(model.random_state, Integral):  # one seed for all keys
            self.model.random_state = draw_seed(self.model.random_state) >> 32
        self._templates = ModelTemplates(self.model)
        self.key = key
        self.max_models, self.max_bytes = max_models, max_bytes
        self.idle_s = idle_s
        self.fallback = fallback
        self._clock = clock
        self._owns: OrderedDict[str, OwnModel] = OrderedDict()
        self._bytes = 0
        self._temporary = tempfile.mkdtemp(prefix="streamboost-") if folder is None else None
        place = Path(self._temporary or os.fspath(folder or ""))
        place.mkdir(parents=True, exist_ok=True)
        self._store = KeyStore(place / "models.sqlite")
        self._closed = False
        self.n_evicted = 0
        self._counts: dict[Any, float] = {}
        self._global: Any = None
        found = self._store.get_global()
        if found is not None:
            self._counts = prior_of(found[0])
        if fallback == "global":
            self._global = clone(self.model) if found is None or not found[1] else load(found[1])
            if type(self._global) is not type(model):
                self._store.close()
                raise ValueError(
                    f"{place} holds models of the kind {type(self._global).__name__}, not {type(model).__name__}: take another "
                    "folder."
                )

    def _check_model(self, model: Any) -> None:
        if isinstance(model, type):
            raise TypeError(f"{model.__name__} is a class; pass a model, {model.__name__}(...).")
        sets = getattr(getattr(model, "_entry", model), "task", "") == "multilabel"
        if not hasattr(model, self._verb) or not hasattr(model, "_file_bytes") or sets:
            raise TypeError(
                f"{type(self).__name__} takes one of streamboost's {self._kind} for streams, not a {type(model).__name__}: "
                "KeyedClassifier is for classifiers, KeyedRegressor for regressors."
            )
        if model._learner_plan(0).lane_factory is not None:
            raise ValueError(
                f"{type(self).__name__} cannot write learners of Python code to its store: use one of streamboost's own."
            )
        if "detectors" in model._guard():
            raise ValueError(
                f"{type(self).__name__} cannot write detectors of Python code to its store: use one of streamboost's own."
            )

    # The models.

    def _split(self, x: Mapping[Any, Any]) -> tuple[Any, dict[Any, Any]]:
        key, rest = key_of(x, self.key), dict(x)
        del rest[self.key]
        return key, rest

    def _find(self, key: Any, *, make: bool) -> OwnModel | None:
        name = _text(key)
        own = self._owns.get(name)
        if own is not None:
            self._owns.move_to_end(name)
        else:
            found = self._store.get(name)
            if found is not None:
                keyed_model = self._templates.unpack(found.text, found.numbers)
                own = OwnModel(keyed_model, found.n, found.lost_own, found.lost_global)
                self._weigh(own)
            elif make:
                own = OwnModel(KeyedModel(with_session(self.model, None)))
            if own is None:
                return None
            self._owns[name] = own
            try:
                self._make_room()
            except BaseException:  # it is in the store, or new
                del self._owns[name]
                self._bytes -= own.bytes
                raise
        if self.idle_s is not None:
            self._evict_idle(own)
        return own

    def _weigh(self, own: OwnModel) -> None:
        self._bytes -= own.bytes
        own.bytes = own.memory_bytes()
        self._bytes += own.bytes

    def _make_room(self) -> None:
        while len(self._owns) > 1 and (len(self._owns) > self.max_models or self._bytes > self.max_bytes):
            self._evict()

    def _evict(self) -> None:
        name, own = next(iter(self._owns.items()))
        self._write(name, own)  # where that fails it stays in memory
        del self._owns[name]
        self._bytes -= own.bytes
        self.n_evicted += 1

    def _evict_idle(self, own: OwnModel) -> None:
        now = own.used = self._clock()
        while self.idle_s is not None and now - next(iter(self._owns.values())).used > self.idle_s:
            self._evict()

    def _write(self, name: str, own: OwnModel) -> None:
        if not own.started or own.n == own.stored:  # it has only answered
            return
        text, numbers = self._templates.pack(own)
        self._store.put(name, Found(own.n, own.lost_own, own.lost_global, text, numbers))
        own.stored = own.n

    # Learning and answering.

    def predict_pending_one(self, x: Mapping[Any, Any]) -> KeyedPendingAnswer:
        """Answer one row whose truth comes later: hand the result back to :meth:`learn_one`.

        Parameters
        ----------
        x : dict
            The row, with its key.

        Returns
        -------
        KeyedPendingAnswer
        """
        self._check_open()
        key, rest = self._split(x)
        own, whole = self._find(key, make=False), self._global
        return KeyedPendingAnswer(
            self.predict_one(x),
            own.model.predict_pending_one(rest) if own is not None and own.started else None,
            whole.predict_pending_one(rest) if whole is not None and whole.started else None,
        )

    def learn_one(
        self,
        x: Mapping[Any, Any],
        y: Any,
        sample_weight: float = 1.0,
        *,
        pending: KeyedPendingAnswer | None = None,
    ) -> None:
        """Learn one row: the model of its key, and the one of all.

        Parameters
        ----------
        x : dict
            The row, with its key.
        y : label or float
            The label, or the target.
        sample_weight : float
            Weight of the row.
        pending : KeyedPendingAnswer, optional
            What :meth:`predict_pending_one` returned for the row: both models, and their shares, are judged by it.
        """
        self._check_open()
        key, rest = self._split(x)
        if not sample_weight > 0:
            if sample_weight != 0:
                raise ValueError(f"sample_weight={sample_weight!r} is not allowed: it must be 0 or more.")
            return
        own = self._find(key, make=True)
        if own is None:
            raise RuntimeError("a key got no model")
        whole = self._global
        lost_own = lost_global = 0.0
        said = pending or KeyedPendingAnswer(None, None, None)
        labelled = not is_missing(y)
        if own.started and not (labelled and pending is None):
            own.model.predict_one(rest)  # refuses what it cannot read before the model of all learns it
        elif whole is not None and whole.started and own.started:
            lost_own, lost_global = self._losses(own, whole, rest, y)
        if said.own is not None and said.whole is not None and labelled:
            lost_own, lost_global = self._lost(said.own, said.whole, y)
        with InStep(1) as step:
            # The model of all first: it knows the columns of every key, so the key's model has room for what it has room for.
            if whole is not None:
                told = {} if said.whole is None else {"pending": said.whole}
                whole.learn_one(rest, y, sample_weight, **told)
                step.part_learned()
            if said.own is None:
                self._teach(own, rest, y, sample_weight)
            else:
                own.model.learn_one(rest, y, sample_weight, pending=said.own)
                own.template = None
            own.n += labelled
            own.lost_own += lost_own * sample_weight
            own.lost_global += lost_global * sample_weight
            if not labelled:
                own.stored = -1  # the columns may count such rows, too
            elif self.fallback == "prior":
                self._count(y, sample_weight)
            step.took()
            if own.n & (own.n - 1) == 0:  # its rows have doubled
                self._weigh(own)
                self._make_room()

    # Tables with named columns, row by row.

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the answer to each row of a frame or a list of dicts; see :meth:`predict_one`."""
        return self._table([self.predict_one(x) for x in as_records(X)])

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the rows of a frame or a list of dicts in their order; see :meth:`learn_one`."""
        rows = self._rows(X, y, sample_weight)
        with InStep(len(rows)) as step:
            for x, truth, weight in rows:
                self.learn_one(x, truth, weight)
                step.took()
        return self

    def test_then_train(self, X: Any, y: Any, sample_weight: Any = None) -> NDArray[Any]:
        """Return the answer to each row, given before that row is learned."""
        answers, rows = [], self._rows(X, y, sample_weight)
        with InStep(len(rows)) as step:
            for x, truth, weight in rows:
                answers.append(self.predict_one(x))
                self.learn_one(x, truth, weight)
                step.took()
        return self._table(answers)

    def _rows(self, X: Any, y: Any, sample_weight: Any) -> list[tuple[dict[Any, Any], Any, float]]:
        records, truths = list(as_records(X)), np.asarray(y).tolist()
        weights = [1.0] * len(truths) if sample_weight is None else np.asarray(sample_weight, float).tolist()
        if not len(records) == len(truths) == len(weights):
            raise ValueError(
                f"X, y and sample_weight have {len(records)}, {len(truths)} and {len(weights)} rows: they must be equal."
            )
        return list(zip(records, truths, weights, strict=True))

    # What depends on what is predicted.

    task: ClassVar[str]
    reads_dicts: ClassVar[bool] = True
    _kind: ClassVar[str]
    _verb: ClassVar[str]

    @abstractmethod
    def predict_one(self, x: Mapping[Any, Any]) -> Any:
        """Return the answer to one row."""

    @abstractmethod
    def _table(self, answers: list[Any]) -> NDArray[Any]:
        """Return answers as an array."""

    @abstractmethod
    def _losses(self, own: OwnModel, whole: Any, x: Mapping[Any, Any], y: Any) -> tuple[float, float]:
        """Return what the key's own model and the one of all lose on a row, each from 0 to 1."""

    @abstractmethod
    def _lost(self, own: PendingAnswers, whole: PendingAnswers, y: Any) -> tuple[float, float]:
        """Return the same of answers that were given."""

    @abstractmethod
    def _teach(self, own: OwnModel, x: Mapping[Any, Any], y: Any, weight: float) -> None:
        """Let the model of a key learn a row."""

    @abstractmethod
    def _count(self, y: Any, weight: float) -> None:
        """Keep what the prior needs."""

    # The whole.

    def __len__(self) -> int:
        """Return the number of models in memory."""
        return len(self._owns)

    def own(self, key: Any) -> Any:
        """Return the model of a key, or None if the key is not known."""
        self._check_open()
        found = self._find(key, make=False)
        if found is None:
            return None
        # Its parameters are shared with other models of its kind: what is given away gets its own.
        found.model.__dict__.update(clone(found.model).get_params(deep=False))
        found.stored, found.given = -1, True  # the caller may teach it
        return found.model

    def share(self, key: Any) -> float:
        """Return the weight of a key's own model in its answers."""
        found = self._find(key, make=False)
        return 0.0 if found is None else found.share()

    def flush(self) -> None:
        """Write all models to the store, where a power cut does not reach them any more; they stay in memory."""
        self._check_open()
        for name, own in self._owns.items():
            self._write(name, own)
        whole = self._global
        data = b"" if whole is None or not whole.started else whole.to_bytes()
        self._store.put_global({"counts": list(self._counts.items())}, data)
        self._store.commit()
        self._store.sync()

    def give(self, away: Callable[[str], bool]) -> list[StoredModel]:
        """Return the models of some keys for another one to take; `away` is asked with the key as JSON."""
        self.flush()
        found = [(key, self._store.get_whole(key)) for key in self._store.names() if away(key)]
        return [(key, *stored) for key, stored in found if stored is not None]

    def take(self, models: list[StoredModel]) -> None:
        """Take over what another one gave, unless it is older than what is here."""
        self._check_open()
        for key, head, data in models:
            here = self._store.get(key)
            if here is None or here.n < head["n"]:
                self._store.put_whole(key, head, data)
        self._store.commit()

    def drop(self, keys: list[str]) -> None:
        """Forget what another one has taken."""
        self._check_open()
        self._store.delete(keys)
        for key in keys:
            own = self._owns.pop(key, None)
            self._bytes -= 0 if own is None else own.bytes

    def _check_open(self) -> None:
        if self._closed:
            raise RuntimeError(f"this {type(self).__name__} is closed.")

    def close(self) -> None:
        """Write all models and close the store; a temporary one is removed."""
        if self._closed:
            return
        if self._temporary is None:
            self.flush()
        self._closed = True
        self._store.close()
        self._owns.clear()
        if self._temporary is not None:
            shutil.rmtree(self._temporary, ignore_errors=True)


def _check_options(max_models: Any, max_bytes: Any, idle_s: float | None, fallback: str | None) -> None:
    for option, value in (("max_models", max_models), ("max_bytes", max_bytes)):
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise ValueError(f"{option}={value!r} is not allowed: it must be a whole number of at least 1.")
    if idle_s is not None and not idle_s > 0:
        raise ValueError(f"idle_s={idle_s!r} is not allowed: it must be a number above 0, or None.")
    if fallback not in ("global", "prior", None):
        raise ValueError(f"fallback={fallback!r} is not allowed; choose 'global', 'prior' or None.")

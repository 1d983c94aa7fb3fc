"""Models by key over several actors: every key lives in one of them, which its name alone decides.

Rendezvous hashing: each actor draws a number for the key, the highest has it. With one actor more, about one key in n + 1 moves,
and only to the new one.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from streamboost.distributed.closable import Closable
from streamboost.distributed.key_store import StoredModel
from streamboost.distributed.keyed import KeyedModels, KeyedPendingAnswer, key_of
from streamboost.distributed.keyed_classifier import KeyedClassifier
from streamboost.distributed.keyed_regressor import KeyedRegressor

if TYPE_CHECKING:
    from typing_extensions import Self


@lru_cache(maxsize=100_000)
def owner(key: str, n: int) -> int:
    """Return which of `n` actors has a key, given as JSON."""
    return max(range(n), key=lambda i: hashlib.blake2b(f"{i}/{key}".encode(), digest_size=8).digest())


def _keyed(model: Any, key: str, **options: Any) -> KeyedModels:
    kind = KeyedRegressor if hasattr(model, KeyedRegressor._verb) else KeyedClassifier
    return kind(model, key, **options)


class _KeyedActor:
    """One actor: a KeyedClassifier, or a KeyedRegressor, with a store of its own."""

    def __init__(self, model: Any, key: str, folder: str, options: dict[str, Any]) -> None:
        self.keyed = _keyed(model, key, folder=folder, **options)

    def learn(
        self, rows: Sequence[tuple[int, Mapping[Any, Any], Any, float, KeyedPendingAnswer | None]]
    ) -> None:
        """Learn rows, each with its number in the call."""
        for number, x, y, weight, pending in rows:
            try:
                self.keyed.learn_one(x, y, weight, pending=pending)
            except (TypeError, ValueError) as error:
                raise ValueError(f"row {number}: {error}") from error

    def answers(self, method: str, rows: Sequence[Mapping[Any, Any]]) -> list[Any]:
        """Answer rows, each by the model of its key."""
        answer = getattr(self.keyed, method)
        return [answer(x) for x in rows]

    def give(self, me: int, n: int) -> list[StoredModel]:
        """Return the models that belong to others when there are `n` actors."""
        return self.keyed.give(lambda key: owner(key, n) != me)

    def take(self, models: list[StoredModel]) -> None:
        """Take over models that another shard had."""
        self.keyed.take(models)

    def call(self, method: str, *arguments: Any) -> Any:
        """Call a method of the models."""
        return getattr(self.keyed, method)(*arguments)

    def pid(self) -> int:
        """Return the number of its process, for tests that kill it."""
        return os.getpid()


class KeyedShards(Closable):
    """:class:`KeyedClassifier` or :class:`KeyedRegressor` over several Ray actors.

    Every key's own model is the one that one process would have.

    What differs from one process: with ``fallback="global"`` or ``"prior"`` every actor has its own, which learns the rows of
    its keys. Models in memory are written to the store by `flush`, `close` and when they make room for others; an actor that is
    killed comes back with what its store holds, and the call that finds it gone says so.

    Parameters
    ----------
    model, key
        As of :class:`KeyedClassifier`.
    n : int
        Number of actors.
    folder : str or path
        Where the stores are, one folder for each actor. Actors on several machines need a place that all of them reach.
    engine : {"ray", "local"}
        Actors of a Ray cluster (``pip install "streamboost[ray]"``), or objects in this process.
    address : str, optional
        Of the Ray cluster; default: the one that this process is connected to, or a new one on this machine.
    **options
        `max_models` and `max_bytes` (of each actor), `idle_s` and `fallback` of :class:`KeyedClassifier`.

    Examples
    --------
    >>> import tempfile
    >>> from streamboost import OnlineBaggingClassifier
    >>> from streamboost.distributed import KeyedShards
    >>> model = OnlineBaggingClassifier(n_estimators=5, random_state=1)
    >>> with KeyedShards(model, "customer", 2, folder=tempfile.mkdtemp(), engine="local") as shards:
    ...     shards.learn_many([{"customer": 1, "hour": 9.0}, {"customer": 2, "hour": 18.0}], ["tea", "wine"])
    ...     print(shards.predict_one({"customer": 2, "hour": 17.0}))
    wine
    """

    def __init__(
        self,
        model: Any,
        key: str,
        n: int = 2,
        *,
        folder: str | os.PathLike[str],
        engine: str = "ray",
        address: str | None = None,
        **options: Any,
    ) -> None:
        if isinstance(n, bool) or not isinstance(n, int) or n < 1:
            raise ValueError(f"n={n!r} is not allowed: it must be a whole number of at least 1.")
        if engine not in ("ray", "local"):
            raise ValueError(f"engine={engine!r} is not allowed; choose one of 'ray', 'local'.")
        with _keyed(model, key, **options) as tried:  # refuses here what an actor would refuse far away
            self.task = tried.task
        self.key = key
        self._model, self._options = model, options
        self._folder = Path(folder).absolute()
        self._folder.mkdir(parents=True, exist_ok=True)
        self._ray: Any = None
        self._mine = False
        if engine == "ray":
            from streamboost.distributed.engines.ray import connect, import_ray

            self._ray = import_ray()
            self._mine = connect(self._ray, address)
        self._closed = False
        self._homes: list[Any] = []
        had = len(list(self._folder.glob("keys-*"))) or n
        self._homes = [self._new(i) for i in range(had)]
        if had != n:  # the folder was left with another number of actors
            self.scale(n)

    def _new(self, i: int) -> Any:
        arguments = (self._model, self.key, str(self._folder / f"keys-{i}"), self._options)
        if self._ray is None:
            return _KeyedActor(*arguments)
        # No core of their own: there may be more of them than cores, and one that waits for a core would wait for ever.
        options = {"num_cpus": 0, "max_restarts": -1, "scheduling_strategy": "SPREAD"}
        return self._ray.remote(_KeyedActor).options(**options).remote(*arguments)

    def _calls(self, calls: Sequence[tuple[Any, str, tuple[Any, ...]]]) -> list[Any]:
        """Call methods of actors, all at once, and wait for all of them."""
        if self._ray is None:
            return [getattr(home, method)(*arguments) for home, method, arguments in calls]
        references = [getattr(home, method).remote(*arguments) for home, method, arguments in calls]
        found, wrong = [], None
        for reference in references:
            try:
                found.append(self._ray.get(reference))
            except self._ray.exceptions.RayTaskError as error:
                wrong = error.cause if isinstance(error.cause, ValueError | RuntimeError) else error
            except self._ray.exceptions.RayError as error:
                wrong = RuntimeError(
                    "an actor with models was lost and comes back with what its store holds; what it had learned since the last "
                    f"flush, and perhaps this call, is gone: {type(error).__name__}"
                )
        if wrong is not None:
            raise wrong
        return found

    def _home(self, x: Mapping[Any, Any]) -> int:
        return owner(json.dumps(key_of(x, self.key)), len(self._homes))

    # Learning and answering.

    def learn_many(
        self,
        rows: Sequence[Mapping[Any, Any]],
        labels: Sequence[Any],
        weights: Sequence[float] | None = None,
        pending: Sequence[KeyedPendingAnswer | None] | None = None,
    ) -> None:
        """Learn rows, each by the actor of its key; returns when all have.

        Parameters
        ----------
        rows : sequence of dict
            The rows, with their keys. A key that is not allowed refuses the call; of other bad rows the rest of their actor's
            rows are not learned, and the error names the first.
        labels : sequence
            Their labels.
        weights : sequence of float, optional
            Their weights.
        pending : sequence, optional
            What :meth:`predict_pending_one` returned for each of them, or None.
        """
        self._check_open()
        n = len(rows)
        weights = [1.0] * n if weights is None else weights
        pending = [None] * n if pending is None else pending
        if not n == len(labels) == len(weights) == len(pending):
            raise ValueError(f"{n} rows need as many labels, weights and pending answers.")
        parts: list[list[Any]] = [[] for _ in self._homes]
        for row in zip(range(n), rows, labels, weights, pending, strict=True):
            parts[self._home(row[1])].append(row)
        homes = zip(self._homes, parts, strict=True)
        self._calls([(home, "learn", (part,)) for home, part in homes if part])

    def learn_one(
        self,
        x: Mapping[Any, Any],
        y: Any,
        sample_weight: float = 1.0,
        *,
        pending: KeyedPendingAnswer | None = None,
    ) -> None:
        """Learn one row."""
        self.learn_many([x], [y], [sample_weight], [pending])

    def predict_proba_many(self, rows: Sequence[Mapping[Any, Any]]) -> list[dict[Any, float]]:
        """Return the probability of each label, for each row; empty where nothing is known."""
        return self._answers("predict_proba_one", rows)

    def predict_many(self, rows: Sequence[Mapping[Any, Any]]) -> list[Any]:
        """Return the answer to each row: a label (None while nothing is known), or a number."""
        return self._answers("predict_one", rows)

    def _answers(self, method: str, rows: Sequence[Mapping[Any, Any]]) -> list[Any]:
        self._check_open()
        owners = [self._home(x) for x in rows]
        asked = sorted(set(owners))
        parts = [[x for x, at in zip(rows, owners, strict=True) if at == i] for i in asked]
        answers = self._calls(
            [(self._homes[i], "answers", (method, part)) for i, part in zip(asked, parts, strict=True)]
        )
        each = {i: iter(answer) for i, answer in zip(asked, answers, strict=True)}
        return [next(each[at]) for at in owners]

    def predict_proba_one(self, x: Mapping[Any, Any]) -> dict[Any, float]:
        """Return the probability of each label for one row; empty while nothing is known."""
        return self.predict_proba_many([x])[0]

    def predict_one(self, x: Mapping[Any, Any]) -> Any:
        """Return the answer to one row; see :meth:`predict_many`."""
        return self.predict_many([x])[0]

    def predict_pending_one(self, x: Mapping[Any, Any]) -> KeyedPendingAnswer:
        """Answer one row whose truth comes later: hand the result back to :meth:`learn_one`."""
        found: KeyedPendingAnswer = self._answers("predict_pending_one", [x])[0]
        return found

    # The whole.

    def own(self, key: Any) -> Any:
        """Return a copy of the model of a key, or None if the key is not known."""
        self._check_open()
        return self._calls([(self._homes[owner(json.dumps(key), len(self._homes))], "call", ("own", key))])[0]

    def pids(self) -> list[int]:
        """Return the process of each actor."""
        return self._calls([(home, "pid", ()) for home in self._homes])

    def flush(self) -> None:
        """Write all models to the stores."""
        self._check_open()
        self._calls([(home, "call", ("flush",)) for home in self._homes])

    def scale(self, n: int) -> Self:
        """Go on with `n` actors; only the models whose actor changes move."""
        self._check_open()
        if isinstance(n, bool) or not isinstance(n, int) or n < 1:
            raise ValueError(f"n={n!r} is not allowed: it must be a whole number of at least 1.")
        old = len(self._homes)
        for i in range(old, n):
            self._homes.append(self._new(i))
        moved = self._calls([(home, "give", (i, n)) for i, home in enumerate(self._homes[:old])])
        found = [model for models in moved for model in models]
        parts = [[model for model in found if owner(model[0], n) == i] for i in range(n)]
        self._calls([(home, "take", (part,)) for home, part in zip(self._homes[:n], parts, strict=True)])
        self._calls(  # what is taken is written: a crash before this leaves a model twice, not nowhere
            [
                (home, "call", ("drop", [key for key, _, _ in models]))
                for home, models in zip(self._homes[:old], moved, strict=True)
            ]
        )
        gone, self._homes = self._homes[n:], self._homes[:n]
        self._end(gone)
        for i in range(n, old):
            place = self._folder / f"keys-{i}"
            for file in place.iterdir():
                file.unlink()
            place.rmdir()
        return self

    def _end(self, homes: Sequence[Any]) -> None:
        self._calls([(home, "call", ("close",)) for home in homes])
        if self._ray is not None:
            for home in homes:
                self._ray.kill(home, no_restart=True)

    def _check_open(self) -> None:
        if self._closed:
            raise RuntimeError("these KeyedShards are closed.")

    def close(self) -> None:
        """Write all models, close the stores, end every actor, and the cluster if it was started here."""
        if self._closed:
            return
        self._closed = True
        try:
            self._end(self._homes)
        finally:
            self._homes = []
            if self._mine and self._ray.is_initialized():
                self._ray.shutdown()

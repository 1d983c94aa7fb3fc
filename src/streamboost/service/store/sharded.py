"""A model whose learners are spread over shards, as a candidate teaches it.

The store's own log and snapshots are what outlives the process; the shards' folder only lets a lost shard come back, and is
thrown away with them. Examples of a transaction go to the shards together, and the answers before them come back at its end.
"""

from __future__ import annotations

import itertools
import logging
import shutil
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streamboost.distributed import Shards
from streamboost.ensemble.common import LearnerEnsemble
from streamboost.service.store.errors import BadRequest
from streamboost.service.store.records import Answer
from streamboost.service.store.settings import Settings

FOLDER = "shards"
log = logging.getLogger("streamboost.store")

Known = tuple[NDArray[np.intp], list[Any], list[Any]]
"""The labels that a model knows: places in the order of ``classes_``, labels in that order, labels by code."""


class Sharded:
    """One model over shards."""

    def __init__(self, model: Any, settings: Settings, folder: Path) -> None:
        self.folder = folder
        self.n = settings.shards
        self._shards = Shards(
            model,
            settings.shards,
            engine=settings.engine,
            address=settings.address,
            folder=folder,
            sync=False,
        )
        self.model = self._shards.model
        self._shards.hold()

    def known(self) -> Known:
        """Return the labels that the model knows before its next example."""
        return self._shards.known_labels()

    def taught(self) -> None:
        """The model has learned: from the first example on they are held, and sent together."""
        self._shards.hold()

    def answers(self) -> list[NDArray[np.float64]]:
        """Wait for the answers before the examples since the last time."""
        return self._shards.promised()

    @staticmethod
    def fill(answer: Answer, row: NDArray[np.float64], known: Known) -> None:
        """Write what the shards said of an event into its answer."""
        order, classes, values = known
        if not values:  # a regressor: the label is the number
            answer.label = float(row[-1])
            return
        answer.label = values[int(row[-1])]
        answer.classes, answer.p = classes, row[order].tolist()

    def describe(self) -> dict[str, int]:
        """Return how many shards there are, how many of them run now, and how often some were lost."""
        return {"shards": self.n, "running": self._shards.alive, "lost": self._shards.losses}

    @property
    def broken(self) -> bool:
        """Whether the shards cannot come back."""
        return self._shards.broken

    def close(self) -> None:
        """End the shards."""
        self._shards.close(keep=False)
        shutil.rmtree(self.folder, ignore_errors=True)


class ShardFactory:
    """Spreads models over shards, if the settings say so. The folders of those before are removed."""

    def __init__(self, settings: Settings, folder: Path) -> None:
        self._settings, self._folder = settings, folder / FOLDER
        shutil.rmtree(self._folder, ignore_errors=True)
        self._numbers = itertools.count()
        self._ray: Any = None
        if settings.shards > 1 and settings.engine == "ray":  # one cluster for all models
            from streamboost.distributed.engines.ray import connect, import_ray

            try:
                ray = import_ray()
                self._ray = ray if connect(ray, settings.address) else None
            except (ImportError, ConnectionError) as error:
                raise BadRequest(str(error), field="engine") from error

    def cut(self, model: Any) -> Sharded | None:
        """Return the model over shards; None where it stays in this process."""
        if self._settings.shards == 1 or not isinstance(model, LearnerEnsemble):
            return None
        try:
            return Sharded(model, self._settings, self._folder / str(next(self._numbers)))
        except ValueError as error:
            log.warning("a %s stays in the service's own process: %s", type(model).__name__, error)
            return None

    def close(self) -> None:
        """End the cluster, if it was started here."""
        if self._ray is not None and self._ray.is_initialized():
            self._ray.shutdown()

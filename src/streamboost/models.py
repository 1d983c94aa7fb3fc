"""The tables of models and learners by name, and how a model is restored from a file."""

from __future__ import annotations

import inspect
import io
import os
import sys
from collections.abc import Iterable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import ArrayLike, NDArray

from streamboost import catalogue
from streamboost.base.files.archive import ModelFileError, open_regular, read_archive
from streamboost.base.files.manifest import Manifest
from streamboost.base.files.rows_apart import RowReader
from streamboost.ensemble.bandit import BanditEnsemble
from streamboost.ensemble.common import LearnerEnsemble
from streamboost.learners import ALL_LEARNERS, LEARNERS, REGRESSION_LEARNERS
from streamboost.learners.adapters import check_task
from streamboost.sequences import is_predictor, read_predictor


def _classes(
    entries: Iterable[catalogue.ModelEntry], *, streams: bool = True, experts: bool = False
) -> dict[str, Any]:
    return {
        entry.name: getattr(import_module(f"streamboost.{entry.package}"), entry.class_name)
        for entry in entries
        if entry.streams is streams and entry.experts is experts
    }


MODELS: dict[str, type[LearnerEnsemble]] = _classes(catalogue.MODELS)
"""Name on the command line and in model files -> class."""

REGRESSORS: dict[str, type[LearnerEnsemble]] = _classes(catalogue.REGRESSORS)
"""The same for regressors."""

BATCH_MODELS: dict[str, type[LearnerEnsemble]] = _classes(catalogue.MODELS, streams=False)
"""Models that learn no streams: they have files, but no place on the command line."""

EXPERTS = _classes(catalogue.MODELS, experts=True)
"""Models of several learners, or of any models: they have a place on the command line, but no files."""

ALL_MODELS: dict[str, type[LearnerEnsemble]] = {**MODELS, **REGRESSORS}
"""Classifiers and regressors that learn from streams."""
MULTILABEL: dict[str, type[LearnerEnsemble]] = _classes(catalogue.MULTILABEL)
"""Ensembles for sets of labels, by their names in files."""
_ALL: dict[str, type[LearnerEnsemble]] = {
    **ALL_MODELS,
    **BATCH_MODELS,
    **MULTILABEL,
    "bandit-ensemble": BanditEnsemble,
}

__all__ = [
    "ALL_LEARNERS",
    "ALL_MODELS",
    "BATCH_MODELS",
    "EXPERTS",
    "LEARNERS",
    "MODELS",
    "MULTILABEL",
    "REGRESSION_LEARNERS",
    "REGRESSORS",
    "ModelFileError",
    "build",
    "load",
]


def build(
    model: str,
    learner: str | None = None,
    params: Mapping[str, Any] | None = None,
    learner_params: Mapping[str, Any] | None = None,
    *,
    seed: int | None = None,
    nominal: ArrayLike | None = None,
) -> Any:
    """Return an untrained model of a learner, both by their names in the tables.

    Parameters
    ----------
    model, learner : str
        Names as on the command line: "osboost", "naive-bayes"; a batch ensemble may be named as well, and a class of your
        own as "package.module:Class". Without a learner it is the model's own.
    params, learner_params : mapping, optional
        What differs from the defaults.
    seed : int, optional
        The model's `random_state`.
    nominal : array of bool, optional
        Which columns hold codes of nominal values, unless `params` says so.
    """
    values = dict(params or {})
    cls = own_class(model) if ":" in model else _ALL[model]
    accepted = inspect.signature(cls).parameters
    if nominal is not None and np.any(nominal) and "categorical_features" in accepted:
        values.setdefault("categorical_features", nominal)
    values |= {name: seed for name in ("random_state", "seed") if name in accepted and name not in values}
    kind = None if learner is None else own_class(learner) if ":" in learner else ALL_LEARNERS[learner]
    if ":" in model:
        return cls(**values) if kind is None else cls(kind(**learner_params or {}), **values)
    made = cls(**values)
    if not made._entry.learner and (learner is not None or learner_params):
        raise TypeError(f"{type(made).__name__} grows its own trees: it takes no learner.")
    if kind is not None:
        made.set_params(estimator=kind(**learner_params or {}))
        check_task(made, made.estimator)
        return made
    return (
        made.set_params(estimator=made._own_learner().set_params(**learner_params))
        if learner_params
        else made
    )


def own_class(text: str) -> Any:
    """The class that ``package.module:Class`` names; modules are also looked for in the current folder."""
    module, _, name = text.partition(":")
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    return getattr(import_module(module), name)


def load(path: str | os.PathLike[str] | BinaryIO | bytes) -> Any:
    """Read a model that `save` has written; it goes on exactly where it stopped.

    Reading runs no code from the file. A file that is damaged, hostile or from a version this streamboost does not
    know raises :class:`ModelFileError`.

    Parameters
    ----------
    path : path, file object opened for reading bytes, or bytes
        The file, or what is in it.

    Returns
    -------
    estimator
        An instance of the class that was saved; its ``metadata_`` are the facts that `save` was given.
    """
    if isinstance(path, (str, os.PathLike)):
        try:
            with open_regular(path) as file:
                return _read(*read_archive(file, RowReader(Path(os.fsdecode(path)).parent)))
        except ModelFileError as error:
            raise ModelFileError(f"{os.fspath(path)}: {error}") from error
    return _read(*read_archive(io.BytesIO(_content(path))))


def _read(raw: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Any:
    """Return what a file holds."""
    if is_predictor(raw):
        return read_predictor(raw, arrays)
    if "composite" in raw:
        from streamboost.feedback import COMPOSITES
        from streamboost.feedback.composite import read_composite

        return read_composite(raw, arrays, COMPOSITES, load)
    if "shard" in raw:
        raise ModelFileError(
            "the file holds a shard of a model, not a model: put the shards together with `streamboost join`"
        )
    return restore(raw, arrays)


def restore(raw: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Any:
    """Return the model of a manifest and its arrays."""
    manifest = Manifest.read(raw)
    model = rebuild(manifest, arrays)
    try:
        model._restore(manifest, arrays)
    except ModelFileError:
        raise
    except (ValueError, TypeError, OverflowError, MemoryError) as error:
        raise ModelFileError(f"the file holds no usable model: {error}") from error
    return model


def rebuild(manifest: Manifest, arrays: dict[str, NDArray[Any]]) -> Any:
    """Return an estimator with the parameters of a manifest, not yet started."""
    cls = _ALL.get(manifest.model_name)
    if cls is None:
        raise ModelFileError(f"the model {manifest.model_name!r} is not known; known are {sorted(_ALL)}")
    try:
        return cls._rebuild(manifest, arrays)
    except ModelFileError:
        raise
    except (ValueError, TypeError, OverflowError, MemoryError) as error:
        raise ModelFileError(f"the file holds no usable model: {error}") from error


def _content(source: Any) -> bytes:
    data = source.read() if hasattr(source, "read") else source
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise TypeError(
            f"load takes a path, bytes, or a file opened in binary mode, as open(path, 'rb'); got {type(source).__name__}."
        )
    return bytes(data)

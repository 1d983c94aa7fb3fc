"""Files of models that are made of models: what each part would save, and a few facts around them.

A part is stored as the bytes of its own file, so that it is read by its own checks.
"""

from __future__ import annotations

import io
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, BinaryIO

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from sklearn.base import clone

from streamboost.base.files.archive import ModelFileError, write_archive
from streamboost.base.files.manifest import check_version
from streamboost.base.files.metadata import checked, entry, read
from streamboost.base.files.writing import write_model
from streamboost.learners import Learner

VERSION = 1
Load = Callable[[bytes], Any]


class Composite(ABC):
    """Base class of models that are made of models."""

    _metadata: Mapping[str, Any] = {}

    def save(
        self, path: str | os.PathLike[str] | BinaryIO, *, metadata: Mapping[str, Any] | None = None
    ) -> None:
        """Write the whole model to a file, with facts of your own if wanted; read it back with :func:`streamboost.load`."""
        write_model(path, self.to_bytes(metadata=metadata))

    @abstractmethod
    def to_bytes(self, *, metadata: Mapping[str, Any] | None = None) -> bytes:
        """Return what `save` writes."""

    @property
    def metadata_(self) -> dict[str, Any]:
        """The user's own facts that the model was loaded with."""
        return dict(self._metadata)

    @classmethod
    @abstractmethod
    def _from_parts(cls, parts: Sequence[Any], params: dict[str, Any], state: dict[str, Any]) -> Any:
        """Return the model of a file."""


def part_of(given: Any, title: str) -> Any:
    """A classifier to make a part of, untaught; whatever cannot learn labels from a stream is refused."""
    verbs = ("partial_fit", "learn_one", "test_then_train", "predict_proba", "predict_proba_one")
    missing = [verb for verb in verbs if not hasattr(given, verb)]
    if missing:
        hint = (
            f": use SingleLearnerClassifier({type(given).__name__}())" if isinstance(given, Learner) else ""
        )
        raise TypeError(
            f"estimator={type(given).__name__} of {title} is no classifier that learns from a stream: it has no "
            f"{missing[0]}{hint}."
        )
    return clone(given)


def table_of(X: Any) -> Any:
    """X with a number of rows, that can be taken out of it."""
    X = X.tocsr() if scipy.sparse.issparse(X) else X if hasattr(X, "shape") else np.asarray(X)
    if len(X.shape) != 2:
        raise ValueError(
            f"X has {len(X.shape)} axes; a table has rows and columns. Reshape your data: one row is X[[0]], of a frame "
            "X.iloc[[0]]; one column is X.reshape(-1, 1)."
        )
    return X


def check_rows(model: Any, X: Any) -> None:
    """Refuse a table of which some row could not be learned, before the first one is."""
    if hasattr(model, "_check_rows") and not isinstance(X, list):  # dicts come one by one
        model._check_rows(X)


def composite_bytes(
    name: str,
    parts: Sequence[Any],
    params: Mapping[str, Any],
    state: Mapping[str, Any],
    metadata: Mapping[str, Any] | None,
) -> bytes:
    """Return the file of a model: its parts in their order, parameters, and what else it remembers."""
    arrays: dict[str, NDArray[Any]] = {
        f"part-{at}": np.frombuffer(part.to_bytes(), dtype=np.uint8) for at, part in enumerate(parts)
    }
    head = {
        "name": name,
        "version": VERSION,
        "params": dict(params),
        "state": dict(state),
        "parts": len(parts),
    }
    buffer = io.BytesIO()
    write_archive(buffer, {"composite": head, **entry(checked(metadata or {}))}, arrays)
    return buffer.getvalue()


def read_composite(
    manifest: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], classes: Mapping[str, Any], load: Load
) -> Any:
    """Return the model of a file, or raise `ModelFileError`; `load` reads a part."""
    head = manifest["composite"]
    if not isinstance(head, dict) or set(head) != {"name", "version", "params", "state", "parts"}:
        raise ModelFileError("the head of a model made of models is damaged")
    cls = classes.get(head["name"]) if isinstance(head["name"], str) else None
    if cls is None:
        raise ModelFileError(f"the model {head['name']!r} is not known; known are {sorted(classes)}")
    if type(head["version"]) is not int or type(head["parts"]) is not int:
        raise ModelFileError(f"the head of a {head['name']!r} is damaged")
    check_version(head["name"], head["version"], VERSION)
    names = [f"part-{at}" for at in range(min(head["parts"], len(arrays) + 1))]
    if set(names) != set(arrays) or any(arrays[name].dtype != np.uint8 for name in names):
        raise ModelFileError(f"the parts of the file are not the {head['parts']} of a {head['name']!r}")
    if not isinstance(head["params"], dict) or not isinstance(head["state"], dict):
        raise ModelFileError(f"the parameters of a {head['name']!r} are damaged")
    facts = read(manifest.get("metadata", {}))
    parts = [load(arrays[name].tobytes()) for name in names]
    try:
        model = cls._from_parts(parts, head["params"], head["state"])
    except ModelFileError:
        raise
    except (ValueError, TypeError, KeyError) as error:
        raise ModelFileError(f"the file holds no usable {head['name']!r}: {error}") from error
    model._metadata = facts
    return model

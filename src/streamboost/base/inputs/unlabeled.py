"""Rows whose label nobody knows (yet): None, NaN, or a null of a frame."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streamboost.base.inputs.coded import CodedLabels
from streamboost.base.inputs.label_sets import LabelSets, nothing_known


def missing_labels(y: Any) -> NDArray[np.bool_] | None:
    """Return which labels are missing; None if all are there."""
    absent = _absent(y)
    return absent if absent is not None and absent.any() else None


def _absent(y: Any) -> NDArray[np.bool_] | None:
    if isinstance(y, CodedLabels):
        return y.codes < 0
    if isinstance(y, LabelSets):
        return nothing_known(y.table) if y.names else None
    if isinstance(y, np.ndarray):
        if y.dtype.kind == "f":
            return nothing_known(y) if y.ndim == 2 else np.isnan(y).reshape(-1)
        return _of_objects(y.reshape(-1).tolist()) if y.dtype.kind == "O" else None
    if isinstance(y, list | tuple):
        return _of_objects(y)
    if hasattr(y, "dtype"):
        import narwhals as nw

        series: Any = nw.from_native(y, series_only=True, pass_through=True)
        if isinstance(series, nw.Series):
            absent: NDArray[np.bool_] = np.asarray(series.is_null().to_numpy(), dtype=bool)
            return (
                absent | np.asarray(series.is_nan().to_numpy(), dtype=bool)
                if series.dtype.is_float()
                else absent
            )
    return None


def _of_objects(labels: Sequence[Any]) -> NDArray[np.bool_]:
    return np.fromiter((is_missing(label) for label in labels), dtype=bool, count=len(labels))


def is_missing(label: Any) -> bool:
    """Return whether one label is missing."""
    return (
        label is None or (isinstance(label, float) and math.isnan(label)) or type(label).__name__ == "NAType"
    )


def filled(y: Any, absent: NDArray[np.bool_], known: Sequence[Any]) -> Any:
    """Return the labels with another one in the place of those that are missing: such rows are given weight 0.

    It is one of the others, or of the labels `known` to the model: one that tells the model nothing.
    """
    if isinstance(y, LabelSets):
        return y
    if isinstance(y, CodedLabels):
        if absent.all():
            return filled([None] * len(y), absent, known)
        return CodedLabels(np.where(absent, y.codes[~absent][0], y.codes), y.values)
    labels = _listed(y)
    at = int(np.argmin(absent))
    other = labels[at] if not absent[at] else known[0] if len(known) else 0
    found = [other if missing else label for label, missing in zip(labels, absent.tolist(), strict=True)]
    kinds = {type(label) for label in found}
    if kinds <= {float, np.float64} and all(
        label == math.floor(label) for label in found if math.isfinite(label)
    ):
        return np.array(found)
    array = np.empty(len(found), dtype=object)
    array[:] = found
    return array


def _listed(y: Any) -> list[Any]:
    """Plain values of any container."""
    for verb in ("tolist", "to_list", "to_pylist"):
        if hasattr(y, verb):
            values: list[Any] = getattr(y, verb)()
            return values
    return list(y)

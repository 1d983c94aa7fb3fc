"""Class labels: internal codes inside, `classes_` outside."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import column_or_1d

from streamboost.base.inputs.codes import CodeBook, check_scalar


class ClassCodes:
    """Labels known so far. Declared labels are coded in sorted order, discovered ones in order of appearance."""

    def __init__(self, labels: Iterable[Any] = (), *, declared: bool = False) -> None:
        self.book = CodeBook(labels)
        self.declared = declared
        self._refresh()

    def __len__(self) -> int:
        return len(self.book)

    def extend(self, labels: list[Any]) -> None:
        """Commit labels that a successful call has discovered."""
        if labels:
            self.book.extend(labels)
            self._refresh()

    def _refresh(self) -> None:
        by_code = np.array(self.book.values)
        self.order: NDArray[np.intp] = np.argsort(by_code, kind="stable")  # position in classes_ -> code
        self.classes: NDArray[Any] = by_code[self.order]
        self.by_code: NDArray[Any] = by_code

    def encode(
        self, y: NDArray[Any], active: NDArray[np.bool_] | None
    ) -> tuple[NDArray[np.int32], list[Any]]:
        """Return codes and newly discovered labels; refuse what is not a label before anything is learned."""
        codes, new = self.book.encode(y, active, grow=not self.declared)
        if self.declared:
            if (codes < 0).any():
                row = int(np.argmax(codes < 0))
                raise ValueError(
                    f"y contains the label {y.tolist()[row]!r} (row {row}), which is not in classes: {self._listing()}."
                )
            return codes, []
        for label in new:
            check_scalar(label, "A label in y")
        kinds = {isinstance(label, str) for label in (*self.book.values[:1], *new)}
        if len(kinds) > 1:
            raise ValueError("Labels must all be text or all be numbers; y mixes both.")
        return np.maximum(
            codes, 0
        ), new  # an undiscovered label stands only in rows of weight 0: never learned

    def decode(self, codes: NDArray[np.int32]) -> NDArray[Any]:
        """Return labels; None where no class was known yet."""
        unknown = codes < 0
        if not unknown.any():
            return self.by_code[codes]
        labels = np.empty(len(codes), dtype=object)
        labels[~unknown] = [self.book.values[code] for code in codes[~unknown].tolist()]
        return labels

    def _listing(self) -> str:
        shown = ", ".join(repr(label) for label in self.classes[:10].tolist())
        return f"[{shown}{', ...' if len(self) > 10 else ''}]"


def declare(classes: ArrayLike) -> ClassCodes:
    """Return codes for labels fixed up front."""
    labels = np.unique(column_or_1d(classes)).tolist()
    if not labels:
        raise ValueError("classes is empty; it must hold every label that may appear.")
    for label in labels:
        check_scalar(label, "A label in classes")
    return ClassCodes(labels, declared=True)


def read_labels(y: Any, n_rows: int, estimator: str, *, discovering: bool) -> NDArray[Any]:
    """Return y as a flat array after the checks that do not need the codes."""
    if y is None:
        raise ValueError(f"{estimator} requires y to be passed, but the target y is None.")
    flat: NDArray[Any] = y if type(y) is np.ndarray and y.ndim == 1 else column_or_1d(y, warn=True)
    if len(flat) != n_rows:
        raise ValueError(
            f"Found input variables with inconsistent numbers of samples: [{n_rows}, {len(flat)}]"
        )
    if flat.dtype.kind == "f":
        if not np.isfinite(flat).all():
            raise ValueError(f"Input y contains NaN or infinity (row {int(np.argmin(np.isfinite(flat)))}).")
        if discovering and (flat != np.floor(flat)).any():
            raise ValueError(
                "Unknown label type: continuous. Labels that are fractions must be declared in classes."
            )
    elif flat.dtype.kind == "O":
        for row, label in enumerate(flat.tolist()):
            if label is None or (isinstance(label, float) and not math.isfinite(label)):
                raise ValueError(f"Input y contains NaN or a missing label (row {row}).")
            if isinstance(label, float) and discovering and label != math.floor(label):
                raise ValueError(
                    "Unknown label type: continuous. Labels that are fractions must be declared."
                )
    elif flat.dtype.kind not in "iubU":
        raise ValueError(f"Unknown label type: {flat.dtype}. Labels are text, whole numbers or booleans.")
    return flat


def check_same_classes(classes: ArrayLike, labels: ClassCodes) -> None:
    """Refuse a later `classes=` that is not what the first call declared."""
    if not labels.declared:
        raise ValueError("classes= came too late: give it at the first call, before any label is discovered.")
    # The same list in every call is what streams do: it must not cost more than learning a row.
    if isinstance(classes, list) and all(type(label) in (int, str, bool, float) for label in classes):
        known: list[Any] = labels.book.values
        if classes == known:
            return
    given = declare(classes)
    if given.book.values != labels.book.values:
        raise ValueError(
            f"classes={given.book.values} is not the same as at the first call: {labels.book.values}. "
            "Labels are declared once; call fit to start again."
        )

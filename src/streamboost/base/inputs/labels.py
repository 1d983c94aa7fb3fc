"""Class labels: internal codes inside, `classes_` outside."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import column_or_1d

from streamboost.base.inputs.coded import CodedLabels
from streamboost.base.inputs.codes import CodeBook, check_scalar

LONGEST_LABEL = 10_000
"""Characters of a label: arrays of texts give every row the room of the longest one."""
SEVERAL = "BinaryRelevanceClassifier and OnlineBMRClassifier"
_CONTINUOUS = (
    "Unknown label type: continuous. Numbers are predicted by a regressor, such as StreamBoostRegressor; labels that are "
    "fractions must be declared in classes."
)
_MIXED = "Labels must all be text or all be numbers; {} mixes both."


class ClassCodes:
    """Labels known so far. Declared labels are coded in sorted order, discovered ones in order of appearance."""

    def __init__(self, labels: Iterable[Any] = (), *, declared: bool = False) -> None:
        self.book = CodeBook(labels)
        self.declared = declared
        self._made: tuple[NDArray[Any], NDArray[np.intp], NDArray[Any]] | None = None

    def __len__(self) -> int:
        return len(self.book)

    def extend(self, labels: list[Any]) -> None:
        """Commit labels that a successful call has discovered."""
        if labels:
            self.book.extend(labels)

    @property
    def codes(self) -> dict[Any, int] | None:
        """The codes by label; None where there are no labels but numbers."""
        return self.book.codes

    # Made when somebody asks: labels that come one by one need none of them. Threads that ask at once make the same.
    def _arrays(self) -> tuple[NDArray[Any], NDArray[np.intp], NDArray[Any]]:
        made = self._made
        if made is None or len(made[0]) != len(self.book):
            by_code = label_array(list(self.book.values))
            order = np.argsort(by_code, kind="stable")
            made = self._made = by_code, order, by_code[order]
        return made

    @property
    def by_code(self) -> NDArray[Any]:
        """Labels by code."""
        return self._arrays()[0]

    @property
    def order(self) -> NDArray[np.intp]:
        """Position in `classes` -> code."""
        return self._arrays()[1]

    @property
    def classes(self) -> NDArray[Any]:
        """Labels, sorted."""
        return self._arrays()[2]

    def encode(
        self, y: NDArray[Any] | CodedLabels, active: NDArray[np.bool_] | None
    ) -> tuple[NDArray[np.int32], list[Any]]:
        """Return codes and newly discovered labels; refuse what is not a label before anything is learned."""
        if isinstance(y, CodedLabels):
            codes, new = self.book.translate(y.codes.astype(np.intp), y.values, active, not self.declared)
        else:
            try:
                codes, new = self.book.encode(y, active, grow=not self.declared)
            except TypeError:  # no key of a dict
                for label in y.tolist():
                    if isinstance(label, dict):
                        raise TypeError(
                            f"A label in y {label!r} is of type dict; allowed are str, int, float and bool; {SEVERAL} learn "
                            "several labels of a row."
                        ) from None
                    check_scalar(label, "A label in y")
                raise
        if self.declared:
            if (codes < 0).any():
                row = int(np.argmax(codes < 0))
                raise ValueError(
                    f"y contains the label {y.tolist()[row]!r} (row {row}), which is not in classes: {self._listing()}. They are "
                    "final once they are declared, as fit and classes= do; without, partial_fit discovers them."
                )
            return codes, []
        for label in new:
            check_label(label, "A label in y")
        kinds = {isinstance(label, str) for label in (*self.book.values[:1], *new)}
        if len(kinds) > 1:
            raise ValueError(_MIXED.format("y"))
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
    flat = column_or_1d(plain_container(classes, "classes"))
    if flat.dtype.kind == "O" and len({isinstance(label, str) for label in flat.tolist()}) > 1:
        raise ValueError(_MIXED.format("y"))  # which fit declares
    labels = np.unique(flat).tolist()
    if not labels:
        raise ValueError("classes is empty; it must hold every label that may appear.")
    for label in labels:
        check_label(label, "A label in classes")
    return ClassCodes(labels, declared=True)


def read_labels(y: Any, n_rows: int, estimator: str, *, discovering: bool) -> NDArray[Any] | CodedLabels:
    """Return y as a flat array (codes stay codes) after the checks that do not need the codes."""
    if isinstance(y, CodedLabels):
        check_length(len(y), n_rows)
        return y
    if y is None:
        raise ValueError(f"{estimator} requires y to be passed, but the target y is None.")
    plain = type(y) is np.ndarray and y.ndim == 1
    shape: tuple[int, ...] = getattr(y, "shape", ())
    if len(shape) == 2 and shape[1] > 1:
        raise ValueError(
            f"y should be a 1d array, got an array of shape {tuple(shape)} instead; {SEVERAL} learn several labels of a row."
        )
    flat: NDArray[Any] = y if plain else column_or_1d(plain_container(y, "y"), warn=True)
    check_length(len(flat), n_rows)
    if flat.dtype.kind == "f":
        if not np.isfinite(flat).all():
            raise ValueError(f"Input y contains NaN or infinity (row {int(np.argmin(np.isfinite(flat)))}).")
        if discovering and (flat != np.floor(flat)).any():
            raise ValueError(_CONTINUOUS)
    elif flat.dtype.kind == "O":
        for row, label in enumerate(flat.tolist()):
            if label is None or (isinstance(label, float) and not math.isfinite(label)):
                raise ValueError(f"Input y contains NaN or a missing label (row {row}).")
            if isinstance(label, float) and discovering and label != math.floor(label):
                raise ValueError(_CONTINUOUS)
    elif flat.dtype.kind not in "iubU":
        raise ValueError(f"Unknown label type: {flat.dtype}. Labels are text, whole numbers or booleans.")
    return flat


def label_array(labels: Sequence[Any]) -> NDArray[Any]:
    """Return labels as an array that holds every one of them exactly."""
    if labels and all(isinstance(label, int) and not isinstance(label, bool) for label in labels):
        low, high = min(labels), max(labels)
        if high >= 2**63 and low >= 0:
            return np.array(labels, dtype=np.uint64)
        if high >= 2**63:
            raise ValueError(f"The labels {low} and {high} fit no common type of NumPy; make them text.")
    return np.array(labels)


def check_label(label: Any, what: str) -> None:
    """Refuse what cannot be a label: it must come back from arrays and files as it went in."""
    check_scalar(label, what)
    if isinstance(label, int) and not -(2**63) <= label < 2**64:
        raise ValueError(f"{what} is {label}; whole numbers have at most 64 bits. Make it text.")
    if isinstance(label, str) and len(label) > LONGEST_LABEL:
        raise ValueError(
            f"{what} has {len(label):,} characters ({label[:40]!r}...); at most {LONGEST_LABEL:,} are allowed."
        )


def plain_container(y: Any, what: str) -> Any:
    """Labels of all kinds of containers as an array that has lost nothing; what is left alone NumPy reads rightly."""
    if isinstance(y, np.ma.MaskedArray):
        hidden = np.ma.getmaskarray(y).ravel()
        if hidden.any():
            row = int(np.argmax(hidden))
            raise ValueError(f"{what} is masked in row {row}: a missing label. Leave such rows out.")
        return y.data
    if isinstance(y, list | tuple):
        kinds = {type(label) for label in y}
        if str in kinds and kinds & {int, float, bool}:  # NumPy would make one text of '1' and 1
            raise ValueError(_MIXED.format(what))
        exact = kinds <= {str, int, bool}
        if exact and (any(isinstance(v, str) and v.endswith("\0") for v in y) or _is_wide(y)):
            array = np.empty(len(y), dtype=object)
            array[:] = y
            return array
        return y
    if hasattr(y, "dtype") and not isinstance(y, np.ndarray):
        return _series(y, what)
    return y


def _is_wide(labels: Sequence[Any]) -> bool:
    return any(isinstance(label, int) and not -(2**63) <= label < 2**63 for label in labels)


def _series(y: Any, what: str) -> Any:
    """A series of pandas, polars or Arrow: its nullable types are no floats."""
    import narwhals as nw

    series: Any = nw.from_native(y, series_only=True, pass_through=True)
    if not isinstance(series, nw.Series):
        return y
    if series.is_null().any():
        row = int(np.argmax(series.is_null().to_numpy()))
        raise ValueError(f"Input {what} contains NaN or a missing label (row {row}).")
    if series.dtype.is_integer():
        unsigned = series.dtype.is_unsigned_integer()
        return np.asarray(series.to_numpy(), dtype=np.uint64 if unsigned else np.int64)
    if series.dtype == nw.Boolean:
        return np.asarray(series.to_numpy(), dtype=np.bool_)
    if series.dtype == nw.String:
        return label_array(series.to_list())
    return y


def check_length(n_labels: int, n_rows: int) -> None:
    """Refuse labels that are more or fewer than the rows."""
    if n_labels != n_rows:
        raise ValueError(
            f"Found input variables with inconsistent numbers of samples: [{n_rows}, {n_labels}]"
        )


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

"""Numbers to predict: what a regressor has in the place of class labels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import column_or_1d

from streamboost.base.inputs.arrays import LARGEST
from streamboost.base.inputs.coded import CodedLabels
from streamboost.base.inputs.labels import ClassCodes, check_length, plain_container


class Numbers(ClassCodes):
    """Stands where a classifier has its labels: there is nothing to discover, and an answer is what it is.

    To the core a regressor has one class, declared, which every row belongs to.
    """

    def __init__(self) -> None:
        super().__init__(declared=True)

    @property
    def order(self) -> NDArray[np.intp]:
        """One column of answers."""
        return np.zeros(1, np.intp)

    def __len__(self) -> int:
        return 1

    @property
    def codes(self) -> dict[Any, int] | None:
        """There are none."""
        return None

    def encode(self, y: Any, active: NDArray[np.bool_] | None) -> tuple[NDArray[Any], list[Any]]:
        """Return the targets themselves."""
        return y, []

    def decode(self, codes: NDArray[Any]) -> NDArray[Any]:
        """Return the answers themselves."""
        return codes


def read_targets(y: Any, n_rows: int, estimator: str, above: float | None = None) -> NDArray[np.float64]:
    """Return y as numbers, or say which row holds none, or one that is not `above`."""
    if y is None:
        raise ValueError(f"{estimator} requires y to be passed, but the target y is None.")
    y = np.asarray(y) if isinstance(y, CodedLabels | list | tuple) else y
    flat: NDArray[Any] = column_or_1d(plain_container(y, "y"), warn=True)
    check_length(len(flat), n_rows)
    if flat.dtype.kind not in "fiubO":
        row = next((row for row, value in enumerate(flat.tolist()) if not _is_number(value)), 0)
        raise ValueError(
            f"y must hold numbers, but it holds {flat[row].item()!r} (row {row}): {estimator} predicts numbers. Use a "
            "classifier for labels."
        )
    if flat.dtype.kind == "O":
        flat = np.array([_number(value, row) for row, value in enumerate(flat.tolist())], dtype=np.float64)
    numbers = np.ascontiguousarray(flat, dtype=np.float64)
    wrong = ~(np.abs(numbers) <= LARGEST)
    if wrong.any():
        row = int(np.argmax(wrong))
        value = float(numbers[row])
        if np.isnan(value):
            raise ValueError(
                f"Input y contains NaN: the target of row {row} is missing. Leave such rows out, or give them weight 0 and any "
                "number."
            )
        if np.isinf(value):
            raise ValueError(f"Input y contains infinity (row {row}): targets must be finite numbers.")
        raise ValueError(
            f"y contains {value:.3g} (row {row}); targets must lie between -{LARGEST:.0e} and {LARGEST:.0e}. "
            "Rescale them, or predict their logarithm."
        )
    if above is not None and not (numbers > above).all():
        row = int(np.argmax(~(numbers > above)))
        raise ValueError(
            f"y contains {float(numbers[row]):.3g} (row {row}); with target='log1p' targets must be above {above:g}. "
            "Use target='raw'."
        )
    return numbers


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True


def _number(value: Any, row: int) -> float:
    if value is None:
        return float("nan")
    if isinstance(value, str | bytes) or not hasattr(value, "__float__"):
        raise ValueError(f"y must hold numbers, but row {row} holds {value!r}.")
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")
    except (TypeError, ValueError) as error:
        raise ValueError(f"y must hold numbers, but row {row} holds {value!r}.") from error

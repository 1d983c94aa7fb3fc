"""Answers of the core as users read them: codes become labels, columns take the order of ``classes_``.

What is asked for has a name:

    label              the most likely class of each row
    proba score votes  a column for each class
    both               probabilities, and the label in the last column
    full               scores, probabilities, and the label in the last column; the user gets probabilities and scores
    row                as both, of a single row: the user gets its label and a dict of probabilities
    number             what a regressor answers
    set:i interval:i   the set of classes, or the two ends, for the i-th of the model's coverages
    none               nothing: the rows are only learned
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from streamboost.base.inputs.labels import ClassCodes

FLAT = ("label", "number")
"""Answers that are one value per row."""


def name_in_core(answer: str) -> str:
    """Return what the core calls an answer: a single row is asked like many."""
    return "both" if answer == "row" else answer


def unknown(n_rows: int, answer: str) -> NDArray[Any]:
    """Answers while no class is known."""
    if answer == "label":
        return np.full(n_rows, -1, np.int32)
    return np.full((n_rows, 1 if answer == "both" else 0), np.nan)


def no_answers(answer: str, labels: ClassCodes) -> Any:
    """Answers to no rows at all."""
    if answer == "none":
        return None
    if answer == "number":
        return np.empty(0)
    if answer.startswith("interval:"):
        return np.empty((0, 2))
    if answer == "full":
        return np.empty((0, len(labels))), np.empty((0, len(labels)))
    raw = np.empty(0, np.int32) if answer == "label" else np.empty((0, len(labels) + (answer == "both")))
    return present(raw, answer, labels)


def join(parts: list[NDArray[Any]], answer: str) -> NDArray[Any]:
    """The answers of pieces as those of one call: a class that a piece did not know has probability and score 0."""
    if len(parts) == 1:
        return parts[0]
    if answer in FLAT:
        return np.concatenate(parts)
    width = parts[-1].shape[1]
    return np.concatenate([_widened(part, width, answer) for part in parts])


def _widened(part: NDArray[np.float64], width: int, answer: str) -> NDArray[np.float64]:
    if part.shape[1] == width:
        return part
    code = [part[:, -1:]] if answer == "both" else []
    known = part[:, :-1] if answer == "both" else part
    nothing = np.isnan(known).all(axis=1)  # also true without any column
    rest = np.zeros((len(part), width - part.shape[1]))
    rest[nothing] = np.nan
    return np.hstack([known, rest, *code])


def present(raw: NDArray[Any], answer: str, labels: ClassCodes) -> Any:
    """Codes become labels, columns take the order of ``classes_``."""
    if answer.startswith("set:"):
        return raw[:, labels.order] == 1.0
    if answer.startswith("interval:"):
        return raw
    if answer == "full":
        return raw[:, len(labels) : 2 * len(labels)][:, labels.order], raw[:, : len(labels)][:, labels.order]
    if answer == "both":
        codes = np.where(np.isnan(raw[:, -1]), -1, raw[:, -1]).astype(np.int32)
        return labels.decode(codes), raw[:, :-1][:, labels.order]
    return labels.decode(raw) if answer in FLAT else raw[:, labels.order]


def present_row(raw: NDArray[np.float64], labels: ClassCodes, known: int) -> tuple[Any, dict[Any, float]]:
    """The label of one row, None while no class is known, and the probability of each of the first ``known`` classes."""
    values, code = labels.book.values, raw[-1]
    proba = {values[c]: float(raw[c]) for c in labels.order.tolist() if c < known}
    return values[int(code)] if code >= 0 else None, proba

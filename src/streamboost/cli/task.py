"""What a file asks for: which column is predicted, whether that is classification or regression, and the metrics of either."""

from __future__ import annotations

import os
import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from streamboost.cli.console import stderr
from streamboost.cli.run import warn
from streamboost.streams import Stream
from streamboost.streams.datasets.registry import registered

LOOKED_AT, FEW, OFTEN, MANY = 1_000, 20, 3, 200
"""Of the first so many labels: so few values are classes whatever they are; others must occur so often each.
With more than so many texts it is said that they make learning slow."""
_SETS = re.compile(r"(?i)labels?[:_.]\w")
_WITH_UNIT = re.compile(r"[-+]?[\d.,]*\d *[^\d\s.,:/-]{1,6}$")
_QUANTITY = re.compile(
    r"(?i)(^|[^a-z])(count|cnt|number|quantity|qty|amount|total|sum|price|cost|sales|demand|load|volume|duration|"
    r"temperature|temp|age|income|revenue)s?$"
)


def guessed_task(data: str, stream: Stream) -> tuple[str | None, str]:
    """``regression`` if the labels look like numbers to predict, else None; and why.

    Standard input and pipes cannot be looked at ahead, and what the registered sets hold is known.
    """
    if is_known(data):
        return None, ""
    if not stream.repeatable or stream.classes is not None:
        return None, "text" if stream.labels_are_text else ""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # warnings about the data come when they are read
        first = next(iter(stream.chunks(LOOKED_AT)), None)
    if first is None:
        return None, ""
    if first.y.dtype.kind not in "fiu":
        n_labels = np.unique(first.y).size
        if n_labels > MANY:
            unit = next((str(label) for label in first.y if _WITH_UNIT.match(str(label))), None)
            advice = (
                "" if unit is None else f" Numbers to predict are written without a unit, not as {unit!r}."
            )
            warn(
                f"{n_labels:,} different labels in the first {len(first):,} rows: each is a class, and the time for a row grows "
                f"with their number; if another column is the label, --label names it.{advice}"
            )
        return None, "text"
    values, counts = np.unique(first.y[np.isfinite(first.y)], return_counts=True)
    if values.size <= FEW:
        return None, "1 value" if values.size == 1 else f"{values.size} values"
    if not is_quantity(getattr(stream, "label_name", None)) and are_classes(values, counts):
        return None, f"{values.size} whole numbers in a row that repeat often"
    return "regression", f"numbers with more than {FEW} values"


def is_quantity(name: str | None) -> bool:
    """Whether a column is named as one that counts or measures something."""
    return name is not None and _QUANTITY.search(name) is not None


def are_classes(values: npt.NDArray[Any], counts: npt.NDArray[np.int64]) -> bool:
    """Whether more than a few numbers are names of classes.

    Those are whole ones that begin at 0 or 1 and fill their range, nearly all of them often.
    """
    whole = bool((values == np.round(values)).all()) and values[0] in (0, 1)
    fills = values.size >= 0.9 * (float(values[-1]) - float(values[0]) + 1)
    return whole and fills and bool((counts >= OFTEN).mean() >= 0.9)


def is_known(data: str) -> bool:
    """Whether a data set is one of the registered ones, by its name or by its file."""
    return data in registered() or (
        os.path.isfile(data) and any(entry.recognises(Path(data)) for entry in registered().values())
    )


def say_task(stream: Stream, task: str, why: str = "") -> None:
    """Say what is predicted, and how to say otherwise."""
    name, found = getattr(stream, "label_name", None), getattr(stream, "label_why", "")
    if name is None and not why:
        return
    column = "the label" if name is None else f"column {name!r}" + (f" ({found})" if found else "")
    flags = ["--label"] * (name is not None) + ["--task"]
    stderr().print(
        f"streamboost: {os.path.basename(stream.name)}: {task} of {column}{f', {why}' if why else ''}; "
        f"{' and '.join(flags)} say{'s' * (len(flags) == 1)} otherwise",
        highlight=False,
        markup=False,
        soft_wrap=True,
    )
    more = [column for column in stream.feature_names or () if name and _SETS.match(column)]
    if more and _SETS.match(name or ""):
        warn(
            f"{len(more)} more column{'s are' if len(more) > 1 else ' is'} named as labels are, like {name!r}, and the model "
            f"learns from {'them' if len(more) > 1 else 'it'}; --labels 'label:*' learns sets of labels, and --drop leaves "
            "columns out."
        )


def chosen_metrics(text: str | None, task: str) -> tuple[str, ...]:
    """The names of metrics as written, if there are such."""
    from streamboost.evaluate.tasks import TASKS

    names: Any = [] if text is None else "all" if text == "all" else text.split(",")
    return tuple(metric.name for metric in TASKS[task].metrics.choose(names))

"""What a file asks for: classification or regression; and the metrics of either."""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from streamboost.cli.console import stderr
from streamboost.streams import Stream
from streamboost.streams.datasets.registry import registered

LOOKED_AT, FEW = 1_000, 20
"""Labels that are numbers are taken for targets if the first so many have more than so many values."""


def guessed_task(data: str, stream: Stream) -> str | None:
    """``regression``, said aloud with the way out, if the labels look like numbers to predict; else None.

    Standard input and pipes cannot be looked at ahead, and what the registered sets hold is known.
    """
    path = Path(data)
    known = data in registered() or (
        path.is_file() and any(entry.recognises(path) for entry in registered().values())
    )
    if known or not stream.repeatable or stream.labels_are_text or stream.classes is not None:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what there is to say of the data is said when they are read
        first = next(iter(stream.chunks(LOOKED_AT)), None)
    if first is None or first.y.dtype.kind not in "fiu" or np.unique(first.y).size <= FEW:
        return None
    stderr().print(
        f"streamboost: the labels of {os.path.basename(data)} are numbers with more than {FEW} values in the first "
        f"{LOOKED_AT:,} rows: regression (--task classification, if they are classes)",
        highlight=False,
        markup=False,
        soft_wrap=True,
    )
    return "regression"


def chosen_metrics(text: str | None, task: str) -> tuple[str, ...]:
    """The names of metrics as written, if there are such."""
    from streamboost.evaluate.tasks import TASKS

    names: Any = [] if text is None else "all" if text == "all" else text.split(",")
    return tuple(metric.name for metric in TASKS[task].metrics.choose(names))

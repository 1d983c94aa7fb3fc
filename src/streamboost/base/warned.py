"""What users are warned of, each thing once: rows that are odd, and memory that was short."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from streamboost.base.inputs.codes import MOST_CATEGORIES
from streamboost.base.inputs.encoding import CodedRows, largest_magnitude
from streamboost.base.inputs.schema import Growth, Schema
from streamboost.base.inputs.word_columns import SOON_SHARE, TEXT, guess_words

UNSCALED = 10.0
"""Beyond this a linear learner without scaling deserves a word."""


@dataclass
class Warned:
    """What was warned of already."""

    unscaled: bool = False
    """Values are large, and the learner does not scale them."""
    capped: set[int] = field(default_factory=set)
    """Columns with more categories than are kept."""
    unlabeled: bool = False
    """Rows came without labels."""
    memory_limit: bool = False
    """Trees have reached the limit that was set for them."""
    no_memory: bool = False
    """The machine had no memory for trees to grow."""

    def copy(self) -> Warned:
        """Return one that goes its own way."""
        return replace(self, capped=set(self.capped))


def warn_user(message: str) -> None:
    """Warn at the line outside this package that led here. Where warnings are errors this raises one."""
    frame, level = sys._getframe(), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "streamboost":
        frame, level = frame.f_back, level + 1
    warnings.warn(message, UserWarning, stacklevel=level)


def warn_of_scale(rows: CodedRows, active: NDArray[np.bool_] | None, schema: Schema, learner: str) -> bool:
    """Warn of values that are large for a learner that does not scale them; whether there are any."""
    largest = largest_magnitude(rows, schema)
    if largest > UNSCALED and active is not None:
        largest = largest_magnitude(rows, schema, active)
    if not largest > UNSCALED:
        return False
    warn_user(
        f"X holds values as large as {largest:.3g}, and {learner} has scale='none'. Linear learners expect features of about "
        "the same small size: scale X, or set scale='maxabs' or scale='standard'."
    )
    return True


def warn_of_capped(schema: Schema, columns: list[int]) -> None:
    """Warn of nominal columns with more values than are kept."""
    for column in columns:
        warn_user(
            f"{schema.title(column)} has more than {MOST_CATEGORIES} different values; values that came after those are treated "
            "as missing. A column of identifiers says little: leave it out, group its values, or let StreamBoostClassifier read "
            "it as identifiers (identifier_features=)."
        )


def looking_like_texts(growth: Growth, schema: Schema, n_rows: int) -> Iterator[str]:
    """Yield advice on columns that have just got too many values and look like texts.

    Nothing is guessed of rows that come one by one: such a column has that many values long before there are as many rows as a
    guess is made from.
    """
    for column in growth.twins.values():
        book = schema.books[column]
        values = [] if book is None else [value for value in book.values if isinstance(value, str)]
        if len(values) > SOON_SHARE * n_rows and guess_words(values, n_rows) == TEXT:
            name = schema.names[column] if schema.names else column
            yield (
                f"{schema.title(column)} has more than {len(values)} different values, and looks like texts: the model would "
                f"learn more from its words (text_features=[{name!r}])."
            )

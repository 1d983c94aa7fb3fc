"""Experts over hashed words and identifiers, which join the default where columns hold some."""

from __future__ import annotations

import math
from typing import Any, TypedDict

from streamboost.base.inputs.schema import Schema
from streamboost.base.inputs.word_columns import TEXT
from streamboost.base.parameter import NONE, numbers, parameter

BITS = 18
"""Each expert has a table of 2^18 places, which tokens are hashed into; of fewer where there is no memory for so many."""
BYTES_OF_PLACE = 160
"""With more than two classes: 16 weights, those of two classes, and what is known of the numbers there."""
INFORMATION = 0.03
"""A row with this chance that two draws from the answer differ, or a higher one, fades the pool's memory in full."""
VIEWS_OF_TEXT = ("words", "pairs", "characters")
VIEWS_OF_IDENTIFIERS = ("words", "crosses")

WORD_FEATURES = (
    parameter(
        "text_features",
        [numbers("array-like"), NONE],
        "Columns of texts, by names or numbers: messages, titles, addresses. None: in files and frames the first 1,000 rows "
        "tell (more than half of the texts different, three words or 20 characters on average).",
        to_core=False,
        default=None,
    ),
    parameter(
        "identifier_features",
        [numbers("array-like"), NONE],
        "Columns of identifiers, by names or numbers: users, products, addresses of machines. None: in files and frames text "
        "columns that are no texts and have more than 200 different values in the first 1,000 rows.",
        to_core=False,
        default=None,
    ),
)


class WordOptions(TypedDict, total=False):
    """Of models that read words."""

    text_features: Any
    identifier_features: Any


def holds_words(columns: Schema) -> bool:
    """Return whether some columns are texts or identifiers."""
    return bool(columns.words or columns.declared_words)


def hashed_experts(columns: Schema, kind: str, max_bytes: int) -> tuple[dict[str, Any], ...]:
    """Return the experts that join a pool where columns hold words; `kind`: hashed, or hashed_regressor."""
    found = {*columns.words.values(), *columns.declared_words.values()}
    views = VIEWS_OF_TEXT if TEXT in found else VIEWS_OF_IDENTIFIERS if found else ()
    bits = min(BITS, max(8, int(math.log2(max(1, max_bytes // (BYTES_OF_PLACE * max(1, len(views))))))))
    return tuple(
        {
            "name": f"hashed-{view}",
            "learner": "",
            "params": {},
            "guard": {},
            "booster": kind,
            "booster_params": {"view": view, "bits": bits},
            "size": 1,
        }
        for view in views
    )

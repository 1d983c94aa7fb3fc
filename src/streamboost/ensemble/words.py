"""Experts over hashed words and identifiers: the default models add them when columns hold text or identifiers."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, TypedDict

from streamboost.base.inputs.schema import Schema
from streamboost.base.inputs.word_columns import TEXT
from streamboost.base.parameter import parameter, whole
from streamboost.base.params import BoosterPlan
from streamboost.ensemble.common import MemoryShares
from streamboost.learners.hashed import WORD_FEATURES

BITS = 18
"""Each expert has a table of 2^18 places, which tokens are hashed into; of fewer where there is no memory for so many."""
BYTES_OF_PLACE = 152
"""With more than two classes: 16 weights, those of two classes, and what is known of the numbers there."""
CROSS_BITS = 2
"""There are many crosses: in classification the tables of experts that see them have so many bits more."""
BYTES_OF_SHARES = 16
"""Past shares have two counts."""
WITH_CROSSES = {"crosses": 4 * 24 + 128, "shares": 4 * BYTES_OF_SHARES}
"""Of experts that see crosses, for each place that the others have, more than two classes included."""
BYTES_OF_STATISTICS = 32
"""Of target statistics: rows, and those of three classes."""
SCORE_BITS = 2
"""The score that trees see has a table of so many bits less."""
LATE_SHARE = 0.8
"""Of the memory for columns, values and classes: tables of experts that join when a nominal column has too many values."""
INFORMATION = 0.03
"""A row with this chance that two draws from the answer differ, or a higher one, fades the pool's memory in full."""
VIEWS_OF_TEXT = ("words", "pairs", "characters"), ("shares",)
VIEWS_OF_IDENTIFIERS = ("words", "crosses"), ("shares",)
VIEWS_OF_MANY = ("words",), ("scaled", "shares")
"""Views, and more that files of 1.0.0 may not have."""


WORD_OPTIONS = (
    *WORD_FEATURES,
    parameter(
        "max_tree_columns",
        whole("[1, inf)"),
        "With text columns, or sparse rows that are wider, trees, nearest neighbours and the other experts use at most "
        "this many columns: the first ones. Experts over hashed tokens use all of them.",
        to_core=False,
        default=256,
    ),
)


class WordOptions(TypedDict, total=False):
    """Options of models that read words."""

    text_features: Any
    identifier_features: Any
    max_tree_columns: int


FORGETTING = {"referee": False, "by_loss": False, "information": INFORMATION}
"""Settings of every pool where columns hold words: no expert answers alone, and rows that were never in doubt are not counted."""
WINDOWS = 4
"""The pool around all experts remembers so many times the `window`: few rows tell who knows which words."""
POOL_OF_ALL = {
    **FORGETTING,
    "first_alone": False,
    "prior": 50.0,
    "refill": 1.0,
    "least": 0.0,
    "most": 4.0,
    "caution": 0.0,
}


def has_temperature(columns: Schema) -> bool:
    """Whether the pool of all ends with a temperature: in files of 1.0.0. Its weights may add up to anything."""
    joined = any(name.startswith("columns/") for name in columns.stored)
    return joined and "pool/temperature" in columns.stored


def are_wide(columns: Schema, most: int) -> bool:
    """Whether a column holds texts, identifiers or codes, or is to hold some; or rows are sparse, and have very many columns."""
    words = columns.words.keys() - columns.twins.keys()  # these were nominal when the model began
    return bool(words or columns.declared_words or columns.codes) or _many(columns, most)


def _many(columns: Schema, most: int) -> bool:
    return columns.sparse and columns.d0 > most


def for_open_rows(
    plan: BoosterPlan, columns: Schema, most: int, kind: str, pool: dict[str, Any], memory: MemoryShares
) -> BoosterPlan:
    """Return the plan of a model whose rows are not wide; they may become so where they are dicts or have nominal columns."""
    if not columns.turns:
        return plan
    views = _views(VIEWS_OF_IDENTIFIERS, columns, kind)
    place = _bytes_of_place(views) + BYTES_OF_PLACE / 2**SCORE_BITS + BYTES_OF_STATISTICS
    room = memory.words if memory.rest is None else LATE_SHARE * memory.rest
    bits = _bits(room, place)
    encoding = _encoding(max(most, columns.d0), bits - SCORE_BITS, open=True)
    if room < 2**bits * place:  # values that are too many stay missing there
        columns.turns = False
        return replace(plan, encoding=encoding)
    return replace(
        plan,
        encoding=encoding,
        whole_companions=_experts(views, kind, bits, pool, late=True),
        whole_pool=pool,
    )


def _views(both: tuple[tuple[str, ...], tuple[str, ...]], columns: Schema, kind: str) -> tuple[str, ...]:
    """Return them; a model from a file has the experts that it had, and shares are those of classes."""
    first, more = both
    *_, mark = first
    stored = {view for view in (mark, *more) if any(f"hashed-{view}/" in name for name in columns.stored)}
    if stored == {mark}:
        return first
    return (*first, *(view for view in more if kind == "hashed" or view != "shares"))


def _larger(views: tuple[str, ...]) -> dict[str, int]:
    """Return the bytes of the experts that see crosses, and larger tables therefore."""
    return WITH_CROSSES if {*WITH_CROSSES} <= {*views} else {}


def _bytes_of_place(views: tuple[str, ...]) -> float:
    """Return what these experts have for each place of a table that has no crosses."""
    own = {"shares": BYTES_OF_SHARES, **_larger(views)}
    return float(sum(own.get(view, BYTES_OF_PLACE) for view in views))


def _bits(memory: float, place: float) -> int:
    """Return how large tables may be in such a memory, with so many bytes for each place."""
    return min(BITS, max(8 + SCORE_BITS, int(math.log2(max(1.0, memory / place)))))


def _encoding(most: int, score_bits: int, *, sparse: bool = False, open: bool = False) -> dict[str, Any]:
    return {"most_columns": most, "sparse": sparse, "score_bits": score_bits, "open": open}


def for_columns(
    plan: BoosterPlan, columns: Schema, most: int, kind: str, pool: dict[str, Any], memory: MemoryShares
) -> BoosterPlan:
    """Return the plan as wide rows want it. most: columns that trees see; kind: hashed, or hashed_regressor."""
    many, found = _many(columns, most), {*columns.words.values(), *columns.declared_words.values()}
    own = VIEWS_OF_MANY if many else VIEWS_OF_TEXT if TEXT in found else VIEWS_OF_IDENTIFIERS
    views = _views(own, columns, kind)
    scores = many or TEXT in found
    bits = _bits(memory.words, _bytes_of_place(views) + scores * BYTES_OF_PLACE / 2**SCORE_BITS)
    return replace(
        plan,
        encoding=_encoding(most, (bits - SCORE_BITS) * scores, sparse=many),
        whole_companions=_experts(views, kind, bits, pool, newton=scores),
        whole_pool=pool,
        max_bytes=memory.rest,
    )


def _experts(
    views: tuple[str, ...],
    kind: str,
    bits: int,
    pool: dict[str, Any],
    *,
    newton: bool = False,
    late: bool = False,
) -> tuple[dict[str, Any], ...]:
    def params(view: str) -> dict[str, Any]:
        own = bits + CROSS_BITS * (view in _larger(views))
        if view == "shares":
            of_words = "crosses" not in views
            return {"bits": own, "window": pool["window"], "information": INFORMATION, "words": of_words}
        return {"view": view, "bits": own, "window_bits": bits, "newton": newton, "late": late}

    return tuple(
        {
            "name": f"hashed-{view}",
            "learner": "",
            "params": {},
            "guard": {},
            "booster": "hashed_shares" if view == "shares" else kind,
            "booster_params": params(view),
            "size": 1,
        }
        for view in views
    )

"""How much each word contributes to the contribution of a text column: Shapley values among the words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streamboost.base.inputs.encoding import CodedRows
from streamboost.base.inputs.word_columns import TEXT
from streamboost.base.session import Session

N_ORDERS = 8
"""Orders in which words come in: drawn ones, each followed by the same backwards."""
MOST_WORDS = 64
"""The number of different words of a text that get a share of their own; all further ones share one."""
OTHERS = "other words"

_NO_WORD = (
    r"\0-/:-@\[-^`{-\xa9\xab-\xb4\xb6-\xb9\xbb-\xbf\xd7\xf7\u1680\u2000-\u200a\u2010-\u206f\u20a0-\u2bff\u3000-\u303f"
    r"\ufe10-\ufe6f\uff00-\uff0f\uff1a-\uff20"
)
"""As in core: words/fold.hpp."""
_HAN, _HIRAGANA, _KATAKANA = (
    r"\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff",
    r"\u3041-\u309f",
    r"\u30a0-\u30ff\uff66-\uff9f",
)
WORD = re.compile(f"[{_HAN}]{{1,2}}|[{_HIRAGANA}]+|[{_KATAKANA}]+|[^{_NO_WORD}{_HAN}{_HIRAGANA}{_KATAKANA}]+")
"""Where no spaces are written a piece ends with its script, and one of Han after two characters."""


def word_shares(
    session: Session, rows: CodedRows, codes: NDArray[np.int32], contributions: NDArray[np.float64]
) -> list[dict[Any, dict[str, float]]]:
    """Of each row and each of its texts: the words, and what each adds to the score; they sum to the column's contribution.

    codes: of the classes whose scores are explained; below 0 where numbers are.
    """
    columns = list(session.schema.words)
    names = session.schema.names or range(session.schema.width)
    found = []
    for r in range(rows.n_rows):
        row = rows.cut(r, r + 1)
        shares = {}
        for place, column in enumerate(columns):
            text = None if row.words is None else row.words[place]
            if session.schema.words[column] != TEXT or text is None:
                continue
            parts = _parts(text)
            if parts:
                gains = _gains(session, row, place, text, parts, int(codes[r]))
                shares[names[column]] = dict(
                    zip(parts, _settled(gains, float(contributions[r, column])), strict=True)
                )
        found.append(shares)
    return found


def _parts(text: str) -> dict[str, list[tuple[int, int]]]:
    """The different words of a text, each with where it stands up to the next word."""
    found = list(WORD.finditer(text))
    ends = [*(match.start() for match in found[1:]), len(text)]
    parts: dict[str, list[tuple[int, int]]] = {}
    for match, end in zip(found, ends, strict=False):  # without words there is one end too many
        name = match.group().lower()
        known = name in parts or len(parts) < MOST_WORDS
        parts.setdefault(name if known else OTHERS, []).append((match.start(), end))
    return parts


def _gains(
    session: Session,
    row: CodedRows,
    place: int,
    text: str,
    parts: dict[str, list[tuple[int, int]]],
    code: int,
) -> NDArray[np.float64]:
    """How much the score gains when a word comes in, the mean over the orders."""
    stretches = list(parts.values())
    before = text[: stretches[0][0][0]]
    random, n = np.random.default_rng(session.seed), len(stretches)
    orders: list[list[int]] = []
    while len(orders) < N_ORDERS:
        order = random.permutation(n).tolist()
        orders += [order, order[::-1]]
    texts = []
    for order in orders:
        for size in range(n + 1):
            kept = sorted(stretch for word in order[:size] for stretch in stretches[word])
            texts.append(before + "".join(text[start:end] for start, end in kept))
    scores = _scores(session, row, place, texts, code).reshape(len(orders), n + 1)
    gains = np.zeros(n)
    for order, steps in zip(orders, np.diff(scores, axis=1), strict=True):
        gains[order] += steps / len(orders)
    return gains


def _scores(
    session: Session, row: CodedRows, place: int, texts: Sequence[str], code: int
) -> NDArray[np.float64]:
    assert row.dense is not None
    assert row.words is not None
    cells = [cell for text in texts for cell in (*row.words[:place], text, *row.words[place + 1 :])]
    rows = CodedRows(len(texts), dense=np.repeat(row.dense, len(texts), axis=0), words=cells).native
    if code < 0:
        numbers: NDArray[np.float64] = session.model.ask(rows, "number")
        return numbers
    scores: NDArray[np.float64] = session.model.ask(rows, "score")
    return scores[:, code] - (scores[:, 1 - code] if scores.shape[1] == 2 else 0.0)


def _settled(gains: NDArray[np.float64], whole: float) -> list[float]:
    """What is left between their sum and the column's contribution goes to the words by their size."""
    sizes = np.abs(gains)
    shares = sizes / sizes.sum() if sizes.sum() > 0 else np.full(len(gains), 1 / len(gains))
    settled: list[float] = (gains + shares * (whole - gains.sum())).tolist()
    return settled

"""Columns of words: texts and identifiers, which have no codes. Their cells reach the core as they are, and it hashes them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from streamboost.base.inputs.cells import is_missing, plain

TEXT, IDENTIFIER, CODE = "text", "identifier", "code"
KINDS = {TEXT: -2, IDENTIFIER: -3, CODE: -4}
"""How the core is told the kind of such a column, where others have -1 or their number of categories. A code is a number and
an identifier at once, and no word."""
MANY_VALUES = 100
"""Different values among the first 1,000 that make an identifier of a column that is no text."""
MANY_IN_DICTS = 200
"""Different values of all that have come, from which a nominal column of dicts becomes one of identifiers, too."""
FEW_CODES, MANY_CODES = 10, 16
"""Codes have more different values than this, by their name or by their values."""
WORDS_OF_TEXT, CHARACTERS_OF_TEXT = 3, 20
"""A text has so many words or characters on average, and more than half of the texts are different."""
NEW_SHARE, NEW_SHARE_OF_PARTS = 0.95, 0.9
"""Where more of many values are different, the whole value tells nothing: it is a text, whose parts may come again. Values of
more than PARTS words on average (`libfoo-dev`, `a.b@c.org`) have such parts in sight."""
PARTS = 1.5

SOON_SHARE = 5 / 6
"""A share of different values among the first 240 rows from which more than half are expected among the first 1,000: that
of 620 values which are all as frequent."""

_CODES = (*"id ip code zip key nbr sku ean upc isbn asin".split(),)
_THINGS = (
    *"user customer client member visitor buyer seller merchant vendor supplier account card patient employee".split(),
    *"player team item product brand category movie film book song artist author article campaign advertiser".split(),
    *"publisher site domain host node device station store shop dept department branch hotel restaurant school".split(),
    *"airport carrier city county district region country postcode".split(),
)
"""Whole numbers in a column that is called as one thing are the number of that thing; how many there are has a plural."""
_CODE_NAME = re.compile(
    rf"(?i:(^|[^a-z])({'|'.join(_CODES + _THINGS)}))$|[a-z]({'|'.join(map(str.capitalize, _CODES + _THINGS))}|ID|IP)$"
)
_PART = re.compile(r"\w+")


@dataclass(frozen=True)
class WordFeatures:
    """The columns of words that the user names, by name or number; None leaves it to the first rows of a file or frame."""

    text: Sequence[Any] | None = None
    identifier: Sequence[Any] | None = None

    def named(self) -> dict[Any, str]:
        """The kind of each column that is named."""
        found: dict[Any, str] = {}
        for option, kind, entries in (
            ("text_features", TEXT, self.text),
            ("identifier_features", IDENTIFIER, self.identifier),
        ):
            for entry in entries or ():
                name = plain(entry)
                if isinstance(name, bool) or not isinstance(name, str | int):
                    raise ValueError(f"{option} contains {entry!r}; allowed are names and column numbers.")
                if found.setdefault(name, kind) != kind:
                    raise ValueError(f"The column {name!r} is in text_features and in identifier_features.")
        return found

    def columns(self, names: Sequence[Any] | None, width: int, guessed: Mapping[int, str]) -> dict[int, str]:
        """The kind of each column of words, by its number: what is said comes before what was guessed."""
        found = dict(guessed)
        for name, kind in self.named().items():
            if names is not None and name in names:
                found[list(names).index(name)] = kind
            elif isinstance(name, int) and -width <= name < width:
                found[name % width] = kind
            else:
                known = "X has no column names" if names is None else f"the columns are {list(names)[:10]}"
                raise ValueError(
                    f"{kind}_features contains {name!r}, but {known} and there are {width} columns."
                )
        return found


def guess_words(values: Collection[str], n_rows: int) -> str | None:
    """Text or identifier, by the different values among the first rows of a column; None: neither."""
    if not values:
        return None
    words = sum(len(value.split()) for value in values) / len(values)
    characters = sum(map(len, values)) / len(values)
    if 2 * len(values) > n_rows and (words >= WORDS_OF_TEXT or characters >= CHARACTERS_OF_TEXT):
        return TEXT
    if len(values) <= MANY_VALUES:
        return None
    parts = sum(len(_PART.findall(value)) for value in values) / len(values)
    most = NEW_SHARE_OF_PARTS if parts > PARTS else NEW_SHARE
    return TEXT if len(values) > most * n_rows else IDENTIFIER


def looks_like_codes(name: Any, values: Collection[float], n_rows: int) -> bool:
    """Whether the different values of a column of numbers among the first rows are codes of things, and no quantities.

    They are where the column's name says so (it ends in id, code, user, item, store or the like). They are, too, if they are
    positive and far from each other, but come again: no more than four of five rows bring a new one, the next one is at least
    10 away for half of them, they are not all round, and no seconds since 1970.
    """
    if not all(value.is_integer() for value in values):
        return False
    if isinstance(name, str) and _CODE_NAME.search(name) and len(values) > FEW_CODES:
        return True
    if len(values) <= MANY_CODES or 5 * len(values) > 4 * n_rows:
        return False
    codes = sorted(values)
    gaps = sorted(b - a for a, b in pairwise(codes))
    round_ones = all(code % 10 == 0 for code in codes)
    return codes[0] > 0 and codes[-1] < 1e8 and gaps[len(gaps) // 2] >= 10 and not round_ones


def word_cells(values: Iterable[Any]) -> list[str | None]:
    """Cells as texts; None where one is missing."""
    return [word_cell(value) for value in values]


def word_cell(value: Any) -> str | None:
    """One cell: whole numbers are written without a point, so that 7 and 7.0 are one identifier."""
    if isinstance(value, str):
        return check_unicode(value)
    if is_missing(value):
        return None
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bytes) or not isinstance(value, int | float):
        raise TypeError(
            f"A column of words holds {str(value)[:40]!r} of type {type(value).__name__}; allowed are texts and numbers."
        )
    return str(value)


def check_unicode(text: str) -> str:
    """Refuse a text that cannot be written in UTF-8: half a surrogate pair."""
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise ValueError(
                f"A text holds half a surrogate pair ({text[error.start : error.end]!r} at {error.start}), which is no "
                "character: read it again with the right encoding, or replace it."
            ) from None
    return text

"""Which of the known words somebody meant, for messages that say "did you mean"."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable


def suggest(word: str, words: Iterable[str]) -> str | None:
    """The word that is meant by another one; None if none is near.

    It is the same but for capitals and marks (``OSBoost``), its initials (``arf``), a part of it (``tree``, ``acc``), spelled
    nearly so, or else a part of the other (``f1_score``) or its initials (``mean_absolute_error``).
    """
    known = list(words)
    wanted = _letters(re.sub(r"(classifier|regressor)$", "", word, flags=re.IGNORECASE)) or _letters(word)
    parts = _parts(word)
    for fits in (_same, _initials, _starts, _holds):
        found = [name for name in known if fits(name, wanted)]
        if found:
            return min(found, key=len) if fits is _holds else found[0]
    close = difflib.get_close_matches(word.lower(), known, n=1, cutoff=0.6)
    close += [name for name in known if name in parts or _letters(name) == _initials_of(parts)]
    return close[0] if close else None


def _letters(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.lower())


def _parts(name: str) -> list[str]:
    return [part for part in re.split(r"[-_ ]", name.lower()) if part]


def _initials_of(parts: list[str]) -> str:
    return "".join(part[0] for part in parts) if len(parts) > 1 else ""


def _same(name: str, wanted: str) -> bool:
    return _letters(name) == wanted


def _initials(name: str, wanted: str) -> bool:
    return len(wanted) > 1 and _initials_of(_parts(name)) == wanted


def _starts(name: str, wanted: str) -> bool:
    return len(wanted) > 2 and _letters(name).startswith(wanted)


def _holds(name: str, wanted: str) -> bool:
    return len(wanted) > 2 and wanted in _parts(name)

"""Reading bodies: typed, bounded, without duplicate keys, NaN or anything else that JSON leaves open."""

from __future__ import annotations

import json
import re
from typing import Any, TypeVar

import msgspec

from streamboost.service.store import BadRequest
from streamboost.service.store.estimators import Description
from streamboost.service.store.registry import KEEP_EVENTS
from streamboost.service.store.settings import Limits


class Predict(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """An event; with an id it is recorded, and its label may come later."""

    features: dict[str, bool | int | float | str | None]
    id: str | None = None


class Truth(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """The truth about an event."""

    id: str
    label: bool | int | float | str
    weight: float = 1.0


class LabelledEvent(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """An event with its label."""

    features: dict[str, bool | int | float | str | None]
    label: bool | int | float | str
    id: str | None = None
    weight: float = 1.0


class Act(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """An event for which a bandit shows a label; its reward comes under the same id."""

    features: dict[str, bool | int | float | str | None]
    id: str


class Reward(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """What came of the label that was shown: 1 or true if it was right, else 0."""

    id: str
    reward: bool | float
    weight: float = 1.0


class Create(Description, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A model to be made."""

    name: str
    keep_events_s: float = KEEP_EVENTS
    limits: Limits = Limits()


class Shadow(Description, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A model that learns beside another."""

    name: str


class Rollback(msgspec.Struct, forbid_unknown_fields=True):
    """Where to go back to."""

    seq: int


class Allow(msgspec.Struct, forbid_unknown_fields=True):
    """A label that may become a class."""

    label: bool | int | float | str


class Promote(msgspec.Struct, forbid_unknown_fields=True):
    """Which shadow shall answer."""

    shadow: str


T = TypeVar("T")
_HALF_PAIR = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB]..)\\u[dD][c-fC-F][0-9a-fA-F]{2}"
)
_DECODERS: dict[type, Any] = {}


def read(raw: bytes, kind: type[T]) -> T:
    """Decode a body; the message of a mistake names the place."""
    decoder = _DECODERS.get(kind)
    if decoder is None:
        decoder = _DECODERS[kind] = msgspec.json.Decoder(kind)
    try:
        found: T = decoder.decode(raw)
    except msgspec.ValidationError as error:
        what, _, place = str(error).partition(" - at `$")
        hint = _hint_of_parameters(what) if issubclass(kind, Description) else None
        raise BadRequest(
            f"{what}.", field=place.rstrip("`").lstrip(".") or None, hint=hint or _hint(raw)
        ) from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadRequest(f"This is no JSON: {error}.", code="bad_json", hint=_hint(raw)) from error
    if raw.count(b":") != _pairs(found):  # a colon in a text, or a key twice: look closely
        try:
            json.loads(raw, object_pairs_hook=_unique)
        except RecursionError as error:
            raise BadRequest("The body is nested too deeply.", code="bad_json") from error
    return found


def _hint(raw: bytes) -> str | None:
    """Many objects where one is wanted: how to send them. Half a character: what to do."""
    text = raw.strip()
    if _HALF_PAIR.search(text):
        return "A text holds half a surrogate pair: read it again with the right encoding, or replace it."
    if text.startswith(b"[") or (text.startswith(b"{") and b"}\n" in text):
        return "For many, send one object per line with Content-Type: application/x-ndjson (jq -c '.[]' makes lines of an array)."
    return None


def _hint_of_parameters(wrong: str) -> str | None:
    """Parameters of a model that stand beside its name."""
    field = re.search("unknown field `(.*)`", wrong)
    return field and f'Parameters of a model stand in "params": {{{json.dumps(field[1])}: ...}}.'


def _pairs(found: Any) -> int:
    """How many colons a body without texts that hold some would have, if all its fields were written."""
    n = len(found.__struct_fields__)
    features = getattr(found, "features", None)
    if features is None:
        return -1
    n += len(features)
    n -= found.id is None
    return n - (getattr(found, "weight", None) == 1.0)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        twice = next(key for i, (key, _) in enumerate(pairs) if key in dict(pairs[:i]))
        raise BadRequest(
            f"The key {twice[:80]!r} stands twice in one object.", field=twice[:80], code="duplicate_key"
        )
    return found

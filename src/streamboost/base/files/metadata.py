"""The user's own facts in a model file: an offset, a version, where the data came from.

They are a JSON object of at most 64 kB beside what the model itself needs. Nothing in streamboost's learning reads them; a
model keeps those of the file that it came from until it is saved with others.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from streamboost.base.files.archive import ModelFileError, parse_json

MOST_BYTES = 64 * 1024


def checked(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy as it will be read back; raise for what JSON cannot hold or what is too much."""
    if not isinstance(metadata, Mapping):
        raise TypeError(f"metadata must be a dict with texts for keys, got {type(metadata).__name__}.")
    for key in metadata:
        if not isinstance(key, str):
            raise TypeError(f"The keys of metadata must be texts, got {key!r}.")
    try:
        text = _text(dict(metadata))
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(
            f"metadata must be plain JSON (texts, finite numbers, true, false, null, lists, dicts): {error}."
        ) from error
    if len(text) > MOST_BYTES:
        raise ValueError(f"metadata has {len(text):,} bytes as JSON; at most {MOST_BYTES:,} are allowed.")
    return parse_json(text)


def read(found: Any) -> dict[str, Any]:
    """The facts of a manifest; one without them has none."""
    if type(found) is not dict:
        raise ModelFileError(f"metadata is a {type(found).__name__}, expected dict")
    if len(_text(found)) > MOST_BYTES:
        raise ModelFileError(f"metadata has more than {MOST_BYTES} bytes")
    return found


def entry(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """What the manifest gets: nothing if there are no facts, so that such files are as they always were."""
    return {"metadata": dict(metadata)} if metadata else {}


def _text(found: dict[str, Any]) -> bytes:
    return json.dumps(found, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()

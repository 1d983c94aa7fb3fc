"""The meaning of `manifest.json`: every claim of a model file is checked here before the core sees a number."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streamboost.base.files import metadata
from streamboost.base.files.archive import ModelFileError
from streamboost.base.inputs.schema import Name, Schema
from streamboost.base.inputs.word_columns import IDENTIFIER, TEXT

_SLACK = 2**20  # bytes a model may need beyond what its arrays suggest
_KEYS = {
    "format",
    "format_version",
    "written_by",
    "model",
    "learner",
    "seed",
    "labels",
    "columns",
    "warned",
    "arrays",
}


@dataclass(frozen=True)
class Manifest:
    """A checked manifest, without the arrays."""

    model_name: str
    model_version: int
    params: dict[str, Any]
    learner_name: str | None
    learner_version: int
    learner_params: dict[str, Any]
    learner_default: bool
    seed: int
    labels: list[Any]
    declared: bool
    columns: dict[str, Any]
    warned: bool
    metadata: dict[str, Any]

    @classmethod
    def read(cls, raw: dict[str, Any]) -> Manifest:
        """Check shape and types of a parsed manifest."""
        _exactly({name: value for name, value in raw.items() if name != "metadata"}, _KEYS, "manifest")
        model = _object(raw["model"], {"name", "version", "params"}, "model")
        learner = raw["learner"]
        if learner is not None:
            learner = _object(learner, {"name", "version", "default", "params"}, "learner")
        labels = _object(raw["labels"], {"declared", "values"}, "labels")
        return cls(
            model_name=_typed(model["name"], str, "model name"),
            model_version=_typed(model["version"], int, "model version"),
            params=_typed(model["params"], dict, "model params"),
            learner_name=None if learner is None else _typed(learner["name"], str, "learner name"),
            learner_version=0 if learner is None else _typed(learner["version"], int, "learner version"),
            learner_params={} if learner is None else _typed(learner["params"], dict, "learner params"),
            learner_default=False if learner is None else _typed(learner["default"], bool, "learner default"),
            seed=_whole(raw["seed"], 0, 2**64 - 1, "seed"),
            labels=_scalars(labels["values"], "labels"),
            declared=_typed(labels["declared"], bool, "labels declared"),
            columns=_columns(raw["columns"]),
            warned=_typed(raw["warned"], bool, "warned"),
            metadata=metadata.read(raw.get("metadata", {})),
        )


def columns_of(schema: Schema) -> dict[str, Any]:
    """Return the manifest's view of the columns."""
    books = {str(column): book.values for column, book in enumerate(schema.books) if book is not None}
    words = {
        "words": {str(column): kind for column, kind in schema.words.items()},
        "declared_words": [[name, kind] for name, kind in schema.declared_words.items()],
    }
    return {
        "width": schema.width,
        "d0": schema.d0,
        "names": schema.names,
        "declared": sorted(schema.declared_nominal, key=str),
        "values": books,
        **(words if schema.words or schema.declared_words else {}),
        **({"codes": list(schema.codes)} if schema.codes else {}),
        **({"sparse": True} if schema.sparse else {}),
        **({"open": True} if schema.open else {}),
        **({"twins": [[twin, column] for twin, column in schema.twins.items()]} if schema.twins else {}),
    }


def schema_of(columns: dict[str, Any], state: dict[str, NDArray[Any]]) -> Schema:
    """Return the columns a manifest describes; no more of them than the arrays can have numbers for."""
    width = _whole(columns["width"], 0, min(2**31 - 1, _room(state) // 8), "columns width")
    names: list[Name] | None = columns["names"]
    if names is not None:
        names = _scalars(names, "column names")
        if len(names) != width or any(isinstance(name, bool | float) for name in names):
            raise ModelFileError(
                f"the file names {len(names)} columns, expected {width} texts or whole numbers"
            )
    declared = _scalars(columns["declared"], "declared columns")
    values = _typed(columns["values"], dict, "column values")
    nominal = [False] * width
    for key in values:
        nominal[_column(key, width)] = True
    words = {
        _column(key, width): _kind(kind)
        for key, kind in _typed(columns.get("words", {}), dict, "words").items()
    }
    if any(nominal[column] for column in words):
        raise ModelFileError("the file says that a column is nominal and holds words")
    declared_words = {}
    for pair in _typed(columns.get("declared_words", []), list, "declared words"):
        if not isinstance(pair, list) or len(pair) != 2 or not isinstance(pair[0], str | int):
            raise ModelFileError("the file declares a column of words without its name and kind")
        declared_words[pair[0]] = _kind(pair[1])
    codes = [
        _whole(column, 0, width - 1, "codes") for column in _typed(columns.get("codes", []), list, "codes")
    ]
    if any(nominal[column] or column in words for column in codes):
        raise ModelFileError("the file says that a column of codes is nominal or holds words")
    schema = Schema(names, nominal, declared, words, declared_words, codes, "sparse" in columns)
    schema.open = "open" in columns
    for pair in _typed(columns.get("twins", []), list, "twins"):
        if not isinstance(pair, list) or len(pair) != 2:
            raise ModelFileError("the file names a column of identifiers without the nominal one")
        twin, column = (_whole(entry, 0, width - 1, "twins") for entry in pair)
        if (
            words.get(twin) != IDENTIFIER
            or not nominal[column]
            or twin < column
            or column in schema.twins.values()
        ):
            raise ModelFileError(f"the file says that column {twin} holds the values of column {column}")
        schema.twins[twin] = column
    schema.d0 = _whole(columns["d0"], 0, width, "columns d0")
    if names is None and schema.d0 + len(schema.twins) != width:
        raise ModelFileError("positional columns never grow, but d0 differs from the width")
    for key, categories in values.items():
        book = schema.books[int(key)]
        if book is not None:
            book.extend(_scalars(categories, f"categories of column {key}"))
    return schema


def _columns(raw: Any) -> dict[str, Any]:
    """The columns as the manifest has them; those of words are told where there are some."""
    columns: dict[str, Any] = _typed(raw, dict, "columns")
    words = {"words", "declared_words"} if "words" in columns else set()
    words |= {"codes", "sparse", "open", "twins"} & set(columns)
    return _object(columns, {"width", "d0", "names", "declared", "values"} | words, "columns")


def _column(key: str, width: int) -> int:
    if not key.isascii() or not key.isdigit() or str(int(key)) != key or int(key) >= width:
        raise ModelFileError(f"the file gives a kind to column {key!r}, which does not exist")
    return int(key)


def _kind(kind: Any) -> str:
    if kind not in (TEXT, IDENTIFIER):
        raise ModelFileError(f"the file knows a kind of columns {kind!r}; there are {TEXT} and {IDENTIFIER}")
    return str(kind)


def check_room(numbers: float, state: dict[str, NDArray[Any]]) -> None:
    """Refuse a small file that claims a huge model, before the core allocates for it.

    `numbers` is what the banks of such a model keep at least, and a file holds all of them; so the arrays bound
    what the claims may add up to.
    """
    if 8 * numbers > _room(state):
        raise ModelFileError(
            f"the file claims a model of {8 * numbers:.3g} bytes or more; its arrays are too small for that"
        )


def _room(state: dict[str, NDArray[Any]]) -> int:
    return 4 * sum(array.nbytes for array in state.values()) + _SLACK


def json_value(value: Any) -> Any:
    """Return a parameter value as JSON can hold it."""
    if hasattr(value, "as_parameter"):  # a detector of drift, told as a list
        value = value.as_parameter()
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    if isinstance(
        value, Mapping
    ):  # weights of labels, costs of pairs of them: the keys, then the values, end to end
        width = len(next(iter(value))) if value and isinstance(next(iter(value)), tuple) else 1
        cells = [part for key, item in value.items() for part in (*(key if width > 1 else (key,)), item)]
        return ["dict", width, *(json_value(cell) for cell in cells)]
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [json_value(item) for item in value]
    if value is None or isinstance(value, str | int | float | bool):
        return value
    raise ValueError(f"the parameter value {value!r} cannot be stored in a model file")


def unflattened(value: list[Any]) -> dict[Any, Any]:
    """Return a dict from what `json_value` has made of it."""
    if len(value) < 2 or value[0] != "dict" or value[1] not in (1, 2) or (len(value) - 2) % (value[1] + 1):
        raise ModelFileError(f"{value!r} is no dict of a model file")
    width, cells = value[1], value[2:]
    rows = [cells[i : i + width + 1] for i in range(0, len(cells), width + 1)]
    return {tuple(row[:-1]) if width > 1 else row[0]: row[-1] for row in rows}


def check_params(given: dict[str, Any], allowed: Sequence[str], what: str) -> dict[str, Any]:
    """Return parameters of a file if their names are legal and their values plain."""
    for name, value in given.items():
        if name not in allowed:
            raise ModelFileError(f"{what} has no parameter {name!r}")
        for item in value if isinstance(value, list) else [value]:
            if not (item is None or isinstance(item, str | int | float | bool)):
                raise ModelFileError(f"the parameter {name} of {what} is not a plain value")
    return dict(given)


def check_version(name: str, found: int, known: int) -> None:
    """Refuse a version of an algorithm that this streamboost does not know; those up to its own load for ever."""
    if not 1 <= found <= known:
        raise ModelFileError(
            f"version {found} of {name!r} is not known; this streamboost reads versions up to {known}. A newer file needs "
            "a newer streamboost."
        )


def _exactly(found: dict[str, Any], keys: set[str], what: str) -> None:
    if set(found) != keys:
        raise ModelFileError(f"{what}: missing or unknown keys {sorted(set(found) ^ keys)[:5]}")


def _object(value: Any, keys: set[str], what: str) -> dict[str, Any]:
    found: dict[str, Any] = _typed(value, dict, what)
    _exactly(found, keys, what)
    return found


def _typed(value: Any, kind: type, what: str) -> Any:
    if type(value) is not kind:
        raise ModelFileError(f"{what} is a {type(value).__name__}, expected {kind.__name__}")
    return value


def _whole(value: Any, low: int, high: int, what: str) -> int:
    number: int = _typed(value, int, what)
    if not low <= number <= high:
        raise ModelFileError(f"{what} is {number}, allowed is {low} to {high}")
    return number


def _scalars(value: Any, what: str) -> list[Any]:
    items: list[Any] = _typed(value, list, what)
    for item in items:
        if not isinstance(item, str | int | float | bool) or (
            isinstance(item, float) and not math.isfinite(item)
        ):
            raise ModelFileError(f"{what}: {item!r} is not a text, number or boolean")
    if len(set(items)) != len(items):
        raise ModelFileError(f"{what}: a value appears twice")
    if len({isinstance(item, str) for item in items}) > 1 and what == "labels":
        raise ModelFileError("labels mix text and numbers")
    return items

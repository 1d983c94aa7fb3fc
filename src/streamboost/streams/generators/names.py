"""Generators by name: ``sea``, ``sea:noise=0.2,drift=abrupt,at=50000``."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from streamboost.streams.base import DataError
from streamboost.streams.generators.agrawal import AgrawalStream
from streamboost.streams.generators.base import GeneratedStream
from streamboost.streams.generators.drift import DriftStream
from streamboost.streams.generators.friedman import FriedmanStream, HyperplaneDistanceStream
from streamboost.streams.generators.hyperplane import HyperplaneStream
from streamboost.streams.generators.led import LEDStream
from streamboost.streams.generators.noise import LabelNoiseStream
from streamboost.streams.generators.rbf import RandomRBFStream
from streamboost.streams.generators.sea import SEAStream
from streamboost.streams.generators.sensor import SensorStream
from streamboost.streams.generators.synthetic import SyntheticStream
from streamboost.streams.generators.waveform import WaveformStream


@dataclass(frozen=True)
class Generator:
    """An entry of the table of generators: a class, and the parameters that its name fixes."""

    name: str
    cls: type[GeneratedStream]
    fixed: Mapping[str, Any]
    n_features: int
    n_classes: int
    kind: str
    source: str

    def parameters(self) -> dict[str, inspect.Parameter]:
        """The parameters that can be written behind the name."""
        signature = inspect.signature(self.cls).parameters
        return {name: entry for name, entry in signature.items() if name not in self.fixed}

    @property
    def concept(self) -> str:
        """The parameter that a drift changes."""
        return "variant" if self.cls is SyntheticStream else "concept"


GENERATORS: dict[str, Generator] = {
    entry.name: entry
    for entry in (
        *(
            Generator(f"synthetic-{i}", SyntheticStream, {"variant": i}, 20, 2, "nominal", "Oza 2001")
            for i in (1, 2, 3)
        ),
        Generator("sea", SEAStream, {}, 3, 2, "numeric", "Street and Kim 2001"),
        Generator("led", LEDStream, {}, 24, 10, "nominal", "Breiman et al. 1984"),
        Generator("waveform", WaveformStream, {}, 21, 3, "numeric", "Breiman et al. 1984"),
        Generator(
            "waveform-40", WaveformStream, {"n_irrelevant": 19}, 40, 3, "numeric", "Breiman et al. 1984"
        ),
        Generator("hyperplane", HyperplaneStream, {}, 10, 2, "numeric", "Hulten et al. 2001"),
        Generator("agrawal", AgrawalStream, {}, 9, 2, "mixed", "Agrawal et al. 1993"),
        Generator("rbf", RandomRBFStream, {}, 10, 2, "numeric", "Kirkby 2007"),
    )
}

NUMBER_GENERATORS: dict[str, Generator] = {
    entry.name: entry
    for entry in (
        Generator("friedman", FriedmanStream, {}, 10, 0, "numeric", "Friedman 1991"),
        Generator(
            "hyperplane-distance", HyperplaneDistanceStream, {}, 10, 0, "numeric", "after Hulten et al. 2001"
        ),
        Generator("sensor", SensorStream, {}, 5, 0, "numeric", "a meter's hourly readings"),
    )
}
"""Generators whose labels are numbers."""

DRIFT_KEYS = ("drift", "at", "every", "width", "shape", "concepts")
_KINDS = ("abrupt", "gradual")
_DEFAULT_WIDTH = 1000
_LIST = "+"


def make_generator(text: str, *, seed: int = 0, limit: int | None = None) -> GeneratedStream:
    """A generator as written: NAME or NAME:key=value,key=value ...

    The keys are the parameters of its class (``seed`` and ``n_rows`` too), ``label_noise``, and for a drift
    between its concepts ``drift=abrupt|gradual``, ``at=ROW+ROW...`` or ``every=ROWS``, ``width``, ``shape``,
    ``concepts=1+2+...``. ``seed`` is that of a name without one; ``limit`` is the length, if the name does not
    ask for less.
    """
    name, _, rest = text.partition(":")
    known = {**GENERATORS, **NUMBER_GENERATORS}
    if name not in known:
        raise DataError(f"There is no generator {name!r}; there are {', '.join(known)}.")
    entry = known[name]
    written = _pairs(name, rest)
    parameters = entry.parameters()
    values: dict[str, Any] = {"seed": seed}
    others: dict[str, str] = {}
    for key, value in written.items():
        if key in parameters:
            values[key] = _value(name, key, value, parameters[key])
        elif (key in DRIFT_KEYS or key == "label_noise") and name in GENERATORS:
            others[key] = value
        else:
            raise DataError(_unknown(name, key, [*parameters, "label_noise", *DRIFT_KEYS]))
    if limit is not None:
        values["n_rows"] = min(limit, values["n_rows"]) if values.get("n_rows") is not None else limit
    try:
        stream = entry.cls(**values, **entry.fixed)
        noise = others.pop("label_noise", None)
        if others:
            stream = _with_drift(entry, stream, others)
        if noise is not None:
            stream = LabelNoiseStream(stream, _number(name, "label_noise", noise, float))
    except DataError as error:
        raise DataError(f"{text}: {error}") from error
    stream.name = text
    return stream


def _with_drift(entry: Generator, stream: GeneratedStream, written: Mapping[str, str]) -> DriftStream:
    kind = written.get("drift")
    if kind not in _KINDS:
        others = ", ".join(key for key in written if key != "drift")
        given = f"got {kind!r}" if kind is not None else f"needed for {others}"
        raise DataError(f"drift must be one of {', '.join(_KINDS)}, {given}.")
    if kind == "abrupt" and not {"width", "shape"}.isdisjoint(written):
        raise DataError("width and shape are for drift=gradual.")
    numbers = {
        key: [_number(entry.name, key, part, int) for part in written[key].split(_LIST)]
        for key in ("at", "every", "width", "concepts")
        if key in written
    }
    for key in ("every", "width"):
        if len(numbers.get(key, [0])) != 1:
            raise DataError(f"{key} must be one number, got {written[key]}.")
    first = getattr(stream, entry.concept)
    turns = numbers.get("concepts")
    if turns is None:
        count = 1 + len(numbers.get("at", [0]))
        turns = [first + i for i in range(count)]
        if entry.cls.n_concepts is not None:
            turns = [(turn - 1) % entry.cls.n_concepts + 1 for turn in turns]
    return DriftStream(
        [stream.with_params(**{entry.concept: turn}) for turn in turns],
        at=numbers.get("at"),
        every=numbers["every"][0] if "every" in numbers else None,
        width=0 if kind == "abrupt" else numbers.get("width", [_DEFAULT_WIDTH])[0],
        shape=written.get("shape", "sigmoid"),
    )


def _pairs(name: str, text: str) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for part in text.split(",") if text else ():
        key, equals, value = (word.strip() for word in part.partition("="))
        key = key.replace("-", "_")
        if not (key and equals and value):
            raise DataError(f"{name}: {part!r} is not of the form name=value.")
        if key in pairs:
            raise DataError(f"{name}: {key} is given twice.")
        pairs[key] = value
    return pairs


def _value(name: str, key: str, text: str, parameter: inspect.Parameter) -> Any:
    if text.lower() == "none" and "None" in str(parameter.annotation):
        return None
    return _number(name, key, text, float if "float" in str(parameter.annotation) else int)


def _number(name: str, key: str, text: str, kind: type[int] | type[float]) -> Any:
    try:
        return kind(text)
    except ValueError:
        what = "a whole number" if kind is int else "a number"
        raise DataError(f"{name}: {key} must be {what}, got {text!r}.") from None


def _unknown(name: str, key: str, keys: list[str]) -> str:
    close = difflib.get_close_matches(key, keys, n=1)
    hint = f"did you mean {close[0]}?" if close else f"there are {', '.join(keys)}."
    return f"{name}: there is no parameter {key!r}; {hint}"

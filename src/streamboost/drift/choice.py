"""Values of the parameter `drift`: a detector, its name, its name with parameters, or an object of the user's own."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Sequence
from typing import Any

from streamboost import drift
from streamboost.base.parameter import Kind
from streamboost.base.suggest import suggest
from streamboost.catalogue import DETECTORS
from streamboost.drift.custom import CustomDetectors, is_detector
from streamboost.drift.detector import Detector

CLASSES: dict[str, type[Detector]] = {entry.name: getattr(drift, entry.class_name) for entry in DETECTORS}
"""The detectors by name."""

DETECTOR = Kind(
    "None, a detector of streamboost.drift, its name ("
    + ", ".join(f'"{name}"' for name in CLASSES)
    + ") or an object "
    "with ``update(x) -> bool``",
    "no_validation",
    words=tuple(CLASSES),
)
"""The kind of the parameter `drift`, which is judged by :func:`detector_of`."""

_CALL = re.compile(r"\s*([A-Za-z][\w-]*)\s*(\(.*\))?\s*", re.DOTALL)


def detector_of(given: Any) -> Any:
    """Return the detector that a value of `drift` names, checked."""
    if isinstance(given, str):
        given = _from_text(given)
    if isinstance(given, Detector):
        given.check()
    elif not is_detector(given):
        raise ValueError(f"drift={given!r} is not allowed: {_ADVICE}")
    return given


def as_text(name: str) -> str:
    """Return a detector by its name as text that sets every parameter: ``adwin(delta=0.001, warning=0.01)``."""
    detector = detector_of(name)
    return f"{name}({', '.join(f'{p.name}={getattr(detector, p.name)}' for p in detector._parameters)})"


def from_file(stored: Sequence[Any]) -> Detector:
    """Return a detector from what :meth:`Detector.as_parameter` says of it."""
    name, *pairs = stored
    if name not in CLASSES or len(pairs) % 2 or not all(isinstance(key, str) for key in pairs[::2]):
        raise ValueError(f"{list(stored)!r} is not a detector of drift.")
    return _build(CLASSES[name], (), dict(zip(pairs[::2], pairs[1::2], strict=True)), stored)


def guard_of(
    given: Any,
    background: bool,
    on_drift: str,
    error: str = "before",
    spare_amount: str = "lane",
) -> dict[str, Any]:
    """Return a guard as the core reads it, with the detector that a user or a file asks for."""
    detector = detector_of(given)
    own = not isinstance(detector, Detector)
    return {
        **({"detectors": CustomDetectors(detector)} if own else detector.guard_params(background)),
        "background": bool(background),
        "error": error,
        "on_drift": on_drift,
        "spare_amount": spare_amount,
    }


_ADVICE = (
    "give None, a detector such as streamboost.drift.ADWIN(), the name of one ("
    + ", ".join(repr(name) for name in CLASSES)
    + "), a name with parameters such as 'adwin(delta=0.002)', or an object with update(x) -> bool."
)


def _from_text(text: str) -> Detector:
    found = _CALL.fullmatch(text)
    cls = CLASSES.get(found[1].lower().replace("_", "-")) if found else None
    if found is None or cls is None:
        near = suggest(found[1], CLASSES) if found else None
        if near is not None:
            raise ValueError(f"There is no detector {text!r}; did you mean {near!r}?")
        raise ValueError(f"drift={text!r} is not allowed: {_ADVICE}")
    try:
        call: Any = ast.parse(f"f{found[2] or '()'}", mode="eval").body
        args = [_value(node) for node in call.args]
        named = {keyword.arg: _value(keyword.value) for keyword in call.keywords}
    except (AttributeError, SyntaxError, ValueError) as error:
        raise ValueError(
            f"drift={text!r} cannot be read: write the parameters as in {cls._entry.name}(name=value, ...)."
        ) from error
    return _build(cls, args, named, text)


def _value(node: ast.expr) -> Any:
    """Return what an argument stands for; quotes around words may be left out, as a shell does."""
    return node.id if isinstance(node, ast.Name) else ast.literal_eval(node)


def _build(cls: type[Detector], args: Sequence[Any], named: dict[Any, Any], given: Any) -> Detector:
    names = [p.name for p in cls._parameters]
    values = dict(zip(names, args, strict=False)) | named
    if len(args) > len(names) or not set(values) <= set(names):
        known = ", ".join(f"{name}={p.default!r}" for name, p in inspect.signature(cls).parameters.items())
        raise ValueError(f"drift={given!r} is not allowed: {known} are the parameters of {cls.__name__}.")
    return cls(**{**dict(cls._entry.guard), **values})

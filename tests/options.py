"""Values for the parameters of a class, from its declarations alone: tests that hold for every option draw them here.

`choose` takes a list and returns one of it: a draw of Hypothesis, or of a random generator.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from sklearn.base import is_classifier
from sklearn.utils._param_validation import Interval

from streamboost.base.parameter import FLAG, NONE, Parameter, parameters_of
from streamboost.drift import ADWIN
from streamboost.learners import Learner
from tests.catalogue import EAGER

Choose = Callable[[Sequence[Any]], Any]

GIVEN = {"estimator", "estimators", "random_state", "categorical_features", "n_jobs"}
"""What the test itself has to say."""

BY_NAME: dict[str, list[Any]] = {
    "drift": [None, EAGER, ADWIN(0.05, warning=0.5)],
    "companions": [(), ("linear",), None],
    "class_weight": [None, "balanced", "oversample", "undersample", {0: 2.0, 1: 0.5}],
    "decision_costs": [None],
    "decision": ["argmax", "f1", "g_mean", ("cost", {(0, 1): 3.0})],
    "costs": ["balanced", {0: 1.0, 1: 5.0}, {(0, 1): 0.5, (1, 0): 2.0}],
    "coverages": [None, (0.8,), (0.5, 0.9)],
    "n_estimators": [1, 2, 3, 5],
    "max_bytes": [None, 100_000, 400_000],
    "horizon": [5, 50],
    "window": [2, 5, 12],
    "block_size": [1, 3, 9],
    "n_prime": [2, 9, 30],
    "lags": [0, 1, 3, (1, 5)],
    "delay": [0, 1, 7],
    "refresh": [1, 3],
    "bits": [8, 12],
    "text_features": [None],
    "identifier_features": [None],
}
"""Parameters whose declaration does not tell what is worth trying; None among `companions` stands for the default."""


OF_LEARNERS: dict[str, list[Any]] = {"max_bytes": [None, 3_000, 20_000, 200_000]}
"""Where a parameter of that name means less to a learner than to a model."""


def values(p: Parameter, cls: Any = None) -> list[Any]:
    """A few values that a declaration allows."""
    if cls is not None and issubclass(cls, Learner) and p.name in OF_LEARNERS:
        return OF_LEARNERS[p.name]
    if p.name in BY_NAME:
        return BY_NAME[p.name]
    found: list[Any] = []
    for kind in p.kinds:
        if kind is FLAG:
            found += [False, True]
        elif kind is NONE:
            found.append(None)
        elif kind.words:
            found += kind.words
        elif isinstance(kind.constraint, Interval):
            found += _inside(kind.constraint, kind.whole)
    if not found:
        raise LookupError(
            f"nothing tells which values of {p.name!r} ({p.type_text}) to try: add a line to BY_NAME in tests/options.py."
        )
    return found


def _inside(interval: Interval, whole: bool) -> list[Any]:
    low, high = interval.left, interval.right
    if whole:
        first = 0 if low is None else low
        return [n for n in (first, first + 1, first + 4) if high is None or n <= high]
    if low is None:
        return [-1.0, 0.0, 2.5]
    top = low + 3.0 if high is None else high
    found = [low + share * (top - low) for share in (0.03, 0.3, 0.7)]
    return (
        found + [low] * (interval.closed in ("left", "both")) + [top] * (interval.closed in ("right", "both"))
    )


def drawn(cls: Any, choose: Choose, at_most: int = 4) -> dict[str, Any]:
    """Values for a few parameters of a class."""
    names = [name for name in parameters_of(cls) if name not in GIVEN]
    chosen: dict[str, Any] = {}
    for _ in range(choose(range(at_most + 1))):
        name = choose(names)
        chosen[name] = choose(values(parameters_of(cls)[name], cls))
    return _together(cls, chosen)


def deals(cls: Any, shuffle: Callable[[list[Any]], None], hand: int = 4) -> list[dict[str, Any]]:
    """Every value of every parameter of a class, in hands of a few parameters each."""
    left = [
        (name, value)
        for name, p in parameters_of(cls).items()
        if name not in GIVEN
        for value in values(p, cls)
    ]
    shuffle(left)
    hands: list[dict[str, Any]] = []
    while left:
        taken: dict[str, Any] = {}
        later = []
        for name, value in left:
            if name not in taken and len(taken) < hand:
                taken[name] = value
            else:
                later.append((name, value))
        hands.append(_together(cls, taken))
        left = later
    return hands


def _together(cls: Any, chosen: dict[str, Any]) -> dict[str, Any]:
    """Parameters that go with each other; the marks in BY_NAME become what they stand for."""
    if isinstance(chosen.get("decision"), tuple):
        chosen["decision"], chosen["decision_costs"] = chosen["decision"]
    elif "decision_costs" in chosen:
        del chosen["decision_costs"]
    if "companions" in chosen and chosen["companions"] is None:
        chosen["companions"] = parameters_of(cls)["companions"].default
    if chosen.get("on_drift") == "lane" and not remembers_places(cls):
        chosen["on_drift"] = "learner"
    return chosen


@functools.cache
def remembers_places(cls: Any) -> bool:
    """Whether an ensemble remembers something of a place beside its learner, so that on_drift="lane" is allowed."""
    try:
        model = cls(drift=EAGER, on_drift="lane")
        model.partial_fit([[0.0], [1.0]], [0, 1], **({"classes": [0, 1]} if is_classifier(model) else {}))
    except ValueError as error:
        if "on_drift='lane' is for" not in str(error):
            raise
        return False
    return True

"""Options around the vote, the same for every ensemble: class weights, calibration, decisions, sets, health."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from streamboost.base.files.manifest import unflattened
from streamboost.base.parameter import FLAG, NONE, anything, number, one_of, parameter


class OutputOptions(TypedDict, total=False):
    """The options of `OUTPUT_OPTIONS`, for type checkers."""

    calibration: str | None
    calibration_half_life: float | str | None
    class_weight: str | Mapping[Any, float] | None
    class_weight_half_life: float | str | None
    decision: str
    decision_costs: Mapping[tuple[Any, Any], float] | None
    coverages: Sequence[float] | float | None
    keep_health: bool
    importances: bool


CALIBRATION = (
    parameter(
        "calibration",
        [one_of("temperature", "platt", "beta", "platt+bins"), NONE],
        "How probabilities are calibrated, from the predictions made so far and the labels that followed. "
        '"temperature": a temperature, mixed with the class frequencies; costs next to nothing and leaves the labels '
        'as they are. "platt": Platt scaling. "beta": beta calibration (three parameters; with more than two classes '
        'the same as Platt). "platt+bins": Platt scaling, then a correction in each hundredth of it (usually the most '
        "accurate). None: the vote's own probabilities, as the papers define them.",
        to_core=False,
        default="temperature",
    ),
    parameter(
        "calibration_half_life",
        [number("(0, inf)"), NONE, one_of("auto")],
        'Half-life of the calibration, in examples. None: it never forgets. "auto": 1,000 for a temperature; for the '
        "others 10,000 with `drift`, otherwise None.",
        to_core=False,
        default="auto",
    ),
)
RARE = (
    parameter(
        "class_weight",
        anything('"balanced", "oversample", "undersample", dict or None'),
        'Multiplies the weight of an example by a factor for its class. "balanced": as if all classes had been equally '
        'frequent so far, at most 100. "oversample" and "undersample": the recent frequency of the most or the least '
        "frequent class divided by that of the example's class; in an ensemble of Poisson copies this amounts to "
        "resampling. A dict gives the factors; labels not in it have 1.",
        to_core=False,
        from_list=unflattened,
        default=None,
    ),
    parameter(
        "class_weight_half_life",
        [number("(0, inf)"), NONE, one_of("auto")],
        'Half-life of the class counts behind `class_weight`, in examples. "auto": the counts of "balanced" have none, '
        "or 10,000 examples with `drift`; those of resampling lose a tenth with every example.",
        to_core=False,
        default="auto",
    ),
    parameter(
        "decision",
        one_of("argmax", "cost", "f1", "g_mean"),
        'How `predict` chooses the label. "argmax": the most probable one. "cost": the one with the least expected '
        'cost (`decision_costs`). "f1" or "g_mean", for two classes: by the threshold that had the best F1 of '
        "``classes_[1]``, or geometric mean of the recalls, on the probabilities so far.",
        to_core=False,
        default="argmax",
    ),
    parameter(
        "decision_costs",
        anything("dict or None"),
        'Costs for ``decision="cost"``: ``{(true label, predicted label): cost}``. A pair that is not listed costs 0 if '
        "the prediction is right and 1 if it is wrong.",
        to_core=False,
        from_list=unflattened,
        default=None,
    ),
)
SETS = (
    parameter(
        "coverages",
        anything("floats in (0, 1) or None"),
        "Coverages for which :meth:`predict_set` is to give prediction sets, for example (0.8, 0.9, 0.95). None: no "
        "sets.",
        to_core=False,
        from_list=tuple,
        default=None,
    ),
    parameter(
        "keep_health",
        FLAG,
        "Whether to keep the statistics for :meth:`health`, which compares the last thousand rows with all rows before "
        "them, by column and class.",
        to_core=False,
        default=False,
    ),
)
IMPORTANCES = parameter(
    "importances",
    FLAG,
    "Whether to keep ``feature_importances_``: every 16th row is explained before it is learned, in closed form or "
    "at the cost of about one prediction per column.",
    to_core=False,
    default=False,
)
IMPORTANCES_HALF_LIFE = 10_000.0
OUTPUT_OPTIONS = (*CALIBRATION, *RARE, *SETS, IMPORTANCES)
"""Of every classifier that learns from a stream."""
REGRESSION_OUTPUT_OPTIONS = (
    parameter(
        "target",
        one_of("raw", "log1p"),
        "What is learned: the target as it is, or ln(1 + target), for targets above -1 that vary by factors. Predictions "
        "are on the original scale either way.",
        to_core=False,
        default="raw",
    ),
    parameter(
        "coverages",
        anything("floats in (0, 1) or None"),
        "Coverages for which :meth:`predict_interval` is to give prediction intervals, for example (0.8, 0.9, 0.95). "
        "None: no intervals.",
        to_core=False,
        from_list=tuple,
        default=None,
    ),
    IMPORTANCES,
)
"""Of every regressor."""

_RESAMPLED = 0.9  # what resampling keeps of its counts, as published


def stages_of(model: Any, drifts: bool) -> dict[str, Any]:
    """Return the stages around the vote as the core reads them; empty: there are none."""
    stages: dict[str, Any] = {}
    usual = 10_000.0 if drifts else None
    if model.calibration is not None:
        half_life = model.calibration_half_life
        if half_life == "auto":
            half_life = 1000.0 if model.calibration == "temperature" else usual
        stages["calibration"] = model.calibration
        stages["calibration_half_life"] = None if half_life is None else float(half_life)
    if model.class_weight is not None:
        named = isinstance(model.class_weight, Mapping)
        half_life = model.class_weight_half_life
        resampled = not named and model.class_weight != "balanced"
        if half_life == "auto" and not resampled:
            half_life = usual
        stages["class_weight"] = "table" if named else model.class_weight
        stages["class_weight_keep"] = (
            _RESAMPLED
            if half_life == "auto"
            else 1.0
            if half_life is None
            else 2.0 ** (-1 / float(half_life))
        )
    if model.decision != "argmax":
        stages["decision"] = model.decision
    if model.coverages is not None:
        stages["coverages"] = np.atleast_1d(np.array(model.coverages, dtype=np.float64))
    if model.keep_health:
        stages["health"] = True
    if model.importances:
        stages["importances_half_life"] = IMPORTANCES_HALF_LIFE
    return stages


def check_output_options(model: Any) -> None:
    """Refuse parameters that mean nothing, before any data is looked at."""
    weight = model.class_weight
    if isinstance(weight, Mapping):
        for label, value in weight.items():
            if not _is_number(value) or value < 0:
                raise ValueError(f"class_weight[{label!r}]={value!r} must be a finite number, 0 or more.")
    elif weight is not None and weight not in ("balanced", "oversample", "undersample"):
        raise ValueError(
            f"class_weight={weight!r} is not allowed: give 'balanced', 'oversample', 'undersample', a dict of label and "
            "weight, or None."
        )
    costs = model.decision_costs
    if costs is not None:
        if not isinstance(costs, Mapping):
            raise ValueError(f"decision_costs={costs!r} must be a dict {{(truth, answer): cost}}.")
        if model.decision != "cost":
            raise ValueError(
                f"decision_costs are given, but decision={model.decision!r}: set decision='cost'."
            )
        for pair, cost in costs.items():
            if not (isinstance(pair, tuple) and len(pair) == 2):
                raise ValueError(f"decision_costs: {pair!r} is no pair (truth, answer).")
            if not _is_number(cost) or cost < 0:
                raise ValueError(f"decision_costs[{pair!r}]={cost!r} must be a finite number, 0 or more.")
    elif model.decision == "cost":
        raise ValueError("decision='cost' needs decision_costs={(truth, answer): cost, ...}.")
    check_coverages(model.coverages)


def kept_coverages(given: Any) -> list[float]:
    """Return the parameter `coverages` as a list: it may be one number, or None."""
    return [] if given is None else [given] if isinstance(given, float) else list(given)


def check_coverages(given: Any) -> None:
    """Refuse coverages that are none."""
    if given is None or isinstance(given, float):
        given = kept_coverages(given) or None
    if given is None:
        return
    if isinstance(given, str | Mapping) or not isinstance(given, Sequence | np.ndarray) or not len(given):
        raise ValueError(f"coverages={given!r} must be a sequence of numbers between 0 and 1, or None.")
    for coverage in given:
        if not _is_number(coverage) or not 0 < coverage < 1:
            raise ValueError(f"coverages: {coverage!r} does not lie between 0 and 1.")
    if len(set(given)) < len(given):
        raise ValueError(f"coverages={given!r} names one of them twice.")


def class_settings(model: Any, labels: Sequence[Any], declared: bool) -> NDArray[np.float64] | None:
    """Return what the user says of the classes, by code: the positive one, weights, costs. `labels`: by code."""
    weighed = model.class_weight if isinstance(model.class_weight, Mapping) else {}
    if not weighed and model.decision == "argmax":
        return None
    # Names of labels on the command line are texts, whatever the labels are.
    names = {str(label): label for label in labels}
    weights = _named(weighed, names)
    costs = {
        (names.get(str(truth), truth), names.get(str(answer), answer)): cost
        for (truth, answer), cost in (model.decision_costs or {}).items()
    }
    if model.decision in ("f1", "g_mean") and len(labels) > 2:
        raise ValueError(
            f"decision={model.decision!r} is for two classes, but there are {len(labels)}: {list(labels)[:10]}. Use "
            "decision='cost' or class_weight."
        )
    if declared:
        named = {"class_weight": list(weights), "decision_costs": [label for pair in costs for label in pair]}
        for name, used in named.items():
            for label in used:
                if label not in labels:
                    raise ValueError(
                        f"{name} names the class {label!r}, which is none of the classes {list(labels)[:10]}."
                    )
    k = len(labels)
    price = 1.0 - np.eye(k)
    for (truth, answer), cost in costs.items():
        if truth in labels and answer in labels:
            price[labels.index(truth), labels.index(answer)] = cost
    positive = labels.index(sorted(labels)[1]) if k == 2 else 1
    facts = [float(positive), *(float(weights.get(label, 1.0)) for label in labels), *price.ravel().tolist()]
    return np.array(facts)


def _named(given: Mapping[Any, float], names: Mapping[str, Any]) -> dict[Any, float]:
    return {names.get(str(label), label): value for label, value in given.items()}


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool) and math.isfinite(value)

"""The metrics by their names, with parameters where they have some: ``recall_at_fpr:fpr=0.05``."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

from streamboost.evaluate.count_metrics import COUNT_METRICS, ExpectedCost
from streamboost.evaluate.metric import Metric
from streamboost.evaluate.score_metrics import SCORE_METRICS

METRIC_CLASSES: dict[str, type[Metric]] = {cls.name: cls for cls in (*COUNT_METRICS, *SCORE_METRICS)}
"""Every metric of ours by its name."""
METRICS = tuple(name for name, cls in METRIC_CLASSES.items() if cls is not ExpectedCost)
"""The names of the metrics that need no more to be said: what ``"all"`` stands for."""


def make_metric(text: str) -> Metric:
    """The metric that a text stands for; its name is the text."""
    name, *settings = text.split(":")
    if name not in METRICS:
        raise ValueError(f"There is no metric {name!r}; there are {', '.join(METRICS)}.")
    cls = METRIC_CLASSES[name]
    known = inspect.signature(cls).parameters
    values: dict[str, Any] = {}
    for setting in settings:
        key, equals, value = setting.partition("=")
        if key not in known or not equals:
            allowed = f"it takes {', '.join(f'{p}=VALUE' for p in known)}" if known else "it takes none"
            raise ValueError(f"{text}: {setting!r} is no parameter of {name}; {allowed}.")
        values[key] = _value(text, key, value, known[key].default)
    made = cls(**values)
    made.name = text
    return made


def _value(text: str, key: str, value: str, default: Any) -> Any:
    if default is None:
        return value  # a label
    try:
        return type(default)(value)
    except ValueError:
        raise ValueError(f"{text}: {key} must be a number, got {value!r}.") from None


def make_metrics(chosen: Any) -> tuple[Any, ...]:
    """Metrics from names, objects, or a sequence of both; ``"all"`` stands for all of ours. No two have one name."""
    if isinstance(chosen, str):
        chosen = METRICS if chosen == "all" else [chosen]
    elif hasattr(chosen, "update"):
        chosen = [chosen]
    found: dict[str, Any] = {}
    for one in chosen:
        metric = make_metric(one) if isinstance(one, str) else _checked(one)
        if metric.name in found and not isinstance(one, str):
            raise ValueError(f"Two metrics are called {metric.name!r}; give one of them another name.")
        found.setdefault(metric.name, metric)
    return tuple(found.values())


def _checked(metric: Any) -> Any:
    if isinstance(metric, type):
        raise TypeError(f"{metric.__name__} is a class; pass a metric, {metric.__name__}().")
    for part in ("update", "value"):
        if not callable(getattr(metric, part, None)):
            raise TypeError(
                f"{metric!r} is no metric: it needs a name, update(rows) and value(), and has no {part}."
            )
    if not isinstance(getattr(metric, "name", None), str) or not metric.name:
        raise TypeError(
            f"{metric!r} is no metric: its name must be a text, got {getattr(metric, 'name', None)!r}."
        )
    return metric


def check_metrics(names: Sequence[str] | str) -> tuple[str, ...]:
    """The names, if there are such metrics; ``"all"`` stands for all of them."""
    return tuple(metric.name for metric in make_metrics(names))


def greater_is_better(name: str) -> bool:
    """Whether a larger value of a metric of ours is a better one."""
    return make_metric(name).greater_is_better

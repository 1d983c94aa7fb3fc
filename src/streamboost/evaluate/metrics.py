"""The metrics of every task by their names, with parameters where they have some: ``recall_at_fpr:fpr=0.05``."""

from __future__ import annotations

import inspect
from collections.abc import Collection, Iterator
from typing import Any

from streamboost.base.suggest import suggest
from streamboost.evaluate.count_metrics import COUNT_METRICS, ExpectedCost
from streamboost.evaluate.metric import Metric
from streamboost.evaluate.regression_metrics import TARGET_METRICS
from streamboost.evaluate.score_metrics import SCORE_METRICS


class MetricTable(Collection[str]):
    """The names of the metrics of one task, and what they stand for.

    ``always`` are among the metrics of every result, whatever is chosen.
    """

    def __init__(
        self,
        task: str,
        classes: Collection[type[Metric]],
        *,
        always: tuple[str, ...] = (),
    ) -> None:
        self.task = task
        self.always = always
        self.classes = {cls.name: cls for cls in classes}

    def __contains__(self, name: object) -> bool:
        return name in self.classes

    def __iter__(self) -> Iterator[str]:
        return iter(self.classes)

    def __len__(self) -> int:
        return len(self.classes)

    def make(self, text: str) -> Metric:
        """The metric of this name and its parameters, as ``"f_beta:beta=2"``."""
        name, *settings = text.split(":")
        if name not in self.classes:
            near = suggest(name, self)
            meant = f"did you mean {near}?" if near is not None else f"there are {', '.join(self)}."
            raise ValueError(f"There is no metric {name!r} for {self.task}; {meant}")
        cls = self.classes[name]
        if issubclass(cls, ExpectedCost):
            cost = cls.of_settings(settings)
            cost.name = text
            return cost
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

    def choose(self, chosen: Any) -> tuple[Any, ...]:
        """Metrics from names, objects, or a sequence of both; ``"all"`` means all of ours. No two have the same name."""
        if isinstance(chosen, str):
            chosen = list(self) if chosen == "all" else [chosen]
        elif hasattr(chosen, "update"):
            chosen = [chosen]
        found: dict[str, Any] = {name: self.make(name) for name in self.always}
        given: set[str] = set()
        for one in chosen:
            metric = self.make(one) if isinstance(one, str) else check_metric(one)
            if metric.name in given and not isinstance(one, str):
                raise ValueError(f"Two metrics are called {metric.name!r}; give one of them another name.")
            given.add(metric.name)
            found.setdefault(metric.name, metric)
        return tuple(found.values())


CLASSIFICATION_METRICS = MetricTable("classification", (*COUNT_METRICS, *SCORE_METRICS))
"""The metrics of labels."""
REGRESSION_METRICS = MetricTable("regression", TARGET_METRICS, always=("mae", "rmse", "r2", "skill"))
"""The metrics of targets."""


def make_metric(text: str) -> Metric:
    """The metric of any task by its name and parameters: ``"auc"``, ``"f_beta:beta=2"``, ``"pinball:quantile=0.9"``."""
    table = REGRESSION_METRICS if text.partition(":")[0] in REGRESSION_METRICS else CLASSIFICATION_METRICS
    return table.make(text)


def _value(text: str, key: str, value: str, default: Any) -> Any:
    if default is None:
        return value  # a label
    try:
        return type(default)(value)
    except ValueError:
        raise ValueError(f"{text}: {key} must be a number, got {value!r}.") from None


def check_metric(metric: Any) -> Any:
    """A metric of the user's own, if it is one."""
    if isinstance(metric, type):
        raise TypeError(f"{metric.__name__} is a class; pass a metric, {metric.__name__}().")
    for part in ("update", "value"):
        if not callable(getattr(metric, part, None)):
            raise TypeError(
                f"{metric!r} is no metric of streamboost, which has a name, update(rows) and value(): it has no {part}. Give "
                "the name of one, such as 'f1', or wrap yours."
            )
    if not isinstance(getattr(metric, "name", None), str) or not metric.name:
        raise TypeError(
            f"{metric!r} is no metric: its name must be a text, got {getattr(metric, 'name', None)!r}."
        )
    return metric

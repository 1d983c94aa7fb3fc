"""The scatterplots of Oza's thesis: test errors of two algorithms, one point per data set."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from streamboost.reproduce.charts import Scatter, Series
from streamboost.reproduce.compare import Comparison, RebuiltTable
from streamboost.reproduce.report import ExtraFigure

_ONE, _TEN, _EPOCHS = "neural_network_1update", "neural_network_10update", "neural_network_10epoch"
_WORDS = {
    "single": "one model",
    "bagging": "batch bagging",
    "online_bagging": "online bagging",
    "boosting": "batch boosting",
    "online_boosting": "online boosting",
    "primed_online_boosting": "primed online boosting",
}
_BASES = {
    "decision_tree": "decision trees",
    "naive_bayes": "naive Bayes",
    "decision_stump": "decision stumps",
    _EPOCHS: "networks, ten epochs",
    _ONE: "networks, one update per example",
    _TEN: "networks, ten updates per example",
}


@dataclass(frozen=True)
class Axis:
    """A column of a table of the thesis."""

    table: str
    algorithm: str
    learner: str

    @property
    def words(self) -> str:
        """What an axis is called."""
        if self.algorithm == "single":
            return _BASES[self.learner].replace("networks", "one network")
        return _WORDS[self.algorithm]


def _figures() -> Iterator[tuple[str, Axis, Axis]]:
    """The number of a figure, what is to the right and what upwards."""
    yield "3.4", Axis("3.3", "bagging", "decision_tree"), Axis("3.3", "online_bagging", "decision_tree")
    yield "3.5", Axis("3.4", "bagging", "naive_bayes"), Axis("3.4", "online_bagging", "naive_bayes")
    yield "3.6", Axis("3.5", "bagging", "decision_stump"), Axis("3.5", "online_bagging", "decision_stump")
    for number, table, learner in ((7, "3.6", _ONE), (9, "3.7", _TEN)):
        yield f"3.{number}", Axis(table, "single", _EPOCHS), Axis(table, "single", learner)
        yield f"3.{number + 1}", Axis(table, "bagging", _EPOCHS), Axis(table, "online_bagging", learner)
    boosted = (
        ("4.1", "decision_tree", "4.1", "decision_tree"),
        ("4.2", "naive_bayes", "4.2", "naive_bayes"),
        ("4.3", "decision_stump", "4.3", "decision_stump"),
        ("4.4", _EPOCHS, "4.5", _ONE),
        ("4.4", _EPOCHS, "4.6", _TEN),
    )
    for at, (table, learner, online_table, online_learner) in enumerate(boosted):
        batch = Axis(table, "boosting", learner)
        online = Axis(online_table, "online_boosting", online_learner)
        primed = Axis(online_table, "primed_online_boosting", online_learner)
        yield f"4.{6 + at}", batch, online
        yield f"4.{11 + 2 * at}", batch, primed
        yield f"4.{12 + 2 * at}", online, primed


FIGURES = tuple(sorted(_figures(), key=lambda found: tuple(map(int, found[0].split(".")))))


def scatterplots(tables: Sequence[RebuiltTable]) -> Iterator[ExtraFigure]:
    """The figures whose tables are here: ours full, the published points hollow."""
    by_number = {table.published.number: table for table in tables}
    for number, x, y in FIGURES:
        if x.table not in by_number or y.table not in by_number:
            continue
        right, up = _cells(by_number[x.table], x), _cells(by_number[y.table], y)
        pairs = [(right[name], up[name]) for name in right if name in up]
        if len(pairs) < 2:
            continue
        ours = Series("ours", *_errors([(a.ours, b.ours) for a, b in pairs]))
        theirs = Series(
            "published", *_errors([(a.figure.value, b.figure.value) for a, b in pairs]), hollow=True
        )
        title = f"Figure {number}: {y.words} against {x.words}"
        if y.algorithm != "single":
            title += f", {_BASES[y.learner]}"
        chart = Scatter(title, [ours, theirs], f"test error of {x.words}", f"test error of {y.words}")
        caption = f"One point per data set ({len(pairs)}); above the line {y.words} is worse."
        yield ExtraFigure(f"figure-{number.replace('.', '-')}", title, chart, caption)


def _cells(table: RebuiltTable, axis: Axis) -> dict[str, Comparison]:
    wanted = (axis.algorithm, axis.learner)
    return {cell.figure.dataset: cell for cell in table.measured if cell.figure.column == wanted}


def _errors(pairs: list[tuple[float, float]]) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    values = 1 - np.array(pairs)
    return values[:, 0], values[:, 1]

"""The published tables, which come with the package."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

_TABLES: dict[str, dict[str, str]] = {
    "chen2012": {
        "1": "chen2012_table1_perceptron",
        "2": "chen2012_table2_naive_bayes",
        "3": "chen2012_table3_variants_perceptron",
        "4": "chen2012_table4_variants_naive_bayes",
    },
    "bai2014": {
        "1": "bai2014_table1_static_weak_learners",
        "2": "bai2014_table2_perceptron",
        "3": "bai2014_table3_naive_bayes",
    },
    "jung2017": {"1": "jung2017_table1"},
    "oza2001": {
        "3.3": "oza2001_table3_03_bagging_decision_tree",
        "3.4": "oza2001_table3_04_bagging_naive_bayes",
        "3.5": "oza2001_table3_05_bagging_decision_stump",
        "3.6": "oza2001_table3_06_bagging_neural_network_1update",
        "3.7": "oza2001_table3_07_bagging_neural_network_10update",
        "4.1": "oza2001_table4_01_boosting_decision_tree",
        "4.2": "oza2001_table4_02_boosting_naive_bayes",
        "4.3": "oza2001_table4_03_boosting_decision_stump",
        "4.4": "oza2001_table4_04_batch_neural_network",
        "4.5": "oza2001_table4_05_online_neural_network_1update",
        "4.6": "oza2001_table4_06_online_neural_network_10update",
    },
    "sun": {"2": "sun_table2_naive_bayes", "3": "sun_table3_ban"},
}
PAPERS = tuple(_TABLES)


@dataclass(frozen=True)
class PublishedFigure:
    """One figure of a table: an error rate or an accuracy."""

    dataset: str
    n: int | None
    algorithm: str
    learner: str
    metric: str
    value: float
    mark: str

    @property
    def column(self) -> tuple[str, str]:
        """What stands at the head of its column: algorithm and weak learner."""
        return self.algorithm, self.learner


@dataclass(frozen=True)
class PublishedTable:
    """A table of a paper."""

    paper: str
    number: str
    figures: tuple[PublishedFigure, ...]

    @property
    def datasets(self) -> list[str]:
        """Its rows, in the order of the paper."""
        return list(dict.fromkeys(figure.dataset for figure in self.figures))

    @property
    def columns(self) -> list[tuple[str, str]]:
        """The columns of the published table."""
        return list(dict.fromkeys(figure.column for figure in self.figures))

    @property
    def metric(self) -> str:
        """What the figures of the table count."""
        return self.figures[0].metric


def table_numbers(paper: str) -> list[str]:
    """The tables of results that a paper has."""
    return list(_TABLES[paper])


@cache
def published_table(paper: str, number: str) -> PublishedTable:
    """A table with its error rates or accuracies; running times are left out, they belong to other machines."""
    path = files("streamboost.reproduce") / "published" / f"{_TABLES[paper][number]}.csv"
    rows = csv.DictReader(path.read_text(encoding="utf-8").splitlines())
    return PublishedTable(
        paper,
        number,
        tuple(
            PublishedFigure(
                row["dataset"],
                int(row["n"]) if row["n"] else None,
                row["algorithm"],
                row["weak_learner"],
                row["metric"],
                float(row["value"]),
                row["mark"],
            )
            for row in rows
            if row["metric"] != "seconds"
        ),
    )

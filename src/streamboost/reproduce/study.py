"""What a reproduction consists of: data sets, tables, and for every cell the runs that rebuild it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from streamboost.experiments.plan import Algorithm, DataFacts, Protocol, Source
from streamboost.experiments.store import Record
from streamboost.reproduce.published import PublishedFigure

Score = Callable[[Record], float]
"""From a finished run to the figure that the table has."""


def error_rate(record: Record) -> float:
    """The share of wrong answers."""
    return float(np.mean(record.figure("errors")))


def accuracy(record: Record) -> float:
    """The share of right answers."""
    return 1 - error_rate(record)


def final_fifth(record: Record) -> float:
    """The share of right answers among the last fifth of the rows."""
    wrong = record.errors_of_rows()
    return 1 - float(wrong[-(wrong.size // 5) :].mean())


def after_tenth(record: Record) -> float:
    """The share of wrong answers on all rows but the first tenth, on which static learners are trained."""
    wrong = record.errors_of_rows()
    return float(wrong[wrong.size // 10 :].mean())


@dataclass(frozen=True)
class DataEntry:
    """A data set of a paper: its name there, and how we read it."""

    title: str
    text: str
    steps: tuple[str, ...] = ()
    options: dict[str, object] = field(default_factory=dict)
    note: str = ""
    """What a reader should know about it."""
    other: bool = False
    """Whether these are not the rows of the paper, so that aims do not count them."""
    orders: int | None = None
    """Fewer random orders than the others have, because the set is large."""
    more: str = ""
    """A second file with the same columns, whose rows come after those of the first."""
    learner_steps: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Further steps for some weak learner: a preset may say in which form it sees the columns."""

    def source(self, sample: int | None, learner: str = "") -> Source:
        """How to load it, or a sample of its rows, for a weak learner."""
        steps = (*self.steps, *self.learner_steps.get(learner, ()))
        steps = (*steps, f"sample:{sample}") if sample else steps
        return Source(self.text, dict(self.options), None, self.title, steps, self.more)


@dataclass(frozen=True)
class Planned:
    """How a cell is rebuilt. Of several algorithms the best is taken, as the paper did with hindsight."""

    algorithms: tuple[Algorithm, ...]
    protocol: Protocol
    score: Score
    best: str = ""
    """What the best was chosen from, if there are several."""
    most: int | None = None
    """How many of the protocol's runs are made, from the first on, if not all."""


@dataclass(frozen=True)
class NotPlanned:
    """Why a cell is not rebuilt."""

    reason: str


@dataclass(frozen=True)
class Size:
    """How much is run: rows of a sample (None: all), orders, passes of cross-validation."""

    rows: int | None
    orders: int
    repeats: int = 1
    learners: int = 100
    long: bool = False
    """Whether cells that take hours are run too."""


@dataclass(frozen=True)
class Preset:
    """Choices that a paper leaves open, made once for a weak learner; ``why`` says what speaks for them."""

    name: str
    choices: str
    why: str


@dataclass(frozen=True)
class Aim:
    """A mean absolute difference that a table should stay below."""

    table: str
    limit: float
    left_out: frozenset[tuple[str, str]] = frozenset()
    """Cells (data set, algorithm) that do not count; ``*`` stands for every data set."""
    why: str = ""
    only: str = ""
    """The one algorithm that counts, if not all do."""

    def counts(self, figure: PublishedFigure) -> bool:
        """Whether a cell belongs to the mean."""
        if self.only and figure.algorithm != self.only:
            return False
        return not ({(figure.dataset, figure.algorithm), ("*", figure.algorithm)} & self.left_out)


@dataclass(frozen=True)
class Share:
    """A share of a table's cells that should be within a distance, which depends on the algorithm."""

    table: str
    share: float
    within: Mapping[str, float]
    left_out: frozenset[tuple[str, str]] = frozenset()
    why: str = ""


@dataclass(frozen=True)
class Study:
    """A paper, ready to be run."""

    paper: str
    title: str
    protocol: str
    """In words."""
    data: Sequence[DataEntry]
    plan: Callable[[PublishedFigure, DataFacts, Size], Planned | NotPlanned]
    size: Size
    quick: Size
    presets: Sequence[Preset] = ()
    aims: Sequence[Aim] = ()
    shares: Sequence[Share] = ()
    winners: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Tables whose winners are compared, with the algorithms that compete."""
    remarks: Sequence[str] = ()
    unavailable: Mapping[str, str] = field(default_factory=dict)
    """Data sets that cannot be had, and why."""
    alternatives: Mapping[str, Study] = field(default_factory=dict)
    """The same with other presets, by the name that asks for them."""

    def entry(self, title: str) -> DataEntry | None:
        """The data set with a name of the paper."""
        return next((entry for entry in self.data if entry.title == title), None)


def labelled(
    model: str, learner: str, name: str, params: dict[str, object], **learner_params: object
) -> Algorithm:
    """An algorithm with the paper's name for it."""
    return Algorithm(model, learner, params, learner_params, model_label=name)


def with_orders(size: Size, entry: DataEntry) -> Size:
    """The size for one data set: fewer orders where it says so, but never one, which would be the order of the file."""
    return size if entry.orders is None else replace(size, orders=max(2, min(size.orders, entry.orders)))

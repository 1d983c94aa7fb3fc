"""From a study to a comparison: which runs there are, and what their records say beside the published figures."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from streamboost.experiments.plan import DataFacts, Run
from streamboost.experiments.store import Record
from streamboost.reproduce.published import PublishedFigure, PublishedTable, published_table, table_numbers
from streamboost.reproduce.study import Aim, NotPlanned, Planned, Share, Study, with_orders
from streamboost.streams.base import DataError

AGREES, DIFFERS, NOT_RUN, SAMPLED = "agrees", "differs", "not run", "sampled"
NEAR = 0.01
"""A difference up to this, or up to two standard errors, is agreement."""


@dataclass(frozen=True)
class Comparison:
    """A cell: what was published and, unless ``reason`` says why not, what we measured."""

    figure: PublishedFigure
    ours: float = math.nan
    standard_error: float = math.nan
    n_runs: int = 0
    reason: str = ""
    note: str = ""
    sampled: bool = False
    """Whether a quick look at samples of the rows was all, which is not held against the paper."""

    @property
    def difference(self) -> float:
        """Ours minus the published one."""
        return self.ours - self.figure.value

    @property
    def mark(self) -> str:
        """The sign that tables have for agreement with the paper."""
        if self.reason:
            return NOT_RUN
        if self.sampled:
            return SAMPLED
        allowed = max(NEAR, 0.0 if math.isnan(self.standard_error) else 2 * self.standard_error)
        return AGREES if abs(self.difference) <= allowed + 1e-12 else DIFFERS


@dataclass(frozen=True)
class RebuiltTable:
    """A table, cell by cell."""

    published: PublishedTable
    cells: tuple[Comparison, ...]
    counted: frozenset[str]
    """The data sets that are the paper's."""
    amounts: Mapping[str, str] = field(default_factory=dict)
    """By data set: rows, training sets and orders, where rows are held out; a study may take less of large sets."""

    def cell(self, dataset: str, column: tuple[str, str]) -> Comparison | None:
        """The cell of a row and a column; None where the paper has none."""
        return next(
            (c for c in self.cells if c.figure.dataset == dataset and c.figure.column == column), None
        )

    @property
    def datasets(self) -> list[str]:
        """The rows that were asked for."""
        return list(dict.fromkeys(cell.figure.dataset for cell in self.cells))

    @property
    def measured(self) -> list[Comparison]:
        """The cells with a result."""
        return [cell for cell in self.cells if not cell.reason]

    def count(self, mark: str) -> int:
        """How many cells have a mark."""
        return sum(cell.mark == mark for cell in self.cells)

    def mean_absolute_difference(self, aim: Aim | None = None) -> tuple[float, int]:
        """Over the measured cells on the paper's own data that the aim counts, and their number."""
        found = [
            abs(cell.difference)
            for cell in self.measured
            if cell.figure.dataset in self.counted and (aim is None or aim.counts(cell.figure))
        ]
        return (float(np.mean(found)), len(found)) if found else (math.nan, 0)

    def share_within(self, share: Share) -> tuple[int, int]:
        """How many measured cells are within their distance, and of how many."""
        near = total = 0
        for cell in self.measured:
            figure = cell.figure
            if figure.algorithm not in share.within or (figure.dataset, figure.algorithm) in share.left_out:
                continue
            total += 1
            near += abs(cell.difference) <= share.within[figure.algorithm] + 1e-12
        return near, total

    def winners(self, algorithms: Sequence[str]) -> tuple[int, int]:
        """In how many rows the published winner is ours too, or within one standard error of our best; of how many.

        A table with several weak learners has one contest for each of them in a row.
        """
        better = min if self.published.metric == "error_rate" else max
        contests: dict[tuple[str, str], list[Comparison]] = {}
        for cell in self.measured:
            if cell.figure.algorithm in algorithms and cell.figure.dataset in self.counted:
                contests.setdefault((cell.figure.dataset, cell.figure.learner), []).append(cell)
        rows = [row for row in contests.values() if len(row) == len(algorithms)]
        same = 0
        for row in rows:
            best = better(row, key=lambda cell: cell.ours)
            value = better(cell.figure.value for cell in row)
            margin = 0.0 if math.isnan(best.standard_error) else best.standard_error
            same += any(abs(cell.ours - best.ours) <= margin for cell in row if cell.figure.value == value)
        return same, len(rows)


@dataclass(frozen=True)
class Job:
    """A cell with the runs that it needs; several algorithms if the best of them is taken."""

    figure: PublishedFigure
    planned: Planned | None
    runs: tuple[tuple[Run, ...], ...] = ()
    reason: str = ""


class Reproduction:
    """A study with what of it is to be run."""

    def __init__(
        self,
        study: Study,
        *,
        tables: Sequence[str] = (),
        datasets: Sequence[str] = (),
        quick: bool = False,
        orders: int | None = None,
        long: bool = False,
    ) -> None:
        self.study = study
        self.quick = quick
        base = study.quick if quick else study.size
        self.size = replace(base, orders=orders or base.orders, long=long)
        self.tables = [
            published_table(study.paper, number)
            for number in _chosen("table", tables, table_numbers(study.paper))
        ]
        known = list(dict.fromkeys(name for table in self.tables for name in table.datasets))
        self.datasets = _chosen("data set", datasets, known)
        self.facts: dict[str, dict[str, DataFacts]] = {}
        """By data set, then by weak learner; the empty name is for all that have no form of their own."""
        self.missing: dict[str, str] = {}
        self.jobs: dict[str, list[Job]] = {}

    def load(self) -> None:
        """Look at every data set once; one that is not here is noted, with the way to get it."""
        for name in self.datasets:
            entry = self.study.entry(name)
            if entry is None:
                self.missing[name] = self.study.unavailable.get(name, "there is no public source for it")
                continue
            learners = {figure.learner for table in self.tables for figure in table.figures}
            forms = {learner if learner in entry.learner_steps else "" for learner in learners}
            seen: dict[tuple[str, ...], DataFacts] = {}
            try:
                for form in sorted(forms):
                    source = entry.source(self.size.rows, form)
                    if source.steps not in seen:
                        seen[source.steps] = source.load().facts
                    self.facts.setdefault(name, {})[form] = seen[source.steps]
            except DataError as error:
                self.facts.pop(name, None)
                self.missing[name] = str(error)

    def plan(self) -> list[Run]:
        """All runs, each once, one data set after the other."""
        for table in self.tables:
            self.jobs[table.number] = [
                self._job(figure) for figure in table.figures if figure.dataset in self.datasets
            ]
        found = {
            run.key: run for jobs in self.jobs.values() for job in jobs for runs in job.runs for run in runs
        }
        order = {name: at for at, name in enumerate(self.facts)}
        return sorted(found.values(), key=lambda run: (order[run.source.name], run.source.steps))

    def _job(self, figure: PublishedFigure) -> Job:
        name = figure.dataset
        if name in self.missing:
            return Job(figure, None, reason=self.missing[name])
        entry = self.study.entry(name)
        assert entry is not None
        facts = self._facts(figure)
        planned = self.study.plan(figure, facts, with_orders(self.size, entry))
        if isinstance(planned, NotPlanned):
            return Job(figure, None, reason=planned.reason)
        runs = tuple(
            tuple(
                Run(facts.source, facts.fingerprint, a, planned.protocol, unit)
                for unit in planned.protocol.units()[: planned.most]
            )
            for a in planned.algorithms
        )
        return Job(figure, planned, runs)

    def _facts(self, figure: PublishedFigure) -> DataFacts:
        forms = self.facts[figure.dataset]
        return forms.get(figure.learner, forms.get("", next(iter(forms.values()))))

    def _amounts(self, table: PublishedTable) -> dict[str, str]:
        most: dict[str, dict[int, list[int]]] = {}
        for job in self.jobs[table.number]:
            if job.planned is not None and job.planned.protocol.holds_out:
                rows = self._facts(job.figure).n_rows
                now = [len(job.runs[0]), job.planned.protocol.orders]
                forms = most.setdefault(job.figure.dataset, {})
                forms[rows] = list(map(max, forms.get(rows, now), now))
        # Several numbers of rows: some base model of the table sees a sample.
        return {
            name: " / ".join(f"{rows:,} · {sets} × {orders}" for rows, (sets, orders) in forms.items())
            for name, forms in most.items()
        }

    def compare(self, records: Mapping[str, Record]) -> list[RebuiltTable]:
        """The tables, from the records by their runs' keys; a run without one is not run yet."""
        counted = frozenset(entry.title for entry in self.study.data if not entry.other)
        return [
            RebuiltTable(
                table,
                tuple(
                    replace(_comparison(job, records), sampled=self.quick) for job in self.jobs[table.number]
                ),
                counted,
                self._amounts(table),
            )
            for table in self.tables
        ]


def _comparison(job: Job, records: Mapping[str, Record]) -> Comparison:
    if job.planned is None:
        return Comparison(job.figure, reason=job.reason)
    found: list[Comparison] = []
    for algorithm, runs in zip(job.planned.algorithms, job.runs, strict=True):
        have = [records.get(run.key) for run in runs]
        broken = next((r for r in have if r is not None and not r.done), None)
        if broken is not None:
            return Comparison(job.figure, reason=f"{broken.status}: {broken.message}")
        values = np.array([job.planned.score(record) for record in have if record is not None])
        # Fewer runs than planned still say something, but one is no mean of random orders.
        if values.size < min(2, len(runs)):
            return Comparison(job.figure, reason="not run yet")
        spread = float(values.std(ddof=1) / math.sqrt(values.size)) if values.size > 1 else math.nan
        note = f"best of {len(job.runs)}: {algorithm.member}" if len(job.runs) > 1 else ""
        found.append(Comparison(job.figure, float(values.mean()), spread, int(values.size), note=note))
    better = min if job.figure.metric == "error_rate" else max
    return better(found, key=lambda cell: cell.ours)


def _chosen(what: str, wanted: Sequence[str], known: Sequence[str]) -> list[str]:
    if not wanted:
        return list(known)
    by_name = {name.lower(): name for name in known}
    for name in wanted:
        if name.lower() not in by_name:
            raise ValueError(f"There is no {what} {name!r} here; there are {', '.join(known)}.")
    return [name for name in known if name.lower() in {word.lower() for word in wanted}]

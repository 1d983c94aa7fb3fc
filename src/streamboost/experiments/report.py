"""The page of a comparison, and the files beside it."""

from __future__ import annotations

import math
import re
from itertools import groupby
from pathlib import Path

import numpy as np

from streamboost.base.files.writing import write_file
from streamboost.experiments.charts import (
    ErrorAgainstSize,
    ErrorAgainstSpeed,
    ErrorOverTime,
    Point,
    styles_of,
)
from streamboost.experiments.figures import Picture, Style, render
from streamboost.experiments.page import (
    ByWidth,
    Code,
    DataTable,
    Facts,
    Figure,
    Page,
    Section,
    TableCell,
    Text,
)
from streamboost.experiments.rank_chart import RankChart
from streamboost.experiments.report_parts import (
    count,
    error_cell,
    p_text,
    parameters_text,
    reasons,
    size_text,
    together,
)
from streamboost.experiments.summary import ALPHA, BEST, Cell, Summary, measure_name, measures_of
from streamboost.experiments.tables import (
    LIKE_BEST_MARK,
    first_up,
    runs_csv,
    summary_csv,
    value_text,
)

_MOST_COLUMNS = 10
"""A table of models with more measures than fit on a page has one line for each measure instead."""

_MANY = 7  # models beside each other in a table; more stand below each other


def write_report(summary: Summary, folder: Path, command: str) -> list[Path]:
    """Write ``report.html``, the tables as CSV and the pictures as PNG; returns what was written, the page first."""
    report = _Report(summary, command)
    page = report.page()
    written = {"report.html": page.html().encode()}
    written |= {"summary.csv": summary_csv(summary).encode(), "runs.csv": runs_csv(summary).encode()}
    written |= {f"{picture.name}.png": picture.png for picture in report.pictures}
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in written.items():
        write_file(folder / name, content)
    return [folder / name for name in written]


class _Report:
    def __init__(self, summary: Summary, command: str) -> None:
        self.summary = summary
        self.command = command
        self.pictures: list[Picture] = []
        self.models = [algorithm for algorithm in summary.algorithms if not algorithm.is_baseline]
        self.measure = measure_name(summary.rank_by)
        self.error = "Mean absolute error" if summary.protocol.regression else "Error"

    def _styles(self, order: list[int]) -> dict[str, Style]:
        """The same for all pictures; with very many models, colours for the first ones of the order."""
        return styles_of([algorithm.name for algorithm in self.summary.algorithms], order)

    def page(self) -> Page:
        from importlib.metadata import version

        s = self.summary
        page = Page(
            title=f"{count(len(self.models), 'model')} on {count(len(s.sets), 'data set')}",
            subtitle=self._protocol().capitalize(),
            footer=f"Made by streamboost {version('streamboost')}.",
        )
        page.lead.append(Facts(self._winners(), cards=True))
        if s.failures:
            page.lead.append(Text([f"{count(len(s.failures), 'cell')} failed; see below."], "bad"))
        if s.no_better_than_baselines:
            page.lead.append(Text(s.no_better_than_baselines, "bad"))
        title = "Errors" if s.rank_by == "error" else first_up(self.measure)
        page.section(title, self._errors(), Text(self._reading(), "note"))
        if s.ranking is not None and len(s.sets) > 1:
            self._ranks(page)
        for row in s.cells:
            self._data_section(page, row, re.sub(r"[^\w-]+", "-", row[0].data.name).strip("-"))
        if s.refusals:
            intro = "These models cannot take these data sets, in their own words."
            page.section("Not applicable", Text([intro]), reasons(s.refusals))
        if s.failures:
            page.section("Failed", Text(["These runs will be tried again next time."]), reasons(s.failures))
        self._method(page)
        return page

    def _protocol(self) -> str:
        p = self.summary.protocol
        late = f", labels {p.delay:,} rows late" if p.delay else ""
        error = "absolute error" if p.regression else "error"
        if p.folds:
            orders = f", every training set in {p.orders} orders" if p.orders > 1 else ""
            return f"{error} on held-out rows, {count(p.repeats, 'pass', 'passes')} of {p.folds}-fold cross-validation{orders}"
        if p.orders > 1:
            return (
                f"prequential {error}, mean of {p.orders} random orders{late}, the same orders for all models"
            )
        return f"prequential {error}, the rows in the order of the data, not shuffled{late}"

    def _winners(self) -> list[tuple[str, ...]]:
        s = self.summary
        best = [
            (
                row[0].data.name,
                [c for c, v in zip(row, s.verdicts(row), strict=True) if v and v.place == BEST],
            )
            for row in s.cells
        ]
        if len(best) <= 4:
            return [
                (f"Best on {name}", cells[0].algorithm.name, f"{self.measure} {value_text(cells[0])}")
                if cells
                else (f"Best on {name}", "nobody")
                for name, cells in best
            ]
        wins = {
            a.name: sum(a.name in {c.algorithm.name for c in cells} for _, cells in best)
            for a in s.algorithms
        }
        leaders = sorted(wins, key=lambda name: -wins[name])[:3]
        return [(f"Best on {count(wins[name], 'data set')}", name) for name in leaders if wins[name]]

    def _reading(self) -> list[str]:
        s = self.summary
        n = len(s.protocol.units())
        lines = [
            f"Bold: the best mean {self.measure}. "
            + (
                f"{LIKE_BEST_MARK}: not significantly worse ({s.test_name}, p ≥ {ALPHA:g}"
                + (f", {n} pairs" if n > 1 else "")
                + "; each model against the best, not corrected for their number)."
                if s.test_name
                else "One order gives one value each: nothing can be tested."
            )
            + (" ± is the standard error of the mean." if n > 1 else "")
        ]
        if len(self.models) < len(s.algorithms):
            first = (
                "mean answers the mean of the targets so far"
                if s.protocol.regression
                else "majority answers the most frequent label so far"
            )
            lines.append(
                first
                + (f", {s.algorithms[-1].model} the last one" if not s.protocol.holds_out else "")
                + ": what every model has to beat. They are not ranked."
            )
        positive = {cell.positive for row in s.cells for cell in row if cell.positive is not None}
        if s.protocol.metrics and positive:
            lines.append(f"Metrics of one label speak of: {', '.join(sorted(positive))}.")
        if s.protocol.folds:
            lines.append(
                "Pairs are folds, averaged over their orders. The corrected test allows for the overlap of training sets; "
                "standard errors do not."
            )
        elif s.protocol.orders > 1:
            lines.append(
                "Every order holds the same rows, so the test says who does better on these rows in a random order; "
                "it does not speak of other rows."
            )
        return lines

    def _errors(self) -> ByWidth | DataTable:
        s = self.summary
        marked = [[error_cell(c, v) for c, v in zip(row, s.verdicts(row), strict=True)] for row in s.cells]
        ranks = self._rank_texts()
        many = len(s.algorithms) > _MANY
        with_rank = ranks if many else []  # a narrow screen has no room for it
        rows = [
            [TableCell(a.group, a.member), *(row[i] for row in marked), *with_rank[i : i + 1]]
            for i, a in enumerate(s.algorithms)
        ]
        tall = DataTable(["model", *(f.name for f in s.sets), *(["rank"] if with_rank else [])], rows)
        if many:
            return tall
        groups = [(key, len(list(found))) for key, found in groupby(a.group for a in s.algorithms)]
        named = any(a.member for a in s.algorithms)
        flat = DataTable(
            ["data", *(a.member if named else a.group for a in s.algorithms)],
            [[TableCell(f.name), *cells] for f, cells in zip(s.sets, marked, strict=True)],
            groups=[("", 1), *groups] if named else (),
            foot=[[TableCell("average rank"), *ranks]] if ranks else (),
        )
        return ByWidth(flat, tall)

    def _rank_texts(self) -> list[TableCell]:
        s = self.summary
        if s.ranking is None or len(s.sets) < 2:
            return []
        ranks = dict(zip(s.ranked, s.ranking.ranks.tolist(), strict=True))
        return [
            TableCell(f"{ranks[i]:.2f}") if i in ranks else TableCell("–", mark="none")
            for i in range(len(s.algorithms))
        ]

    def _ranks(self, page: Page) -> None:
        s = self.summary
        ranking = s.ranking
        assert ranking is not None
        names = [s.algorithms[i].name for i in s.ranked]
        left_out = [a for i, a in enumerate(s.algorithms) if i not in s.ranked and not a.is_baseline]
        separates = ranking.critical_difference < len(names) - 1
        words = (
            f"Friedman's test over {count(ranking.n_sets, 'data set')}: {p_text(ranking.p_friedman)} "
            f"(Iman and Davenport: {p_text(ranking.p)}). Nemenyi's critical difference at {ALPHA:g} is "
            f"{ranking.critical_difference:.2f}: models whose bars do not overlap are told apart."
        )
        if not separates:
            words += (
                " It is larger than any possible difference of ranks: these are too few data sets to tell."
            )
        notes = [words]
        if left_out:
            notes.append(
                f"Not ranked, because they have no result on some data set: {', '.join(together(left_out, s.algorithms))}."
            )
        best_first = [s.ranked[place] for place in np.argsort(ranking.ranks, kind="stable")]
        chart = RankChart("Average ranks", names, ranking, self._styles(best_first))
        picture = self._draw(chart, "ranks")
        page.section("Ranks", Figure(picture), Text(notes, "note"))

    def _data_section(self, page: Page, row: list[Cell], prefix: str) -> None:
        facts = row[0].data
        done = [cell for cell in row if cell.status == "done" and not cell.algorithm.is_baseline]
        nominal = f" ({facts.n_nominal} nominal)" if facts.n_nominal else ""
        target = f"{len(facts.labels)} classes"
        if self.summary.protocol.regression and facts.targets is not None:
            target = "targets from {:.4g} to {:.4g}".format(*facts.targets)
        section = page.section(
            facts.name,
            aside=f"{facts.n_rows:,} rows, {count(facts.n_features, 'feature')}{nominal}, {target}",
        )
        if not done:
            section.blocks.append(Text(["No model has a result on this data set."], "bad"))
            return
        errors = np.array([cell.error for cell in row])
        styles = self._styles(np.argsort(errors, kind="stable").tolist())  # those without a result come last
        if not self.summary.protocol.folds:
            curves = [cell.curve() for cell in done]
            chart = ErrorOverTime(f"{self.error} over time on {facts.name}", curves, styles)
            marks = (
                " Marks at the foot: a learner was replaced." if any(c.drifts.size for c in curves) else ""
            )
            caption = f"{self.error} over time. Bold: error so far; faint: over the last {curves[0].window:,} examples.{marks}"
            section.blocks.append(Figure(self._draw(chart, f"{prefix}-error-over-time"), caption))
        self._speed(section, done, prefix, styles)
        self._sizes(section, done, prefix)
        section.blocks.append(self._details(row))

    def _speed(self, section: Section, done: list[Cell], prefix: str, styles: dict[str, Style]) -> None:
        points = [
            Point(cell.algorithm.name, cell.examples_per_second, cell.error, cell.standard_error_of_error)
            for cell in done
            if math.isfinite(cell.examples_per_second)
        ]
        if not points:
            return
        chart = ErrorAgainstSpeed(f"{self.error} against speed on {section.title}", points, styles)
        verb = "learned" if self.summary.protocol.folds else "answered and learned"
        caption = f"{self.error} against speed: rows {verb} per second of CPU time. Lower right is better."
        section.blocks.append(Figure(self._draw(chart, f"{prefix}-error-against-speed"), caption))

    def _sizes(self, section: Section, done: list[Cell], prefix: str) -> None:
        sized = [cell for cell in done if cell.algorithm.size_label]
        lines: dict[str, list[Point]] = {}
        for cell in sized:
            family = f"{cell.algorithm.group} · {cell.algorithm.learner_label or cell.algorithm.learner}"
            size = float(cell.algorithm.params["n_estimators"])
            lines.setdefault(family, []).append(Point(family, size, cell.error, cell.standard_error_of_error))
        if not any(len(points) > 1 for points in lines.values()):
            return
        ordered = [(family, sorted(points, key=lambda p: p.x)) for family, points in lines.items()]
        styles = styles_of(list(lines), list(range(len(lines))))
        chart = ErrorAgainstSize(f"{self.error} against size on {section.title}", ordered, styles)
        caption = f"{self.error} against the number of learners."
        section.blocks.append(Figure(self._draw(chart, f"{prefix}-error-against-size"), caption))

    def _details(self, row: list[Cell]) -> DataTable:
        s = self.summary
        shown = [*s.measures, *measures_of(s.protocol)]
        metrics = list(dict.fromkeys(shown))[1:]  # what ranks has its marks and comes first
        tested = ["p"] if s.test_name else []
        head = ["model", self.measure, *tested, *map(measure_name, metrics), "examples/s", "memory"]
        rows = []
        ordered = sorted(
            zip(row, s.verdicts(row), strict=True),
            key=lambda pair: (pair[1] is None, s.sign * pair[0].value if pair[1] else 0),
        )
        for cell, verdict in ordered:
            name = TableCell(cell.algorithm.group, cell.algorithm.member)
            if verdict is None:
                rows.append([name, error_cell(cell, None), *([TableCell("")] * (len(head) - 2))])
                continue
            figures = [value_text(cell, metric) for metric in metrics]
            speed, size = cell.examples_per_second, cell.mean("memory_bytes")
            figures.append("–" if math.isnan(speed) else f"{speed:,.0f}")
            figures.append("–" if math.isnan(size) else size_text(size))
            if tested:
                figures.insert(0, "" if verdict.p is None else p_text(verdict.p).removeprefix("p = "))
            rows.append([name, error_cell(cell, verdict), *map(TableCell, figures)])
        caption = "p: against the best, by the test named above." if s.test_name else ""
        table = DataTable(head, rows, caption=caption)
        return table.turned() if len(head) > max(_MOST_COLUMNS, len(rows)) else table

    def _method(self, page: Page) -> None:
        s, p = self.summary, self.summary.protocol
        facts = [("Protocol", self._protocol()), ("Seed", f"{p.seed} (models, orders and folds)")]
        facts += [("Ranked by", self.measure)]
        facts += [(a.name, parameters_text(a.params | a.learner_params)) for a in self.models]
        facts += [(f.name, f"{f.source.text} (rows {f.fingerprint[:12]})") for f in s.sets]
        section = page.section("How this was made", Code(self.command), Facts(facts))
        if s.warnings:
            section.blocks.append(Text(["Warnings of the models:", *s.warnings], "note"))

    def _draw(
        self, chart: ErrorOverTime | ErrorAgainstSpeed | ErrorAgainstSize | RankChart, name: str
    ) -> Picture:
        picture = render(chart, name)
        self.pictures.append(picture)
        return picture

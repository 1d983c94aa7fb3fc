"""One table per ensemble: what each learner was given and how it did."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from streamboost.report.bounds import Bound
from streamboost.report.explanation import importance_lines
from streamboost.report.tables import data_frame, html_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SHOWN = 10
_WIDTH = 80


@dataclass(frozen=True, repr=False)
class EnsembleReport:
    """Per-learner statistics of a model, as they are now.

    Attributes
    ----------
    model, learner : str
        Class names.
    n_learned : int
        Examples learned with positive weight.
    lanes : dict of str to array
        One array per statistic, one entry per learner in order: ``weight_sum`` (weight offered), ``edge`` (mean of
        weight times correlation), ``error_rate`` (share of rows answered wrong), ``mean_margin`` (mean of y h(x),
        unweighted), and the algorithm's own.
    totals : dict of str to float
        Statistics of the whole ensemble.
    bounds : tuple of Bound
        Guarantees of the algorithm against what happened.
    advice : tuple of str
        Signs that boosting does not do what it should, with what to do.
    trace : array of shape (n_points, 4) or None
        A bounded history: examples learned, their weight, the sum of mistakes that the algorithm's own bound speaks
        of, and that bound (if ``trace_bounded``).
    replacements : array of shape (n, 2)
        The last learners that a guard against drift replaced: example number and learner, oldest first.
    importances : dict of str or int to float, or None
        The mean size of each column's contribution, of a model with ``importances=True``.
    """

    model: str
    learner: str
    n_learned: int
    lanes: dict[str, NDArray[Any]]
    totals: dict[str, float] = field(default_factory=dict)
    bounds: tuple[Bound, ...] = ()
    advice: tuple[str, ...] = ()
    trace: NDArray[Any] | None = None
    trace_bounded: bool = False
    trace_label: str = "what is promised at most"
    replacements: NDArray[np.int64] = field(default_factory=lambda: np.empty((0, 2), np.int64))
    importances: dict[Any, float] | None = None

    @property
    def n_estimators(self) -> int:
        """Number of learners."""
        return len(next(iter(self.lanes.values()), ()))

    def to_dict(self) -> dict[str, Any]:
        """Return plain lists and numbers, ready for JSON."""
        return {
            "model": self.model,
            "learner": self.learner,
            "n_learned": self.n_learned,
            "lanes": {name: values.tolist() for name, values in self.lanes.items()},
            "totals": dict(self.totals),
            "replacements": self.replacements.tolist(),
            "bounds": [bound.to_dict() for bound in self.bounds],
            "advice": list(self.advice),
            "trace": None if self.trace is None else self.trace.tolist(),
            "importances": self.importances,
        }

    def broken(self) -> tuple[Bound, ...]:
        """Return the guarantees that fail although everything they assume holds: each one is a bug."""
        return tuple(bound for bound in self.bounds if bound.broken)

    def plot(self, path: str | os.PathLike[str] | None = None) -> Figure:
        """Draw bound and reality over time, and the learners' edges; saved if a path is given."""
        from streamboost.report.plot import plot_report

        return plot_report(self, path)

    def __str__(self) -> str:
        lines = [self._title()]
        like, unlike = self._columns()
        if unlike:
            lines += _folded({"learner": [str(row) for row in self._shown()], **self._cells(unlike)})
        if self.n_estimators > _SHOWN:
            lines.append(f"... {self.n_estimators - _SHOWN} more learners; to_frame() has them all")
        if like:
            lines += _filled(f"all learners: {', '.join(f'{name} {value}' for name, value in like.items())}")
        for group, values in self._groups().items():
            lines += _filled(f"{group}: {values}")
        lines += self._time_line()
        if self.bounds:
            lines += ["", "Guarantees against what happened:", *map(str, self.bounds)]
        if self.importances is not None:
            lines += ["", *importance_lines(self.importances)]
        lines += [f"Advice: {line}" for line in self.advice]
        return "\n".join(lines)

    def _title(self) -> str:
        return f"{self.model} of {self.n_estimators} x {self.learner}, {self.n_learned:,} examples learned"

    def _columns(self) -> tuple[dict[str, str], list[str]]:
        """The statistics that are the same for all learners, with their value, and the names of the others."""
        like, unlike = {}, []
        for name, values in self.lanes.items():
            if len(values) > 1 and np.all(values == values[0]):
                like[name] = _cell(values[0])
            else:
                unlike.append(name)
        return like, unlike

    def _cells(self, names: list[str]) -> dict[str, list[str]]:
        """What a table shows of each statistic: the first learners, and the mean if there are more."""
        found = {}
        for name in names:
            found[name] = [_cell(self.lanes[name][row]) for row in self._shown()]
            if self.n_estimators > _SHOWN:
                found[name].append(_cell(self.lanes[name].mean()))
        return found

    def _groups(self) -> dict[str, str]:
        """The totals; those with a common first name, as `pool_weight/linear`, in one line, the largest first."""
        groups: dict[str, list[tuple[float, str]]] = {}
        for name, value in self.totals.items():
            group, _, member = name.partition("/")
            groups.setdefault(group, []).append((value, f"{member} {_cell(value)}".lstrip()))
        return {
            group: ", ".join(text for _, text in sorted(members, key=lambda member: -member[0]))
            for group, members in groups.items()
        }

    def __repr__(self) -> str:
        broken = f", {len(self.broken())} guarantees broken" if self.broken() else ""
        advice = f", {len(self.advice)} pieces of advice" if self.advice else ""
        return (
            f"<report of {self.model}, {self.n_estimators} x {self.learner}, {self.n_learned} examples learned"
            f"{broken}{advice}; print it for the table>"
        )

    def _repr_html_(self) -> str:
        like, unlike = self._columns()
        shown = self._cells(unlike)
        learners = [*map(str, self._shown()), *(["mean"] if self.n_estimators > _SHOWN else [])]
        rows = (
            [[learner, *cells] for learner, *cells in zip(learners, *shown.values(), strict=True)]
            if unlike
            else []
        )
        left_out = self.n_estimators - len(self._shown())
        notes = [f"{left_out} more learners: to_frame() has them all."] if left_out else []
        notes += (
            [f"all learners: {', '.join(f'{name} {value}' for name, value in like.items())}"] if like else []
        )
        notes += [f"{group}: {values}" for group, values in self._groups().items()]
        notes += self._time_line()
        notes += [] if self.importances is None else [_most_important(self.importances)]
        notes += [str(bound) for bound in self.bounds] + [f"Advice: {line}" for line in self.advice]
        return html_table(self._title(), ["learner", *unlike], rows, notes)

    def _time_line(self, most: int = 8) -> list[str]:
        if not len(self.replacements):
            return []
        last = [f"{number:,} (learner {lane})" for number, lane in self.replacements[-most:].tolist()]
        more = f"... {len(self.replacements) - len(last)} earlier, " if len(self.replacements) > most else ""
        return [f"replaced at example {more}{', '.join(last)}"]

    def _shown(self) -> range:
        return range(min(_SHOWN, self.n_estimators))

    def to_frame(self) -> Any:
        """Return one line per learner, as a pandas (or else polars) frame."""
        return data_frame({"learner": np.arange(self.n_estimators), **self.lanes})


def _most_important(importances: Mapping[Any, float], most: int = 5) -> str:
    first = sorted(importances.items(), key=lambda item: -item[1])[:most]
    return "looks most at " + ", ".join(f"{name} ({value:.3g})" for name, value in first)


def _cell(value: Any) -> str:
    """A number in four digits, a count whole."""
    value = float(value)
    return f"{value:,.0f}" if abs(value) >= 1000 or value.is_integer() else f"{value:.4g}"


def _folded(columns: Mapping[str, list[str]]) -> list[str]:
    """A table whose columns go on below where a terminal ends; the first column stands before every part."""
    (first, rows), *others = columns.items()
    rows = rows + ["mean"] * (len(others[0][1]) - len(rows))
    side = _aligned(first, rows)
    parts = [side]
    for name, cells in others:
        column = _aligned(name, cells)
        if len(parts[-1][0]) + 2 + len(column[0]) > _WIDTH and parts[-1] is not side:
            parts.append(side)
        parts[-1] = [f"{left}  {right}" for left, right in zip(parts[-1], column, strict=True)]
    return [line for part in parts for line in part]


def _aligned(name: str, cells: list[str]) -> list[str]:
    width = max(map(len, [name, *cells]))
    return [cell.rjust(width) for cell in [name, *cells]]


def _filled(text: str) -> list[str]:
    return textwrap.wrap(
        text, _WIDTH, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False
    )

"""Why a row was answered as it was: contributions of the columns that add up to the score, and their pictures."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from streamboost.base.files.writing import write_figure
from streamboost.report.axes import INK, dress
from streamboost.report.tables import html_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

METHODS = ("closed form", "exact", "sampled")
"""How a row was explained: only what is sampled is approximate."""
WORDY = 300
"""Rows, the first ones, whose words are added up: each takes milliseconds."""
_UP, _DOWN = "#D55E00", "#0072B2"
_LINES = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#7F7F7F")


@dataclass(frozen=True)
class Explanation:
    """One row: ``score`` = ``base`` + the sum of ``contributions`` (by column), the score of ``label``.

    ``method`` is how, one of `METHODS`.
    """

    base: float
    contributions: Mapping[Any, float]
    score: float
    label: Any
    method: str = "sampled"
    cells: Mapping[Any, Any] = field(default_factory=dict)
    """The values of the row's columns, where they are known."""
    words: Mapping[Any, Mapping[str, float]] = field(default_factory=dict)
    """Of columns of texts: the words, whose contributions sum to that of the column."""

    def name_of(self, column: Any) -> str:
        """The column with its value in this row, as people read it."""
        return f"{column} = {cell_text(self.cells[column])}" if column in self.cells else str(column)

    def largest(self, top: int) -> list[tuple[str, float]]:
        """The largest contributions by column and value, or word; those beyond the first ``top`` are one."""
        named = [
            part
            for column, value in self.contributions.items()
            for part in (
                [(f"{column}: {word}", share) for word, share in self.words[column].items()]
                if self.words.get(column)
                else [(self.name_of(column), value)]
            )
        ]
        named.sort(key=lambda item: -abs(item[1]))
        rest = [value for _, value in named[top:]]
        return [*named[:top], (f"{len(rest)} others", sum(rest))] if rest else named

    def __str__(self) -> str:
        ordered = self.largest(10_000)
        names = _padded([name for name, _ in ordered])
        lines = [f"score {self.score:+.4f} of {self.label!r}, from {self.base:+.4f}"]
        shown = (f"  {name}  {value:+.4f}" for name, (_, value) in zip(names, ordered, strict=True))
        return "\n".join([*lines, *shown])

    def _repr_html_(self) -> str:
        rows = [[name, f"{value:+.4f}"] for name, value in self.largest(10_000)]
        notes = [f"from {self.base:+.4f} to {self.score:+.4f}"]
        return html_table(
            f"Score {self.score:+.4f} of {self.label!r}", ["column", "contribution"], rows, notes
        )

    def plot(self, path: str | os.PathLike[str] | None = None, *, top: int = 12) -> Figure:
        """A waterfall from the base to the score; columns beyond the largest ``top`` are one step."""
        shown = self.largest(top)
        figure, axes = _canvas(8.0, 0.34 * (len(shown) + 2) + 1.0)
        at = self.base
        for place, (_, value) in enumerate(shown):
            axes.barh(place, value, left=at, color=_UP if value > 0 else _DOWN, height=0.62)
            axes.text(max(at, at + value), place, f"  {value:+.3f}", va="center", fontsize=8.5, color=INK)
            axes.plot([at + value] * 2, [place, place + 1], color=INK, linewidth=0.6)
            at += value
        axes.axvline(self.base, color=INK, linewidth=0.8, linestyle=":")
        axes.plot([self.score], [len(shown)], marker="D", color=INK)
        axes.set_yticks([*range(len(shown) + 1)], [*(name for name, _ in shown), "score"])
        axes.invert_yaxis()
        low, high = axes.get_xlim()
        axes.set_xlim(low - 0.03 * (high - low), high + 0.12 * (high - low))
        _dress(axes, f"Why {self.label!r}: from {self.base:+.3f} to {self.score:+.3f}", "score")
        return _written(figure, path)


@dataclass(frozen=True)
class Explanations:
    """Several rows: ``score[i]`` = ``base[i]`` + ``contributions[i].sum()``, the score of ``labels[i]``; ``method``: how."""

    base: NDArray[np.float64]
    contributions: NDArray[np.float64]
    score: NDArray[np.float64]
    labels: NDArray[Any]
    columns: Sequence[Any]
    method: str = "sampled"
    coded: NDArray[np.float64] | None = None
    """The rows, nominal values as codes; None where they are sparse."""
    values: Sequence[Sequence[Any] | None] = ()
    """What the codes of each column stand for; None for a column of numbers."""
    texts: Mapping[int, Sequence[str | None]] = field(default_factory=dict)
    """The cells of columns of words, by the number of the column."""
    words: Sequence[Mapping[Any, Mapping[str, float]]] = ()
    """Of each row, where it was asked for: the words of its texts, and their contributions."""

    def __len__(self) -> int:
        return len(self.base)

    def __getitem__(self, row: int) -> Explanation:
        return Explanation(
            float(self.base[row]),
            dict(zip(self.columns, self.contributions[row].tolist(), strict=True)),
            float(self.score[row]),
            self.labels[row : row + 1].tolist()[0],
            self.method,
            self._cells(row),
            self.words[row] if self.words else {},
        )

    def __str__(self) -> str:
        """The columns that matter most in these rows; of each row, print that one."""
        lines = importance_lines(dict(zip(self.columns, self.importances.tolist(), strict=True)))
        rows = f"{len(self)} row{'s' if len(self) != 1 else ''} explained"
        return "\n".join([f"{rows} ({self.method}); print one by its number", *lines])

    def __repr__(self) -> str:
        return f"<explanations of {len(self)} rows by {len(self.columns)} columns, {self.method}; print for a table>"

    def _cells(self, row: int) -> dict[Any, Any]:
        if self.coded is None:
            return {}
        cells: dict[Any, Any] = {}
        for column, value, names in zip(self.columns, self.coded[row].tolist(), self.values, strict=True):
            known = names is None or 0 <= value < len(names)
            cells[column] = (value if names is None else names[int(value)]) if known else None
        return cells | {self.columns[at]: texts[row] for at, texts in self.texts.items()}

    @property
    def importances(self) -> NDArray[np.float64]:
        """The mean size of each column's contributions."""
        found: NDArray[np.float64] = np.abs(self.contributions).mean(axis=0)
        return found

    def top_words(self, top: int = 10, label: Any = None) -> list[tuple[str, float]]:
        """The words that add most to the score: sums of their contributions over these rows, explained with ``words=True``.

        label: only of the rows whose score is that of this class.
        """
        return sorted(self._word_sums(label).items(), key=lambda item: -item[1])[:top]

    def word_lines(self, top: int = 10) -> list[str]:
        """The words that speak most for each label of these rows, and against it where there is but one."""
        labels = list(dict.fromkeys(self.labels.tolist()))[:top]
        lines = []
        for label in labels:
            found = self._word_sums(label).items()
            sums = sorted(
                (item for item in found if " " not in item[0]), key=lambda item: -item[1]
            )  # "other words"
            sides = [("for", [word for word, gain in sums[:top] if gain > 0])]
            if len(labels) == 1:
                sides.append(("against", [word for word, gain in sums[: -top - 1 : -1] if gain < 0]))
            lines += [f"words {side} {label}: {', '.join(words)}" for side, words in sides if words]
        return lines

    def _word_sums(self, label: Any) -> dict[str, float]:
        sums: dict[str, float] = {}
        for known, texts in zip(self.labels.tolist(), self.words, strict=False):
            if label is not None and known != label:
                continue
            for shares in texts.values():
                for word, share in shares.items():
                    sums[word] = sums.get(word, 0.0) + share
        return sums

    def plot(self, path: str | os.PathLike[str] | None = None, *, top: int = 15) -> Figure:
        """Bars of the importances; of a single row its waterfall, which has the signs too."""
        if len(self) == 1:
            return self[0].plot(path, top=top)
        return plot_importances(
            dict(zip(self.columns, self.importances.tolist(), strict=True)), path, top=top
        )


def cell_text(value: Any) -> str:
    """A cell as people read it."""
    if value is None or value != value:
        return "missing"
    text = f"{value:.6g}" if isinstance(value, float) else str(value)
    return text if len(text) <= 24 else text[:23] + "…"


def bars(shown: Sequence[tuple[str, float]], *, signed: bool = False, width: int = 24) -> list[str]:
    """Lines of a terminal: names, numbers, and a bar for the size of each."""
    most = max((abs(value) for _, value in shown), default=0.0)
    shown = [
        (name, value if abs(value) > 1e-12 * most else 0.0) for name, value in shown
    ]  # no rounding errors
    figures = [f"{value:{'+' if signed else ''}.4g}" for _, value in shown]
    return [
        f"  {name}  {figure:<12}" + "█" * (round(width * abs(value) / most) if most > 0 else 0)
        for name, figure, (_, value) in zip(_padded([name for name, _ in shown]), figures, shown, strict=True)
    ]


def _padded(names: Sequence[str]) -> list[str]:
    """Names as wide as the widest of them on a terminal, where a Chinese character takes two places."""
    from rich.cells import cell_len

    places = [cell_len(name) for name in names]
    widest = max(places, default=0)
    return [name + " " * (widest - wide) for name, wide in zip(names, places, strict=True)]


def importance_lines(importances: Mapping[Any, float], top: int = 10) -> list[str]:
    """A headline and a bar for each of the columns that matter most."""
    shown = sorted(((str(name), value) for name, value in importances.items()), key=lambda item: -item[1])[
        :top
    ]
    more = f", {top} of {len(importances)} columns" if len(importances) > top else ""
    return [f"What the model looks at{more}: mean size of a column's contribution", *bars(shown)]


def plot_importances(
    importances: Mapping[Any, float], path: str | os.PathLike[str] | None = None, *, top: int = 15
) -> Figure:
    """Bars of importances by column, the largest first."""
    if not importances:
        raise ValueError("There is no importance to draw.")
    shown = sorted(importances.items(), key=lambda item: -item[1])[:top]
    figure, axes = _canvas(7.0, 0.3 * len(shown) + 1.2)
    axes.barh(range(len(shown)), [value for _, value in shown], color=_DOWN, height=0.62)
    axes.set_yticks(range(len(shown)), [str(name) for name, _ in shown])
    axes.invert_yaxis()
    _dress(axes, "What the model looks at", "mean size of the contribution to the score")
    return _written(figure, path)


def plot_importances_over_time(
    rows: Sequence[int],
    importances: NDArray[np.float64],
    columns: Sequence[Any],
    path: str | os.PathLike[str] | None = None,
    *,
    top: int = 6,
) -> Figure:
    """Lines of importances, noted at these numbers of rows: ``importances[time, column]``; labelled at their ends."""
    values = np.asarray(importances, dtype=np.float64)
    if values.shape != (len(rows), len(columns)) or not len(rows):
        raise ValueError(
            f"importances must have the shape (times, columns), got {values.shape} for {len(rows)} and {len(columns)}."
        )
    chosen = np.argsort(-values.max(axis=0), kind="stable")[:top]
    figure, axes = _canvas(9.0, 4.2)
    for i, column in enumerate(chosen.tolist()):
        colour = _LINES[i % len(_LINES)]
        axes.plot(rows, values[:, column], color=colour, linewidth=1.8, label=str(columns[column]))
    axes.legend(frameon=False, fontsize=9, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    axes.set_ylim(bottom=0)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    _dress(axes, "What the model looks at, over time", "rows")
    return _written(figure, path)


def _canvas(width: float, height: float) -> tuple[Figure, Any]:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure, figure.add_subplot()


def _dress(axes: Any, title: str, x: str) -> None:
    axes.set_title(title, loc="left", color=INK, fontsize=11)
    axes.set_xlabel(x, color=INK, fontsize=9.5)
    dress(axes, grid="x", foot=False)


def _written(figure: Figure, path: str | os.PathLike[str] | None) -> Figure:
    if path is not None:
        write_figure(path, figure)
    return figure

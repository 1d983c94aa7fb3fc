"""Records to a table: mean errors, which model is best, which do not differ significantly from it, average ranks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from streamboost.baselines import baseline_words
from streamboost.evaluate.curve import ErrorCurve
from streamboost.evaluate.metrics import make_metric
from streamboost.evaluate.significance import TESTS, Ranking, paired_t, rank_models, sign_test
from streamboost.experiments.plan import Algorithm, DataFacts, Protocol
from streamboost.experiments.store import FAILED, REFUSED, Record

ALPHA = 0.05
BEST, LIKE_BEST, WORSE = "best", "like best", "worse"
SCORES = ("kappa", "balanced_accuracy", "g_mean")
"""What every prequential run has beside its error."""


def measures_of(protocol: Protocol) -> tuple[str, ...]:
    """What models can be ranked by, beside the error."""
    if protocol.holds_out:
        return ()
    return tuple(dict.fromkeys((*(() if protocol.regression else SCORES), *protocol.metrics)))


def curve_window(n_rows: int) -> int:
    """Rows of the error lately, in pictures of so many."""
    return max(20, min(1000, n_rows // 20))


def measure_name(name: str) -> str:
    """A metric as people write it."""
    words = {"auc": "AUC", "mcc": "MCC", "f1": "F1", "g_mean": "G-mean", "recall_at_fpr": "recall at FPR"}
    words |= {name: name.upper() for name in ("mae", "rmse", "mse", "r2", "mape")}
    word, colon, rest = name.partition(":")
    return words.get(word, word.replace("_", " ")) + colon + rest


def figure_text(value: float, regression: bool) -> str:
    """A value for people: shares have four decimals, errors of a regression four digits."""
    return "–" if math.isnan(value) else f"{value:.4g}" if regression else f"{value:.4f}"


@dataclass(frozen=True)
class Curve:
    """Error so far and error over the last ``window`` rows, means over the orders."""

    model_name: str
    positions: npt.NDArray[np.int64]
    cumulative_error: npt.NDArray[np.float64]
    windowed_error: npt.NDArray[np.float64]
    window: int
    drifts: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """Rows at which learners were replaced, of a single order."""
    largest_error: float = 1.0


@dataclass(frozen=True)
class Cell:
    """One model on one data set."""

    algorithm: Algorithm
    data: DataFacts
    records: tuple[Record, ...]
    measure: str = "error"
    """What the models are ranked by."""
    regression: bool = False
    """Whether targets were predicted, not labels."""

    @property
    def status(self) -> str:
        """The worst of its runs: done, refused or failed."""
        states = {record.status for record in self.records}
        return next((state for state in (FAILED, REFUSED) if state in states), "done")

    @property
    def message(self) -> str:
        """Why there is no result."""
        return next((record.message for record in self.records if record.status == self.status), "")

    @cached_property
    def errors(self) -> npt.NDArray[np.float64]:
        """One error per order, or per fold averaged over its orders: what tests are made of."""
        return np.array([np.mean(record.figure("errors")) for record in self.records])

    @property
    def error(self) -> float:
        """The mean; NaN without a result."""
        return float(self.errors.mean()) if self.status == "done" else float("nan")

    @cached_property
    def values(self) -> npt.NDArray[np.float64]:
        """What the models are ranked by, one value per run."""
        return (
            self.errors
            if self.measure == "error"
            else np.array([r.measure(self.measure) for r in self.records])
        )

    @property
    def value(self) -> float:
        """Its mean; NaN without a result."""
        return float(self.values.mean()) if self.status == "done" else float("nan")

    @property
    def standard_error(self) -> float | None:
        """Of the mean of what the models are ranked by; None for a single run."""
        return _spread(self.values)

    @property
    def standard_error_of_error(self) -> float | None:
        """Of the mean error; None for a single run."""
        return _spread(self.errors)

    def mean(self, name: str) -> float:
        """The mean of a figure over the runs; NaN where it is not known."""
        found = [record.figure(name) for record in self.records if record.done]
        return float(np.mean(found)) if found and None not in found else float("nan")

    def metric(self, name: str) -> float:
        """The mean of a metric."""
        return float(np.mean([record.measure(name) for record in self.records]))

    @property
    def positive(self) -> str | None:
        """The label that metrics of one label are about."""
        figures = self.records[0].figures or {}
        label: str | None = figures.get("positive")
        return label

    @property
    def examples_per_second(self) -> float:
        """Rows per second of CPU time."""
        seconds = sum(record.figure("seconds") for record in self.records)
        rows = sum(record.figure("n_rows") for record in self.records)
        return rows / seconds if seconds > 0 else float("nan")

    def curve(self) -> Curve:
        """The error over the rows, from the stored answers."""
        window = curve_window(self.data.n_rows)
        series = []
        for record in self.records:
            if self.regression:
                series.append([np.array(values) for values in record.figure("curve")])
                continue
            curve = ErrorCurve(window, points=120)
            curve.update(record.errors_of_rows())
            series.append(list(curve.series()))
        so_far, lately = (np.mean([s[i] for s in series], axis=0) for i in (1, 2))
        figures = self.records[0].figures or {}
        drifts = figures.get("drifts", []) if len(self.records) == 1 else []
        rows = np.array(drifts, dtype=np.int64)
        most = math.inf if self.regression else 1.0
        return Curve(self.algorithm.name, series[0][0], so_far, lately, window, rows, most)


def _spread(values: npt.NDArray[np.float64]) -> float | None:
    return float(values.std(ddof=1) / math.sqrt(values.size)) if values.size > 1 else None


@dataclass(frozen=True)
class Verdict:
    """How a cell compares with the best of its data set; ``p`` is None for the best itself and where nothing was tested."""

    place: str
    p: float | None = None


class Summary:
    """All cells of an experiment, with the tests among them."""

    def __init__(
        self,
        sets: Sequence[DataFacts],
        algorithms: Sequence[Algorithm],
        protocol: Protocol,
        records: Sequence[Record],
        test: str | None = None,
        rank_by: str = "error",
        greater: bool | None = None,
    ) -> None:
        """``records`` are those of :func:`plan_runs`, in its order; ``rank_by`` is a metric that was asked for.

        ``greater`` says whether more of it is better; None asks the metric of that name.
        """
        rank_by = protocol.error_name if rank_by == "error" else rank_by
        if rank_by not in (protocol.error_name, *measures_of(protocol)):
            raise ValueError(
                f"Models cannot be ranked by {rank_by!r}; "
                + (
                    "held-out rows have only their error."
                    if protocol.holds_out
                    else "it is no metric of these runs."
                )
            )
        self.rank_by = rank_by
        if greater is None:
            greater = make_metric(rank_by).greater_is_better
        self.sign = -1.0 if greater else 1.0
        if test is not None and test not in TESTS:
            raise ValueError(f"There is no test {test!r}; there are {', '.join(TESTS)}.")
        if test == "corrected-t" and not protocol.folds:
            raise ValueError("The corrected t test is for folds; orders have no test set apart.")
        self.sets, self.algorithms, self.protocol = list(sets), list(algorithms), protocol
        width, block = len(self.algorithms), len(self.algorithms) * len(protocol.units())
        self.cells = [
            [
                Cell(
                    algorithm,
                    facts,
                    tuple(records[d * block : (d + 1) * block][a::width]),
                    rank_by,
                    protocol.regression,
                )
                for a, algorithm in enumerate(self.algorithms)
            ]
            for d, facts in enumerate(self.sets)
        ]
        self.test = test or default_test(protocol)

    @property
    def test_name(self) -> str:
        """The test in words; empty where nothing can be tested."""
        if self._by_rows and not self._ranks_by_error:
            return ""
        if self._by_rows:
            regression = self.protocol.regression
            return "paired t test over the rows" if regression else "sign test over the rows (McNemar)"
        return {
            "t": "paired t test",
            "corrected-t": "corrected resampled t test",
            "wilcoxon": "Wilcoxon signed-rank test",
            "sign": "sign test",
        }[self.test]

    @property
    def _ranks_by_error(self) -> bool:
        return self.rank_by == self.protocol.error_name

    @property
    def _by_rows(self) -> bool:
        """A single order gives a single error; what can be paired then are the answers."""
        return len(self.protocol.units()) == 1

    def best_of(self, row: Sequence[Cell]) -> Cell | None:
        """The best model on a data set, the baselines left aside; None if nobody has a value."""
        rivals = [c for c in row if not c.algorithm.is_baseline and not math.isnan(c.value)]
        return min(rivals, key=lambda cell: self.sign * cell.value, default=None)

    def verdicts(self, row: Sequence[Cell]) -> list[Verdict | None]:
        """The cells of a data set against the best of the models; None where there is no result."""
        best = self.best_of(row)
        found: list[Verdict | None] = []
        for cell in row:
            if cell.status != "done" or best is None:
                found.append(None)
            elif cell.value == best.value and not cell.algorithm.is_baseline:
                found.append(Verdict(BEST))
            else:
                p = self._p(cell, best)
                like = p is not None and not p < ALPHA
                found.append(Verdict(LIKE_BEST if like else WORSE, p))
        return found

    def _p(self, cell: Cell, best: Cell) -> float | None:
        if self._by_rows:
            if not self._ranks_by_error:
                return None  # one value each: no pairs to test
            rows = [one.records[0].errors_of_rows().astype(float) for one in (cell, best)]
            if self.protocol.regression:
                both = np.isfinite(rows[0]) & np.isfinite(rows[1])
                return paired_t(rows[0][both], rows[1][both]).p if both.sum() > 1 else None
            return sign_test(*rows).p
        options: dict[str, Any] = {}
        if self.test == "corrected-t":
            options["test_share"] = 1 / (self.protocol.folds - 1)
        pair = cell.values, best.values
        if not all(np.isfinite(values).all() for values in pair):
            return None
        return TESTS[self.test](*pair, **options).p

    @property
    def measures(self) -> list[str]:
        """What tables show, each once: what ranks first, then the error, then what was asked for."""
        return list(dict.fromkeys((self.rank_by, self.protocol.error_name, *self.protocol.metrics)))

    @property
    def no_better_than_baselines(self) -> list[str]:
        """Data sets whose best model is no better than a baseline, in words."""
        found = []
        for row in self.cells:
            best = self.best_of(row)
            if best is None:
                continue
            for cell in row:
                # A baseline without a result is NaN, and no comparison with NaN is true.
                if cell.algorithm.is_baseline and self.sign * best.value >= self.sign * cell.value:
                    found.append(
                        f"{row[0].data.name}: the best model, {best.algorithm.name}, is no better than "
                        f"{baseline_words(cell.algorithm.model)} ({measure_name(self.rank_by)} "
                        f"{figure_text(best.value, self.protocol.regression)} against "
                        f"{figure_text(cell.value, self.protocol.regression)})."
                    )
        return found

    @cached_property
    def ranked(self) -> list[int]:
        """The numbers of the models that have a result on every data set: only they can be ranked."""
        return [
            a
            for a, algorithm in enumerate(self.algorithms)
            if not algorithm.is_baseline and not any(math.isnan(row[a].value) for row in self.cells)
        ]

    @cached_property
    def ranking(self) -> Ranking | None:
        """Average ranks of the ranked ones; None if there are fewer than two."""
        if len(self.ranked) < 2 or not self.cells:
            return None
        return rank_models([[self.sign * row[a].value for a in self.ranked] for row in self.cells], ALPHA)

    @property
    def failures(self) -> list[Cell]:
        """Cells with a run that failed."""
        return [cell for row in self.cells for cell in row if cell.status == FAILED]

    @property
    def refusals(self) -> list[Cell]:
        """Cells whose model cannot take the data set."""
        return [cell for row in self.cells for cell in row if cell.status == REFUSED]

    @property
    def warnings(self) -> list[str]:
        """What the models warned of, once each, with their names."""
        found = {
            f"{cell.algorithm.name}, {cell.data.name}: {text}": None
            for row in self.cells
            for cell in row
            for record in cell.records
            if record.done
            for text in record.figure("warnings")
        }
        return list(found)


def default_test(protocol: Protocol) -> str:
    """Folds overlap in what was learned and need the corrected test; orders are paired as they are."""
    return "corrected-t" if protocol.folds else "t"

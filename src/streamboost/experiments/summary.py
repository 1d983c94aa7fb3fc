"""Records to a table: mean errors, who is best, who cannot be told from the best, average ranks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from streamboost.evaluate.curve import ErrorCurve
from streamboost.evaluate.significance import TESTS, Ranking, rank_models, sign_test
from streamboost.experiments.plan import Algorithm, DataFacts, Protocol
from streamboost.experiments.store import FAILED, REFUSED, Record

ALPHA = 0.05
BEST, LIKE_BEST, WORSE = "best", "like best", "worse"


@dataclass(frozen=True)
class Curve:
    """Error so far and error over the last ``window`` rows, means over the orders."""

    model_name: str
    positions: npt.NDArray[np.int64]
    cumulative_error: npt.NDArray[np.float64]
    windowed_error: npt.NDArray[np.float64]
    window: int


@dataclass(frozen=True)
class Cell:
    """One model on one data set."""

    algorithm: Algorithm
    data: DataFacts
    records: tuple[Record, ...]

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

    @property
    def standard_error(self) -> float | None:
        """Of the mean; None for a single run."""
        n = self.errors.size
        return float(self.errors.std(ddof=1) / math.sqrt(n)) if n > 1 else None

    def mean(self, name: str) -> float:
        """The mean of a figure over the runs; NaN where it is not known."""
        found = [record.figure(name) for record in self.records if record.done]
        return float(np.mean(found)) if found and None not in found else float("nan")

    def metric(self, name: str) -> float:
        """The mean of a metric that was asked for."""
        return float(np.mean([record.figure("metrics")[name] for record in self.records]))

    @property
    def examples_per_second(self) -> float:
        """Rows per second of CPU time."""
        seconds = sum(record.figure("seconds") for record in self.records)
        rows = sum(record.figure("n_rows") for record in self.records)
        return rows / seconds if seconds > 0 else float("nan")

    def curve(self) -> Curve:
        """The error over the rows, from the stored answers."""
        window = max(20, min(1000, self.data.n_rows // 20))
        series = []
        for record in self.records:
            curve = ErrorCurve(window, points=120)
            curve.update(record.errors_of_rows())
            series.append(curve.series())
        so_far, lately = (np.mean([s[i] for s in series], axis=0) for i in (1, 2))
        return Curve(self.algorithm.name, series[0][0], so_far, lately, window)


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
    ) -> None:
        """``records`` are those of :func:`plan_runs`, in its order."""
        if test is not None and test not in TESTS:
            raise ValueError(f"There is no test {test!r}; there are {', '.join(TESTS)}.")
        if test == "corrected-t" and not protocol.folds:
            raise ValueError("The corrected t test is for folds; orders have no test set apart.")
        self.sets, self.algorithms, self.protocol = list(sets), list(algorithms), protocol
        width, block = len(self.algorithms), len(self.algorithms) * len(protocol.units())
        self.cells = [
            [
                Cell(algorithm, facts, tuple(records[d * block : (d + 1) * block][a::width]))
                for a, algorithm in enumerate(self.algorithms)
            ]
            for d, facts in enumerate(self.sets)
        ]
        self.test = test or default_test(protocol)

    @property
    def test_name(self) -> str:
        """The test in words."""
        if self._by_rows:
            return "sign test over the rows (McNemar)"
        return {"t": "paired t test", "corrected-t": "corrected resampled t test"}.get(
            self.test,
            {"wilcoxon": "Wilcoxon signed-rank test", "sign": "sign test"}.get(self.test, self.test),
        )

    @property
    def _by_rows(self) -> bool:
        """A single order gives a single error; what can be paired then are the answers."""
        return len(self.protocol.units()) == 1

    def verdicts(self, row: Sequence[Cell]) -> list[Verdict | None]:
        """The cells of a data set against the best of them; None where there is no result."""
        errors = np.array([cell.error for cell in row])
        if np.isnan(errors).all():
            return [None] * len(row)
        best = row[int(np.nanargmin(errors))]
        found: list[Verdict | None] = []
        for cell in row:
            if cell.status != "done":
                found.append(None)
            elif cell.error == best.error:
                found.append(Verdict(BEST))
            else:
                p = self._p(cell, best)
                found.append(Verdict(WORSE if p < ALPHA else LIKE_BEST, p))
        return found

    def _p(self, cell: Cell, best: Cell) -> float:
        if self._by_rows:
            rows = [one.records[0].errors_of_rows().astype(float) for one in (cell, best)]
            return sign_test(*rows).p
        options: dict[str, Any] = {}
        if self.test == "corrected-t":
            options["test_share"] = 1 / (self.protocol.folds - 1)
        return TESTS[self.test](cell.errors, best.errors, **options).p

    @cached_property
    def ranked(self) -> list[int]:
        """The numbers of the models that have a result on every data set: only they can be ranked."""
        return [a for a in range(len(self.algorithms)) if all(row[a].status == "done" for row in self.cells)]

    @cached_property
    def ranking(self) -> Ranking | None:
        """Average ranks of the ranked ones; None if there are fewer than two."""
        if len(self.ranked) < 2 or not self.cells:
            return None
        return rank_models([[row[a].error for a in self.ranked] for row in self.cells], ALPHA)

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

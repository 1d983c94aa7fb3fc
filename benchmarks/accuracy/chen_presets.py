"""``python -m benchmarks.accuracy.chen_presets``: the trials behind the presets of ``streamboost reproduce chen2012``.

What the paper leaves open is varied, one choice at a time, for all cells alike. Printed is the mean absolute difference from the
published error of each column of tables 1 to 4, and in how many rows of the two tables the published winner is ours too, or
within one standard error of our best. Of the large sets a sample can be taken. Data are found through STREAMBOOST_DATA.
"""

from __future__ import annotations

import argparse
import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from streamboost.evaluate import prequential
from streamboost.experiments.plan import Algorithm
from streamboost.reproduce.compare import Comparison, RebuiltTable
from streamboost.reproduce.papers.binary_streams import ADULT, CHEN, COVERTYPE, IJCNN1, SMALL, WEBPAGE
from streamboost.reproduce.papers.chen2012 import STUDY, algorithm
from streamboost.reproduce.published import PublishedFigure, published_table
from streamboost.reproduce.study import DataEntry

LARGE = (IJCNN1, WEBPAGE, COVERTYPE)
TABLES = {"perceptron": ("1", "3"), "naive_bayes": ("2", "4")}


def _same_entry(entry: DataEntry) -> DataEntry:
    return entry


@dataclass(frozen=True)
class Variant:
    """A preset with one choice changed: in the learner, the model or the data."""

    name: str
    learner: dict[str, object] | None = None
    model: dict[str, object] | None = None
    data: Callable[[DataEntry], DataEntry] = _same_entry

    def apply(self, made: Algorithm) -> Algorithm:
        """The algorithm with the changes that concern it."""
        known = set(made.build(0, None).get_params(deep=False)) if made.model != "single" else set()
        changes = {key: value for key, value in (self.model or {}).items() if key in known}
        return replace(
            made,
            params={**made.params, **changes},
            learner_params={**made.learner_params, **(self.learner or {})},
        )


def _raw(entry: DataEntry) -> DataEntry:
    return replace(entry, steps=())


def _all_normal(entry: DataEntry) -> DataEntry:
    return replace(entry, learner_steps={})


OZA_AND_OTHERS = (
    Variant(
        "OzaBoost: untrained learners answer class 0, all vote",
        model={"untrained": "class0", "prefix": "all"},
    ),
    Variant("OzaBoost: tested before learning", model={"order": "test_first"}),
    Variant("OzaBoost: weights by the number of rows (2001)", model={"normalise": "n"}),
    Variant("OCP: step 1/sqrt(t)", model={"step": "1/sqrt(t)"}),
    Variant("EXP: weighted majority", model={"hedge": "vote"}),
    Variant("EXP: prefix with the fewest mistakes", model={"hedge": "best"}),
    Variant("OGBoost: shrinkage 0.5", model={"shrinkage": 0.5}),
    Variant("sign votes", model={"hypothesis": "sign"}),
)
VARIANTS = {
    "perceptron": (
        Variant("preset"),
        Variant("running scaling", {"scale": "maxabs"}, data=_raw),
        Variant("columns as in the files", data=_raw),
        Variant("first weights zero", {"start": "zero"}),
        Variant("no constant coordinate", {"fit_intercept": False}),
        Variant("OzaBoost: all vote, at most ten copies", model={"prefix": "all", "copies_cap": 10}),
        Variant("OCP: simplex", model={"domain": "simplex"}),
        *OZA_AND_OTHERS,
    ),
    "naive_bayes": (
        Variant("preset"),
        Variant("divided by the weight of the class", {"divisor": "class"}),
        Variant("... and variance floor 0.001", {"divisor": "class", "var_floor": 1e-3}),
        Variant(
            "... and class pseudo count 0.01", {"divisor": "class", "var_floor": 1e-3, "prior_alpha": 1e-2}
        ),
        Variant("variance floor 0.001", {"var_floor": 1e-3}),
        Variant("variance floor 1e-6", {"var_floor": 1e-6}),
        Variant("variance floor 1e-7", {"var_floor": 1e-7}),
        Variant("variance floor 1e-9", {"var_floor": 1e-9}),
        Variant("class pseudo count 0.01", {"prior_alpha": 1e-2}),
        Variant("class pseudo count 1", {"prior_alpha": 1.0}),
        Variant("normal also for columns of 0 and 1", data=_all_normal),
        Variant("Laplace counts", {"alpha": 1.0}),
        Variant("OzaBoost: the vote stops at the first bad one", model={"prefix": "stop_at_first_bad"}),
        Variant("OzaBoost: copies not limited", model={"copies_cap": None}),
        Variant("OzaBoost: both", model={"prefix": "stop_at_first_bad", "copies_cap": None}),
        Variant("OCP: simplex", model={"domain": "simplex"}),
        *OZA_AND_OTHERS,
    ),
}


class Trials:
    """Runs every algorithm on every data set once, however many variants ask for it."""

    def __init__(self, learner: str, entries: Sequence[DataEntry], orders: int, sample: int | None) -> None:
        self.learner, self.entries, self.orders, self.sample = learner, entries, orders, sample
        self.figures = {n: published_table("chen2012", n) for n in TABLES[learner]}
        self.columns = list(dict.fromkeys(f.column for t in self.figures.values() for f in t.figures))
        self.done: dict[tuple[str, str], tuple[float, float]] = {}

    def errors(self, variant: Variant) -> dict[tuple[str, str], tuple[float, float]]:
        """Mean error and its standard error by data set and algorithm."""
        found = {}
        for entry in self.entries:
            sample = self.sample if entry in LARGE else None
            source = variant.data(entry).source(sample, self.learner)
            data = None
            for name, _ in self.columns:
                made = algorithm(name, self.learner, 100)
                assert made is not None
                asked = variant.apply(made)
                key = (repr(source), repr(_without_idle(asked, counted="nominal" in source.steps)))
                if key not in self.done:
                    data = data or source.load()
                    model = asked.build(0, data.rows.nominal)
                    result = prequential(
                        model, data.rows, orders=self.orders, seed=0, classes=data.rows.find_classes()
                    )
                    spread = float(np.std(result.errors, ddof=1)) / math.sqrt(self.orders)
                    self.done[key] = (float(result.error), spread)
                found[entry.title, name] = self.done[key]
        return found

    def line(self, variant: Variant) -> str:
        """A row of the table."""
        errors = self.errors(variant)
        titles = {entry.title for entry in self.entries}
        winners = []
        apart: dict[str, dict[str, float]] = {name: {} for name, _ in self.columns}
        for number, table in self.figures.items():
            cells = tuple(
                _compared(figure, errors[figure.dataset, figure.algorithm])
                for figure in table.figures
                if figure.dataset in titles
            )
            same, rows = RebuiltTable(table, cells, frozenset(titles)).winners(STUDY.winners[number])
            winners.append(f"{same} of {rows}")
            for cell in cells:
                apart[cell.figure.algorithm][cell.figure.dataset] = abs(cell.difference)
        means = [f"{np.mean(list(by_set.values())):.4f}" for by_set in apart.values()]
        every = np.mean([value for by_set in apart.values() for value in by_set.values()])
        return f"| {variant.name} | {' | '.join(means)} | {every:.4f} | {' | '.join(winners)} |"


def _without_idle(asked: Algorithm, counted: bool) -> Algorithm:
    """The algorithm without what does not concern it where all columns are counted, so that it is run once."""
    idle = {"divisor", "var_floor"} if counted else set()
    return replace(asked, learner_params={k: v for k, v in asked.learner_params.items() if k not in idle})


def _compared(figure: PublishedFigure, found: tuple[float, float]) -> Comparison:
    return Comparison(figure, *found)


def main() -> None:
    known = [entry.title for entry in CHEN if not entry.other]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--orders", type=int, default=3)
    parser.add_argument("--datasets", nargs="+", choices=known, default=[e.title for e in (*SMALL, ADULT)])
    parser.add_argument("--sample", type=int, help="rows of the large sets (Ijcnn1, WebPage, Covertype)")
    parser.add_argument("--learners", nargs="+", choices=VARIANTS, default=list(VARIANTS))
    parser.add_argument(
        "--choices", default="", help="only the preset and the choices with these words in their names"
    )
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    entries = [entry for entry in CHEN if entry.title in given.datasets]
    for learner in given.learners:
        trials = Trials(learner, entries, given.orders, given.sample)
        names = [name for name, _ in trials.columns]
        wins = [f"winners, table {number}" for number in TABLES[learner]]
        print(f"\n{learner}, {given.orders} orders, {', '.join(e.title for e in entries)}")
        print(f"| choice | {' | '.join(names)} | mean | {' | '.join(wins)} |")
        print("|---|" + "---|" * (len(names) + 3))
        for variant in (v for v in VARIANTS[learner] if v.name == "preset" or given.choices in v.name):
            print(trials.line(variant), flush=True)


if __name__ == "__main__":
    main()

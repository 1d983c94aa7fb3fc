"""``python -m benchmarks.accuracy.active``: accuracy against the share of rows whose labels may be asked for.

The default model over ten streams, all their rows (of covtype the first 60,000). Every row is answered first; a label that was
not asked for is never looked at. Parts can be measured apart, the others of the page stay as they were: ``all`` labels, ``at`` (a
tenth of them, every strategy), ``curves`` (other budgets), ``bounds`` (strategies that know what none can know), ``moa`` (its
active learners around its adaptive random forest, of CapyMOA, on the same rows) and ``river`` (its entropy sampler, on two
streams).
"""

from __future__ import annotations

import csv
import time
from collections.abc import Callable
from itertools import pairwise
from statistics import fmean
from typing import Any

import numpy as np

from benchmarks.accuracy.data import Data
from benchmarks.accuracy.family import nominal
from benchmarks.accuracy.stream_models import Moa
from benchmarks.pages import RESULTS, Page, curve, figure, parser
from benchmarks.tables import Table
from streamboost import StreamBoostClassifier
from streamboost.evaluate import prequential
from streamboost.report.axes import dress
from streamboost.streams import load, open_stream

STREAMS = (
    "drift-sea",
    "drift-hyper",
    "drift-agr-abrupt",
    "drift-agr-gradual",
    "drift-rbfslow",
    "drift-led",
    "drift-wave",
    "insects-gradual",
    "covtype",
    "shuttle",
)
BUDGETS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
CURVES = ("random", "split")
SHOWN = ("random", "variable", "split", "disagreement")
AT = 0.1
FIRST = 50
"""Rows that River's forest learns in any case: one that knows no label is sure of everything, and never asks."""
ROWS = 60_000
MOA_FOREST = "meta.AdaptiveRandomForest -s 30"
MOA_QUERIES = ("VarUncertainty", "SelSampling")
CHANGES = {
    "drift-sea": (10_000, 20_000, 30_000),
    "drift-agr-abrupt": (10_000, 20_000, 30_000),
    "drift-led": (10_000, 20_000, 30_000),
    "drift-wave": (7_000, 14_000),
}
"""Where the streams change that were made with sudden changes."""
KNOWN, WRONG = "changes known", "errors known"
COLUMNS = ("part", "stream", "strategy", "budget", "seed", "accuracy", "labels", "seconds")
Row = tuple[str, str, str, float, int, float, float, float]


def accuracy(
    name: str, seed: int, rows: int, budget: float | None, query: str = "split"
) -> tuple[float, float]:
    """Return the accuracy, and the share of labels that was asked for."""
    stream = open_stream(name, limit=rows)
    result = prequential(
        StreamBoostClassifier(random_state=seed), stream, budget=budget, query=query, seed=seed
    )
    return 1 - result.error, 1.0 if result.asked is None else result.asked


def told(name: str, rows: int) -> dict[str, float]:
    """Return the accuracy with all labels, and with a tenth: those after known changes; those that the first run got wrong."""
    stream = load(name, limit=rows)
    y = np.asarray(stream.y)
    n = len(y)

    def answers(asked: Any) -> Any:
        model = StreamBoostClassifier(random_state=0, categorical_features=nominal(stream))
        return model.test_then_train(stream.X, y, classes=np.unique(y), sample_weight=asked)

    right = answers(np.ones(n)) == y
    found = {"all": float(right.mean())}
    # Errors first, in any order; then other rows by chance.
    order = np.lexsort((np.random.default_rng(1).random(n), right))
    wanted = {WRONG: np.sort(order[: int(AT * n)])}
    if name in CHANGES:
        cuts = [0, *(cut for cut in CHANGES[name] if cut < n), n]
        first = [np.arange(a, a + int(AT * (b - a))) for a, b in pairwise(cuts)]
        wanted[KNOWN] = np.concatenate(first)
    for what, at in wanted.items():
        asked = np.zeros(n)
        asked[at] = 1.0
        found[what] = float((answers(asked) == y).mean())
    return found


class MoaActive(Moa):
    """A learner of MOA that decides for itself which labels it looks at: it has a base learner only once it is prepared."""

    def start(self) -> None:
        self._make()
        self.learner.prepareForUse()
        self.learner.setModelContext(self._rows.header)

    @property
    def asked(self) -> float:
        """Labels that it has looked at."""
        found = {str(m.getName()): m.getValue() for m in self.learner.getModelMeasurements()}
        return float(found["labeling cost"])


def moa(name: str, rows: int, query: str | None) -> tuple[float, float, float]:
    """Return accuracy, share of labels and CPU seconds of MOA's forest, with all labels or asking for some."""
    data = Data(name, rows)
    model: Any = Moa(data, 1, MOA_FOREST)
    if query is not None:
        model = MoaActive(data, 1, f"active.ALUncertainty -l ({MOA_FOREST}) -d {query} -b {AT}")
    right = float((model.test_then_train(data.X, data.y) == data.y).mean())
    return right, 1.0 if query is None else model.asked / len(data.y), model.seconds


def river(name: str, rows: int, discount: float) -> tuple[float, float, float]:
    """Return accuracy, share of labels and CPU seconds of River's entropy sampler."""
    from river import active, forest

    sampler = active.EntropySampler(forest.ARFClassifier(seed=1), discount_factor=discount, seed=1)
    right = asked = n = 0
    began = time.process_time()
    for chunk in open_stream(name, limit=rows).chunks():
        for x, y in zip(chunk.X.tolist(), chunk.y.tolist(), strict=True):
            record = dict(enumerate(x))
            answer, ask = sampler.predict_one(record)
            right += answer == y
            n += 1
            if ask or n <= FIRST:
                asked += 1
                sampler.learn_one(record, y)
    return right / n, asked / n, time.process_time() - began


def measure_at(rows: int, seeds: int, name: str) -> list[Row]:
    """A tenth of the labels by every strategy; those that have no curve with one seed."""
    found: list[Row] = []
    for query in SHOWN:
        for seed in range(seeds if query in CURVES else 1):
            began = time.process_time()
            right, share = accuracy(name, seed, rows, AT, query)
            found.append(("at", name, query, AT, seed, right, share, time.process_time() - began))
    return found


def measure_all(rows: int, seeds: int, name: str) -> list[Row]:
    """All labels."""
    found: list[Row] = []
    for seed in range(seeds):
        began = time.process_time()
        right, share = accuracy(name, seed, rows, None)
        found.append(("all", name, "split", 1.0, seed, right, share, time.process_time() - began))
    return found


def measure_curves(rows: int, _: int, name: str) -> list[Row]:
    """Other budgets, one seed."""
    found: list[Row] = []
    for query in CURVES:
        for budget in BUDGETS:
            if budget != AT:
                began = time.process_time()
                right, share = accuracy(name, 0, rows, budget, query)
                found.append(("curves", name, query, budget, 0, right, share, time.process_time() - began))
    return found


def measure_bounds(rows: int, _: int, name: str) -> list[Row]:
    return [("bounds", name, what, AT, 0, right, AT, 0.0) for what, right in told(name, rows).items()]


def measure_moa(rows: int, _: int, name: str) -> list[Row]:
    return [("moa", name, query or "all", AT, 1, *moa(name, rows, query)) for query in (None, *MOA_QUERIES)]


def measure_river(rows: int, _: int, name: str) -> list[Row]:
    """River's sampler, and ours with as many labels, on the first 5,000 rows."""
    if name not in ("drift-sea", "insects-gradual"):
        return []
    rows = min(rows, 5_000)
    theirs = river(name, rows, 3.0)
    began = time.process_time()
    ours = accuracy(name, 0, rows, theirs[1])
    return [
        ("river", name, "River", 0.0, 1, *theirs),
        ("river", name, "split, as many labels", 0.0, 0, *ours, time.process_time() - began),
    ]


PARTS: dict[str, Callable[[int, int, str], list[Row]]] = {
    "all": measure_all,
    "at": measure_at,
    "curves": measure_curves,
    "bounds": measure_bounds,
    "moa": measure_moa,
    "river": measure_river,
}


def means(records: list[Row], *parts: str) -> dict[tuple[str, str, float], float]:
    """Mean accuracy over the seeds by stream, strategy and budget."""
    found: dict[tuple[str, str, float], list[float]] = {}
    for where, stream, strategy, budget, _, right, *_ in records:
        if where in parts:
            found.setdefault((stream, strategy, budget), []).append(right)
    return {key: fmean(values) for key, values in found.items()}


def with_mean(table: Table, rows: dict[str, list[float]]) -> None:
    for name, cells in rows.items():
        table.add(name, *cells)
    table.add("mean", *map(fmean, zip(*rows.values(), strict=True)))


def at_table(records: list[Row]) -> Table:
    mean = means(records, "all", "at")
    table = Table(f"Accuracy with {AT:.0%} of the labels", ["stream", "all labels", *SHOWN, "gap of split"])
    rows = {}
    for name in STREAMS:
        every, some = mean[name, "split", 1.0], [mean[name, query, AT] for query in SHOWN]
        rows[name] = [every, *some, every - mean[name, "split", AT]]
    with_mean(table, rows)
    wins = sum(mean[name, "split", AT] > mean[name, "random", AT] for name in STREAMS)
    asked = fmean(row[6] for row in records if row[0] == "at" and row[2:4] == ("split", AT))
    table.note = (
        f"split is above random on {wins} of {len(STREAMS)} streams; it asked for {asked:.2%} of the labels"
    )
    return table


def bounds_table(records: list[Row]) -> Table:
    """Gaps to all labels of strategies that know what none can know."""
    mean, bounds = means(records, "all", "at"), means(records, "bounds")
    table = Table(
        f"What is lost with {AT:.0%} of the labels, by strategies that know more than any can",
        ["stream", "random", "split", WRONG, KNOWN, "least"],
    )
    kept: list[float] = []
    for name in STREAMS:
        gaps: list[float | None] = [mean[name, "split", 1.0] - mean[name, query, AT] for query in CURVES]
        every = bounds[name, "all", AT]
        for what in (WRONG, KNOWN):
            right = bounds.get((name, what, AT))
            gaps.append(None if right is None else every - right)
        kept.append(min(gap for gap in gaps if gap is not None))
        table.add(name, *gaps, kept[-1])
    table.add("mean", None, None, None, None, fmean(kept))
    table.note = (
        f"{WRONG}: labels of rows that the model with all labels answers wrong, filled up by chance; {KNOWN}: the labels of the "
        "first tenth of the rows after each change, on streams made with sudden changes; one seed"
    )
    return table


def moa_table(records: list[Row]) -> Table:
    mean, theirs = means(records, "all", "at"), means(records, "moa")
    table = Table(
        f"Beside MOA's adaptive random forest, 30 trees, one seed: all labels, then {AT:.0%} of them",
        [
            "stream",
            "StreamBoost",
            "split",
            "gap",
            "MOA",
            *(f"MOA {query}" for query in MOA_QUERIES),
            "least gap",
        ],
    )
    rows = {}
    for name in STREAMS:
        every, some = mean[name, "split", 1.0], mean[name, "split", AT]
        all_of_moa, *queries = (theirs[name, query, AT] for query in ("all", *MOA_QUERIES))
        rows[name] = [every, some, every - some, all_of_moa, *queries, all_of_moa - max(queries)]
    with_mean(table, rows)
    runs = [row for row in records if row[0] == "at" and row[2:4] == ("split", AT)]
    ours = sum(row[7] for row in runs) * len(STREAMS) / len(runs)
    cpu = sum(row[7] for row in records if row[0] == "moa" and row[2] != "all") / len(MOA_QUERIES)
    table.note = f"CPU seconds with {AT:.0%} of the labels, all streams: split {ours:.0f}, MOA {cpu:.0f}"
    if cpu != cpu:
        table.note = "MOA's figures are of an earlier run, which kept no times"
    return table


def river_table(records: list[Row]) -> Table:
    table = Table(
        "Beside River's entropy sampler of an adaptive random forest (first 5,000 rows)",
        ["stream", "model", "accuracy", "labels", "CPU s"],
    )
    for part, name, model, *_, right, share, seconds in records:
        if part == "river":
            table.add(name, model, right, share, seconds)
    return table


def main() -> None:
    options = parser("accuracy.active", __doc__)
    options.add_argument("parts", nargs="*", help=f"of {', '.join(PARTS)}; default: all")
    options.add_argument("--seeds", type=int, default=3, help=f"at {AT:.0%} of the labels")
    options.add_argument(
        "--streams",
        nargs="*",
        default=STREAMS,
        help="measure these only; the others stay (none: only the page is written)",
    )
    chosen = options.parse_args()
    if wrong := set(chosen.parts) - set(PARTS):
        options.error(f"no such part: {', '.join(wrong)}")
    rows, seeds = (5_000, 1) if chosen.quick else (ROWS, chosen.seeds)
    page = Page(
        "active",
        "When labels cost: accuracy within a budget",
        chosen,
        ["streamboost", "numpy", "capymoa", "river"],
        columns=COLUMNS,
    )
    page.preface += [
        "",
        f"`python -m benchmarks.accuracy.active`: {rows:,} rows of each stream (all, if it has fewer); means over {seeds} seeds "
        f"of {' and '.join(CURVES)} with {AT:.0%} of the labels and with all, one seed of all else.",
    ]
    measured = chosen.parts or list(PARTS)
    records: list[Row] = []
    before = (chosen.out or RESULTS) / "active.csv"
    if not chosen.quick and before.exists():
        with before.open(newline="", encoding="utf-8") as file:
            for part, name, strategy, *numbers in list(csv.reader(file))[1:]:
                if part not in measured or name not in chosen.streams:
                    budget, seed, right, share, seconds = map(float, numbers)
                    records.append((part, name, strategy, budget, int(seed), right, share, seconds))
    for part in measured:
        for name in chosen.streams:
            for row in PARTS[part](rows, seeds, name):
                records.append(row)
                print(*row, flush=True)
            page.records = []
            for row in records:
                page.record(*row)
            page.keep_records()
    tables = {"at": at_table, "curves": None, "bounds": bounds_table, "moa": moa_table, "river": river_table}
    mean = {**means(records, "all", "at"), **means(records, "curves")}
    missing = [f"at: {name}" for name in STREAMS if (name, "split", 1.0) not in mean]
    if missing:
        print(f"only active.csv is written: not measured yet: {', '.join(missing)}")
        return
    found = {row[0] for row in records}
    lines: dict[str, list[float]] = {}
    full = fmean(mean[name, "split", 1.0] for name in STREAMS)
    for part, table in tables.items():
        if part in found and table is not None:
            page.add(table(records))
        elif part in found:
            by_budget = Table(
                "Mean accuracy by budget", ["strategy", *(f"{budget:.0%}" for budget in BUDGETS), "100%"]
            )
            for query in CURVES:
                lines[query] = [fmean(mean[name, query, budget] for name in STREAMS) for budget in BUDGETS]
                by_budget.add(query, *lines[query], full)
            by_budget.note = "parts of this page are measured apart: 10% as above, other budgets when they were last measured"
            page.add(by_budget)

    def picture() -> Any:
        made = figure(6.4, 3.6)
        axes = made.subplots()
        for number, (query, values) in enumerate(lines.items()):
            curve(axes, number, [100 * b for b in BUDGETS] + [100.0], [*values, full], query)
        axes.set_xscale("log")
        axes.set_xticks([1, 2, 5, 10, 20, 50, 100], [f"{b} %" for b in (1, 2, 5, 10, 20, 50, 100)])
        axes.axhline(full, color="#999999", linewidth=0.8, linestyle=":")
        axes.set_xlabel("labels that may be asked for", fontsize=9)
        axes.set_ylabel("mean accuracy, ten streams", fontsize=9)
        axes.legend(fontsize=8, frameon=False, loc="lower right")
        dress(axes, size=8)
        return made

    if lines:
        page.picture = picture
    page.caption = "Accuracy against the share of labels, of two strategies"
    page.write()


if __name__ == "__main__":
    main()

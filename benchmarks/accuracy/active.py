"""``python -m benchmarks.accuracy.active``: accuracy against the share of rows whose labels may be asked for.

The default model over ten streams, all their rows (of covtype the first 60,000). Every row is answered first; a label that was
not asked for is never looked at. With ``--peers`` MOA's active learners around its adaptive random forest (of CapyMOA), on the
same rows, and River's entropy sampler around its own, on two of the streams.
"""

from __future__ import annotations

import time
from statistics import fmean
from typing import Any

from benchmarks.accuracy.data import Data
from benchmarks.accuracy.stream_models import Moa
from benchmarks.pages import Page, curve, figure, parser
from benchmarks.tables import Table
from streamboost import StreamBoostClassifier
from streamboost.evaluate import prequential
from streamboost.streams import open_stream

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


def accuracy(
    name: str, seed: int, rows: int, budget: float | None, query: str = "split"
) -> tuple[float, float]:
    """Return the accuracy, and the share of labels that was asked for."""
    stream = open_stream(name, limit=rows)
    result = prequential(
        StreamBoostClassifier(random_state=seed), stream, budget=budget, query=query, seed=seed
    )
    return 1 - result.error, 1.0 if result.asked is None else result.asked


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


def main() -> None:
    options = parser("accuracy.active", __doc__)
    options.add_argument("--seeds", type=int, default=3)
    options.add_argument(
        "--peers", action="store_true", help="also MOA's and River's active learners, which take minutes"
    )
    chosen = options.parse_args()
    rows, seeds = (5_000, 1) if chosen.quick else (ROWS, chosen.seeds)
    page = Page(
        "active",
        "When labels cost: accuracy within a budget",
        chosen,
        ["streamboost", "numpy", "capymoa", "river"],
    )
    page.preface += [
        "",
        f"`python -m benchmarks.accuracy.active`: means over {seeds} seeds, {rows:,} rows of each stream (all, if it has fewer).",
    ]
    seconds = 0.0
    found: dict[tuple[str, str, float], list[tuple[float, float]]] = {}

    def measure(name: str, query: str, budget: float) -> None:
        nonlocal seconds
        began = time.process_time()
        runs = [accuracy(name, seed, rows, None if budget >= 1 else budget, query) for seed in range(seeds)]
        found[name, query, budget] = runs
        if (query, budget) == ("split", AT):
            seconds += (time.process_time() - began) / seeds

    for name in STREAMS:
        measure(name, "split", 1.0)
        for query in SHOWN:
            for budget in BUDGETS if query in CURVES else (AT,):
                measure(name, query, budget)
        print(name, flush=True)
    mean = {key: fmean(run[0] for run in runs) for key, runs in found.items()}

    at = Table(f"Accuracy with {AT:.0%} of the labels", ["stream", "all labels", *SHOWN])
    for name in STREAMS:
        at.add(name, mean[name, "split", 1.0], *(mean[name, query, AT] for query in SHOWN))
    at.add(
        "mean",
        fmean(mean[name, "split", 1.0] for name in STREAMS),
        *(fmean(mean[name, query, AT] for name in STREAMS) for query in SHOWN),
    )
    wins = sum(mean[name, "split", AT] > mean[name, "random", AT] for name in STREAMS)
    asked = fmean(share for name in STREAMS for _, share in found[name, "split", AT])
    at.note = (
        f"split is above random on {wins} of {len(STREAMS)} streams; it asked for {asked:.2%} of the labels"
    )
    page.add(at)

    by_budget = Table(
        "Mean accuracy by budget", ["strategy", *(f"{budget:.0%}" for budget in BUDGETS), "100%"]
    )
    full = fmean(mean[name, "split", 1.0] for name in STREAMS)
    lines = {
        query: [fmean(mean[name, query, budget] for name in STREAMS) for budget in BUDGETS]
        for query in CURVES
    }
    for query, values in lines.items():
        by_budget.add(query, *values, full)
    page.add(by_budget)

    if chosen.peers:
        beside = Table(
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
        cells: list[list[float]] = []
        cpu = 0.0
        for name in STREAMS:
            every, *some = (moa(name, rows, query) for query in (None, *MOA_QUERIES))
            ours = mean[name, "split", 1.0], mean[name, "split", AT]
            best = max(run[0] for run in some)
            cpu += sum(run[2] for run in some) / len(some)
            cells.append([*ours, ours[0] - ours[1], every[0], *(run[0] for run in some), every[0] - best])
            beside.add(name, *cells[-1])
            print(name, *cells[-1], *(run[1] for run in some), flush=True)
        beside.add("mean", *map(fmean, zip(*cells, strict=True)))
        beside.note = (
            f"CPU seconds with {AT:.0%} of the labels, all streams: split {seconds:.0f}, MOA {cpu:.0f}"
        )
        page.add(beside)
        sampler = Table(
            "Beside River's entropy sampler of an adaptive random forest (first 5,000 rows)",
            ["stream", "model", "accuracy", "labels", "CPU s"],
        )
        for name in ("drift-sea", "insects-gradual"):
            theirs = river(name, 5_000, 3.0)
            began = time.process_time()
            same = accuracy(name, 0, 5_000, theirs[1])
            sampler.add(name, "River", *theirs)
            sampler.add(name, "split, as many labels", *same, time.process_time() - began)
        page.add(sampler)

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
        axes.grid(True, color="#DDDDDD", linewidth=0.6)
        axes.tick_params(labelsize=8)
        axes.legend(fontsize=8, frameon=False, loc="lower right")
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
        return made

    page.picture = picture
    page.caption = "Accuracy against the share of labels, of two strategies"
    page.write()


if __name__ == "__main__":
    main()

"""``python -m benchmarks.accuracy.ablation``: the default model with one change at a time, over the development streams.

Prequential accuracy on the first rows of each stream, several seeds. Experts that the model does not have are tried in the same
pool, put together outside (:class:`streamboost.StackedClassifier`). Sets are found through STREAMBOOST_DATA; one that is not
there is left out.
"""

from __future__ import annotations

import csv
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import streamboost as sb
from benchmarks.accuracy.learners import Data
from benchmarks.accuracy.streams import EVERY, STREAMS
from benchmarks.pages import RESULTS, Page, parser
from benchmarks.tables import Table
from streamboost.baselines import NoChangeClassifier
from streamboost.evaluate import prequential
from streamboost.streams import ArrayStream, DataError

Maker = Callable[[int, dict[str, Any]], Any]
DELAYS = (100, 500)
COLUMNS = ("stream", "delay", "seed", "change", "accuracy", "seconds")


def changed(**params: Any) -> Maker:
    """The default model with other parameters."""
    return lambda seed, nominal: sb.StreamBoostClassifier(**params, random_state=seed, **nominal)


def pooled(*more: Callable[..., Any], **params: Any) -> Maker:
    """The experts of the default model and others, in a pool outside it."""

    def made(seed: int, nominal: dict[str, Any]) -> Any:
        def alone(learner: Any, **own: Any) -> Any:
            return sb.SingleLearnerClassifier(learner, **own, **nominal)

        experts = [
            sb.StreamBoostClassifier(companions=(), random_state=seed, **nominal),
            alone(sb.LogisticRegression(learning_rate=1.0)),
            alone(sb.LogisticRegression(learning_rate=4.0)),
            alone(sb.NaiveBayes(), drift="adwin", background=False),
            alone(sb.NearestNeighbors()),
        ]
        return sb.StackedClassifier([*experts, *(make(seed, nominal) for make in more)], **params)

    return made


def boosted(seed: int, nominal: dict[str, Any]) -> Any:
    return sb.AdaBoostOLMClassifier(sb.HoeffdingTree(), n_estimators=10, random_state=seed, **nominal)


def oza(seed: int, nominal: dict[str, Any]) -> Any:
    trees = sb.HoeffdingTree(growth="ensemble")
    return sb.OnlineBoostingClassifier(trees, n_estimators=10, drift="adwin", random_state=seed, **nominal)


def third_rate(seed: int, nominal: dict[str, Any]) -> Any:
    return sb.SingleLearnerClassifier(sb.LogisticRegression(learning_rate=16.0), **nominal)


def last_label(seed: int, nominal: dict[str, Any]) -> Any:
    return NoChangeClassifier()


tree = partial(sb.HoeffdingTree, max_features=0.6)
CHANGES: dict[str, Maker] = {
    "default": changed(),
    "forest alone": changed(companions=()),
    "without neighbours": changed(companions=("linear", "naive-bayes")),
    "without linear": changed(companions=("naive-bayes", "neighbors")),
    "without naive Bayes": changed(companions=("linear", "neighbors")),
    "no detectors": changed(drift=None),
    "instant reset, no background": changed(background=False),
    "no chain": changed(chain=False),
    "equal votes": changed(vote="uniform"),
    "votes by accuracy since birth": changed(vote="accuracy"),
    "no subsets of columns": changed(max_features=None),
    "rate 3": changed(poisson_rate=3.0),
    "10 trees": changed(n_estimators=10),
    "60 trees": changed(n_estimators=60),
    "histogram observers": changed(estimator=tree(growth="ensemble", numeric_observer="histogram")),
    "drawn growth settings": changed(estimator=tree(growth="varied")),
    "horizon 500": changed(window=500.0),
    "the pool always speaks": pooled(referee=False),
    "posterior weights instead of the pool": pooled(combine="bayes"),
    "with boosted trees (OLM)": pooled(boosted),
    "with boosted trees (Oza)": pooled(oza),
    "with a third linear rate": pooled(third_rate),
    "with the last label": pooled(last_label),
}
LATE = ("default", "forest alone", "without neighbours", "with the last label")
"""Measured with late labels too."""


def measure(data: Data, change: str, seed: int, delay: int) -> tuple[float, float]:
    """Accuracy and CPU seconds of one run."""
    model = CHANGES[change](seed, {"categorical_features": data.nominal} if data.nominal else {})
    stream = ArrayStream(data.X, data.y, name=data.name)
    result = prequential(model, stream, classes=range(data.k), delay=delay)
    return 1 - result.error, result.seconds


def measured_before(path: Path, sets: list[str]) -> list[tuple[Any, ...]]:
    """Records of the results file for streams that are not measured now."""
    with path.open(newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["stream"] not in sets]
    return [
        (r["stream"], int(r["delay"]), int(r["seed"]), r["change"], float(r["accuracy"]), float(r["seconds"]))
        for r in rows
    ]


def table(records: list[tuple[Any, ...]], delay: int, title: str, note: str) -> Table:
    """One line per change: its mean, beside that of the default, and where it matters most."""
    made = Table(
        title, ["change", "mean", "beside default", "better on", "most", "least", "CPU s"], note=note
    )
    cells: dict[str, dict[str, list[float]]] = {}
    seconds: dict[str, float] = {}
    for name, late, _, change, accuracy, spent in records:
        if late == delay:
            cells.setdefault(change, {}).setdefault(name, []).append(accuracy)
            seconds[change] = seconds.get(change, 0.0) + spent
    base = {name: float(np.mean(values)) for name, values in cells["default"].items()}
    for change in (c for c in CHANGES if c in cells):
        gain = {name: float(np.mean(values)) - base[name] for name, values in cells[change].items()}
        mean = float(np.mean([np.mean(values) for values in cells[change].values()]))
        if change == "default":
            made.add(change, mean, "", "", "", "", seconds[change])
            continue
        most, least = max(gain, key=lambda n: gain[n]), min(gain, key=lambda n: gain[n])
        made.add(
            change,
            mean,
            f"{np.mean(list(gain.values())):+.4f}",
            f"{sum(g > 0 for g in gain.values())} of {len(gain)}",
            f"{most} {gain[most]:+.4f}",
            f"{least} {gain[least]:+.4f}",
            seconds[change],
        )
    return made


def main() -> None:
    made = parser("accuracy.ablation", __doc__)
    made.add_argument("--rows", type=int, default=2000, help="first rows of each stream")
    made.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    made.add_argument("--changes", nargs="+", default=list(CHANGES), choices=list(CHANGES), metavar="NAME")
    made.add_argument("--sets", nargs="*", default=list(STREAMS), metavar="NAME")
    made.add_argument(
        "--add",
        action="store_true",
        help="keep the figures of the results file for other sets: a long run in parts",
    )
    options = made.parse_args()
    if options.quick:
        options.rows, options.sets, options.seeds = min(options.rows, 500), options.sets[:2], [1]
    page = Page("adaptive-ablation", "StreamBoost, one change at a time", options, columns=COLUMNS)
    warnings.simplefilter("ignore")
    changes = ["default", *(c for c in options.changes if c != "default")]
    records = (
        measured_before((options.out or RESULTS) / "adaptive-ablation.csv", options.sets)
        if options.add
        else []
    )
    page.records += records
    for name in options.sets:
        try:
            data = Data(name, min(options.rows, STREAMS[name]), every=EVERY.get(name, 1))
        except DataError:
            continue
        runs = [(c, 0) for c in changes] + [(c, d) for d in DELAYS for c in changes if c in LATE]
        for change, delay in runs:
            for seed in options.seeds:
                records.append((name, delay, seed, change, *measure(data, change, seed, delay)))
                page.record(*records[-1])
        page.keep_records()
        print(name, f"{records[-1][-2]:.4f}", flush=True)
    names = [name for name in STREAMS if any(r[0] == name for r in records)]
    page.preface.append(
        f"- Prequential accuracy over the first {options.rows:,} rows of {len(names)} streams in file order (of kddcup99-10pct "
        f"every 10th row), seeds {', '.join(map(str, options.seeds))}, classes declared. Differences below .001 are noise. The "
        f"streams were also used to choose the defaults. Whole streams: `streams.md`. Streams: {', '.join(names)}."
    )
    note = "CPU seconds of all streams and seeds; of models put together outside, most of them are the pool's in Python."
    page.add(table(records, 0, "Labels at once", note))
    for delay in DELAYS:
        page.add(table(records, delay, f"Labels {delay} rows late", ""))
    page.write()


if __name__ == "__main__":
    main()

"""``python -m benchmarks.accuracy.label_sets``: boosting of label sets beside binary relevance and chains, and River's models.

Every row is answered, then learned, in the order of its file. The trees are the same everywhere: Hoeffding trees, each node
on the square root of the columns; 100 of them for all labels together, or 20 for each label.
"""

from __future__ import annotations

import csv
import time
from collections.abc import Callable, Iterator
from statistics import fmean
from typing import Any

import numpy as np

from benchmarks.pages import RESULTS, Page, parser
from benchmarks.tables import Table
from streamboost import (
    AdaOLMRClassifier,
    BinaryRelevanceClassifier,
    ClassifierChain,
    HoeffdingTree,
    OnlineBaggingClassifier,
    OnlineBMRClassifier,
)
from streamboost.evaluate import prequential
from streamboost.evaluate.label_sets import LabelRankLoss, SetRows
from streamboost.streams.label_sets import open_label_sets

SETS = ("emotions", "scene", "yeast", "mediamill-reduced")


def bagged(seed: int) -> OnlineBaggingClassifier:
    return OnlineBaggingClassifier(HoeffdingTree(max_features="sqrt"), n_estimators=20, random_state=seed)


MODELS: dict[str, Callable[[int], Any]] = {
    "OnlineBMR": lambda seed: OnlineBMRClassifier(random_state=seed),
    "Ada.OLMR": lambda seed: AdaOLMRClassifier(random_state=seed),
    "binary relevance": lambda seed: BinaryRelevanceClassifier(bagged(seed)),
    "chain": lambda seed: ClassifierChain(bagged(seed)),
    "binary relevance, default": lambda seed: BinaryRelevanceClassifier(),
}
SLOW = {
    ("mediamill-reduced", name) for name in ("chain", "binary relevance, default", "River chain of trees")
}


RIVER = ("River iSOUPTree", "River chain of trees")


def river(kind: str, name: str) -> tuple[float, float]:
    """Return the rank loss and CPU seconds of River's one tree for all labels, or of its chain of a tree for each."""
    from river import multioutput, tree

    n_labels = next(open_label_sets(name, "label:*").chunks()).y.shape[1]
    model = (
        tree.ISOUPTreeRegressor()
        if kind == RIVER[0]
        else multioutput.ClassifierChain(tree.HoeffdingTreeClassifier(), order=list(range(n_labels)))
    )
    loss, began = LabelRankLoss(), time.process_time()
    for chunk in open_label_sets(name, "label:*").chunks():
        for x, y in zip(chunk.X.tolist(), chunk.y, strict=True):
            record = dict(enumerate(x))
            said = (model.predict_one if kind == RIVER[0] else model.predict_proba_one)(record) or {}
            score = np.array([[_number(said.get(at, 0.0)) for at in range(len(y))]])
            loss.update(SetRows(y[None], score, score))
            truth = dict(enumerate(y.tolist()))
            model.learn_one(record, truth if kind == RIVER[0] else {k: v > 0 for k, v in truth.items()})
    return loss.value(), time.process_time() - began


def _number(said: Any) -> float:
    """A score, or the probability that a label is there."""
    return float(said.get(True, 0.0)) if isinstance(said, dict) else float(said)


FIGURES = ("rank loss", "micro F1", "CPU seconds")


def measure(name: str, seeds: int) -> Iterator[list[Any]]:
    """Rows of the table: set, model, and the figures, means over the seeds; River's models have no seed and no F1."""
    for model, make in MODELS.items():
        if (name, model) in SLOW:
            continue
        runs = [prequential(make(seed), open_label_sets(name, "label:*")) for seed in range(seeds)]
        f1 = fmean(run.metrics["micro_f1"]["cumulative"].value for run in runs)
        yield [name, model, fmean(run.error for run in runs), f1, fmean(run.seconds for run in runs)]
    for kind in RIVER:
        if (name, kind) not in SLOW:
            loss, seconds = river(kind, name)
            yield [name, kind, loss, "", seconds]


def main() -> None:
    options = parser("accuracy.label_sets", __doc__)
    options.add_argument("sets", nargs="*", help="which sets, by default all; the others of the page stay")
    options.add_argument("--seeds", type=int, default=3)
    chosen = options.parse_args()
    page = Page("label-sets", "Several labels: rank loss", chosen, ["streamboost", "numpy", "river"])
    page.preface += ["", f"`python -m benchmarks.accuracy.label_sets`: means over {chosen.seeds} seeds."]
    sets = chosen.sets or (SETS[:1] if chosen.quick else SETS)
    kept = (chosen.out or RESULTS) / f"{page.name}.csv"
    found: dict[tuple[str, str], list[str]] = {}
    if kept.exists():
        with kept.open(newline="", encoding="utf-8") as file:
            found = {(row[0], row[1]): row[2:] for row in list(csv.reader(file))[1:] if row[0] not in sets}
    for name in sets:
        for row in measure(name, chosen.seeds):
            found[row[0], row[1]] = [f"{value:.4f}" if value != "" else "" for value in row[2:]]
            print(*row, flush=True)
    page.columns = ["set", "model", *FIGURES]
    page.records += [[*key, *values] for key, values in found.items()]
    for at, figure in enumerate(FIGURES):
        models = [*MODELS, *RIVER] if figure != "micro F1" else [*MODELS]
        table = Table(figure[0].upper() + figure[1:], ["set", *models])
        for name in SETS:
            cells = [found.get((name, model), [""] * 3)[at] for model in models]
            table.add(name, *(float(cell) if cell else None for cell in cells))
        page.add(table)
    page.write()


if __name__ == "__main__":
    main()

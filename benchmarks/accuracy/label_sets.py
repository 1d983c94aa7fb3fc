"""``python -m benchmarks.accuracy.label_sets``: boosting of label sets beside binary relevance and chains, and River's models.

Every row is answered, then learned, in the order of its file. The trees are the same everywhere: Hoeffding trees, each node
on the square root of the columns; 100 of them for all labels together, or 20 for each label.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import fmean
from typing import Any

import numpy as np

from benchmarks.pages import Page, parser
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


def river(kind: str, name: str) -> tuple[float, float] | tuple[None, None]:
    """Return the rank loss and CPU seconds of River's one tree for all labels, or of its chain of a tree for each."""
    from river import multioutput, tree

    if (name, kind) in SLOW:
        return None, None
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


def main() -> None:
    options = parser("accuracy.label_sets", __doc__)
    options.add_argument("--seeds", type=int, default=3)
    chosen = options.parse_args()
    page = Page("label-sets", "Several labels: rank loss", chosen, ["streamboost", "numpy", "river"])
    page.preface += ["", f"`python -m benchmarks.accuracy.label_sets`: means over {chosen.seeds} seeds."]
    sets = SETS[:1] if chosen.quick else SETS
    loss = Table("Rank loss", ["set", *MODELS, *RIVER])
    f1 = Table("Micro F1", ["set", *MODELS])
    clock = Table("CPU seconds", ["set", *MODELS, *RIVER])
    for name in sets:
        found = {
            model: None
            if (name, model) in SLOW
            else [prequential(make(seed), open_label_sets(name, "label:*")) for seed in range(chosen.seeds)]
            for model, make in MODELS.items()
        }
        theirs = [river(kind, name) for kind in RIVER]
        loss.add(
            name,
            *(runs and fmean(run.error for run in runs) for runs in found.values()),
            *(one for one, _ in theirs),
        )
        f1.add(
            name,
            *(
                runs and fmean(run.metrics["micro_f1"]["cumulative"].value for run in runs)
                for runs in found.values()
            ),
        )
        clock.add(
            name,
            *(runs and fmean(run.seconds for run in runs) for runs in found.values()),
            *(seconds for _, seconds in theirs),
        )
        print(name, flush=True)
    for table in (loss, f1, clock):
        page.add(table)
    page.write()


if __name__ == "__main__":
    main()

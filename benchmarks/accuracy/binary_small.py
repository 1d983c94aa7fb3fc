"""``python -m benchmarks.accuracy.binary_small --data DIR [--papers DIR]``: the binary boosters on the small sets of Chen et al.

Prequential error, 100 learners, the mean over random orders that are the same for every model; beside it the figure of the
paper where there is one. DATA holds ``heart.libsvm.gz`` and so on, PAPERS the papers' tables as ``chen2012_table*.csv``.
"""

from __future__ import annotations

import argparse
import csv
import warnings
from pathlib import Path
from typing import Any

import streamboost as sb
from streamboost.evaluate import prequential
from streamboost.streams import open_stream

SETS = {
    "heart": "Heart",
    "breast-cancer": "Breast-Cancer",
    "australian": "Australian",
    "diabetes": "Diabetes",
    "german": "German",
}
N = {"n_estimators": 100}
# our name -> (class, options, name in the paper)
MODELS: dict[str, tuple[Any, dict[str, Any], str]] = {
    "single": (sb.SingleLearnerClassifier, {}, "single"),
    "oza-boost": (sb.OnlineBoostingClassifier, N, "OzaBoost"),
    "ogboost": (sb.OGBoostClassifier, N, "OGBoost"),
    "osboost": (sb.OSBoostClassifier, N, "OSBoost"),
    "osboost, ocp": (sb.OSBoostClassifier, {**N, "vote": "ocp"}, "OSBoost.OCP"),
    "osboost, exp": (sb.OSBoostClassifier, {**N, "vote": "exp"}, "OSBoost.EXP"),
    "osboost, exp, sample": (sb.OSBoostClassifier, {**N, "vote": "exp", "hedge": "sample"}, "OSBoost.EXP"),
    "online-bbm, edge .1": (sb.OnlineBBMClassifier, {**N, "edge": 0.1}, ""),
    "online-bbm, edge .2": (sb.OnlineBBMClassifier, {**N, "edge": 0.2}, ""),
    "bayes": (sb.BayesianEnsembleClassifier, N, ""),
    "adaboost-ol": (sb.AdaBoostOLClassifier, N, ""),
    "adaboost-ol, importance": (sb.AdaBoostOLClassifier, {**N, "weighting": "importance"}, ""),
    "adaboost-ol, full": (sb.AdaBoostOLClassifier, {**N, "hedge": "full"}, ""),
}
LEARNERS = {
    "perceptron": lambda: sb.Perceptron(scale="maxabs"),
    "naive_bayes": lambda: sb.NaiveBayes(),
}


def read_papers(folder: Path | None) -> dict[tuple[str, str, str], float]:
    """(set, algorithm, learner) -> error rate."""
    found = {}
    for path in sorted(folder.glob("chen2012_table*.csv")) if folder else ():
        with path.open(newline="") as file:
            for row in csv.DictReader(file):
                found[row["dataset"].lower(), row["algorithm"], row["weak_learner"]] = float(row["value"])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.accuracy.binary_small", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the data sets")
    parser.add_argument("--papers", type=Path, help="folder of the papers' tables")
    parser.add_argument("--orders", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    papers = read_papers(options.papers)
    warnings.simplefilter("ignore")
    for learner, make in LEARNERS.items():
        print(f"\n{learner}, {options.orders} orders: error (the paper's)")
        print(f"{'':24}" + "".join(f"{name:>18}" for name in SETS))
        for name, (cls, params, paper) in MODELS.items():
            cells = []
            for data, title in SETS.items():
                stream = open_stream(str(options.data / f"{data}.libsvm.gz"))
                model = cls(make(), random_state=options.seed, **params)
                result = prequential(
                    model, stream, orders=options.orders, seed=options.seed, classes=stream.find_classes()
                )
                theirs = papers.get((title.lower(), paper, learner))
                cells.append(f"{result.error:.4f}" + ("         " if theirs is None else f" ({theirs:.4f})"))
            print(f"{name:24}" + "".join(f"{cell:>18}" for cell in cells), flush=True)


if __name__ == "__main__":
    main()

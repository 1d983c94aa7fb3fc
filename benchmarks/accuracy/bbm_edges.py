"""``python -m benchmarks.accuracy.bbm_edges --data DIR``: which edge online boost-by-majority should count on by default.

Prequential error with 100 learners over edges, learners and streams: the sets of DIR, and generators. The streams of the
speed benchmarks are left out, so that they may judge the choice.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import streamboost as sb
from streamboost.evaluate import prequential
from streamboost.streams import ArrayStream, load

EDGES = (0.01, 0.02, 0.05, 0.1, 0.2)
FILES = (
    *("heart", "breast-cancer", "australian", "diabetes", "german", "splice"),
    *("ionosphere", "sonar", "svmguide3", "mushrooms", "ijcnn1", "a9a", "cod-rna-train"),
)
GENERATED = ("sea", "sea:label_noise=0.1", "agrawal", "agrawal:label_noise=0.1", "synthetic-2", "rbf")
LEARNERS: dict[str, Callable[[], Any]] = {
    "perceptron": lambda: sb.Perceptron(scale="maxabs"),
    "logistic": lambda: sb.LogisticRegression(scale="maxabs", update="plain"),
    "naive Bayes": sb.NaiveBayes,
}


def streams(folder: Path, rows: int) -> list[tuple[str, ArrayStream]]:
    """All streams in memory; a generated one with more than two classes is left out."""
    found = [(name, load(folder / f"{name}.libsvm.gz", limit=rows)) for name in FILES]
    found += [(name, load(name, limit=rows)) for name in GENERATED]
    return [(name, stream) for name, stream in found if len(stream.find_classes()) == 2]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.accuracy.bbm_edges", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the data sets")
    parser.add_argument("--orders", type=int, default=3)
    parser.add_argument("--rows", type=int, default=10_000, help="first rows of a longer set")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    print(f"Error of online-bbm, 100 learners, {options.orders} orders, at most {options.rows:,} rows.")
    everything = []
    for learner, make in LEARNERS.items():
        print(f"\n| {learner} | " + " | ".join(f"edge {edge}" for edge in EDGES) + " |")
        print("|---" * (len(EDGES) + 1) + "|")
        table = []
        for name, stream in streams(options.data, options.rows):
            errors = [
                prequential(
                    sb.OnlineBBMClassifier(make(), n_estimators=100, edge=edge, random_state=0),
                    stream,
                    orders=options.orders,
                    seed=0,
                    classes=stream.find_classes(),
                ).error
                for edge in EDGES
            ]
            table.append(errors)
            print(f"| {name} | " + " | ".join(f"{error:.4f}" for error in errors) + " |", flush=True)
        everything += table
        print("| mean above the best edge | " + " | ".join(f"{x:.4f}" for x in excess(table)) + " |")
    whole = ", ".join(f"{loss:.4f} with {edge}" for edge, loss in zip(EDGES, excess(everything), strict=True))
    print(f"\nAll learners, mean above the best edge: {whole}.")


def excess(table: list[list[float]]) -> list[float]:
    """How much each edge loses on average to the best one of each stream."""
    errors = np.array(table)
    return (errors - errors.min(axis=1, keepdims=True)).mean(axis=0).tolist()


if __name__ == "__main__":
    main()

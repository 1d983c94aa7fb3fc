"""``python -m benchmarks.accuracy.bai_trials``: the Bayesian column of Bai et al.'s table 2 with what it leaves open varied.

Prequential error of 100 perceptrons; what a learner answers with and its share of the columns are varied, for all sets alike.
Printed is ours minus the published error, and the mean absolute difference. Data are found through STREAMBOOST_DATA.
"""

from __future__ import annotations

import argparse
import warnings
from itertools import product

import numpy as np

from streamboost import BayesianEnsembleClassifier, Perceptron
from streamboost.evaluate import prequential
from streamboost.reproduce.papers.binary_streams import ADULT, SMALL
from streamboost.reproduce.published import published_table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--orders", type=int, default=5)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    theirs = {
        f.dataset: f.value for f in published_table("bai2014", "2").figures if f.algorithm == "Bayesian"
    }
    sets = [(entry.title, entry.source(None).load().rows) for entry in (*SMALL, ADULT)]
    print(f"| answer | share of columns | {' | '.join(name for name, _ in sets)} | mean |")
    print("|---|---|" + "---|" * (len(sets) + 1))
    for hypothesis, share in product(("sign", "real"), (0.25, 0.5, 0.75, 0.9)):
        found = []
        for name, rows in sets:
            model = BayesianEnsembleClassifier(
                Perceptron(), hypothesis=hypothesis, feature_fraction=share, random_state=0
            )
            result = prequential(model, rows, orders=given.orders, seed=0, classes=rows.find_classes())
            found.append(result.error - theirs[name])
        cells = " | ".join(f"{value:+.4f}" for value in found)
        print(f"| {hypothesis} | {share} | {cells} | {np.mean(np.abs(found)):.4f} |", flush=True)


if __name__ == "__main__":
    main()

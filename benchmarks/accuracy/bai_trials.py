"""``python -m benchmarks.accuracy.bai_trials``: the Bayesian columns of Bai et al.'s tables 2 and 3, open choices varied.

Prequential error of 100 learners; what a learner answers with and its share of the columns are varied, for all sets alike.
Printed is ours minus the published error, and the mean absolute difference. Data are found through STREAMBOOST_DATA.
"""

from __future__ import annotations

import argparse
import warnings
from itertools import product

import numpy as np

from streamboost import BayesianEnsembleClassifier, NaiveBayes, Perceptron
from streamboost.evaluate import prequential
from streamboost.reproduce.papers.binary_streams import ADULT, COVERTYPE, SMALL
from streamboost.reproduce.published import published_table

LEARNERS = {
    "perceptron": ("2", Perceptron, ("sign", "real")),
    "naive_bayes": ("3", NaiveBayes, ("log_odds", "sign")),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--orders", type=int, default=5)
    parser.add_argument("--sample", type=int, default=50_000, help="rows of Covertype")
    parser.add_argument("--learners", nargs="+", choices=LEARNERS, default=list(LEARNERS))
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    for learner in given.learners:
        number, weak, answers = LEARNERS[learner]
        figures = published_table("bai2014", number).figures
        theirs = {f.dataset: f.value for f in figures if f.algorithm == "Bayesian"}
        sets = [
            (entry.title, entry.source(given.sample if entry is COVERTYPE else None, learner).load().rows)
            for entry in (*SMALL, ADULT, COVERTYPE)
        ]
        print(f"\n{learner}, {given.orders} orders, {given.sample:,} rows of Covertype")
        print(f"| answer | share of columns | {' | '.join(name for name, _ in sets)} | mean |")
        print("|---|---|" + "---|" * (len(sets) + 1))
        for hypothesis, share in product(answers, (0.25, 0.5, 0.75, 0.9)):
            found = []
            for name, rows in sets:
                model = BayesianEnsembleClassifier(
                    weak(),
                    hypothesis=hypothesis,
                    feature_fraction=share,
                    random_state=0,
                    categorical_features=rows.nominal,
                )
                result = prequential(model, rows, orders=given.orders, seed=0, classes=rows.find_classes())
                found.append(result.error - theirs[name])
            cells = " | ".join(f"{value:+.4f}" for value in found)
            print(f"| {hypothesis} | {share} | {cells} | {np.mean(np.abs(found)):.4f} |", flush=True)


if __name__ == "__main__":
    main()

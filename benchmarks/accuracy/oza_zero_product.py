"""``python -m benchmarks.accuracy.oza_zero_product``: naive Bayes whose product may be 0, beside table 4.2 of Oza's thesis.

The thesis has no pseudo counts. Our naive Bayes takes a zero probability as tiny, so that of two classes with zeros the one with
fewer of them wins; a literal product is 0 for both, and then some rule decides. Two rules are tried: the first class, and the
more frequent one. Online algorithms only, as a learner in Python cannot be boosted in batch. Printed is the accuracy over the
folds, with its standard error, beside the published one. Data are found through STREAMBOOST_DATA.
"""

from __future__ import annotations

import argparse
import warnings
from typing import Any

import numpy as np

from streamboost import (
    NaiveBayes,
    OnlineBaggingClassifier,
    OnlineBoostingClassifier,
    SingleLearnerClassifier,
)
from streamboost.evaluate import cross_validate
from streamboost.reproduce.papers.oza2001 import DATA
from streamboost.reproduce.published import published_table

MODELS = {
    "single": SingleLearnerClassifier,
    "online_bagging": OnlineBaggingClassifier,
    "online_boosting": OnlineBoostingClassifier,
}
N_VALUES = 16  # more than any column of the small sets has


class ZeroProduct:
    """Counts of nominal values; the literal product of their shares."""

    def __init__(self, rule: str = "first") -> None:
        self.rule = rule

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {"rule": self.rule}

    def set_params(self, **params: Any) -> ZeroProduct:
        self.__dict__.update(params)
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> ZeroProduct:
        if not hasattr(self, "n"):
            self.n = np.zeros(len(classes))
            self.counts = np.zeros((len(classes), X.shape[1], N_VALUES))
            self.columns = np.arange(X.shape[1])
        weight = 1.0 if sample_weight is None else sample_weight[0]
        self.n[y[0]] += weight
        self.counts[y[0], self.columns, X[0].astype(int)] += weight
        return self

    def predict(self, X: Any) -> Any:
        share = self.counts[:, self.columns, X[0].astype(int)] / np.maximum(self.n, 1e-300)[:, None]
        joint = self.n * share.prod(axis=1)
        best = self.n if self.rule == "frequent" and not joint.any() else joint
        return np.array([int(np.argmax(best))])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--datasets", nargs="+", default=["Promoters", "Balance", "Breast Cancer"])
    parser.add_argument("--passes", type=int, default=2, help="of 5 folds")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    theirs = {(f.dataset, f.algorithm): f.value for f in published_table("oza2001", "4.2").figures}
    learners = {
        "a zero is tiny (ours)": NaiveBayes(prior_alpha=0),
        "zero product, the first class": ZeroProduct("first"),
        "zero product, the more frequent class": ZeroProduct("frequent"),
    }
    print("| data | reading | " + " | ".join(name.replace("_", " ") for name in MODELS) + " |")
    print("|---|---|" + "---|" * len(MODELS))
    for entry in (entry for entry in DATA if entry.title in given.datasets):
        rows = entry.source(None).load().rows
        print(
            f"| {entry.title} | thesis | "
            + " | ".join(f"{theirs[entry.title, name]:.4f}" for name in MODELS)
            + " |"
        )
        for reading, learner in learners.items():
            cells = []
            for name, model in MODELS.items():
                size = {} if name == "single" else {"n_estimators": 100}
                made = model(learner, random_state=0, categorical_features=rows.nominal, **size)
                done = cross_validate(made, rows, repeats=given.passes, orders=1)
                cells.append(f"{1 - done.error:.4f} ± {done.standard_error:.4f}")
            print(f"| {entry.title} | {reading} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()

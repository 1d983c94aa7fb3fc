"""``python -m benchmarks.accuracy.oza_resampling``: batch boosting of networks by weights and by samples, beside Oza's thesis.

AdaBoost.M1 gives every example its weight, and a network makes a step that is so many times as long. The thesis says that a
learner which cannot take weights is given a sample of N examples drawn by them, and not which learners these are. Both are run
here with the networks of the preset: 100 networks at most, 5-fold cross-validation. Data are found through STREAMBOOST_DATA.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np

from streamboost import MLP, AdaBoostM1Classifier
from streamboost.evaluate.folds import fold_rows, training_order
from streamboost.reproduce.papers.oza2001 import BASE_MODELS, DATA, EPOCHS, FOLDS
from streamboost.reproduce.published import published_table
from streamboost.streams.base import ArrayStream

SETS = ["Promoters", "Balance", "Breast Cancer", "German Credit", "Car Evaluation"]
KINDS = {
    "neural_network_10epoch": "4.4",
    "neural_network_1update": "4.5",
    "neural_network_10update": "4.6",
}


def cell(kind: str, resample: bool, rows: ArrayStream, n_estimators: int) -> str:
    """Accuracy with its standard error, and the mean number of networks."""
    scores, sizes = [], []
    n = int(rows.y.shape[0])
    for fold in range(FOLDS):
        train, test = fold_rows(n, FOLDS, 0, 0, fold)
        train = train[training_order(0, 0, fold, 0, train.size)]
        model = AdaBoostM1Classifier(
            MLP(**BASE_MODELS[kind].params),
            n_estimators=n_estimators,
            n_passes=EPOCHS if kind == "neural_network_10epoch" else 1,
            resample=resample,
            random_state=0,
            categorical_features=rows.nominal,
        ).fit(rows.X[train], rows.y[train])
        scores.append(float(np.mean(model.predict(rows.X[test]) == rows.y[test])))
        sizes.append(model.estimator_errors_.size)
    spread = np.std(scores, ddof=1) / np.sqrt(FOLDS)
    return f"{np.mean(scores):.4f} ± {spread:.4f}, {np.mean(sizes):.0f} networks"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--datasets", nargs="+", default=SETS)
    parser.add_argument("-n", "--n-estimators", type=int, default=100)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    print("| data | network | thesis | by weights | by samples |\n|---|---|---|---|---|")
    for entry in (entry for entry in DATA if entry.title in given.datasets):
        rows = entry.source(None).load().rows
        for kind, table in KINDS.items():
            value = next(
                f.value
                for f in published_table("oza2001", table).figures
                if (f.dataset, f.algorithm) == (entry.title, "boosting")
            )
            cells = [cell(kind, resample, rows, given.n_estimators) for resample in (False, True)]
            words = kind.removeprefix("neural_network_")
            print(f"| {entry.title} | {words} | {value:.4f} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()

"""The pictures of the pages on probabilities, rare classes, sets and explanations: `python docs/trust_pictures.py [NAME ...]`."""

import sys
from pathlib import Path

import numpy as np

from streamboost import NaiveBayes, OnlineBaggingClassifier
from streamboost.evaluate import plot_reliability, reliability
from streamboost.streams import load

FOLDER = Path(__file__).parent / "images" / "trust"


def probabilities():
    """Reliability before and after calibration."""
    data = load("agrawal", limit=20_000, seed=1)
    X, y = data.X, data.y
    curves = {}
    for name, method in {"vote": None, "platt": "platt", "platt+bins": "platt+bins"}.items():
        model = OnlineBaggingClassifier(
            NaiveBayes(),
            n_estimators=20,
            random_state=1,
            calibration=method,
            categorical_features=data.nominal,
        )
        proba = model.test_then_train(X, y, classes=np.unique(y), output="proba")
        curves[name] = reliability(y, proba[:, 1], positive=model.classes_[1])
    plot_reliability(curves, FOLDER / "probabilities.png", title="Bagged naive Bayes on agrawal, 20,000 rows")


PICTURES = {"probabilities": probabilities}

if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[1:] or PICTURES:
        PICTURES[name]()

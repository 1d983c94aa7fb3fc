"""A machine's sensors, a quarter of the way through and again later it is repaired: what a fault looks like changes.

The error in a window shows the drift and how fast each model comes back. None of these models is told.
"""

import numpy as np

from streamboost import (
    DecisionStump,
    HoeffdingTree,
    OnlineBoostingClassifier,
    OSBoostClassifier,
    Perceptron,
    SingleLearnerClassifier,
)
from streamboost.evaluate import prequential

N, REPAIRS = 12_000, (4_000, 8_000)


def sensors(seed=3):
    """Return readings of six sensors, and whether the machine was about to fail."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N, 6))
    signs = np.array([[1, 1, 0, 0, 0, 0], [0, 0, 1, -1, 0, 0], [-1, 0, 0, 0, 1, 0]])
    era = np.searchsorted(REPAIRS, np.arange(N), side="right")
    y = (X * signs[era]).sum(axis=1) > 0
    y ^= rng.random(N) < 0.05  # wrongly noted
    return X, np.where(y, "fault", "fine")


def main():
    """Print the error in a window of 500 rows around the repairs."""
    X, y = sensors()
    models = {
        "one perceptron": SingleLearnerClassifier(Perceptron(), random_state=1),
        "smooth boosting, perceptrons": OSBoostClassifier(Perceptron(), n_estimators=50, random_state=1),
        "Oza boosting, stumps": OnlineBoostingClassifier(DecisionStump(), n_estimators=20, random_state=1),
        "Oza boosting, Hoeffding trees": OnlineBoostingClassifier(
            HoeffdingTree(), n_estimators=20, random_state=1
        ),
    }
    at = [3_999, 4_499, 7_999, 8_499, 11_999]
    print(f"{'error in the last 500 rows, at row':<34}" + "".join(f"{row + 1:>8}" for row in at))
    for title, model in models.items():
        result = prequential(model, (X, y), classes=["fault", "fine"], window=500, name=title)
        shown = np.interp(at, result.positions - 1, result.windowed_error)
        print(f"{title:<34}" + "".join(f"{error:>8.1%}" for error in shown))


if __name__ == "__main__":
    main()

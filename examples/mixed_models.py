"""Models of several libraries and one answer: who is trusted changes with the stream."""

import numpy as np
from sklearn.linear_model import SGDClassifier

from streamboost import (
    HoeffdingTree,
    NaiveBayes,
    OnlineBaggingClassifier,
    SingleLearnerClassifier,
    StackedClassifier,
)
from streamboost.evaluate import prequential

N = 2_000


def readings(seed=4):
    """Return rows whose rule is a line at first and a ring later."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N, 2))
    line, ring = X[:, 0] + X[:, 1] > 0, (X**2).sum(axis=1) > 1.4
    return X, np.where(np.arange(N) < N // 2, line, ring).astype(int)


def models():
    """Return one that is good at lines, one at rings, and trees that are good at neither and bad at none."""
    return [
        ("trees", OnlineBaggingClassifier(HoeffdingTree(), n_estimators=10, random_state=1)),
        ("linear", SGDClassifier(loss="log_loss", random_state=1)),
        ("bayes", SingleLearnerClassifier(NaiveBayes())),
    ]


def main():
    """Show each alone and all together, and whom the pool trusts when."""
    data = readings()
    for name, model in models():
        print(f"{name:>8} alone: error {prequential(model, data, classes=[0, 1]).error:.1%}")
    for combine in ("log-pool", "hedge", "bayes"):
        stacked = StackedClassifier(models(), combine=combine, window=300)
        result = prequential(stacked, data, classes=[0, 1])
        weights = ", ".join(f"{name} {weight:.2f}" for name, weight in stacked.weights_.items())
        print(f"{combine:>8} of all: error {result.error:.1%}; weights at the end: {weights}")


if __name__ == "__main__":
    main()

"""Labels that cost: an expert looks at one transaction in twenty, and the model says at which.

The rule of what is worth an expert's time changes halfway. Choosing by chance is the plain way; the strategies choose the rows
that the model is unsure of, some of them with a share left to chance.
"""

import numpy as np

from streamboost import ActiveClassifier, HoeffdingTree, OnlineBaggingClassifier


def transactions(n=6_000, seed=3):
    """Make amounts, ages and hours, and whether an expert would object; the rule changes halfway."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    score = np.where(np.arange(n) < n // 2, X[:, 0] + X[:, 1], X[:, 0] - X[:, 2])
    return X, np.where(score > 0.8, "object", "fine")


def main():
    """Compare the strategies with the same budget."""
    X, y = transactions()
    print(f"{'strategy':<14}{'labels':>8}{'error':>8}")
    for query in ("random", "variable", "split", "disagreement"):
        trees = OnlineBaggingClassifier(HoeffdingTree(), n_estimators=10, drift="adwin", random_state=1)
        model = ActiveClassifier(trees, budget=0.05, query=query, random_state=1)
        answers = model.test_then_train(X, y)
        print(f"{query:<14}{model.n_asked_:>8}{np.mean(answers != y):>8.3f}")
    trees = OnlineBaggingClassifier(HoeffdingTree(), n_estimators=10, drift="adwin", random_state=1)
    print(f"{'all labels':<14}{len(y):>8}{np.mean(trees.test_then_train(X, y) != y):>8.3f}")


if __name__ == "__main__":
    main()

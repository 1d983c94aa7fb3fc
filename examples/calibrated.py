"""Probabilities that hold: the same ensemble with its own votes, and calibrated.

A lender wants to know how likely a loan fails, not only which loans are worse than others: the price depends on it. The ensemble
is far too sure of itself; calibration learns by how much, while it learns the loans.
"""

import numpy as np

from streamboost import NaiveBayes, OnlineBaggingClassifier
from streamboost.evaluate import reliability


def loans(n, seed=7):
    """Make income, debt and their sum, which says nothing new, and whether the loan failed."""
    rng = np.random.default_rng(seed)
    income, debt = rng.normal(size=n), rng.normal(size=n)
    columns = [income, debt, income + debt + 0.1 * rng.normal(size=n), debt - income]
    fails = rng.random(n) < 1 / (1 + np.exp(1 + income - debt))
    return np.column_stack(columns), np.where(fails, "fails", "pays")


def main():
    """Compare the methods."""
    X, y = loans(10_000)
    print(
        f"{'calibration':<14}{'log loss':>10}{'Brier':>8}{'error':>8}   of 100 loans said to fail with 80-100 %"
    )
    for method in (None, "platt", "beta", "platt+bins"):
        model = OnlineBaggingClassifier(NaiveBayes(), n_estimators=20, random_state=1, calibration=method)
        p = model.test_then_train(X, y, classes=["fails", "pays"], output="proba")[:, 0]
        curve = reliability(y, p, positive="fails")
        truth = y == "fails"
        loss = -np.log(np.clip(np.where(truth, p, 1 - p), 1e-6, 1)).mean()
        failed = truth[p >= 0.8].mean() if (p >= 0.8).any() else float("nan")
        print(
            f"{method!s:<14}{loss:>10.3f}{curve.brier:>8.3f}{curve.error:>8.3f}   {100 * failed:.0f} did fail"
        )


if __name__ == "__main__":
    main()

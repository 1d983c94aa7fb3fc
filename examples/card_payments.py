"""Card payments: two in a hundred are fraud.

The error says little here: never crying fraud is right in 98 % of the cases. What counts is how much fraud is caught, and how
many alarms are right, so frauds weigh more when they are learned. Features are a dict per payment, as an event would bring them:
numbers, text, and now and then a missing value.
"""

import numpy as np

from streamboost import HoeffdingTree, NaiveBayes, OnlineBaggingClassifier, OnlineBoostingClassifier

RNG = np.random.default_rng(7)
SHOPS = ["grocer", "fuel", "travel", "jewels", "online"]


def payments(n):
    """Yield payments and whether they were fraud."""
    for _ in range(n):
        fraud = RNG.random() < 0.02
        risk = [0.1, 0.1, 0.1, 0.3, 0.4] if fraud else [0.4, 0.2, 0.1, 0.05, 0.25]
        payment = {
            "amount": float(np.log(RNG.lognormal(4.5 if fraud else 3.0, 1.0))),
            "hour": float(RNG.normal(3, 4) % 24 if fraud else RNG.normal(14, 4) % 24),
            "shop": str(RNG.choice(SHOPS, p=risk)),
            "abroad": bool(RNG.random() < (0.5 if fraud else 0.08)),
        }
        if RNG.random() < 0.05:
            del payment["hour"]  # absent is missing
        yield payment, "fraud" if fraud else "fine"


def run(model, weight_of_fraud, stream):
    """Answer each payment, then learn it."""
    caught = alarms = frauds = wrong = 0
    for payment, label in stream:
        proba = model.predict_proba_one(payment)
        alarm = proba.get("fraud", 0.0) > 0.5
        wrong += alarm != (label == "fraud")
        caught += alarm and label == "fraud"
        alarms += alarm
        frauds += label == "fraud"
        model.learn_one(payment, label, sample_weight=weight_of_fraud if label == "fraud" else 1.0)
    return caught / frauds, caught / max(alarms, 1), wrong / len(stream)


def main():
    """Compare ensembles with and without weights."""
    stream = list(payments(6_000))
    print(f"{'model':<42}{'caught':>8}{'precision':>11}{'error':>8}")
    for title, model, weight in [
        (
            "bagged naive Bayes, unweighted",
            OnlineBaggingClassifier(NaiveBayes(), n_estimators=20, random_state=1),
            1.0,
        ),
        (
            "bagged naive Bayes, fraud weighs 20",
            OnlineBaggingClassifier(NaiveBayes(), n_estimators=20, random_state=1),
            20.0,
        ),
        (
            "boosted trees, fraud weighs 20",
            OnlineBoostingClassifier(HoeffdingTree(), n_estimators=20, random_state=1),
            20.0,
        ),
    ]:
        caught, precision, error = run(model, weight, stream)
        print(f"{title:<42}{caught:>8.1%}{precision:>11.1%}{error:>8.1%}")


if __name__ == "__main__":
    main()

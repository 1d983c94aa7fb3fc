"""Labels come late and out of order: keep the features and the answer under an id until the label is there.

First by hand, as a service would do it; then the same question to `prequential`, which knows a fixed delay.
"""

import heapq

import numpy as np

from streamboost import NaiveBayes, OSBoostClassifier
from streamboost.evaluate import prequential

N = 5_000


def clicks(seed=11):
    """Return what is known when an advert is shown, and whether it was clicked; the taste turns half-way."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N, 4))
    turn = np.where(np.arange(N) < N // 2, 1.0, -1.0)
    return X, (X[:, 0] * turn + 0.5 * X[:, 1] + rng.normal(scale=0.3, size=N) > 0).astype(int)


def by_hand(X, y, rng):
    """Answer at once, learn when the label arrives; the wait is random, so labels overtake one another."""
    model = OSBoostClassifier(NaiveBayes(), n_estimators=20, random_state=1)
    waiting, arrivals, right = {}, [], 0
    for now in range(N):
        x = dict(enumerate(X[now].tolist()))
        answer = model.predict_pending_one(x)
        right += answer.prediction == y[now]
        waiting[now] = x, answer  # under the id of the advert
        heapq.heappush(arrivals, (now + int(rng.integers(1, 400)), now))
        while arrivals and arrivals[0][0] <= now:
            _, number = heapq.heappop(arrivals)
            x, answer = waiting.pop(number)
            model.learn_one(x, int(y[number]), pending=answer)
    return 1 - right / N, len(waiting)


def main():
    """Show what the delay costs."""
    X, y = clicks()
    error, out = by_hand(X, y, np.random.default_rng(1))
    print(f"labels 1 to 400 rows late, in any order: error {error:.1%}, {out} labels still out at the end")
    for delay in (0, 200, 1_000):
        model = OSBoostClassifier(NaiveBayes(), n_estimators=20, random_state=1)
        result = prequential(model, (X, y), classes=[0, 1], delay=delay)
        print(f"every label {delay:>5} rows late:            error {result.error:.1%}")


if __name__ == "__main__":
    main()

"""Retraining by the clock beside learning as rows come: accuracy, CPU time and the longest pause of both.

By the clock: LightGBM is fitted to all rows so far, after every 1,000 of them. The rule behind the labels changes three times.
"""

import time

import numpy as np

from streamboost import StreamBoostClassifier
from streamboost.streams import load

ROWS, EVERY = 8_000, 1_000


def retrained(X, y):
    """Return the answers, and the CPU seconds of each fit."""
    from lightgbm import LGBMClassifier

    model, answers, pauses = None, np.zeros(len(y), dtype=int), []
    for begin in range(0, len(y), EVERY):
        now = slice(begin, begin + EVERY)
        if model is not None:
            answers[now] = model.predict(X[now])
        began = time.process_time()
        model = LGBMClassifier(n_jobs=1, verbose=-1, random_state=1).fit(
            X[: begin + EVERY], y[: begin + EVERY]
        )
        pauses.append(time.process_time() - began)
    return answers, pauses


def as_rows_come(X, y):
    """Return the answers, and the CPU seconds of each row."""
    model, answers, pauses = StreamBoostClassifier(random_state=1), np.zeros(len(y), dtype=int), []
    for t in range(len(y)):
        began = time.process_time()
        (said,) = model.test_then_train(X[t : t + 1], y[t : t + 1])
        pauses.append(time.process_time() - began)
        answers[t] = 0 if said is None else said
    return answers, pauses


def main():
    """Print one line for each of them."""
    stream = load("agrawal:drift=abrupt,at=2000", limit=ROWS)
    X, y = np.asarray(stream.X, dtype=float), np.unique(stream.y, return_inverse=True)[1]
    runs = {"StreamBoost, row by row": as_rows_come}
    try:
        import lightgbm  # noqa: F401

        runs["LightGBM, every 1,000 rows"] = retrained
    except ImportError:
        print("LightGBM is not installed")
    for title, run in runs.items():
        answers, pauses = run(X, y)
        print(
            f"{title:<28}accuracy {np.mean(answers == y):.3f}   CPU {sum(pauses):5.2f} s   "
            f"longest pause {1000 * max(pauses):6.1f} ms"
        )


if __name__ == "__main__":
    main()

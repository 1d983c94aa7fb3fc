"""Naive Bayes on wide sparse rows: work that follows the nonzeros beside work on all columns.

Run with ``python -m benchmarks.speed.sparse [--columns N] [--rows N]``. A stream of texts: the words of a row by Zipf's law, and
what they are by its class. Both ways learn the same rows; the speed of the dense way is that of its last rows, the sparse
one's that of all. Ratios of CPU time, and the largest difference of a probability.
"""

import argparse
import time

import numpy as np
import scipy.sparse as sp

import streamboost as sb
from benchmarks.tables import Table


def texts(n_rows, n_columns, seed=1, n_words=100):
    """A CSR matrix of counts and labels."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n_rows)
    share = np.cumsum(1 / np.arange(1, n_columns + 1))
    word = np.searchsorted(share, rng.random((n_rows, n_words)) * share[-1])
    word = (word + 5 * y[:, None] * (rng.random(word.shape) < 0.3)) % n_columns
    start = np.arange(n_rows + 1) * n_words
    X = sp.csr_matrix((np.ones(word.size), word.ravel(), start), shape=(n_rows, n_columns))
    X.sum_duplicates()
    return X, y


def ensembles():
    """(name, learner -> model)"""
    yield "single", lambda learner: sb.SingleLearnerClassifier(learner)
    yield (
        "bagging of 100",
        lambda learner: sb.OnlineBaggingClassifier(
            learner, n_estimators=100, ballot="distribution", random_state=1
        ),
    )


def seconds_a_row(model, X, y, pieces):
    """CPU seconds per row over the pieces together, and the answers."""
    spent, rows, answers = 0.0, 0, []
    for piece in pieces:
        begun = time.process_time()
        answers.append(model.test_then_train(X[piece], y[piece], classes=[0, 1], output="proba"))
        spent += time.process_time() - begun
        rows += len(answers[-1])
    return spent / rows, np.concatenate(answers)


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--columns", type=int, default=40_000)
    parser.add_argument("--rows", type=int, default=8_000)
    parser.add_argument("--dense-rows", type=int, default=40)
    options = parser.parse_args(argv)
    X, y = texts(options.rows, options.columns)
    first, few = slice(0, options.dense_rows // 2), slice(options.dense_rows // 2, options.dense_rows)
    table = Table(
        f"{options.rows:,} rows, {options.columns:,} columns, {X.nnz / options.rows:.0f} of them not zero in a row",
        ["ensemble", "learner", "rows/s, all columns", "rows/s, nonzeros", "times", "largest difference"],
    )
    for name, make in ensembles():
        dense = make(sb.NaiveBayes(sparse="never"))
        begin = dense.test_then_train(X[first], y[first], classes=[0, 1], output="proba")
        slow, rest = seconds_a_row(dense, X, y, [few])
        expected = np.concatenate([begin, rest])
        for learner in (
            sb.NaiveBayes(),
            sb.NaiveBayes(counts="multinomial"),
            sb.NaiveBayes(counts="complement"),
            sb.NaiveBayes(counts="bernoulli"),
        ):
            fast, answers = seconds_a_row(make(learner), X, y, [slice(0, options.rows)])
            known = np.isfinite(expected)
            gap = np.abs(answers[: len(expected)] - expected)[known].max()
            same = f"{gap:.0e}" if learner.counts is None else "another model"
            table.add(name, repr(learner), 1 / slow, 1 / fast, round(slow / fast), same)
    print(table.text())


if __name__ == "__main__":
    main()

"""Naive Bayes on wide sparse rows: work that follows the nonzeros beside work on all columns.

``python -m benchmarks.speed.sparse`` prints the page. A stream of texts: the words of a row by Zipf's law, and
what they are by its class. Both ways learn the same rows; the speed of the dense way is that of its last rows, the sparse
one's that of all. Ratios of CPU time, and the largest difference of a probability.
"""

import time

import numpy as np
import scipy.sparse as sp

import streamboost as sb
from benchmarks.pages import Page, parser
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


def main():
    made = parser("speed.sparse", __doc__)
    made.add_argument("--columns", type=int, default=40_000)
    made.add_argument("--rows", type=int, default=4_000)
    made.add_argument("--dense-rows", type=int, default=40)
    options = made.parse_args()
    if options.quick:
        options.rows, options.columns = min(options.rows, 500), min(options.columns, 5_000)
    X, y = texts(options.rows, options.columns)
    page = Page(
        "bench-sparse",
        "Naive Bayes on wide sparse rows",
        options,
        packages=["streamboost", "numpy", "scipy"],
        preface=[
            f"- {options.rows:,} texts over {options.columns:,} words, {X.nnz / options.rows:.0f} different ones in each; two "
            "classes; test_then_train with probabilities, CPU time",
            f'- All columns: dense work on every column (`sparse="never"`), measured on rows {options.dense_rows // 2} to '
            f"{options.dense_rows}; nonzeros: all rows. Times: how many times faster. Difference: of probabilities, at most, "
            "on the rows that both have seen",
        ],
    )
    first, few = slice(0, options.dense_rows // 2), slice(options.dense_rows // 2, options.dense_rows)
    table = Table(
        "Speed and sameness",
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
            table.add(name, repr(learner), f"{1 / slow:,.0f}", f"{1 / fast:,.0f}", f"{slow / fast:.0f}", same)
    page.add(table)
    page.write()


if __name__ == "__main__":
    main()

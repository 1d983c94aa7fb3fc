"""Wide rows, words and dicts: what a row costs, by what is in it, beside Vowpal Wabbit.

    python -m benchmarks.speed.wide

Sparse rows: 20 cells are not 0, in columns of which low ones are frequent; test, then train, in chunks of 1,000 rows; the
first is not counted. Vowpal Wabbit gets the same rows with its defaults and `-b 18`, parsed before the clock starts: by its
Python interface, and by its command line from its own cache file, less the time of a run over the first row alone. Messages: as
`streamboost run` has them, from the CSV file to the last answer. Dicts: `learn_one` with names of 40,000 columns, once those
of a row are known. CPU time, the best of three runs.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks.pages import Page, parser
from benchmarks.tables import Table
from streamboost import HashedLogisticRegression, SingleLearnerClassifier, StreamBoostClassifier
from streamboost.streams import data_files, open_stream

CHUNK, CELLS, RUNS = 1000, 20, 3
WIDTHS = (1000, 5000, 40_000, 1_000_000)
MODELS: dict[str, tuple[Callable[[], Any], int]] = {
    "StreamBoostClassifier": (lambda: StreamBoostClassifier(random_state=1), 8000),
    "HashedLogisticRegression": (lambda: SingleLearnerClassifier(HashedLogisticRegression()), 60_000),
}
TEXTS = (
    "sms-spam",
    "airline-tweets",
    "disaster-tweets",
    "clickbait",
    "stackoverflow-titles",
    "phishing-urls",
)
DICT_COLUMNS = 40_000


def sparse_rows(n_rows: int, width: int) -> tuple[Any, Any]:
    """Rows and labels that a linear rule tells."""
    rng = np.random.default_rng(1)
    columns = np.minimum((width * rng.random((n_rows, CELLS)) ** 3).astype(int), width - 1)
    rows = np.repeat(np.arange(n_rows), CELLS)
    X = sp.csr_matrix((np.ones(rows.size), (rows, columns.ravel())), shape=(n_rows, width))
    return X, (X @ rng.normal(size=width) + rng.normal(size=n_rows) > 0).astype(int)


def ours(model: Any, X: Any, y: Any) -> tuple[float, float]:
    """Rows a second after the first chunk, and the share of right answers."""
    begun, right = 0.0, 0
    for first in range(0, len(y), CHUNK):
        if first == CHUNK:
            begun = time.process_time()
        rows = slice(first, first + CHUNK)
        right += int((model.test_then_train(X[rows], y[rows], classes=[0, 1]) == y[rows]).sum())
    return (len(y) - CHUNK) / (time.process_time() - begun), right / len(y)


def lines_of(X: Any, y: Any) -> list[str]:
    """The rows in Vowpal Wabbit's format."""
    return [
        f"{2 * label - 1} |a "
        + " ".join(f"{j}:{x:g}" for j, x in zip(X.indices[a:b], X.data[a:b], strict=True))
        for label, a, b in zip(y.tolist(), X.indptr, X.indptr[1:], strict=False)
    ]


def vw_python(X: Any, y: Any) -> tuple[float, float]:
    """The same of Vowpal Wabbit's Python interface: examples are parsed before."""
    from vowpalwabbit import Workspace

    learner = Workspace("--loss_function logistic -b 18 --quiet")
    examples = [learner.parse(line) for line in lines_of(X, y)]
    begun, right = 0.0, 0
    for i, example in enumerate(examples):
        if i == CHUNK:
            begun = time.process_time()
        learner.learn(example)  # which answers first
        right += int((example.get_simplelabel_prediction() > 0) == (y[i] == 1))
    speed = (len(y) - CHUNK) / (time.process_time() - begun)
    for example in examples:
        learner.finish_example(example)
    return speed, right / len(y)


def vw_command(X: Any, y: Any) -> tuple[float, float]:
    """The same of its command line, from a cache file; what it takes to start is left out."""
    lines = lines_of(X, y)
    with tempfile.TemporaryDirectory() as folder:
        spent, said = [], Path(folder) / "said"
        for n in (1, len(y)):
            rows = Path(folder) / f"{n}.vw"
            rows.write_text("\n".join(lines[:n]) + "\n")
            options = f"--loss_function logistic -b 18 --quiet --cache_file {rows}.cache -d {rows}".split()
            _run(options)  # writes the cache, which the others read
            spent.append(min(_run([*options, "-p", str(said)]) for _ in range(RUNS)))
        answers = np.loadtxt(said)
    return len(y) / (spent[1] - spent[0]), float(((answers > 0) == (y == 1)).mean())


def _run(options: list[str]) -> float:
    """CPU seconds of one run of the command line."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-m", "vowpalwabbit", *options], check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def messages(path: Any, n_rows: int) -> tuple[int, float, float]:
    """Messages, messages a second from the file on, and the share of right answers."""
    begun = time.process_time()
    stream = open_stream(path, label="label", limit=n_rows)
    model = StreamBoostClassifier(random_state=1, categorical_features=stream.nominal)
    right = n = 0
    for chunk in stream.chunks():
        truth = np.asarray(chunk.labels)
        right += int((model.test_then_train(chunk.rows, chunk.labels) == truth).sum())
        n += len(truth)
    return n, n / (time.process_time() - begun), right / n


def dicts(n_rows: int) -> tuple[int, float]:
    """Columns that are known at the end, and rows a second of the last quarter, whose names were all there before."""
    X, y = sparse_rows(n_rows, DICT_COLUMNS)
    rows = [{f"w{j}": 1.0 for j in X.indices[a:b]} for a, b in zip(X.indptr, X.indptr[1:], strict=False)]
    model = StreamBoostClassifier(random_state=1)
    known: set[str] = set()
    last = 3 * n_rows // 4
    for row, label in zip(rows[:last], y.tolist(), strict=False):
        known.update(row)
        model.learn_one(row, label)
    rest = [{name: x for name, x in row.items() if name in known} for row in rows[last:]]
    begun = time.process_time()
    for row, label in zip(rest, y[last:].tolist(), strict=True):
        model.learn_one(row, label)
    return len(known), len(rest) / (time.process_time() - begun)


def main() -> None:
    options = parser("speed.wide", __doc__)
    args = options.parse_args()
    runs, share = (1, 4) if args.quick else (RUNS, 1)
    page = Page("wide", "Wide rows, words and dicts", args, packages=["streamboost", "numpy", "vowpalwabbit"])
    if args.quick:
        page.preface.append("- A quick look: one run of each, over a quarter of the rows")
    speeds = Table(
        f"Sparse rows, {CELLS} cells not 0: rows a second by the number of columns",
        ["", *(f"{width:,}" for width in WIDTHS), "right at the most columns"],
    )
    for name, (make, n_rows) in MODELS.items():
        found = [
            max(ours(make(), *sparse_rows(n_rows // share, width)) for _ in range(runs)) for width in WIDTHS
        ]
        speeds.add(name, *(speed for speed, _ in found), found[-1][1])
    for name, measure in (("Vowpal Wabbit, Python", vw_python), ("Vowpal Wabbit, command line", vw_command)):
        rows = 60_000 // share
        found = [max(measure(*sparse_rows(rows, width)) for _ in range(runs)) for width in WIDTHS]
        speeds.add(name, *(speed for speed, _ in found), found[-1][1])
    page.add(speeds)
    texts = Table(
        "Messages from a CSV file, the default with no option but the label",
        ["set", "messages", "a second", "right"],
    )
    files = {found.name: found.path for found in data_files()}
    for name in TEXTS:
        tries = [messages(files[name], 10_000 // share) for _ in range(runs)]
        texts.add(name, *max(tries, key=lambda told: told[1]))
    page.add(texts)
    known, speed = dicts(8000 // share)
    one = Table("Dicts of 20 names, by learn_one", ["columns known", "rows a second"])
    one.add(known, speed)
    page.add(one)
    page.write()


if __name__ == "__main__":
    main()

"""Wide rows, words and dicts: what a row costs, by what is in it, beside Vowpal Wabbit.

    python -m benchmarks.speed.wide

Sparse rows: 20 cells are not 0, in columns of which low ones are frequent; test, then train, in chunks of 1,000 rows; the
first is not counted. Rows are ready before the clock starts, in the form that each takes: ours as a CSR matrix for every
chunk, Vowpal Wabbit's as parsed examples for its Python interface, with its defaults and `-b 18`, and as its own cache file
for its command line, less the time of a run over the first row alone. Messages: as `streamboost run` has them, from the CSV
file to the last answer. Dicts: `learn_one` of documents, a name for each word. CPU time, the best of three runs.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks.pages import Page, parser
from benchmarks.tables import Table
from streamboost import HashedLogisticRegression, SingleLearnerClassifier, StreamBoostClassifier
from streamboost.streams import data_files, open_stream

CHUNK, CELLS, RUNS = 1000, 20, 3
JUDGED = 8000
"""The share of right answers is that of so many rows at most, the first."""
WIDTHS = (1000, 5000, 40_000, 1_000_000)
MODELS: dict[str, tuple[Callable[[], Any], int]] = {
    "StreamBoostClassifier": (lambda: StreamBoostClassifier(random_state=1), JUDGED),
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
DICT_COLUMNS, DOCUMENTS = 40_000, 1200


def sparse_rows(n_rows: int, width: int) -> tuple[Any, Any]:
    """Rows and labels that a linear rule tells; fewer rows are the first of more."""
    columns = np.minimum(
        (width * np.random.default_rng(1).random((n_rows, CELLS)) ** 3).astype(int), width - 1
    )
    rows = np.repeat(np.arange(n_rows), CELLS)
    X = sp.csr_matrix((np.ones(rows.size), (rows, columns.ravel())), shape=(n_rows, width))
    rule, noise = np.random.default_rng(2).normal(size=width), np.random.default_rng(3).normal(size=n_rows)
    return X, (X @ rule + noise > 0).astype(int)


def ours(make: Callable[[], Any], X: Any, y: Any) -> tuple[float, float]:
    """Rows a second after the first chunk, and the share of right answers among the first rows."""
    model, begun, answers = make(), 0.0, []
    chunks = [(X[first : first + CHUNK], y[first : first + CHUNK]) for first in range(0, len(y), CHUNK)]
    for n, (rows, labels) in enumerate(chunks):
        if n == 1:
            begun = time.process_time()
        answers.append(model.test_then_train(rows, labels, classes=[0, 1]))
    speed = (len(y) - CHUNK) / (time.process_time() - begun)
    return speed, share_right(np.concatenate(answers), y)


def share_right(answers: Any, y: Any) -> float:
    return float((answers[:JUDGED] == y[:JUDGED]).mean())


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
    begun, answers = 0.0, np.empty(len(y), dtype=int)
    for i, example in enumerate(examples):
        if i == CHUNK:
            begun = time.process_time()
        learner.learn(example)  # which answers first
        answers[i] = example.get_simplelabel_prediction() > 0
    speed = (len(y) - CHUNK) / (time.process_time() - begun)
    for example in examples:
        learner.finish_example(example)
    return speed, share_right(answers, y)


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
    return len(y) / (spent[1] - spent[0]), share_right(answers > 0, y)


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


def dicts(make: Callable[[], Any]) -> list[float]:
    """Rows a second by `learn_one`: words that repeat, mostly new ones, and those of DICT_COLUMNS that are all known."""
    rng = np.random.default_rng(1)
    repeated = [[f"w{j}" for j in (3000 * rng.random(CELLS) ** 2).astype(int)] for _ in range(DOCUMENTS)]
    new = [[*words[:3], *(f"n{CELLS * i + k}" for k in range(3, CELLS))] for i, words in enumerate(repeated)]
    first = [[f"w{j}" for j in range(at, at + CELLS)] for at in range(0, DICT_COLUMNS, CELLS)]
    known = [[f"w{j}" for j in rng.integers(0, DICT_COLUMNS, CELLS)] for _ in range(DOCUMENTS)]
    labels = rng.integers(0, 2, len(first)).tolist()
    found = []
    for before, documents in (([], repeated), ([], new), (first, known)):
        model = make()
        for words, label in zip(before, labels, strict=False):
            model.learn_one(dict.fromkeys(words, 1.0), label)
        rows = [dict.fromkeys(words, 1.0) for words in documents]
        begun = time.process_time()
        for row, label in zip(rows, labels, strict=False):
            model.learn_one(row, label)
        found.append(len(rows) / (time.process_time() - begun))
    return found


def main() -> None:
    options = parser("speed.wide", __doc__)
    args = options.parse_args()
    runs, share = (1, 4) if args.quick else (RUNS, 1)
    page = Page("wide", "Wide rows, words and dicts", args, packages=["streamboost", "numpy", "vowpalwabbit"])
    if args.quick:
        page.preface.append("- A quick look: one run of each, over a quarter of the rows")
    speeds = Table(
        f"Sparse rows, {CELLS} cells not 0: rows a second by the number of columns",
        ["", *(f"{width:,}" for width in WIDTHS), f"right at the most columns, first {JUDGED:,} rows or all"],
    )
    contests: dict[str, tuple[Callable[[Any, Any], tuple[float, float]], int]] = {
        name: (partial(ours, make), n_rows) for name, (make, n_rows) in MODELS.items()
    }
    contests["Vowpal Wabbit, Python"] = vw_python, 60_000
    contests["Vowpal Wabbit, command line"] = vw_command, 60_000
    best = {(name, width): (0.0, 0.0) for name in contests for width in WIDTHS}
    for _ in range(runs):  # in turn: what else the machine does meets all of them
        for name, width in best:
            measure, n_rows = contests[name]
            best[name, width] = max(best[name, width], measure(*sparse_rows(n_rows // share, width)))
    for name in contests:
        speeds.add(name, *(best[name, width][0] for width in WIDTHS), best[name, WIDTHS[-1]][1])
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
    one = Table(
        f"Dicts of {CELLS} words, {DOCUMENTS:,} of them by learn_one: rows a second",
        ["", "words repeat", "17 of 20 are new", f"{DICT_COLUMNS:,} words, all known"],
    )
    for name, (make, _) in MODELS.items():
        one.add(name, *np.max([dicts(make) for _ in range(runs)], axis=0).tolist())
    page.add(one)
    page.write()


if __name__ == "__main__":
    main()

"""Words and identifiers: the untouched default beside Vowpal Wabbit on messages, titles, addresses, logs and clicks.

    python -m benchmarks.accuracy.words

Test, then train, the first 10,000 rows in the order of the file, as `streamboost run FILE --label label` does it, the mean of
three seeds. Vowpal Wabbit gets the same rows, once with its defaults and once with pairs (of neighbouring words in texts, of all
columns else); the better log loss of the two counts. A second table has one file in Vowpal Wabbit's own format for both. Of two
sets there are only sparse rows, with a column for each word. It needs the package vowpalwabbit; the sets are those of the folder
STREAMBOOST_DATA.
"""

from __future__ import annotations

import math
import re
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.metrics import roc_auc_score

import streamboost as sb
from benchmarks.pages import Page, parser
from benchmarks.tables import Table
from streamboost.streams import data_files, open_stream

TEXTS = (
    "sms-spam", "airline-tweets", "disaster-tweets", "clickbait", "stackoverflow-titles", "phishing-urls", "http-params",
    "hackernews-titles", "log-bgl-2k",
)  # fmt: skip
IDENTIFIERS = ("amazon-access", "movielens-small", "avazu-clicks")
SPARSE = ("spam-corpus", "farm-ads")
"""Words as columns, most of them 0."""
NOT_IN_VW = re.compile(r"[|:\s]+")
SEEDS = (1, 2, 3)
LIBRARIES = ("hashing + SGD", "River", "LightGBM")
IN_VW = ("sms-spam", "clickbait", "disaster-tweets", "phishing-urls")
"""Sets of two classes that both read from one file in Vowpal Wabbit's format."""


def judged(proba: Any, codes: Any) -> tuple[float, float, float]:
    """Log loss, error, and with two classes the area under the curve."""
    loss = float(-np.log(np.clip(proba[np.arange(len(codes)), codes], 1e-6, 1)).mean())
    area = float(roc_auc_score(codes, proba[:, 1])) if proba.shape[1] == 2 else math.nan
    return loss, float((proba.argmax(axis=1) != codes).mean()), area


def reaches(ours: tuple[float, ...], theirs: tuple[float, ...]) -> bool:
    """Whether log loss, error and area are where they should be beside those of Vowpal Wabbit."""
    (loss, error, area), (vw_loss, vw_error, vw_area) = ours, theirs
    below = math.isnan(area) or area >= vw_area - 0.003
    return loss <= 1.02 * vw_loss and error <= vw_error + 0.002 and below


def ours(
    path: Any, rows: int, labels: list[Any], seed: int, label: str | None = "label"
) -> tuple[Any, float]:
    """The default's probabilities before each row was learned, and rows a second of CPU time, reading included."""
    begun = time.process_time()
    stream = open_stream(path, label=label, limit=rows)
    model = sb.StreamBoostClassifier(random_state=seed, categorical_features=stream.nominal)
    found = [
        model.test_then_train(chunk.rows, chunk.labels, classes=labels, output="proba")
        for chunk in stream.chunks()
    ]
    proba = np.concatenate(found)
    return proba, len(proba) / (time.process_time() - begun)


def vw_lines(table: Any, texts: set[str]) -> list[str]:
    """Rows in Vowpal Wabbit's format, without labels: a namespace for each column."""

    def cell(name: str, value: str) -> str:
        return " ".join(re.findall(r"\w+", value.lower())) if name in texts else NOT_IN_VW.sub("_", value)

    return [
        " ".join(
            f"|{chr(97 + j)} {cell(name, value)}"
            for j, (name, value) in enumerate(zip(table, row, strict=True))
        )
        for row in table.to_numpy()
    ]


def sparse_lines(X: Any) -> list[str]:
    """Sparse rows in Vowpal Wabbit's format, without labels."""
    return [
        "|a "
        + " ".join(f"{j}" if x == 1 else f"{j}:{x:g}" for j, x in zip(row.indices, row.data, strict=True))
        for row in X
    ]


def vowpal_wabbit(lines: list[str], codes: Any, n_classes: int, options: str) -> tuple[Any, float]:
    """The same of Vowpal Wabbit."""
    from vowpalwabbit import Workspace

    kind = f"--oaa {n_classes} --probabilities" if n_classes > 2 else "--link logistic"
    learner = Workspace(f"{kind} --loss_function logistic -b 22 --quiet {options}")
    proba = np.empty((len(codes), n_classes))
    begun = time.process_time()
    for i, line in enumerate(lines):
        said = learner.predict(line)
        proba[i] = said if n_classes > 2 else (1 - said, said)
        learner.learn(f"{codes[i] + 1 if n_classes > 2 else 2 * codes[i] - 1} {line}")
    return np.nan_to_num(proba), len(codes) / (time.process_time() - begun)


def one_file(lines: list[str], codes: Any) -> tuple[Any, Any]:
    """Probabilities of both from one file of two classes, -1 and 1, in Vowpal Wabbit's format."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.vw"
        path.write_text(
            "".join(f"{2 * code - 1} {line}\n" for code, line in zip(codes, lines, strict=True)),
            encoding="utf-8",
        )
        mine, _ = ours(path, len(codes), [-1, 1], 1, label=None)
        written = path.read_text(encoding="utf-8").splitlines()
    return mine, vowpal_wabbit([line.split(" ", 1)[1] for line in written], codes, 2, "")[0]


def word_lists(table: Any, texts: set[str]) -> list[list[str]]:
    """The words of the texts of each row, and its other values with their columns."""
    return [
        [token for name, value in zip(table, row, strict=True) for token in (
            re.findall(r"\w+", value.lower()) if name in texts else [f"{name}={value}"])]
        for row in table.to_numpy()
    ]  # fmt: skip


def lightgbm(table: Any, texts: set[str], codes: Any, n_classes: int) -> Any:
    """Probabilities of LightGBM, fitted anew whenever the rows have doubled.

    Identifiers alone are its categories; with texts it has counts of the words and values that came twice before; sparse rows
    as they are.
    """
    from lightgbm import LGBMClassifier
    from sklearn.feature_extraction.text import CountVectorizer

    if texts:
        rows = word_lists(table, texts)
    elif sp.issparse(table):
        values = table
    else:
        values = table.apply(lambda column: pd.factorize(column)[0]).astype("category")
    found, first = np.full((len(codes), n_classes), 1 / n_classes), 250
    while first < len(codes):
        at = slice(first, 2 * first)
        if texts:
            counter = CountVectorizer(analyzer=lambda tokens: tokens, min_df=2, dtype=np.float64)
            before, now = counter.fit_transform(rows[:first]), counter.transform(rows[at])
        else:
            before, now = values[:first], values[at]
        model = LGBMClassifier(verbose=-1, n_jobs=1, random_state=1).fit(before, codes[:first])
        found[at] = 0
        found[at, model.classes_] = model.predict_proba(now)
        first *= 2
    return found


def peers(table: Any, texts: set[str], codes: Any, n_classes: int) -> dict[str, Any]:
    """Probabilities of others: scikit-learn's hashing with SGD in chunks of 100 rows, River's bag of words, LightGBM."""
    from river.linear_model import LogisticRegression
    from river.multiclass import OneVsRestClassifier
    from sklearn.feature_extraction.text import HashingVectorizer
    from sklearn.linear_model import SGDClassifier

    if sp.issparse(table):
        hashed = table
        counts = [dict(zip(row.indices.tolist(), row.data.tolist(), strict=True)) for row in table]
    else:
        rows = word_lists(table, texts)
        counts = [dict(Counter(tokens)) for tokens in rows]
        hashed = HashingVectorizer(
            n_features=2**18, analyzer=lambda tokens: tokens, alternate_sign=False
        ).transform(rows)
    sgd, found = (
        SGDClassifier(loss="log_loss", random_state=1),
        np.full((len(codes), n_classes), 1 / n_classes),
    )
    for first in range(0, len(codes), 100):
        at = slice(first, first + 100)
        if first:
            found[at] = sgd.predict_proba(hashed[at])
        sgd.partial_fit(hashed[at], codes[at], classes=np.arange(n_classes))
    linear = LogisticRegression() if n_classes == 2 else OneVsRestClassifier(LogisticRegression())
    river = np.full((len(codes), n_classes), 1 / n_classes)
    for i, x in enumerate(counts):
        for label, p in linear.predict_proba_one(x).items():
            river[i, int(label)] = p
        linear.learn_one(x, codes[i] == 1 if n_classes == 2 else int(codes[i]))
    return {
        "hashing + SGD": found,
        "River": river / river.sum(axis=1, keepdims=True),
        "LightGBM": lightgbm(table, texts, codes, n_classes),
    }


def main() -> None:
    options = parser("accuracy.words", __doc__)
    options.add_argument(
        "--peers", action="store_true", help="set River, scikit-learn and LightGBM beside it, too"
    )
    options.add_argument("--only", default="", help="sets, as a,b,c; nothing is written without --out")
    args = options.parse_args()
    rows, seeds = (2000, SEEDS[:1]) if args.quick else (10_000, SEEDS)
    args.quick |= bool(args.only)
    page = Page("words", "Words and identifiers", args, packages=["streamboost", "numpy", "vowpalwabbit"])
    table = Table(
        f"The default and the better of Vowpal Wabbit's two settings, first {rows:,} rows",
        [
            "set",
            "log loss",
            "VW",
            "ratio",
            "error",
            "VW error",
            "area",
            "VW area",
            "goal",
            "rows/s",
            "VW rows/s",
        ],
    )
    both = Table(
        "One file in Vowpal Wabbit's format, both with their defaults",
        ["set", "log loss", "VW", "ratio", "error", "VW error"],
    )
    others = Table(
        "Other libraries on the same rows: log loss and error",
        ["set", *(name for library in LIBRARIES for name in (library, f"{library} error"))],
    )
    files = {found.name: found.path for found in data_files()}
    ratios: dict[str, list[float]] = {"text": [], "identifiers": [], "sparse rows": []}
    for name in args.only.split(",") if args.only else (*TEXTS, *IDENTIFIERS, *SPARSE):
        label = None if name in SPARSE else "label"
        stream = open_stream(files[name], label=label, limit=rows)
        texts: set[str] = set()
        if name in SPARSE:
            chunks = list(stream.chunks())
            frame = sp.vstack([chunk.rows for chunk in chunks]).tocsr()
            known, codes = np.unique([y for chunk in chunks for y in chunk.labels], return_inverse=True)
            known, lines = known.tolist(), sparse_lines(frame)
        else:
            frame = pd.read_csv(files[name], keep_default_na=False, dtype=str, nrows=rows)
            labels, codes = np.unique(frame.pop("label"), return_inverse=True)
            known = [label if stream.labels_are_text else int(label) for label in labels.tolist()]
            texts = {column for column, kind in stream.kinds.items() if kind == "text"}
            lines = vw_lines(frame, texts)
        runs = [ours(files[name], rows, known, seed, label) for seed in seeds]
        pairs = "--ngram 2" if texts or name in SPARSE else "--interactions ::"
        order = np.argsort(np.argsort(known))  # columns of probabilities are in the order of the labels
        mine = np.mean([judged(proba[:, order], codes) for proba, _ in runs], axis=0).tolist()
        speed = max(speed for _, speed in runs)
        theirs = [(*judged(p, codes), s) for p, s in (
            vowpal_wabbit(lines, codes, len(known), o) for o in ("", pairs))]  # fmt: skip
        if name in IN_VW:
            (loss, error, _), (vw_loss, vw_error, _) = (judged(p, codes) for p in one_file(lines, codes))
            both.add(name, loss, vw_loss, f"{loss / vw_loss:.3f}", error, vw_error)
        loss, _, area, their_speed = min(theirs)
        if args.peers:
            found = peers(frame, texts, codes, len(known))
            others.add(name, *(x for peer in LIBRARIES for x in judged(found[peer], codes)[:2]))
        kind = "text" if name in TEXTS else "identifiers" if name in IDENTIFIERS else "sparse rows"
        ratios[kind].append(mine[0] / loss)
        vw_error = min(t[1] for t in theirs)
        goal = "reached" if reaches(mine, (loss, vw_error, area)) else "missed"
        table.add(
            name, mine[0], loss, f"{mine[0] / loss:.3f}", mine[1], vw_error, mine[2], area, goal, speed, their_speed
        )  # fmt: skip
    page.preface.append(
        "- Goal: log loss at most 1.02 times Vowpal Wabbit's, error at most its (the better setting's) + .002, area at most .003 "
        "below."
    )
    page.preface += [
        f"- Geometric mean of the ratios of log loss, {kind}: {math.exp(np.mean(np.log(found))):.3f}."
        for kind, found in ratios.items()
        if found
    ]
    page.add(table)
    page.add(both)
    if args.peers:
        page.add(others)
    page.write()


if __name__ == "__main__":
    main()

"""What a learner should put into the vote: its label or its class distribution. Over all data sets and generators, several seeds.

Test, then train, as in ``benchmarks.accuracy.trees``, whose sets these are.

    python -m benchmarks.accuracy.ballots --runs RUNS.csv --out docs/results/ballots.md

Every run is added to --runs at once; runs that it holds already are not made again.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import streamboost
from benchmarks import machine
from benchmarks.accuracy.trees import CELLS, earlier, keep, mean, names, rows_of
from benchmarks.tables import Table, write_markdown

ENSEMBLES = {
    "bagging": streamboost.OnlineBaggingClassifier,
    "oza-boost": streamboost.OnlineBoostingClassifier,
}
LEARNERS: dict[str, Any] = {
    "naive-bayes": streamboost.NaiveBayes,
    "logistic": streamboost.LogisticRegression,
    "stump": lambda: streamboost.DecisionStump(numeric="bins"),
    "hoeffding-tree": streamboost.HoeffdingTree,
}
BALLOTS = ("label", "distribution")


def area(score: Any, positive: Any) -> float:
    """Area under the curve of true against false positives; ties count one half."""
    _, place, count = np.unique(score, return_inverse=True, return_counts=True)
    rank = (np.cumsum(count) - (count - 1) / 2)[place]
    n, all_rows = int(positive.sum()), len(positive)
    if n in (0, all_rows):
        return float("nan")
    return float((rank[positive].sum() - n * (n + 1) / 2) / (n * (all_rows - n)))


def runs(args: argparse.Namespace, done: set[tuple[str, str, str, str, int]]) -> Iterator[dict[str, Any]]:
    for name in args.sets:
        for seed in range(args.seeds):
            data = None
            for ensemble in args.ensembles:
                for learner in args.learners:
                    for ballot in BALLOTS:
                        if (name, ensemble, learner, ballot, seed) in done:
                            continue
                        data = data or rows_of(name, args.rows, seed)
                        yield {
                            "set": name,
                            "ensemble": ensemble,
                            "learner": learner,
                            "ballot": ballot,
                            "seed": seed,
                            "rows": len(data.y),
                            **one(data, ensemble, learner, ballot, seed, args.n),
                        }


def one(data: Any, ensemble: str, learner: str, ballot: str, seed: int, n: int) -> dict[str, float]:
    X = data.X.toarray() if hasattr(data.X, "toarray") else data.X
    nominal = [] if data.nominal is None else np.flatnonzero(data.nominal).tolist()
    model = ENSEMBLES[ensemble](
        LEARNERS[learner](),
        n_estimators=n,
        ballot=ballot,
        random_state=seed,
        categorical_features=nominal or None,
    )
    classes, y = np.unique(data.y, return_inverse=True)
    proba = model.test_then_train(X, data.y, classes=classes, output="proba")
    proba = np.nan_to_num(proba, nan=1 / len(classes))
    rare = int(np.argmin(np.bincount(y)))
    return {
        "accuracy": float((proba.argmax(axis=1) == y).mean()),
        "log_loss": float(-np.log(np.clip(proba[np.arange(len(y)), y], 1e-3, 1)).mean()),
        "auc": area(proba[:, rare], y == rare),
    }


def summary(rows: list[dict[str, Any]], args: argparse.Namespace) -> list[Table]:
    overview = Table(
        "Means over the sets",
        [
            *("ensemble", "learner", "sets", "accuracy: label", "distribution", "better on", "worse on"),
            *("log loss: label", "distribution ", "AUC: label", " distribution"),
        ],
        note="Every set counts once; better and worse: by more than 0.001. Log loss with probabilities of at least 0.001; AUC of"
        " the rarest class against the others.",
    )
    details = []
    for ensemble in args.ensembles:
        table = Table(
            f"Accuracy, {ensemble}: distribution less label",
            ["set", "rows", *args.learners],
        )
        gaps: dict[str, dict[str, float]] = {}
        for learner in args.learners:
            mine = [r for r in rows if (r["ensemble"], r["learner"]) == (ensemble, learner)]
            cell = {
                (name, ballot): [r for r in mine if (r["set"], r["ballot"]) == (name, ballot)]
                for name in args.sets
                for ballot in BALLOTS
            }
            sets = [name for name in args.sets if all(cell[name, ballot] for ballot in BALLOTS)]
            if not sets:
                continue
            of = {
                what: np.array([[mean(cell[name, ballot], what) for ballot in BALLOTS] for name in sets])
                for what in ("accuracy", "log_loss", "auc")
            }
            gap = of["accuracy"][:, 1] - of["accuracy"][:, 0]
            gaps[learner] = dict(zip(sets, gap.tolist(), strict=True))
            overview.add(
                ensemble,
                learner,
                len(sets),
                *(f"{value:.4f}" for value in of["accuracy"].mean(axis=0)),
                int((gap > 0.001).sum()),
                int((gap < -0.001).sum()),
                *(f"{value:.4f}" for value in of["log_loss"].mean(axis=0)),
                *(f"{value:.4f}" for value in np.nanmean(of["auc"], axis=0)),
            )
        for name in args.sets:
            if all(name in gaps.get(learner, {}) for learner in args.learners):
                n_rows = next(r["rows"] for r in rows if r["set"] == name)
                table.add(name, n_rows, *(f"{gaps[learner][name]:+.4f}" for learner in args.learners))
        details.append(table)
    return [overview, *details]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sets", nargs="+", default=names(), metavar="SET")
    parser.add_argument("--ensembles", nargs="+", default=list(ENSEMBLES), choices=list(ENSEMBLES))
    parser.add_argument("--learners", nargs="+", default=list(LEARNERS), choices=list(LEARNERS))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--rows", type=int, default=3_000)
    parser.add_argument("-n", type=int, default=25, help="learners")
    parser.add_argument("--runs", type=Path, help="every run as CSV; runs found there are not made again")
    parser.add_argument("--out", type=Path, help="where to write the tables as a page of the documentation")
    parser.add_argument("--date", help="date printed on the page (default: today)")
    args = parser.parse_args()
    rows = earlier(args.runs)
    done = {(r["set"], r["ensemble"], r["learner"], r["ballot"], r["seed"]) for r in rows}
    for row in runs(args, done):
        rows.append(row)
        keep(args.runs, row)
        print(*row.values(), file=sys.stderr, flush=True)
    tables = summary([row for row in rows if row["set"] in args.sets], args)
    print("\n\n".join(table.text() for table in tables))
    if args.out is not None:
        preface = [
            *machine.describe(["streamboost", "numpy"], args.date),
            f"- Printed by `python -m benchmarks.accuracy.ballots --rows {args.rows} -n {args.n} --seeds {args.seeds}"
            " --runs RUNS.csv --out docs/results/ballots.md`",
            f"- {args.n} learners, seeds: {args.seeds}, every row answered before it is learned; at most {args.rows:,} rows and"
            f" {CELLS:,} cells of a set; one thread",
        ]
        write_markdown(args.out, "Labels or distributions in the vote", preface, tables)


if __name__ == "__main__":
    main()

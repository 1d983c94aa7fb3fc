"""Adaboost.OLM and OnlineMBBM with Hoeffding trees on the seven sets of Jung, Goetz and Tewari (2017), beside their Table 1.

Test, then train, on shuffled rows; the last fifth counts, while learning goes on. One setting for all sets.

    python -m benchmarks.accuracy.multiclass --table PAPER.csv --runs RUNS.csv --out docs/results/multiclass.md

The sets are looked for in the folder STREAMBOOST_DATA. Every run is added to --runs at once; runs that it holds already are
not made again.
"""

from __future__ import annotations

import argparse
import csv
import math
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import streamboost
from benchmarks import machine
from benchmarks.accuracy.sets import LARGE, NAMES, DataSet, load, shuffled
from benchmarks.tables import Table, write_markdown

PAPER = {
    "olm": "Adaboost.OLM",
    "mbbm": "best_OnlineMBBM",
    "oza": "OnlineBoosting",
    "tree": "best_decision_tree",
}
FIVE_EDGES = (0.3, 0.1, 0.05, 0.01, 0.001)


def tree(**options: Any) -> Any:
    return streamboost.HoeffdingTree(
        growth="vfdt", **options
    )  # its numbers are drawn per tree by these boosters


def models(n: int, data: DataSet, seed: int) -> dict[str, Any]:
    """Name -> untrained model. The ones without a suffix are those that are judged."""
    shared = {"n_estimators": n, "random_state": seed, "categorical_features": data.nominal}
    majority = {"leaf_prediction": "majority"}
    olm, mbbm = streamboost.AdaBoostOLMClassifier, streamboost.OnlineMBBMClassifier
    made = {
        "olm": olm(tree(), **shared),
        "mbbm": mbbm(tree(), **shared),
        "mbbm one edge": mbbm(tree(), edge=0.1, **shared),
        "mbbm exact": mbbm(tree(), edge=0.1, potential="exact", **shared),
        "olm paper": olm(tree(**majority), preset="paper", **shared),
        "mbbm paper": mbbm(tree(**majority), preset="paper", **shared),
        "olm code": olm(tree(**majority), preset="paper_code", **shared),
    }
    for edge in FIVE_EDGES:
        made[f"mbbm paper {edge:g}"] = mbbm(tree(**majority), preset="paper", edge=edge, **shared)
        made[f"mbbm code {edge:g}"] = mbbm(
            tree(**majority), preset="paper_code", potential="exact", edge=edge, **shared
        )
    return made


def final_accuracy(answers: np.ndarray[Any, Any], y: np.ndarray[Any, Any]) -> float:
    last = len(y) // 5
    return float((answers[-last:] == y[-last:]).mean())


def published(path: Path | None) -> dict[tuple[str, str], float]:
    if path is None:
        return {}
    with open(path, newline="") as file:
        return {
            (row["dataset"], row["algorithm"]): float(row["value"])
            for row in csv.DictReader(file)
            if row["metric"] == "accuracy"
        }


def earlier(path: Path | None) -> list[dict[str, Any]]:
    """The runs of a file, if there is one."""
    if path is None or not path.exists():
        return []
    with path.open(newline="") as file:
        return [
            {
                **row,
                "seed": int(row["seed"]),
                "accuracy": float(row["accuracy"]),
                "seconds": float(row["seconds"]),
            }
            for row in csv.DictReader(file)
        ]


def keep(path: Path | None, row: dict[str, Any]) -> None:
    if path is None:
        return
    with path.open("a", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(row))
        if file.tell() == 0:
            writer.writeheader()
        writer.writerow(row)


def runs(args: argparse.Namespace, done: set[tuple[str, str, int]]) -> Iterator[dict[str, Any]]:
    for name in args.sets:
        shuffles = args.shuffles or (5 if name in LARGE else 20)
        wanted = [(seed, which) for seed in range(shuffles) for which in args.models]
        wanted = [(seed, which) for seed, which in wanted if (name, which, seed) not in done]
        data = load(name, None if args.all_features else 50) if wanted else None
        for seed, which in wanted:
            assert data is not None
            X, y = shuffled(data, seed)
            model = models(args.n, data, seed)[which]
            start = time.process_time()
            answers = model.test_then_train(X, y, classes=data.classes)
            seconds = time.process_time() - start
            accuracy = final_accuracy(answers, y)
            yield {"set": name, "model": which, "seed": seed, "accuracy": accuracy, "seconds": seconds}


def summary(rows: list[dict[str, Any]], paper: dict[tuple[str, str], float]) -> tuple[Table, Table]:
    table = Table(
        "Accuracy on the last fifth",
        ["set", "model", "shuffles", "accuracy", "s.e.", "paper", "verdict", "CPU s a run"],
        note="Reached: the mean is not below the paper's figure by more than two standard errors. The paper's figure for"
        " OnlineMBBM is the best of five edges in hindsight; `mbbm` mixes its edges online.",
    )
    reached: dict[str, list[bool]] = {}
    order = {name: place for place, name in enumerate(NAMES)}
    pairs = sorted({(row["set"], row["model"]) for row in rows}, key=lambda pair: (order[pair[0]], pair[1]))
    for name, which in pairs:
        mine = [row for row in rows if (row["set"], row["model"]) == (name, which)]
        values = np.array([row["accuracy"] for row in mine])
        error = float(values.std(ddof=1)) / math.sqrt(len(values)) if len(values) > 1 else math.nan
        theirs = paper.get((name, PAPER.get(which.split()[0], "")), math.nan)
        verdict = ""
        if not math.isnan(theirs):
            good = bool(values.mean() + 2 * (0 if math.isnan(error) else error) >= theirs)
            reached.setdefault(which, []).append(good)
            verdict = "reached" if good else "below"
        seconds = float(np.mean([row["seconds"] for row in mine]))
        accuracy = float(values.mean())
        table.add(
            name, which, len(values), f"{accuracy:.4f}", error, f"{theirs:.3f}", verdict, f"{seconds:.2f}"
        )
    counts = Table("Sets on which the paper's column is reached", ["model", "reached", "of"])
    for which, verdicts in sorted(reached.items()):
        counts.add(which, sum(verdicts), len(verdicts))
    return counts, table


def potential_share(args: argparse.Namespace) -> list[str]:
    """CPU time of one MBBM run and of its potentials alone, on votes as good as the learners' were."""
    lines = []
    for name in args.sets:
        data = load(name, None if args.all_features else 50)
        X, y = shuffled(data, 0)
        codes = np.searchsorted(data.classes, y).astype(np.int32)
        for kind in ("pairwise", "exact"):
            model = streamboost.OnlineMBBMClassifier(
                tree(),
                n_estimators=args.n,
                edge=0.1,
                potential=kind,
                random_state=0,
                categorical_features=data.nominal,
            )
            start = time.process_time()
            answers = model.test_then_train(X, y, classes=data.classes)
            whole = time.process_time() - start
            right = 1 - model.report().lanes["error_rate"]
            rng = np.random.default_rng(0)
            k = len(data.classes)
            votes = rng.integers(0, k, (len(y), args.n), dtype=np.int32)
            # errors of learners that see the same rows come together: one uniform per row, a little noise per learner
            level = np.clip(rng.random((len(y), 1)) + rng.normal(0, 0.1, votes.shape), 0, 1)
            votes = np.where(level < right, codes[:, None], votes).astype(np.int32)
            potential = streamboost._core.Potential(kind, k, args.n, 0.1)
            start = time.process_time()
            potential.weights_along(votes, codes)
            alone = time.process_time() - start
            lines.append(
                f"{name:<10} n={args.n} {kind:<9} {len(y)} rows: {whole:.2f} s, potentials {alone:.2f} s "
                f"({alone / whole:.1%}), final accuracy {final_accuracy(answers, y):.4f}"
            )
            print(lines[-1], flush=True)
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sets", nargs="+", default=list(NAMES), choices=NAMES, metavar="SET")
    parser.add_argument(
        "--models", nargs="+", default=["olm", "mbbm", "olm paper", "mbbm paper"], metavar="MODEL"
    )
    parser.add_argument("--shuffles", type=int, default=0, help="default: 20, and 5 on the two large sets")
    parser.add_argument("-n", type=int, default=100, help="learners (for each edge)")
    parser.add_argument("--all-features", action="store_true", help="ISOLET with its 617 features")
    parser.add_argument("--table", type=Path, help="the paper's numbers in long form")
    parser.add_argument("--runs", type=Path, help="every run as CSV; runs found there are not made again")
    parser.add_argument("--out", type=Path, help="where to write the tables as a page of the documentation")
    parser.add_argument("--date", help="date printed on the page (default: today)")
    parser.add_argument(
        "--potentials", action="store_true", help="measure the share of the potentials instead"
    )
    args = parser.parse_args()
    if args.potentials:
        potential_share(args)
        return
    rows = earlier(args.runs)
    for row in runs(args, {(r["set"], r["model"], r["seed"]) for r in rows}):
        rows.append(row)
        keep(args.runs, row)
        print(
            f"{row['set']:<10} {row['model']:<18} shuffle {row['seed']:>2}: {row['accuracy']:.4f} in {row['seconds']:.2f} s",
            file=sys.stderr,
            flush=True,
        )
    wanted = [row for row in rows if row["set"] in args.sets and row["model"] in args.models]
    tables = summary(wanted, published(args.table))
    print("\n\n".join(table.text() for table in tables))
    if args.out is not None:
        preface = [
            *machine.describe(["streamboost", "numpy"], args.date),
            "- Printed by `python -m benchmarks.accuracy.multiclass --table PAPER.csv --out docs/results/multiclass.md`",
            f"- {args.n} Hoeffding trees (`mbbm`: for each of its edges), shuffled rows, every row answered before it is"
            " learned; one thread",
            "- `olm`, `mbbm`: default options; `paper`: the published algorithms to the letter over trees with majority"
            " leaves, MBBM with edge 0.1",
        ]
        write_markdown(args.out, "Multiclass boosting beside the paper", preface, list(tables))


if __name__ == "__main__":
    main()

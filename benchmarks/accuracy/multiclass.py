"""Adaboost.OLM and OnlineMBBM with Hoeffding trees on the seven sets of Jung, Goetz and Tewari (2017), beside their Table 1.

Test, then train, on shuffled rows; the last fifth counts, while learning goes on. One setting for all sets.

    STREAMBOOST_DATA=... python -m benchmarks.accuracy.multiclass --table PAPER.csv --out results.csv
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
from benchmarks.accuracy.sets import LARGE, NAMES, DataSet, load, shuffled

PAPER = {
    "olm": "Adaboost.OLM",
    "mbbm": "best_OnlineMBBM",
    "oza": "OnlineBoosting",
    "tree": "best_decision_tree",
}
FIVE_EDGES = (0.3, 0.1, 0.05, 0.01, 0.001)


def tree(**options: Any) -> Any:
    return streamboost.HoeffdingTree(**options)


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


def runs(args: argparse.Namespace) -> Iterator[dict[str, Any]]:
    for name in args.sets:
        data = load(name, None if args.all_features else 50)
        shuffles = args.shuffles or (5 if name in LARGE else 20)
        for seed in range(shuffles):
            X, y = shuffled(data, seed)
            made = models(args.n, data, seed)
            for which in args.models:
                start = time.process_time()
                answers = made[which].test_then_train(X, y, classes=data.classes)
                seconds = time.process_time() - start
                accuracy = final_accuracy(answers, y)
                yield {"set": name, "model": which, "seed": seed, "accuracy": accuracy, "seconds": seconds}


def summary(rows: list[dict[str, Any]], paper: dict[tuple[str, str], float]) -> list[str]:
    lines = [
        f"{'set':<10} {'model':<18} {'shuffles':>8} {'accuracy':>9} {'s.e.':>6} {'paper':>6} {'verdict':<8} {'seconds':>8}"
    ]
    reached: dict[str, int] = {}
    for name, which in dict.fromkeys((row["set"], row["model"]) for row in rows):
        mine = [row for row in rows if (row["set"], row["model"]) == (name, which)]
        values = np.array([row["accuracy"] for row in mine])
        error = values.std(ddof=1) / math.sqrt(len(values)) if len(values) > 1 else math.nan
        theirs = paper.get((name, PAPER.get(which.split()[0], "")), math.nan)
        good = values.mean() + 2 * (0 if math.isnan(error) else error) >= theirs
        reached[which] = reached.get(which, 0) + int(good)
        verdict = "" if math.isnan(theirs) else "reached" if good else "below"
        seconds = float(np.mean([row["seconds"] for row in mine]))
        lines.append(
            f"{name:<10} {which:<18} {len(values):>8} {values.mean():>9.4f} {error:>6.4f} {theirs:>6.3f} "
            f"{verdict:<8} {seconds:>8.2f}"
        )
    if paper:
        lines += [f"{which}: paper's column reached on {count} sets" for which, count in reached.items()]
    return lines


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
    parser.add_argument("--models", nargs="+", default=["olm", "mbbm"], metavar="MODEL")
    parser.add_argument("--shuffles", type=int, default=0, help="default: 20, and 5 on the two large sets")
    parser.add_argument("-n", type=int, default=100, help="learners (for each edge)")
    parser.add_argument("--all-features", action="store_true", help="ISOLET with its 617 features")
    parser.add_argument("--table", type=Path, help="the paper's numbers in long form")
    parser.add_argument("--out", type=Path, help="where to write every run as CSV")
    parser.add_argument(
        "--potentials", action="store_true", help="measure the share of the potentials instead"
    )
    args = parser.parse_args()
    if args.potentials:
        potential_share(args)
        return
    rows = []
    for row in runs(args):
        rows.append(row)
        print(
            f"{row['set']:<10} {row['model']:<18} shuffle {row['seed']:>2}: {row['accuracy']:.4f} in {row['seconds']:.2f} s",
            file=sys.stderr,
            flush=True,
        )
    print("\n".join(summary(rows, published(args.table))))
    if args.out is not None:
        with open(args.out, "w", newline="") as file:
            writer = csv.DictWriter(file, fieldnames=list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main()

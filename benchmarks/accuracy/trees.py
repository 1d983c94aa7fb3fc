"""How Hoeffding trees should grow in ensembles: today's settings and other ones over all data sets and generators.

Test, then train. Sets that are streams by nature keep the order of their file; the rows of the others are shuffled.

    python -m benchmarks.accuracy.trees --runs RUNS.csv --out docs/results/trees.md

Every run is added to --runs at once; runs that it holds already are not made again. The sets are those of the folder
STREAMBOOST_DATA.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import streamboost
from benchmarks import machine
from benchmarks.tables import Table, write_markdown
from streamboost import streams

NUMBERS = {"vfdt": "vfdt", "moa": "moa", "drawn": "quick"}
"""The group of settings that each set of numbers comes from: (200, 1e-7, 0.05), (50, 0.01, 0.05), and drawn per tree."""
CANDIDATES: dict[str, dict[str, Any]] = {
    f"{numbers} {nominal}": {"growth": growth, "nominal_split": nominal}
    for numbers, growth in NUMBERS.items()
    for nominal in ("multiway", "binary", "grouped")
} | {
    "ensemble": {"growth": "ensemble"},
    "varied": {"growth": "varied"},
    "varied grouped": {"growth": "varied", "nominal_split": "grouped"},
}
OF_NOMINAL = {
    "quick": "quick",
    "varied": "quick",
    "vfdt": "vfdt",
    "moa": "moa",
    "ensemble": "ensemble",
}
"""Growths that differ in nominal columns only are the same on a set without any: run once, written for each."""
ENSEMBLES = {
    "bagging": streamboost.OnlineBaggingClassifier,
    "oza": streamboost.OnlineBoostingClassifier,
    "olm": streamboost.AdaBoostOLMClassifier,
}
IN_ORDER = ("drift-", "covtype", "gassensor", "insects", "luxembourg", "powersupply", "spam-")
CELLS = 400_000
"""Rows times columns of a run at most: wide sets are cut."""


def names() -> list[str]:
    """All sets and generators, the latter once each."""
    return [file.name for file in streams.data_files()] + list(streams.GENERATORS)


def rows_of(name: str, most: int, seed: int) -> Any:
    """The rows of a set in memory, as many as a run takes."""
    stream = streams.open_stream(name, seed=seed, limit=most)
    width = len(stream.feature_names) if stream.feature_names is not None else 100
    most = max(500, min(most, CELLS // max(width, 1)))
    if name.startswith(IN_ORDER) or name in streams.GENERATORS:
        return streams.to_arrays(stream, most)
    read = streams.to_arrays(stream, 4 * most)
    order = np.random.default_rng(seed).permutation(len(read.y))[:most]
    return read.permuted(order.astype(np.int64))


def kappa(answers: Any, y: Any) -> float:
    """Cohen's: how far above the agreement by chance."""
    agreed = float((answers == y).mean())
    labels = np.unique(y)
    by_chance = sum(float((answers == c).mean()) * float((y == c).mean()) for c in labels)
    return (agreed - by_chance) / (1 - by_chance) if by_chance < 1 else 0.0


def runs(args: argparse.Namespace, done: set[tuple[str, str, str, int]]) -> Iterator[dict[str, Any]]:
    for name in args.sets:
        for seed in range(args.seeds):
            wanted = [
                (ensemble, candidate)
                for ensemble in args.ensembles
                for candidate in args.candidates
                if (name, ensemble, candidate, seed) not in done
            ]
            if not wanted:
                continue
            data = rows_of(name, args.rows, seed)
            X = data.X.toarray() if hasattr(data.X, "toarray") else data.X
            nominal = [] if data.nominal is None else np.flatnonzero(data.nominal).tolist()
            same: dict[tuple[str, str], dict[str, Any]] = {}
            for ensemble, candidate in wanted:
                key = ensemble, OF_NOMINAL[CANDIDATES[candidate]["growth"]]
                if not nominal and key in same:
                    yield {**same[key], "trees": candidate}
                    continue
                model = ENSEMBLES[ensemble](
                    streamboost.HoeffdingTree(**CANDIDATES[candidate]),
                    n_estimators=args.n,
                    random_state=seed,
                    categorical_features=nominal or None,
                )
                start = time.process_time()
                answers = model.test_then_train(X, data.y, classes=np.unique(data.y))
                seconds = time.process_time() - start
                same[key] = {
                    "set": name,
                    "ensemble": ensemble,
                    "trees": candidate,
                    "seed": seed,
                    "rows": len(data.y),
                    "accuracy": float((answers == data.y).mean()),
                    "kappa": kappa(answers, data.y),
                    "bytes": model.memory_bytes(),
                    "seconds": seconds,
                }
                yield same[key]


def earlier(path: Path | None) -> list[dict[str, Any]]:
    """The runs of a file, if there is one."""
    if path is None or not path.exists():
        return []
    kinds: dict[str, Any] = {
        "seed": int,
        "rows": int,
        "accuracy": float,
        "kappa": float,
        "log_loss": float,
        "auc": float,
        "bytes": int,
        "seconds": float,
    }
    with path.open(newline="") as file:
        return [
            {name: kinds.get(name, str)(value) for name, value in row.items()} for row in csv.DictReader(file)
        ]


def keep(path: Path | None, row: dict[str, Any]) -> None:
    if path is None:
        return
    with path.open("a", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(row))
        if file.tell() == 0:
            writer.writeheader()
        writer.writerow(row)


def mean(rows: list[dict[str, Any]], what: str) -> float:
    return float(np.mean([row[what] for row in rows]))


def summary(rows: list[dict[str, Any]], candidates: list[str], ensembles: list[str]) -> list[Table]:
    """Means over the sets that all candidates were tried on, then every set."""
    overview = Table(
        "Means over the sets",
        ["ensemble", "trees", "accuracy", "kappa", "rank", "sets won", "MB", "largest MB", "CPU s"],
        note="Every set counts once. Rank: 1 is the most accurate of the candidates on a set. CPU s: mean of a run; the machine"
        " was shared, so compare within the table only.",
    )
    details = []
    for ensemble in ensembles:
        mine = [row for row in rows if row["ensemble"] == ensemble]
        cell = {
            (row["set"], row["trees"]): [
                r for r in mine if (r["set"], r["trees"]) == (row["set"], row["trees"])
            ]
            for row in mine
        }
        sets = [name for name in names() if all((name, candidate) in cell for candidate in candidates)]
        if not sets:
            continue
        accuracy = np.array(
            [[mean(cell[name, candidate], "accuracy") for candidate in candidates] for name in sets]
        )
        rounded = accuracy.round(4)
        ranks = 1 + (rounded[:, None, :] > rounded[:, :, None]).sum(axis=2)
        for place, candidate in enumerate(candidates):
            of = [cell[name, candidate] for name in sets]
            overview.add(
                ensemble,
                candidate,
                f"{accuracy[:, place].mean():.4f}",
                f"{np.mean([mean(r, 'kappa') for r in of]):.4f}",
                f"{ranks[:, place].mean():.2f}",
                int((ranks[:, place] == 1).sum()),
                f"{np.mean([mean(r, 'bytes') for r in of]) / 1e6:.1f}",
                f"{max(row['bytes'] for r in of for row in r) / 1e6:.0f}",
                f"{np.mean([mean(r, 'seconds') for r in of]):.2f}",
            )
        table = Table(f"Accuracy, {ensemble}", ["set", "rows", *candidates])
        for name, line in zip(sets, accuracy, strict=True):
            table.add(name, cell[name, candidates[0]][0]["rows"], *(f"{value:.4f}" for value in line))
        details.append(table)
    return [overview, *details]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sets", nargs="+", default=names(), metavar="SET")
    parser.add_argument("--ensembles", nargs="+", default=list(ENSEMBLES), choices=list(ENSEMBLES))
    parser.add_argument("--candidates", nargs="+", default=list(CANDIDATES), choices=list(CANDIDATES))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--rows", type=int, default=3000)
    parser.add_argument("-n", type=int, default=30, help="trees")
    parser.add_argument("--runs", type=Path, help="every run as CSV; runs found there are not made again")
    parser.add_argument("--out", type=Path, help="where to write the tables as a page of the documentation")
    parser.add_argument("--date", help="date printed on the page (default: today)")
    args = parser.parse_args()
    rows = earlier(args.runs)
    for row in runs(args, {(r["set"], r["ensemble"], r["trees"], r["seed"]) for r in rows}):
        rows.append(row)
        keep(args.runs, row)
        print(
            f"{row['set']:<22} {row['ensemble']:<8} {row['trees']:<14} seed {row['seed']}: {row['accuracy']:.4f} "
            f"{row['bytes'] / 1e6:8.2f} MB in {row['seconds']:.2f} s",
            file=sys.stderr,
            flush=True,
        )
    wanted = [row for row in rows if row["set"] in args.sets]
    tables = summary(wanted, args.candidates, args.ensembles)
    print("\n\n".join(table.text() for table in tables))
    if args.out is not None:
        preface = [
            *machine.describe(["streamboost", "numpy"], args.date),
            f"- Printed by `python -m benchmarks.accuracy.trees --rows {args.rows} -n {args.n} --seeds {args.seeds}"
            f" --ensembles {' '.join(args.ensembles)} --runs RUNS.csv --out docs/results/trees.md`",
            f"- {args.n} trees, seeds: {args.seeds}, every row answered before it is learned; at most {args.rows:,} rows and"
            f" {CELLS:,} cells of a set; one thread",
            "- `vfdt`: grace 200, delta 1e-7, tie 0.05; `moa`: 50, 0.01, 0.05; `drawn`: (5, 20), (0.01, 0.9), (0.01, 0.9) drawn"
            ' per tree, which is `growth="quick"`. `multiway`: a branch per value; `binary`: one value against the rest;'
            " `grouped`: two groups by class rate. `varied`: `drawn`, the better of multiway and binary, with a correction for"
            " chance; `varied grouped`: the same with groups; `ensemble`: the numbers of `moa`, nominal columns as in `varied`,"
            " the entropy as the range. On a set without nominal columns what differs in these only is one run",
        ]
        write_markdown(args.out, "How trees grow in ensembles", preface, tables)


if __name__ == "__main__":
    main()

"""``python -m benchmarks.accuracy.bandit``: bandit boosting beside Vowpal Wabbit's contextual bandits, on multiclass sets.

Every row is shown one label; only "right" or "wrong" comes back. The score is the accuracy of the labels that are thought
best over the last
fifth of the rows, exploration aside. Rows are drawn from the whole set in an order of the seed (files may be sorted by
label). The three small sets are passed several times, as in the papers: there the last fifth has been seen before, by all.

Vowpal Wabbit gets nominal columns by value, numbers less their mean over their deviation (both of the whole set, which it
could not know), and most explorations with and without products of all pairs of features. Features have names: bare numbers
would be taken for places in its table of weights, next to those of other labels.
"""

from __future__ import annotations

import time
from statistics import fmean
from typing import Any

import numpy as np

from benchmarks.accuracy.data import Data
from benchmarks.pages import Page, parser
from benchmarks.tables import Table
from streamboost import BanditBoostingClassifier, HoeffdingTree, OnlineBaggingClassifier

SETS = {
    "balance-scale": 4,
    "car": 1,
    "nursery": 1,
    "movement": 8,
    "mice-protein": 3,
    "shuttle": 1,
    "drift-led": 1,
    "drift-wave": 1,
}
"""And how often each is passed."""
OTHERS = {"covtype": 1, "insects-gradual": 1, "gassensor-partial": 1, "connect-4": 1, "hypothyroid": 1}
"""Sets without a part in the choice of the bandits' default. The classifier inside was tuned on some, with all labels."""
ROWS = 3_000
VW = {
    "epsilon": "--epsilon 0.1",
    "epsilon, pairs": "--epsilon 0.1 -q ::",
    "first, pairs": "--first 300 -q ::",
    "bag": "--bag 5",
    "bag, pairs": "--bag 5 -q ::",
    "cover": "--cover 3",
    "squarecb, pairs": "--squarecb -q ::",
}


OURS = {
    "rewards": {},
    "rewards, bagged trees": {"estimator": OnlineBaggingClassifier(HoeffdingTree(), n_estimators=20)},
    "mbbm": {"base": "mbbm"},
    "olm": {"base": "olm"},
    "osboost": {"base": "osboost"},
}


def ours(options: dict[str, Any], data: Data, order: Any, seed: int) -> tuple[float, float]:
    """Return the accuracy over the last fifth, and CPU seconds."""
    model = BanditBoostingClassifier(
        labels=range(data.k), categorical_features=data.nominal or None, random_state=seed, **options
    )
    X, y = np.nan_to_num(data.X)[order], data.y[order]
    began = time.process_time()
    _, proba = model.test_then_train(X, y, output="both")
    last = slice(len(y) * 4 // 5, None)
    return float((proba[last].argmax(axis=1) == y[last]).mean()), time.process_time() - began


def vw(options: str, data: Data, order: Any, seed: int) -> tuple[float, float]:
    """Return the same of Vowpal Wabbit."""
    from vowpalwabbit import Workspace

    space = Workspace(f"--cb_explore {data.k} {options} --random_seed {seed} --quiet")
    spread = np.nanstd(data.X, axis=0)
    scaled = (data.X - np.nanmean(data.X, axis=0)) / np.where(spread > 0, spread, 1)
    rng = np.random.default_rng(seed)
    nominal = set(data.nominal)
    began, right = time.process_time(), []
    for t in order:
        cells = (
            f"n{c}_{int(data.X[t, c])}" if c in nominal else f"f{c}:{x:.5f}"
            for c, x in enumerate(scaled[t])
            if x == x
        )
        text = "| " + " ".join(cells)
        chances = np.maximum(np.array(space.predict(text)), 0)
        chances /= chances.sum()
        shown = int(rng.choice(data.k, p=chances))
        right.append(int(chances.argmax()) == data.y[t])
        space.learn(f"{shown + 1}:{float(shown != data.y[t])}:{chances[shown]:.6f} {text}")
    space.finish()
    return float(np.mean(right[len(right) * 4 // 5 :])), time.process_time() - began


PAPERS = {
    "balance-scale": (10, 0.001, 20, 15),
    "car": (6, 0.001, 15, 15),
    "nursery": (4, 0.001, 10, 5),
    "movement": (8, 0.001, 10, 20),
    "mice-protein": (15, 0.1, 10, 20),
    "isolet": (1, 0.1, 10, 20),
}
"""Of the runs of Zhang, Jung and Tewari: passes, exploration, learners of mbbm and of olm."""
PAPERS_ROWS = 3_000


def papers(seeds: int) -> Table:
    """Their two boosters with their settings, on at most so many rows a pass, and the default beside them."""
    table = Table(
        "Zhang, Jung and Tewari's settings: accuracy over the last fifth",
        ["set", "passes", "rho", "mbbm", "olm", "rewards"],
    )
    for name, (repeats, rho, n_opt, n_ada) in PAPERS.items():
        data = Data(name, 10**9)
        runs: tuple[dict[str, Any], ...] = (
            {"base": "mbbm", "n_estimators": n_opt, "exploration": rho},
            {"base": "olm", "n_estimators": n_ada, "exploration": rho},
            {"exploration": rho},
        )
        orders = [passes(data, seed, PAPERS_ROWS, repeats) for seed in range(seeds)]
        scores = [
            fmean(ours(options, data, order, seed)[0] for seed, order in enumerate(orders))
            for options in runs
        ]
        table.add(name, repeats, rho, *scores)
        print(name, [round(score, 3) for score in scores], flush=True)
    return table


def passes(data: Data, seed: int, rows: int, repeats: int) -> Any:
    """Rows of several passes, each in an order of its own."""
    orders = (np.random.default_rng(100 * seed + r).permutation(len(data.y))[:rows] for r in range(repeats))
    return np.concatenate(list(orders))


def _race(name: str, rows: int, repeats: int, seeds: int) -> tuple[list[float], list[float]]:
    """Mean accuracy and CPU seconds of all of ours, then of all of Vowpal Wabbit's, on one set."""
    data = Data(name, 10**9)
    orders = list(enumerate(passes(data, seed, rows, repeats) for seed in range(seeds)))
    found = [
        *([ours(options, data, order, seed) for seed, order in orders] for options in OURS.values()),
        *([vw(flags, data, order, seed) for seed, order in orders] for flags in VW.values()),
    ]
    return [fmean(run[0] for run in runs) for runs in found], [
        fmean(run[1] for run in runs) for runs in found
    ]


def main() -> None:
    options = parser("accuracy.bandit", __doc__)
    options.add_argument("--seeds", type=int, default=3)
    options.add_argument(
        "--papers", action="store_true", help="only the papers' sets with their settings; nothing is written"
    )
    chosen = options.parse_args()
    if chosen.papers:
        print(papers(chosen.seeds).text())
        return
    seeds = 1 if chosen.quick else chosen.seeds
    page = Page(
        "bandit",
        "Bandit feedback: only the label that was shown is judged",
        chosen,
        ["streamboost", "vowpalwabbit"],
    )
    page.preface += [
        "",
        f"`python -m benchmarks.accuracy.bandit`: means over {seeds} seeds; at most {ROWS:,} rows of each set a pass.",
    ]
    names = [*OURS, *(f"VW {name}" for name in VW)]
    clock = Table("CPU seconds, mean over the sets", names)
    seconds: list[list[float]] = []
    for title, sets in {
        "Accuracy over the last fifth": SETS,
        "The same on sets without a part in the choice of the default": OTHERS,
    }.items():
        table = Table(title, ["set", "passes", *names])
        default = best = 0
        for name, repeats in sets.items():
            scores, spent = _race(name, 500 if chosen.quick else ROWS, repeats, seeds)
            table.add(name, repeats, *scores)
            seconds.append(spent)
            rival = max(scores[len(OURS) :])
            default += scores[0] >= rival
            best += max(scores[: len(OURS)]) >= rival
            print(name, [round(score, 3) for score in scores], flush=True)
        table.note = (
            f"at least the best of Vowpal Wabbit: the default on {default}, "
            f"the best of ours on {best} of {len(sets)} sets"
        )
        page.add(table)
    clock.add(*map(fmean, zip(*seconds, strict=True)))
    page.add(clock)
    page.write()


if __name__ == "__main__":
    main()

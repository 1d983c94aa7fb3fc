"""``python -m benchmarks.accuracy.learners``: every learner, alone and a hundred of them, beside other libraries and no-change.

Prequential accuracy, log loss and AUC (two classes) on registered sets and generators, in file order and shuffled, in one run
of two rounds: learners that are fast on many rows, and all learners on few rows, with few in an ensemble. Sets are found
through STREAMBOOST_DATA; one that is not there is left out and named. Peers that are not installed are left out.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

import streamboost as sb
from benchmarks.accuracy.learner_peers import PEERS
from benchmarks.pages import COLOURS, Page, figure, parser
from benchmarks.tables import Table
from streamboost.streams import DataError, load

SETS = (
    *(
        "a9a",
        "ijcnn1",
        "german",
        "diabetes",
        "splice",
        "cod-rna-train",
        "kr-vs-kp",
        "svmguide3",
        "mushroom",
        "mushrooms",
    ),
    *(
        "heart",
        "australian",
        "ionosphere",
        "sonar",
        "promoters",
        "breast-cancer-wisconsin",
        "breast-cancer-libsvm",
    ),
    *("german-credit", "webpage-w8a", "census-income-train"),
    *("covtype", "nursery", "mice-protein", "movement", "isolet", "balance-scale", "car", "connect-4"),
    *("hyperplane", "sea", "agrawal", "rbf", "led", "waveform"),
)
BY_LABEL = (
    *("cod-rna-train", "kr-vs-kp", "svmguide3", "covtype", "mice-protein"),
    *("sonar", "promoters", "webpage-w8a", "movement"),
)
"""Sorted by label in the file, wholly or in long runs: the shuffle alone says something of a learner."""
CELLS = 600_000
"""Rows times columns of a set at most: wide sets are cut."""
LEARNERS: dict[str, Callable[[], Any]] = {
    "logistic": sb.LogisticRegression,
    "logistic, spread 1": lambda: sb.LogisticRegression(learning_rate_spread=1),
    "logistic, plain": lambda: sb.LogisticRegression(update="plain", scale="standard"),
    "perceptron": lambda: sb.Perceptron(scale="standard"),
    "ogd": lambda: sb.OGD(scale="standard"),
    "naive-bayes": sb.NaiveBayes,
    "hoeffding-tree": sb.HoeffdingTree,
    "stump": sb.DecisionStump,
    "mlp": sb.MLP,
    "incremental-tree": sb.IncrementalTree,
    "nearest-neighbors": sb.NearestNeighbors,
    "tan": sb.TAN,
    "ban": sb.BAN,
}
SLOW = ("stump", "mlp", "incremental-tree", "nearest-neighbors", "tan", "ban")
"""Learners of the second round only."""
ALONE = ("incremental-tree",)
"""Learners that are too slow for ensembles here."""
NOMINAL_ONLY = ("tan", "ban")
ENSEMBLES: dict[str, tuple[Callable[..., Any], bool]] = {
    "single": (lambda learner, n: sb.SingleLearnerClassifier(learner), False),
    "bagging": (
        lambda learner, n: sb.OnlineBaggingClassifier(
            learner, n_estimators=n, ballot="distribution", random_state=7
        ),
        False,
    ),
    "osboost": (lambda learner, n: sb.OSBoostClassifier(learner, n_estimators=n, random_state=7), True),
    "online-bbm": (
        lambda learner, n: sb.OnlineBBMClassifier(learner, n_estimators=n, edge=0.1, random_state=7),
        True,
    ),
    "adaboost-ol": (
        lambda learner, n: sb.AdaBoostOLClassifier(
            learner, n_estimators=n, weighting="importance", random_state=7
        ),
        True,
    ),
}
"""Name -> how it is made, and whether it takes two classes only."""

Floats = npt.NDArray[np.float64]


class Data:
    """A set in memory: codes of nominal columns, NaN where a cell is missing, labels 0 .. k - 1."""

    def __init__(self, name: str, rows: int, shuffled: bool = False, every: int = 1) -> None:
        read = load(name, limit=None if shuffled and name in BY_LABEL else rows * every)
        X = read.X.toarray() if hasattr(read.X, "toarray") else np.asarray(read.X, dtype=np.float64)
        kinds, y = np.unique(np.asarray(read.y), return_inverse=True)
        order = np.random.default_rng(0).permutation(len(y)) if shuffled else np.arange(len(y))
        order = order[::every][:rows]
        self.name, self.order = name, "shuffled" if shuffled else "file"
        self.X: Floats = np.ascontiguousarray(X[order])
        self.y: npt.NDArray[np.int64] = y[order].astype(np.int64)
        self.k = len(kinds)
        self.nominal = [] if read.nominal is None else np.flatnonzero(read.nominal).tolist()

    def cut(self, rows: int) -> Data:
        """The first rows."""
        self.X, self.y = self.X[:rows], self.y[:rows]
        return self

    def one_hot(self) -> Floats:
        """For peers without nominal columns; a missing cell is 0."""
        parts = [np.nan_to_num(self.X[:, [j for j in range(self.X.shape[1]) if j not in self.nominal]])]
        for j in self.nominal:
            values = np.unique(self.X[:, j][~np.isnan(self.X[:, j])])
            parts.append((self.X[:, j][:, None] == values).astype(np.float64))
        return np.column_stack(parts)


def judge(p: Floats, y: npt.NDArray[np.int64]) -> tuple[float, float, float]:
    """Accuracy, log loss (probabilities kept above 1e-6) and, with two classes, AUC."""
    seen = ~np.isnan(p).any(axis=1)
    right = np.zeros(len(y))
    right[seen] = p[seen].argmax(axis=1) == y[seen]
    mine = np.where(seen, np.nan_to_num(p[np.arange(len(y)), y]), 1.0 / p.shape[1])
    loss = -np.log(np.clip(mine, 1e-6, 1)).mean()
    if p.shape[1] != 2:
        return float(right.mean()), float(loss), float("nan")
    score = np.where(seen, np.nan_to_num(p[:, 1]), 0.5)
    _, place, count = np.unique(score, return_inverse=True, return_counts=True)
    middle = np.cumsum(count) - (count - 1) / 2
    rank = middle[place]
    ones = int(y.sum())
    area = (rank[y == 1].sum() - ones * (ones + 1) / 2) / max(1, ones * (len(y) - ones))
    return float(right.mean()), float(loss), float(area)


def ours(data: Data, ensemble: str, learner: str, n: int) -> Floats:
    model = ENSEMBLES[ensemble][0](LEARNERS[learner](), n)
    if data.nominal:
        model.set_params(categorical_features=data.nominal)
    p: Floats = model.test_then_train(data.X, data.y, classes=list(range(data.k)), output="proba")
    return p


def no_change(data: Data) -> Floats:
    """Repeats the last label, and is sure of it."""
    p = np.full((len(data.y), data.k), 0.0)
    p[0] = 1 / data.k
    p[np.arange(1, len(data.y)), data.y[:-1]] = 1
    return p


Runs = list[tuple[str, Callable[[Data], Floats | None]]]
Found = dict[tuple[str, str], dict[str, tuple[float, float, float]]]


def entries(options: Any, n: int, learners: list[str]) -> Runs:
    """Name -> probabilities before each row, or None where it does not apply."""
    made: Runs = [("no-change", no_change)]
    for name, run in PEERS.items():
        if not options.peers or name in options.peers or options.peers == ["all"]:
            made.append((name, lambda data, run=run: run(data, n)))
    for ensemble in options.ensembles:
        for learner in learners:
            if ("spread" in learner) if ensemble == "single" else (learner in ALONE):
                continue

            def mine(data: Data, ensemble: str = ensemble, learner: str = learner) -> Floats | None:
                if ENSEMBLES[ensemble][1] and data.k > 2:
                    return None
                if learner in NOMINAL_ONLY and len(data.nominal) < data.X.shape[1]:
                    return None
                return ours(data, ensemble, learner, n)

            size = "" if ensemble == "single" else f" {n}"
            made.append((f"{ensemble}{size} + {learner}", mine))
    return made


def measure(page: Page, options: Any, rows: int, runs: Runs) -> Found:
    """All entries on all sets in both orders; what cannot be read is named on the page."""
    found: Found = {}
    for name in options.sets:
        for shuffled in (False, True):
            if not shuffled and name in BY_LABEL:
                continue
            try:
                data = Data(name, rows, shuffled)
                data = data.cut(CELLS // data.X.shape[1])
            except DataError:
                line = f"- Not found, left out: {name}"
                page.preface += [line] if line not in page.preface else []
                break
            if data.k < 2:
                page.preface.append(f"- Its first {len(data.y):,} rows have one class only, left out: {name}")
                continue
            cell = found.setdefault((name, data.order), {})
            for entry, run in runs:
                began = time.process_time()
                p = run(data)
                if p is None:
                    continue
                cell[entry] = judge(p, data.y)
                page.record(len(data.y), name, data.order, entry, *cell[entry], time.process_time() - began)
            best = max(cell, key=lambda e: cell[e][0])
            print(f"{name}, {data.order}: best {best} {cell[best][0]:.4f}", flush=True)
    return found


def tabulate(page: Page, found: Found, runs: Runs, about: str) -> None:
    for order in ("file", "shuffled"):
        keys = [key for key in found if key[1] == order]
        for title, at in (("Accuracy", 0), ("Log loss", 1), ("AUC, two classes", 2)):
            of_two = [key for key in keys if at < 2 or not np.isnan(found[key]["no-change"][2])]
            table = Table(f"{title}, {order} order, {about}", ["entry", *(key[0] for key in of_two), "mean"])
            for entry, _ in runs:
                values = [found[key].get(entry, (float("nan"),) * 3)[at] for key in of_two]
                if np.isnan(values).all():
                    continue
                table.add(entry, *values, float("nan") if np.isnan(values).any() else float(np.mean(values)))
            page.add(table)


def main() -> None:
    made = parser("accuracy.learners", __doc__)
    made.add_argument("--rows", type=int, default=5_000, help="first rows of a longer set")
    made.add_argument("--few", type=int, default=1000, help="... in the round of all learners")
    made.add_argument("--sets", nargs="+", default=list(SETS), help="names of sets and generators")
    made.add_argument("--learners", nargs="+", default=list(LEARNERS), choices=list(LEARNERS))
    made.add_argument("--ensembles", nargs="+", default=list(ENSEMBLES), choices=list(ENSEMBLES))
    made.add_argument(
        "--peers", nargs="*", default=["all"], help=f"some of {', '.join(PEERS)}; all; or nothing"
    )
    made.add_argument("-n", type=int, default=100, help="learners of an ensemble")
    made.add_argument("--few-n", type=int, default=10, help="... in the round of all learners")
    options = made.parse_args()
    if options.quick:
        options.rows, options.few, options.sets = 1000, 200, options.sets[:3]
    if options.peers == []:
        options.peers = ["none"]
    fast = [name for name in options.learners if name not in SLOW]
    page = Page(
        "learners",
        "Learners beside each other and beside other libraries",
        options,
        packages=["streamboost", "vowpalwabbit", "river", "scikit-learn", "numpy"],
        preface=[
            f"- Two rounds: {', '.join(fast)} on at most {options.rows:,} rows of a set, {options.n} in an ensemble; then all "
            f"learners on at most {options.few:,} rows, {options.few_n} in an ensemble. Peers take part in both; no set has "
            f"more than {CELLS:,} cells",
            "- Prequential: every row is asked about, then learned. File order: the first rows of a set; shuffled: its first "
            "rows in random order, or rows from all of it where the file sorts them by label",
            "- Every option at its default unless the name says otherwise. Perceptron, OGD and the plain logistic learner scale "
            "by running mean and deviation; bagging votes with distributions; online-bbm has edge 0.1; adaboost-ol has "
            'weighting="importance". TAN and BAN take part where all columns are nominal, the '
            "incremental tree alone",
            "- A set that its file sorts by label ("
            + ", ".join(name for name in BY_LABEL if name in options.sets)
            + ") is judged by its shuffle only",
        ],
        columns=("rows", "set", "order", "entry", "accuracy", "log loss", "auc", "seconds"),
        caption="Accuracy above VW's single logistic learner, set by set",
    )
    rounds = []
    for rows, n, learners in (
        (options.rows, options.n, fast),
        (options.few, options.few_n, list(options.learners)),
    ):
        runs = entries(options, n, learners)
        rounds.append((measure(page, options, rows, runs), runs))
        tabulate(page, *rounds[-1], f"at most {rows:,} rows")
    page.picture = lambda: draw(rounds)
    page.write()


def draw(rounds: list[tuple[Found, Runs]]) -> Any:
    """Accuracy less that of VW's single learner (of no-change without VW), one row per entry; the rounds side by side."""
    made = figure(15, 0.24 * max(len(runs) for _, runs in rounds) + 1.2)
    for axes, (found, runs) in zip(made.subplots(1, len(rounds)), rounds, strict=True):
        base = next(
            (e for e in ("vw", "no-change") if any(e in cell for cell in found.values())), "no-change"
        )
        names = [
            entry for entry, _ in runs if entry != base and any(entry in cell for cell in found.values())
        ]
        for at, entry in enumerate(reversed(names)):
            for order, colour in (("file", COLOURS[0]), ("shuffled", COLOURS[1])):
                gaps = [
                    cell[entry][0] - cell[base][0]
                    for key, cell in found.items()
                    if key[1] == order and entry in cell and base in cell
                ]
                height = at + (0.15 if order == "file" else -0.15)
                axes.plot(gaps, [height] * len(gaps), ".", color=colour, markersize=5)
        axes.axvline(0, color="#999999", linewidth=0.8)
        axes.set_yticks(range(len(names)), list(reversed(names)), fontsize=7)
        axes.set_xlim(-0.3, 0.3)
        axes.set_title(
            f"Accuracy less that of {base}, a point per set (blue: file order, red: shuffled)",
            loc="left",
            fontsize=9,
        )
        axes.tick_params(axis="x", labelsize=8)
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
    return made


if __name__ == "__main__":
    main()

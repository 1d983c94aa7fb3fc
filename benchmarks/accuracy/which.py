"""Is the advice of "Which one should I use?" good advice? Each of its lines over the sets of the registry that it speaks of.

    python -m benchmarks.accuracy.which

Test, then train, rows shuffled once unless the set is a stream in time, 20 learners, everything else at its default. Big sets are
cut, so that the page takes minutes; figures with 100 learners and whole sets are on the pages that the advice rests on. The sets
are those of the folder STREAMBOOST_DATA; one that is not there is left out.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import streamboost as sb
from benchmarks.accuracy.trees import IN_ORDER
from benchmarks.clock import Stopwatch
from benchmarks.pages import Page, parser
from benchmarks.tables import Table
from streamboost import streams
from streamboost.streams import registered

N, CELLS = 20, 60_000
SMALL, LARGE = 1_300, 10_000  # rows: "hundreds", "ten thousand and more"
DRIFTING = (
    "sea:drift=abrupt,at=750", "agrawal:drift=abrupt,at=750", "led:drift=abrupt,at=750", "hyperplane",
    "drift-agr-abrupt", "drift-sea", "drift-rbffast", "drift-wave",
)  # fmt: skip
NOISY = ("agrawal:label_noise=0.1", "sea:noise=0.1", "agrawal:label_noise=0.2", "sea:noise=0.2")
INTERACTING = ("car", "kr-vs-kp", "nursery", "connect-4", "mushroom")


def sized(**wanted: Any) -> Callable[[], list[str]]:
    """Sets by classes and rows."""

    def names() -> list[str]:
        low, high = wanted.get("rows", (0, 10**9))
        many = wanted["classes"]
        return [
            e.name
            for e in registered().values()
            if low <= e.n_rows <= high and (e.n_classes > 2) == (many > 2) and e.n_features <= 150
        ]

    return names


@dataclass(frozen=True)
class Advice:
    """One line of the page: which sets it speaks of, what to take, instead of what."""

    line: str
    sets: Callable[[], list[str]]
    take: tuple[str, Callable[..., Any]]
    instead: tuple[str, Callable[..., Any]]


def ensemble(kind: Any, learner: Callable[[], Any], **more: Any) -> Callable[..., Any]:
    return lambda **o: kind(learner(), n_estimators=N, **more, **o)


STREAMBOOST = ("StreamBoost", lambda **o: sb.StreamBoostClassifier(**o))
SINGLE = ("single naive Bayes", lambda **o: sb.SingleLearnerClassifier(sb.NaiveBayes(), **o))
TREE = ("one Hoeffding tree", lambda **o: sb.SingleLearnerClassifier(sb.HoeffdingTree(), **o))
BAGGING = ("bagging of trees", ensemble(sb.OnlineBaggingClassifier, sb.HoeffdingTree))
OZA = ("OzaBoost of naive Bayes", ensemble(sb.OnlineBoostingClassifier, sb.NaiveBayes))
SMOOTH = ("OSBoost of naive Bayes", ensemble(sb.OSBoostClassifier, sb.NaiveBayes))
OCP = ("OSBoost of naive Bayes, ocp", ensemble(sb.OSBoostClassifier, sb.NaiveBayes, vote="ocp"))
PERCEPTRONS = (
    "OSBoost of perceptrons",
    ensemble(sb.OSBoostClassifier, lambda: sb.Perceptron(scale="standard")),
)
MAJORITY = ("OnlineBBM of naive Bayes", ensemble(sb.OnlineBBMClassifier, sb.NaiveBayes))
OLM = ("AdaBoost.OLM of trees", ensemble(sb.AdaBoostOLMClassifier, sb.HoeffdingTree))

ADVICE = (
    Advice("you do not know yet, two classes", sized(classes=2), STREAMBOOST, SINGLE),
    Advice("you do not know yet, two classes", sized(classes=2), STREAMBOOST, BAGGING),
    Advice("you do not know yet, more classes", sized(classes=3), STREAMBOOST, BAGGING),
    Advice("it changes", lambda: list(DRIFTING), STREAMBOOST, BAGGING),
    Advice("two classes, hundreds of rows", sized(classes=2, rows=(0, SMALL)), SINGLE, OZA),
    Advice("two classes, ten thousand rows and more", sized(classes=2, rows=(LARGE, 10**9)), OCP, SINGLE),
    Advice("wrong labels", lambda: list(NOISY), SMOOTH, OZA),
    Advice("wrong labels", lambda: list(NOISY), MAJORITY, OZA),
    Advice("many numeric columns, little time", sized(classes=2, rows=(LARGE, 10**9)), PERCEPTRONS, BAGGING),
    Advice("nominal columns that interact", lambda: list(INTERACTING), TREE, SINGLE),
    Advice("three classes and more, thousands of rows", sized(classes=3, rows=(1_000, 10**9)), OLM, TREE),
)


def rows_of(name: str, most: int) -> Any:
    """The rows of a set in memory, as many as a run takes."""
    generated = name.partition(":")[0] in streams.GENERATORS
    stream = streams.open_stream(name, seed=1, limit=most if generated else None)
    if generated or name.startswith(IN_ORDER):
        return streams.to_arrays(stream, most)
    read = streams.to_arrays(stream, 4 * most)
    most = min(most, max(500, CELLS // read.X.shape[1]))
    return read.permuted(np.random.default_rng(1).permutation(len(read.y))[:most].astype(np.int64))


class Runs:
    """Errors and CPU seconds, each run once."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._rows: dict[str, Any] = {}
        self._found: dict[tuple[str, str], tuple[float, float]] = {}

    def rows(self, name: str) -> Any:
        if name not in self._rows:
            try:
                self._rows[name] = rows_of(name, self.most)
            except streams.DataError:
                self._rows[name] = None
        return self._rows[name]

    def error(self, name: str, model: tuple[str, Callable[..., Any]]) -> tuple[float, float]:
        key = (name, model[0])
        if key not in self._found:
            data = self.rows(name)
            untrained = model[1](random_state=1, categorical_features=data.nominal)
            watch = Stopwatch()
            with watch:
                answers = untrained.test_then_train(data.X, data.y, classes=np.unique(data.y))
            self._found[key] = (float((np.asarray(answers) != data.y).mean()), watch.process)
            sys.stderr.write(f"{name} {model[0]} {self._found[key][0]:.4f}\n")
        return self._found[key]


def main() -> None:
    args = parser("accuracy.which", __doc__).parse_args()
    page = Page("which", "The advice, checked", args)
    runs = Runs(600 if args.quick else 1_500)
    advice = ADVICE[4:8] if args.quick else ADVICE
    summary = Table(
        "Line by line",
        [
            "your stream",
            "take",
            "instead of",
            "sets",
            "lower error on",
            "mean change of error",
            "CPU time, times",
        ],
        note="Change of the error: that of what to take less that of the other; below 0 is good advice, equal ones count half.",
    )
    details = Table("Set by set", ["your stream", "set", "rows", "take", "error", "instead of", "error"])
    for line in advice:
        better, changes, spent = 0.0, [], [0.0, 0.0]
        for name in line.sets():
            if runs.rows(name) is None:
                continue
            (error, seconds), (other, longer) = runs.error(name, line.take), runs.error(name, line.instead)
            better += 1.0 if error < other else 0.5 if error == other else 0.0
            changes.append(error - other)
            spent = [spent[0] + seconds, spent[1] + longer]
            n = len(runs.rows(name).y)
            details.add(line.line, name, n, line.take[0], error, line.instead[0], other)
        if changes:
            summary.add(
                line.line, line.take[0], line.instead[0], len(changes), f"{better:g}", f"{np.mean(changes):+.4f}",
                f"{spent[0] / spent[1]:.1f}",
            )  # fmt: skip
    page.add(summary)
    page.add(details)
    page.write()


if __name__ == "__main__":
    main()

"""``python -m benchmarks.accuracy.which``: every ensemble with three learners, beside the default and the learner alone.

Test, then train, on the same rows for all: the first rows of streams, a random sample in random order of sets that are none.
20 learners (the default as it is), everything else at its default. Sets are found through STREAMBOOST_DATA; one that is not
there is left out and named. With ``--kept FILE`` a run that was stopped goes on, and a new ensemble is measured alone.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import streamboost as sb
from benchmarks.accuracy.data import Data
from benchmarks.accuracy.streams import EVERY, STREAMS
from benchmarks.clock import Stopwatch
from benchmarks.pages import Page, parser
from benchmarks.tables import Table
from streamboost import catalogue, streams
from streamboost.streams import registered

N, ROWS, CELLS = 20, 10_000, 400_000
MOST_COLUMNS = 150
DEFAULT, ALONE = "streamboost", "single"
LEARNERS = {
    "naive Bayes": sb.NaiveBayes,
    "Hoeffding trees": sb.HoeffdingTree,
    "logistic": sb.LogisticRegression,
}
OWN = ""  # the learner of an ensemble that has its own
OTHERS = {
    "OnlineBaggingClassifier, under- and oversampling": (
        "bagging",
        {"sampling": "under_over", "class_weight": "oversample"},
    ),
    "CostBoostingClassifier, CSB2": ("cost-boost", {"algorithm": "csb2"}),
    "CostBoostingClassifier, RUSBoost": ("cost-boost", {"algorithm": "rusboost"}),
    "ReorderedBoostingClassifier, ADOB": ("reordered-boost", {"method": "adob", "drift": "adwin"}),
}
"""More than one algorithm in a class: those that are not its default."""
ENSEMBLES: dict[str, tuple[catalogue.ModelEntry, dict[str, Any]]] = {
    e.class_name: (e, {})
    for e in catalogue.MODELS
    if e.streams and not e.experts and e.name not in (DEFAULT, ALONE)
} | {title: (catalogue.model_entry(name), options) for title, (name, options) in OTHERS.items()}
Run = tuple[float, float]  # accuracy and CPU seconds
Found = dict[tuple[str, str, str], Run]  # of ensemble, learner and set


def rows_of(name: str, most: int) -> Any:
    """The rows of a set in memory, as many as a run takes: of a stream the first, of others a sample in random order."""
    if name in STREAMS:
        return Data(name, min(most, STREAMS[name]), every=EVERY.get(name, 1))
    read = streams.to_arrays(streams.open_stream(name, seed=1), 4 * most)
    most = min(most, max(500, CELLS // read.X.shape[1]))
    return read.permuted(np.random.default_rng(1).permutation(len(read.y))[:most].astype(np.int64))


def run(model: Any, data: Any) -> Run:
    model.set_params(random_state=1, categorical_features=data.nominal)
    with Stopwatch() as watch:
        answers = model.test_then_train(data.X, data.y, classes=np.unique(data.y))
    return float((np.asarray(answers) == data.y).mean()), watch.process


class Kept:
    """Runs, in a file if there is one: what stands there is not run again."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        lines = path.read_text().splitlines() if path and path.exists() else []
        self._runs: Found = {
            (e, learner, name): (right, cpu) for e, learner, name, right, cpu in map(json.loads, lines)
        }

    def run(self, ensemble: str, learner: str, name: str, make: Callable[[], Any], data: Any) -> Run:
        key = (ensemble, learner, name)
        if key not in self._runs:
            self._runs[key] = run(make(), data)
            if self._path:
                with self._path.open("a") as file:
                    file.write(json.dumps([*key, *self._runs[key]]) + "\n")
        return self._runs[key]


def alone(weak: Any) -> Any:
    return sb.SingleLearnerClassifier(weak())


def made(entry: catalogue.ModelEntry, weak: Any, options: dict[str, Any]) -> Any:
    return getattr(sb, entry.class_name)(*([] if weak is None else [weak()]), **options)


def measure(name: str, data: Any, kept: Kept) -> Found:
    """Every ensemble that takes the set."""
    two = len(np.unique(data.y)) == 2
    found: Found = {(DEFAULT, OWN, name): kept.run(DEFAULT, OWN, name, sb.StreamBoostClassifier, data)}
    for learner, weak in LEARNERS.items():
        found[ALONE, learner, name] = kept.run(ALONE, learner, name, partial(alone, weak), data)
    for ensemble, (entry, options) in ENSEMBLES.items():
        if not two and entry.max_classes == 2:
            continue
        own = entry.regressors or not entry.learner
        for learner, weak in {OWN: None}.items() if own else LEARNERS.items():
            make = partial(
                made, entry, weak, options if own or not entry.sized else {**options, "n_estimators": N}
            )
            found[ensemble, learner, name] = kept.run(ensemble, learner, name, make, data)
    sys.stderr.write(f"{name}\n")
    return found


def table(title: str, found: Found) -> Table:
    sets = list(dict.fromkeys(name for _, _, name in found))
    made = Table(
        f"{title}: mean accuracy over {len(sets)} sets",
        ["ensemble", "accuracy", *LEARNERS, "above the learner alone", "times the CPU of the default"],
        note="Above the learner alone: on how many of the sets, over all three learners; equal ones count half. Accuracy and CPU:"
        " with the learner that is best over these sets, known in hindsight. Sets: " + ", ".join(sets) + ".",
    )

    def mean(ensemble: str, learner: str, what: int) -> float:
        return float(np.mean([found[ensemble, learner, name][what] for name in sets]))

    spent = mean(DEFAULT, OWN, 1)
    made.add(
        "**StreamBoost, the default**", f"**{mean(DEFAULT, OWN, 0):.4f}**", *["" for _ in LEARNERS], "", "1"
    )
    scores: dict[str, dict[str, float]] = {}
    for ensemble, learner, _ in found:
        if ensemble != DEFAULT:
            scores.setdefault(ensemble, {})[learner] = mean(ensemble, learner, 0)
    for ensemble in sorted(scores, key=lambda e: -max(scores[e].values())):
        best = max(scores[ensemble], key=scores[ensemble].__getitem__)
        pairs = [
            (found[ensemble, learner, name][0], found[ALONE, learner, name][0])
            for learner in scores[ensemble]
            if learner != OWN
            for name in sets
        ]
        above = sum(1.0 if ours > alone else 0.5 if ours == alone else 0.0 for ours, alone in pairs)
        name, *kind = ensemble.split(", ")
        made.add(
            "one learner" if ensemble == ALONE else ", ".join([f"`{name}`", *kind]),
            f"{scores[ensemble][best]:.4f}",
            *(
                f"{scores[ensemble][learner]:.4f}" if learner in scores[ensemble] else ""
                for learner in LEARNERS
            ),
            f"{above:g} of {len(pairs)}" if pairs and ensemble != ALONE else "",
            f"{mean(ensemble, best, 1) / spent:.2g}",
        )
    return made


def main() -> None:
    options = parser("accuracy.which", __doc__)
    options.add_argument(
        "--kept", type=Path, help="a file of runs: those in it are not run again, new ones are added"
    )
    args = options.parse_args()
    kept = Kept(args.kept)
    page = Page("which", "Every ensemble beside the default and one learner", args)
    page.preface.append(
        f"- At most {ROWS:,} rows of a set, {N} learners, seed 1, test then train; the default as it is, with 30 trees,"
        " and so are the ensembles that have their own learners."
    )
    sets = [e.name for e in registered().values() if e.n_classes > 1 and e.n_features <= MOST_COLUMNS]
    groups: dict[str, Found] = {}
    missing = []
    for name in [*STREAMS, *(name for name in sets if name not in STREAMS)][:: 15 if args.quick else 1]:
        try:
            data = rows_of(name, 500 if args.quick else ROWS)
        except streams.DataError:
            missing.append(name)
            continue
        where = "Streams in their order" if name in STREAMS else "Sets in random order"
        kind = "two classes" if len(np.unique(data.y)) == 2 else "more classes"
        groups.setdefault(f"{where}, {kind}", {}).update(measure(name, data, kept))
    for title, found in groups.items():
        page.add(table(title, found))
    if missing:
        page.preface.append(f"- Not found, left out: {', '.join(missing)}.")
    page.write()


if __name__ == "__main__":
    main()

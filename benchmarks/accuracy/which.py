"""``python -m benchmarks.accuracy.which``: every ensemble with three learners, beside the default and the learner alone.

Test, then train, on the same rows for all: the first rows of streams, a random sample in random order of sets that are none.
20 learners (the default as it is), everything else at its default. Sets are found through STREAMBOOST_DATA; one that is not
there is left out and named.
"""

from __future__ import annotations

import sys
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
ENSEMBLES = {e.name: e for e in catalogue.MODELS if e.streams and e.sized and e.name != DEFAULT}
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


def measure(name: str, data: Any) -> Found:
    """Every ensemble that takes the set."""
    two = len(np.unique(data.y)) == 2
    found: Found = {(DEFAULT, "", name): run(sb.StreamBoostClassifier(), data)}
    for learner, make in LEARNERS.items():
        found[ALONE, learner, name] = run(sb.SingleLearnerClassifier(make()), data)
        for ensemble, entry in ENSEMBLES.items():
            if two or entry.max_classes != 2:
                model = getattr(sb, entry.class_name)(None if entry.regressors else make(), n_estimators=N)
                found[ensemble, learner, name] = run(model, data)
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

    spent = mean(DEFAULT, "", 1)
    made.add(
        "**StreamBoost, the default**", f"**{mean(DEFAULT, '', 0):.4f}**", *["" for _ in LEARNERS], "", "1"
    )
    names = list(dict.fromkeys(e for e, _, _ in found if e != DEFAULT))
    scores = {e: {learner: mean(e, learner, 0) for learner in LEARNERS} for e in names}
    for ensemble in sorted(names, key=lambda e: -max(scores[e].values())):
        best = max(scores[ensemble], key=scores[ensemble].__getitem__)
        pairs = [
            (found[ensemble, learner, name][0], found[ALONE, learner, name][0])
            for learner in LEARNERS
            for name in sets
        ]
        above = sum(1.0 if ours > alone else 0.5 if ours == alone else 0.0 for ours, alone in pairs)
        made.add(
            "one learner" if ensemble == ALONE else f"`{ENSEMBLES[ensemble].class_name}`",
            f"{scores[ensemble][best]:.4f}",
            *(f"{score:.4f}" for score in scores[ensemble].values()),
            "" if ensemble == ALONE else f"{above:g} of {len(pairs)}",
            f"{mean(ensemble, best, 1) / spent:.2g}",
        )
    return made


def main() -> None:
    args = parser("accuracy.which", __doc__).parse_args()
    page = Page("which", "Every ensemble beside the default and one learner", args)
    page.preface.append(
        f"- At most {ROWS:,} rows of a set, {N} learners, seed 1, test then train; the default as it is, with 30 trees."
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
        groups.setdefault(f"{where}, {kind}", {}).update(measure(name, data))
    for title, found in groups.items():
        page.add(table(title, found))
    if missing:
        page.preface.append(f"- Not found, left out: {', '.join(missing)}.")
    page.write()


if __name__ == "__main__":
    main()

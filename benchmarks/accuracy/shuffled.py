"""``python -m benchmarks.accuracy.shuffled``: what one pass over shuffled rows is worth beside batch learners.

The sets of the page of streams that have at most ten classes, their first 40,000 rows in random order: every model gets four
fifths of them, ours in one pass, and is asked about the last fifth. Nothing drifts here; this is the batch learners' home.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from benchmarks.accuracy.data import Data
from benchmarks.accuracy.streams import EVERY, STREAMS, Record, measured_before, table
from benchmarks.pages import RESULTS, Page, parser
from benchmarks.tables import Table
from streamboost import ReplayBoostingClassifier, StreamBoostClassifier

ROWS = 40_000
SETS = [name for name in STREAMS if name not in ("powersupply", "kddcup99-10pct")]
MEASURES = ("accuracy", "log loss", "seconds")
COLUMNS = ("stream", "rows", "delay", "seed", "model", *MEASURES)


def _ours(make: Callable[..., Any], data: Data, seed: int, **params: Any) -> Any:
    named = {"categorical_features": data.nominal} if data.nominal else {}
    return make(random_state=seed, n_jobs=1, **named, **params)


def _lightgbm(data: Data, seed: int, rounds: int) -> Any:
    from lightgbm import LGBMClassifier

    return LGBMClassifier(random_state=seed, n_jobs=1, verbose=-1, n_estimators=rounds)


def _forest(data: Data, seed: int) -> Any:
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(random_state=seed, n_jobs=1)


MODELS: dict[str, Callable[[Data, int], Any]] = {
    "StreamBoost, one pass": partial(_ours, StreamBoostClassifier),
    "without replay": partial(
        _ours, StreamBoostClassifier, companions=("linear", "naive-bayes", "neighbors")
    ),
    "ReplayBoosting": lambda d, s: _ours(ReplayBoostingClassifier, d, s, memory=len(d.y), max_bytes=2**30),
    "LightGBM 100": partial(_lightgbm, rounds=100),
    "LightGBM 400": partial(_lightgbm, rounds=400),
    "random forest 100": _forest,
}
"""Name in the tables -> how it is made."""


def measure(data: Data, name: str, seed: int) -> tuple[float, float, float]:
    """Return accuracy, log loss and CPU seconds."""
    order = np.random.default_rng(seed).permutation(len(data.y))
    known, asked = np.split(order, [int(len(order) * 0.8)])
    model = MODELS[name](data, seed)
    # LightGBM takes nominal columns by their numbers, the forest of scikit-learn their codes as numbers.
    named = {"categorical_feature": data.nominal or "auto"} if "LightGBM" in name else {}
    began = time.process_time()
    if isinstance(model, StreamBoostClassifier):
        model.partial_fit(data.X[known], data.y[known], classes=range(data.k))
    else:
        model.fit(data.X[known], data.y[known], **named)
    proba = np.full((len(asked), data.k), 1e-6)
    proba[:, model.classes_] = np.maximum(model.predict_proba(data.X[asked]), 1e-6)
    right = data.y[asked]
    loss = -np.log(proba[np.arange(len(right)), right]).mean()
    return float((proba.argmax(axis=1) == right).mean()), float(loss), time.process_time() - began


def means(records: list[Record], names: Sequence[str]) -> Table:
    """Accuracy, log loss and CPU seconds, means over the sets."""
    made = Table("Means over the sets", ["model", *MEASURES])
    for model in MODELS:
        cells = [
            [[r[m] for m in MEASURES] for r in records if r["stream"] == name and r["model"] == model]
            for name in names
        ]
        if all(cells):
            made.add(model, *np.mean([np.mean(c, axis=0) for c in cells], axis=0).tolist())
    return made


def main() -> None:
    made = parser("accuracy.shuffled", __doc__)
    made.add_argument("--sets", nargs="+", default=SETS, choices=SETS, metavar="NAME")
    made.add_argument("--models", nargs="+", default=list(MODELS), choices=list(MODELS), metavar="NAME")
    made.add_argument("--seeds", type=int, nargs="+", default=[1])
    made.add_argument("--add", action="store_true", help="keep the figures of what is not measured now")
    options = made.parse_args()
    rows = 1000 if options.quick else ROWS
    page = Page(
        "shuffled",
        "Shuffled rows, one pass",
        options,
        packages=["streamboost", "lightgbm", "scikit-learn", "numpy"],
        columns=COLUMNS,
    )
    folder = options.out or RESULTS
    records = (
        measured_before(folder, page.name, options.sets, options.models, MEASURES, options.seeds)
        if options.add
        else []
    )
    for name in options.sets:
        data = Data(name, rows, EVERY.get(name, 1))
        for model in options.models:
            for seed in options.seeds:
                values = measure(data, model, seed)
                records.append(dict(zip(COLUMNS, (name, len(data.y), 0, seed, model, *values), strict=True)))
                print(f"{name}: {model} {values[0]:.4f} {values[1]:.4f}, {values[2]:.1f} s", flush=True)
        page.records = []
        for record in records:
            page.record(*(record[c] for c in COLUMNS))
        page.keep_records()
    seeds = {m: sorted({r["seed"] for r in records if r["model"] == m}) for m in MODELS}
    said = "; ".join(f"{m}: {', '.join(map(str, s))}" for m, s in seeds.items() if s)
    page.preface += [
        f"- The first {rows:,} rows of each set of at most ten classes, in random order. StreamBoost passes once over four"
        " fifths of them; the others may look at them as often as they like. All are asked about the last fifth. Options are"
        " defaults; ReplayBoosting remembers all rows.",
        f"- Seeds of order and model: {said}.",
        "- Probabilities below 1e-6 count as that. Seconds: CPU of learning and answering, one thread.",
    ]
    names = [name for name in SETS if any(r["stream"] == name for r in records)]
    page.add(means(records, names))
    for column in ("accuracy", "log loss"):
        page.add(table(records, column, names, column.capitalize(), models=MODELS))
    page.write()


if __name__ == "__main__":
    main()

"""``python -m benchmarks.speed.trust``: what explanations, calibration, sets, health and importances cost beside an answer."""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from typing import Any

from benchmarks import pages
from benchmarks.clock import Stopwatch
from benchmarks.models import build
from benchmarks.streams import make
from benchmarks.tables import Table

LEARNED = 2_000  # rows before the first question
# Ensemble, learner, stream, options, milliseconds that a closed form may take.
EXPLAINED = (
    ("bagging", "hoeffding-tree", "gaussians", 1.0),
    ("oza-boost", "hoeffding-tree", "gaussians", 1.0),
    ("osboost", "perceptron", "hyperplane", 0.2),
    ("bagging", "logistic", "hyperplane", 0.2),
    ("osboost", "naive-bayes", "gaussians", 0.2),
    ("bagging", "naive-bayes", "nominal", 0.2),
)
STAGES: dict[str, dict[str, Any]] = {
    "nothing": {},
    'calibration="temperature"': {"calibration": "temperature"},
    'calibration="platt"': {"calibration": "platt"},
    'calibration="platt+bins"': {"calibration": "platt+bins"},
    'class_weight="balanced"': {"class_weight": "balanced"},
    'decision="f1"': {"decision": "f1"},
    "coverages=(0.8, 0.9, 0.95)": {"coverages": (0.8, 0.9, 0.95)},
    "keep_health=True": {"keep_health": True},
    "importances=True": {"importances": True},
}
TEMPERED = tuple(
    (ensemble, learner, stream, size)
    for ensemble, learner, stream in (
        ("single", "naive-bayes", "gaussians"),
        ("bagging", "naive-bayes", "gaussians"),
        ("osboost", "perceptron", "hyperplane"),
        ("oza-boost", "logistic", "hyperplane"),
        ("adaboost-olm", "naive-bayes", "gaussians"),
        ("bagging", "hoeffding-tree", "gaussians"),
    )
    for size in ((1,) if ensemble == "single" else (10, 100))
)
STAGED = (("osboost", "perceptron", "hyperplane"), ("bagging", "hoeffding-tree", "gaussians"))


@dataclass(frozen=True)
class Explaining:
    """Milliseconds of one call with one row, by what was called."""

    name: str
    bar: float
    spent: dict[str, float]


def seconds(action: Callable[[], Any]) -> float:
    watch = Stopwatch()
    with watch:
        action()
    return watch.thread


def interleaved(actions: dict[str, Callable[[], Any]], rounds: int) -> dict[str, float]:
    """Median CPU seconds of each, round after round; the first round warms up."""
    spent: dict[str, list[float]] = {name: [] for name in actions}
    gc.collect()
    gc.disable()
    for turn in range(rounds + 1):
        for name, action in actions.items():
            used = seconds(action)
            if turn > 0:
                spent[name].append(used)
    gc.enable()
    return {name: median(values) for name, values in spent.items()}


def explaining(calls: int) -> list[Explaining]:
    found = []
    for ensemble, learner, stream_name, bar in EXPLAINED:
        stream = make(stream_name, LEARNED + 50)
        model = build(ensemble, learner, stream)
        model.partial_fit(stream.X[:LEARNED], stream.y[:LEARNED], classes=stream.classes)
        rows = [dict(enumerate(x)) for x in stream.X[LEARNED:].tolist()]
        at = iter(range(10**9))

        def one(
            verb: Callable[..., Any], rows: list[Any] = rows, at: Any = at, **options: Any
        ) -> Callable[[], Any]:
            return lambda: verb(rows[next(at) % len(rows)], **options)

        actions = {"predict_proba": one(model.predict_proba_one), "explain": one(model.explain_one)}
        if learner == "hoeffding-tree":
            actions["exact"] = one(model.explain_one, exact=True)
        actions["8 orders"] = one(model.explain_one, n_orders=8)
        spent = {name: 1000 * value for name, value in interleaved(actions, calls).items()}
        found.append(Explaining(f"{ensemble} + {learner}, {stream_name}", bar, spent))
    return found


def explaining_table(found: list[Explaining]) -> Table:
    table = Table(
        "Explanations of one row",
        [
            "model",
            "predict_proba ms",
            "explain ms",
            "times",
            "bar ms",
            "exact ms",
            "times",
            "8 orders ms",
            "times",
        ],
        note=f"100 learners, 20 columns, {LEARNED:,} rows learned. CPU time of one call with a dict, median; times: that of"
        " predict_proba_one. explain is the closed form; exact: Shapley values of the trees.",
    )
    for one in found:
        plain = one.spent["predict_proba"]
        cells: list[str] = []
        for verb in ("explain", "exact", "8 orders"):
            value = one.spent.get(verb)
            cells += ["-", "-"] if value is None else [f"{value:.3f}", f"{value / plain:.1f}x"]
            if verb == "explain":
                cells.append(f"<= {one.bar:g}")
        table.add(one.name, f"{plain:.3f}", *cells)
    return table


def staging(rows: int, rounds: int) -> dict[str, dict[str, float]]:
    """Seconds of test_then_train with each stage, by ensemble."""
    found = {}
    for ensemble, learner, stream_name in STAGED:
        n = rows // 20 if learner == "hoeffding-tree" else rows
        stream = make(stream_name, n)

        def one(
            options: dict[str, Any], made: tuple[str, str] = (ensemble, learner), stream: Any = stream
        ) -> Callable[[], Any]:
            def run() -> None:
                model = build(*made, stream, **{"calibration": None, **options})
                model.test_then_train(stream.X, stream.y, classes=stream.classes)

            return run

        actions = {name: one(options) for name, options in STAGES.items()}
        found[f"{ensemble} + {learner}"] = interleaved(actions, rounds)
    return found


def staging_table(found: dict[str, dict[str, float]]) -> Table:
    names = list(found)
    table = Table(
        "What comes around the vote",
        ["kept", *names],
        note="test_then_train, 100 learners, 20 columns: CPU time beside that of the same ensemble with nothing kept.",
    )
    for stage in STAGES:
        table.add(stage, *(f"{found[name][stage] / found[name]['nothing']:.2f}x" for name in names))
    return table


def tempering(rows: int, rounds: int) -> Table:
    """What the default calibration adds to each way of learning, and to single rows."""
    verbs: dict[str, Callable[[Any, Any], Any]] = {
        "partial_fit": lambda model, s: model.partial_fit(s.X, s.y, classes=s.classes),
        "labels": lambda model, s: model.test_then_train(s.X, s.y, classes=s.classes),
        "probabilities": lambda model, s: model.test_then_train(s.X, s.y, classes=s.classes, output="proba"),
    }
    table = Table(
        'What calibration="temperature", the default, costs',
        ["model", "learners", *verbs, "learn_one"],
        note="20 columns: CPU time beside that of the same model with calibration=None, medians of turns; labels and"
        " probabilities are those of test_then_train. learn_one: dicts, after the first 512 rows.",
    )
    for ensemble, learner, stream_name, size in TEMPERED:
        stream = make(stream_name, rows // 10 if learner == "hoeffding-tree" else rows)
        cells = []
        for verb in verbs.values():

            def one(
                method: str | None, verb: Any = verb, stream: Any = stream, **made: Any
            ) -> Callable[[], Any]:
                return lambda: verb(build(**made, stream=stream, calibration=method), stream)

            made = {"model": ensemble, "learner": learner, "n_estimators": size}
            spent = interleaved({str(m): one(m, **made) for m in (None, "temperature")}, rounds)
            cells.append(f"{spent['temperature'] / spent['None']:.3f}x")
        models = {
            str(m): build(ensemble, learner, stream, n_estimators=size, calibration=m)
            for m in (None, "temperature")
        }
        for model in models.values():
            model.partial_fit(stream.X[:600], stream.y[:600], classes=stream.classes)
        dicts = [dict(enumerate(x)) for x in stream.X[:1000].tolist()]
        labels = stream.y[:1000].tolist()

        def learn(model: Any, dicts: Any = dicts, labels: Any = labels) -> None:
            for x, y in zip(dicts, labels, strict=True):
                model.learn_one(x, y)

        spent = interleaved({name: (lambda m=m: learn(m)) for name, m in models.items()}, rounds)
        table.add(f"{ensemble} + {learner}", size, *cells, f"{spent['temperature'] / spent['None']:.3f}x")
    return table


def main() -> None:
    options = pages.parser("speed.trust", __doc__).parse_args()
    page = pages.Page("bench-trust", "What trust costs", options)
    explained = explaining(20 if options.quick else 50)
    page.add(explaining_table(explained))
    staged = staging(2_000 if options.quick else 10_000, 1 if options.quick else 3)
    page.add(staging_table(staged))
    page.add(tempering(2_000 if options.quick else 20_000, 1 if options.quick else 7))
    page.write()


if __name__ == "__main__":
    main()

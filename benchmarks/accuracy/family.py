"""What the boosters after 2012 are for, measured: `python -m benchmarks.accuracy.family [noise] [rare] [gradient] [numbers]`.

Writes docs/results/family.md. Label noise: a share of the labels is drawn anew, answers are judged by the labels as they were.
Rare classes: average precision, G-mean of the answers, and recall where one in a hundred rows of the frequent class is called
rare. Naive Bayes or Hoeffding trees as said; three seeds; prequential. Gradient: chains of trees on the two-class streams on
which MOA's were run for docs/results/streams.csv. Numbers: R² of the chain of bags of regression trees.
"""

from __future__ import annotations

import csv
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import streamboost as sb
from streamboost.evaluate import prequential
from streamboost.streams import load

RESULTS = Path(__file__).parents[2] / "docs" / "results"
PAGE = RESULTS / "family.md"
SEEDS = (1, 2, 3)
Make = Callable[[], Any]

NOISY = ("drift-sea", "mushroom", "adult", "kr-vs-kp", "car", "nursery", "balance-scale", "drift-wave")
NOISE = (0.0, 0.1, 0.2, 0.3, 0.4)
NOISE_MODELS: dict[str, Make] = {
    "agnostic, naive Bayes": lambda: sb.AgnosticBoostingClassifier(n_estimators=50),
    "MBBM, naive Bayes": lambda: sb.OnlineMBBMClassifier(sb.NaiveBayes(), n_estimators=50),
    "OLM, naive Bayes": lambda: sb.AdaBoostOLMClassifier(sb.NaiveBayes(), n_estimators=50),
    "OSBoost, naive Bayes": lambda: sb.OSBoostClassifier(n_estimators=50),
    "Oza, naive Bayes": lambda: sb.OnlineBoostingClassifier(n_estimators=50),
    "bagging, naive Bayes": lambda: sb.OnlineBaggingClassifier(n_estimators=50),
    "agnostic, trees": lambda: sb.AgnosticBoostingClassifier(tree(), n_estimators=50),
    "MBBM, trees": lambda: sb.OnlineMBBMClassifier(tree(), n_estimators=50),
    "OLM, trees": lambda: sb.AdaBoostOLMClassifier(tree(), n_estimators=50),
    "OSBoost, trees": lambda: sb.OSBoostClassifier(tree(), n_estimators=50),
    "Oza, trees": lambda: sb.OnlineBoostingClassifier(tree(), n_estimators=50),
    "bagging, trees": lambda: sb.OnlineBaggingClassifier(tree(), n_estimators=50),
}

RARE = ("mammography", "drift-rare", "credit-default", "hypothyroid")


def tree() -> Any:
    return sb.HoeffdingTree()


RARE_MODELS: dict[str, Make] = {
    "bagging": lambda: sb.OnlineBaggingClassifier(tree(), n_estimators=20),
    "bagging, `calibration=None`": lambda: sb.OnlineBaggingClassifier(
        tree(), n_estimators=20, calibration=None
    ),
    'bagging, `class_weight="balanced"`': lambda: sb.OnlineBaggingClassifier(
        tree(), n_estimators=20, class_weight="balanced"
    ),
    "OOB": lambda: sb.OnlineBaggingClassifier(tree(), n_estimators=20, class_weight="oversample"),
    "UOB": lambda: sb.OnlineBaggingClassifier(tree(), n_estimators=20, class_weight="undersample"),
    "UnderOverBagging": lambda: sb.OnlineBaggingClassifier(
        tree(), n_estimators=20, sampling="under_over", class_weight="oversample"
    ),
    "Oza's boosting": lambda: sb.OnlineBoostingClassifier(tree(), n_estimators=20),
    "AdaC2": lambda: sb.CostBoostingClassifier(tree(), n_estimators=20),
    "AdaC2, `calibration=None`": lambda: sb.CostBoostingClassifier(tree(), n_estimators=20, calibration=None),
    "CSB2": lambda: sb.CostBoostingClassifier(tree(), n_estimators=20, algorithm="csb2"),
    "CSB2, `calibration=None`": lambda: sb.CostBoostingClassifier(
        tree(), n_estimators=20, algorithm="csb2", calibration=None
    ),
    "RUSBoost": lambda: sb.CostBoostingClassifier(tree(), n_estimators=20, algorithm="rusboost"),
    "RUSBoost, `calibration=None`": lambda: sb.CostBoostingClassifier(
        tree(), n_estimators=20, algorithm="rusboost", calibration=None
    ),
    "StreamBoost": lambda: sb.StreamBoostClassifier(),
    'StreamBoost, `class_weight="balanced"`': lambda: sb.StreamBoostClassifier(class_weight="balanced"),
    'StreamBoost, `decision="g_mean"`': lambda: sb.StreamBoostClassifier(decision="g_mean"),
}


def noise() -> list[str]:
    """The table of label noise: mean accuracy over the streams of two classes, and that of the others."""
    streams = {name: load(name, limit=5_000) for name in NOISY}
    two = [name for name, stream in streams.items() if len(np.unique(stream.y)) == 2]
    more = [name for name in NOISY if name not in two]
    shares = " | ".join(f"{share:.0%}" for share in NOISE)
    lines = [f"| | {shares} | more classes, {shares} |", f"|---|{'---|' * 2 * len(NOISE)}"]
    for name, make in NOISE_MODELS.items():
        row = [np.mean([noisy(make, streams[one], share) for one in two]) for share in NOISE]
        others = [
            "-"
            if name.startswith("OSBoost")
            else f"{np.mean([noisy(make, streams[one], share) for one in more]):.3f}"
            for share in NOISE
        ]
        lines.append(f"| {name} | {' | '.join(f'{value:.3f}' for value in row)} | {' | '.join(others)} |")
        print(lines[-1], flush=True)
    return lines


def noisy(make: Make, stream: Any, share: float) -> float:
    """Accuracy on the labels as they were where a share of those that are taught is drawn anew."""
    truth = np.asarray(stream.y)
    labels = np.unique(truth)
    rng = np.random.default_rng(3)
    given = np.where(rng.random(len(truth)) < share, rng.choice(labels, len(truth)), truth)
    model = make().set_params(random_state=1, categorical_features=nominal(stream))
    return float((model.test_then_train(stream.X, given, classes=labels) == truth).mean())


def rare() -> list[str]:
    """The table of rare classes: the mean over sets and seeds."""
    metrics = ("average_precision", "g_mean", "recall_at_fpr:fpr=0.01")
    lines = ["| | average precision | G-mean | recall at 1 % false alarms |", "|---|---|---|---|"]
    streams = {name: load(name, limit=15_000) for name in RARE}
    for name, make in RARE_MODELS.items():
        figures = []
        for stream in streams.values():
            labels, counts = np.unique(stream.y, return_counts=True)
            y = (np.asarray(stream.y) != labels[counts.argmax()]).astype(int)
            for seed in SEEDS:
                model = make().set_params(random_state=seed, categorical_features=nominal(stream))
                result = prequential(model, (stream.X, y), classes=[0, 1], metrics=metrics, positive=1)
                figures.append([result.metrics[metric]["cumulative"].value for metric in metrics])
        lines.append(f"| {name} | {' | '.join(f'{value:.3f}' for value in np.mean(figures, axis=0))} |")
        print(lines[-1], flush=True)
    return lines


def gradient() -> list[str]:
    """The table of streaming gradient boosted trees beside MOA's on whole streams."""
    lines = ["| | accuracy | MOA's | CPU s | MOA's |", "|---|---|---|---|---|"]
    rows: list[list[float]] = []
    with (RESULTS / "streams.csv").open(encoding="utf-8") as file:
        theirs = [row for row in csv.DictReader(file) if row["model"] == "MOA SGBT 100"]
    for row in theirs:
        stream = load(row["stream"], limit=int(row["rows"]))
        right, began = [], time.thread_time()
        for seed in SEEDS:
            model = sb.StreamingGradientBoostingClassifier(
                random_state=seed, categorical_features=nominal(stream)
            )
            answers = model.test_then_train(stream.X, stream.y, classes=np.unique(stream.y))
            right.append(float((answers == np.asarray(stream.y)).mean()))
        spent = (time.thread_time() - began) / len(SEEDS)
        rows.append([float(np.mean(right)), float(row["accuracy"]), spent, float(row["seconds"])])
        lines.append("| {} | {:.4f} | {:.4f} | {:.1f} | {:.1f} |".format(row["stream"], *rows[-1]))
        print(lines[-1], flush=True)
    lines.append("| mean | {:.4f} | {:.4f} | {:.1f} | {:.1f} |".format(*np.mean(rows, axis=0)))
    return lines


PUBLISHED = {
    "abalone": 0.483,
    "ailerons": 0.754,
    "bike-sharing-hour": 0.932,
    "elevators": 0.715,
    "house-8l": 0.581,
}
"""Adjusted R² of the paper's code."""


def numbers() -> list[str]:
    """The table of streaming gradient boosted regression."""
    lines = ["| | R² | published |", "|---|---|---|"]
    for name, published in PUBLISHED.items():
        stream = load(name)
        found = []
        for seed in SEEDS:
            model = sb.StreamingGradientBoostingRegressor(
                random_state=seed, categorical_features=nominal(stream)
            )
            found.append(prequential(model, (stream.X, stream.y)).metrics["r2"]["cumulative"].value)
        lines.append(f"| {name} | {np.mean(found):.3f} | {published:.3f} |")
        print(lines[-1], flush=True)
    return lines


def nominal(stream: Any) -> list[int] | None:
    return np.flatnonzero(stream.nominal).tolist() or None


SECTIONS: dict[str, tuple[str, str, Callable[[], list[str]]]] = {
    "noise": (
        "Label noise",
        "Accuracy when a share of the labels is drawn anew: the mean over drift-sea, mushroom, adult and kr-vs-kp, of two "
        "classes, and over car, nursery, balance-scale and drift-wave, of more. 50 learners, the first 5,000 rows of each, "
        "one seed.",
        noise,
    ),
    "rare": (
        "Rare classes",
        f"Mean over {', '.join(RARE)} (all but the most frequent class against that one, the first 15,000 rows) and three seeds; "
        "20 Hoeffding trees under bagging and boosting.",
        rare,
    ),
    "gradient": (
        "Gradient boosted trees",
        "`StreamingGradientBoostingClassifier`, 100 trees, all rows, three seeds, beside MOA's of 100 trees, one seed, whose "
        "figures are those of [the streams](streams.md), measured at another time.",
        gradient,
    ),
    "numbers": (
        "Numbers",
        "`StreamingGradientBoostingRegressor` on all rows, three seeds, beside the adjusted R² of the paper.",
        numbers,
    ),
}


def main() -> None:
    """Measure the sections that are named, or all; the others of the page stay as they are."""
    warnings.simplefilter("ignore")
    old = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    page = ["# Boosters after 2012", "", "`python -m benchmarks.accuracy.family` prints these tables.", ""]
    for key, (title, text, measure) in SECTIONS.items():
        if sys.argv[1:] and key not in sys.argv[1:] and f"## {title}\n" in old:
            page.append(old[old.index(f"## {title}\n") :].split("\n## ")[0].rstrip("\n") + "\n")
        else:
            page += [f"## {title}", "", text, "", *measure(), ""]
    PAGE.write_text("\n".join(page), encoding="utf-8")
    print("\n".join(page))


if __name__ == "__main__":
    main()

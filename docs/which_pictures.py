"""The pictures of "Which one should I use?": `python docs/which_pictures.py`. Nothing is run; they show committed results."""

import csv
import os
from pathlib import Path

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from pictures import BLUE, GRID, INK, ORANGE

from streamboost.reproduce.papers.binary_streams import CHEN
from streamboost.streams import registered

HERE = Path(__file__).parent
RESULTS, FOLDER = HERE / "results", HERE / "images" / "which"
GREEN, PINK, GREY = "#009E73", "#CC79A7", "#888888"
STYLES = {
    "OSBoost": (BLUE, "o"),
    "OSBoost.OCP": (GREEN, "D"),
    "OzaBoost": (ORANGE, "s"),
    "OGBoost": (PINK, "^"),
}
LEARNERS = {"naive_bayes": "naive Bayes", "perceptron": "perceptrons"}


def rows(name):
    """Read the lines of a committed table."""
    with (RESULTS / name).open(newline="") as file:
        return list(csv.DictReader(file))


def panels(n, height=3.4, width=9.0, **options):
    """Return a figure and its axes, dressed alike."""
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(1, n, squeeze=False, **options)[0]
    for one in axes:
        one.tick_params(colors=INK, labelsize=8, length=0)
        one.grid(color=GRID, linewidth=0.6)
        one.set_axisbelow(True)
        for side in ("top", "right", "left", "bottom"):
            one.spines[side].set_visible(False)
    return figure, axes


def save(figure, name):
    """Write a picture."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    figure.savefig(FOLDER / f"{name}.png", dpi=150, metadata={"Software": None})
    print(os.path.relpath(FOLDER / f"{name}.png"))


def chen():
    """Error by learner, algorithm and data set."""
    return {
        (row["weak_learner"], row["algorithm"], row["dataset"]): float(row["ours"])
        for row in rows("chen2012-text.csv")
        if row["ours"]
    }


def size(errors):
    """Draw the change of the error against the number of rows."""
    known = registered()
    n_rows = {entry.title: known[entry.text].n_rows for entry in CHEN}
    figure, axes = panels(2)
    for one, (learner, title) in zip(axes, LEARNERS.items(), strict=True):
        one.axhline(0, color=INK, linewidth=1)
        for algorithm, (colour, marker) in STYLES.items():
            points = sorted(
                (n_rows[dataset], error - errors[learner, "single", dataset])
                for (who, what, dataset), error in errors.items()
                if (who, what) == (learner, algorithm)
            )
            one.plot(
                *zip(*points, strict=True), marker, color=colour, markersize=6, alpha=0.85, label=algorithm
            )
        one.set_xscale("log")
        one.set_title(title, loc="left", fontsize=10)
        one.set_xlabel("rows of the stream", fontsize=9)
    axes[0].set_ylabel("error minus that of a single learner", fontsize=9)
    axes[0].legend(fontsize=8, frameon=False, loc="upper right")
    save(figure, "size")


def kind(errors):
    """Draw the best of each weak learner against the other."""
    figure, (one,) = panels(1, height=4.2, width=5.2)
    best = {}
    for (learner, _, dataset), error in errors.items():
        best[learner, dataset] = min(error, best.get((learner, dataset), 1.0))
    names = list(dict.fromkeys(dataset for _, dataset in best))
    limit = 1.1 * max(best.values())
    one.plot([0, limit], [0, limit], color=GRID, linewidth=2)
    points = sorted((best["perceptron", name], best["naive_bayes", name], name) for name in names)
    for (x, y, name), (next_x, next_y, _) in zip(points, [*points[1:], (1, 1, "")], strict=True):
        one.plot(x, y, "o", color=BLUE, markersize=5)
        # Of two names that would lie on each other, the first stands to the left.
        crowded = x > 0.05 and next_x - x < 0.03 and abs(next_y - y) < 0.02
        where = {"xytext": (-6, 2), "ha": "right"} if crowded else {"xytext": (6, -8)}
        one.annotate(name, (x, y), textcoords="offset points", fontsize=7, color=INK, **where)
    one.set_xlabel("lowest error with perceptrons", fontsize=9)
    one.set_ylabel("lowest error with naive Bayes", fontsize=9)
    save(figure, "kind")


def noise():
    """Draw the error against the share of labels that are wrong."""
    names = ["single", "bagging", "osboost", "online-bbm", "oza-boost", "ogboost"]
    colours = dict(zip(names, (INK, GREY, BLUE, GREEN, ORANGE, PINK), strict=True))
    figure, axes = panels(2)
    for one, generator in zip(axes, ("agrawal", "sea"), strict=True):
        for name in names:
            points = [
                (100 * float(row["data"].partition("=")[2] or 0), float(row["error"]))
                for row in rows("noise.csv")
                if row["model"] == name and row["data"].startswith(generator)
            ]
            one.plot(
                *zip(*sorted(points), strict=True), color=colours[name], marker="o", markersize=4, label=name
            )
        one.set_title(generator, loc="left", fontsize=10)
        one.set_xlabel("labels flipped, %", fontsize=9)
        one.set_ylim(0, None)
    axes[0].set_ylabel("error", fontsize=9)
    axes[1].legend(fontsize=8, frameon=False)
    save(figure, "noise")


def classes():
    """Draw the accuracies on Jung's sets, by number of classes."""
    number = {"Mushroom": 2, "Balance": 3, "Cars": 4, "Nursery": 4, "Movement": 5, "Mice": 8, "ISOLET": 26}
    styles = {
        "best_decision_tree": ("one tree", INK, "."),
        "OnlineBoosting": ("Oza's boosting", ORANGE, "s"),
        "Adaboost.OLM": ("AdaBoost.OLM", GREEN, "D"),
        "best_OnlineMBBM": ("OnlineMBBM", BLUE, "o"),
    }
    found = {(row["algorithm"], row["dataset"]): row["ours"] for row in rows("jung2017.csv") if row["ours"]}
    shown = [name for name in number if ("OnlineBoosting", name) in found]
    figure, (one,) = panels(1, height=3.2, width=7.5)
    for place, (algorithm, (label, colour, marker)) in enumerate(styles.items()):
        one.plot(
            [at + 0.12 * (place - 1.5) for at in range(len(shown))],
            [float(found[algorithm, name]) for name in shown],
            marker,
            color=colour,
            markersize=7,
            label=label,
        )
    one.set_xticks(range(len(shown)), [f"{name}\n{number[name]} classes" for name in shown])
    one.set_ylabel("accuracy, last fifth", fontsize=9)
    one.legend(fontsize=8, frameon=False, loc="lower left")
    save(figure, "classes")


def speed():
    """Draw the rows a second of the benchmark."""
    models = [
        "single",
        "bagging",
        "osboost",
        "osboost, ocp",
        "online-bbm",
        "adaboost-ol",
        "oza-boost",
        "ogboost",
    ]
    learners = {"perceptron": BLUE, "naive-bayes, numeric": ORANGE, "hoeffding-tree, numeric": GREEN}
    found = {
        row["entry"]: float(row["value"])
        for row in rows("bench.csv")
        if row["part"] == "throughput" and row["quantity"] == "monitor on"
    }
    figure, (one,) = panels(1, height=4.2, width=7.5)
    for place, (learner, colour) in enumerate(learners.items()):
        speeds = [found[f"{model} + {learner}"] for model in models]
        one.plot(
            speeds,
            range(len(models)),
            "osD"[place],
            color=colour,
            markersize=7,
            label=learner.partition(",")[0],
        )
    one.set_yticks(range(len(models)), models)
    one.invert_yaxis()
    one.set_xscale("log")
    one.set_xlabel("rows answered and learned per second of CPU time, 20 columns, 100 learners", fontsize=9)
    one.legend(fontsize=8, frameon=False, loc="lower right")
    save(figure, "speed")


if __name__ == "__main__":
    figures = chen()
    size(figures)
    kind(figures)
    noise()
    classes()
    speed()

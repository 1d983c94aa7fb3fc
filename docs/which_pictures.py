"""The pictures of "Which one should I use?": `python docs/which_pictures.py`. Nothing is run; they show committed results."""

import csv
import os
import re
from pathlib import Path

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from pictures import BLUE, INK, ORANGE

from streamboost.report.axes import dress

HERE = Path(__file__).parent
RESULTS, FOLDER = HERE / "results", HERE / "images" / "which"
GREEN, PINK, PALE = "#009E73", "#CC79A7", "#9AA3B2"
GROUPS = ("Streams in their order, two classes", "Streams in their order, more classes")


def panels(n, height=3.4, width=9.0, **options):
    """Return a figure and its axes, dressed alike."""
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(1, n, squeeze=False, **options)[0]
    for one in axes:
        dress(one, foot=False, size=8, width=0.6)
    return figure, axes


def save(figure, name):
    """Write a picture."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    figure.savefig(FOLDER / f"{name}.png", dpi=150, metadata={"Software": None})
    print(os.path.relpath(FOLDER / f"{name}.png"))


def accuracies(group):
    """Name -> mean accuracy, as the page of every ensemble has them."""
    section = (RESULTS / "which.md").read_text().split(f"## {group}")[1].split("\n## ")[0]
    lines = [line.strip("| ").split("|") for line in section.splitlines() if line.startswith("| ")]
    found = {re.sub(r"[*`]|Classifier", "", cells[0]).strip(): cells[1].strip(" *") for cells in lines[2:]}
    return {name: float(value) for name, value in found.items()}


def ensembles():
    """Draw every ensemble with its best learner; the default and one learner stand out."""
    figure, axes = panels(2, height=6.4, width=10.0)
    for one, group in zip(axes, GROUPS, strict=True):
        found = {
            name: value
            for name, value in accuracies(group).items()
            if "Primed" not in name and "CSB2" not in name
        }
        names = sorted(found, key=found.__getitem__)
        for place, name in enumerate(names):
            default, alone = name.startswith("StreamBoost"), name == "one learner"
            colour = BLUE if default else ORANGE if alone else PALE
            one.plot(found[name], place, "o", color=colour, markersize=11 if default else 7)
        one.set_yticks(range(len(names)), names)
        for label, name in zip(one.get_yticklabels(), names, strict=True):
            if name.startswith("StreamBoost"):
                label.set(color=BLUE, fontweight="bold")
            elif name == "one learner":
                label.set(color=ORANGE, fontweight="bold")
        one.set_title(group.removeprefix("Streams in their order, "), loc="left", fontsize=10)
        one.set_xlabel("mean accuracy, with its best learner", fontsize=9)
    save(figure, "ensembles")


def noise():
    """Draw the error against the share of labels that are wrong."""
    names = ["streamboost", "single", "osboost", "online-bbm", "oza-boost", "ogboost"]
    colours = dict(zip(names, (BLUE, INK, GREEN, PALE, ORANGE, PINK), strict=True))
    with (RESULTS / "noise.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    figure, axes = panels(2)
    for one, generator in zip(axes, ("agrawal", "sea"), strict=True):
        for name in names:
            points = [
                (100 * float(row["data"].partition("=")[2] or 0), float(row["error"]))
                for row in rows
                if row["model"] == name and row["data"].startswith(generator)
            ]
            width = 2.6 if name == "streamboost" else 1.3
            xy = zip(*sorted(points), strict=True)
            one.plot(*xy, color=colours[name], marker="o", markersize=4, linewidth=width, label=name)
        one.set_title(generator, loc="left", fontsize=10)
        one.set_xlabel("labels flipped, %", fontsize=9)
        one.set_ylim(0, None)
    axes[0].set_ylabel("error", fontsize=9)
    axes[1].legend(fontsize=8, frameon=False)
    save(figure, "noise")


if __name__ == "__main__":
    ensembles()
    noise()

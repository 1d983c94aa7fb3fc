"""``python -m benchmarks.readme``: the tables and the picture of the README, taken anew from the files under docs/results."""

from __future__ import annotations

import csv
import re
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.pages import figure

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "docs" / "results"
PICTURE = ROOT / "docs" / "images" / "streams.png"
DEFAULT, STRONG, OTHERS, PALE = "StreamBoost", "#0072B2", "#5AA9D6", "#8A93A3"
# name on the page of streams, name in the README
MODELS = {
    DEFAULT: "**StreamBoost, the default**",
    "with the labels' past": 'the same with the companion `"history"`, labels at once',
    "ARF 30": "our adaptive random forest, 30 trees",
    "MOA ARF 30": "MOA, adaptive random forest, 30 trees",
    "MOA SRP 10": "MOA, streaming random patches, 10 trees",
    "MOA LevBag 10": "MOA, leveraging bagging, 10 trees",
    "VW": "Vowpal Wabbit, logistic",
    "LightGBM, retrained": "LightGBM, refitted on all the past at each growth by a fifth",
}
RIVER = "River ARF 10"
# title, race, our entry (its first words)
RACES = (
    ("smooth boosting, logistic", "smooth boosting, hyperplane", "osboost + logistic"),
    ("boost by majority, logistic", "boost by majority, hyperplane", "online-bbm + logistic"),
    ("smooth boosting, naive Bayes", "smooth boosting, gaussians", "osboost + naive-bayes"),
    ("bagging, naive Bayes", "bagging, gaussians", "bagging + naive-bayes"),
    ("Oza boosting, naive Bayes", "Oza boosting, gaussians", "oza-boost + naive-bayes"),
    ("Oza boosting, Hoeffding trees", "Oza boosting, hyperplane", "oza-boost + hoeffding-tree"),
)
LIBRARIES = ("vw", "moa", "river")
Cells = dict[tuple[str, str], tuple[float, float, float]]


def read(name: str) -> list[dict[str, str]]:
    with (RESULTS / name).open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def streams() -> Cells:
    """Accuracy, rows and CPU seconds by model and stream, the means over the seeds."""
    runs: dict[tuple[str, str], list[tuple[float, float, float]]] = {}
    for row in read("streams.csv"):
        values = float(row["accuracy"]), float(row["rows"]), float(row["seconds"])
        runs.setdefault((row["model"], row["stream"]), []).append(values)
    return {key: (m[0], m[1], m[2]) for key, m in ((k, np.mean(v, axis=0).tolist()) for k, v in runs.items())}


def summed(cells: Cells, model: str, over: str | None = None) -> tuple[float, float, int]:
    """Mean accuracy, rows per CPU second and the number of streams: of its own, or of those that another model has."""
    names = [name for m, name in cells if m == (over or model)]
    found = [cells[model, name] for name in names]
    accuracy = float(np.mean([f[0] for f in found]))
    return accuracy, sum(f[1] for f in found) / sum(f[2] for f in found), len(found)


def accuracy() -> str:
    """The default beside other libraries: means over the streams."""
    cells = streams()
    n = summed(cells, DEFAULT)[2]
    lines = [
        f"| model | mean accuracy, {n} streams | rows per CPU second |",
        "|---|---:|---:|",
    ]
    for model, title in MODELS.items():
        mean, rate, streams_of_it = summed(cells, model)
        assert streams_of_it == n, model
        bold = "**" if model == DEFAULT else ""
        lines.append(f"| {title} | {bold}{mean:.3f}{bold} | {bold}{rate:,.0f}{bold} |")
    theirs, rate, some = summed(cells, RIVER)
    ours, faster, _ = summed(cells, DEFAULT, over=RIVER)
    lines.append(
        f"| River, adaptive random forest, 10 trees, on {some} of them | {theirs:.3f} | {rate:,.0f} |"
    )
    lines.append(f"| StreamBoost on the same {some} | {ours:.3f} | {faster:,.0f} |")
    lines.append(f"| *repeat the last label* | {summed(cells, 'no-change')[0]:.3f} | - |")
    return "\n".join(lines)


def speed() -> str:
    """The default beside adaptive forests; then races with 100 learners. Accuracy in brackets."""
    cells = streams()
    lines = ["| race | streamboost | Vowpal Wabbit | MOA | River |", "|---|---:|---:|---:|---:|"]
    row = [summed(cells, DEFAULT), None, summed(cells, "MOA ARF 30"), summed(cells, RIVER)]
    shown = ["-" if s is None else f"{s[1]:,.0f} ({s[0]:.3f})" for s in row]
    lines.append(f"| **the default**, beside adaptive random forests | {' | '.join(shown)} |")
    records = [r for r in read("bench-peers.csv") if r["n"] == "100"]

    def cell(found: dict[str, str]) -> str:
        return f"{float(found['examples_per_s_thread_cpu']):,.0f} ({float(found['accuracy']):.3f})"

    for title, race, entry in RACES:
        own = next(r for r in records if r["race"] == race and r["entry"].startswith(entry))
        beside = [r for r in records if (r["group"], r["race"]) == (own["group"], race)]
        first = {library: next((r for r in beside if r["library"] == library), None) for library in LIBRARIES}
        entries = [cell(own), *("-" if found is None else cell(found) for found in first.values())]
        lines.append(f"| {title} | {' | '.join(entries)} |")
    return "\n".join(lines)


def picture() -> Any:
    """Accuracy against speed: the further up and to the right, the better."""
    cells = streams()
    drawn = figure(8.2, 4.2)
    axes = drawn.subplots()
    beside = {
        "with the labels' past": (-12, 3),
        "SRP 10": (8, -11),
        "MOA SRP 10": (9, -4),
        "MOA LevBag 10": (9, -4),
    }
    for model in (m for m in dict.fromkeys(m for m, _ in cells) if m not in ("no-change", "majority")):
        mean, rate, n = summed(cells, model)
        if n < summed(cells, DEFAULT)[2]:
            continue
        ours = not model.startswith(("MOA", "VW", "LightGBM", "River"))
        colour = STRONG if model == DEFAULT else OTHERS if ours else PALE
        large = model == DEFAULT
        axes.scatter(rate, mean, s=150 if large else 45, color=colour, zorder=3 if large else 2)
        axes.annotate(
            "StreamBoost, the default" if large else model,
            (rate, mean),
            xytext=beside.get(model, (9, 3) if not large else (-12, 9)),
            textcoords="offset points",
            ha="right" if beside.get(model, (9, 3))[0] < 0 or large else "left",
            color=colour,
            fontsize=12 if large else 9,
            fontweight="bold" if large else "normal",
        )
    axes.set_xscale("log")
    axes.set_xlabel("rows answered and learned per CPU second, one thread", fontsize=9)
    axes.set_ylabel("mean accuracy over 23 streams", fontsize=9)
    axes.grid(True, color="#E6E6E6", linewidth=0.7)
    axes.set_axisbelow(True)
    axes.tick_params(labelsize=8, length=0)
    axes.margins(x=0.12, y=0.12)
    for side in ("top", "right", "left", "bottom"):
        axes.spines[side].set_visible(False)
    return drawn


def main() -> None:
    readme = ROOT / "README.md"
    text = readme.read_text(encoding="utf-8")
    for name, table in (("accuracy", accuracy()), ("speed", speed())):
        marks = f"<!-- {name} table -->", f"<!-- end of {name} table -->"
        text = re.sub(
            rf"(?<={marks[0]}\n).*?(?={marks[1]})", lambda _, t=table: t + "\n", text, flags=re.DOTALL
        )
    readme.write_text(text, encoding="utf-8")
    picture().savefig(PICTURE, dpi=150, metadata={"Software": None})
    print(f"written: {readme.name}, {PICTURE.relative_to(ROOT)}")


if __name__ == "__main__":
    main()

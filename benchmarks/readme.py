"""``python -m benchmarks.readme``: the two tables of the README, taken anew from the pages under docs/results."""

from __future__ import annotations

import csv
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "docs" / "results"
STREAMS = (
    "insects-gradual",
    "covtype",
    "drift-agr-abrupt",
    "drift-hyper",
    "drift-rbffast",
    "kddcup99-10pct",
    "spam-499",
    "mean",
)
MODELS = (
    "StreamBoost",
    "its forest alone",
    "ARF 30",
    "SRP 10",
    "MOA ARF 30",
    "MOA SRP 10",
    "MOA LevBag 10",
    "VW",
    "no-change",
)
# title, race, our entry (its first words)
RACES = (
    ("smooth boosting, logistic", "smooth boosting, hyperplane", "osboost + logistic"),
    ("boost by majority, logistic", "boost by majority, hyperplane", "online-bbm + logistic"),
    ("AdaBoost.OL.W, logistic", "adaptive boosting, hyperplane", "adaboost-ol.w + logistic"),
    ("smooth boosting, Gaussian naive Bayes", "smooth boosting, gaussians", "osboost + naive-bayes"),
    ("smooth boosting, nominal naive Bayes", "smooth boosting, nominal", "osboost + naive-bayes"),
    ("bagging, Gaussian naive Bayes", "bagging, gaussians", "bagging + naive-bayes"),
    ("Oza boosting, Gaussian naive Bayes", "Oza boosting, gaussians", "oza-boost + naive-bayes"),
    ("Oza boosting, Hoeffding trees", "Oza boosting, hyperplane", "oza-boost + hoeffding-tree"),
)
LIBRARIES = ("vw", "moa", "river")


def accuracy() -> str:
    """Some streams and models of the page of streams."""
    section = (RESULTS / "streams.md").read_text(encoding="utf-8").split("## Accuracy\n")[1].split("##")[0]
    rows = [[cell.strip() for cell in line.strip("| ").split("|")] for line in section.strip().splitlines()]
    columns = {name: at for at, name in enumerate(rows[0])}
    found = {row[0]: row for row in rows[2:]}
    lines = [f"| stream | {' | '.join(MODELS)} |", "|---|" + "---:|" * len(MODELS)]
    for stream in STREAMS:
        name = f"mean of {len(found) - 1}" if stream == "mean" else stream
        lines.append(f"| {name} | {' | '.join(found[stream][columns[model]] for model in MODELS)} |")
    return "\n".join(lines)


def speed() -> str:
    """Some races with 100 learners: examples per second of CPU time, accuracy in brackets."""
    with (RESULTS / "bench-peers.csv").open(newline="", encoding="utf-8") as file:
        records = [row for row in csv.DictReader(file) if row["n"] == "100"]

    def cell(row: dict[str, str]) -> str:
        return f"{float(row['examples_per_s_thread_cpu']):,.0f} ({float(row['accuracy']):.3f})"

    lines = ["| race | streamboost | Vowpal Wabbit | MOA | River |", "|---|---|---|---|---|"]
    for title, race, entry in RACES:
        own = next(r for r in records if r["race"] == race and r["entry"].startswith(entry))
        beside = [r for r in records if (r["group"], r["race"]) == (own["group"], race)]
        first = {library: next((r for r in beside if r["library"] == library), None) for library in LIBRARIES}
        cells = [cell(own), *("-" if row is None else cell(row) for row in first.values())]
        lines.append(f"| {title} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    readme = ROOT / "README.md"
    text = readme.read_text(encoding="utf-8")
    for name, table in (("accuracy", accuracy()), ("speed", speed())):
        marks = f"<!-- {name} table -->", f"<!-- end of {name} table -->"
        text = re.sub(
            rf"(?<={marks[0]}\n).*?(?={marks[1]})", lambda _, t=table: t + "\n", text, flags=re.DOTALL
        )
    readme.write_text(text, encoding="utf-8")
    print(f"written: {readme.name}")


if __name__ == "__main__":
    main()

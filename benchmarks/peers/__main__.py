"""``python -m benchmarks.peers``: all races: tables, a picture, and the goals in the terminal; results under docs/results.

With ``--group`` or ``--only`` some of the races are held, and the rest of the page stays as it was.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from benchmarks import machine
from benchmarks.clock import took
from benchmarks.peers import report
from benchmarks.peers.contest import Result, hold
from benchmarks.peers.races import RACES
from benchmarks.tables import write_csv, write_markdown

PACKAGES = ["streamboost", "vowpalwabbit", "capymoa", "river", "numpy"]
NOTES = [
    "- a9a, webpage-w8a (sparse), ijcnn1 and covtype (lodgepole pine against the rest, columns divided by their largest values):"
    " a seeded sample of the rows in random order",
    "- Our first entry, which the goals judge: logistic learners beside VW, whose learners are logistic too, with default"
    " options, but smooth boosting with vote=\"ocp\" and learning_rate_spread=1; perceptrons beside MOA's; trees with the peer's"
    " settings,"
    " but with our defaults on covtype. Where options differ from the defaults, they were the more accurate in a trial",
    "- Accuracy of a contestant with fewer rows is that of the first rows only, and not compared. Memory is in bench-peers.csv:"
    " the growth of a process over its imports and data, and that of a model by its learners",
    "- streamboost: test_then_train on the array, default options unless named; VW: C++ driver over a binary cache file, default"
    " options; MOA: warm JVM, instances in memory, MOA's prequential loop in Java; River: predict_one, learn_one per row",
]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers", description=__doc__)
    parser.add_argument("--repetitions", type=int, default=2)
    parser.add_argument("--scale", type=float, default=1.0, help="fraction of the rows of each race")
    parser.add_argument(
        "--only", default="", help="only races whose title contains this; the others of the page stay"
    )
    parser.add_argument("--group", help="only the races of this group; the others of the page stay")
    parser.add_argument("--out", type=Path, default=Path("docs/results"), help="folder of the result files")
    parser.add_argument("--date", help="date printed in the results (default: today)")
    options = parser.parse_args()

    preface = machine.describe(PACKAGES, options.date)
    measured = f"{preface[0].removeprefix('- Date: ')}, streamboost {machine.installed('streamboost')}"
    print("\n".join(preface), flush=True)
    started = time.monotonic()
    races: list[list[Result]] = []
    chosen = [race for race in RACES if options.group in (None, race.group)]
    for race in [race for race in chosen if options.only.lower() in race.title.lower()]:
        races.append(hold(race, options.repetitions, options.scale))
        shown = report.group_table(race.title, report.csv_rows([races[-1]], measured))
        print(f"\n{shown.text()}\n({took(started)} so far)", flush=True)
    if not races:
        parser.error(f"there is no such race among: {'; '.join(r.title for r in RACES)}")
    goals, accuracies = report.goal_table(races), report.accuracy_table(races)
    print("\n" + goals.text() + "\n\n" + accuracies.text())
    order = [(race.group, race.name, str(race.n)) for race in RACES]
    rows = report.with_those_before(report.csv_rows(races, measured), options.out / "bench-peers.csv", order)
    preface += [
        "- Measure: examples per second of CPU time of the learning thread, test then train, one thread, data in memory;"
        " median of interleaved rounds, each contestant in its own warm process",
        *NOTES,
        report.missed(rows, RACES) + ". [What bounds Oza's boosting](roofline.md)",
        "",
        "![Examples per CPU second of every contestant](bench-peers.png)",
    ]
    found = dict.fromkeys(row["group"] for row in rows)
    tables = [report.group_table(group, [row for row in rows if row["group"] == group]) for group in found]
    write_markdown(options.out / "bench-peers.md", "Speed beside other libraries", preface, tables)
    write_csv(options.out / "bench-peers.csv", report.CSV_COLUMNS, [list(row.values()) for row in rows])
    report.picture(rows).savefig(options.out / "bench-peers.png", dpi=130)
    print(f"\nwritten: {options.out}/bench-peers.md, .csv, .png; {took(started)}")


if __name__ == "__main__":
    main()

"""``python -m benchmarks.peers``: all races: tables, a picture, and the goals in the terminal; results under docs/results."""

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
    "- Peak MB: growth of that process's peak memory over its imports and the data as an array",
    "- kB a learner: the model after the stream over its learners; ours by memory_bytes(), MOA's by the growth of the heap",
    "- a9a, webpage-w8a (sparse), ijcnn1 and covtype (lodgepole pine against the rest, columns divided by their largest values):"
    " a seeded sample of the rows in random order",
    "- Our first entry, which the goals judge: logistic learners beside VW, whose learners are logistic too, with default"
    " options, but smooth boosting with vote=\"ocp\" and learning_rate_spread=1; perceptrons beside MOA's; trees with the peer's"
    " settings,"
    " but with our defaults on covtype. Where options differ from the defaults, they were the more accurate in a trial",
    "- Accuracy of a contestant with fewer rows is that of the first rows only, and not compared.",
]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers", description=__doc__)
    parser.add_argument("--repetitions", type=int, default=2)
    parser.add_argument("--scale", type=float, default=1.0, help="fraction of the rows of each race")
    parser.add_argument("--only", default="", help="only races whose title contains this")
    parser.add_argument("--out", type=Path, default=Path("docs/results"), help="folder of the result files")
    parser.add_argument("--date", help="date printed in the results (default: today)")
    options = parser.parse_args()

    preface = machine.describe(PACKAGES, options.date)
    print("\n".join(preface), flush=True)
    started = time.monotonic()
    races: list[list[Result]] = []
    for race in [r for r in RACES if options.only.lower() in r.title.lower()]:
        races.append(hold(race, options.repetitions, options.scale))
        print(f"\n{report.group_table(race.title, [races[-1]]).text()}\n({took(started)} so far)", flush=True)
    if not races:
        parser.error(f"--only {options.only!r} matches none of: {'; '.join(r.title for r in RACES)}")
    goals, accuracies = report.goal_table(races), report.accuracy_table(races)
    print("\n" + goals.text() + "\n\n" + accuracies.text())
    drivers = {r.contestant.peer: r.driver for results in races for r in results if r.driver}
    preface += [
        "- Measure: examples per second of CPU time of the learning thread, test then train, one thread, data in memory;"
        f" median of {options.repetitions} interleaved rounds, each contestant in its own warm process",
        *NOTES,
        *[f"- {peer}: {driver}" for peer, driver in drivers.items()],
        "",
        "![Examples per CPU second of every contestant](bench-peers.png)",
    ]
    groups = dict.fromkeys(results[0].race.group for results in races)
    tables = [report.group_table(g, [r for r in races if r[0].race.group == g]) for g in groups]
    write_markdown(options.out / "bench-peers.md", "Speed beside other libraries", preface, tables)
    write_csv(options.out / "bench-peers.csv", report.CSV_COLUMNS, report.csv_rows(races))
    if any(result.runs for results in races for result in results):
        report.picture(races).savefig(options.out / "bench-peers.png", dpi=130)
    print(f"\nwritten: {options.out}/bench-peers.md, .csv, .png; {took(started)}")


if __name__ == "__main__":
    main()

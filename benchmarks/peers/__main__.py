"""``python -m benchmarks.peers``: all races, a table, goals, a picture; results under docs/results."""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from benchmarks import machine
from benchmarks.peers.contest import Result, hold
from benchmarks.peers.races import RACES, Contestant
from benchmarks.tables import Cell, Table, write_csv, write_markdown

PACKAGES = ["streamboost", "vowpalwabbit", "capymoa", "river", "numpy"]
ROWS_NOTE = "Accuracy of a contestant with fewer rows is that of the first rows only."


def ratio(ours: Result, theirs: Result, clock: str = "thread") -> float:
    return ours.rate(clock) / theirs.rate(clock)


def race_table(results: list[Result]) -> Table:
    race = results[0].race
    table = Table(
        f"{race.name} ({race.stream})",
        [
            "library",
            "entry",
            "rows",
            "examples/s",
            "ours is faster",
            "accuracy",
            "peak MB",
            "kB a learner",
            "remark",
        ],
    )
    for result in results:
        c = result.contestant
        if not result.runs:
            table.add(c.peer, c.label, "-", "-", "-", "-", "-", "-", f"not run: {result.error}")
            continue
        compared = c.peer != "streamboost" and results[0].runs
        faster = f"{ratio(results[0], result):.1f}x" if compared else "-"
        remark = c.note or (f"stopped: {result.error}" if result.error else "")
        rate, accuracy = f"{result.rate():,.0f}", f"{result.accuracy:.4f}"
        table.add(
            c.peer,
            c.label,
            f"{result.runs[0]['rows']:,}",
            rate,
            faster,
            accuracy,
            f"{result.megabytes:.0f}",
            "-" if result.learner_kilobytes is None else f"{result.learner_kilobytes:.1f}",
            remark,
        )
    return table


def goal_table(races: list[list[Result]]) -> Table:
    table = Table(
        "Goals",
        ["race", "against", "goal", "CPU of the learning thread", "CPU of the process", "reached"],
        note="Judged by the learning thread: the peers' helper threads are left out, in their favour.",
    )
    for results in races:
        for result in results[1:]:
            c: Contestant = result.contestant
            if c.goal is None:
                continue
            if not (result.runs and results[0].runs):
                reason = result.error or results[0].error
                table.add(
                    result.race.name, f"{c.peer} {c.label}", f"{c.goal:g}x", "-", "-", f"not run: {reason}"
                )
                continue
            strict, loose = ratio(results[0], result), ratio(results[0], result, "process")
            reached = "yes" if strict >= c.goal else "no"
            table.add(
                result.race.name,
                f"{c.peer} {c.label}",
                f"{c.goal:g}x",
                f"{strict:.1f}x",
                f"{loose:.1f}x",
                reached,
            )
    return table


def accuracy_table(races: list[list[Result]]) -> Table:
    table = Table(
        "Accuracy goals",
        ["race", "ours", "against", "theirs", "may be lower by", "reached"],
        note="Means over the rounds, each with a seed of its own.",
    )
    for results in races:
        for result in results[1:]:
            allowed, mine, theirs = result.contestant.lost, results[0].accuracy, result.accuracy
            if allowed is None or mine is None or theirs is None:
                continue
            against = f"{result.contestant.peer} {result.contestant.label}"
            reached = "yes" if mine >= theirs - allowed else "no"
            table.add(result.race.name, f"{mine:.4f}", against, f"{theirs:.4f}", f"{allowed:g}", reached)
    return table


def csv_rows(races: list[list[Result]]) -> tuple[list[str], list[list[Cell]]]:
    columns = ["race", "stream", "library", "entry", "rows", "repetitions", "examples_per_s_thread_cpu"]
    columns += [
        "examples_per_s_process_cpu",
        "examples_per_s_wall",
        "accuracy",
        "peak_mb",
        "kb_per_learner",
        "remark",
    ]
    rows: list[list[Cell]] = []
    for result in [r for results in races for r in results]:
        c, ran = result.contestant, bool(result.runs)
        rates: list[Cell] = [round(result.rate(k), 1) if ran else None for k in ("thread", "process", "wall")]
        rest: list[Cell] = [
            result.accuracy,
            round(result.megabytes, 1) if result.megabytes is not None else None,
            round(result.learner_kilobytes, 2) if result.learner_kilobytes is not None else None,
        ]
        n: Cell = result.runs[0]["rows"] if ran else None
        remark = f"not run: {result.error}" if not ran else c.note
        rows.append(
            [
                result.race.name,
                result.race.stream,
                c.peer,
                c.label,
                n,
                len(result.runs),
                *rates,
                *rest,
                remark,
            ]
        )
    return columns, rows


def picture(races: list[list[Result]], path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    colours = {"streamboost": "#1b6ca8", "vw": "#e08e45", "moa": "#9b9b9b", "river": "#7fb069"}
    bars = [(r.race.name, r) for results in races for r in results if r.runs]
    figure, axes = plt.subplots(figsize=(9, 0.32 * (len(bars) + len(races)) + 1))
    position, ticks, labels = 0.0, [], []
    previous = ""
    for name, result in bars:
        if name != previous:
            position += 1.0
            axes.text(
                1.0,
                position - 0.1,
                f" {name}",
                transform=axes.get_yaxis_transform(),
                ha="right",
                va="bottom",
                fontsize=8,
            )
            previous = name
        axes.barh(position + 0.4, result.rate(), height=0.8, color=colours[result.contestant.peer])
        axes.text(result.rate(), position + 0.4, f" {result.rate():,.0f}", va="center", fontsize=7)
        ticks.append(position + 0.4)
        labels.append(f"{result.contestant.peer}: {result.contestant.label}")
        position += 1.0
    axes.set_xscale("log")
    axes.set_xlim(10, 5 * max(r.rate() for _, r in bars))
    axes.set_yticks(ticks, labels, fontsize=7)
    axes.invert_yaxis()
    axes.set_xlabel("examples per CPU second, test then train, 100 learners, 20 features, one thread")
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    figure.tight_layout()
    figure.savefig(path, dpi=130)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers", description=__doc__)
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--scale", type=float, default=1.0, help="fraction of the rows of each race")
    parser.add_argument("--only", default="", help="only races whose name contains this")
    parser.add_argument("--out", type=Path, default=Path("docs/results"), help="folder of the result files")
    parser.add_argument("--date", help="date printed in the results (default: today)")
    options = parser.parse_args()

    preface = machine.describe(PACKAGES, options.date)
    print("\n".join(preface), flush=True)
    started = time.monotonic()
    races: list[list[Result]] = []
    for race in [r for r in RACES if options.only.lower() in r.name.lower()]:
        races.append(hold(race, options.repetitions, options.scale))
        print("\n" + race_table(races[-1]).text(), flush=True)
    if not races:
        parser.error(f"--only {options.only!r} matches none of: {', '.join(r.name for r in RACES)}")
    goals, accuracies = goal_table(races), accuracy_table(races)
    print("\n" + goals.text() + "\n\n" + accuracies.text())
    drivers = {r.contestant.peer: r.driver for results in races for r in results if r.driver}
    preface += [
        "- Measure: examples per second of CPU time of the learning thread, test then train, one thread,"
        f" 100 learners, data in memory; median of {options.repetitions} interleaved rounds, each contestant in"
        " its own warm process",
        "- Peak MB: growth of that process's peak memory over its imports and the data as an array",
        "- kB a learner: the model after the stream over its learners; ours by memory_bytes(), MOA's by the growth of the"
        " heap",
        *[f"- {peer}: {driver}" for peer, driver in drivers.items()],
        f"- {ROWS_NOTE}",
        "",
        "![Examples per CPU second of every contestant](bench-peers.png)",
    ]
    columns, rows = csv_rows(races)
    write_markdown(
        options.out / "bench-peers.md",
        "Side by side with other libraries",
        preface,
        [goals, accuracies, *map(race_table, races)],
    )
    write_csv(options.out / "bench-peers.csv", columns, rows)
    picture(races, options.out / "bench-peers.png")
    print(f"\nwritten: {options.out}/bench-peers.md, .csv, .png; {time.monotonic() - started:.0f} s")


if __name__ == "__main__":
    main()

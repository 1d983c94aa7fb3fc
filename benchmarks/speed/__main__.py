"""``python -m benchmarks.speed``: throughput, roofline, latency, memory and import time of this machine."""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

from benchmarks import machine
from benchmarks.clock import took
from benchmarks.speed import footprint, latency, levels, others, parsing, roofline, throughput
from benchmarks.speed.throughput import Entry
from benchmarks.tables import Table, write_markdown

PARSED_ROWS = 10_000  # of every file that is read
PACKAGES = ["streamboost", "numpy", "scikit-learn"]
MAIN = ("osboost", "perceptron")
T = TypeVar("T")

MODEL_MB, OVER_IMPORTS_MB, LEARN_ONE_US = 2.0, 20.0, 10.0


def attempt(what: str, action: Callable[[], T]) -> T | None:
    """A part that cannot be measured is named and skipped; the rest of the page is still written."""
    try:
        return action()
    except Exception as error:
        print(
            f"not measured: {what}: {type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
        )
        return None


def throughput_table(found: dict[tuple[str, str], Entry]) -> Table:
    """Ensembles down, learners across."""
    learners = list(dict.fromkeys(learner for _, learner in found))
    table = Table(
        "Throughput, examples a second",
        ["ensemble", *learners],
        note="100 learners (single: one), 20 features. `streamboost` here is its ensemble with 100 learners of the column; the"
        " model as it is, with 30 trees and its companions, is on the [page of streams](streams.md). -: not run.",
    )
    for ensemble in dict.fromkeys(ensemble for ensemble, _ in found):
        ran = [found.get((ensemble, learner)) for learner in learners]
        table.add(ensemble, *[f"{e.rate:,.0f}" if e is not None and e.seconds else "-" for e in ran])
    return table


def roofline_table(kernels: dict[str, Entry], ours: Entry | None) -> Table:
    table = Table(
        "Roofline",
        ["kernel", "examples/s", "osboost + perceptron reaches"],
        note="Bare kernels that do only the two passes over W[21][112], free to use every instruction of the host;"
        " plain: loops over the lanes; blocked: half of the lanes in registers at a time.",
    )
    for name, entry in kernels.items():
        share = f"{ours.rate / entry.rate:.1%}" if ours is not None and ours.seconds else "-"
        table.add(name, f"{entry.rate:,.0f}", share)
    return table


class Goals(Table):
    """Goals beside what was measured, for the terminal."""

    def __init__(self) -> None:
        super().__init__("Goals", ["what", "goal", "measured", "reached"])

    def judge(self, what: str, goal: str, measured: str, reached: bool) -> None:
        self.add(what, goal, measured, "yes" if reached else "no")


def throughput_part(rows: int, repetitions: int, only: str, goals: Goals) -> list[Table]:
    """Every ensemble with every learner, beside bare kernels and models that no other learner fits."""
    found = throughput.entries(rows, only)
    kernels = attempt("roofline", lambda: roofline.entries(rows)) or {}
    more = attempt("experts", lambda: others.entries(rows)) or {}
    more = {name: entry for name, entry in more.items() if only in name}
    throughput.measure([*kernels.values(), *found.values(), *more.values()], repetitions)
    ours = found.get(MAIN)
    tables = [throughput_table(found)]
    if more:
        tables.append(others.others_table(more))
    boosted = more.get(next(iter(others.NUMBERS)))
    if boosted is not None and boosted.seconds:
        reached = boosted.rate >= others.NUMBERS_RATE
        goals.judge(boosted.name, f">= {others.NUMBERS_RATE:,.0f}/s", f"{boosted.rate:,.0f}/s", reached)
    if kernels:
        tables.append(roofline_table(kernels, ours))
    for name, entry in kernels.items():
        # Both are judged: the kernel as anyone would write it, and the fastest known, which is the stricter bar.
        if ours is not None and ours.seconds:
            share = ours.rate / entry.rate
            what = f"osboost + perceptron, share of the {name} roofline"
            goals.judge(what, f">= {roofline.SHARE:.0%}", f"{share:.1%}", share >= roofline.SHARE)
    return tables


def multiclass_part(rows: int, repetitions: int, goals: Goals) -> list[Table]:
    """The two multiclass boosters side by side."""
    boosters = attempt("multiclass", partial(others.multiclass, rows, repetitions))
    if boosters is None:
        return []
    for learner, slower in boosters[0].items():
        what = f"online-mbbm (pairwise) over adaboost-olm, {others.CLASSES} classes, {learner}"
        goals.judge(what, f"<= {others.SLOWER:g}x", f"{slower:.2f}x", slower <= others.SLOWER)
    return [boosters[1]]


def latency_part(n_calls: int, goals: Goals) -> None:
    """Calls of one row, a dict; the page of latency has them all."""
    measure = partial(latency.measure, "osboost", "perceptron", "hyperplane", n_calls)
    for verb in attempt("latency", measure) or []:
        if verb.verb == "learn_one":
            what, reached = "osboost + perceptron, learn_one, median", verb.p50 <= LEARN_ONE_US
            goals.judge(what, f"<= {LEARN_ONE_US:g} us", f"{verb.p50:.2f} us", reached)


def parsing_part(goals: Goals) -> list[Table]:
    """Files of every format."""
    files = attempt("parsing", partial(parsing.measure, PARSED_ROWS, 3))
    for file in files or ():
        if file.goal is not None:
            what = f"reading {file.name}"
            goals.judge(what, f">= {file.goal:g} MB/s", f"{file.speed:.0f} MB/s", file.speed >= file.goal)
    waits = attempt("who waits", partial(parsing.waiting_table, PARSED_ROWS, 3))
    return [table for table in (files and parsing.parsing_table(files), waits) if table]


def footprint_part(goals: Goals) -> list[Table]:
    """Memory of a model and of the process, and the time of the import."""
    size = attempt("memory", footprint.footprint)
    if size is not None:
        over_mb, model_mb = size[0], size[1] / 2**20
        reached = model_mb < MODEL_MB
        goals.judge(
            "osboost + perceptron, memory_bytes()", f"< {MODEL_MB:g} MB", f"{model_mb:.3f} MB", reached
        )
        reached = over_mb < OVER_IMPORTS_MB
        goals.judge(
            "peak memory over the bare imports", f"< {OVER_IMPORTS_MB:g} MB", f"{over_mb:.1f} MB", reached
        )
    imports = Table(
        "Import", ["what", "CPU ms"], note="A fresh interpreter, start-up included, files cached."
    )
    for what, seconds in (attempt("import time", lambda: footprint.import_seconds(5)) or {}).items():
        imports.add(what, f"{seconds * 1000:.0f}")
    return [imports]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed", description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--calls", type=int, default=20_000, help="calls of each dict verb")
    parser.add_argument("--only", default="", help="only throughput entries whose name contains this")
    parser.add_argument("--out", type=Path, default=Path("docs/results"), help="folder of the result files")
    parser.add_argument("--date", help="date printed in the results (default: today)")
    options = parser.parse_args()

    started = time.monotonic()
    warnings.simplefilter("ignore")  # advice for users: these models are measured, not meant to be good
    preface = machine.describe(PACKAGES, options.date)
    print("\n".join(preface), flush=True)
    goals = Goals()
    tables = throughput_part(options.rows, options.repetitions, options.only, goals)
    by_level = attempt("levels", levels.level_table)
    tables += [] if by_level is None else [by_level]
    tables += multiclass_part(options.rows, options.repetitions, goals)
    latency_part(options.calls, goals)
    tables += parsing_part(goals)
    tables += footprint_part(goals)
    for table in (*tables, goals):
        print("\n" + table.text())
    preface.append(
        f"- Measure: CPU time of one thread, test_then_train over {options.rows:,} dense rows in memory, median of"
        f" {options.repetitions} interleaved rounds; every option at its default"
    )
    write_markdown(options.out / "bench.md", "Speed on one machine", preface, tables)
    print(f"\nwritten: {options.out}/bench.md; {took(started)}")


if __name__ == "__main__":
    main()

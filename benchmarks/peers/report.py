"""The tables, the CSV rows and the picture of the races."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks import pages
from benchmarks.peers.contest import Result
from benchmarks.peers.races import Race
from benchmarks.tables import Cell, Table

FEWER = "first rows only"
LOWER = 0.005  # an accuracy that is lower by more than this is marked
COLOURS = {"streamboost": "#0072B2", "vw": "#E69F00", "moa": "#CC79A7", "river": "#009E73"}
Races = list[list[Result]]
Row = dict[str, str]
"""A record of bench-peers.csv."""


def ratio(ours: Result, theirs: Result, clock: str = "thread") -> float:
    return ours.rate(clock) / theirs.rate(clock)


CSV_COLUMNS = (
    "group race stream n library entry rows repetitions examples_per_s_thread_cpu examples_per_s_process_cpu"
    " examples_per_s_wall accuracy peak_mb kb_per_learner remark measured"
).split()
RATE = "examples_per_s_thread_cpu"


def csv_rows(races: Races, measured: str) -> list[Row]:
    """One record per contestant; `measured` says when, and of what version."""
    found: list[Row] = []
    for result in [r for results in races for r in results]:
        race, c, ran = result.race, result.contestant, bool(result.runs)
        rates: list[Cell] = [round(result.rate(k), 1) if ran else None for k in ("thread", "process", "wall")]
        size, each = result.megabytes, result.learner_kilobytes
        remark = [c.note] if c.note else []
        if result.error:
            remark.append(f"{'stopped' if ran else 'not run'}: {result.error}")
        if ran and not result.whole:
            remark.append(FEWER)
        cells: list[Cell] = [
            race.group,
            race.name,
            race.stream,
            race.n,
            c.peer,
            c.label,
            result.runs[0]["rows"] if ran else None,
            len(result.runs),
            *rates,
            result.accuracy,
            None if size is None else round(size, 1),
            None if each is None else round(each, 2),
            "; ".join(remark),
            measured,
        ]
        found.append(
            dict(zip(CSV_COLUMNS, ("" if cell is None else str(cell) for cell in cells), strict=True))
        )
    return found


def race_of(row: Row) -> tuple[str, str, str]:
    return row["group"], row["race"], row["n"]


def with_those_before(rows: list[Row], path: Path, order: Sequence[tuple[str, str, str]]) -> list[Row]:
    """These and, of the races that were not run now, what the file has of them: a long page can be measured in parts."""
    run = {race_of(row) for row in rows}
    if path.exists():
        with path.open(newline="", encoding="utf-8") as file:
            before = [
                row for row in csv.DictReader(file) if race_of(row) not in run and race_of(row) in order
            ]
        rows = before + rows
    return sorted(rows, key=lambda row: order.index(race_of(row)))


def races_of(rows: list[Row]) -> list[list[Row]]:
    """The records of each race, ours first."""
    found: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        found.setdefault(race_of(row), []).append(row)
    return list(found.values())


def group_table(group: str, rows: list[Row]) -> Table:
    """All races of a group: ours first, ratios are to our first entry of the race."""
    columns = ["race", "N", "library", "entry", "rows", "examples/s", "ours is faster", "accuracy"]
    table = Table(group[0].upper() + group[1:], [*columns, "remark"])
    table.note = "Measured: " + ", ".join(dict.fromkeys(row["measured"] for row in rows))
    for race in races_of(rows):
        first = race[0]
        for row in race:
            # The name of a race stands on its first line only.
            head = [row["race"], row["n"]] if row is first else ["", ""]
            head += [row["library"], row["entry"]]
            if not row[RATE]:
                table.add(*head, *["-"] * 4, row["remark"])
                continue
            compared = row["library"] != "streamboost" and first[RATE]
            remark = [row["remark"]] if row["remark"] else []
            lead = float(row["accuracy"]) - float(first["accuracy"] or "nan")
            if compared and FEWER not in row["remark"] and lead > LOWER:
                remark.append(f"**more accurate than our first entry by {lead:.3f}**")
            table.add(
                *head,
                f"{int(row['rows']):,}",
                f"{float(row[RATE]):,.0f}",
                f"{float(first[RATE]) / float(row[RATE]):.1f}x" if compared else "-",
                f"{float(row['accuracy']):.4f}",
                "; ".join(remark),
            )
    return table


def missed(rows: list[Row], races: Sequence[Race]) -> str:
    """The goals that the rows of the page miss, in a line."""
    found = []
    held = {race_of(race[0]): race for race in races_of(rows)}
    for race in races:
        first, *others = held.get((race.group, race.name, str(race.n))) or [{}]
        for c in race.contestants:
            for row in others:
                if (row["library"], row["entry"]) != (c.peer, c.label) or not (row[RATE] and first[RATE]):
                    continue
                faster = float(first[RATE]) / float(row[RATE])
                if c.goal is not None and faster < c.goal:
                    found.append(
                        f"{race.name} beside {c.peer.upper()}'s {c.label}: {faster:.1f}x of {c.goal:g}x"
                    )
    return "- Goals of speed that are missed: " + ("; ".join(found) or "none")


def most_accurate(results: list[Result]) -> Result:
    mine = [r for r in results if r.contestant.peer == "streamboost" and r.runs]
    return max(mine, key=lambda r: r.accuracy or 0.0)


def goal_table(races: Races) -> Table:
    table = Table(
        "Goals",
        [
            "race",
            "against",
            "goal",
            "CPU of the learning thread",
            "CPU of the process",
            "by our most accurate entry",
            "reached",
        ],
        note="Judged by the learning thread of our first entry: the peers' helper threads are left out, in their favour.",
    )
    for results in races:
        for result in results[1:]:
            c = result.contestant
            if c.goal is None:
                continue
            head = [result.race.title, f"{c.peer} {c.label}", f"{c.goal:g}x"]
            if not (result.runs and results[0].runs):
                table.add(*head, "-", "-", "-", f"not run: {result.error or results[0].error}")
                continue
            strict, loose = ratio(results[0], result), ratio(results[0], result, "process")
            best = ratio(most_accurate(results), result)
            reached = "yes" if strict >= c.goal else "no"
            table.add(*head, f"{strict:.1f}x", f"{loose:.1f}x", f"{best:.1f}x", reached)
    return table


def accuracy_table(races: Races) -> Table:
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
            table.add(result.race.title, f"{mine:.4f}", against, f"{theirs:.4f}", f"{allowed:g}", reached)
    return table


def picture(rows: list[Row]) -> Any:
    """One line per race, a dot per entry: how far apart the libraries are is what the eye compares."""
    ran = races_of([row for row in rows if row[RATE]])
    groups = list(dict.fromkeys(row["group"] for row in rows))
    figure = pages.figure(10, 0.27 * (len(ran) + 1.6 * len(groups)) + 1.2)
    axes = figure.subplots()
    position, ticks, labels = 0.0, [], []
    for group in groups:
        axes.text(-0.01, position, group, transform=axes.get_yaxis_transform(), ha="right", va="center",
                  fontsize=9, fontweight="bold")  # fmt: skip
        position += 1.0
        for race in [race for race in ran if race[0]["group"] == group]:
            rates = [float(row[RATE]) for row in race]
            axes.plot([min(rates), max(rates)], [position] * 2, color="#DDDDDD", linewidth=1.2, zorder=1)
            for row, rate in zip(race, rates, strict=True):
                colour = COLOURS[row["library"]]
                face = "white" if FEWER in row["remark"] else colour  # hollow: few rows only
                axes.scatter(rate, position, s=26, color=face, edgecolors=colour, zorder=2)
            axes.text(max(rates) * 1.15, position, f"{rates[0]:,.0f}", fontsize=7, va="center")
            ticks.append(position)
            labels.append(f"{race[0]['race']}, N = {race[0]['n']}")
            position += 1.0
        position += 0.6
    for peer, colour in COLOURS.items():
        axes.scatter([], [], s=26, color=colour, label=peer)
    axes.set_xscale("log")
    axes.set_yticks(ticks, labels, fontsize=8)
    axes.tick_params(length=0)
    axes.grid(True, axis="x", color="#EEEEEE", linewidth=0.7)
    axes.set_axisbelow(True)
    axes.set_ylim(position, -1)
    axes.set_xlabel(
        "examples per CPU second of the learning thread, test then train; the number is our first entry's",
        fontsize=8,
    )
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, 1.05), ncols=4, fontsize=8, frameon=False)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    return figure

"""The tables, the CSV rows and the picture of the races."""

from __future__ import annotations

from typing import Any

from benchmarks import pages
from benchmarks.peers.contest import Result
from benchmarks.tables import Cell, Table

LOWER = 0.005  # an accuracy that is lower by more than this is marked
COLOURS = {"streamboost": "#0072B2", "vw": "#E69F00", "moa": "#CC79A7", "river": "#009E73"}
Races = list[list[Result]]


def ratio(ours: Result, theirs: Result, clock: str = "thread") -> float:
    return ours.rate(clock) / theirs.rate(clock)


def remark(result: Result, first: Result) -> str:
    parts = [result.contestant.note] if result.contestant.note else []
    if result.error:
        parts.append(f"stopped: {result.error}")
    if not result.whole:
        parts.append("first rows only")
    elif result is not first and result.accuracy is not None and first.accuracy is not None:
        lead = result.accuracy - first.accuracy
        if result.contestant.peer != "streamboost" and lead > LOWER:
            parts.append(f"**more accurate than our first entry by {lead:.3f}**")
    return "; ".join(parts)


def group_table(group: str, races: Races) -> Table:
    """All races of a group: ours first, ratios are to our first entry of the race."""
    columns = ["race", "N", "library", "entry", "rows", "examples/s", "ours is faster", "accuracy"]
    table = Table(group[0].upper() + group[1:], [*columns, "peak MB", "kB a learner", "remark"])
    for results in races:
        first, race = results[0], results[0].race
        for i, result in enumerate(results):
            c = result.contestant
            # The name of a race stands on its first line only.
            head = [race.name if i == 0 else "", str(race.n) if i == 0 else "", c.peer, c.label]
            if not result.runs:
                table.add(*head, *["-"] * 6, f"not run: {result.error}")
                continue
            compared = c.peer != "streamboost" and first.runs
            table.add(
                *head,
                f"{result.runs[0]['rows']:,}",
                f"{result.rate():,.0f}",
                f"{ratio(first, result):.1f}x" if compared else "-",
                f"{result.accuracy:.4f}",
                f"{result.megabytes:.0f}",
                "-" if result.learner_kilobytes is None else f"{result.learner_kilobytes:.1f}",
                remark(result, first),
            )
    return table


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


CSV_COLUMNS = (
    "group race stream n library entry rows repetitions examples_per_s_thread_cpu examples_per_s_process_cpu"
    " examples_per_s_wall accuracy peak_mb kb_per_learner remark"
).split()


def csv_rows(races: Races) -> list[list[Cell]]:
    rows: list[list[Cell]] = []
    for result in [r for results in races for r in results]:
        race, c, ran = result.race, result.contestant, bool(result.runs)
        rates: list[Cell] = [round(result.rate(k), 1) if ran else None for k in ("thread", "process", "wall")]
        size, each = result.megabytes, result.learner_kilobytes
        rows.append(
            [
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
                c.note if ran else f"not run: {result.error}",
            ]
        )
    return rows


def picture(races: Races) -> Any:
    """One line per race, a dot per entry: how far apart the libraries are is what the eye compares."""
    ran = [results for results in races if any(r.runs for r in results)]
    groups = list(dict.fromkeys(results[0].race.group for results in ran))
    figure = pages.figure(10, 0.27 * (len(ran) + 1.6 * len(groups)) + 1.2)
    axes = figure.subplots()
    position, ticks, labels = 0.0, [], []
    for group in groups:
        axes.text(-0.01, position, group, transform=axes.get_yaxis_transform(), ha="right", va="center",
                  fontsize=9, fontweight="bold")  # fmt: skip
        position += 1.0
        for results in [r for r in ran if r[0].race.group == group]:
            done = [r for r in results if r.runs]
            rates = [r.rate() for r in done]
            axes.plot([min(rates), max(rates)], [position] * 2, color="#DDDDDD", linewidth=1.2, zorder=1)
            for result in done:
                colour = COLOURS[result.contestant.peer]
                face = colour if result.whole else "white"  # hollow: few rows only
                axes.scatter(result.rate(), position, s=26, color=face, edgecolors=colour, zorder=2)
            axes.text(max(rates) * 1.15, position, f"{rates[0]:,.0f}", fontsize=7, va="center")
            ticks.append(position)
            labels.append(f"{results[0].race.name}, N = {results[0].race.n}")
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

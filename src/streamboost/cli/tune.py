"""The ``tune`` command: a search of parameters by successive halving on prefixes of a stream."""

from __future__ import annotations

import itertools
import json
import math
import random
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.table import Table

from streamboost.base.files.writing import write_file
from streamboost.cli.compare import PLAIN, choose, common_task, run_resumably
from streamboost.cli.console import stderr, stdout, titled
from streamboost.cli.data_options import written
from streamboost.cli.errors import UserError
from streamboost.experiments.plan import Algorithm, Protocol, Source, plan_runs
from streamboost.experiments.runner import Outcome
from streamboost.experiments.summary import figure_text


@dataclass(frozen=True)
class Search:
    """A search: the parameters that are tried, and how many of them."""

    grid: tuple[str, ...]
    draws: int | None = None
    seeds: int = 3
    rungs: int = 3
    keep: int = 3
    """One of so many goes on to the next rung, which has so many times the rows."""


def candidates(search: Search, seed: int) -> list[str]:
    """Return parameters as they are written after the name of a model: all of a grid, or some drawn from it.

    ``gamma=0.05,0.1,0.2`` lists values. ``gamma=0.01..0.4`` is a range, which only draws can take: evenly on a logarithmic
    scale if both ends are above 0, whole numbers between whole numbers.
    """
    names, choices = [], []
    for text in search.grid:
        name, equals, values = text.partition("=")
        if not equals or not name or not values:
            raise UserError(
                f"--grid {text}: write a parameter and its values, as gamma=0.05,0.1,0.2 or gamma=0.01..0.4."
            )
        names.append(name.strip().replace("-", "_"))
        choices.append(_values(text, values))
    if len(set(names)) < len(names):
        raise UserError("--grid: a parameter is named twice.")
    if search.draws is None:
        if any(isinstance(choice, _Range) for choice in choices):
            raise UserError("--grid: a range has no end of values; --random N draws from it.")
        combined = [list(values) for values in itertools.product(*choices)]
    else:
        draw = random.Random(seed)
        combined = [
            [choice.draw(draw) if isinstance(choice, _Range) else draw.choice(choice) for choice in choices]
            for _ in range(search.draws)
        ]
    texts = [":".join(f"{n}={v}" for n, v in zip(names, values, strict=True)) for values in combined]
    return list(dict.fromkeys(texts))


class _Range:
    """Numbers between two ends."""

    def __init__(self, low: float, high: float, whole: bool) -> None:
        self.low, self.high, self.whole = low, high, whole

    def draw(self, generator: random.Random) -> str:
        if self.low > 0:
            value = math.exp(generator.uniform(math.log(self.low), math.log(self.high)))
        else:
            value = generator.uniform(self.low, self.high)
        return str(round(value)) if self.whole else f"{value:.4g}"


def _values(text: str, values: str) -> Any:
    low, dots, high = values.partition("..")
    if not dots:
        return [value.strip() for value in values.split(",")]
    try:
        ends = float(low), float(high)
    except ValueError:
        raise UserError(f"--grid {text}: the ends of a range are numbers.") from None
    if not ends[0] < ends[1]:
        raise UserError(f"--grid {text}: the first end of a range is below the second.")
    return _Range(*ends, whole=low.strip().lstrip("-").isdigit() and high.strip().lstrip("-").isdigit())


def tune(
    source: Source,
    model: str,
    learner: str | None,
    search: Search,
    *,
    folder: Path,
    jobs: int,
    seed: int,
    n_estimators: int | None,
    runner: Callable[..., Outcome],
    task: str | None = None,
    json_file: Path | None = None,
) -> None:
    """Search, show every rung, and say how to run the best."""
    size = None if n_estimators is None else str(n_estimators)
    left: list[tuple[str, Algorithm]] = []
    for text in candidates(search, seed):
        chosen = choose(f"{model}:{text}", learner, size, scale=None, flags=[], seed=seed, task=task)
        left.append((text, chosen[0]))
    kind = common_task([algorithm for _, algorithm in left])
    regression = kind == "regression"
    n_rows = source.load().rows.y.shape[0]
    found: dict[str, dict[int, float]] = {text: {} for text, _ in left}
    console = stdout()
    for rung in range(search.rungs):
        rows = max(n_rows // search.keep ** (search.rungs - 1 - rung), min(n_rows, 100))
        facts = Source(source.text, source.options, rows, source.label).load().facts
        for text, mean in _scores(facts, left, search.seeds, seed, kind, folder, jobs, runner).items():
            found[text][rows] = mean
        left.sort(key=lambda entry: found[entry[0]][rows])
        if rung < search.rungs - 1:
            left = left[: max(1, math.ceil(len(left) / search.keep))]
    best, rows = left[0][0], max(found[left[0][0]])
    who = left[0][1].member
    error = "absolute error" if regression else "error"
    title = f"{model}{f' of {who}' if who else ''} on {source.name}, mean {error} of {search.seeds} seeds"
    console.print(_table(found, title, regression))
    console.print(
        f"best: {best} ({error} {figure_text(found[best][rows], regression)} on {rows:,} rows)", **PLAIN
    )
    parts = ["streamboost", "run", source.text, *written(source.options)]
    parts += ["--task", task] if task else []
    parts += ["--model", model, *(["--learner", who] if who else [])]
    parts += [] if n_estimators is None else ["-n", str(n_estimators)]
    parts += [word for pair in best.split(":") for word in ("--param", pair)]
    console.print(f"run it: {shlex.join(parts)}", **PLAIN)
    if json_file is not None:
        figures = {"best": best, "errors": {t: {str(r): e for r, e in by.items()} for t, by in found.items()}}
        write_file(json_file, (json.dumps(figures, indent=1) + "\n").encode())


def _scores(
    facts: Any,
    left: list[tuple[str, Algorithm]],
    seeds: int,
    seed: int,
    task: str,
    folder: Path,
    jobs: int,
    runner: Callable[..., Outcome],
) -> dict[str, float]:
    """Return the mean error of each candidate; one that the data refuse is out."""
    runs = [
        run
        for s in range(seed, seed + seeds)
        for run in plan_runs([facts], [algorithm for _, algorithm in left], Protocol(seed=s, task=task))
    ]
    records = run_resumably(runs, folder / "runs", jobs, runner).records
    scores = {}
    for i, (text, _) in enumerate(left):
        own = records[i :: len(left)]
        wrong = next((record for record in own if not record.done), None)
        if wrong is not None:
            stderr().print(f"out: {text}: {wrong.message}", **PLAIN)
        scores[text] = (
            math.inf if wrong is not None else sum(record.measure("error") for record in own) / len(own)
        )
    if all(math.isinf(score) for score in scores.values()):
        raise UserError("no candidate could be run; the lines above say why.")
    return scores


def _table(found: dict[str, dict[int, float]], title: str, regression: bool) -> Table:
    table = titled(Table(header_style="bold"), title)
    table.add_column("parameters")
    prefixes = sorted({rows for by in found.values() for rows in by})
    for rows in prefixes:
        table.add_column(f"{rows:,} rows", justify="right")
    order = sorted(found, key=lambda text: (-max(found[text]), found[text][max(found[text])]))
    for text in order:
        shown = (
            figure_text(found[text][rows], regression) if rows in found[text] else "" for rows in prefixes
        )
        table.add_row(text, *shown)
    return table

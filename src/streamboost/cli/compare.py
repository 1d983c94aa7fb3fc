"""The ``compare`` command: many models on many data sets."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from streamboost.base.parameter import parameters_of
from streamboost.cli.console import stderr, stdout
from streamboost.cli.custom import is_own
from streamboost.cli.errors import UserError
from streamboost.cli.parameters import ModelSpec
from streamboost.cli.run import warn
from streamboost.experiments.plan import (
    Algorithm,
    DataFacts,
    Protocol,
    Run,
    Source,
    baselines,
    code_of,
    plan_runs,
    unique_labels,
)
from streamboost.experiments.report import write_report
from streamboost.experiments.report_parts import together
from streamboost.experiments.runner import Outcome, Standing, run_all
from streamboost.experiments.store import RunStore
from streamboost.experiments.summary import LIKE_BEST, Cell, Summary
from streamboost.experiments.tables import LIKE_BEST_MARK, terminal_tables
from streamboost.models import ALL_LEARNERS as LEARNERS
from streamboost.models import ALL_MODELS as MODELS
from streamboost.models import EXPERTS, REGRESSORS

Flags = list[tuple[str, str | None]]


def compare(
    sources: list[Source],
    algorithms: list[Algorithm],
    protocol: Protocol,
    *,
    folder: Path,
    jobs: int,
    test: str | None,
    command: str,
    rank_by: str = "error",
    with_baselines: bool = True,
    runner: Callable[..., Outcome] = run_all,
) -> bool:
    """Run what is not there yet, show the table, write the report; returns whether all runs went well."""
    if folder.exists() and not folder.is_dir():
        raise UserError(f"--out {folder}: is not a directory.")
    named = [
        replace(source, label=label)
        for source, label in zip(sources, unique_labels([source.name for source in sources]), strict=True)
    ]
    sets = [source.load().facts for source in named]
    _check_folds(protocol, sets)
    if with_baselines:
        algorithms = [*algorithms, *baselines(protocol)]
    Summary(
        sets, algorithms, protocol, [], test, rank_by
    )  # raises now for what cannot be done, not after the first runs
    runs = plan_runs(sets, algorithms, protocol)
    outcome = run_resumably(runs, folder / "runs", jobs, runner)
    summary = Summary(sets, algorithms, protocol, outcome.records, test, rank_by)
    console = stdout()
    for table in terminal_tables(summary):
        console.print(table)
    places = {verdict.place for row in summary.cells for verdict in summary.verdicts(row) if verdict}
    if summary.test_name and LIKE_BEST in places:
        console.print(
            f"{LIKE_BEST_MARK} not significantly worse than the best ({summary.test_name}, p >= 0.05)",
            highlight=False,
        )
    console.print(order_text(protocol), **PLAIN)
    for line in summary.no_better_than_baselines:
        warn(line)
    for name, who, why in _grouped(summary.refusals, algorithms):
        console.print(f"n/a on {name}: {who}: {why.partition('. ')[0].rstrip('.')}.", **PLAIN)
    for name, who, why in _grouped(summary.failures, algorithms):
        stderr().print(f"failed on {name}: {who}: {why}", **PLAIN)
    if outcome.n_found:
        console.print(f"{outcome.n_found} of {len(runs)} runs were there already.", **PLAIN)
    written = write_report(summary, folder, command)
    console.print(f"report: {written[0]}", **PLAIN)
    return not summary.failures


PLAIN: dict[str, Any] = {"highlight": False, "soft_wrap": True, "markup": False}
"""How sentences are printed."""


def order_text(protocol: Protocol) -> str:
    """In which order the models met the rows."""
    if protocol.folds:
        return f"Rows held out in {protocol.folds} folds; training sets in random order."
    if protocol.orders > 1:
        return f"Mean over {protocol.orders} random orders of the rows, the same for all models."
    return "Rows in the order of the data; --orders K shuffles them K times."


def run_resumably(
    runs: list[Run], folder: Path, jobs: int, runner: Callable[..., Outcome] = run_all
) -> Outcome:
    """Run what has no record yet, with a progress bar; an interrupt says what is kept."""
    store = RunStore(folder)

    def kept() -> int:
        return sum(store.path(run).exists() for run in runs)

    try:
        with _progress(kept(), len(runs)) as show:
            return runner(runs, folder, jobs=jobs, callback=show)
    except KeyboardInterrupt:
        stderr().print(
            f"streamboost: interrupted; {kept()} of {len(runs)} runs are kept, and the same command goes on from there.",
            **PLAIN,
        )
        raise


def choose(
    models: str | None,
    learners: str | None,
    sizes: str | None,
    *,
    scale: str | None,
    flags: Flags,
    seed: int,
    task: str | None = None,
) -> list[Algorithm]:
    """Every model with every learner and every size; a model without a size is there once.

    Without learners each model has its own.

    A model may be written with parameters of its own, ``osboost:gamma=0.2:vote=ocp``; a flag is for all that have
    such a parameter.
    """
    numbers = _numbers(sizes)
    chosen: dict[str, Algorithm] = {}
    used: set[str] = set()
    named = _words("--models", _USUAL[task == "regression"] if models is None else models)
    for model, learner in product(named, [""] if learners is None else _words("--learners", learners)):
        base = _spec(model, learner, scale, flags, used, task)
        sized = base.model not in MODELS or "n_estimators" in parameters_of(MODELS[base.model])
        for n in numbers if sized else [None]:
            spec = replace(base, n_estimators=n, seed=seed)
            spec.build()
            params, learner_params = spec.values()
            size = f"N={n}" if n is not None and len(numbers) > 1 else ""
            algorithm = Algorithm(
                spec.model,
                spec.learner or "",
                params,
                learner_params,
                model,
                learner,
                size,
                code=code_of(spec.model, spec.learner),
            )
            chosen.setdefault(algorithm.name, algorithm)
    for name in [name for name, _ in flags] + (["scale"] if scale is not None else []):
        if name not in used:
            raise UserError(f"--{name} is no parameter of any of these models and learners.")
    return list(chosen.values())


_USUAL = ("streamboost,adaptive-random-forest,oza-boost", "streamboost,gradient-boosting,bagging")
"""Classifiers and regressors, if none are named."""


def common_task(algorithms: list[Algorithm]) -> str:
    """The task of all models; classifiers and regressors cannot be compared."""
    kinds = {algorithm.model in REGRESSORS for algorithm in algorithms}
    if len(kinds) > 1:
        who = ", ".join(dict.fromkeys(a.group for a in algorithms if a.model in REGRESSORS))
        raise UserError(f"--models: {who} are regressors and cannot be compared with classifiers.")
    return "regression" if True in kinds else "classification"


def _spec(
    model: str, learner: str, scale: str | None, flags: Flags, used: set[str], task: str | None
) -> ModelSpec:
    (model_name, params), (learner_name, learner_params) = _parted(model), _parted(learner)
    spec = ModelSpec(model_name, learner_name or None, params=params, learner_params=learner_params).for_task(
        task
    )
    if is_own(spec.model, spec.learner) and spec.model not in EXPERTS:
        return spec
    if spec.model not in MODELS or (spec.learner is not None and spec.learner not in LEARNERS):
        spec.values()  # says so
    learner_class = (
        type(MODELS[spec.model]._default_learner()) if spec.learner is None else LEARNERS[spec.learner]
    )
    known = {**parameters_of(MODELS[spec.model]), **parameters_of(learner_class)}
    for name, value in flags:
        bare = name.replace("-", "_")
        if bare in known or bare.removeprefix("no_") in known:
            used.add(name)
            spec.flags.append((name, value))
    if scale is not None and "scale" in parameters_of(learner_class):
        used.add("scale")
        spec.scale = scale
    return spec


def _parted(text: str) -> tuple[str, list[str]]:
    """A name and its parameters: ``osboost:gamma=0.2``, or ``package.module:Class:gamma=0.2``."""
    name, *params = text.split(":")
    if params and "=" not in params[0] and name not in MODELS and name not in LEARNERS:
        name = f"{name}:{params.pop(0)}"
    return name, params


def _words(option: str, text: str) -> list[str]:
    words = [word.strip() for word in text.split(",") if word.strip()]
    if not words:
        raise UserError(f"{option}: name at least one.")
    return words


def _numbers(text: str | None) -> list[int | None]:
    if text is None:
        return [None]
    try:
        return [int(word) for word in _words("-n", text)]
    except ValueError as error:
        raise UserError(f"-n {text}: expected a number of learners, or several as 10,100.") from error


def _check_folds(protocol: Protocol, sets: list[DataFacts]) -> None:
    for facts in sets:
        if protocol.folds > facts.n_rows:
            raise UserError(f"{facts.name}: has {facts.n_rows} rows, too few for {protocol.folds} folds.")


def _grouped(cells: list[Cell], algorithms: list[Algorithm]) -> Iterator[tuple[str, str, str]]:
    """Data sets with the models that have the same message there, and the message."""
    found: dict[tuple[str, str], list[Algorithm]] = {}
    for cell in cells:
        found.setdefault((cell.data.name, cell.message), []).append(cell.algorithm)
    for (name, message), some in found.items():
        yield name, ", ".join(together(some, algorithms)), message


@contextmanager
def _progress(n_done: int, n_runs: int) -> Iterator[Callable[[Standing], None] | None]:
    """A bar for all runs and a line for each process, if standard error is a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    console: Console = stderr()
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=28),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=console,
        transient=True,
    )
    lines = Progress(
        TextColumn("  {task.description}"),
        BarColumn(bar_width=20),
        TextColumn("{task.fields[error]}"),
        console=console,
        transient=True,
    )
    from rich.console import Group
    from rich.live import Live

    total = bar.add_task("runs", total=n_runs, completed=n_done)
    tasks: dict[int, Any] = {}

    def show(now: Standing) -> None:
        if now.worker not in tasks:
            tasks[now.worker] = lines.add_task("", total=1.0, error="")
        unit = " ".join(f"{name} {number + 1}" for name, number in now.run.unit.items())
        error = f"error {now.error:.4g}" if now.error == now.error else ""
        name = f"{now.run.source.name}  {now.run.algorithm.name}  {unit}"
        lines.update(tasks[now.worker], description=name, completed=now.fraction, error=error)
        if now.record is not None:
            bar.advance(total)
            if now.record.status == "failed":
                console.print(f"failed: {name}: {now.record.message}", **PLAIN)

    with Live(Group(bar, lines), console=console, transient=True):
        yield show

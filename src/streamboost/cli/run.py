"""The ``run`` command: one model over one stream."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from streamboost.adapters.any_model import needs_classes
from streamboost.base.files.writing import check_target, write_file
from streamboost.base.inputs.word_columns import TEXT
from streamboost.baselines import baseline_words
from streamboost.cli.console import plain_value, quantity, stderr, stdout, titled
from streamboost.cli.errors import UserError, closest
from streamboost.cli.health_lines import HealthLines
from streamboost.cli.importances import importances_of
from streamboost.cli.live import Checkpoints, Every, Place, facts_for, learn_live
from streamboost.cli.models import DAY_FIRST, LABEL, LABELS, OpenModel
from streamboost.cli.parameters import ModelSpec, mark_nominal
from streamboost.cli.parts import report_figures, report_lines, reports_of
from streamboost.cli.stopping import Stop
from streamboost.ensemble.output_options import kept_coverages
from streamboost.evaluate import ClassificationResult, PrequentialResult, RegressionResult
from streamboost.evaluate.bandit import as_bandit
from streamboost.evaluate.delay import takes_pending
from streamboost.feedback import BanditBoostingClassifier
from streamboost.report.explanation import WORDY, importance_lines
from streamboost.streams import Label, Stream

_RARE = " Rare classes are judged by --metrics average_precision,g_mean and answered more often with --decision f1."
FEW_ROWS, SHOWN = 30, 20
"""So few rows tell nothing about a model; so many columns are named in a line."""
_PICTURES = (".png", ".svg", ".pdf", ".jpg", ".jpeg")


@dataclass(frozen=True)
class Output:
    """The files that a run writes."""

    save: Path | None = None
    plot: Path | None = None
    json: Path | None = None
    report: bool = False
    health: bool = False
    plot_report: Path | None = None
    every: Every = field(default_factory=Every)

    def check(self) -> None:
        """Raise before the run for files that could not be written after it."""
        pictures = (("--plot", self.plot), ("--plot-report", self.plot_report))
        for option, path in (("--save", self.save), ("--json", self.json), *pictures):
            check_writable(option, path)
        if self.every != Every() and self.save is None:
            raise UserError("--checkpoint-every needs --save FILE.")
        for option, path in pictures:
            if path is not None and path.suffix.lower() not in _PICTURES:
                raise UserError(f"{option} {path}: the name must end in one of {', '.join(_PICTURES)}.")


def check_writable(option: str, path: Path | None) -> None:
    """Raise for a file that could not be written."""
    if path is None or str(path) == "-":
        return
    try:
        check_target(path)
    except OSError as error:
        raise UserError(f"{option} {error}") from error


def _say_kinds(model: Any, stream: Stream) -> None:
    """Say how columns of texts and identifiers are read."""
    if not hasattr(model, "text_features"):
        return
    ways = {
        "text": "text: the words are hashed (--nominal: categories)",
        "identifier": "identifiers: the values are hashed (--nominal: categories)",
        "code": "numbers and as identifiers: the values are hashed, too (--id: identifiers only)",
    }
    kinds: dict[str, str] = getattr(stream, "kinds", {})
    for kind in dict.fromkeys(kinds.values()):
        some = [repr(name) for name in kinds if kinds[name] == kind]
        more = f" and {len(some) - SHOWN:,} more" if len(some) > SHOWN else ""
        are = "s {} are" if len(some) > 1 else " {} is"
        named = are.format(", ".join(some[:SHOWN]) + more)
        stderr().print(
            f"streamboost: {os.path.basename(stream.name)}: column{named} read as {ways[kind]}",
            markup=False,
            highlight=False,
            soft_wrap=True,
        )


def run(
    spec: ModelSpec,
    model: Any,
    stream: Stream,
    output: Output,
    stop: Stop,
    *,
    classes: str | None,
    resumed: OpenModel | None = None,
    **loop: Any,
) -> None:
    """Evaluate, show the result, and write what was asked for; ``loop`` are options of :func:`prequential`.

    Who asks to stop gets the same for the rows so far.
    """
    start, labels = Place(stream.name), None
    _check_fits(spec, model, output, loop["feedback"])
    taught: dict[str, Any] = {DAY_FIRST: getattr(stream, "day_first", None)}
    if getattr(stream, "named", False):
        taught[LABEL] = getattr(stream, "label_name", None)
        taught[LABELS] = getattr(stream, "label_columns", None)
    if resumed is None:
        mark_nominal(model, stream.nominal)
        _say_kinds(model, stream)
        if output.health:
            model.set_params(keep_health=True)
        if spec.task != "classification" and classes is not None:
            raise UserError(f"--classes is for a single label, and this is {spec.task}.")
        labels = _classes(classes, stream, model) if spec.task == "classification" else None
        if loop["feedback"] == "bandit":
            if spec.task != "classification":
                raise UserError(f"--feedback bandit is for a single label, and this is {spec.task}.")
            model = as_bandit(model, loop["exploration"], spec.seed)
    else:
        model = resumed.model
        start = Place.of(model, resumed.path, stream.name)
    if output.save is not None and not hasattr(model, "save"):
        raise UserError(
            f"--save: a {type(model).__name__} has no file format; run it in Python and pickle it."
        )
    checkpoints = Checkpoints(
        output.every, start, lambda place: model.save(output.save, metadata=facts_for(model, place, **taught))
    )
    if output.plot is not None and spec.task == "regression" and loop["orders"] == 1 and takes_pending(model):
        coverages = kept_coverages(getattr(model, "coverages", None))
        loop["keep_intervals"] = max(coverages, default=None)
    result = learn_live(
        model,
        stream,
        stop,
        checkpoints,
        seed=spec.seed,
        classes=labels,
        name=spec.name,
        baselines=True,
        watch=HealthLines(model).update if output.health else None,
        **loop,
    )
    console = stderr() if str(output.json) == "-" else stdout()
    _show(console, model, result, spec, stream, output, query=loop["query"])
    if output.plot is not None:
        result.plot(output.plot)
    if output.plot_report is not None:
        result.model.report().plot(output.plot_report)
    # Labels that are late when a run is stopped are learned then: such a run cannot go on as if nothing had happened.
    goes_on = not loop["delay"] and loop["budget"] is None and loop["feedback"] == "labels"
    stopped = checkpoints.place if stop.asked is not None and goes_on else None
    if output.save is not None:
        result.model.save(output.save, metadata=facts_for(result.model, stopped, **taught))
    again = output.save if stopped is not None and stream.repeatable else None
    say_stopped(console, start, checkpoints.place, stop.asked is not None, again)
    _say_written(console, output)
    if stop.asked is not None:
        stop.exit()


def _check_fits(spec: ModelSpec, model: Any, output: Output, feedback: str) -> None:
    """Refuse before the first row what the model cannot show after the last one, and feedback that it cannot learn from."""
    kind = type(model).__name__
    bandit = feedback == "bandit" or isinstance(model, BanditBoostingClassifier)
    if bandit and spec.task != "classification":
        raise UserError(f"--feedback bandit is for single labels, and this is {spec.task}.")
    if output.health and spec.task != "classification":
        raise UserError(f"--health is for classification, and this is {spec.task}.")
    if output.health and (bandit or not hasattr(model, "health")):
        raise UserError(
            f"--health: {'a bandit' if bandit else f'a {kind}'} does not say how it is doing lately."
        )
    reports = hasattr(model, "report") and not bandit
    if output.plot_report is not None and not reports:
        raise UserError(
            f"--plot-report: {'a bandit' if bandit else f'a {kind}'} has no report of its own to draw."
        )
    if output.report and not (reports or bandit or hasattr(type(model), "models_")):
        raise UserError(f"--report: a {kind} has no report.")


def _show(
    console: Console,
    model: Any,
    result: PrequentialResult,
    spec: ModelSpec,
    stream: Stream,
    output: Output,
    *,
    query: str,
) -> None:
    """The table of a run and what belongs to it: as lines, and as JSON if that was asked for."""
    bad = bad_lines(stream)
    console.print(result_table([result], f"{spec.name} on {os.path.basename(stream.name)}", bad_lines=bad))
    for line in _about_labels(result, query):
        console.print(line, highlight=False, soft_wrap=True)
    for line in no_better_than(result):
        warn(line)
    if isinstance(result, ClassificationResult):
        for line in (*_never_met(model, result), *_spelled_alike(result.labels)):
            warn(line)
    if isinstance(result, RegressionResult):
        console.print(nearest_baseline(result), highlight=False, soft_wrap=True)
    if isinstance(result, RegressionResult) and result.lags_advised is not None:
        lags = result.lags_advised
        warn(f"errors repeat after {lags} row{'s' if lags > 1 else ''}: lags may help (--lags {lags}).")
    if result.metrics:
        console.print(metric_table(result))
    matter = importances_of(result.model)
    details = reports_of(result.model) if output.report else {}
    lines = [] if matter is None or output.report else importance_lines(matter)
    lines += [*report_lines(details), *_top_words(result.model, stream)] if details else []
    lines += [str(result.model.health())] if output.health else []
    for line in lines:
        console.print(line, markup=False, highlight=False, soft_wrap=True)
    if output.json is None:
        return
    figures = {**result.to_dict(), "bad_lines": bad, "parameters": _parameters(model)}
    if matter is not None:
        figures["importances"] = matter
    if details:
        figures["report"] = report_figures(details)
    text = json.dumps(plain_value(figures), indent=1, allow_nan=False)
    if str(output.json) == "-":
        sys.stdout.write(text + "\n")
    else:
        write_file(output.json, f"{text}\n".encode())


def _top_words(model: Any, stream: Stream) -> list[str]:
    """What speaks for and against each label in the texts of the first rows, as the model sees them now."""
    if (
        TEXT not in getattr(stream, "kinds", {}).values()
        or not stream.repeatable
        or not hasattr(model, "explain")
    ):
        return []
    rows = next(iter(stream.chunks(WORDY))).rows
    lines: list[str] = model.explain(rows, words=True).word_lines()
    return lines


def _never_met(model: Any, result: ClassificationResult) -> Iterator[str]:
    """Labels that options name and no row has: misspelled, as a rule."""
    from streamboost.evaluate.count_metrics import ExpectedCost

    named = {
        f"--{name.replace('_', '-')}": getattr(model, name, None)
        for name in ("class_weight", "decision_costs")
    }
    for metric in result.metrics:
        kind, *settings = metric.split(":")
        if kind == ExpectedCost.name:
            named[f"--metrics {metric}"] = ExpectedCost.of_settings(settings).costs
    known = {str(label) for label in result.labels}
    for option, given in named.items():
        keys = given if isinstance(given, Mapping) else ()
        words = {str(word) for key in keys for word in (key if isinstance(key, tuple) else (key,))}
        for word in sorted(words - known):
            yield f"{option}: no row has the label {word!r}{closest(word, known)}"


def _about_labels(result: PrequentialResult, query: str) -> Iterator[str]:
    """What came of labels that were late, asked for, or replaced by rewards."""
    if result.left_out:
        yield f"{result.left_out:,} rows came before the first answer, their labels being late: they are not counted."
    if result.asked is not None:
        yield f"labels asked for: {result.asked:.1%} of the rows (--query {query})"
    if result.regret is not None:
        full = result.error - result.regret / result.n_rows
        yield (
            f"bandit feedback: {result.regret:,.0f} mistakes more than with all labels, whose error is {full:.4f}; "
            "labels shown to explore are counted as answers"
        )


def say_stopped(console: Console, start: Place, end: Place, stopped: bool, save: Path | None) -> None:
    """Say what a part of a stream means for the whole: where it began, and that it was stopped."""
    lines = []
    if start.rows:
        share = end.errors / max(end.rows, 1)
        lines.append(f"with the {start.rows:,} rows before: {end.rows:,} rows, error {share:.4f}")
    if stopped:
        lines.append(
            f"stopped after {end.rows:,} rows"
            + ("" if save is None else f"; the same command with --resume goes on from {save}")
        )
    for line in lines:
        console.print(line, highlight=False, soft_wrap=True)


def open_resumed(spec: ModelSpec, asked: Any, output: Output, loop: dict[str, Any]) -> OpenModel | None:
    """The model of a stopped run, if there is one; it must be the one that the options describe."""
    if output.save is None:
        raise UserError("--resume needs --save FILE: the model of the stopped run.")
    for option, usual in (("orders", 1), ("delay", 0), ("budget", None), ("feedback", "labels")):
        if loop[option] != usual:
            raise UserError(f"--resume cannot go on with --{option} {loop[option]}.")
    if not output.save.exists():
        return None
    opened = OpenModel(output.save, verb="test_then_train")
    if type(asked) is not type(opened.model):
        raise UserError(
            f"--resume: {output.save} was begun with --model {opened.model._entry.name}, not --model {spec.model}."
        )
    found = opened.model.get_params(deep=True)
    for name, value in asked.get_params(deep=True).items():
        if name not in ("estimator", "categorical_features") and repr(found.get(name)) != repr(value):
            raise UserError(
                f"--resume: {output.save} was begun with {name}={found.get(name)}, not {name}={value}."
            )
    return opened


def bad_lines(stream: Stream) -> int:
    """Lines that were skipped, after saying what was wrong with the first one, and which cells were missing values or labels."""
    missing: tuple[str, ...] = getattr(stream, "missing_met", ())
    if missing:
        warn(f"read as missing values: {', '.join(missing)} (--na-values says which cells are)")
    unlabeled: int = getattr(stream, "n_unlabeled", 0)
    if unlabeled:
        guessed = getattr(stream, "label_why", "") in ("the last column", "the last key")
        advice = "; if another column is the label, --label names it" if guessed else ""
        warn(f"{unlabeled:,} row{'s' if unlabeled > 1 else ''} without a label left out{advice}")
    count: int = getattr(stream, "n_bad", 0)
    if count:
        warn(f"{count:,} bad line{'s' if count > 1 else ''} skipped; the first: {stream.first_bad}")  # type: ignore[attr-defined]
    return count


def _spelled_alike(labels: Sequence[Any]) -> list[str]:
    """Labels that are different classes only because of case or spaces, in words: most often a slip in the file."""
    alike: dict[str, list[str]] = {}
    for label in labels:
        if isinstance(label, str):
            alike.setdefault(" ".join(label.split()).casefold(), []).append(label)
    return [
        f"the labels {', '.join(map(repr, group))} differ only in case or spaces, but each is a class of its own."
        for group in alike.values()
        if len(group) > 1
    ]


def no_better_than(result: PrequentialResult) -> list[str]:
    """The baselines that a model does not beat, in words; too few rows tell nothing."""
    if result.n_rows < FEW_ROWS:
        return []
    if isinstance(result, ClassificationResult) and len(result.labels) == 1:
        return [f"every row has the label {result.labels[0]!r}: there is nothing to tell apart."]
    found = []
    for one in result.baselines:
        if result.error >= one.error:
            name, (own, other) = (
                next(iter(result.headline)),
                (_figure(r.error, r.digits) for r in (result, one)),
            )
            found.append(
                f"{result.model_name} is no better than {baseline_words(one.model_name)} "
                f"({name} {own} against {other})."
                + (_RARE if one.model_name == "majority" and one.error < 0.1 and not result.metrics else "")
            )
    return found


def nearest_baseline(result: RegressionResult) -> str:
    """The best of the baselines, in words."""
    one = min(result.baselines, key=lambda baseline: baseline.error)
    share = 1 - result.error / one.error if one.error > 0 else 0.0
    beside = f"the model's is {share:.0%} smaller" if round(share, 2) > 0 else "the model's is no smaller"
    return (
        f"nearest baseline: {baseline_words(one.model_name)}, MAE {_figure(one.error, one.digits)}; {beside}"
    )


def result_table(results: Sequence[PrequentialResult], title: str, bad_lines: int = 0) -> Table:
    """Errors, speed and memory, one line per result; below a single one, its baselines."""
    lines = [*results, *results[0].baselines] if len(results) == 1 else list(results)
    many = len(results) > 1
    table = Table(header_style="bold", row_styles=["", "dim"] if many else None)
    titled(table, title)
    if len(lines) > 1:
        table.add_column("model")
    for column in ("rows", *results[0].headline, "seconds", "CPU seconds", "examples/s", "memory"):
        table.add_column(column, justify="right")
    if bad_lines:
        table.add_column("bad lines", justify="right")
    best = min(result.error for result in results)
    for result in lines:
        error, *more = (_figure(value, result.digits) for value in result.headline.values())
        if result.standard_error is not None:
            error += f" ± {result.standard_error:{result.digits}}"
        if many and result.error == best:
            error = f"[bold green]{error}[/]"
        cells = [
            f"{result.n_rows:,}" + (f" x {result.n_orders}" if result.n_orders > 1 else ""),
            error,
            *more,
        ]
        if result in results:
            cells += [
                f"{result.elapsed:.2f}",
                f"{result.seconds:.2f}",
                f"{result.examples_per_second:,.0f}",
                "-" if result.memory_bytes is None else quantity(result.memory_bytes),
            ]
            if bad_lines:
                cells.append(f"{bad_lines:,}")
        table.add_row(*([result.model_name] if len(lines) > 1 else []), *cells)
    return table


def _figure(value: float, digits: str) -> str:
    text = f"{value:{digits}}"
    return text.removeprefix("-") if float(text) == 0 else text  # never -0.0000


def metric_table(result: PrequentialResult) -> Table:
    """The measures that were asked for, one line each."""
    spans = list(dict.fromkeys(span for found in result.metrics.values() for span in found))
    table = Table(header_style="bold")
    if isinstance(result, ClassificationResult) and result.positive is not None:
        table.caption, table.caption_justify = f"positive label: {result.positive}", "left"
    table.add_column("metric")
    for span in spans:
        table.add_column(f"last {result.window:,} rows" if span == "window" else span, justify="right")
    for name, series in result.metrics.items():
        cells = (f"{series[span].value:{result.digits}}" if span in series else "" for span in spans)
        table.add_row(name.replace("_", " "), *cells)
    return table


def _classes(text: str | None, stream: Stream, model: Any) -> tuple[Label, ...] | None:
    if text is not None:
        words = [word.strip() for word in text.split(",")]
        if len(set(words)) < len(words) or "" in words:
            raise UserError(f"--classes {text}: labels must be distinct and not empty.")
        return tuple(words if stream.labels_are_text else [_number(word) for word in words])
    if stream.classes is not None:
        return stream.classes
    # Standard input cannot be looked at ahead; what the model cannot discover it says itself.
    return stream.find_classes() if needs_classes(model) and stream.repeatable else None


def _number(word: str) -> Label:
    for kind in (int, float):
        try:
            return kind(word)
        except ValueError:
            continue
    raise UserError(f"--classes: {word!r} is not a number, but the labels of the data are numbers.")


def _parameters(model: Any) -> dict[str, Any]:
    found = dict(model.get_params(deep=True))
    if found.get("estimator") is not None:
        found["estimator"] = type(found["estimator"]).__name__
    return found


def _say_written(console: Console, output: Output) -> None:
    for what, path in (
        ("model", output.save),
        ("picture", output.plot),
        ("picture of the report", output.plot_report),
        ("figures", output.json),
    ):
        if path is not None and str(path) != "-":
            console.print(f"{what}: {path}", highlight=False, soft_wrap=True)


def warn(message: str) -> None:
    """One line on standard error."""
    text = f"streamboost: warning: {' '.join(message.split())}"
    stderr().print(text, highlight=False, markup=False, soft_wrap=True)

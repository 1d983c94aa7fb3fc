"""``streamboost drift``: where the errors of a model change, by any detector."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from streamboost.cli.data_options import Data, Limit, reads_data, words


@reads_data(without=["weight"])
def drift_command(
    data: Data,
    detector: Annotated[
        str,
        typer.Option(
            "--detector",
            "-d",
            help="Detectors, as adwin,ddm(warm_start=50), or all; `streamboost models` lists them.",
        ),
    ] = "all",
    model: Annotated[
        str, typer.Option("--model", "-m", help="The model whose errors are monitored.")
    ] = "single",
    learner: Annotated[
        str | None, typer.Option("--learner", "-l", help="The weak learner (default: the model's own).")
    ] = None,
    changes: Annotated[
        str | None,
        typer.Option(
            "--changes",
            help="Rows at which the stream changed, as 5000,10000, counted from 0 (default: known for generated streams).",
        ),
    ] = None,
    tolerance: Annotated[
        int | None,
        typer.Option(
            "--tolerance",
            min=0,
            help="An alarm within so many rows of a change counts as its detection (default: until the next change).",
        ),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of the model.")] = 0,
    data_seed: Annotated[int, typer.Option("--data-seed", min=0, help="Seed of a generated stream.")] = 0,
    json: Annotated[Path | None, typer.Option("--json", help="Save the results as JSON.")] = None,
    limit: Limit = None,
    reading: Any = None,
) -> None:
    """Detect where the error of a model changes; if the true changes are known, also show delays and false alarms."""
    import json as writer
    import re

    from rich.table import Table

    from streamboost.cli.console import stdout
    from streamboost.cli.errors import UserError
    from streamboost.cli.parameters import ModelSpec
    from streamboost.cli.run import check_writable
    from streamboost.cli.task import guessed_task
    from streamboost.evaluate.detection import detection, known_changes
    from streamboost.streams import open_stream

    check_writable("--json", json)
    spec = ModelSpec(model, learner, seed=seed)
    watched = spec.build()
    if spec.task != "classification":
        raise UserError(f"--model {model}: detectors watch the wrong answers of a classifier.")
    stream = open_stream(data, seed=data_seed, **reading)
    task, why = guessed_task(data, stream)
    if task == "regression":
        raise UserError(
            f"{stream.name}: the label {getattr(stream, 'label_name', None) or ''!r} holds {why}, and detectors watch the wrong "
            "answers of a classifier; --label names a column of classes."
        )
    rows = words(changes)
    if rows is not None and not all(re.fullmatch(r"\d+", row) for row in rows):
        raise UserError(f"--changes {changes!r} must be whole numbers of rows, as 5000,10000.")
    known = known_changes(stream, limit) if rows is None else [int(row) for row in rows]
    chosen = "all" if detector == "all" else re.split(r"[,;](?![^(]*\))", detector)
    try:
        found = detection(
            chosen,
            stream,
            changes=known,
            model=watched,
            tolerance=tolerance,
            limit=limit,
        )
    except ValueError as error:
        raise UserError(str(error).replace("drift=", "detector=", 1)) from error
    late = [row for row in known if row >= found[0].n_rows]
    if rows is not None and late:
        raise UserError(f"--changes {late[0]}: {stream.name} has {found[0].n_rows:,} rows, counted from 0.")
    table = Table(box=None, header_style="bold")
    columns = ["detector", "alarms"] + (
        ["delay", "false alarms", "missed", "F1"] if known else ["first at row"]
    )
    for name in columns:
        table.add_column(name, justify="left" if name == "detector" else "right")
    for one in found:
        judged = [
            f"{one.delay:,.0f}",
            f"{one.false_alarms:,}",
            f"{one.missed} of {len(one.changes)}",
            f"{one.f1:.3f}",
        ]
        first = ", ".join(f"{row:,}" for row in one.alarms[:5]) + (" ..." if len(one.alarms) > 5 else "")
        table.add_row(one.name, f"{len(one.alarms):,}", *(judged if known else [first]))
    console = stdout()
    console.print(f"{model} on {stream.name}, {found[0].n_rows:,} rows", highlight=False)
    console.print(table)
    if json is not None:
        json.write_text(writer.dumps([one.to_dict() for one in found], indent=1) + "\n", encoding="utf-8")

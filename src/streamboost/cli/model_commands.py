"""The commands about saved models and their options."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from streamboost.cli.data_options import CheckpointEvery, Data, Limit, reads_data

if TYPE_CHECKING:
    from streamboost.cli.models import OpenModel
    from streamboost.streams import Stream

ModelFile = Annotated[
    Path, typer.Argument(metavar="MODEL", help="A model that `run --save` or `save` wrote.")
]


_OF_THE_MODEL = ("nominal", "drop", "dates", "n_features", "bits")
"""What a saved model knows."""


@reads_data(without=[*_OF_THE_MODEL, "weight"])
def predict_command(
    model: ModelFile,
    data: Data,
    out: Annotated[
        Path | None, typer.Option("--out", help="CSV file of the answers (default: standard output).")
    ] = None,
    proba: Annotated[bool, typer.Option("--proba", help="The probability of every class, too.")] = False,
    interval: Annotated[
        float | None,
        typer.Option("--interval", help="Of a regressor: ends of intervals with this coverage, as 0.9, too."),
    ] = None,
    limit: Limit = None,
    reading: Any = None,
) -> None:
    """Answer for every row with a saved model; if the rows have labels, show the error."""
    from streamboost.cli.stopping import Stop

    with Stop() as stop:
        from streamboost.base.lazy_imports import import_sklearn

        import_sklearn()
        from streamboost.cli.predict import predict
        from streamboost.cli.run import check_writable

        check_writable("--out", out)
        with stop.waiting():
            opened, stream = _open(model, "predict", data, {**reading, "limit": limit}, needs_label=False)
        predict(opened, stream, out, stop, proba=proba, interval=interval)


@reads_data(without=_OF_THE_MODEL)
def learn_command(
    model: ModelFile,
    data: Data,
    save: Annotated[
        Path | None, typer.Option("--save", help="Where to keep the model (default: MODEL itself).")
    ] = None,
    checkpoint_every: CheckpointEvery = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on where a stopped command was in the same data.")
    ] = False,
    limit: Limit = None,
    reading: Any = None,
) -> None:
    """Go on learning with a saved model, as if it had never stopped, and save it.

    Rows of a pipe are learned as they come. Ctrl-C and SIGTERM save what was learned and end the command.
    """
    from streamboost.cli.stopping import Stop

    with Stop() as stop:
        from streamboost.base.lazy_imports import import_sklearn

        import_sklearn()
        from streamboost.cli.learn import learn
        from streamboost.cli.live import Every
        from streamboost.cli.run import check_writable

        check_writable("--save", save)
        every = Every.read(checkpoint_every)
        with stop.waiting():
            target = model if save is None else save
            source = target if resume and target.exists() else model
            opened, stream = _open(
                source, "test_then_train", data, {**reading, "limit": limit}, needs_label=True
            )
        learn(opened, stream, target, stop, every=every, resume=resume)


def show_command(
    model: ModelFile,
    as_json: Annotated[bool, typer.Option("--json", help="The same as JSON.")] = False,
) -> None:
    """Show what is in a model file: its parameters, columns and classes, how much it has learned, your own facts."""
    from streamboost.cli.show import show

    show(model, as_json=as_json)


@reads_data(without=[*_OF_THE_MODEL, "weight"])
def explain_command(
    model: ModelFile,
    data: Data,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", help="CSV file of the contributions, - for standard output (default: a list to read)."
        ),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option("--plot", help="Save a picture: a waterfall of one row, bars of several."),
    ] = None,
    of: Annotated[
        str | None,
        typer.Option(
            "--of",
            help="The class to explain (default: the second of two, else the answer); of label sets and bandits the label.",
        ),
    ] = None,
    orders: Annotated[
        int | None,
        typer.Option(
            "--orders",
            help="Orders of the columns that are averaged (default: the learners' closed form, or 8 where there is none).",
        ),
    ] = None,
    exact: Annotated[
        bool,
        typer.Option(
            "--exact", help="Exact Shapley values: of trees, or over all subsets of at most 12 columns."
        ),
    ] = False,
    limit: Limit = None,
    reading: Any = None,
) -> None:
    """Say how much each column of each row contributes to the score of a saved model."""
    from streamboost.cli.explain import explain
    from streamboost.cli.run import check_writable

    check_writable("--out", out)
    check_writable("--plot", plot)
    opened, stream = _open(model, "explain", data, {**reading, "limit": limit}, needs_label=False, of=of)
    explain(opened, stream, out, plot, orders=orders, exact=exact)


def _open(
    model: Path, verb: str, data: str, reading: dict[str, Any], *, needs_label: bool, of: str | None = None
) -> tuple[OpenModel, Stream]:
    from streamboost.cli.models import OpenModel
    from streamboost.cli.run import warn
    from streamboost.streams import open_stream

    opened = OpenModel(model, verb=verb, of=of)
    expected = opened.expected(needs_label=needs_label)
    stream = open_stream(data, expected=expected, **reading)
    ignored = [name for name in getattr(stream, "ignored", []) if name not in opened.label_columns]
    if opened.answers_sets and needs_label:
        from streamboost.streams.label_sets import LabelSetStream

        return opened, LabelSetStream(stream, opened.label_columns)
    if ignored:
        shown = ", ".join(ignored[:5]) + (", ..." if len(ignored) > 5 else "")
        warn(f"{stream.name}: columns that the model does not know are left out: {shown}")
    return opened, stream

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
    Path, typer.Argument(metavar="MODEL", help="A model file, written by `run --save` or `save`.")
]


_OF_THE_MODEL = ("nominal", "drop", "dates", "n_features", "bits")
"""What a saved model knows."""


@reads_data(without=[*_OF_THE_MODEL, "weight"])
def predict_command(
    model: ModelFile,
    data: Data,
    out: Annotated[
        Path | None, typer.Option("--out", help="CSV file for the predictions (default: standard output).")
    ] = None,
    proba: Annotated[
        bool, typer.Option("--proba", help="Also write the probability of every class.")
    ] = False,
    interval: Annotated[
        float | None,
        typer.Option(
            "--interval", help="Regression: also write prediction intervals of this coverage, as 0.9."
        ),
    ] = None,
    limit: Limit = None,
    reading: Any = None,
) -> None:
    """Predict every row with a saved model; if the rows have labels, show the error."""
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
        Path | None, typer.Option("--save", help="Where to save the model (default: MODEL itself).")
    ] = None,
    checkpoint_every: CheckpointEvery = None,
    resume: Annotated[
        bool,
        typer.Option(
            "--resume", help="Continue an interrupted command at the row of the same data where it stopped."
        ),
    ] = False,
    limit: Limit = None,
    reading: Any = None,
) -> None:
    """Continue training a saved model, as if it had never stopped, and save it.

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
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show what a model file contains: parameters, columns, classes, number of examples learned, your metadata."""
    from streamboost.cli.show import show

    show(model, as_json=as_json)


@reads_data(without=[*_OF_THE_MODEL, "weight"])
def explain_command(
    model: ModelFile,
    data: Data,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", help="CSV file for the contributions, - for standard output (default: print a list)."
        ),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option("--plot", help="Save a picture: a waterfall for one row, bars for several."),
    ] = None,
    of: Annotated[
        str | None,
        typer.Option(
            "--of",
            help="The class to explain (default: the second of two, otherwise the predicted one); "
            "for sets of labels and bandits, the label.",
        ),
    ] = None,
    orders: Annotated[
        int | None,
        typer.Option(
            "--orders",
            help="Number of column orders to average over (default: the learners' closed form, or 8 if there is none).",
        ),
    ] = None,
    exact: Annotated[
        bool,
        typer.Option("--exact", help="Exact Shapley values, for trees or for at most 12 columns."),
    ] = False,
    limit: Limit = None,
    reading: Any = None,
) -> None:
    """Show how much each column contributes to the score of a saved model, row by row."""
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
    from streamboost.streams.base import show_unlabeled

    opened = OpenModel(model, verb=verb, of=of)
    expected = opened.expected(needs_label=needs_label)
    stream = open_stream(data, expected=expected, **reading)
    if not needs_label:
        show_unlabeled(stream, True)  # they are asked about like all others
    ignored = [name for name in getattr(stream, "ignored", []) if name not in opened.label_columns]
    if opened.answers_sets and needs_label:
        from streamboost.streams.label_sets import LabelSetStream

        return opened, LabelSetStream(stream, opened.label_columns)
    if ignored:
        shown = ", ".join(ignored[:5]) + (", ..." if len(ignored) > 5 else "")
        warn(f"{stream.name}: columns that the model does not know are left out: {shown}")
    return opened, stream

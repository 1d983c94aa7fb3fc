"""The ``predict`` command: a saved model answers for the rows of a file or pipe."""

from __future__ import annotations

import csv
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

import numpy as np
from rich.table import Table
from sklearn.base import is_regressor

from streamboost.base.files.writing import replacing
from streamboost.base.inputs.unlabeled import missing_labels
from streamboost.cli.console import stderr, stdout, titled
from streamboost.cli.errors import UserError
from streamboost.cli.live import Part
from streamboost.cli.models import OpenModel
from streamboost.cli.run import bad_lines
from streamboost.cli.stopping import Stop
from streamboost.ensemble.output_options import kept_coverages
from streamboost.evaluate.confusion import Confusion
from streamboost.streams import Stream


def predict(
    opened: OpenModel,
    stream: Stream,
    out: Path | None,
    stop: Stop,
    *,
    proba: bool,
    interval: float | None = None,
) -> None:
    """Write one line per row, at once for rows that come one by one; say how many answers were wrong if that is known."""
    to_stdout = out is None or str(out) == "-"
    model = opened.model
    regression = is_regressor(model)
    if regression and proba:
        raise UserError(f"--proba: {opened.name} is a regressor; --interval 0.9 gives intervals.")
    if interval is not None and not regression:
        raise UserError(f"--interval: {opened.name} tells classes; --proba gives their probabilities.")
    if interval is not None and interval not in kept_coverages(model.coverages):
        raise UserError(
            f"--interval {interval}: the model keeps intervals of {kept_coverages(model.coverages) or 'no coverage'}; "
            f"make one with `streamboost run --coverages {interval}`."
        )
    judged = getattr(stream, "label_name", "") is not None and not opened.answers_sets
    numbered = getattr(stream, "skips_bad_lines", False)
    confusion = Confusion()
    n_rows, n_missed, missed = 0, 0, 0.0
    with sheet_for(None if to_stdout else out) as sheet:
        writer = csv.writer(sheet, lineterminator="\n")
        heads = ["line"] if numbered else []
        heads += [str(label) for label in model.labels_] if opened.answers_sets else ["prediction"]
        if proba:
            heads += [f"proba_{label}" for label in model.classes_.tolist()]
        heads += ["low", "high"] if interval is not None else []
        writer.writerow(heads)
        sheet.flush()
        for chunk in Part(stream, stop).chunks():
            answers, shares = _answers(model, chunk.rows, proba)
            columns: list[Any] = [chunk.lines.tolist()] if numbered else []
            columns += answers.T.tolist() if opened.answers_sets else [answers.tolist()]
            if shares is not None:
                columns += shares.T.tolist()
            if interval is not None:
                columns += model.predict_interval(chunk.rows, interval).T.tolist()
            writer.writerows(zip(*columns, strict=True))
            if to_stdout:
                sheet.flush()
            n_rows += len(chunk)
            if judged and regression:
                off = np.abs(np.asarray(chunk.y, dtype=float) - answers)
                missed, n_missed = missed + float(np.nansum(off)), n_missed + int(np.isfinite(off).sum())
            elif judged:
                absent = missing_labels(chunk.labels)
                given = ... if absent is None else ~absent
                confusion.update(chunk.y[given], np.asarray(answers)[given])
    table = titled(Table(), f"{opened.name} on {os.path.basename(stream.name)}")
    cells = {"rows": f"{n_rows:,}"}
    n_labelled = n_missed if regression else confusion.n_rows
    if 0 < n_labelled < n_rows:
        cells["with a label"] = f"{n_labelled:,}"
    if n_labelled and regression:
        cells["mean absolute error"] = f"{missed / n_missed:.4g}"
    elif n_labelled:
        cells.update(error=f"{confusion.error:.4f}", kappa=f"{round(confusion.kappa, 4) + 0.0:.4f}")
    if bad := bad_lines(stream):
        cells["bad lines"] = f"{bad:,}"
    for head in cells:
        table.add_column(head, justify="right")
    table.add_row(*cells.values())
    console = stderr() if to_stdout else stdout()
    if len(cells) > 1:
        console.print(table)
    else:
        console.print(f"{table.title}: {n_rows:,} rows", highlight=False, soft_wrap=True)
    if not to_stdout:
        console.print(f"predictions: {out}", highlight=False, soft_wrap=True)
    if stop.asked is not None:
        console.print(f"stopped after {n_rows:,} rows", highlight=False)
        stop.exit()


def _answers(model: Any, rows: Any, proba: bool) -> tuple[Any, Any]:
    """Answers to some rows, and probabilities if they are wanted: of one look at the model if it has that."""
    if proba and hasattr(model, "predict_both"):
        both: tuple[Any, Any] = model.predict_both(rows)
        return both
    return model.predict(rows), model.predict_proba(rows) if proba else None


@contextmanager
def sheet_for(path: Path | None) -> Iterator[TextIO]:
    """Standard output, or a file that appears under its name only when it is whole."""
    if path is None:
        yield sys.stdout
        sys.stdout.flush()
        return
    with replacing(path) as binary:
        file = io.TextIOWrapper(binary, encoding="utf-8", newline="")
        yield file
        file.flush()
        file.detach()

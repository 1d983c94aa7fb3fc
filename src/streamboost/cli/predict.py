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

from streamboost.base.files.writing import replacing
from streamboost.cli.console import stderr, stdout
from streamboost.cli.live import Part
from streamboost.cli.models import OpenModel
from streamboost.cli.run import bad_lines
from streamboost.cli.stopping import Stop
from streamboost.evaluate import Confusion
from streamboost.streams import Stream


def predict(opened: OpenModel, stream: Stream, out: Path | None, stop: Stop, *, proba: bool) -> None:
    """Write one line per row, at once for rows that come one by one; say how many answers were wrong if that is known."""
    to_stdout = out is None or str(out) == "-"
    model = opened.model
    judged = getattr(stream, "label_name", "") is not None
    numbered = getattr(stream, "skips_bad_lines", False)
    confusion = Confusion()
    n_rows = 0
    with sheet_for(None if to_stdout else out) as sheet:
        writer = csv.writer(sheet, lineterminator="\n")
        heads = ["line"] if numbered else []
        heads.append("prediction")
        if proba:
            heads += [f"proba_{label}" for label in model.classes_.tolist()]
        writer.writerow(heads)
        sheet.flush()
        for chunk in Part(stream, stop).chunks():
            answers, shares = model.predict_both(chunk.rows) if proba else (model.predict(chunk.rows), None)
            columns: list[Any] = [chunk.lines.tolist()] if numbered else []
            columns.append(answers.tolist())
            if shares is not None:
                columns += shares.T.tolist()
            writer.writerows(zip(*columns, strict=True))
            if to_stdout:
                sheet.flush()
            n_rows += len(chunk)
            if judged:
                confusion.update(chunk.y, np.asarray(answers))
    table = Table(title=f"{opened.name} on {os.path.basename(stream.name)}", title_justify="left")
    cells = {"rows": f"{n_rows:,}"}
    if judged:
        cells.update(error=f"{confusion.error:.4f}", kappa=f"{round(confusion.kappa, 4) + 0.0:.4f}")
    if bad := bad_lines(stream):
        cells["bad lines"] = f"{bad:,}"
    for head in cells:
        table.add_column(head, justify="right")
    table.add_row(*cells.values())
    console = stderr() if to_stdout else stdout()
    console.print(table)
    if not to_stdout:
        console.print(f"predictions: {out}", highlight=False, soft_wrap=True)
    if stop.asked is not None:
        stop.exit()


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

"""The ``explain`` command: what each column of each row contributes to the score of a saved model."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import is_regressor

from streamboost.cli.console import stderr
from streamboost.cli.errors import UserError
from streamboost.cli.models import OpenModel
from streamboost.cli.predict import sheet_for
from streamboost.report.explanation import Explanations
from streamboost.streams import Stream


def explain(
    opened: OpenModel,
    stream: Stream,
    out: Path | None,
    plot: Path | None,
    *,
    of: str | None,
    orders: int | None,
    exact: bool,
) -> None:
    """Write one line per row: the class, the base, the contributions, the score."""
    model = opened.model
    about: dict[str, Any] = {}
    if of is not None:
        if is_regressor(model):
            raise UserError(f"--of {of}: {opened.name} is a regressor and has no classes.")
        found = [known for known in model.classes_.tolist() if str(known) == of]
        if not found:
            raise UserError(
                f"--of {of}: the classes of the model are {', '.join(map(str, model.classes_.tolist()))}."
            )
        about = {"label": found[0]}
    names = opened.columns.names
    columns = (
        [str(j) for j in range(model.n_features_in_)] if names is None else [str(name) for name in names]
    )
    parts: list[Explanations] = []
    with sheet_for(None if out is None or str(out) == "-" else out) as sheet:
        writer = csv.writer(sheet, lineterminator="\n")
        writer.writerow(["label", "base", *columns, "score"])
        for chunk in stream.chunks():
            explained = model.explain(chunk.rows, **about, n_orders=orders, exact=exact)
            for row in range(len(explained)):
                writer.writerow(
                    [
                        explained.labels[row],
                        explained.base[row],
                        *explained.contributions[row],
                        explained.score[row],
                    ]
                )
            if plot is not None:
                parts.append(explained)
    if plot is not None and parts:
        joined = Explanations(
            np.concatenate([part.base for part in parts]),
            np.concatenate([part.contributions for part in parts]),
            np.concatenate([part.score for part in parts]),
            np.concatenate([part.labels for part in parts]),
            columns,
            parts[0].method,
        )
        (joined[0] if len(joined) == 1 else joined).plot(plot)
        stderr().print(f"picture: {plot}", highlight=False, soft_wrap=True)

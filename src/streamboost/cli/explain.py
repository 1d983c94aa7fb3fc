"""The ``explain`` command: what each column of each row contributes to the score of a saved model."""

from __future__ import annotations

import csv
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import is_regressor

from streamboost.cli.console import stderr, stdout
from streamboost.cli.errors import UserError
from streamboost.cli.models import OpenModel
from streamboost.cli.predict import sheet_for
from streamboost.report.explanation import WORDY, Explanations, bars, importance_lines
from streamboost.streams import Stream

LISTED = 3
"""Rows that a list shows one by one."""


def explain(
    opened: OpenModel,
    stream: Stream,
    out: Path | None,
    plot: Path | None,
    *,
    orders: int | None,
    exact: bool,
) -> None:
    """Print the contributions as a list, or write one line per row: the class, the base, the contributions, the score."""
    model, of = opened.explained, opened.of
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
    columns += model._lag_names()
    parts: list[Explanations] = []
    with sheet_for(None if str(out) == "-" else out) if out is not None else nullcontext() as sheet:
        writer = None if sheet is None else csv.writer(sheet, lineterminator="\n")
        if writer is not None:
            writer.writerow(["label", "base", *columns, "score"])
        for chunk in stream.chunks():
            explained = model.explain(chunk.rows, **about, n_orders=orders, exact=exact)
            if opened.title is not None:
                explained = replace(explained, labels=np.full(len(explained), opened.title, dtype=object))
            if writer is not None:
                for row in range(len(explained)):
                    figures = explained.contributions[row]
                    writer.writerow(
                        [explained.labels[row], explained.base[row], *figures, explained.score[row]]
                    )
            if plot is not None or writer is None:
                if not parts:
                    head = model.explain(
                        chunk.rows[: WORDY if writer is None else LISTED],
                        **about,
                        n_orders=orders,
                        exact=exact,
                        words=True,
                    )
                    more = len(explained) - len(head)
                    explained = replace(explained, words=[*head.words, *[{}] * more] if head.words else ())
                parts.append(explained)
    if not parts:
        return
    joined = replace(
        parts[0],
        base=np.concatenate([part.base for part in parts]),
        contributions=np.concatenate([part.contributions for part in parts]),
        score=np.concatenate([part.score for part in parts]),
        labels=np.concatenate([part.labels for part in parts]),
        coded=None
        if parts[0].coded is None
        else np.concatenate([part.coded for part in parts if part.coded is not None]),
        texts={at: [text for part in parts for text in part.texts[at]] for at in parts[0].texts},
        words=[*parts[0].words, *[{}] * sum(map(len, parts[1:]))] if parts[0].words else (),
        columns=columns,
    )
    if out is None:
        _print_list(joined)
    if plot is not None:
        joined.plot(plot)
        stderr().print(f"picture: {plot}", highlight=False, soft_wrap=True)


def _print_list(explained: Explanations) -> None:
    """The first rows one by one, and what matters over all of them."""
    lines: list[str] = []
    for row in range(min(len(explained), LISTED)):
        one = explained[row]
        lines += [
            f"row {row + 1}: score {one.score:+.4g} of {one.label}, from {one.base:+.4g}",
            *bars(one.largest(10), signed=True),
        ]
    if len(explained) > LISTED:
        lines.append(f"... and {len(explained) - LISTED:,} more rows; --out FILE writes all of them")
    if len(explained) > 1:
        lines += importance_lines(dict(zip(explained.columns, explained.importances.tolist(), strict=True)))
        lines += explained.word_lines()
    for line in lines:
        stdout().print(line, markup=False, highlight=False, soft_wrap=True)

"""Saved models for the commands that go on with them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from streamboost.base.naming import holds_text
from streamboost.cli.errors import UserError
from streamboost.models import ModelFileError, load
from streamboost.streams import ExpectedColumns

LABEL = "label"
"""The key of a model's metadata under which stands the column that it was taught to predict."""

DAY_FIRST = "day_first"
"""The same for columns of dates: whether the day came before the month in the files that it was taught with."""


def load_file(path: Path) -> Any:
    """The model of a file."""
    if path.is_dir():
        raise UserError(f"{path}: is a directory, not a model file.")
    try:
        return load(path)
    except ModelFileError as error:
        raise UserError(str(error)) from error
    except OSError as error:
        raise UserError(f"{path}: {error.strerror or error}.") from error


class OpenModel:
    """A model from a file, ready to be fed by a reader."""

    def __init__(self, path: Path, *, verb: str) -> None:
        self.model = load_file(path)
        if not hasattr(self.model, "columns_"):
            raise UserError(f"{path}: a {type(self.model).__name__} is no classifier.")
        if not hasattr(self.model, verb):
            raise UserError(f"{path}: {type(self.model).__name__} learns all rows at once and cannot go on.")
        self.path = path
        self.name = type(self.model).__name__
        self.columns = self.model.columns_

    def expected(self, *, needs_label: bool) -> ExpectedColumns:
        """What a reader has to know."""
        day_first = self.model.metadata_.get(DAY_FIRST)
        return ExpectedColumns(
            names=self.columns.names,
            values=tuple(
                ()
                if column in self.columns.words
                else values
                if values is not None and holds_text(values)
                else None
                for column, values in enumerate(self.columns.values)
            ),
            labels=tuple(self.model.classes_.tolist()) if hasattr(self.model, "classes_") else (),
            needs_label=needs_label,
            label_name=self.model.metadata_.get(LABEL),
            day_first=day_first if isinstance(day_first, dict) else {},
        )

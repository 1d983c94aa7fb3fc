"""Saved models for the commands that go on with them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from streamboost.base.naming import holds_text
from streamboost.cli.errors import UserError
from streamboost.cli.parts import parts_of
from streamboost.evaluate.tasks import task_of
from streamboost.models import ModelFileError, load
from streamboost.streams import ExpectedColumns

LABEL = "label"
"""The key of a model's metadata under which stands the column that it was taught to predict."""

LABELS = "labels"
"""The same of a model of label sets: the columns, in the order of its labels."""

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

    def __init__(self, path: Path, *, verb: str, of: str | None = None) -> None:
        self.path, self.model = path, load_file(path)
        if not hasattr(self.model, "columns_"):
            raise UserError(f"{path}: a {type(self.model).__name__} is no classifier.")
        self.name = type(self.model).__name__
        self.title: str | None = None
        """The label whose model is explained: to that model it is True."""
        self.explained, self.of = (
            self._explained(of) if verb == "explain" and not hasattr(self.model, verb) else (self.model, of)
        )
        """What explains, and the class in it: of a model of every label that of one."""
        if not hasattr(self.explained, verb):
            raise UserError(f"{path}: {self.name} learns all rows at once and cannot go on.")
        self.columns = self.model.columns_
        self.answers_sets = task_of(self.model).name == "multilabel"
        self.label_columns: list[str] = self.model.metadata_.get(LABELS, [])

    def _explained(self, of: str | None) -> tuple[Any, str | None]:
        found = parts_of(self.model, "explain")
        if None in found:
            return found[None], of
        parts = {str(label): part for label, part in found.items()}
        if of is None or of not in parts:
            why = f"--of names the label: {', '.join(parts)}" if parts else "only one can be explained"
            raise UserError(f"{self.path}: {self.name} answers with more than one score; {why}.")
        if len(parts[of].columns_.values) != len(self.model.columns_.values):
            raise UserError(f"--of {of}: its model also looks at the labels before it; explain it in Python.")
        self.title = of
        return parts[of], None

    def expected(self, *, needs_label: bool) -> ExpectedColumns:
        """What a reader has to know."""
        day_first = self.model.metadata_.get(DAY_FIRST)
        names = self.columns.names
        beside: list[str] = []  # columns that are read like features
        single = not self.answers_sets and hasattr(self.model, "classes_")
        label_name = self.model.metadata_.get(LABEL)
        if self.answers_sets and needs_label:
            if names is None or len(self.label_columns) < 2:
                raise UserError(
                    f"{self.path}: the file does not say which columns are labels; teach the model in Python."
                )
            *beside, label_name = self.label_columns
            names = (*names, *beside)
        return ExpectedColumns(
            names=names,
            values=(
                *(
                    ()
                    if column in self.columns.words
                    else values
                    if values is not None and holds_text(values)
                    else None
                    for column, values in enumerate(self.columns.values)
                ),
                *(None for _ in beside),
            ),
            labels=tuple(self.model.classes_.tolist()) if single else (),
            needs_label=needs_label,
            label_name=label_name,
            day_first=day_first if isinstance(day_first, dict) else {},
        )

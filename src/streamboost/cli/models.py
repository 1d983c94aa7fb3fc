"""Models between files and streams: columns by name in files, by position and code for readers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from streamboost.base.naming import holds_text, to_codes, to_names
from streamboost.cli.errors import UserError
from streamboost.models import ModelFileError, load
from streamboost.streams import ExpectedColumns, Stream


class OpenModel:
    """A model from a file, ready to be fed by a reader."""

    def __init__(self, path: Path, *, verb: str) -> None:
        if path.is_dir():
            raise UserError(f"{path}: is a directory, not a model file.")
        try:
            self.model = load(path)
        except ModelFileError as error:
            raise UserError(f"{path}: {error}") from error
        except OSError as error:
            raise UserError(f"{path}: {error.strerror or error}.") from error
        if not hasattr(self.model, "columns_"):
            raise UserError(f"{path}: a {type(self.model).__name__} is no classifier.")
        if not hasattr(self.model, verb):
            raise UserError(f"{path}: {type(self.model).__name__} learns all rows at once and cannot go on.")
        self.path = path
        self.name = type(self.model).__name__
        self.columns = self.model.columns_

    def expected(self, *, needs_label: bool) -> ExpectedColumns:
        """What a reader has to know."""
        names = self.columns.names
        return ExpectedColumns(
            names=None if names is None else tuple(map(str, names)),
            values=tuple(
                tuple(map(str, values)) if values is not None and holds_text(values) else None
                for values in self.columns.values
            ),
            labels=tuple(self.model.classes_.tolist()),
            needs_label=needs_label,
        )

    def for_reader(self) -> Any:
        """The model, addressed as readers do."""
        to_codes(self.model)
        return self.model

    def restore_names(self, stream: Stream) -> None:
        """Back to names and values, with the values that the stream has brought."""
        values = categories(stream)
        texts = {
            column: [*known, *values.get(column, ())[len(known) :]]
            for column, known in enumerate(self.columns.values)
            if known is not None and holds_text(known)
        }
        to_names(self.model, self.columns.names, texts)


def name_columns(model: Any, stream: Stream) -> None:
    """Give a model that has learned from a stream the names and values of the stream."""
    named = getattr(stream, "named", stream.feature_names is not None)
    names = stream.feature_names if named else None
    if names is not None and len(set(names)) != len(names):
        names = None  # what has one name twice can only be counted
    to_names(model, names, categories(stream))


def categories(stream: Stream) -> dict[int, tuple[str, ...]]:
    """The texts behind the codes of a stream, by column."""
    found: dict[int, tuple[str, ...]] = getattr(stream, "column_values", {})
    return found

"""Learning that may be stopped at any row: saved now and then, saved when it ends, and gone on with later."""

from __future__ import annotations

import math
import re
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from streamboost.base.pieces import Pace, clock, since
from streamboost.cli.console import progress_bar, stderr
from streamboost.cli.errors import UserError, plain_warnings
from streamboost.cli.stopping import Stop, StopAsked
from streamboost.evaluate import PrequentialResult, Progress, prequential
from streamboost.streams import DEFAULT_CHUNK_SIZE, Chunk, Stream
from streamboost.streams.base import PartOfStream

UNFINISHED = "unfinished"
"""The key of a model's metadata under which stands how far a stopped command has come."""

_UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0}


@dataclass(frozen=True)
class Every:
    """How often to save: by rows or by time."""

    rows: int | None = None
    seconds: float | None = None

    @classmethod
    def read(cls, text: str | None) -> Every:
        """Read 10000, 10s, 5m or 1h."""
        found = re.fullmatch(r"(\d+(?:\.\d+)?)([smh]?)", "" if text is None else text.strip())
        if text is None:
            return cls()
        if found is None or not float(found[1]) or not (found[2] or found[1].isdigit()):
            raise UserError(
                f"--checkpoint-every {text}: expected a number of rows, as 10000, or a time, as 10s, 5m or 1h."
            )
        if not found[2]:
            return cls(rows=int(found[1]))
        return cls(seconds=float(found[1]) * _UNITS[found[2]])


@dataclass(frozen=True)
class Place:
    """How far a command has come in its data: rows answered and learned, and how many answers were wrong."""

    data: str
    rows: int = 0
    errors: int = 0
    unlabeled: int = 0
    """Rows without a label that the model was shown beside those."""

    def to_metadata(self) -> dict[str, Any]:
        """What the model file says about it."""
        shown = {"unlabeled": self.unlabeled} if self.unlabeled else {}
        return {"data": self.data, "rows": self.rows, "errors": self.errors, **shown}

    def after(self, now: Progress) -> Place:
        """The place after the rows of this run."""
        errors = 0 if math.isnan(now.error) else round(now.error * now.n_rows)  # NaN: no label has come yet
        return Place(
            self.data, self.rows + now.n_rows, self.errors + errors, self.unlabeled + now.n_unlabeled
        )

    @classmethod
    def of(cls, model: Any, path: Path, data: str) -> Place:
        """Where the command was stopped that wrote a model."""
        found = model.metadata_.get(UNFINISHED)
        try:
            counts = (int(found["rows"]), int(found["errors"]), int(found.get("unlabeled", 0)))
            place = cls(str(found["data"]), *counts)
        except (AttributeError, TypeError, KeyError, ValueError):
            raise UserError(
                f"--resume: {path} is no model of a stopped command; `streamboost learn {path} {data}` teaches it more."
            ) from None
        if place.data != data:
            raise UserError(f"--resume: {path} was learning {place.data} when it was stopped, not {data}.")
        return place


class Part(PartOfStream):
    """A stream from a place on, which ends when the command is asked to stop.

    Its chunks are cut so that learning one takes some hundredths of a second: a request to stop does not wait longer.
    """

    n_unlabeled = 0  # the command itself says how many rows without a label it left out

    def __init__(self, stream: Stream, stop: Stop, skip: int = 0) -> None:
        super().__init__(stream)
        self._stop, self._skip = stop, skip

    def chunks(self, size: int = DEFAULT_CHUNK_SIZE) -> Iterator[Chunk]:
        """The rows behind those that are skipped."""
        chunks, skip, pace = self.whole.chunks(size), self._skip, Pace()
        while (chunk := self._next(chunks)) is not None:
            start = min(skip, len(chunk))
            skip -= start
            while start < len(chunk) and self._stop.asked is None:
                end = min(len(chunk), start + pace.rows)
                begun = clock()
                yield chunk.cut(start, end)
                pace.took(end - start, since(begun))
                start = end
        if skip and self._stop.asked is None:
            raise UserError(
                f"--resume: {self.name} ends {skip:,} rows before the place where it was stopped."
            )

    def _next(self, chunks: Iterator[Chunk]) -> Chunk | None:
        try:
            with self._stop.waiting():
                return next(chunks, None)
        except StopAsked:
            return None


class Checkpoints:
    """Saves a model now and then while it learns; what the file had stays until the new one is whole."""

    def __init__(self, every: Every, place: Place, save: Callable[[Place], None]) -> None:
        self._every, self._save = every, save
        self.start = self.place = place
        self._saved, self._clock = place.rows, time.monotonic()
        self._speed = 0.0

    def watch(self, stream: Stream) -> None:
        """Save in time even if no more rows come for a while."""
        if self._every.seconds is not None and hasattr(stream, "when_idle"):
            stream.when_idle(self.look)

    def update(self, now: Progress) -> None:
        """Take note of rows that were learned."""
        self.place = self.start.after(now)
        self._speed = now.examples_per_second
        self.look()

    def look(self) -> float | None:
        """Save if it is time to; returns the seconds until it will be, if there is something to save."""
        every, new = self._every, self.place.rows - self._saved
        if not new or (every.rows is None and every.seconds is None):
            return None
        left = None if every.seconds is None else self._clock + every.seconds - time.monotonic()
        if (left is not None and left > 0) or (every.rows is not None and new < every.rows):
            return left
        try:
            self._save(self.place)
            line = f"saved after {self.place.rows:,} rows ({self._speed:,.0f} examples/s)"
        except OSError as error:  # the next time may find room
            line = f"warning: not saved after {self.place.rows:,} rows: {error}"
        if not sys.stderr.isatty() or "warning" in line:
            stderr().print(f"streamboost: {line}", highlight=False, markup=False, soft_wrap=True)
        self._saved, self._clock = self.place.rows, time.monotonic()
        return None


def learn_live(
    model: Any,
    stream: Stream,
    stop: Stop,
    checkpoints: Checkpoints,
    *,
    orders: int = 1,
    watch: Callable[[Progress], None] | None = None,
    **options: Any,
) -> PrequentialResult:
    """Run a model over the rest of a stream until it ends or somebody asks to stop, with a bar and checkpoints.

    ``watch`` is called after every chunk.
    """
    start = checkpoints.start
    checkpoints.watch(stream)
    with plain_warnings(), progress_bar() as progress:

        def look(now: Progress) -> None:
            if orders == 1:
                checkpoints.update(now)
            elif stop.asked is not None:  # stopped before all orders have run: there is no mean to show
                raise KeyboardInterrupt
            if watch is not None:
                watch(now)
            if progress is not None:
                progress(now)

        try:
            return prequential(
                model,
                Part(stream, stop, start.rows + start.unlabeled) if orders == 1 else stream,
                orders=orders,
                callback=look,
                **options,
            )
        except ValueError:
            if stop.asked is not None and checkpoints.place == start:
                raise StopAsked from None
            raise


def facts_for(model: Any, place: Place | None, **taught: Any) -> dict[str, Any]:
    """The metadata to save: the user's own, what the file was read as, and the place of a command that is not at its end."""
    facts: dict[str, Any] = {name: fact for name, fact in model.metadata_.items() if name != UNFINISHED}
    facts |= {name: fact for name, fact in taught.items() if fact}
    return facts if place is None else {**facts, UNFINISHED: place.to_metadata()}

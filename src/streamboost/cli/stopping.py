"""Ctrl-C and SIGTERM end a command between two rows, so that it can save and say what it has."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Any, NoReturn

import typer

from streamboost.base.system import STOP_SIGNALS


class StopAsked(BaseException):
    """Raised out of a wait for data when the command is asked to stop."""


class Stop:
    """Remembers a request to stop: learning looks between two pieces, waiting is interrupted.

    The second signal does not wait any more. Only the main thread sees signals: elsewhere this does nothing.
    """

    def __init__(self) -> None:
        self.asked: int | None = None
        self._waiting = False
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Stop:
        if threading.current_thread() is threading.main_thread():
            self._before = {number: signal.signal(number, self._ask) for number in STOP_SIGNALS}
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        if kind is StopAsked:
            typer.echo("streamboost: stopped before the first row; nothing was learned.", err=True)
            self.exit()

    def _ask(self, number: int, _: FrameType | None) -> None:
        if self.asked is not None:
            raise KeyboardInterrupt
        self.asked = number
        if self._waiting:
            raise StopAsked

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """A block that a signal may leave at any point."""
        self._waiting = True
        try:
            if self.asked is not None:
                raise StopAsked
            yield
        finally:
            self._waiting = False

    def exit(self) -> NoReturn:
        """End the command: 130 after Ctrl-C, as shells expect it; 0 after SIGTERM."""
        raise typer.Exit(130 if self.asked == signal.SIGINT else 0)

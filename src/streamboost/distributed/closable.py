"""A base class for what must be closed: `with` does it at the end of its block."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Self


class Closable(ABC):
    """Something with processes or files of its own: ``with`` closes it."""

    @abstractmethod
    def close(self) -> None:
        """Write what must be written and end what was started."""

    def __enter__(self) -> Self:
        """Return itself, to be closed with the block."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close what is open, whatever was raised."""
        self.close()

"""Errors about classes, with what they are about as fields.

The message names parameters and classes of Python. Code that shows it elsewhere (the command line, the adapter for River) has
words of its own and makes them from the fields.
"""

from __future__ import annotations

from typing import Any


class ClassesNeeded(ValueError):
    """Raised by a model that must know its classes before its first row, if they were not given."""

    def __init__(self, who: str, known: list[Any]) -> None:
        self.who, self.known = who, known
        self.what = f"{who} must know all classes before its first row (found so far: {known}):"
        super().__init__(
            f"{self.what} pass classes= to the first partial_fit, test_then_train or learn_one, or use fit."
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.who, self.known)


class TooManyClasses(ValueError):
    """A model for two classes was given more."""

    def __init__(self, who: str, found: int, known: list[Any]) -> None:
        self.who, self.found, self.known = who, found, known
        self.what = f"Only binary classification is supported. {who} tells two classes apart but got {found}: {known}."
        super().__init__(
            f"{self.what} Use StreamBoostClassifier or OnlineBoostingClassifier, or one model per class: "
            f"sklearn.multiclass.OneVsRestClassifier({who}(...))."
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.who, self.found, self.known)

"""Refusals in the words of whoever is spoken to: Python has parameters, the shell has flags, River's face its own."""

from __future__ import annotations


class Refusal(ValueError):
    """Something a model cannot do, said for Python; ``shell`` and ``river`` say what to do about it elsewhere."""

    def __init__(self, what: str, advice: str, *, shell: str, river: str) -> None:
        super().__init__(f"{what} {advice}")
        self.what, self.shell, self.river = what, shell, river

    def for_shell(self) -> str:
        """The message with flags."""
        return f"{self.what} {self.shell}"

    def for_river(self) -> str:
        """The message with the parameters of the River adapter."""
        return f"{self.what} {self.river}"

    def __reduce__(self) -> tuple[object, ...]:
        return _again, (type(self), str(self), dict(self.__dict__))


def _again(cls: type[Refusal], message: str, facts: dict[str, str]) -> Refusal:
    error = cls.__new__(cls, message)
    error.args = (message,)
    error.__dict__.update(facts)
    return error


def classes_first(who: str, known: list[object]) -> Refusal:
    """A model that must know its classes has not been told them."""
    return Refusal(
        f"{who} must know all classes before its first row (found so far: {known}):",
        "pass classes= to the first partial_fit, test_then_train or learn_one, or use fit.",
        shell="name them with --classes a,b,c.",
        river="pass classes=[...] to RiverClassifier.",
    )

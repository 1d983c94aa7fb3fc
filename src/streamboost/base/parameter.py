"""A parameter is declared once: its name, what it may be and what it means.

The constructor's signature adds the default. From the two follow the check of the value, the docstring, the flag on the command
line, the tables of the documentation, the reading of files and what the core is given.
"""

from __future__ import annotations

import functools
import inspect
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any, ClassVar

from sklearn.utils._param_validation import Interval, StrOptions

from streamboost import _core
from streamboost.base.suggest import suggest

LARGEST_WHOLE = 2**62
"""Whole numbers beyond this reach the core as this: it counts in 64 bits."""


@dataclass(frozen=True)
class Kind:
    """One kind of value that a parameter may have."""

    text: str
    """In words, for people."""
    constraint: Any
    """For scikit-learn's check."""
    words: tuple[str, ...] = ()
    whole: bool = False


def number(interval: str = "(-inf, inf)") -> Kind:
    """Return the kind of a real number in an interval, written as in mathematics: ``"(0, 1]"``."""
    return _number(Real, "float", interval)


def whole(interval: str = "(-inf, inf)") -> Kind:
    """Return the kind of a whole number in an interval, ``"[1, inf)"``."""
    return _number(Integral, "int", interval)


def one_of(*words: str) -> Kind:
    """Return the kind of a choice between words."""
    quoted = ", ".join(f'"{word}"' for word in words)
    return Kind(quoted if len(words) == 1 else f"{{{quoted}}}", StrOptions(set(words)), words)


def numbers(text: str) -> Kind:
    """Return the kind of a sequence of numbers, whose meaning the class checks itself."""
    return Kind(text, "array-like")


def anything(text: str) -> Kind:
    """Return the kind of a value that the class judges itself, with better words."""
    return Kind(text, "no_validation")


FLAG = Kind("bool", "boolean")
NONE = Kind("None", None)


def _number(type_: type, name: str, interval: str) -> Kind:
    closed = {"[]": "both", "[)": "left", "(]": "right", "()": "neither"}[interval[0] + interval[-1]]
    read = int if type_ is Integral else float
    low, high = (None if "inf" in end else read(end) for end in interval[1:-1].split(","))
    if high is not None:
        text = f"{name} in {interval}"
    elif low is None:
        text = name
    else:
        text = f"{name} above {low:g}" if interval[0] == "(" else f"{name}, {low:g} or more"
    return Kind(text, Interval(type_, low, high, closed=closed), whole=type_ is Integral)


@dataclass(frozen=True)
class Parameter:
    """One parameter of a constructor."""

    name: str
    kinds: tuple[Kind, ...]
    meaning: str
    to_core: bool = True
    """Whether the core is given it under the same name; else the class has a use of its own for it."""
    default: Any = inspect.Parameter.empty
    """From the constructor's signature; declared here for options, which constructors take as ``**options``."""
    from_list: Callable[[list[Any]], Any] | None = None
    """What a user gives, from the list that a model file has for it; None: a list, or a tuple if the default is one."""

    @property
    def type_text(self) -> str:
        """What values are allowed, in words."""
        texts = [kind.text for kind in self.kinds]
        return ", ".join(texts[:-1]) + " or " + texts[-1] if len(texts) > 1 else texts[0]

    @property
    def summary(self) -> str:
        """The first sentence of the meaning."""
        return self.meaning.split(". ")[0].rstrip(".") + "."

    def saying(self, meaning: str) -> Parameter:
        """Return the same parameter with another meaning, where a class uses it in its own way."""
        return replace(self, meaning=meaning)

    def core_value(self, value: Any) -> Any:
        """Return a value that has been judged as the core wants it: plain numbers, booleans and words."""
        if value is None or isinstance(value, str):
            return value
        if any(kind is FLAG for kind in self.kinds):
            return bool(value)
        if any(kind.whole for kind in self.kinds):
            return int(min(value, LARGEST_WHOLE))
        return float(value)


def parameter(
    name: str,
    kinds: Kind | Sequence[Kind],
    meaning: str,
    **more: Any,
) -> Parameter:
    """Declare a parameter; `kinds` is what it may be, `meaning` begins with a sentence that can stand alone."""
    chosen = (kinds,) if isinstance(kinds, Kind) else tuple(kinds)
    return Parameter(name, chosen, " ".join(meaning.split()), **more)


class Declared:
    """A class whose parameters are declared: they are checked, documented, stored and handed to the core alike."""

    _parameters: ClassVar[tuple[Parameter, ...]] = ()
    _attributes: ClassVar[tuple[tuple[str, str, str], ...]] = ()
    """Public attributes of a fitted estimator, for the docstring: name, type, meaning."""
    _parameter_constraints: ClassVar[dict[str, Any]] = {}
    _options: ClassVar[Mapping[str, Any]] = {}
    """Parameters that the constructor takes as ``**options``, and their defaults."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "_parameters" not in cls.__dict__:
            return
        given = _constructor(cls)
        declared = [p.name for p in cls._parameters]
        if list(given) != declared:
            raise TypeError(
                f"{cls.__name__} declares the parameters {declared}, but its constructor takes {list(given)}."
            )
        cls._parameters = tuple(replace(p, default=given[p.name].default) for p in cls._parameters)
        cls._parameter_constraints = {
            p.name: "no_validation"
            if p.kinds[0].constraint == "no_validation"
            else [k.constraint for k in p.kinds]
            for p in cls._parameters
        }
        cls.__doc__ = _with_sections(cls.__doc__, cls)

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        if not name.startswith("_"):
            # Counted, so that a session compares parameters only after a change, not for every row.
            _core.parameter_changed()

    @classmethod
    def _get_param_names(cls) -> list[str]:
        kind: Any = cls
        return list(_parameter_names(kind))

    def _set_options(self, given: Mapping[str, Any]) -> None:
        """Store what the constructor was given as ``**options``, and the defaults of the rest."""
        for name in given:
            if name not in self._options:
                near = suggest(name, self._get_param_names())
                raise TypeError(
                    f"{type(self).__name__}.__init__() got an unexpected keyword argument {name!r}"
                    + (
                        f"; help({type(self).__name__}) lists the parameters"
                        if near is None
                        else f"; did you mean {near!r}?"
                    )
                )
        for name, default in self._options.items():
            setattr(self, name, given.get(name, default))

    def _core_params(self) -> dict[str, Any]:
        """Return what the core is given: every declared parameter that it reads, as plain values."""
        return {p.name: p.core_value(getattr(self, p.name)) for p in self._parameters if p.to_core}


@functools.cache
def _parameter_names(kind: Any) -> tuple[str, ...]:
    """Read the constructor once: scikit-learn does so at every validation, a large part of a small model's first call."""
    return tuple(super(Declared, kind)._get_param_names())


def _constructor(cls: type[Declared]) -> Mapping[str, inspect.Parameter]:
    """Return the parameters of a constructor, its ``**options`` spelt out: so they are shown, and so scikit-learn sees them."""
    given = dict(inspect.signature(cls).parameters)
    rest = [name for name, entry in given.items() if entry.kind is entry.VAR_KEYWORD]
    if rest:
        del given[rest[0]]
        cls._options = {
            p.name: p.default
            for p in cls._parameters
            if p.name not in given and p.default is not inspect.Parameter.empty
        }
        for name, default in cls._options.items():
            given[name] = inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default)
        this = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        vars(cls)["__init__"].__signature__ = inspect.Signature([this, *given.values()])
    return given


def with_defaults(options: Sequence[Parameter], **defaults: Any) -> tuple[Parameter, ...]:
    """Return options with other defaults, for a class that needs them."""
    for name in set(defaults) - {option.name for option in options}:
        raise TypeError(f"{name!r} is none of the options.")
    return tuple(replace(p, default=defaults.get(p.name, p.default)) for p in options)


def parameters_of(cls: type) -> dict[str, Parameter]:
    """Return the parameters of a class by name, with their defaults, in the order of the constructor; none of no learner."""
    return {p.name: p for p in getattr(cls, "_parameters", ())}


_SECTIONS = ("Notes", "References", "Examples")


def _with_sections(doc: str | None, cls: type[Declared]) -> str | None:
    """Return the docstring with its sections Parameters and Attributes, before the first of those that follow them."""
    if doc is None:  # python -OO
        return None
    text = inspect.cleandoc(doc)
    lines = ["Parameters", "----------"]
    for p in cls._parameters:
        lines += [f"{p.name} : {p.type_text}, default={_default_text(p.default)}", *_folded(p.meaning)]
    if cls._attributes:
        lines += ["", "Attributes", "----------"]
        for name, type_, meaning in cls._attributes:
            lines += [f"{name} : {type_}", *_folded(meaning)]
    section = "\n".join(lines)
    found = [text.find(f"\n{name}\n---") for name in _SECTIONS]
    at = min((place for place in found if place >= 0), default=len(text))
    return f"{text[:at].rstrip()}\n\n{section}\n\n{text[at:].lstrip()}".rstrip() + "\n"


def _default_text(value: Any) -> str:
    return (
        f'"{value}"' if isinstance(value, str) else f"{value:g}" if isinstance(value, float) else repr(value)
    )


def _folded(meaning: str) -> list[str]:
    return textwrap.wrap(
        meaning,
        108,
        initial_indent="    ",
        subsequent_indent="    ",
        break_long_words=False,
        break_on_hyphens=False,
    )

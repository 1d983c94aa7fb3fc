"""Parameters on the command line come from the constructors' signatures and constraints."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from streamboost.cli.errors import UserError, closest
from streamboost.models import LEARNERS, MODELS

# These have an option of their own.
_OWN_OPTION = {
    "estimator": "--learner",
    "n_estimators": "-n",
    "random_state": "--seed",
}


@dataclass(frozen=True)
class Parameter:
    """One parameter of a constructor."""

    name: str
    default: Any
    constraints: tuple[Any, ...]

    def parse(self, text: str | None) -> Any:
        """The value that a text stands for. None is a flag without value: true."""
        options = {option for c in self.constraints for option in getattr(c, "options", ())}
        if text is None:
            return True
        if text in options:
            return text
        word = text.strip().lower()
        if word in ("true", "false"):
            return word == "true"
        if word == "none":
            return None
        for kind in (int, float):
            try:
                return kind(text)
            except ValueError:
                continue
        return [self.parse(part) for part in text.split(",")] if "," in text else text

    @property
    def allowed(self) -> str:
        """What values are allowed, in words."""
        return " or ".join(map(_describe, self.constraints))


def _describe(constraint: Any) -> str:
    if constraint == "boolean":
        return "true | false"
    if constraint is None:
        return "none"
    if hasattr(constraint, "options"):
        return " | ".join(sorted(map(str, constraint.options)))
    from sklearn.utils._param_validation import make_constraint

    return str(make_constraint(constraint))


def parameters_of(cls: type) -> dict[str, Parameter]:
    """The constructor's parameters by name, in their order."""
    constraints = getattr(cls, "_parameter_constraints", {})
    found = {}
    for name, entry in inspect.signature(cls).parameters.items():
        allowed = constraints.get(name, ())
        allowed = tuple(allowed) if isinstance(allowed, (list, tuple)) else ()
        found[name] = Parameter(name, entry.default, allowed)
    return found


def flag(name: str) -> str:
    """How a parameter is written as a flag."""
    return "--" + name.replace("_", "-")


@dataclass
class Wish:
    """The model that the user asks for, as written."""

    model: str
    learner: str
    n_estimators: int | None = None
    seed: int = 0
    scale: str | None = None
    flags: list[tuple[str, str | None]] = field(default_factory=list)
    params: list[str] = field(default_factory=list)
    learner_params: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        """A short name for tables and pictures."""
        return f"{self.model}({self.learner})"

    def check(self) -> None:
        """Raise for whatever is wrong before any data is read."""
        model = self.build(None)
        for part in (model.estimator, model):
            if hasattr(part, "_validate_params"):
                part._validate_params()

    def build(self, nominal: npt.NDArray[np.bool_] | None) -> Any:
        """The model, not trained. ``nominal`` marks the columns that hold codes."""
        model_values, learner_values = self.values()
        if nominal is not None and nominal.any():
            model_values.setdefault("categorical_features", nominal)
        model_values["random_state"] = self.seed
        return MODELS[self.model](LEARNERS[self.learner](**learner_values), **model_values)

    def values(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """The parameters of the model and of the learner that were asked for."""
        if self.model not in MODELS:
            raise UserError(_unknown("model", self.model, list(MODELS)))
        if self.learner not in LEARNERS:
            raise UserError(_unknown("learner", self.learner, list(LEARNERS)))
        model_class, learner_class = MODELS[self.model], LEARNERS[self.learner]
        of_model, of_learner = parameters_of(model_class), parameters_of(learner_class)
        model_values: dict[str, Any] = {}
        learner_values: dict[str, Any] = {}
        if self.n_estimators is not None:
            if "n_estimators" not in of_model:
                raise UserError(f"The model {self.model} has no number of learners to set with -n.")
            model_values["n_estimators"] = self.n_estimators
        if self.scale is not None and not ("scale" not in of_learner and self.scale == "none"):
            if "scale" not in of_learner:
                raise UserError(
                    f"The learner {self.learner} does not scale its input; --scale is for linear ones."
                )
            learner_values["scale"] = self.scale
        for text, table, values, what in (
            *((text, of_model, model_values, f"model {self.model}") for text in self.params),
            *((text, of_learner, learner_values, f"learner {self.learner}") for text in self.learner_params),
        ):
            name, equals, value = text.partition("=")
            name = name.strip().replace("-", "_")
            if not equals:
                raise UserError(f"{text!r}: expected NAME=VALUE.")
            if name not in table or name in _OWN_OPTION:
                raise UserError(f"The {what} has no parameter {name!r} to set{closest(name, _free(table))}")
            values[name] = table[name].parse(value)
        for written, given in self.flags:
            self._take_flag(written, given, of_model, of_learner, model_values, learner_values)
        return model_values, learner_values

    def _take_flag(
        self,
        written: str,
        given: str | None,
        of_model: dict[str, Parameter],
        of_learner: dict[str, Parameter],
        model_values: dict[str, Any],
        learner_values: dict[str, Any],
    ) -> None:
        name = written.replace("-", "_")
        no_name = name.removeprefix("no_")
        for table, values in ((of_model, model_values), (of_learner, learner_values)):
            if name in table and name not in _OWN_OPTION:
                if given is None and not isinstance(table[name].default, bool):
                    raise UserError(f"The option --{written} needs a value.")
                values[name] = table[name].parse(given)
                return
            if given is None and no_name in table and isinstance(table[no_name].default, bool):
                values[no_name] = False
                return
        owners = [key for key, cls in (*MODELS.items(), *LEARNERS.items()) if name in parameters_of(cls)]
        raise UserError(f"--{written} is no parameter of {self.name}; it is one of {', '.join(owners)}.")


def check_flag_names(names: list[str], options: list[str]) -> None:
    """Raise for a flag that is no parameter of any model or learner, with the nearest that is."""
    for written in names:
        name = written.replace("-", "_")
        if name in _OWN_OPTION:
            raise UserError(f"There is no option --{written}; use {_OWN_OPTION[name]}.")
        every = {n for cls in (*MODELS.values(), *LEARNERS.values()) for n in _free(parameters_of(cls))}
        if not {name, name.removeprefix("no_")} & every:
            near = [n.replace("_", "-") for n in sorted(every)] + [
                o[2:] for o in options if o.startswith("--")
            ]
            raise UserError(f"There is no option --{written}{closest(written, near, '--')}")


def _free(table: dict[str, Parameter]) -> list[str]:
    return [name for name in table if name not in _OWN_OPTION]


def _unknown(what: str, name: str, names: list[str]) -> str:
    near = closest(name, names)
    return f"There is no {what} {name!r}" + (near if near != "." else f"; there are {', '.join(names)}.")

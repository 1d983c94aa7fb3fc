"""Models and learners that no table has: classes of the user's own, and combinations of several learners."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterable
from typing import Any

from streamboost.base.parameter import parameters_of
from streamboost.cli.errors import UserError, closest
from streamboost.models import ALL_LEARNERS as LEARNERS
from streamboost.models import ALL_MODELS as MODELS
from streamboost.models import EXPERTS, own_class


def is_own(model: str, learner: str | None) -> bool:
    """Whether a model is not simply one of the table with one learner of the table."""
    return model in EXPERTS or ":" in model or ":" in (learner or "")


def named_class(option: str, text: str) -> Any:
    """The class that ``package.module:Class`` names."""
    module, _, name = text.partition(":")
    try:
        found = own_class(text)
    except ModuleNotFoundError as error:
        raise UserError(f"{option} {text}: there is no module {error.name!r}.") from error
    except AttributeError as error:
        raise UserError(f"{option} {text}: the module {module!r} has no {name!r}.") from error
    if not inspect.isclass(found):
        raise UserError(f"{option} {text}: {name!r} is no class.")
    return found


def make_learner(text: str, params: Iterable[str]) -> Any:
    """A learner by its name in the table or as a class of the user's own."""
    if ":" not in text and text not in LEARNERS:
        near = closest(text, LEARNERS)
        known = f"; there are {', '.join(LEARNERS)}, or package.module:Class."
        raise UserError(f"There is no learner {text!r}{known if near == '.' else near}")
    cls = LEARNERS[text] if text in LEARNERS else named_class("--learner", text)
    return _made(cls, "--learner-param", given_params("--learner-param", params))


def make_model(
    model: str,
    learner: str | None,
    values: dict[str, Any],
    params: list[str],
    learner_params: list[str],
    seed: int,
) -> Any:
    """A model of the user's own, an ensemble of the user's own learner, or a combination of several learners."""
    cls = MODELS.get(model) or EXPERTS.get(model) or named_class("--model", model)
    given = {**values, **(given_params("--param", params) if model not in MODELS else {})}
    accepted = inspect.signature(cls).parameters
    for name in ("random_state", "seed"):
        if name in accepted:
            given.setdefault(name, seed)
    if learner is not None and model in EXPERTS:
        given["estimators"] = [make_learner(name, ()) for name in learner.split(",")]
        if learner_params:
            raise UserError(f"--learner-param: {model} has several learners; it cannot be said whose it is.")
    elif learner is not None:
        given["estimator"] = make_learner(learner, learner_params)
    return _made(cls, "--param", given)


def _made(cls: Any, option: str, given: dict[str, Any]) -> Any:
    accepted = inspect.signature(cls).parameters
    takes_all = any(p.kind is p.VAR_KEYWORD for p in accepted.values())
    for name in given:
        if name not in accepted and not takes_all:
            flag = {"estimator": "--learner", "n_estimators": "-n"}.get(name, f"{option} {name}")
            raise UserError(
                f"{flag}: {cls.__name__} has no parameter {name!r}; it has {', '.join(accepted) or 'none'}."
            )
    try:
        made = cls(**given)
    except TypeError as error:
        raise UserError(f"{cls.__name__} cannot be made: {error}.") from error
    if hasattr(made, "_validate_params"):
        made._validate_params()
    return made


def given_params(option: str, texts: Iterable[str]) -> dict[str, Any]:
    """Parameters as NAME=VALUE, values as in JSON."""
    found: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise UserError(f"{option} {text}: expected NAME=VALUE.")
        try:
            found[name.strip().replace("-", "_")] = json.loads(value)
        except ValueError:
            found[name.strip().replace("-", "_")] = None if value == "None" else value
    return found


def expert_flags(model: str, flags: list[tuple[str, str | None]]) -> list[str]:
    """The flags of a combination of learners as parameters."""
    known = parameters_of(EXPERTS[model]) if model in EXPERTS else {}
    for name, value in flags:
        if name.replace("-", "_") not in known or value is None:
            raise UserError(f"--{name}: parameters of --model {model} are given as --param {name}=VALUE.")
    return [f"{name}={value}" for name, value in flags]

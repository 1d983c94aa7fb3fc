"""The model that the command line asks for. Its flags are the parameters that models and learners declare."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from streamboost.base.parameter import FLAG, Parameter, parameters_of
from streamboost.cli.custom import expert_flags, given_params, is_own, make_model, named_class
from streamboost.cli.errors import UserError, closest
from streamboost.evaluate.tasks import task_of
from streamboost.models import ALL_LEARNERS as LEARNERS
from streamboost.models import ALL_MODELS, EXPERTS, MULTILABEL, REGRESSION_LEARNERS, REGRESSORS, build

MODELS = {**ALL_MODELS, **MULTILABEL}

# Models that are made around others have no name there, but an option.
_AROUND = {
    "active": "--budget 0.1 lets any classifier ask for a tenth of the labels",
    "bandit": "--feedback bandit makes one of any classifier",
    "binary-relevance": "--labels 'label:*' makes one of any classifier",
    "chain": "a chain is --model streamboost:ClassifierChain, with --labels",
}
_AROUND["classifier-chain"] = _AROUND["chain"]

# These have an option of their own.
_OWN_OPTION = {
    "estimator": "--learner",
    "n_estimators": "-n",
    "random_state": "--seed",
}


def parse(parameter: Parameter, text: str | None) -> Any:
    """Parse the value of a flag. None is a flag without value: true."""
    if text is None:
        return True
    if text in {option for kind in parameter.kinds for option in kind.words}:
        return text
    if text.endswith(")"):  # a detector with parameters
        return text
    if "=" in text:  # of labels, or of pairs of them: spam=20 or spam>ham=10,ham>spam=1
        pairs = [part.rpartition("=") for part in text.split(",")]
        return {
            tuple(key.split(">")) if ">" in key else key: parse(parameter, value) for key, _, value in pairs
        }
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
    return [parse(parameter, part) for part in text.split(",")] if "," in text else text


def is_switch(parameter: Parameter) -> bool:
    """Whether a parameter is true or false and nothing else, so that its flag needs no value."""
    return parameter.kinds == (FLAG,)


def flag(name: str) -> str:
    """How a parameter is written as a flag."""
    return "--" + name.replace("_", "-")


@dataclass
class ModelSpec:
    """The model that the user asks for, as written."""

    model: str
    learner: str | None = None
    """None: the model's own."""
    n_estimators: int | None = None
    seed: int = 0
    scale: str | None = None
    flags: list[tuple[str, str | None]] = field(default_factory=list)
    params: list[str] = field(default_factory=list)
    learner_params: list[str] = field(default_factory=list)
    label_sets: bool = False
    """Whether rows have several labels: a classifier of one label is then used for each of them."""

    def for_task(self, task: str | None) -> ModelSpec:
        """The same for a task: regression takes a model's name for its regressor's, and no classifier."""
        if task not in (None, "classification", "regression"):
            raise UserError(f"--task {task}: expected classification or regression.")
        if task == "regression" and self.model not in REGRESSORS:
            regressor = f"{self.model}-regressor"
            if regressor not in REGRESSORS:
                raise UserError(_unknown("regressor", self.model, list(REGRESSORS)))
            return replace(self, model=regressor)
        if task == "classification" and self.model in REGRESSORS:
            raise UserError(f"--task classification: {self.model} is a regressor.")
        return self

    @property
    def has_regressor(self) -> bool:
        """Whether the name of a classifier stands for a regressor as well."""
        classifier = self.model in MODELS and self.model not in REGRESSORS
        return (
            classifier
            and f"{self.model}-regressor" in REGRESSORS
            and (self.learner is None or self.learner in REGRESSION_LEARNERS)
        )

    @property
    def task(self) -> str:
        """What the model predicts."""
        if self.label_sets or self.model in MULTILABEL:
            return "multilabel"
        return "regression" if self.model in REGRESSORS else "classification"

    @property
    def name(self) -> str:
        """A short name for tables and pictures."""
        return self.model if self.learner is None else f"{self.model}({self.learner})"

    def build(self) -> Any:
        """The model, not trained. Raises for whatever is wrong, before any data is read."""
        if self.label_sets and self.model in REGRESSORS:
            raise UserError(f"--labels: {self.model} is a regressor.")
        if self.model in MULTILABEL and not self.label_sets:
            raise UserError(f"{self.model} learns sets of labels: name their columns, as --labels 'label:*'.")
        if self.label_sets and self.model not in MULTILABEL:
            from streamboost.feedback import BinaryRelevanceClassifier

            if ":" in self.model and task_of(named_class("--model", self.model)).name == "multilabel":
                return self._build_own_of_sets()
            return BinaryRelevanceClassifier(replace(self, label_sets=False).build())
        if is_own(self.model, self.learner):
            own = self._build_own()
            if task_of(own).name == "multilabel":
                raise UserError(
                    f"{self.model} learns sets of labels: name their columns, as --labels 'label:*'."
                )
            return own
        params, learner_params = self.values()
        try:
            model = build(self.model, self.learner, params, learner_params, seed=self.seed)
        except TypeError as error:  # a learner of classes in a regressor, or the reverse
            raise UserError(str(error)) from error
        for part in (model.estimator, model):
            if hasattr(part, "_validate_params"):
                part._validate_params()
        return model

    def _build_own(self) -> Any:
        """A model that is not simply one of the table with one learner of the table."""
        if self.scale is not None:
            raise UserError("--scale is for linear learners of streamboost; use --learner-param.")
        params, values = self.params, {} if self.n_estimators is None else {"n_estimators": self.n_estimators}
        if self.model in MODELS:
            values, _ = replace(self, learner=None, learner_params=[]).values()
        elif self.flags:
            params = [*params, *expert_flags(self.model, self.flags)]
        return make_model(self.model, self.learner, values, params, self.learner_params, self.seed)

    def _build_own_of_sets(self) -> Any:
        """A class of label sets: those of ours that are made of classifiers get one with the seed, or with the learner."""
        from streamboost.feedback import LabelwiseClassifier

        if not issubclass(named_class("--model", self.model), LabelwiseClassifier):
            return self._build_own()
        each = ModelSpec(
            "streamboost" if self.learner is None else "single",
            self.learner,
            seed=self.seed,
            scale=self.scale,
            learner_params=self.learner_params,
        )
        own = replace(self, learner=None, learner_params=[], scale=None)._build_own()
        return own.set_params(estimator=each.build())

    def values(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """The parameters of the model and of the learner that were asked for."""
        if is_own(self.model, self.learner) and self.model not in EXPERTS:
            size = {} if self.n_estimators is None else {"n_estimators": self.n_estimators}
            own, learners = (
                given_params("--param", self.params),
                given_params("--learner-param", self.learner_params),
            )
            return {**size, **own}, learners
        if self.model in _AROUND:
            raise UserError(f"There is no model {self.model!r}: {_AROUND[self.model]}.")
        if self.model not in MODELS:
            raise UserError(_unknown("model", self.model, [*MODELS, *EXPERTS]))
        if self.learner is not None and self.learner not in LEARNERS:
            raise UserError(_unknown("learner", self.learner, list(LEARNERS)))
        model_class = MODELS[self.model]
        learner_class = (
            type(model_class._default_learner()) if self.learner is None else LEARNERS[self.learner]
        )
        learner_name = next((name for name, cls in LEARNERS.items() if cls is learner_class), "of its own")
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
                    f"The learner {learner_name} does not scale its input; --scale is for linear ones."
                )
            learner_values["scale"] = self.scale
        for text, table, values, what in (
            *((text, of_model, model_values, f"model {self.model}") for text in self.params),
            *((text, of_learner, learner_values, f"learner {learner_name}") for text in self.learner_params),
        ):
            name, equals, value = text.partition("=")
            name = name.strip().replace("-", "_")
            if not equals:
                raise UserError(f"{text!r}: expected NAME=VALUE.")
            if name in table and name in _OWN_OPTION and name != "n_estimators":  # a size can be searched
                raise UserError(f"{text}: use {_OWN_OPTION[name]}.")
            if name not in table:
                raise UserError(f"The {what} has no parameter {name!r}{closest(name, table)}")
            values[name] = parse(table[name], value)
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
                if given is None and not is_switch(table[name]):
                    raise UserError(f"The option --{written} needs a value.")
                values[name] = parse(table[name], given)
                if name == "target" and values[name] not in table[name].kinds[0].words:
                    raise UserError(
                        f"--target {given}: raw or log1p is expected; the column to predict is named by --label."
                    )
                return
            if given is None and no_name in table and is_switch(table[no_name]):
                values[no_name] = False
                return
        if name == "target":
            raise UserError(
                "The column to predict is named by --label. (--target is a parameter of regressors: raw or log1p.)"
            )
        owners = [key for key, cls in (*MODELS.items(), *LEARNERS.items()) if name in parameters_of(cls)]
        raise UserError(f"--{written} is no parameter of {self.name}; it is one of {', '.join(owners)}.")


def mark_nominal(model: Any, nominal: npt.NDArray[np.bool_] | None) -> Any:
    """Tell a model which columns of a stream hold codes of nominal values, unless the user has said so."""
    own = getattr(model, "categorical_features", "not a model of streamboost")
    if nominal is not None and nominal.any() and own is None:
        model.set_params(categorical_features=nominal)
    return model


def check_flag_names(names: list[str], options: list[str]) -> None:
    """Raise for a flag that is no parameter of any model or learner, with the nearest that is."""
    for written in names:
        name = written.replace("-", "_")
        if name in _OWN_OPTION:
            raise UserError(f"There is no option --{written}; use {_OWN_OPTION[name]}.")
        classes = (*MODELS.values(), *EXPERTS.values(), *LEARNERS.values())
        every = {n for cls in classes for n in _free(parameters_of(cls))}
        if not {name, name.removeprefix("no_")} & every:
            near = [n.replace("_", "-") for n in sorted(every)] + [
                o[2:] for o in options if o.startswith("--")
            ]
            raise UserError(f"There is no option --{written}{closest(written, near, '--')}")


def switches() -> set[str]:
    """Names of the parameters that are true or false wherever they occur."""
    every = [p for cls in (*MODELS.values(), *LEARNERS.values()) for p in parameters_of(cls).values()]
    return {p.name for p in every if is_switch(p)} - {p.name for p in every if not is_switch(p)}


def _free(table: dict[str, Parameter]) -> list[str]:
    return [name for name in table if name not in _OWN_OPTION]


def _unknown(what: str, name: str, names: list[str]) -> str:
    near = closest(name, names)
    return f"There is no {what} {name!r}" + (near if near != "." else f"; there are {', '.join(names)}.")

"""Models by their description: the names and parameters of the command line, as JSON."""

from __future__ import annotations

import hashlib
import logging
import warnings
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import msgspec
import numpy as np

from streamboost.base.parameter import Parameter, parameters_of
from streamboost.base.pending import PendingAnswers
from streamboost.base.suggest import suggest
from streamboost.ensemble import OnlineBaggingClassifier
from streamboost.ensemble.common import LearnerEnsemble
from streamboost.feedback import BanditBoostingClassifier
from streamboost.models import ALL_LEARNERS as LEARNERS
from streamboost.models import ALL_MODELS as MODELS
from streamboost.models import ModelFileError, build, load
from streamboost.service.store.errors import BadRequest, Refused
from streamboost.service.store.records import Answer, Features, Label

log = logging.getLogger("streamboost.store")
T = TypeVar("T")
BANDIT = "bandit"
MOST_SAID = 1000
"""Numbers that the parts of a model may say to an event if they are to be recorded with it."""


class Description(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """The parts a model is made of. Without a learner it has its default learner."""

    model: str = "streamboost"
    learner: str | None = None
    params: dict[str, Any] = {}
    learner_params: dict[str, Any] = {}
    classes: list[bool | int | float | str] | None = None
    categorical: list[str] | None = None
    seed: int = 0


def make(description: Description) -> Any:
    """Return the untrained estimator, or say what is wrong with the description."""
    if description.model not in (*MODELS, BANDIT):
        raise BadRequest(
            f"There is no model {description.model!r}.",
            hint=f"{_meant(description.model, MODELS)}There are {', '.join(MODELS)}, {BANDIT}.",
            field="model",
        )
    learner = description.learner
    if learner is not None and learner not in LEARNERS:
        raise BadRequest(
            f"There is no learner {learner!r}.",
            hint=f"{_meant(learner, LEARNERS)}There are {', '.join(LEARNERS)}. A learner written in Python cannot live in "
            "the service: its state is not a plain file.",
            field="learner",
        )
    if not 0 <= description.seed < 2**63:
        raise BadRequest(f"seed is {description.seed}; it must be a whole number, 0 or more.", field="seed")
    if description.model == BANDIT:
        return _make_bandit(description)
    model_class = MODELS[description.model]
    learner_class = type(model_class._default_learner()) if learner is None else LEARNERS[learner]
    _check_names(description.params, parameters_of(model_class), "params", description.model)
    _check_names(
        description.learner_params, parameters_of(learner_class), "learner_params", learner or "its learner"
    )
    params = dict(description.params)
    if description.categorical is not None:
        params["categorical_features"] = list(description.categorical)
    try:
        model = build(
            description.model, learner, params, dict(description.learner_params), seed=description.seed
        )
        for part in (model.estimator, model):
            if hasattr(part, "_validate_params"):
                part._validate_params()
    except (ValueError, TypeError) as error:
        raise BadRequest(" ".join(str(error).split()), field="params") from error
    if is_regressor(model) and description.classes:
        raise BadRequest(f"{description.model} is a regressor and has no classes.", field="classes")
    if model._booster_plan().declared and not description.classes:
        raise BadRequest(
            f"{description.model} must know all classes before its first example.",
            hint='Name them: "classes": ["no", "yes"].',
            field="classes",
        )
    return model


def _make_bandit(description: Description) -> BanditBoostingClassifier:
    """The same of a model that shows labels and learns from rewards; its classes are the labels that it may show."""
    learner = description.learner
    known = parameters_of(BanditBoostingClassifier)
    _check_names(description.params, known, "params", BANDIT)
    try:
        kind = None if learner is None else LEARNERS[learner](**description.learner_params)
        made = BanditBoostingClassifier(
            kind,
            **description.params,
            labels=description.classes,
            categorical_features=description.categorical,
            random_state=description.seed,
        )
        if kind is not None and made.base == "rewards":
            made.estimator = OnlineBaggingClassifier(kind, n_estimators=made.n_estimators)
        if kind is not None:
            kind._validate_params()
        made.snapshot()
    except (ValueError, TypeError) as error:
        raise BadRequest(" ".join(str(error).split()), field="params") from error
    return made


def task(model: Any) -> str:
    """What a model learns from: "classification" (labels), "regression" (numbers) or "bandit" (rewards)."""
    return BANDIT if isinstance(model, BanditBoostingClassifier) else str(type(model)._entry.task)


def is_regressor(model: Any) -> bool:
    """Whether a model of ours is a regressor, not a classifier."""
    return task(model) == "regression"


def _check_names(given: dict[str, Any], known: dict[str, Parameter], field: str, owner: str) -> None:
    taken = {
        "random_state": "seed",
        "categorical_features": "categorical",
        "estimator": "learner",
        "labels": "classes",
    }
    for name in given:
        if name in taken:
            raise BadRequest(f"{field}.{name} is given as {taken[name]!r}.", field=f"{field}.{name}")
        if name not in known:
            allowed = sorted(set(known) - set(taken))
            raise BadRequest(
                f"{owner} has no parameter {name!r}.",
                hint=f"{_meant(name, allowed)}It has {', '.join(allowed)}.",
                field=f"{field}.{name}",
            )


def _meant(word: str, words: Iterable[str]) -> str:
    near = suggest(word, words)
    return f"Did you mean {near!r}? " if near else ""


def learn(
    model: Any,
    features: Features,
    label: Label,
    weight: float,
    description: Description,
    *,
    first: bool,
    given: Answer | None = None,
) -> None:
    """Teach one example; whatever the library refuses raises, and nothing was learned. Advice refuses nothing.

    ``given`` is the answer of the time when the event came, which the model learns from as well. The label of a bandit is
    the reward for the one that it has shown.
    """
    if task(model) == BANDIT:
        if given is None or given.chance is None:
            raise Refused("A bandit learns from rewards for what it has shown.")
        _advised(model.learn_bandit_one, features, given.label, label, given.chance, weight)
        return
    more: dict[str, Any] = {}
    if first and description.classes is not None:
        more["classes"] = description.classes
    pending = None if given is None else _pending(model, given)
    if pending is not None:
        more["pending"] = pending
    _advised(model.learn_one, features, label, weight, **more)


def _pending(model: Any, given: Answer) -> PendingAnswers | None:
    """What was said to an event; None if the model in its place by now is another one, and would not know what was meant."""
    session = model.session
    if given.said is None or session is None:
        return None
    records = np.frombuffer(given.said).reshape(1, -1)
    n_classes = int(records[0, 0])
    if n_classes > len(session.labels) or records.size != session.model.record_width(max(n_classes, 0)):
        return None
    return PendingAnswers(given.label, None, records)


def test_then_train(model: Any, features: Features, label: Label, weight: float, seq: int) -> Answer:
    """The same, with the answer of just before, for a model that has learned before; the event is scored once."""
    return _answer(model, _advised(model.test_then_train_one, features, label, weight), seq)


def _advised(verb: Callable[..., T], *row: Any, **more: Any) -> T:
    """Where warnings are errors: what the library advises is said once, and then left at that."""
    try:
        return verb(*row, **more)
    except Warning as advice:
        log.warning("%s", advice)
    except MemoryError:
        raise  # not the example's fault
    except Exception as error:
        raise _refusal(error) from error
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return verb(*row, **more)
        except Exception as error:
            if isinstance(error, MemoryError):
                raise
            raise _refusal(error) from error


def _refusal(error: Exception) -> Refused:
    return Refused(" ".join(str(error).split()) or type(error).__name__)


def answer(model: Any | None, features: Features, seq: int, *, pending: bool = False) -> Answer:
    """Ask one model; one that has learned nothing has no label to give. The label of a regressor is its number.

    ``pending``: with what its parts said, for when the label comes.
    """
    if model is None:
        return Answer(seq=seq)
    if task(model) == BANDIT:
        proba = model.predict_proba_one(features)
        return _answer(model, (max(proba, key=proba.__getitem__), proba), seq)
    if not pending:
        verb = model.predict_one if is_regressor(model) else model.predict_both_one
        return _answer(model, verb(features), seq)
    found = model.predict_pending_one(features)
    told = found.prediction if is_regressor(model) else (found.prediction, found.proba)
    given = _answer(model, told, seq)
    if 1 < found.records.size <= MOST_SAID:
        given.said = found.records.tobytes()
    return given


def act(model: BanditBoostingClassifier, features: Features, id: str, seq: int) -> Answer:
    """Let a bandit choose the label to show. The draw is keyed by the id: the same model shows it the same label."""
    number = int.from_bytes(hashlib.blake2b(id.encode(), digest_size=7).digest(), "little")
    given = answer(model, features, seq)
    given.label, given.chance = model.act_one(features, number)
    return given


def _answer(model: Any, found: Any, seq: int) -> Answer:
    if is_regressor(model):
        return Answer(found, seq=seq)
    label, proba = found
    return Answer(label, list(proba), list(proba.values()), seq)


def from_bytes(data: bytes) -> Any:
    """Read a model file that a client sent; it is checked as any file is."""
    try:
        model = load(data)
    except ModelFileError as error:
        raise BadRequest(f"This is no usable model file: {error}", code="bad_model_file") from error
    if not isinstance(model, LearnerEnsemble | BanditBoostingClassifier) or not hasattr(model, "predict_one"):
        raise BadRequest(
            f"A {type(model).__name__} cannot be served; the service holds classifiers, regressors and bandits.",
            code="bad_model_file",
        )
    if task(model) != BANDIT and not hasattr(model, "learn_one"):
        raise BadRequest(
            f"A {type(model).__name__} learns all rows at once and cannot go on.", code="bad_model_file"
        )
    if model.columns_.names is None:
        raise BadRequest(
            f"This {type(model).__name__} addresses columns by position; features come by name here.",
            hint="Train it on frames or dicts.",
            code="bad_model_file",
        )
    return model


def described(model: Any) -> Description:
    """Return what can be said of a model that came as a file, for the lists; it is never made anew from this."""
    if task(model) == BANDIT:
        return Description(model=BANDIT, classes=model.classes_.tolist())
    learner = type(model.estimator) if model.estimator is not None else type(model._own_learner())
    name = next((key for key, cls in LEARNERS.items() if cls is learner), None)
    return Description(model=type(model)._entry.name, learner=name)


def quiet() -> None:
    """Let the library's advice go to the log, each piece once, instead of stopping anything."""
    warnings.simplefilter("once")

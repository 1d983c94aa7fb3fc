"""Parameters are declared once: constructors, docstrings, the core, files and the command line agree with the declaration."""

import inspect
import pydoc
import sys
from typing import Any

import pytest
from sklearn.base import BaseEstimator
from sklearn.utils import get_tags

import streamboost
from streamboost import _core, catalogue
from streamboost.base.classifier import Classifier, StreamClassifier
from streamboost.base.parameter import (
    FLAG,
    NONE,
    Declared,
    number,
    one_of,
    parameter,
    parameters_of,
    whole,
    with_defaults,
)
from streamboost.ensemble.options import OPTIONS
from streamboost.models import ALL_LEARNERS, ALL_MODELS, BATCH_MODELS, LEARNERS, MULTILABEL, build

CLASSES = [getattr(streamboost, entry.class_name) for entry in catalogue.ENTRIES]


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_the_constructor_is_the_declaration(cls):
    signature = inspect.signature(cls).parameters
    assert list(signature) == list(parameters_of(cls))
    assert {name: entry.default for name, entry in signature.items()} == {
        p.name: p.default for p in cls._parameters
    }
    instance = cls()
    assert instance.get_params(deep=False) == {name: p.default for name, p in parameters_of(cls).items()}
    instance._validate_params()  # every default is allowed by its own declaration


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_the_docstring_tells_all_parameters_once(cls):
    assert cls.__doc__.count("Parameters\n---") == 1
    assert f"{cls._parameters[-1].name} : " in pydoc.plain(pydoc.render_doc(cls))
    for p in parameters_of(cls).values():
        assert f"{p.name} : {p.type_text}, default=" in cls.__doc__
        assert p.meaning.endswith(".")
        assert p.meaning[0].isupper() or p.meaning[0] == '"'
    assert cls.__doc__.index("Parameters\n---") < cls.__doc__.index("Examples\n---")
    assert cls.__doc__.endswith("\n")
    assert ">>> " in cls.__doc__


def test_a_constructor_that_differs_from_its_declaration_is_refused_at_once():
    with pytest.raises(
        TypeError, match=r"Wrong declares the parameters \['a', 'b'\], but its constructor takes \['a'\]"
    ):

        class Wrong(Declared, BaseEstimator):
            _parameters = (parameter("a", FLAG, "A."), parameter("b", FLAG, "B."))

            def __init__(self, a: bool = True) -> None:
                self.a = a


class Small(Declared, BaseEstimator):
    """Something small.

    Notes
    -----
    None.
    """

    _parameters = (
        parameter("rate", [number("(0, 1]"), one_of("auto")], "How fast. It\nmatters."),
        parameter("loss", one_of("logistic", "hinge"), "What hurts."),
        parameter("size", [whole("[1, inf)"), NONE], "How large."),
        parameter("careful", FLAG, "Whether to look twice.", to_core=False),
    )

    def __init__(
        self, rate: Any = 0.5, *, loss: str = "logistic", size: int | None = 3, careful: bool = False
    ) -> None:
        self.rate = rate
        self.loss = loss
        self.size = size
        self.careful = careful


def test_what_follows_from_a_declaration():
    assert Small.__doc__ == (
        "Something small.\n\nParameters\n----------\n"
        'rate : float in (0, 1] or "auto", default=0.5\n    How fast. It matters.\n'
        'loss : {"logistic", "hinge"}, default="logistic"\n    What hurts.\n'
        "size : int, 1 or more or None, default=3\n    How large.\n"
        "careful : bool, default=False\n    Whether to look twice.\n\nNotes\n-----\nNone.\n"
    )
    assert Small(size=2**80)._core_params() == {"rate": 0.5, "loss": "logistic", "size": 2**62}
    assert parameters_of(Small)["rate"].summary == "How fast."
    for wrong in (
        {"rate": 0},
        {"rate": "fast"},
        {"loss": "logit"},
        {"size": 0},
        {"size": 1.5},
        {"careful": None},
    ):
        with pytest.raises(ValueError, match=f"The '{next(iter(wrong))}' parameter of Small must be"):
            Small(**wrong)._validate_params()


@pytest.mark.parametrize("entry", [*catalogue.MODELS, *catalogue.REGRESSORS], ids=lambda entry: entry.name)
def test_type_checkers_know_the_options_that_are_declared(entry):
    cls = getattr(streamboost, entry.class_name)
    annotation = cls.__init__.__annotations__["options"]
    group = getattr(sys.modules[cls.__module__], annotation.removeprefix("Unpack[").removesuffix("]"))
    shown = list(inspect.signature(cls).parameters)
    code = cls.__init__.__code__
    own = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    assert set(shown) - set(own) == group.__optional_keys__
    assert shown == list(parameters_of(cls))
    assert set(cls().get_params(deep=False)) == set(shown)


def test_an_option_that_there_is_not():
    with pytest.raises(TypeError, match="unexpected keyword argument 'drifts'"):
        streamboost.OnlineBaggingClassifier(drifts=None)
    with pytest.raises(TypeError, match="'speed' is none of the options"):
        with_defaults(OPTIONS, speed=1)


# The table of models and learners.


def test_the_table_and_the_classes_name_each_other():
    for entry in catalogue.ENTRIES:
        cls = getattr(streamboost, entry.class_name)
        assert cls._entry is entry
        assert cls.__module__.startswith(f"streamboost.{entry.package}.")
    models = (*catalogue.MODELS, *catalogue.REGRESSORS, *catalogue.MULTILABEL)
    assert len({entry.name for entry in models}) == len(models)
    assert {
        cls._entry
        for cls in (
            *ALL_MODELS.values(),
            *BATCH_MODELS.values(),
            *MULTILABEL.values(),
            *ALL_LEARNERS.values(),
        )
    } == {entry for entry in catalogue.ENTRIES if not getattr(entry, "experts", False)}


def test_the_core_and_the_table_know_the_same_names():
    learners = (*catalogue.LEARNERS, *catalogue.REGRESSION_LEARNERS)
    assert set(_core.bank_names()) == {entry.core for entry in learners} | {
        "count_bayes"
    }  # naive Bayes for counts
    more = {"osboost_ocp", "osboost_exp"}  # the other votes of OSBoost
    more |= {"history", "hashed", "hashed_regressor", "hashed_shares"}  # companions
    more |= {"bandit_boost"}  # behind BanditBoostingClassifier
    models = (*catalogue.MODELS, *catalogue.REGRESSORS, *catalogue.MULTILABEL)
    assert set(_core.booster_names()) == {entry.core for entry in models} | more


@pytest.mark.parametrize("entry", catalogue.MODELS, ids=lambda entry: entry.name)
def test_what_the_table_says_of_a_model_is_so(entry):
    model = getattr(streamboost, entry.class_name)()
    assert ("n_estimators" in model.get_params()) is entry.sized
    assert hasattr(model, "partial_fit") is entry.streams
    assert get_tags(model).classifier_tags.multi_class is (entry.max_classes is None)
    X, y = [[0.0, 1.0], [1.0, 0.0], [2.0, 2.0]] * 4, [0, 1, 2] * 4
    if entry.max_classes == 2:
        with pytest.raises(ValueError, match="Only binary classification is supported"):
            model.fit(X, y)
    else:
        assert model.fit(X, y).predict(X).shape == (12,)
    if entry.declared:
        with pytest.raises(ValueError, match="must know all classes"):
            type(model)().partial_fit(X, y)


@pytest.mark.parametrize("entry", catalogue.LEARNERS, ids=lambda entry: entry.name)
def test_what_the_table_says_of_a_learner_is_so(entry):
    X, y = [[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]] * 4, [0, 1, 2] * 4
    model = build("single", entry.name, seed=1)
    if entry.nominal_only:
        with pytest.raises(ValueError, match="is numeric"):
            model.partial_fit(X, y, classes=[0, 1, 2])
    model = build("single", entry.name, seed=1, nominal=[True, True])
    if entry.discovers is None:
        assert model.partial_fit(X, y).predict(X).shape == (12,)
    else:
        with pytest.raises(ValueError, match="must know all classes before"):
            model.partial_fit(X, y)


# The core reads what is declared, and nothing else.


@pytest.mark.parametrize(
    ("booster", "learner", "message"),
    [
        ({"gamma": 0.1, "hypothesis": "real", "gama": 0.2}, {}, "osboost has no parameter 'gama'"),
        ({"hypothesis": "real"}, {}, "the parameter 'gamma' is missing"),
        ({"gamma": 0.1, "hypothesis": "real"}, {"aplha": 1.0}, "naive_bayes has no parameter 'aplha'"),
        ({"gamma": 0.1, "hypothesis": "real"}, {"alpha": None}, "alpha must be a number"),
    ],
)
def test_the_core_takes_no_unknown_and_no_missing_parameter(booster, learner, message):
    bayes = {**LEARNERS["naive-bayes"]().plan().params, **learner}
    with pytest.raises(ValueError, match=message):
        _core.Model(booster="osboost", booster_params=booster, learner="naive_bayes", learner_params=bayes)


def test_a_python_written_learner_has_no_parameters_in_the_core():
    with pytest.raises(ValueError, match="black_box has no parameter 'alpha'"):
        _core.Model(booster="single", learner="black_box", learner_params={"alpha": 1.0}, lane_factory=object)


def test_a_plan_has_no_part_of_an_unknown_name():
    with pytest.raises(ValueError, match="a plan has a part of an unknown name"):
        _core.Model(booster="single", leaner="naive_bayes")
    with pytest.raises(ValueError, match="a companion has a part of an unknown name"):
        _core.Model(booster="single", companions=[{"nmae": "linear"}])


@pytest.mark.parametrize("entry", catalogue.MODELS, ids=lambda entry: entry.name)
def test_only_models_of_streams_have_the_verbs_of_streams(entry):
    model = getattr(streamboost, entry.class_name)()
    assert isinstance(model, Classifier)
    assert isinstance(model, StreamClassifier) is entry.streams
    for verb in ("partial_fit", "test_then_train", "learn_one", "report"):
        assert hasattr(model, verb) is entry.streams
        assert (verb in dir(model)) is entry.streams
    for verb in (
        "fit",
        "predict",
        "predict_proba",
        "decision_function",
        "predict_one",
        "predict_proba_one",
        "save",
    ):
        assert callable(getattr(model, verb))

"""Oza's thesis (2001), tables 3.3 to 3.7 and 4.1 to 4.6: batch and online bagging and boosting, by cross-validation."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from streamboost.experiments.plan import DataFacts, Protocol
from streamboost.reproduce.published import PublishedFigure
from streamboost.reproduce.study import (
    DataEntry,
    NotPlanned,
    Planned,
    Preset,
    Share,
    Size,
    Study,
    accuracy,
    labelled,
)

FOLDS, EPOCHS, MAX_PRIME = 5, 10, 10_000
MOST_PAIRS = 10_000_000
"""Rows times pairs of columns that an ensemble of BANs may count."""
_BATCH = ("bagging", "boosting")
_MODELS = {
    "single": "single",
    "bagging": "batch-bagging",
    "online_bagging": "bagging",
    "boosting": "adaboost-m1",
    "online_boosting": "oza-boost",
    "primed_online_boosting": "primed-boost",
}


@dataclass(frozen=True)
class Effort:
    """How often sets of up to ``rows`` rows are learned: passes of five folds, orders, and training sets at most."""

    rows: float
    repeats: int
    orders: int
    sets: int | None = None


@dataclass(frozen=True)
class BaseModel:
    """A base model of the thesis: our learner, its parameters, and what of the protocol is affordable with 100 of them."""

    learner: str
    params: dict[str, object]
    efforts: tuple[Effort, ...]
    lossless: bool = True
    """Whether one model is the same in every order of the rows."""


_ALL = Effort(math.inf, 10, 5)
"""The thesis' own protocol."""
_NETWORK: dict[str, object] = {"learning_rate": 0.5}
_ONE_UPDATE = (Effort(2_000, 2, 2), Effort(20_000, 1, 1), Effort(math.inf, 1, 1, 1))
_TEN_UPDATES = (Effort(2_000, 1, 1), Effort(20_000, 1, 1, 2))
_BAN = (Effort(2_000, 2, 2), Effort(20_000, 1, 1))
BASE_MODELS = {
    "naive_bayes": BaseModel(
        "naive-bayes", {"prior_alpha": 0.0}, (Effort(15_000, 10, 5), Effort(math.inf, 2, 2))
    ),
    "decision_stump": BaseModel(
        "stump", {}, (Effort(2_000, 10, 5), Effort(70_000, 2, 2), Effort(math.inf, 1, 1, 2))
    ),
    "decision_tree": BaseModel("iti", {}, (Effort(700, 2, 2), Effort(15_000, 1, 1))),
    "neural_network_10epoch": BaseModel("mlp", _NETWORK, _ONE_UPDATE),
    "neural_network_1update": BaseModel("mlp", _NETWORK, _ONE_UPDATE, lossless=False),
    "neural_network_10update": BaseModel(
        "mlp", {**_NETWORK, "updates_per_example": 10}, _TEN_UPDATES, lossless=False
    ),
    "ban": BaseModel("ban", {}, _BAN),
    "ban_online": BaseModel("ban", {}, _BAN),
}
NETWORKS = ("neural_network_10epoch", "neural_network_1update", "neural_network_10update")
GIVEN_TEST = {"Census Income": 99_762 / 299_285}
"""Sets that come with a split: the share of the test rows, which are the last ones."""


def plan(figure: PublishedFigure, facts: DataFacts, size: Size) -> Planned | NotPlanned:
    """A cell: accuracy on held-out rows; online algorithms learn every training set in several orders."""
    base = BASE_MODELS[figure.learner]
    effort = _ALL if size.long else next((e for e in base.efforts if facts.n_rows <= e.rows), None)
    if effort is None:
        return NotPlanned(f"takes hours with this learner ({facts.n_rows:,} rows); --long runs it")
    many_pairs = facts.n_rows * facts.n_features**2 > MOST_PAIRS
    if base.learner == "ban" and figure.algorithm != "single" and many_pairs and not size.long:
        return NotPlanned(
            f"counting all pairs of {facts.n_features} columns takes 100 BANs many minutes; --long runs it"
        )
    n_test = round(facts.n_rows * GIVEN_TEST.get(facts.name, 0))
    n_train = facts.n_rows - n_test if n_test else facts.n_rows * (FOLDS - 1) // FOLDS
    model, params = model_of(figure.algorithm, figure.learner, n_train, size.learners)
    batch = figure.algorithm in _BATCH or (figure.algorithm == "single" and base.lossless)
    protocol = Protocol(
        orders=1 if batch else min(size.orders, effort.orders),
        folds=0 if n_test else FOLDS,
        repeats=1 if n_test else min(size.repeats, effort.repeats),
        test_rows=n_test,
    )
    made = labelled(model, base.learner, figure.algorithm.replace("_", " "), params, **base.params)
    sampled = (facts.name, figure.learner) in SAMPLED and not size.long
    return Planned((made,), protocol, accuracy, most=1 if sampled else effort.sets)


def primed_rows(n_train: int) -> int:
    """How many of the training rows are the batch phase of primed boosting."""
    return max(1, min(n_train // 5, MAX_PRIME))


def model_of(algorithm: str, learner: str, n_train: int, n_estimators: int) -> tuple[str, dict[str, object]]:
    """Our model for an algorithm of the thesis, and its parameters."""
    model = _MODELS[algorithm]
    params: dict[str, object] = {} if model == "single" else {"n_estimators": n_estimators}
    if model == "bagging":
        params["ballot"] = "label"
    if model == "primed-boost":
        params["n_prime"] = primed_rows(n_train)
    if learner in NETWORKS and model in ("adaboost-m1", "primed-boost"):
        params["resample"] = True
    if learner == "neural_network_10epoch":
        if model == "single":
            # One model of batch boosting is a network that passes ten times over its rows.
            model, params = "adaboost-m1", {"n_estimators": 1}
        params["n_passes"] = EPOCHS
    elif learner == "neural_network_1update" and model == "primed-boost":
        # Its first part is batch learning. Networks with ten updates per example make their ten steps in one pass.
        params["n_passes"] = EPOCHS
    return model, params


_CUT = ("missing:value", "parts:10")
_NOMINAL = "all columns nominal"


def _entry(
    title: str,
    text: str,
    *,
    note: str = "",
    more: str = "",
    nominal: tuple[str, ...] = (),
    other: bool = False,
    sample: Mapping[str, int] | None = None,
) -> DataEntry:
    """A data set; ``sample`` has the rows that are drawn from it for some base model."""
    fewer = {learner: (f"sample:{rows}",) for learner, rows in (sample or {}).items()}
    options: dict[str, object] = {"nominal": nominal} if nominal else {}
    return DataEntry(title, text, _CUT, options, more=more, note=note, other=other, learner_steps=fewer)


def _few(rows: int, *also: str) -> dict[str, int]:
    """Rows for the dearest base models: networks with ten updates per example, BAN, and some more."""
    return dict.fromkeys(("neural_network_10update", "ban", "ban_online", *also), rows)


DATA = (
    _entry("Promoters", "promoters"),
    _entry("Balance", "balance-scale", note=_NOMINAL),
    _entry("Breast Cancer", "breast-cancer-wisconsin", note=f"{_NOMINAL}, a missing value is a value"),
    _entry("German Credit", "german-credit", note="numbers cut into ten parts of equal frequency"),
    _entry("Car Evaluation", "car"),
    _entry("Chess", "kr-vs-kp"),
    _entry("Mushroom", "mushroom", note="a missing value is a value"),
    _entry("Nursery", "nursery"),
    _entry("Connect4", "connect-4", sample=_few(5_000, *NETWORKS)),
    _entry("Synthetic-1", "synthetic-1", sample=_few(20_000)),
    _entry("Synthetic-2", "synthetic-2", sample=_few(20_000)),
    _entry("Synthetic-3", "synthetic-3", sample=_few(20_000)),
    _entry(
        "Census Income",
        "census-income-train",
        more="census-income-test",
        nominal=("ADTIND", "ADTOCC"),
        sample=_few(7_500, *NETWORKS),
        note="the given split, also where there is a sample of the rows; 40 attributes where the thesis has 39; numbers cut into "
        "ten parts of equal frequency, a missing value is a value",
    ),
    _entry(
        "Forest Covertype",
        "covtype",
        sample={"naive_bayes": 50_000, "decision_stump": 20_000, **_few(5_000, *NETWORKS)},
        note="samples of 581,012 rows; numbers cut into ten parts of equal frequency",
        other=True,
    ),
)

SAMPLED = frozenset((entry.title, learner) for entry in DATA for learner in entry.learner_steps)
"""Where a base model sees a sample of the rows: there is one training set."""

_NEAR = {"single": 0.01, "bagging": 0.01, "online_bagging": 0.01}
STUDY = Study(
    paper="oza2001",
    title="Oza (2001): Online Ensemble Learning",
    protocol="accuracy on held-out rows, 5-fold cross-validation (Census Income: the given split), 100 base models; the "
    "thesis has 10 passes, 50 training sets, and learns each of them online in five orders",
    data=DATA,
    plan=plan,
    size=Size(None, 5, 10),
    quick=Size(1_000, 1, 1, learners=20),
    presets=(
        Preset(
            "oza2001/naive_bayes", "raw counts without a prior", "the thesis' figure 2.3 has no pseudo counts"
        ),
        Preset(
            "oza2001/online_boosting",
            "at most ten copies of an example at once, the default of streamboost",
            "the box of the thesis to the letter lets the weight of single early examples explode; ten was chosen to agree "
            "with table 4.2, which is therefore no test of it",
        ),
        Preset(
            "oza2001/networks",
            "steps of size 0.5, hidden units half the number of columns and classes (at least 5, at most 50); primed boosting "
            "starts with ten epochs, or with one if every example is a tenfold update; batch boosting and the batch phase of "
            "primed boosting teach a network a sample drawn by the weights",
            "the thesis gives no sizes; 0.5 was chosen among 0.1, 0.2, 0.5 and 1 by the single networks of six small sets, which "
            "are therefore no test; samples are the thesis' way with learners that cannot take weights, chosen over longer steps "
            "after both were tried on five small sets",
        ),
    ),
    shares=(
        Share("3.4", 0.8, _NEAR),
        Share(
            "4.2", 0.8, {**_NEAR, "boosting": 0.01, "online_boosting": 0.02, "primed_online_boosting": 0.02}
        ),
    ),
)

"""Oza's thesis (2001), tables 3.3 to 3.7 and 4.1 to 4.6: batch and online bagging and boosting, by cross-validation."""

from __future__ import annotations

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
_BATCH = ("bagging", "boosting")
_MODELS = {
    "single": "single",
    "bagging": "batch-bagging",
    "online_bagging": "bagging",
    "boosting": "adaboost-m1",
    "online_boosting": "oza-boost",
    "primed_online_boosting": "primed-boost",
}
# Our learner, its parameters, and the number of rows above which 100 of them take hours.
LEARNERS: dict[str, tuple[str, dict[str, object], int]] = {
    "naive_bayes": ("naive-bayes", {"prior_alpha": 0.0}, 1_000_000),
    "decision_stump": ("stump", {}, 1_000_000),
    "decision_tree": ("iti", {}, 2_000),
    "neural_network_10epoch": ("mlp", {}, 4_000),
    "neural_network_1update": ("mlp", {}, 15_000),
    "neural_network_10update": ("mlp", {"updates_per_example": 10}, 4_000),
    "ban": ("ban", {}, 9_000),
    "ban_online": ("ban", {}, 9_000),
}


def plan(figure: PublishedFigure, facts: DataFacts, size: Size) -> Planned | NotPlanned:
    """A cell: accuracy on held-out folds; online algorithms learn every training set in several orders."""
    name, learner_params, most = LEARNERS[figure.learner]
    if facts.n_rows > most and not size.long:
        return NotPlanned(f"takes hours with this learner ({facts.n_rows:,} rows); --long runs it")
    model = _MODELS[figure.algorithm]
    params: dict[str, object] = {}
    if model != "single":
        params["n_estimators"] = size.learners
    if figure.learner == "neural_network_10epoch":
        if model == "single":
            # One model of batch boosting is a network that passes ten times over its rows.
            model, params = "adaboost-m1", {"n_estimators": 1}
        params["n_passes"] = EPOCHS
    if model == "primed-boost":
        params["n_prime"] = min(facts.n_rows * (FOLDS - 1) // FOLDS // 5, MAX_PRIME)
        if name == "mlp":
            params["n_passes"] = EPOCHS
    batch = figure.algorithm in _BATCH or (
        figure.learner in ("naive_bayes", "decision_stump") and model == "single"
    )
    protocol = Protocol(orders=1 if batch else size.orders, folds=FOLDS, repeats=size.repeats)
    made = labelled(model, name, figure.algorithm.replace("_", " "), params, **learner_params)
    return Planned((made,), protocol, accuracy)


_CUT = ("missing:value", "parts:10")
_NOMINAL = "all columns nominal"


def _entry(
    title: str,
    text: str,
    *,
    note: str = "",
    steps: tuple[str, ...] = _CUT,
    other: bool = False,
    orders: int | None = None,
) -> DataEntry:
    return DataEntry(title, text, steps, note=note, other=other, orders=orders)


DATA = (
    _entry("Promoters", "promoters"),
    _entry("Balance", "balance-scale", note=_NOMINAL),
    _entry("Breast Cancer", "breast-cancer-wisconsin", note=f"{_NOMINAL}, a missing value is a value"),
    _entry("German Credit", "german-credit", note="numbers cut into ten parts of equal frequency"),
    _entry("Car Evaluation", "car"),
    _entry("Chess", "kr-vs-kp"),
    _entry("Mushroom", "mushroom", note="a missing value is a value"),
    _entry("Nursery", "nursery"),
    _entry("Connect4", "connect-4"),
    _entry("Synthetic-1", "synthetic-1"),
    _entry("Synthetic-2", "synthetic-2"),
    _entry("Synthetic-3", "synthetic-3"),
    _entry(
        "Forest Covertype",
        "covtype",
        steps=(*_CUT, "sample:50000"),
        note="a random tenth, 50,000 of 581,012 rows; numbers cut into ten parts of equal frequency",
        other=True,
    ),
)
CENSUS = "the thesis uses the given split of training and test file, which this protocol of cross-validation does not have"

_NEAR = {"single": 0.01, "bagging": 0.01, "online_bagging": 0.01}
STUDY = Study(
    paper="oza2001",
    title="Oza (2001): Online Ensemble Learning",
    protocol="accuracy on held-out rows, 5-fold cross-validation, 100 base models; the thesis has 10 passes and "
    "five orders of every training set",
    data=DATA,
    plan=plan,
    size=Size(None, 2, 2),
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
    ),
    shares=(
        Share("3.4", 0.8, _NEAR),
        Share(
            "4.2", 0.8, {**_NEAR, "boosting": 0.01, "online_boosting": 0.02, "primed_online_boosting": 0.02}
        ),
    ),
    unavailable={"Census Income": CENSUS},
)

"""Chen, Lin and Lu (2012), tables 1 to 4: online smooth boosting against Oza's boosting and online gradient boosting."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial

from streamboost.experiments.plan import Algorithm, DataFacts, Protocol
from streamboost.reproduce.papers.binary_streams import CHEN
from streamboost.reproduce.published import PublishedFigure
from streamboost.reproduce.study import Aim, NotPlanned, Planned, Preset, Size, Study, error_rate, labelled

LEARNERS = {"perceptron": "perceptron", "naive_bayes": "naive-bayes"}


@dataclass(frozen=True)
class Reading:
    """Our reading of what the paper leaves open, settled once for each weak learner."""

    learner: Mapping[str, dict[str, object]]
    oza: Mapping[str, dict[str, object]]
    domain: str
    """Of the weights of OSBoost.OCP."""


_FIRST_BAD: dict[str, object] = {"prefix": "stop_at_first_bad", "copies_cap": None}
_PERCEPTRON: dict[str, object] = {"scale": "none", "start": "sphere"}
TABLES = Reading(
    {"perceptron": _PERCEPTRON, "naive_bayes": {"divisor": "all", "var_floor": 1e-8, "prior_alpha": 1e-9}},
    {"perceptron": _FIRST_BAD, "naive_bayes": {"prefix": "all", "copies_cap": 10}},
    "l1_ball",
)
TEXT = Reading(
    {"perceptron": _PERCEPTRON, "naive_bayes": {"var_floor": 1e-3, "prior_alpha": 1e-2}},
    {"perceptron": _FIRST_BAD, "naive_bayes": _FIRST_BAD},
    "simplex",
)
_SMOOTH: dict[str, object] = {"gamma": 0.1, "hypothesis": "real"}
_MODELS: dict[str, tuple[str, dict[str, object]]] = {
    "single": ("single", {}),
    "OzaBoost": ("oza-boost", {"untrained": "wrong", "order": "update_first", "draw": "poisson"}),
    "OGBoost": ("ogboost", {"n_candidates": 1, "loss": "logistic", "hypothesis": "real"}),
    "OSBoost": ("osboost", _SMOOTH),
    "OSBoost.OCP": ("osboost", {**_SMOOTH, "vote": "ocp", "step": "1/sqrt(Nt)"}),
    "OSBoost.EXP": ("osboost", {**_SMOOTH, "vote": "exp", "hedge": "sample", "hedge_rate": "anytime"}),
}


def algorithm(name: str, learner: str, n_estimators: int, reading: Reading = TABLES) -> Algorithm | None:
    """The algorithm that a column stands for."""
    if name not in _MODELS:
        return None
    model, fixed = _MODELS[name]
    params: dict[str, object] = {} if model == "single" else {"n_estimators": n_estimators}
    params |= fixed
    if model == "oza-boost":
        params |= reading.oza[learner]
    if name == "OSBoost.OCP" and reading.domain != "simplex":
        params["domain"] = reading.domain
    return labelled(model, LEARNERS[learner], name, params, **reading.learner[learner])


def plan(
    figure: PublishedFigure, facts: DataFacts, size: Size, reading: Reading = TABLES
) -> Planned | NotPlanned:
    """A cell: prequential error in random orders."""
    made = algorithm(figure.algorithm, figure.learner, size.learners, reading)
    if made is None:
        return NotPlanned(f"there is no {figure.algorithm} here")
    return Planned((made,), Protocol(orders=size.orders), error_rate)


_TEXT_PERCEPTRON = Preset(
    "chen2012/perceptron, text",
    "features in [-1, 1] as LIBSVM's scaled files have them (splice raw), a constant coordinate, rows divided by the square "
    "root of their number of columns plus one, random first weights, confidences in [-1, 1]",
    "on the seven small sets and Adult the mean absolute difference is 0.0063; with running scaling 0.0065, with the columns as "
    "in the files 0.0128, with first weights zero 0.0095 (trials, three orders)",
)
PERCEPTRON = replace(
    _TEXT_PERCEPTRON,
    name="chen2012/perceptron",
    choices=f"{_TEXT_PERCEPTRON.choices}; the weights of OCP stay in the l1 ball",
    why="on the seven small sets and Adult the mean absolute difference is 0.0059; with running scaling 0.0063, with the columns "
    "as in the files 0.0133, with first weights zero 0.0105; for OCP 0.0060, and 0.0085 in the simplex (trials, three orders)",
)
NAIVE_BAYES = Preset(
    "chen2012/naive_bayes",
    "raw counts on the sets whose columns are all 0 or 1 (Mushrooms, Adult, WebPage), normal distributions on the others, whose "
    "means and variances are divided by the weight of all classes, not of the class, with 1e-8 added to the variances; 2p - 1 as "
    "confidence; in OzaBoost an untrained learner counts as wrong, an example is repeated at most ten times, and all learners "
    "vote; the weights of OCP stay in the l1 ball",
    "found with the tables in view, so these figures are fitted to them, not a test of them: the usual naive Bayes, "
    "with OCP in the simplex, misses Splice (single), Covertype and OCP by up to 0.12; a public re-implementation of the "
    "paper (github.com/charliermarsh/online_boosting) has the same two forms with the same divisor",
)
_TEXT_NAIVE_BAYES = Preset(
    "chen2012/naive_bayes, text",
    "raw counts on the sets whose columns are all 0 or 1, normal distributions with 0.001 added to the variances on the others, "
    "2p - 1 as confidence; an untrained learner of OzaBoost counts as wrong, copies are not limited, the vote stops at the first "
    "learner worse than a coin; the weights of OCP stay in the simplex",
    "what the words of the paper say, and the usual naive Bayes; the tables fit it less well",
)
_BOOSTERS = ("single", "OzaBoost", "OGBoost", "OSBoost")
_VARIANTS = ("OSBoost", "OSBoost.OCP", "OSBoost.EXP")

STUDY = Study(
    paper="chen2012",
    title="Chen, Lin and Lu (2012): An online boosting algorithm with theoretical justifications",
    protocol="prequential error, 100 weak learners, γ = 0.1, the mean over random orders that are the same for all algorithms",
    data=CHEN,
    plan=plan,
    size=Size(None, 5),
    quick=Size(10_000, 2),
    presets=(PERCEPTRON, NAIVE_BAYES),
    aims=(Aim("1", 0.013), Aim("2", 0.018), Aim("3", 0.013), Aim("4", 0.015)),
    winners={"1": _BOOSTERS, "2": _BOOSTERS, "3": _VARIANTS, "4": _VARIANTS},
)
STUDY = replace(
    STUDY,
    alternatives={
        "text": replace(
            STUDY,
            title=f"{STUDY.title}, as its text reads",
            plan=partial(plan, reading=TEXT),
            presets=(_TEXT_PERCEPTRON, _TEXT_NAIVE_BAYES),
            aims=(
                Aim("1", 0.013),
                Aim(
                    "2",
                    0.018,
                    frozenset({("Splice", "single")}),
                    "the published single naive Bayes on Splice fits no encoding with this reading",
                ),
                Aim("3", 0.013),
                Aim(
                    "4",
                    0.015,
                    frozenset({("*", "OSBoost.OCP")}),
                    "OCP with naive Bayes is far off with this reading",
                ),
            ),
        )
    },
)

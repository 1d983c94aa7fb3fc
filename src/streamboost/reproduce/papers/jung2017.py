"""Jung, Goetz and Tewari (2017), table 1: multiclass boosting of Hoeffding trees."""

from __future__ import annotations

from dataclasses import replace

from streamboost.experiments.plan import DataFacts, Protocol
from streamboost.reproduce.published import PublishedFigure
from streamboost.reproduce.study import (
    DataEntry,
    NotPlanned,
    Planned,
    Preset,
    Size,
    Study,
    final_fifth,
    labelled,
)

_MODELS = {
    "OnlineBoosting": "oza-boost",
    "Adaboost.OLM": "adaboost-olm",
    "best_OnlineMBBM": "online-mbbm",
    "best_decision_tree": "single",
}
_USER = ("user", "gender", "age", "how_tall_in_meters", "weight", "body_mass_index")


_EDGES = (0.3, 0.1, 0.05, 0.01, 0.001)
_TREE: dict[str, object] = {"growth": "vfdt"}  # the multiclass boosters draw its numbers per tree
_MAJORITY: dict[str, object] = {"leaf_prediction": "majority"}
_HOURS = frozenset({"ISOLET", "Movement"})


def plan(figure: PublishedFigure, facts: DataFacts, size: Size) -> Planned | NotPlanned:
    """A cell: accuracy on the last fifth of the rows, while learning goes on."""
    return _cell(figure, size, {}, ({},))


def plan_of_the_paper(figure: PublishedFigure, facts: DataFacts, size: Size) -> Planned | NotPlanned:
    """The same with the published settings of the two boosters: leaves that answer with the majority, the best of five edges."""
    if figure.algorithm == "Adaboost.OLM":
        return _cell(figure, size, _MAJORITY, ({"preset": "paper"},))
    if figure.algorithm == "best_OnlineMBBM":
        if figure.dataset in _HOURS and not size.long:
            return NotPlanned("five edges take hours here; --long runs them")
        return _cell(figure, size, _MAJORITY, tuple({"preset": "paper", "edge": edge} for edge in _EDGES))
    return plan(figure, facts, size)


def _cell(
    figure: PublishedFigure, size: Size, tree: dict[str, object], settings: tuple[dict[str, object], ...]
) -> Planned | NotPlanned:
    model = _MODELS.get(figure.algorithm)
    if model is None:
        return NotPlanned(f"there is no {figure.algorithm} here")
    params: dict[str, object] = {} if model == "single" else {"n_estimators": size.learners}
    if model == "oza-boost":
        params["copies_cap"] = None
    made = tuple(
        replace(
            labelled(model, "hoeffding-tree", figure.algorithm, {**params, **setting}, **_TREE, **tree),
            size_label=f"edge {setting['edge']}" if "edge" in setting else "",
        )
        for setting in settings
    )
    best = "the best of five edges, with hindsight" if len(made) > 1 else ""
    return Planned(made, Protocol(orders=size.orders), final_fifth, best)


_OURS = Study(
    paper="jung2017",
    title="Jung, Goetz and Tewari (2017): Online multiclass boosting",
    protocol="accuracy on the last fifth of a shuffled stream, every row answered before it is learned, 100 Hoeffding trees",
    data=(
        DataEntry("Balance", "balance-scale"),
        DataEntry("Mice", "mice-protein", ("missing:zero",), note="missing proteins are 0"),
        DataEntry("Cars", "car"),
        DataEntry("Mushroom", "mushroom", ("missing:value",), note="a missing value is a value"),
        DataEntry(
            "Nursery", "nursery", ("without:recommend",), note="without the two rows of the class recommend"
        ),
        DataEntry(
            "ISOLET",
            "isolet",
            ("components:50",),
            note="50 principal components of all rows; 3 orders",
            orders=3,
        ),
        DataEntry(
            "Movement",
            "movement",
            (),
            {"drop": _USER},
            note="without the columns about the person; 2 orders",
            orders=2,
        ),
    ),
    plan=plan,
    size=Size(None, 5),
    quick=Size(3_000, 2, learners=20),
    presets=(
        Preset(
            "jung2017/hoeffding_tree",
            "defaults of streamboost: adaptive naive Bayes leaves, tree parameters drawn per tree; OnlineMBBM "
            "with several edges under Hedge "
            "in place of the best of five edges chosen with hindsight; one tree in place of the best of 100",
            "the paper prints neither the ranges of the tree parameters nor the number of shuffles; a choice "
            "with hindsight cannot be used on a stream",
        ),
    ),
    winners={"1": ("best_decision_tree", "OnlineBoosting", "Adaboost.OLM", "best_OnlineMBBM")},
)
_PAPER = replace(
    _OURS,
    title=f"{_OURS.title}, with the published settings",
    plan=plan_of_the_paper,
    presets=(
        Preset(
            "jung2017/hoeffding_tree, paper",
            "Adaboost.OLM and OnlineMBBM with `preset='paper'` and trees whose leaves answer with the majority, the latter with "
            "the best of the edges 0.3, 0.1, 0.05, 0.01 and 0.001, chosen with hindsight for every data set; one tree in place "
            "of the best of 100; the two baselines as in the other preset",
            "what the paper says of its algorithms; the ranges of the tree parameters are not printed, ours are drawn per tree. "
            "With majority leaves the baselines hardly learn on the small sets",
        ),
    ),
)
STUDY = replace(_OURS, alternatives={"paper": _PAPER})

"""One module per paper: its data sets, and how each cell of its tables is rebuilt."""

from __future__ import annotations

from importlib import import_module

from streamboost.base.suggest import suggest
from streamboost.reproduce.published import PAPERS
from streamboost.reproduce.study import Study

NOAROV = "noarov2026"
"""A paper without published figures: its table is made by a module of its own."""


def study_of(paper: str, preset: str | None = None) -> Study:
    """The reproduction of a paper, with its own preset or another one that it offers."""
    if paper not in PAPERS:
        near = suggest(paper, (*PAPERS, NOAROV))
        meant = f"did you mean {near}?" if near else f"there are {', '.join((*PAPERS, NOAROV))}."
        raise ValueError(f"There is no paper {paper!r}; {meant}")
    found = import_module(f"streamboost.reproduce.papers.{paper}").STUDY
    assert isinstance(found, Study)
    if preset is None:
        return found
    if preset not in found.alternatives:
        offered = ", ".join(found.alternatives) or "none beside its own"
        raise ValueError(f"{paper} has no preset {preset!r}; there is {offered}.")
    return found.alternatives[preset]

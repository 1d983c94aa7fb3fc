"""One module per paper: its data sets, and how each cell of its tables is rebuilt."""

from __future__ import annotations

from importlib import import_module

from streamboost.reproduce.published import PAPERS
from streamboost.reproduce.study import Study


def study_of(paper: str) -> Study:
    """The reproduction of a paper."""
    if paper not in PAPERS:
        raise ValueError(f"There is no paper {paper!r}; there are {', '.join(PAPERS)}.")
    found = import_module(f"streamboost.reproduce.papers.{paper}").STUDY
    assert isinstance(found, Study)
    return found

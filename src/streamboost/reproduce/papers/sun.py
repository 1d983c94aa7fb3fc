"""Sun's comparison of batch and online boosting with naive Bayes and BAN: the thesis' protocol on ten of its data sets."""

from __future__ import annotations

from dataclasses import replace

from streamboost.reproduce.papers.oza2001 import DATA, plan
from streamboost.reproduce.study import Preset, Size, Study

_NAMES = {"Breast Cancer": "Breast-cancer-w", "German Credit": "German"}

STUDY = Study(
    paper="sun",
    title="Sun: batch and online boosting with naive Bayes and BAN",
    protocol="accuracy on held-out rows, 5-fold cross-validation, 100 base models",
    data=tuple(replace(entry, title=_NAMES.get(entry.title, entry.title)) for entry in DATA),
    plan=plan,
    size=Size(None, 5, 10),
    quick=Size(1_000, 1, 1, learners=20),
    presets=(
        Preset(
            "sun/ban",
            "our BAN, an augmented naive Bayes learned from counts",
            "the paper describes one trained by back-propagation",
        ),
    ),
    remarks=(
        "The figures are not independent: all cells of table 2 equal the thesis' table 4.2, rounded, and most "
        "cells of table 3 equal the "
        "thesis' tables of neural networks. A BAN cannot be expected to agree with them.",
    ),
)

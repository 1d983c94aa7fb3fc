"""Replacements of learners as data of an evaluation: in rows of the stream, in JSON, and as marks of its pictures."""

from __future__ import annotations

import json

import numpy as np
import pytest

import streamboost as sb
from streamboost.evaluate import prequential
from streamboost.evaluate.plot import plot_errors
from streamboost.experiments.charts import ErrorOverTime
from streamboost.experiments.figures import Style
from streamboost.experiments.summary import Curve


def turning(n: int = 2400) -> tuple[np.ndarray, np.ndarray]:
    """The rule turns round in the middle."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(n, 3))
    y = (X[:, 0] > 0).astype(int)
    y[n // 2 :] = 1 - y[n // 2 :]
    return X, y


def model(**params):
    return sb.StreamBoostClassifier(n_estimators=6, random_state=1, **params)


@pytest.mark.parametrize("chunk_size", [97, 1000])
def test_rows_are_those_at_which_learners_were_replaced(chunk_size):
    result = prequential(model(), turning(), chunk_size=chunk_size)
    own = result.model.replacements()
    assert len(own) >= 6
    assert result.drifts.tolist() == [[number + 1, lane] for number, lane in own.tolist()]
    assert (result.drifts[:, 0] > 1200).all()
    assert json.loads(json.dumps(result.to_dict()))["drifts"] == result.drifts.tolist()


def test_late_labels_move_them():
    at_once, late = prequential(model(), turning()), prequential(model(), turning(), delay=50)
    assert late.drifts.tolist() == [[row + 50, lane] for row, lane in at_once.drifts.tolist()]


def test_rows_of_weight_zero_count_as_rows():
    X, y = turning()
    doubled = np.repeat(X, 2, axis=0), np.repeat(y, 2)
    weight = np.tile([0.0, 1.0], len(y))
    plain, between = prequential(model(), (X, y)), prequential(model(), doubled, sample_weight=weight)
    assert between.drifts.tolist() == [[2 * row, lane] for row, lane in plain.drifts.tolist()]


def test_a_model_that_goes_on_starts_at_zero():
    X, y = turning()
    begun = model().partial_fit(X[:600], y[:600])
    went_on = prequential(begun, (X[600:], y[600:]))
    assert went_on.drifts.tolist() == [
        [row - 600, lane] for row, lane in prequential(model(), (X, y)).drifts.tolist()
    ]


def test_models_without_a_guard_have_none():
    X, y = turning(300)
    assert prequential(model(drift=None), (X, y)).drifts.shape == (0, 2)
    assert prequential(sb.OSBoostClassifier(n_estimators=5), (X, y)).drifts.shape == (0, 2)


def test_marks_in_pictures():
    with_marks = prequential(model(), turning())
    without = prequential(model(drift=None), turning())
    axes = plot_errors([without, with_marks]).axes[0]
    (marks,) = [line for line in axes.lines if line.get_marker() == "|"]
    assert marks.get_xdata().tolist() == with_marks.drifts[:, 0].tolist()
    assert "replaced" in axes.get_xlabel()
    assert "replaced" not in plot_errors([without]).axes[0].get_xlabel()


def test_marks_of_a_comparison():
    from matplotlib.figure import Figure

    here, errors = np.array([100, 200]), np.array([0.2, 0.1])
    curves = [
        Curve("a", here, errors, errors, 20),
        Curve("b", here, errors + 0.1, errors, 20, np.array([120, 130])),
    ]
    figure = Figure(figsize=(8, 4))
    ErrorOverTime("error", curves, {"a": Style(0), "b": Style(1)}).draw(figure, False)
    marks = [line for axes in figure.axes for line in axes.lines if line.get_marker() == "|"]
    assert [line.get_xdata().tolist() for line in marks] == [[120, 130]]


def test_the_report_has_a_time_line():
    X, y = turning()
    report = model().partial_fit(X, y).report()
    number, lane = report.replacements[-1].tolist()
    assert f"{number:,} (learner {lane})" in str(report)
    assert "replaced at example" in report._repr_html_()
    assert {"warnings", "drifts", "replacements", "age", "window", "window_error"} <= set(report.lanes)

"""Every cell of every paper has a plan or a reason; the thesis' figures are drawn and kept."""

import numpy as np
import pytest

from streamboost.experiments.plan import DataFacts, Source
from streamboost.experiments.runner import run_all
from streamboost.reproduce.compare import Reproduction
from streamboost.reproduce.extras import extra_figures
from streamboost.reproduce.papers import study_of
from streamboost.reproduce.papers.oza2001 import plan
from streamboost.reproduce.published import PAPERS, published_table, table_numbers
from streamboost.reproduce.study import DataEntry, NotPlanned, Planned, Size, Study

FACTS = DataFacts(Source("x"), "0", 500, 4, 0, ["0", "1"])


@pytest.mark.parametrize("paper", PAPERS)
def test_every_cell_has_a_plan_that_can_be_built(paper):
    study = study_of(paper)
    for number in table_numbers(paper):
        for figure in published_table(paper, number).figures:
            found = study.plan(figure, FACTS, study.quick)
            assert isinstance(found, Planned), figure
            for algorithm in found.algorithms:
                algorithm.build(0, None)._validate_params()
            assert study.entry(figure.dataset) or figure.dataset in study.unavailable


def test_what_takes_hours_is_asked_for():
    tree = next(f for f in published_table("oza2001", "4.1").figures if f.algorithm == "bagging")
    large = DataFacts(Source("x"), "0", 100_000, 4, 4, ["0", "1"])
    assert isinstance(plan(tree, large, Size(None, 1)), NotPlanned)
    assert isinstance(plan(tree, large, Size(None, 1, long=True)), Planned)


def test_batch_algorithms_learn_a_training_set_in_one_order_and_priming_takes_a_fifth():
    cells = {f.algorithm: plan(f, FACTS, Size(None, 3, 2)) for f in published_table("oza2001", "4.2").figures}
    assert {name: cell.protocol.orders for name, cell in cells.items()} == {
        "single": 1,
        "bagging": 1,
        "online_bagging": 3,
        "boosting": 1,
        "online_boosting": 3,
        "primed_online_boosting": 3,
    }
    assert cells["primed_online_boosting"].algorithms[0].params["n_prime"] == 80


def test_the_figures_of_the_thesis(tmp_path):
    data = (DataEntry("Car Evaluation", "synthetic-3"), DataEntry("Synthetic-2", "synthetic-2"))
    size = Size(240, 1, 1, learners=4)
    study = Study("oza2001", "Tiny", "accuracy", data, plan, size, size)
    job = Reproduction(study, tables=["4.2"], datasets=["Car Evaluation", "Synthetic-2"])
    job.load()
    runs = job.plan()
    outcome = run_all(runs, tmp_path, jobs=1)
    tables = job.compare({run.key: record for run, record in zip(runs, outcome.records, strict=True)})
    figures = extra_figures(job, tables, tmp_path, run=True)
    names = [figure.name for figure in figures]
    assert names[:4] == [
        "scatter-4-2-bagging-online-bagging",
        "scatter-4-2-boosting-online-boosting",
        "scatter-4-2-boosting-primed-online-boosting",
        "scatter-4-2-online-boosting-primed-online-boosting",
    ]
    assert names[4:] == ["figure-4-5", "figure-4-22"]
    curve, errors = figures[4].chart, figures[5].chart
    assert [series.name for series in curve.series] == [
        "batch boosting",
        "online boosting",
        "primed boosting",
    ]
    # At the end of the curve stands what the same model has after the whole training set.
    assert curve.series[0].x[-1] == 192
    assert all(((series.y >= 0) & (series.y <= 1)).all() for series in (*curve.series, *errors.series))
    written = {path.name: path.stat().st_mtime_ns for path in tmp_path.glob("figure*.json")}
    again = extra_figures(job, tables, tmp_path, run=True)
    assert {path.name: path.stat().st_mtime_ns for path in tmp_path.glob("figure*.json")} == written
    np.testing.assert_array_equal(again[4].chart.series[1].y, curve.series[1].y)
    assert len(extra_figures(job, tables, tmp_path, run=False)) == 4

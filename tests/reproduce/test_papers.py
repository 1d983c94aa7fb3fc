"""Every cell of every paper has a plan or a reason; the thesis' figures are drawn and kept."""

from dataclasses import replace

import numpy as np
import pytest

from streamboost import MLP, AdaBoostM1Classifier
from streamboost.evaluate.folds import fold_rows, training_order
from streamboost.experiments.plan import DataFacts, Source
from streamboost.experiments.runner import run_all
from streamboost.reproduce.compare import Reproduction
from streamboost.reproduce.extras import extra_figures
from streamboost.reproduce.output import markdown
from streamboost.reproduce.papers import study_of
from streamboost.reproduce.papers.oza2001 import BASE_MODELS, plan
from streamboost.reproduce.published import PAPERS, published_table, table_numbers
from streamboost.reproduce.study import DataEntry, NotPlanned, Planned, Size, Study
from streamboost.reproduce.thesis_curves import curves
from streamboost.reproduce.thesis_scatter import FIGURES

FACTS = DataFacts(Source("x"), "0", 500, 4, 0, ["0", "1"])
PRESETS = [(paper, preset) for paper in PAPERS for preset in (None, *study_of(paper).alternatives)]


@pytest.mark.parametrize(("paper", "preset"), PRESETS)
def test_every_cell_has_a_plan_that_can_be_built(paper, preset):
    study = study_of(paper, preset)
    for number in table_numbers(paper):
        for figure in published_table(paper, number).figures:
            found = study.plan(figure, FACTS, replace(study.quick, long=True))
            assert isinstance(found, Planned), figure
            for algorithm in found.algorithms:
                algorithm.build(0, None)._validate_params()
            assert study.entry(figure.dataset) or figure.dataset in study.unavailable


def rows_of(n, name="x"):
    return DataFacts(Source(name, label=name), "0", n, 4, 4, ["0", "1"])


def cells(table, n, size, name="x"):
    return {
        (f.algorithm, f.learner): plan(f, rows_of(n, name), size)
        for f in published_table("oza2001", table).figures
    }


def test_what_takes_hours_is_asked_for():
    tree = ("bagging", "decision_tree")
    assert isinstance(cells("4.1", 100_000, Size(None, 1))[tree], NotPlanned)
    asked = cells("4.1", 100_000, Size(None, 5, 10, long=True))[tree]
    assert len(asked.protocol.units()[: asked.most]) == 50


def test_many_pairs_of_columns_are_too_many_for_an_ensemble_of_bans():
    wide = DataFacts(Source("x"), "0", 5_000, 54, 54, ["0", "1"])
    found = {f.algorithm: plan(f, wide, Size(None, 1)) for f in published_table("sun", "3").figures}
    assert isinstance(found["single"], Planned)
    assert isinstance(found["boosting"], NotPlanned)
    assert isinstance(found["online_boosting"], NotPlanned)


@pytest.mark.parametrize(
    ("table", "n", "sets", "orders"),
    [
        ("4.2", 500, 50, 5),
        ("4.2", 100_000, 10, 2),
        ("4.5", 500, 10, 2),
        ("4.5", 9_000, 5, 1),
        ("4.5", 100_000, 1, 1),
    ],
)
def test_large_sets_get_fewer_training_sets_and_orders(table, n, sets, orders):
    for (algorithm, _), cell in cells(table, n, Size(None, 5, 10)).items():
        assert len(cell.protocol.units()[: cell.most]) == sets
        batch = algorithm == "boosting" or (table == "4.2" and algorithm in ("single", "bagging"))
        assert cell.protocol.orders == (1 if batch else orders)


def test_a_given_split_is_kept_and_priming_takes_a_fifth_of_the_training_rows():
    figure = ("primed_online_boosting", "naive_bayes")
    census = cells("4.2", 299_285, Size(None, 5, 10), "Census Income")[figure]
    assert (census.protocol.test_rows, census.protocol.folds) == (99_762, 0)
    assert census.algorithms[0].params["n_prime"] == 10_000
    assert cells("4.2", 500, Size(None, 5))[figure].algorithms[0].params["n_prime"] == 80


def test_networks_pass_ten_times_over_their_rows_where_the_thesis_does():
    passes = {
        (figure[0], table): cell.algorithms[0].params.get("n_passes", 1)
        for table in ("4.4", "4.5", "4.6")
        for figure, cell in cells(table, 500, Size(None, 1)).items()
    }
    assert {key for key, n in passes.items() if n == 10} == {
        ("single", "4.4"),
        ("bagging", "4.4"),
        ("boosting", "4.4"),
        ("primed_online_boosting", "4.5"),
    }


def test_boosted_networks_learn_samples():
    sampled = {
        (figure[0], table)
        for table in ("4.2", "4.4", "4.5")
        for figure, cell in cells(table, 500, Size(None, 1)).items()
        if cell.algorithms[0].params.get("resample")
    }
    assert sampled == {("boosting", "4.4"), ("boosting", "4.5"), ("primed_online_boosting", "4.5")}


def test_amounts_stand_beside_the_data_sets():
    job = Reproduction(study_of("oza2001"), tables=["4.6"], datasets=["Synthetic-1"], quick=True)
    job.load()
    runs = job.plan()
    made = job.compare({})
    # What a dear base model sees of a large set is a sample, split once.
    assert made[0].amounts == {"Synthetic-1": "1,000 · 1 × 1"}
    assert len(runs) == 5
    assert "| Synthetic-1 | 1,000 · 1 × 1 |" in markdown(job.study, made, [])


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
    assert names == ["figure-4-7", "figure-4-13", "figure-4-14", "figure-4-5", "figure-4-22"]
    curve, errors = figures[3].chart, figures[4].chart
    kinds = ["batch boosting", "online boosting", "primed online boosting"]
    assert [series.name for series in curve.series] == kinds
    # At the end of the curve stands what the same model has after the whole training set.
    assert curve.series[0].x.tolist() == [50, 100, 150, 192]
    assert all(((series.y >= 0) & (series.y <= 1)).all() for series in (*curve.series, *errors.series))
    written = {path.name: path.stat().st_mtime_ns for path in tmp_path.glob("figure*.json")}
    again = extra_figures(job, tables, tmp_path, run=False)
    assert {path.name: path.stat().st_mtime_ns for path in tmp_path.glob("figure*.json")} == written
    np.testing.assert_array_equal(again[3].chart.series[1].y, curve.series[1].y)
    assert len(extra_figures(job, tables, tmp_path / "elsewhere", run=False)) == 3


def test_the_errors_of_base_models_are_those_of_the_models(tmp_path):
    size = Size(200, 1, 1, learners=4)
    study = Study("oza2001", "Tiny", "accuracy", (DataEntry("Synthetic-2", "synthetic-2"),), plan, size, size)
    job = Reproduction(study, tables=["4.5"], datasets=["Synthetic-2"])
    job.load()
    (figure,) = curves(job, {"4.5"}, tmp_path, run=True)
    assert figure.name == "figure-4-27"
    batch = next(series for series in figure.chart.series if series.name == "batch boosting")
    data = job.facts["Synthetic-2"][""].source.load()
    train, _ = fold_rows(200, 5, 0, 0, 0)
    at = train[training_order(0, 0, 0, 0, train.size)]
    learner = MLP(**BASE_MODELS["neural_network_10epoch"].params)
    about = {"random_state": 0, "categorical_features": data.rows.nominal}
    model = AdaBoostM1Classifier(learner, n_estimators=4, n_passes=10, resample=True, **about)
    errors = model.fit(data.rows.X[at], data.rows.y[at]).estimator_errors_
    np.testing.assert_allclose(batch.y, errors)


def test_every_scatterplot_has_its_columns():
    assert len(FIGURES) == 22
    assert len({number for number, _, _ in FIGURES}) == 22
    for _, x, y in FIGURES:
        for axis in (x, y):
            assert (axis.algorithm, axis.learner) in published_table("oza2001", axis.table).columns

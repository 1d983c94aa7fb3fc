"""Marks, means and winners of a rebuilt table; what is missing is told; runs are shared and resumed."""

import math

import numpy as np
import pytest

from streamboost.experiments.plan import Protocol
from streamboost.experiments.prepare import prepare
from streamboost.experiments.runner import run_all
from streamboost.experiments.store import DONE, Record
from streamboost.reproduce.compare import AGREES, DIFFERS, NOT_RUN, Comparison, RebuiltTable, Reproduction
from streamboost.reproduce.output import cells_csv, markdown, reasons, verdict_lines
from streamboost.reproduce.papers.chen2012 import plan
from streamboost.reproduce.published import PublishedFigure, PublishedTable, published_table
from streamboost.reproduce.report import write_report
from streamboost.reproduce.study import Aim, DataEntry, Planned, Size, Study, after_tenth, final_fifth
from streamboost.streams.base import ArrayStream, DataError


def figure(value, dataset="A", algorithm="x", mark="", metric="error_rate"):
    return PublishedFigure(dataset, 10, algorithm, "perceptron", metric, value, mark)


@pytest.mark.parametrize(
    ("ours", "spread", "mark"),
    [
        (0.11, 0.0, AGREES),
        (0.1101, 0.0, DIFFERS),
        (0.13, 0.015, AGREES),
        (0.1301, 0.015, DIFFERS),
        (0.09, math.nan, AGREES),
        (0.0899, math.nan, DIFFERS),
    ],
)
def test_agreement_is_a_hundredth_or_two_standard_errors(ours, spread, mark):
    assert Comparison(figure(0.1), ours, spread, 5).mark == mark


def table(*cells, counted=("A", "B")):
    figures = tuple(cell.figure for cell in cells)
    return RebuiltTable(PublishedTable("p", "1", figures), cells, frozenset(counted))


def test_means_leave_out_what_an_aim_does_not_count_and_data_that_are_not_the_papers():
    made = table(
        Comparison(figure(0.1), 0.12, 0.001, 5),
        Comparison(figure(0.1, "B", "y"), 0.2, 0.001, 5),
        Comparison(figure(0.1, "C"), 0.5, 0.001, 5),
        Comparison(figure(0.1, "B"), reason="no file"),
    )
    assert made.mean_absolute_difference() == (pytest.approx(0.06), 2)
    assert made.mean_absolute_difference(Aim("1", 0.01, frozenset({("*", "y")}))) == (pytest.approx(0.02), 1)
    assert made.mean_absolute_difference(Aim("1", 0.01, only="y")) == (pytest.approx(0.1), 1)
    assert made.count(NOT_RUN) == 1


@pytest.mark.parametrize(("ours", "same"), [(0.19, 1), (0.2095, 1), (0.22, 0)])
def test_a_winner_may_be_within_one_standard_error_of_our_best(ours, same):
    made = table(
        Comparison(figure(0.1), ours, 0.001, 5),
        Comparison(figure(0.2, algorithm="y"), 0.2, 0.01, 5),
    )
    assert made.winners(("x", "y")) == (same, 1)


def test_every_weak_learner_has_its_own_contest():
    other = PublishedFigure("A", 10, "x", "naive_bayes", "error_rate", 0.3, "")
    rival = PublishedFigure("A", 10, "y", "naive_bayes", "error_rate", 0.2, "")
    made = table(
        Comparison(figure(0.1), 0.1, 0.001, 5),
        Comparison(figure(0.2, algorithm="y"), 0.2, 0.001, 5),
        Comparison(other, 0.3, 0.001, 5),
        Comparison(rival, 0.4, 0.001, 5),
    )
    assert made.winners(("x", "y")) == (1, 2)


def test_accuracies_are_won_by_the_largest():
    made = table(
        Comparison(figure(0.9, metric="accuracy"), 0.9, 0.001, 5),
        Comparison(figure(0.8, algorithm="y", metric="accuracy"), 0.8, 0.001, 5),
    )
    assert made.winners(("x", "y")) == (1, 1)


def test_scores_of_parts_of_a_stream():
    wrong = np.array([1] * 10 + [0] * 70 + [1, 1, 1, 1, 1] + [0] * 15, dtype=bool)
    record = Record(DONE, figures={"n_answers": 100, "errors": [0.15]}, wrong=np.packbits(wrong))
    assert final_fifth(record) == pytest.approx(0.75)
    assert after_tenth(record) == pytest.approx(5 / 90)


def test_preparations():
    X = np.array([[0.0, 5.0], [2.0, 5.0], [4.0, np.nan]])
    rows = ArrayStream(X, np.array(["a", "b", "a"]), nominal=np.array([False, False]))
    scaled = prepare(rows, ["missing:zero", "scale:-1", "one-class:b"])
    assert scaled.X.tolist() == [[-1, 1], [0, 1], [1, -1]]
    assert scaled.y.tolist() == [-1, 1, -1]
    assert prepare(rows, ["without:b"]).X[:, 0].tolist() == [0, 4]
    parts = prepare(rows, ["missing:value", "parts:10"])
    assert parts.X.tolist() == [[0, 0], [1, 0], [2, 1]]
    assert parts.nominal.all()
    tenths = prepare(ArrayStream(np.arange(100.0)[:, None], np.zeros(100)), ["parts:10"])
    assert np.bincount(tenths.X[:, 0].astype(int)).tolist() == [10] * 10
    assert rows.X[0, 0] == 0, "what came in is as it was"
    many = ArrayStream(np.arange(50.0)[:, None], np.zeros(50))
    drawn = prepare(many, ["sample:20"]).X[:, 0]
    assert drawn.size == 20
    assert (np.diff(drawn) > 0).all()
    assert prepare(many, ["sample:20"]).X[:, 0].tolist() == drawn.tolist()
    assert prepare(many, ["sample:60"]).y.size == 50
    with pytest.raises(DataError, match="no preparation 'polish'"):
        prepare(rows, ["polish"])
    with pytest.raises(DataError, match="no label c"):
        prepare(rows, ["one-class:c"])


def tiny(**changes):
    data = (DataEntry("Heart", "synthetic-2"), DataEntry("German", "no-such-set"))
    facts = {
        "paper": "chen2012",
        "title": "Tiny",
        "protocol": "prequential error",
        "data": data,
        "plan": plan,
        "size": Size(200, 2, learners=3),
        "quick": Size(100, 2, learners=3),
        "aims": (Aim("1", 0.5),),
        "winners": {"1": ("single", "OzaBoost", "OGBoost", "OSBoost")},
    }
    return Study(**{**facts, **changes})


def test_a_tiny_protocol_from_runs_to_page(tmp_path):
    job = Reproduction(tiny(), tables=["1", "3"], datasets=["heart", "German", "Splice"])
    job.load()
    assert {name: set(forms) for name, forms in job.facts.items()} == {"Heart": {""}}
    runs = job.plan()
    # Six algorithms in two orders: OSBoost of tables 1 and 3 is run once.
    assert len(runs) == 12
    assert all(run.protocol == Protocol(orders=2) for run in runs)
    outcome = run_all(runs[:-1], tmp_path / "runs", jobs=1)
    records = {run.key: record for run, record in zip(runs, outcome.records, strict=False)}
    tables = job.compare(records)
    assert [len(t.measured) for t in tables] == [4, 2]
    assert (
        tables[0].cell("Heart", ("OSBoost", "perceptron")).ours
        == tables[1].cell("Heart", ("OSBoost", "perceptron")).ours
    )
    text = "\n".join(f"{who}: {why}" for who, why in reasons(tables))
    assert "no-such-set: no such file or data set" in text
    assert "there is no public source" in text
    assert "not run yet" in text
    assert "reached" in "\n".join(verdict_lines(job.study, tables[0]))
    assert run_all(runs, tmp_path / "runs", jobs=1).n_found == 11
    written = write_report(job, tables, [], tmp_path / "out", "streamboost reproduce chen2012")
    assert [path.name for path in written] == [
        "report.html",
        "tables.md",
        "cells.csv",
        "table-1.png",
        "table-3.png",
    ]
    page = written[0].read_text()
    assert "not run" in page
    assert "<script" not in page
    lines = cells_csv(job.study, tables).splitlines()
    assert len(lines) == 1 + 3 * 7
    assert "| Heart |" in markdown(job.study, tables, [])


def test_a_cell_with_several_algorithms_takes_the_best(tmp_path):
    def best_of_two(figure, facts, size):
        one = plan(figure, facts, size)
        assert isinstance(one, Planned)
        other = plan(published_table("chen2012", "1").figures[3], facts, size)
        return Planned(one.algorithms + other.algorithms, one.protocol, one.score)

    job = Reproduction(tiny(plan=best_of_two), tables=["1"], datasets=["Heart"])
    job.load()
    runs = job.plan()
    outcome = run_all(runs, tmp_path, jobs=1)
    made = job.compare({run.key: record for run, record in zip(runs, outcome.records, strict=True)})[0]
    alone = Reproduction(tiny(), tables=["1"], datasets=["Heart"])
    alone.load()
    plain = alone.compare(
        {run.key: r for run, r in zip(runs, outcome.records, strict=True)} if alone.plan() else {}
    )[0]
    best = {c.figure.algorithm: c.ours for c in plain.cells}
    assert {c.figure.algorithm: c.ours for c in made.cells} == {
        name: min(value, best["OSBoost"]) for name, value in best.items()
    }


@pytest.mark.parametrize(
    ("what", "message"),
    [({"tables": ["9"]}, "no table '9'"), ({"datasets": ["Hearts"]}, "no data set 'Hearts'")],
)
def test_what_a_paper_does_not_have(what, message):
    with pytest.raises(ValueError, match=message):
        Reproduction(tiny(), **what)

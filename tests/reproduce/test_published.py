"""The published tables come with the package, complete and with the relations that the papers' own text states."""

import pytest

from streamboost.reproduce.papers import study_of
from streamboost.reproduce.published import PAPERS, published_table, table_numbers

CELLS = {
    ("chen2012", "1"): 48,
    ("chen2012", "2"): 48,
    ("chen2012", "3"): 36,
    ("chen2012", "4"): 36,
    ("bai2014", "1"): 80,
    ("bai2014", "2"): 50,
    ("bai2014", "3"): 50,
    ("jung2017", "1"): 28,
    ("oza2001", "3.4"): 42,
    ("oza2001", "4.2"): 84,
    ("sun", "2"): 30,
    ("sun", "3"): 40,
}


@pytest.mark.parametrize(("paper", "number"), CELLS)
def test_every_cell_is_there_once(paper, number):
    table = published_table(paper, number)
    assert len(table.figures) == CELLS[paper, number]
    assert len({(f.dataset, f.column) for f in table.figures}) == len(table.figures)
    assert all(0 <= f.value <= 1 for f in table.figures)
    assert len({f.metric for f in table.figures}) == 1


def test_every_table_of_every_paper_parses():
    for paper in PAPERS:
        for number in table_numbers(paper):
            assert published_table(paper, number).columns


def test_osboost_is_the_same_in_both_pairs_of_tables():
    for first, second in (("1", "3"), ("2", "4")):
        one, two = (
            {f.dataset: f.value for f in published_table("chen2012", n).figures if f.algorithm == "OSBoost"}
            for n in (first, second)
        )
        assert one == two


def test_a_star_is_the_best_booster_of_its_row():
    for number in ("1", "2"):
        table = published_table("chen2012", number)
        for dataset in table.datasets:
            row = [f for f in table.figures if f.dataset == dataset and f.algorithm != "single"]
            starred = {f.value for f in row if f.mark == "*"}
            assert starred in (set(), {min(f.value for f in row)})


def test_suns_naive_bayes_is_ozas():
    names = {"Breast-cancer-w": "Breast Cancer", "German": "German Credit"}
    oza = {(f.dataset, f.algorithm): f.value for f in published_table("oza2001", "4.2").figures}
    for f in published_table("sun", "2").figures:
        assert abs(oza[names.get(f.dataset, f.dataset), f.algorithm] - f.value) <= 0.00051


def test_a_paper_that_is_not_there():
    with pytest.raises(ValueError, match="chen2012"):
        study_of("chen2013")

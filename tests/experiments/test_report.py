"""Tables, tests and pages, from records made by hand."""

import csv
import io
import re
from html.parser import HTMLParser

import numpy as np
import pytest

from streamboost.evaluate.significance import corrected_t, paired_t, sign_test
from streamboost.experiments.charts import styles_of
from streamboost.experiments.figures import N_COLOURS, Style, render
from streamboost.experiments.page import ByWidth, Code, DataTable, Facts, Figure, Page, TableCell, Text
from streamboost.experiments.plan import Algorithm, DataFacts, Protocol, Source, unique_labels
from streamboost.experiments.rank_chart import RankChart
from streamboost.experiments.report import write_report
from streamboost.experiments.store import Record
from streamboost.experiments.summary import BEST, LIKE_BEST, WORSE, Summary
from streamboost.experiments.tables import runs_csv, summary_csv, terminal_tables

ROWS = 200
ALGORITHMS = [
    Algorithm("oza-boost", "naive-bayes"),
    Algorithm("osboost", "stump"),
    Algorithm("bagging", "ogd"),
]


def facts(name="some-data"):
    return DataFacts(Source(f"{name}.csv"), name, ROWS, 5, 2, ["a", "b"])


def done(error, seed=0, folds=False):
    wrong = np.zeros(ROWS, dtype=bool)
    wrong[np.random.default_rng(seed).permutation(ROWS)[: round(error * ROWS)]] = True
    figures = {
        "errors": [float(wrong.mean())],
        "seconds": 0.5,
        "n_rows": ROWS,
        "memory_bytes": 4000,
        "metrics": {},
    }
    if not folds:
        figures |= {"kappa": 0.5, "balanced_accuracy": 0.7, "g_mean": 0.6}
    return Record("done", "", {**figures, "warnings": [], "n_answers": ROWS}, np.packbits(wrong))


# Errors of the three models in four orders.
ERRORS = np.array([[0.10, 0.11, 0.30], [0.12, 0.115, 0.33], [0.11, 0.12, 0.29], [0.10, 0.105, 0.31]])


ORDERS = Protocol(orders=4)


def summary(n_sets=2, refused=True, failed=False, protocol=ORDERS, test=None, algorithms=ALGORITHMS):
    records = []
    for d in range(n_sets):
        for row in ERRORS[: len(protocol.units())]:
            found = [done(error, seed, bool(protocol.folds)) for seed, error in enumerate(row)]
            found += [done(0.4, 9, bool(protocol.folds))] * (len(algorithms) - 3)
            if refused and d == 1:
                found[1] = Record("refused", "Only binary <classification> is supported. Sorry.")
            if failed and d == 0:
                found[2] = Record("failed", "the process was ended by signal 9.")
            records += found
    return Summary([facts(f"set-{d}") for d in range(n_sets)], algorithms, protocol, records, test)


def test_the_best_and_those_like_it():
    s = summary()
    first, second = (s.verdicts(row) for row in s.cells)
    assert [verdict.place for verdict in first] == [BEST, LIKE_BEST, WORSE]
    assert first[1].p == paired_t(s.cells[0][1].errors, s.cells[0][0].errors).p
    assert second[1] is None
    assert [cell.algorithm.model for cell in s.refusals] == ["osboost"]
    assert s.cells[0][0].error == pytest.approx(ERRORS[:, 0].mean(), abs=0.003)
    assert s.cells[0][2].examples_per_second == 400


@pytest.mark.parametrize("test", ["t", "wilcoxon", "sign"])
def test_the_test_can_be_chosen(test):
    p = summary(test=test).verdicts(summary().cells[0])[2].p
    assert (p < 0.05) == (test == "t")  # four pairs are too few for the others, whatever they show


def test_one_order_pairs_the_rows():
    s = summary(protocol=Protocol(orders=1))
    worst, best = (cell.records[0].errors_of_rows() for cell in (s.cells[0][2], s.cells[0][0]))
    assert s.verdicts(s.cells[0])[2].p == sign_test(worst.astype(float), best.astype(float)).p
    assert "McNemar" in s.test_name
    assert s.cells[0][0].standard_error is None


def test_folds_take_the_corrected_test():
    s = summary(protocol=Protocol(orders=1, folds=4))
    cells = s.cells[0]
    assert s.verdicts(cells)[2].p == corrected_t(cells[2].errors, cells[0].errors, 1 / 3).p
    with pytest.raises(ValueError, match="for folds"):
        summary(test="corrected-t")
    with pytest.raises(ValueError, match="no test 'magic'"):
        summary(test="magic")


def test_only_models_with_all_results_are_ranked():
    s = summary()
    assert s.ranked == [0, 2]
    assert s.ranking.ranks.tolist() == [1.0, 2.0]
    assert summary(refused=False).ranked == [0, 1, 2]
    assert summary(failed=True).ranked == [0]
    assert summary(failed=True).ranking is None


def test_curves_come_from_the_stored_answers():
    cell = summary().cells[0][0]
    curve = cell.curve()
    assert curve.positions[-1] == ROWS
    assert curve.cumulative_error[-1] == pytest.approx(cell.error)
    wrong = np.mean([record.errors_of_rows() for record in cell.records], axis=0)
    assert curve.windowed_error[-1] == pytest.approx(wrong[-curve.window :].mean())


def table(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_csv_holds_every_run_and_every_cell():
    s = summary(failed=True)
    runs = table(runs_csv(s))
    assert len(runs) == 24
    assert float(runs[0]["error"]) == s.cells[0][0].records[0].figure("errors")[0]
    assert [run["status"] for run in runs].count("refused") == 4
    assert {run["message"] for run in runs if run["status"] == "failed"} == {
        "the process was ended by signal 9."
    }
    cells = table(summary_csv(s))
    assert [cell["place"] for cell in cells] == ["best", "like best", "", "best", "", "worse"]
    assert float(cells[0]["error"]) == pytest.approx(s.cells[0][0].error)


def test_the_terminal_table_marks_cells():
    from rich.console import Console

    console = Console(width=120, file=io.StringIO())
    console.print(*terminal_tables(summary()))
    text = console.file.getvalue()
    assert "n/a" in text
    assert text.count("≈") == 1
    console.print(
        *terminal_tables(summary(algorithms=[*ALGORITHMS, *(Algorithm(f"m{i}", "x") for i in range(4))]))
    )
    assert "set-1" in console.file.getvalue()


class Outline(HTMLParser):
    """Tags that are opened and not closed, ids, and what the page would load."""

    VOID = {"meta", "br", "path", "use", "line", "image", "rect", "circle"}  # noqa: RUF012

    def __init__(self):
        super().__init__()
        self.open, self.ids, self.loads, self.tags = [], [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        attrs = dict(attrs)
        if "id" in attrs:
            self.ids.append(attrs["id"])
        self.loads += [attrs[name] for name in ("src", "href", "xlink:href", "data") if name in attrs]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in self.VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if tag not in self.VOID:
            assert self.open.pop() == tag


def outline(text):
    found = Outline()
    found.feed(text)
    found.close()
    assert found.open == []
    return found


def test_the_report_is_one_page_that_needs_nothing_else(tmp_path):
    s = summary(failed=True)
    written = write_report(s, tmp_path / "out", "streamboost compare <data> --out out")
    assert written[0].name == "report.html"
    assert {path.name for path in written} >= {"summary.csv", "runs.csv", "set-0-error-over-time.png"}
    assert all(path.stat().st_size > 0 for path in written)
    text = written[0].read_text()
    page = outline(text)
    assert len(page.ids) == len(set(page.ids))
    # Links within the page only; the one address is the name of SVG's language.
    assert all(target.startswith("#") for target in page.loads)
    assert {target[1:] for target in page.loads} <= set(page.ids)
    assert "script" not in page.tags
    assert "@import" not in text
    assert set(re.findall(r"https?://[^\s\"'<)]+", text)) <= {
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1999/xlink",
    }
    assert "Only binary &lt;classification&gt; is supported." in text
    assert "streamboost compare &lt;data&gt;" in text
    assert "prefers-color-scheme: dark" in text
    assert "the process was ended by signal 9." in text
    before = {path: path.read_bytes() for path in written}
    write_report(s, tmp_path / "out", "streamboost compare <data> --out out")
    assert {path: path.read_bytes() for path in written} == before


def test_many_models_many_sets_and_sizes(tmp_path):
    sizes = [Algorithm("oza-boost", "ogd", {"n_estimators": n}, size_label=f"N={n}") for n in (1, 10, 100)]
    more = [*ALGORITHMS, *sizes, *(Algorithm(f"model-{i}", "stump") for i in range(14))]
    s = summary(n_sets=5, refused=False, algorithms=more)
    written = write_report(s, tmp_path, "")
    text = written[0].read_text()
    outline(text)
    assert "set-0-error-against-size.png" in {path.name for path in written}
    assert "others" in text
    assert "Best on 5 data sets" in text
    alone = Summary([facts()], ALGORITHMS[:1], Protocol(orders=1), [done(0.2)])
    outline(write_report(alone, tmp_path / "alone", "")[0].read_text())
    nobody = Summary([facts()], ALGORITHMS[:1], Protocol(orders=1), [Record("refused", "No.")])
    assert "No model has a result" in write_report(nobody, tmp_path / "nobody", "")[0].read_text()
    folds = summary(protocol=Protocol(orders=1, folds=4))
    assert "4-fold" in write_report(folds, tmp_path / "folds", "")[0].read_text()


def test_every_colour_has_a_light_and_a_dark_value():
    from importlib.resources import files

    css = (files("streamboost.experiments") / "page.css").read_text()
    for variable in ("--ink", "--soft", "--grid", "--rest", *(f"--s{i}" for i in range(N_COLOURS))):
        assert len(re.findall(rf"{variable}: #", css)) == 2, variable


def test_pictures_follow_the_page():
    s = summary(refused=False)
    names = [algorithm.name for algorithm in ALGORITHMS]
    picture = render(RankChart("Ranks", names, s.ranking, styles_of(names, [0, 1, 2])), "ranks")
    for svg in (picture.wide, picture.narrow):
        assert "var(--s0)" in svg
        assert "var(--font)" in svg
        assert not re.search(r"#(?!ffffff|000000)[0-9a-f]{6}", svg)
    assert picture.png.startswith(b"\x89PNG")


def test_styles_are_distinct_while_they_can_be():
    names = [f"m{i}" for i in range(16)]
    assert len(set(styles_of(names, []).values())) == 16
    many = styles_of([*names, "x", "y"], [17, 3])
    assert (many["y"], many["m3"], many["m0"]) == (Style(0), Style(1), Style(None))


def test_a_page_of_all_blocks_escapes_what_it_is_given():
    bad = '<script>"&'
    small = DataTable(
        [bad], [[TableCell(bad, bad, bad, bad)]], groups=[(bad, 1)], foot=[[TableCell(bad)]], caption=bad
    )
    s = summary(refused=False)
    names = [algorithm.name for algorithm in ALGORITHMS]
    picture = render(RankChart(bad, names, s.ranking, styles_of(names, [0, 1, 2])), "p")
    page = Page(bad, bad, [Facts([(bad, bad, bad)], cards=True)], footer=bad)
    page.section(
        bad,
        Text([bad], bad),
        Facts([(bad, bad)]),
        ByWidth(small, small),
        Figure(picture, bad),
        Code(bad),
        aside=bad,
    )
    text = page.html()
    assert "<script>" not in text
    outline(text)


def test_labels_are_made_distinct():
    assert list(unique_labels(["a", "b", "a", "a"])) == ["a", "b", "a (2)", "a (3)"]

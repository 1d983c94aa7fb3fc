"""The benchmarks are plain modules that nobody imports: at least what they name must exist."""

import importlib.util
import re
from dataclasses import replace
from pathlib import Path

from benchmarks import models, tables
from benchmarks.peers import report
from benchmarks.peers.contest import Result
from benchmarks.peers.races import RACES
from benchmarks.speed import curves, throughput
from benchmarks.streams import MAKERS, rows_of
from streamboost.models import ALL_LEARNERS, MODELS

ROOT = Path(__file__).resolve().parents[2]


def test_every_race_names_a_stream_and_models_that_exist():
    titles = [race.title for race in RACES]
    assert len(set(titles)) == len(titles)
    for race in RACES:
        assert race.stream in MAKERS
        assert race.contestants[0].peer == "streamboost"
        for contestant in race.contestants:
            assert f"{race.n}" in str(contestant.spec)  # everybody has the race's number of learners
            if contestant.peer == "streamboost":
                spec = contestant.spec
                assert spec["model"] in {*MODELS, *models.VARIANTS}
                assert spec["learner"] in ALL_LEARNERS


def test_every_ensemble_has_an_entry():
    assert {name for name, _ in models.VARIANTS.values()} <= set(MODELS)
    assert set(throughput.ENSEMBLES) == {*MODELS, *models.VARIANTS}
    assert {"osboost", "osboost, ocp", "osboost, exp", "online-bbm", "adaboost-ol", "bayes"} <= set(
        curves.LINEAR
    )


def test_every_command_of_the_page_exists():
    text = (ROOT / "benchmarks" / "README.md").read_text()
    commands = set(re.findall(r"python -m (benchmarks[\w.]*)", text))
    assert {"benchmarks.speed.latency", "benchmarks.speed.roofline", "benchmarks.speed.threads"} <= commands
    assert not [name for name in commands if importlib.util.find_spec(name) is None]


def ran(race, number, accuracy, seconds):
    run = {"rows": 100, "thread": seconds, "process": seconds, "wall": seconds}
    run |= {"accuracy": accuracy, "megabytes": 1.0, "model_bytes": 1000.0}
    return Result(race, race.contestants[number], runs=[run])


def test_a_peer_that_is_more_accurate_is_marked_if_it_saw_all_rows():
    race = RACES[0]
    assert race.contestants[3].rows is None
    mine, better, level = ran(race, 0, 0.80, 0.1), ran(race, 3, 0.81, 1.0), ran(race, 4, 0.804, 1.0)
    table = report.group_table("linear", report.csv_rows([[mine, better, level]], "today")).text()
    assert table.count("more accurate than our first entry") == 1
    assert "by 0.010" in table
    assert table.count("10.0x") == 2
    assert table.endswith("Measured: today")
    few = replace(race.contestants[3], rows=10)
    better.contestant = few
    table = report.group_table("linear", report.csv_rows([[mine, better]], "today")).text()
    assert "more accurate" not in table
    assert "first rows only" in table


def test_races_that_were_not_run_stay(tmp_path):
    path, order = tmp_path / "bench-peers.csv", [(race.group, race.name, str(race.n)) for race in RACES]
    first, second, last = RACES[0], RACES[1], RACES[-1]
    assert first.group == second.group
    then = [[ran(last, 0, 0.8, 1.0)], [ran(second, 0, 0.6, 1.0)], [ran(first, 0, 0.7, 1.0)]]
    rows = report.csv_rows(then, "then")
    rows.append({**rows[0], "race": "a race there is no more"})
    tables.write_csv(path, report.CSV_COLUMNS, [list(row.values()) for row in rows])
    now = report.csv_rows([[ran(last, 0, 0.9, 1.0)], [ran(second, 0, 0.65, 1.0)]], "now")
    assert [
        (row["race"], row["accuracy"], row["measured"]) for row in report.with_those_before(now, path, order)
    ] == [(first.name, "0.7", "then"), (second.name, "0.65", "now"), (last.name, "0.9", "now")]


def test_rows_of_a_sparse_matrix_are_its_stored_values():
    from scipy.sparse import csr_matrix

    X = csr_matrix([[0.0, 2.0, 0.0], [1.0, 0.0, 3.0]])
    assert list(rows_of(X)) == [[(1, 2.0)], [(0, 1.0), (2, 3.0)]]
    assert list(rows_of(X.toarray())) == [
        [(0, 0.0), (1, 2.0), (2, 0.0)],
        [(0, 1.0), (1, 0.0), (2, 3.0)],
    ]


def test_long_tables_are_folded():
    table = tables.Table("All", ["set", "error"])
    for n in range(tables.MOST_ROWS):
        table.add(f"set {n}", 0.5)
    assert "<details>" not in table.markdown()
    table.add("one more", 0.5)
    text = table.markdown()
    assert text.startswith("## All\n\n<details><summary>41 rows</summary>\n\n| set ")
    assert text.endswith("|\n\n</details>")

"""What people write and hand over on their first day: each gets an answer that says what to do."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

ROWS = [(20 + i % 50, 100 + i * 7 % 83, "yes" if i % 50 > 24 else "no") for i in range(200)]


def write(path, header, rows, end="\n"):
    path.write_text(header + end + "".join(",".join(map(str, row)) + end for row in rows))
    return path


@pytest.fixture
def shop(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return write(tmp_path / "shop.csv", "age,income,buys", ROWS)


@pytest.fixture
def prices(tmp_path):
    rows = [(i % 50, (i % 50) * 100 + i * 37 % 90 + 0.5) for i in range(200)]
    return write(tmp_path / "prices.csv", "age,price", rows)


def test_a_file_without_a_command(fails, shop):
    assert fails("shop.csv").endswith("streamboost run shop.csv")


def test_target_is_taken_for_the_label(fails, shop):
    assert "The column to predict is named by --label." in fails("run", shop, "--target", "buys")


def test_lines_that_end_in_a_delimiter_have_no_column_behind_it(run, fails, tmp_path, shop):
    path, model = write(tmp_path / "ended.csv", "age,income,buys,", ROWS, end=",\n"), tmp_path / "m.sboost"
    path.write_text(path.read_text().replace("buys,,", "buys,"))
    told = run("run", path, "-n", "2", "--save", model)
    assert "classification of column 'buys' (the last column), text" in told.stderr
    for command in (("predict", model, path), ("learn", model, path), ("predict", model, shop)):
        assert "left out" not in run(*command).stderr
    unlabeled = write(tmp_path / "empty.csv", "age,income,buys", [(a, b, "") for a, b, _ in ROWS])
    assert "200 without. The label is column 'buys'; --label names another one." in fails("run", unlabeled)


def test_a_title_above_the_names_is_noticed(run, tmp_path):
    path = write(tmp_path / "titled.csv", "Sales,,", [("age", "income", "buys"), *ROWS])
    assert "the first line names 1 of 3 columns; if it is a title, take it off" in run("run", path).stderr


def test_a_number_of_the_row_is_noticed_by_any_usual_name(run, tmp_path):
    path = write(tmp_path / "counted.csv", "id,age,income,buys", [(i, *row) for i, row in enumerate(ROWS)])
    assert "column 'id' counts the rows and says nothing about them; leave it out with --drop id" in (
        run("run", path, "-n", "2").stderr
    )


def test_what_little_data_cannot_tell_is_not_said(run, tmp_path):
    few = write(tmp_path / "few.csv", "age,income,buys", ROWS[:5])
    assert "no better than" not in run("run", few).stderr
    same = write(tmp_path / "same.csv", "age,income,buys", [(a, b, "yes") for a, b, _ in ROWS])
    told = run("run", same, "-n", "2").stderr
    assert "every row has the label 'yes': there is nothing to tell apart." in told
    assert "no better than" not in told


def test_labels_that_differ_only_in_spelling_are_noticed(run, tmp_path):
    labels = {"yes": ("yes", "Yes", "yes "), "no": ("no",)}
    mixed = [(a, b, labels[c][i % len(labels[c])]) for i, (a, b, c) in enumerate(ROWS)]
    told = run("run", write(tmp_path / "mixed.csv", "age,income,buys", mixed), "-n", "2").stderr
    found = [line for line in told.splitlines() if "differ only in case or spaces" in line]
    assert len(found) == 1
    assert "'yes'" in found[0]
    assert "'Yes'" in found[0]
    assert "'no'" not in found[0]
    assert (
        "differ only" not in run("run", write(tmp_path / "b.csv", "age,income,buys", ROWS), "-n", "2").stderr
    )


def test_a_class_and_a_number_are_not_compared(run, fails, shop, prices, tmp_path):
    for pair in ((shop, prices), (prices, shop)):
        message = fails("compare", *pair, "--out", tmp_path / "out")
        assert f"the label of {prices} is a number to predict, that of {shop} is a class" in message
    assert not (tmp_path / "out").exists()
    run(
        "compare",
        shop,
        prices,
        "--out",
        tmp_path / "out",
        "--task",
        "classification",
        "-n",
        "2",
        "--jobs",
        "1",
    )


def test_drift_watches_classifiers(fails, shop, prices):
    assert "the label 'price' holds numbers with more than 20 values" in fails("drift", prices)
    assert "detectors watch the wrong answers of a classifier" in fails(
        "drift", shop, "-m", "single-regressor"
    )
    assert "There is no model 'osbost'; did you mean osboost?" in fails("drift", shop, "-m", "osbost")
    assert "There is no learner 'naivbayes'; did you mean naive-bayes?" in fails(
        "drift", shop, "-l", "naivbayes"
    )
    assert "delta=0.001, warning=None are the parameters of" in fails("drift", shop, "-d", "adwin(dleta=0.1)")


def test_dates_in_the_other_order(fails, tmp_path):
    rows = [(f"{1 + i % 28:02}.01.2024", *row[1:]) for i, row in enumerate(ROWS)]
    path = write(tmp_path / "dated.csv", "day,income,buys", rows)
    assert "'13.01.2024' is no date with the month first" in fails("run", path, "--dates", "month-first")


def test_lags_are_not_advised_to_a_model_that_has_them(run, tmp_path):
    rows, level = [], 0.0
    for i in range(1_500):
        level = 0.95 * level + ((i * 7919) % 101 - 50) / 50
        rows.append((i % 7, f"{level + 40:.4f}"))
    path = write(tmp_path / "level.csv", "a,load", rows)
    for lags, told in ((), True), (("--lags", "1"), False):
        result = run("run", path, "-m", "single-regressor", "--task", "regression", *lags)
        assert ("lags may help (--lags 1)" in result.stderr) is told


@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT")
def test_stopped_predictions_say_so(run, shop, tmp_path):
    run("run", shop, "-n", "2", "--save", tmp_path / "m.sboost")
    command = [sys.executable, "-m", "streamboost.cli", "predict", tmp_path / "m.sboost", "-"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as process:
        process.stdin.write("age,income\n30,120\n40,130\n")
        process.stdin.flush()
        assert process.stdout.readline() == "prediction\n"
        assert {process.stdout.readline(), process.stdout.readline()} <= {"yes\n", "no\n"}
        process.send_signal(signal.SIGINT)
        told = process.communicate(timeout=60)[1]
    assert process.returncode == 130
    assert "stopped after 2 rows" in told

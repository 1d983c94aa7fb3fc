"""`streamboost reproduce`: the table, the page, and one line for what cannot be done."""

import pytest


def test_without_data_one_line_says_what_to_do(run, tmp_path, monkeypatch):
    monkeypatch.setenv("STREAMBOOST_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("STREAMBOOST_DATA", raising=False)
    out = tmp_path / "out"
    command = (
        "reproduce",
        "chen2012",
        "--table",
        "1",
        "--datasets",
        "heart,Covertype",
        "--quick",
        "--out",
        out,
    )
    said = run(*command, code=2).output
    assert "streamboost datasets heart covtype --fetch" in said
    assert said.startswith("streamboost: error: None of the 2 data sets is here")
    assert said.count("\n") == 1
    assert not out.exists()


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("chen2013",), "There is no paper 'chen2013'"),
        (("chen2012", "--table", "7"), "There is no table '7'"),
        (("chen2012", "--datasets", "Hearts"), "There is no data set 'Hearts'"),
        (("chen2012", "--preset", "mine"), "chen2012 has no preset 'mine'; there is text"),
        (("bai2014", "--preset", "text"), "bai2014 has no preset 'text'; there is none beside its own"),
    ],
)
def test_errors_are_one_line(run, args, message, tmp_path):
    result = run("reproduce", *args, "--out", tmp_path, code=2)
    assert message in result.output
    assert "Traceback" not in result.output


@pytest.mark.usefixtures("data_folder")
def test_a_table_of_chen_on_small_data(run, tmp_path):
    command = (
        "reproduce",
        "chen2012",
        "--table",
        "1",
        "--datasets",
        "Heart,German",
        "--quick",
        "--out",
        tmp_path,
    )
    result = run(*command, "--jobs", 2)
    assert "8 of 8 cells run" in result.stdout
    for word in ("aim", "agree", "differ;", "≠"):
        assert word not in result.stdout, "a sample is not judged"
    assert "is not held against the paper" in result.stdout
    assert "agree" not in (tmp_path / "report.html").read_text()
    assert (tmp_path / "table-1.png").exists()
    again = run(*command, "--report-only")
    assert "16 of 16 runs" in again.stdout
    assert "CPU seconds, workers included" in again.stdout
    assert "None of the data sets" not in again.stdout

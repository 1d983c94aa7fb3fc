"""Ways to run the command line inside a test."""

import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

from streamboost.cli import app

DATA = os.environ.get("STREAMBOOST_DATA")  # read before the fixture below takes it away


@pytest.fixture(autouse=True)
def no_data_folder(monkeypatch):
    """No test depends on whether the person who runs it has the data, unless it asks for `data_folder`."""
    monkeypatch.delenv("STREAMBOOST_DATA", raising=False)


@pytest.fixture
def data_folder(no_data_folder, monkeypatch):
    """The folder with the papers' data sets, given back to the test; without it the test is skipped."""
    if not DATA or not Path(DATA, "heart.libsvm.gz").is_file():
        pytest.skip("STREAMBOOST_DATA names no folder with the papers' data sets")
    monkeypatch.setenv("STREAMBOOST_DATA", DATA)
    return Path(DATA)


@pytest.fixture
def run():
    def run(*args, code=0, **options):
        result = CliRunner().invoke(app, [str(arg) for arg in args], **options)
        assert result.exit_code == code, result.output + repr(result.exception)
        return result

    return run


@pytest.fixture
def fails(run):
    """Run something that must fail; returns the one line that says why."""

    def fails(*args, **options):
        result = run(*args, code=2, **options)
        beside = ("warning:", "otherwise")  # what is predicted is said before anything can go wrong with it
        lines = [line for line in result.stderr.splitlines() if not any(word in line for word in beside)]
        assert len(lines) == 1, result.stderr
        assert lines[0].startswith("streamboost: error: ")
        assert "Traceback" not in result.output
        return lines[0].removeprefix("streamboost: error: ")

    return fails

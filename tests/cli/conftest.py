"""Ways to run the command line inside a test."""

import pytest
from typer.testing import CliRunner

from streamboost.cli import app


@pytest.fixture(autouse=True)
def no_data_folder(monkeypatch):
    monkeypatch.delenv("STREAMBOOST_DATA", raising=False)


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
        lines = [line for line in result.stderr.splitlines() if "warning:" not in line]
        assert len(lines) == 1, result.stderr
        assert lines[0].startswith("streamboost: error: ")
        assert "Traceback" not in result.output
        return lines[0].removeprefix("streamboost: error: ")

    return fails

"""tune: the right parameters win, on prefixes, from any number of runs."""

import json

import numpy as np
import pytest

from streamboost.cli.errors import UserError
from streamboost.cli.tune import Search, candidates


@pytest.fixture
def data(tmp_path):
    rng = np.random.default_rng(2)
    path = tmp_path / "data.csv"
    x = rng.normal(size=(900, 2))
    path.write_text("a,b,y\n" + "".join(f"{a:.3f},{b:.3f},{int(a + b > 0)}\n" for a, b in x))
    return path


def test_candidates():
    assert candidates(Search(("gamma=0.1,0.2", "vote=ocp,exp")), 0) == [
        "gamma=0.1:vote=ocp",
        "gamma=0.1:vote=exp",
        "gamma=0.2:vote=ocp",
        "gamma=0.2:vote=exp",
    ]
    drawn = candidates(Search(("gamma=0.01..0.4", "n-estimators=2..9"), draws=20), 1)
    assert drawn == candidates(Search(("gamma=0.01..0.4", "n-estimators=2..9"), draws=20), 1)
    assert drawn != candidates(Search(("gamma=0.01..0.4", "n-estimators=2..9"), draws=20), 2)
    for text in drawn:
        gamma, size = (part.partition("=")[2] for part in text.split(":"))
        assert 0.01 <= float(gamma) <= 0.4
        assert 2 <= int(size) <= 9
    for grid, words in [
        (("gamma",), "--grid gamma"),
        (("gamma=0.1..0.4",), "--random"),
        (("gamma=0.4..0.1",), "below"),
        (("gamma=a..b",), "numbers"),
        (("gamma=1", "gamma=2"), "twice"),
    ]:
        with pytest.raises(UserError, match=words):
            candidates(Search(grid), 0)


def test_the_better_parameter_wins(run, data, tmp_path):
    words = [
        "tune",
        data,
        "--model",
        "osboost",
        "-n",
        "10",
        "--grid",
        "gamma=0.1,0.2,0.3,0.4",
        "--seeds",
        2,
        "--jobs",
        1,
    ]
    words += ["--out", tmp_path / "runs", "--json", tmp_path / "tune.json"]
    first = run(*words).output
    figures = json.loads((tmp_path / "tune.json").read_text())
    errors = figures["errors"]
    assert sorted(errors) == [f"gamma=0.{i}" for i in (1, 2, 3, 4)]
    assert all("100" in by for by in errors.values())  # all on the first ninth of the rows
    last = {text: by["900"] for text, by in errors.items() if "900" in by}
    assert figures["best"] in last
    assert last[figures["best"]] == min(last.values())
    assert f"--param {figures['best']}" in " ".join(first.split())
    kept = sorted(path.name for path in (tmp_path / "runs" / "runs").iterdir())
    run(*words)
    assert sorted(path.name for path in (tmp_path / "runs" / "runs").iterdir()) == kept  # nothing ran twice
    assert json.loads((tmp_path / "tune.json").read_text()) == figures


def test_what_cannot_be(fails, data, tmp_path):
    assert "--grid n_estimators=10,30; `streamboost models osboost` lists" in fails(
        "tune", data, "--model", "osboost"
    )
    assert "gama" in fails("tune", data, "--grid", "gama=1", "--out", tmp_path / "runs")
    assert "--engine spark" in fails(
        "tune", data, "--grid", "gamma=0.1", "--engine", "spark", "--out", tmp_path / "runs"
    )

"""Shards on the command line: run --shards, cut, join."""

import json

import pytest


@pytest.fixture
def data(tmp_path):
    import numpy as np

    rng = np.random.default_rng(1)
    x = rng.normal(size=(300, 3))
    path = tmp_path / "data.csv"
    lines = [
        "a,b,c,y",
        *(f"{r[0]:.4f},{r[1]:.4f},{r[2]:.4f},{'yes' if r[0] + r[1] > 0 else 'no'}" for r in x),
    ]
    path.write_text("\n".join(lines) + "\n")
    return path


def test_run_with_shards_saves_the_very_file(run, data, tmp_path):
    common = ["run", data, "--model", "oza-boost", "-n", "8", "--seed", "3"]
    spread = ["--shards", 2, "--engine", "local"]
    run(*common, "--save", tmp_path / "one.sboost", "--json", tmp_path / "one.json")
    run(*common, *spread, "--save", tmp_path / "two.sboost", "--json", tmp_path / "two.json")
    assert (tmp_path / "one.sboost").read_bytes() == (tmp_path / "two.sboost").read_bytes()
    one, two = (json.loads((tmp_path / f"{name}.json").read_text()) for name in ("one", "two"))
    assert (one["error"], one["kappa"]) == (two["error"], two["kappa"])


def test_cut_and_join(run, fails, data, tmp_path):
    run("run", data, "--model", "osboost", "-n", "8", "--save", tmp_path / "m.sboost")
    run("cut", tmp_path / "m.sboost", "--shards", 3, "--out", tmp_path)
    parts = sorted(tmp_path.glob("m-*-of-3.sboost"))
    assert len(parts) == 3
    run("join", *parts, "--out", tmp_path / "again.sboost")
    assert (tmp_path / "again.sboost").read_bytes() == (tmp_path / "m.sboost").read_bytes()
    assert "not all of 0 to 8" in fails("join", parts[0], "--out", tmp_path / "no.sboost")
    assert not (tmp_path / "no.sboost").exists()


def test_shards_hold_one_model(fails, data):
    assert "--orders 1" in fails("run", data, "--shards", 2, "--orders", 2)

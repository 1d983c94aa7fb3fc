"""Trust on the command line: flags that follow from the declarations, `run --health`, `explain`."""

import csv
import io

import numpy as np
import pytest

import streamboost


@pytest.fixture
def payments(tmp_path):
    rng = np.random.default_rng(0)
    y = rng.random(1500) < 0.1
    lines = ["amount,hour,kind,answer"]
    lines += [
        f"{rng.normal(2 * bad):.3f},{rng.integers(24)},{'ab'[rng.integers(2)]},{'bad' if bad else 'good'}"
        for bad in y
    ]
    path = tmp_path / "payments.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_run_with_every_stage(run, payments, tmp_path):
    flags = ["--model", "bagging", "-n", "3", "--calibration", "platt+bins", "--coverages", "0.8,0.9"]
    flags += ["--class-weight", "bad=4", "--decision", "cost", "--decision-costs", "bad>good=5,good>bad=1"]
    result = run("run", payments, *flags, "--importances", "--health", "--save", tmp_path / "m.sboost")
    assert "Lately" in result.stdout
    assert "What the model looks at" in result.stdout
    assert "What the model looks at" in run("show", tmp_path / "m.sboost").stdout
    assert "of the answers were wrong" in result.stdout
    model = streamboost.load(tmp_path / "m.sboost")
    assert model.class_weight == {"bad": 4}
    assert model.decision_costs == {("bad", "good"): 5, ("good", "bad"): 1}
    assert tuple(model.coverages) == (0.8, 0.9)
    assert model.health().n_rows == 1500
    assert model.feature_importances_.argmax() == 0


def test_costs_of_mistakes(run, fails, payments):
    """Per label or per pair; the labels are found in a first pass, as boosting with costs must know them."""
    options = (
        "run",
        payments,
        "--model",
        "cost-boost",
        "-n",
        "5",
        "--metrics",
        "cost:bad>good=10:good>bad=1",
    )
    plain, each, pair = (
        run(*options, *more) for more in ((), ("--costs", "bad=3"), ("--costs", "bad>good=3"))
    )
    assert "cost:bad>good=10" in plain.stdout
    assert table_of(each) == table_of(pair) != table_of(plain)
    assert "'bid', which is none of the classes" in fails(*options, "--costs", "bid=3")
    assert "--classes a,b,c" in fails(
        "run", "-", "--model", "cost-boost", "--costs", "bad=3", input="a,y\n1,bad\n"
    )


def table_of(result):
    return [
        line.split()[4:7] for line in result.stdout.splitlines() if "cost-boost │" in line or "cost:" in line
    ]


def test_labels_that_never_come_are_named(run, payments):
    options = ("run", payments, "--model", "bagging", "-n", "3")
    named = run(*options, "--class-weight", "bed=4", "--metrics", "cost:bad>god=5").stderr
    assert "--class-weight: no row has the label 'bed'; did you mean bad?" in named
    assert "--metrics cost:bad>god=5: no row has the label 'god'" in named
    found = run(*options, "--decision", "cost", "--decision-costs", "bid>good=5").stderr
    assert "--decision-costs: no row has the label 'bid'" in found
    assert "no row has" not in run(*options, "--class-weight", "bad=4", "--metrics", "cost:bad=5").stderr


def test_explain(run, fails, payments, tmp_path):
    run("run", payments, "--model", "bagging", "-n", "3", "--save", tmp_path / "m.sboost")
    said = run("explain", tmp_path / "m.sboost", payments, "--limit", "5").stdout
    assert " of good, from " in said
    assert "amount = " in said
    assert "2 more rows; --out FILE writes all of them" in said
    flags = ["--limit", "5", "--out", "-", "--plot", tmp_path / "bars.png"]
    result = run("explain", tmp_path / "m.sboost", payments, *flags)
    rows = list(
        csv.DictReader(io.StringIO(result.stdout[result.stdout.index("label,") :].split("picture")[0]))
    )
    assert [row["label"] for row in rows] == ["good"] * 5
    for row in rows:
        parts = [float(row[name]) for name in ("base", "amount", "hour", "kind")]
        assert sum(parts) == pytest.approx(float(row["score"]), abs=1e-9)
    assert (tmp_path / "bars.png").stat().st_size > 3000
    out = tmp_path / "why.csv"
    run(
        "explain",
        tmp_path / "m.sboost",
        payments,
        "--limit",
        "1",
        "--of",
        "bad",
        "--exact",
        "--out",
        out,
        "--plot",
        tmp_path / "one.png",
    )
    assert out.read_text().splitlines()[1].startswith("bad,")
    assert "--of ugly: the classes of the model are bad, good" in fails(
        "explain", tmp_path / "m.sboost", payments, "--of", "ugly"
    )


def test_health_speaks_when_it_happens(run, tmp_path):
    """A column that runs away and labels that turn round: a line on standard error each, when it begins."""
    rng = np.random.default_rng(0)
    lines = ["x,y,answer"]
    for i in range(6000):
        x, changed = rng.normal(), i >= 4000
        lines.append(f"{x:.3f},{rng.normal(50 * changed):.3f},{'ab'[(x > 0) != changed]}")
    path = tmp_path / "turns.csv"
    path.write_text("\n".join(lines) + "\n")
    result = run("run", path, "--health")
    said = [line for line in result.stderr.splitlines() if line.startswith("streamboost: after ")]
    assert any("column 'y'" in line and "far from what was learned" in line for line in said)
    assert any("learners were replaced" in line or "The error has risen" in line for line in said)
    assert not any(line.startswith("streamboost: after 1,0") for line in said)
    assert len(said) < 12

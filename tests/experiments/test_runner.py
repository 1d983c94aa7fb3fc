"""Runs: what names them, where they are kept, and that no accident costs more than itself."""

import gzip
import json
import os
import signal
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from small_data import write_rows
from typer.testing import CliRunner

from streamboost.cli import app
from streamboost.evaluate import prequential
from streamboost.evaluate.folds import cross_validate, training_order
from streamboost.experiments import runner
from streamboost.experiments.plan import Algorithm, Protocol, Run, Source, plan_runs
from streamboost.experiments.runner import run_all
from streamboost.experiments.store import Record, RunStore
from streamboost.experiments.worker import execute
from streamboost.streams import DataError
from tests.distributed.processes import alive
from tests.waiting import until

SMALL = {"n_estimators": 3}
OZA = Algorithm("oza-boost", "naive-bayes", SMALL)
BAGGING = Algorithm("bagging", "naive-bayes", SMALL)
OSBOOST = Algorithm("osboost", "perceptron", {**SMALL, "gamma": 0.2}, {"scale": "maxabs"})


@pytest.fixture
def source(tmp_path):
    return Source(str(write_rows(tmp_path / "two.csv", n=120)))


@pytest.fixture
def cli():
    """Run a command inside this process; returns what it says."""

    def cli(*words):
        result = CliRunner().invoke(app, words)
        assert result.exit_code == 0, result.output
        return result.stdout

    return cli


def one_run(source, algorithm=OZA, protocol=Protocol(orders=2), **unit):  # noqa: B008
    return Run(source, source.load().fingerprint, algorithm, protocol, unit or {"order": 0})


def test_the_key_is_the_hash_of_all_that_matters(source):
    run = one_run(source)
    same = [
        replace(run, algorithm=replace(OZA, model_label="mine", size_label="N=3")),
        replace(run, source=Source("elsewhere.csv")),
        replace(run, protocol=Protocol(orders=7)),
    ]
    other = [
        replace(run, fingerprint="0"),
        replace(run, unit={"order": 1}),
        replace(run, protocol=Protocol(orders=1)),
        replace(run, protocol=Protocol(orders=2, seed=1)),
        replace(run, protocol=Protocol(orders=2, delay=1)),
        replace(run, protocol=Protocol(orders=2, metrics=("auc",))),
        replace(run, protocol=Protocol(orders=2, folds=5), unit={"repeat": 0, "fold": 0}),
        replace(run, protocol=Protocol(orders=2, test_rows=5), unit={"repeat": 0, "fold": 0}),
        replace(run, algorithm=replace(OZA, params={"n_estimators": 4})),
        replace(run, algorithm=replace(OZA, learner_params={"alpha": 1.0})),
        replace(run, algorithm=replace(OZA, learner="stump")),
        replace(run, algorithm=BAGGING),
    ]
    assert {found.key for found in same} == {run.key}
    assert len({run.key, *(found.key for found in other)}) == 13


def test_a_run_is_one_line_of_text(source):
    run = one_run(source, OSBOOST, Protocol(orders=3, metrics=("auc", "kappa")))
    assert Run.from_json(run.to_json()) == run
    assert "\n" not in run.to_json()


def test_the_fingerprint_is_that_of_the_rows(tmp_path, source):
    packed = tmp_path / "other.csv.gz"
    packed.write_bytes(gzip.compress((tmp_path / "two.csv").read_bytes()))
    facts = source.load().facts
    assert Source(str(packed)).load().fingerprint == facts.fingerprint
    assert Source(str(write_rows(tmp_path / "x.csv", seed=1))).load().fingerprint != facts.fingerprint
    assert Source(source.text, limit=50).load().fingerprint != facts.fingerprint
    assert (facts.n_rows, facts.n_features, facts.n_nominal, facts.labels) == (120, 2, 1, ["p", "q"])


@pytest.mark.parametrize(
    ("text", "name"),
    [("a/b/car.csv.gz", "car"), ("covtype", "covtype"), ("x.v2.libsvm", "x.v2"), (".csv", ".csv")],
)
def test_names_of_data_sets(text, name):
    assert Source(text).name == name
    assert Source(text, label="mine").name == "mine"


def test_standard_input_cannot_be_read_by_every_model():
    with pytest.raises(DataError, match="only once"):
        Source("-").load()


@pytest.mark.parametrize(
    "wrong", [{"orders": 0}, {"folds": 1}, {"repeats": 0}, {"delay": -1}, {"folds": 5, "delay": 1}]
)
def test_protocols_that_make_no_sense(wrong):
    with pytest.raises(ValueError, match=r"runs like these|belong to a stream"):
        Protocol(**wrong)


def test_records_are_kept_whole_or_not_at_all(tmp_path, source):
    store, run = RunStore(tmp_path / "runs"), one_run(source)
    assert store.read(run) is None
    wrong = np.arange(100) % 3 == 0
    store.write(run, Record("done", "", {"errors": [0.34], "n_answers": 100}, np.packbits(wrong)))
    found = store.read(run)
    assert found.figure("errors") == [0.34]
    np.testing.assert_array_equal(found.errors_of_rows(), wrong)
    assert [path.name for path in store.folder.iterdir()] == [f"{run.key}.npz"]
    content = store.path(run).read_bytes()
    for damaged in (b"", content[: len(content) // 2], b"not a record"):
        store.path(run).write_bytes(damaged)
        assert store.read(run) is None
    store.write(one_run(source, order=1), Record("failed", "by accident"))
    assert store.read(one_run(source, order=1)) is None
    with pytest.raises(ValueError, match="no figures"):
        Record("refused").figure("errors")


def test_a_run_is_the_loop_of_the_library(source):
    data = source.load()
    for algorithm in (OZA, OSBOOST):
        model = algorithm.build(0, data.rows.nominal)
        expected = prequential(model, data.rows, orders=3, seed=0, metrics=["auc"], delay=2)
        for order in range(3):
            run = one_run(source, algorithm, Protocol(3, 0, 2, ("auc",)), order=order)
            record = execute(run, data)
            assert record.status == "done", record.message
            assert record.figure("errors") == [expected.errors[order]]
            assert record.figure("metrics")["auc"] == expected.metrics["auc"]["cumulative"].finals[order]
            scored = record.errors_of_rows()[expected.left_out :]
            assert scored.mean() == pytest.approx(expected.errors[order])


def test_folds_are_those_of_the_library(source):
    data = source.load()
    expected = cross_validate(
        OZA.build(4, data.rows.nominal), data.rows, folds=3, repeats=2, orders=2, seed=4
    )
    protocol = Protocol(orders=2, seed=4, folds=3, repeats=2)
    for unit in protocol.units():
        record = execute(one_run(source, OZA, protocol, **unit), data)
        assert record.figure("errors") == expected.errors[unit["repeat"], unit["fold"]].tolist()
        assert record.figure("n_answers") == 80


def test_what_a_model_cannot_do_is_a_refusal(tmp_path):
    source = Source(str(write_rows(tmp_path / "three.csv", k=3)))
    record = execute(one_run(source, OSBOOST), source.load())
    assert record.status == "refused"
    assert record.message.startswith("Only binary classification is supported.")


def test_warnings_are_kept(tmp_path):
    rng = np.random.default_rng(0)
    path = tmp_path / "large.csv"
    path.write_text("a,b\n" + "".join(f"{x:.1f},{x > 0:d}\n" for x in rng.normal(scale=99, size=60)))
    plain = Algorithm("oza-boost", "perceptron", SMALL)
    source = Source(str(path))
    assert "scale='none'" in execute(one_run(source, plain), source.load()).figure("warnings")[0]


def test_finished_runs_are_not_repeated(tmp_path, source):
    facts = source.load().facts
    runs = plan_runs([facts], [OZA, BAGGING], Protocol(orders=2))
    seen = []
    first = run_all(runs, tmp_path / "runs", jobs=2, callback=seen.append)
    assert first.n_found == 0
    assert [record.status for record in first.records] == ["done"] * 4
    assert sum(standing.record is not None for standing in seen) == 4
    assert {standing.worker for standing in seen} <= {0, 1}
    stamps = {path: path.stat().st_mtime_ns for path in (tmp_path / "runs").iterdir()}
    more = plan_runs([facts], [OZA, BAGGING], Protocol(orders=3))
    second = run_all(more, tmp_path / "runs", jobs=1)
    assert second.n_found == 4
    assert len(second.records) == 6
    assert {path: path.stat().st_mtime_ns for path in stamps} == stamps
    assert first.records[0].figures == second.records[0].figures


ACCIDENTS = """
import os, signal, sys
from streamboost.experiments import worker
plain = worker.execute
def execute(run, data, report=None):
    if run.algorithm.model == "bagging":
        print("a cry for help", file=sys.stderr, flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
    if run.algorithm.model == "osboost":
        raise RuntimeError("out of luck")
    print("idle talk")
    return plain(run, data, report)
worker.execute = execute
worker.serve(sys.argv[1])
"""


def test_one_accident_costs_one_run(tmp_path, source, monkeypatch):
    monkeypatch.setattr(
        runner, "worker_command", lambda folder: [sys.executable, "-c", ACCIDENTS, os.fspath(folder)]
    )
    facts = source.load().facts
    lost = replace(facts, fingerprint="of other rows")
    runs = plan_runs([facts], [BAGGING, OZA, OSBOOST], Protocol(orders=2)) + plan_runs(
        [lost], [OZA], Protocol(orders=1)
    )
    outcome = run_all(runs, tmp_path / "runs", jobs=1)
    assert [record.status for record in outcome.records] == ["failed", "done", "failed"] * 2 + ["failed"]
    assert outcome.records[0].message == "the process was ended by signal 9: a cry for help"
    assert outcome.records[2].message == "RuntimeError: out of luck"
    assert outcome.records[-1].message.endswith("the data have changed since the start.")
    assert len(list((tmp_path / "runs").iterdir())) == 2


def test_an_error_of_the_caller_stops_all(tmp_path, source):
    def stop(standing):
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        run_all(plan_runs([source.load().facts], [OZA], Protocol(orders=2)), tmp_path, callback=stop)
    with pytest.raises(ValueError, match="jobs"):
        run_all([], tmp_path, jobs=0)


VICTIM = """
import os, sys
from streamboost.experiments import runner
runner.worker_command = lambda folder: [sys.executable, "-c", os.environ["WORKER"], os.fspath(folder)]
from streamboost.cli import main
main()
"""
SLOW = """
import os, pathlib, sys, time
from streamboost.experiments import worker
plain, runs = worker.execute, []
def execute(run, data, report):
    runs.append(run)
    if len(runs) == 4:
        pathlib.Path(sys.argv[1], "../worker").write_text(str(os.getpid()))
    while len(runs) == 4:  # in the middle of the fourth run, until somebody ends that
        time.sleep(0.05)
        report(0.5, 0.5)
    return plain(run, data, report)
worker.execute = execute
worker.serve(sys.argv[1])
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_killed_comparison_goes_on_where_it_stopped(tmp_path, how, cli):
    data = write_rows(tmp_path / "long.csv", n=200)
    out, whole = tmp_path / "out", tmp_path / "whole"
    command = ["compare", str(data), "--models", "oza-boost,bagging", "--learners", "hoeffding-tree"]
    command += ["--orders", "4", "-n", "5", "--jobs", "1", "--no-baselines", "--out"]
    victim = subprocess.Popen(
        [sys.executable, "-c", VICTIM, *command, str(out)],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "WORKER": SLOW},
    )
    worker = out / "worker"
    until(lambda: (worker.exists() and worker.read_text()) or victim.poll() is not None)
    victim.send_signal(how)
    _, complaint = victim.communicate()
    assert victim.returncode == {signal.SIGKILL: -signal.SIGKILL, signal.SIGINT: 130}[how], complaint
    if how == signal.SIGINT:
        assert "runs are kept, and the same command goes on" in complaint
    until(lambda: not alive(int(worker.read_text())), "the end of the worker")
    kept = {path.name: (path.stat().st_mtime_ns, path.read_bytes()) for path in out.glob("runs/*.npz")}
    assert len(kept) == 3
    assert "3 of 8 runs were there already." in cli(*command, str(out))
    after = {path.name: (path.stat().st_mtime_ns, path.read_bytes()) for path in out.glob("runs/*.npz")}
    assert len(after) == 8
    assert {name: after[name] for name in kept} == kept
    assert not [path for path in (out / "runs").iterdir() if path.suffix != ".npz"]
    if how == signal.SIGINT:
        return
    cli(*command, str(whole))
    strip = lambda folder: [line.split(",")[:7] for line in (folder / "runs.csv").read_text().splitlines()]  # noqa: E731
    assert strip(out) == strip(whole)
    assert json.loads(bytes(np.load(out / "runs" / sorted(after)[0])["about"]))["format"] == 1


def test_the_rows_of_a_second_file_follow_with_the_codes_of_the_first(tmp_path):
    first, second = tmp_path / "train.csv", tmp_path / "test.csv"
    first.write_text("size,shape,label\n1,round,yes\n2,flat,no\n")
    second.write_text("size,shape,label\n3,flat,no\n4,round,yes\n5,tall,no\n")
    both = Source(str(first), more=str(second)).load()
    assert both.rows.X.tolist() == [[1, 0], [2, 1], [3, 1], [4, 0], [5, 2]]
    assert both.rows.y.tolist() == ["yes", "no", "no", "yes", "no"]
    assert both.rows.nominal.tolist() == [False, True]
    assert Source(str(first)).load().fingerprint != both.fingerprint


def test_a_given_test_set_is_the_last_rows(source):
    run = one_run(source, protocol=Protocol(orders=2, test_rows=20), repeat=0, fold=0)
    assert [run.unit] == run.protocol.units()
    data = source.load()
    record = execute(run, data)
    model = run.algorithm.build(0, data.rows.nominal)
    X, y = data.rows.X, data.rows.y
    for order in range(2):
        at = training_order(0, 0, 0, order, 100)
        error = np.mean(model.fit(X[at], y[at]).predict(X[100:]) != y[100:])
        assert record.figure("errors")[order] == error
    assert record.figure("n_answers") == 40
    with pytest.raises(ValueError, match="held out once"):
        Protocol(test_rows=20, folds=5)

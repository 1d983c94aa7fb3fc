"""Commands at a pipe: rows learned and answered as they come, saved now and then, stopped at any row."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

import streamboost
from streamboost.cli.live import Every
from streamboost.streams import open_stream
from tests.waiting import PATIENCE

needs_signals = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")


def rows(n, seed=0):
    draw = random.Random(seed)
    for number in range(n):
        x, kind = draw.gauss(0, 1), draw.choice("abcde"[: 2 + 3 * number // n])
        yield {"x": x, "kind": kind, "label": "p" if x + (kind == "a") > 0 else "q"}


def lines(n, seed=0):
    return [json.dumps(row) + "\n" for row in rows(n, seed)]


@pytest.fixture
def model(run, tmp_path):
    history = tmp_path / "history.jsonl"
    history.write_text("".join(lines(300)))
    run("run", history, "--model", "osboost", "-n", "5", "--save", tmp_path / "m.sboost")
    return tmp_path / "m.sboost"


class Command:
    """The command line in a process of its own."""

    def __init__(self, process):
        self.process = process

    def write(self, text):
        self.process.stdin.write(text)
        self.process.stdin.flush()

    def said(self, text):
        """Wait for a line on standard error."""
        while line := self.process.stderr.readline():
            if text in line:
                return line
        raise AssertionError(f"{text} was never said")

    def stop(self, number):
        self.process.send_signal(number)
        out, err = self.process.communicate(timeout=PATIENCE)
        assert "Traceback" not in err
        return self.process.returncode, out, err


@pytest.fixture
def start():
    """Start commands that end with the test."""
    with ExitStack() as stack:

        def start(*args):
            command = [sys.executable, "-m", "streamboost.cli", *map(str, args)]
            pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
            process = stack.enter_context(subprocess.Popen(command, text=True, **pipes))
            stack.callback(process.kill)
            return Command(process)

        yield start


@needs_signals
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_a_live_model_is_saved_when_it_is_told_to_stop(run, start, model, tmp_path, number, code):
    fresh = lines(40, seed=1)
    live = tmp_path / "live.sboost"
    command = start("learn", model, "-", "--format", "jsonl", "--save", live, "--checkpoint-every", "10")
    command.write("".join(fresh[:15]))
    assert "saved after 15 rows" in command.said("saved")
    assert streamboost.load(live).n_learned_ == 315, "a checkpoint can be loaded while the command runs"
    command.write("".join(fresh[15:18]))
    command.write(fresh[18][:10])  # half a line: not a row
    returned, out, _ = command.stop(number)
    assert returned == code
    assert "stopped after" in out
    loaded = streamboost.load(live)
    n_rows = loaded.metadata_["unfinished"]["rows"]
    assert n_rows in (15, 18), "all rows that had come, or those of before if the signal was faster"
    part = tmp_path / "part.jsonl"
    part.write_text("".join(fresh[:n_rows]))
    run("learn", model, part, "--save", tmp_path / "part.sboost")
    assert loaded.to_bytes(metadata={"label": "label"}) == (tmp_path / "part.sboost").read_bytes()


@needs_signals
def test_checkpoints_by_time_do_not_wait_for_rows(start, model, tmp_path):
    live = tmp_path / "live.sboost"
    command = start("learn", model, "-", "--format", "jsonl", "--save", live, "--checkpoint-every", "0.2s")
    command.write("".join(lines(7, seed=1)))
    assert "saved after 7 rows" in command.said("saved")
    assert streamboost.load(live).n_learned_ == 307
    command.process.stdin.close()
    command.process.wait(PATIENCE)
    assert streamboost.load(live).metadata_ == {"label": "label"}


def test_half_a_line_at_the_end_of_a_pipe_costs_nothing_else(start, tmp_path):
    """Whoever wrote it has gone: what was whole is learned and saved, and the rest is named."""
    live, whole = tmp_path / "live.sboost", tmp_path / "whole.jsonl"
    fresh = lines(40)
    whole.write_text("".join(fresh[:30]))
    options = ("--format", "jsonl", "--model", "osboost", "-n", "3", "--save")
    command = start("run", "-", *options, live)
    out, err = command.process.communicate("".join(fresh[:30]) + fresh[30][:10], timeout=PATIENCE)
    assert command.process.returncode == 0, err
    assert "ends in the middle of a line" in out + err
    alone = start("run", whole, *options, tmp_path / "whole.sboost")
    alone.process.communicate(timeout=PATIENCE)
    assert streamboost.load(live).n_learned_ == 30
    assert live.read_bytes() == (tmp_path / "whole.sboost").read_bytes()


def wait_for_handler(process):
    """Until the handler is there a signal ends the process as it always did."""
    status = Path(f"/proc/{process}/status")
    for _ in range(1200):
        caught = int(status.read_text().split("SigCgt:")[1].split()[0], 16)
        if caught >> (signal.SIGTERM - 1) & 1:
            return
        time.sleep(0.1)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc")
def test_told_to_stop_before_the_first_row(start, model):
    before = model.read_bytes()
    command = start("learn", model, "-", "--format", "jsonl")
    command.write("\n")
    wait_for_handler(command.process.pid)
    code, _, err = command.stop(signal.SIGTERM)
    assert code == 0
    assert "nothing was learned" in err
    assert model.read_bytes() == before


def test_every_row_of_a_pipe_is_answered_at_once(start, model):
    command = start("predict", model, "-", "--proba")
    answers = []
    for row in rows(5, seed=2):
        command.write(json.dumps(row) + "\n")
        if not answers:
            assert command.process.stdout.readline() == "prediction,proba_p,proba_q\n"
        answers.append(command.process.stdout.readline().split(",")[0])
    command.process.stdin.close()
    assert command.process.wait(PATIENCE) == 0
    loaded = streamboost.load(model)
    assert answers == [
        loaded.predict_one({name: row[name] for name in ("x", "kind")}) for row in rows(5, seed=2)
    ]


@needs_signals
def test_a_stopped_run_goes_on_as_if_nothing_had_happened(run, start, tmp_path):
    data = tmp_path / "data.jsonl"
    all_lines = lines(6_000)
    data.write_text("".join(all_lines))
    options = ["--model", "oza-boost", "--learner", "hoeffding-tree", "-n", "5", "--seed", "4"]
    whole = run("run", data, *options, "--save", tmp_path / "whole.sboost", "--json", "-")
    figures = json.loads(whole.stdout)
    part = tmp_path / "part.sboost"
    data.unlink()
    os.mkfifo(data)  # the end of the data does not come before the signal
    command = start("run", data, *options, "--save", part, "--checkpoint-every", "1000")
    with data.open("w") as pipe:
        pipe.write("".join(all_lines[:3_000]))
        pipe.flush()
        command.said("saved after")
        code, out, err = command.stop(signal.SIGINT)
    data.unlink()
    data.write_text("".join(all_lines))
    assert code == 130
    assert "stopped after" in out, err
    assert "error" in out
    stopped = streamboost.load(part)
    n_rows = stopped.metadata_["unfinished"]["rows"]
    assert 1000 <= n_rows == stopped.n_learned_ <= 3_000
    result = run("run", data, *options, "--save", part, "--resume")
    assert part.read_bytes() == (tmp_path / "whole.sboost").read_bytes()
    assert f"with the {n_rows:,} rows before: 6,000 rows, error {figures['error']:.4f}" in result.stdout


def test_resume_is_only_for_stopped_runs(run, fails, tmp_path):
    data = tmp_path / "data.jsonl"
    data.write_text("".join(lines(50)))
    file = tmp_path / "m.sboost"
    options = ["run", data, "--model", "osboost", "-n", "3", "--resume"]
    assert "--resume needs --save" in fails(*options)
    run(*options, "--save", file)  # nothing to go on with: it begins
    assert "is no model of a stopped command" in fails(*options, "--save", file)
    model = streamboost.load(file)
    place = {"data": str(data), "rows": 50, "errors": 1}
    model.save(file, metadata={"unfinished": place, "mine": 1})
    assert "was begun with n_estimators=3, not n_estimators=4" in fails(*options, "-n", "4", "--save", file)
    assert "was begun with --model osboost, not --model bagging" in fails(
        *options, "--model", "bagging", "--save", file
    )
    assert "cannot go on with --delay 2" in fails(*options, "--delay", "2", "--save", file)
    other = tmp_path / "other.jsonl"
    other.write_text(data.read_text())
    assert "when it was stopped, not" in fails("learn", file, other, "--resume")
    model.save(file, metadata={"unfinished": {**place, "rows": 60}})
    assert "ends 10 rows before the place" in fails("learn", file, data, "--resume")


def test_learn_keeps_the_facts_of_the_user(run, model, tmp_path):
    loaded = streamboost.load(model)
    loaded.save(model, metadata={"topic": "payments", "unfinished": {"data": "x", "rows": 1, "errors": 0}})
    data = tmp_path / "more.jsonl"
    data.write_text("".join(lines(20, seed=5)))
    run("learn", model, data)
    assert streamboost.load(model).metadata_ == {"topic": "payments"}
    result = run("show", model)
    assert '{"topic": "payments"}' in result.stdout
    assert "320" in result.stdout
    found = json.loads(run("show", model, "--json").stdout)
    assert found["rows_learned"] == 320
    assert found["columns"] == {"x": "number", "kind": "4 values"}
    assert found["classes"] == ["p", "q"]


@pytest.mark.parametrize(
    ("text", "every"),
    [("10000", Every(rows=10_000)), ("10s", Every(seconds=10)), ("1.5m", Every(seconds=90)), (None, Every())],
)
def test_how_often(text, every):
    assert Every.read(text) == every


@pytest.mark.parametrize("text", ["0", "0s", "-1", "1.5", "ten", "10x", ""])
def test_how_often_not(fails, tmp_path, text):
    (tmp_path / "d.jsonl").write_text("".join(lines(20)))
    said = fails("run", tmp_path / "d.jsonl", "--save", tmp_path / "m", "--checkpoint-every", text)
    assert f"--checkpoint-every {text}: expected a number of rows" in said


def test_checkpoints_need_a_file(fails, tmp_path):
    (tmp_path / "d.jsonl").write_text("".join(lines(20)))
    assert "--checkpoint-every needs --save" in fails("run", tmp_path / "d.jsonl", "--checkpoint-every", "5")


def test_an_unfinished_line_is_no_row_of_a_stopped_stream(tmp_path):
    path = tmp_path / "d.jsonl"
    path.write_text("".join(lines(3))[:-1])
    assert sum(len(chunk) for chunk in open_stream(path).chunks()) == 3, "a file may end without a line break"

"""The client, the commands, and a whole service as a process."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from typer.testing import CliRunner

from streamboost.cli import app
from streamboost.client import Client, ServiceError
from streamboost.service.store import LearningStore, Settings
from tests.service.test_http import DESCRIPTION, Running
from tests.waiting import PATIENCE


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Running]:
    found = Running(tmp_path / "service", keep_log=True)
    yield found
    found.close()


@pytest.fixture
def client(running: Running) -> Iterator[Client]:
    with Client(str(running.http.base_url)) as found:
        found.create("m", **DESCRIPTION)
        yield found


def test_everything_the_client_can_do(client: Client) -> None:
    seq = client.learn("m", {"x": 1.0}, "yes")["seq"]
    assert client.predict("m", {"x": 1.0}, id="a", at_least_seq=seq)["label"] == "yes"
    assert client.label("m", "a", "no", weight=2.0)["state"] == "learned"
    rows = [{"features": {"x": float(i)}, "label": "yes" if i % 2 else "no"} for i in range(4500)]
    answers = list(client.learn_many("m", rows))
    assert len(answers) == 4500
    assert not [answer for answer in answers if "error" in answer]
    assert not any(answer["duplicate"] for answer in answers)
    assert len(list(client.predict_many("m", ({"features": row["features"]} for row in rows[:10])))) == 10
    assert [a["state"] for a in client.label_many("m", [{"id": "q", "label": "no"}])] == ["early"]
    assert client.scores("m")["n"] == 4502
    assert client.events("m", "early")[0]["id"] == "q"
    kept = client.snapshot("m")["seq"]
    assert client.snapshots("m")["newest"] >= kept
    file = client.download("m")
    client.rollback("m", seq)
    assert client.model("m")["champion"]["learned"] == 1
    client.upload("m", file)
    assert client.download("m") == file
    assert client.report("m")["n_learned"] == 4502
    client.add_shadow("m", "s", model="bagging")
    client.promote("m", "s")
    assert [model["name"] for model in client.models()] == ["m"]
    with pytest.raises(ServiceError, match="no model 'none'") as caught:
        client.scores("none")
    assert (caught.value.status, caught.value.code) == (404, "not_found")
    client.delete("m")
    assert client.models() == []


def test_the_lines_of_the_page_about_production_run(running: Running, client: Client) -> None:
    page = Path(__file__).resolve().parents[2] / "docs" / "production.md"
    (block,) = re.findall(r"^```python\n(.*?)^```", page.read_text(), re.S | re.M)
    client.create("loans", **DESCRIPTION)
    client.learn("loans", {"income": 1.0, "job": "cook"}, "paid")
    rows = [{"features": {"income": 2.0, "job": "clerk"}, "label": "late"}]
    code = block.replace("http://127.0.0.1:8000", str(running.http.base_url).rstrip("/"))
    exec(compile(code, page.name, "exec"), {"token": None, "rows": rows})
    assert client.scores("loans")["n"] == 3


def test_the_shell_lines_of_the_page_about_production_run(running: Running, tmp_path: Path) -> None:
    """With curl, jq and sqlite3 where there are such; the model of the second block is another one."""
    page = Path(__file__).resolve().parents[2] / "docs" / "production.md"
    blocks = re.findall(r"^```bash\n(.*?)^```", page.read_text(), re.S | re.M)
    (with_client,) = [block for block in blocks if "client create" in block]
    (with_curl,) = [block for block in blocks if "curl" in block]
    (copies,) = [block for block in blocks if "sqlite3" in block]
    row = {"features": {"income": 3.2}, "label": "paid"}
    (tmp_path / "examples.jsonl").write_text(json.dumps(row) + "\n")
    (tmp_path / "array.json").write_text(json.dumps([row, row]))
    (tmp_path / "BACKUP").mkdir()
    script = with_client
    if shutil.which("curl") and shutil.which("jq"):
        script += with_curl.replace("curl ", "curl -sS --fail-with-body ").replace("loans", "curled")
    if shutil.which("sqlite3"):
        script += copies.replace("DIR", "service")
    url = str(running.http.base_url).rstrip("/")
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script.replace("http://127.0.0.1:8000", url)],
        cwd=tmp_path,
        env={**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    learned = {
        model["name"]: model["champion"]["learned"]
        for model in running.http.get("/v1/models").json()["models"]
    }
    assert learned.pop("curled", 4) == 4
    assert learned == {"loans": 1}


def test_a_lost_answer_is_asked_for_again_and_learned_once(running: Running, client: Client) -> None:
    """The request arrives, the answer does not."""
    real = httpx.HTTPTransport()
    lost = []

    class Leaky(httpx.BaseTransport):
        def handle_request(self, request: httpx.Request) -> httpx.Response:
            response = real.handle_request(request)
            if request.url.path.endswith("/learn") and len(lost) < 2:
                response.read()
                lost.append(request)
                raise httpx.ReadError("gone")
            return response

        def close(self) -> None:
            real.close()

    with Client(str(running.http.base_url), transport=Leaky()) as leaky:
        answer = leaky.learn("m", {"x": 1.0}, "yes")
    assert answer["duplicate"] is True
    assert len(lost) == 2
    assert client.scores("m")["n"] == 1


def run(*words: str, input: str | None = None) -> Any:
    return CliRunner().invoke(app, list(words), input=input, catch_exceptions=True)


def test_client_commands(running: Running, tmp_path: Path) -> None:
    url = str(running.http.base_url)
    assert run("client", "create", url, "m", json.dumps(DESCRIPTION)).exit_code == 0
    lines = "\n".join(json.dumps({"id": f"i{i}", "features": {"x": i}, "label": "yes"}) for i in range(3))
    # The answer's, and its own.
    assert run("client", "learn", url, "m", input=lines).stdout.count('"seq"') == 6
    running.store.reader("m", running.store.stream("m").champion.seq, timeout=PATIENCE)
    file = tmp_path / "rows.jsonl"
    file.write_text('{"features": {"x": 1}, "id": "e"}\n')
    assert json.loads(run("client", "predict", url, "m", str(file)).stdout)["label"] == "yes"
    assert (
        json.loads(run("client", "label", url, "m", input='{"id": "e", "label": "no"}').stdout)["state"]
        == "learned"
    )
    assert json.loads(run("client", "scores", url, "m").stdout)["n"] == 4
    assert not run("client", "queries", url, "m").stdout  # nothing waits
    events = "\n".join(json.dumps({"id": id, "features": {"x": 1}}) for id in "fg")
    run("client", "predict", url, "m", input=events)
    wanted = run("client", "queries", url, "m").stdout.splitlines()
    assert [json.loads(line)["id"] for line in wanted] == ["g", "f"]
    assert len(run("client", "queries", url, "m", "--limit", "1").stdout.splitlines()) == 1
    bad = run("client", "learn", url, "m", input='{"features": {"x": "text"}, "label": "yes"}')
    assert (bad.exit_code, "refused" in bad.stdout) == (1, True)
    assert "no JSON" in str(run("client", "learn", url, "m", input="{").output)
    assert "no model" in str(run("client", "scores", url, "none").output)
    assert "does not answer" in str(run("client", "scores", "http://127.0.0.1:9", "m").output)


def test_a_slip_in_a_description_is_answered_with_what_was_meant(client: Client) -> None:
    for wrong, meant in (
        ({"model": "osbost"}, "Did you mean 'osboost'?"),
        ({"learner": "naivebayes"}, "Did you mean 'naive-bayes'?"),
        ({"params": {"gama": 0.1}}, "Did you mean 'gamma'?"),
    ):
        with pytest.raises(ServiceError, match=re.escape(meant)):
            client.create("other", **{**DESCRIPTION, **wrong})


def test_a_command_without_a_token_is_told_where_to_give_it(tmp_path: Path) -> None:
    closed = Running(tmp_path / "closed", open_to_all=False)
    try:
        done = run("client", "models", str(closed.http.base_url))
        assert "Set STREAMBOOST_TOKEN, or use --token." in done.stderr
    finally:
        closed.close()


def test_tokens_from_the_command_line(tmp_path: Path) -> None:
    LearningStore(tmp_path / "s").close()
    folder = str(tmp_path / "s")
    made = run(
        "token", "create", folder, "--scope", "predict,label", "--name", "shop", "--model", "m", "--days", "1"
    )
    assert made.stdout.startswith("sb_")
    listed = json.loads(run("token", "list", folder).stdout)
    assert (listed["name"], listed["scopes"], listed["model"]) == ("shop", ["label", "predict"], "m")
    assert run("token", "revoke", folder, listed["token"]).exit_code == 0
    assert json.loads(run("token", "list", folder).stdout)["revoked"] is not None
    assert "could be revoked" in str(run("token", "revoke", folder, "nobody").output)
    assert "no scope" in str(run("token", "create", folder, "--scope", "all").output)
    assert "holds no learning service" in str(run("token", "list", str(tmp_path)).output)


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="a folder that nobody can write to")
def test_tokens_where_nothing_can_be_written(tmp_path: Path) -> None:
    LearningStore(tmp_path / "s").close()
    words = ["token", "create", "--scope", "predict"]
    refused = run(*words, "/proc/self")
    assert (refused.exit_code, "cannot be written" in refused.output) == (2, True)
    # A disk that is mounted read-only, where this process may have one.
    script = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && echo mounted && exec "$@"'
    command = [sys.executable, "-c", "from streamboost.cli import main; main()", *words, str(tmp_path / "s")]
    try:
        done = subprocess.run(
            ["unshare", "-m", "sh", "-c", script, str(tmp_path / "s"), *command],
            capture_output=True,
            text=True,
            check=False,
        )
    except FileNotFoundError:
        return
    if "mounted" in done.stdout:
        assert done.stderr.startswith("streamboost: error: ")
        assert (done.returncode, "cannot be written" in done.stderr) == (2, True)


def test_the_log_from_the_command_line(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    with LearningStore(folder, Settings(keep_log=True)) as store:
        store.create("m", **DESCRIPTION)
        for i in range(40):
            label = "yes" if i % 5 > 2 else "no"
            store.learn("m", {"x": float(i % 5), "c": "uvw"[i % 3]}, label, id=f"i{i}")
            if i in (10, 25):
                store.snapshot("m")
        error = store.scores("m")["cumulative"]["error"]
    shown = run("log", str(folder), "--model", "m", "--limit", "2").stdout.splitlines()
    assert [json.loads(line)["id"] for line in shown] == ["i38", "i39"]
    good = run("log", str(folder), "--verify")
    assert good.exit_code == 0, good.stdout
    assert good.stdout.count("equals the replay") == 2
    for name in ("m.jsonl", "m.parquet"):
        out = tmp_path / name
        assert "40 examples" in run("log", str(folder), "--model", "m", "--export", str(out)).stdout
        args = [
            "--model",
            "osboost",
            "--learner",
            "naive-bayes",
            "-n",
            "3",
            "--label",
            "label",
            "--weight",
            "weight",
        ]
        again = run("run", str(out), *args, "--seed", "0")
        assert again.exit_code == 0, again.exception
        assert f"{error:.4f}" in again.stdout or f"{100 * error:.2f}" in again.stdout, again.stdout
    assert "is as it was after 5" in run("rollback", str(folder), "m", "5").stdout
    assert "Nothing before" in str(run("rollback", str(folder), "m", "0").output)
    assert "no learning service" in str(run("rollback", str(tmp_path / "none"), "m", "1").output)
    snapshot = max((folder / "snapshots").iterdir(), key=lambda p: int(p.stem.split("-")[1]))
    snapshot.write_bytes(snapshot.read_bytes()[:-1])
    assert run("log", str(folder), "--verify").exit_code == 1


def test_a_whole_life(tmp_path: Path) -> None:
    """First start with a token and a model file, SIGTERM, exit 0, second start."""
    with LearningStore(tmp_path / "first") as store:
        store.create("m", **DESCRIPTION)
        store.learn("m", {"x": 1.0}, "yes")
        (tmp_path / "loans.sboost").write_bytes(store.file("m"))
    folder = tmp_path / "service"
    command = [sys.executable, "-m", "streamboost.cli", "serve", str(folder), "--port", "0", "--json"]
    command += ["--model", str(tmp_path / "loans.sboost"), "--grace", "3600"]  # idle connections get none
    seen = []
    for _ in range(2):
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ
        )
        assert process.stdout is not None
        assert process.stderr is not None
        greeting = json.loads(process.stdout.readline())
        seen.append(greeting["admin_token"])
        with Client(greeting["url"], seen[0]) as client:
            client.learn("loans", {"x": 2.0}, "no", id="once")
            assert client.scores("loans")["n"] == 1
            process.send_signal(signal.SIGTERM)
            assert process.wait(PATIENCE) == 0
        lines = process.stderr.read().splitlines()
        assert all(isinstance(json.loads(line), dict) for line in lines)
        process.stdout.close()
        process.stderr.close()
    assert seen[0].startswith("sb_")
    assert seen[1] is None


def test_the_demonstration(running: Running) -> None:
    from streamboost.service import demo

    with Client(str(running.http.base_url)) as client:
        demo.prepare(client)
        demo.prepare(client)
        sent = 0
        while sent <= 5:  # a busy machine sends one or two a second
            sent += demo.drive(client, 100.0, seconds=1.0)
        found = client.model("loans")
        assert [shadow["name"] for shadow in found["shadows"]] == ["streamboost", "bagged-trees"]
        assert found["counts"]["event"] > 5

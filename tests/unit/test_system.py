"""Levels of the processor and what differs between operating systems, as one process sees it."""

import io
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from streamboost import _core
from streamboost.base import system
from streamboost.base.files.writing import write_file
from streamboost.cli import app, doctor

LEARN = """
import hashlib, sys
import numpy as np
import streamboost
from streamboost import _core
X = np.random.default_rng(0).normal(size=(400, 7))
y = (X[:, 0] * X[:, 1] + X[:, 2] > 0).astype(int)
digest = hashlib.sha256()
for model in (
    streamboost.StreamBoostClassifier(random_state=1),
    streamboost.OnlineBoostingClassifier(streamboost.NaiveBayes(), n_estimators=20, random_state=1),
    streamboost.OSBoostClassifier(streamboost.LogisticRegression(), n_estimators=20, random_state=1),
    streamboost.OnlineBaggingClassifier(streamboost.HoeffdingTree(), n_estimators=10, random_state=1),
):
    digest.update(model.fit(X, y).predict_proba(X).tobytes())
print(_core.level, digest.hexdigest())
"""


def at_level(level: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "STREAMBOOST_LEVEL": level}
    return subprocess.run(
        [sys.executable, "-c", LEARN], env=environment, capture_output=True, text=True, check=False
    )


def test_models_are_the_same_at_every_level() -> None:
    found = dict(at_level(level).stdout.split() for level in _core.levels)
    assert list(found) == _core.levels
    assert len(set(found.values())) == 1


def test_a_level_that_is_not_there_is_refused() -> None:
    done = at_level("v9")
    assert done.returncode != 0
    assert "STREAMBOOST_LEVEL is 'v9'; this processor can run " + " ".join(_core.levels) in done.stderr


def test_the_doctor_tells_level_and_extras() -> None:
    done = CliRunner().invoke(app, ["doctor"])
    assert done.exit_code == 0
    assert f"{_core.level}; this processor can run" in done.stdout
    for line in ("compiled by", "cores", "memory", "serve", "River's interface"):
        assert line in done.stdout


def test_the_doctor_says_what_is_missing_and_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    there = {"httpx": None, "uvicorn": None, "ray": None, "fsspec": None, "msgspec": "0.1"}
    version = doctor._version
    monkeypatch.setattr(doctor, "_version", lambda name: there[name] if name in there else version(name))
    shown = CliRunner().invoke(app, ["doctor"]).stdout
    assert 'not installed: pip install "streamboost[client]"' in shown
    assert 'not installed: pip install "streamboost[ray]"' in shown
    serve = shown[shown.index("serve") : shown.index("\nclient")]
    assert "msgspec 0.1" in serve
    assert '; without uvicorn: pip install "streamboost[serve]"' in " ".join(serve.split())


def test_cores_and_memory() -> None:
    assert 1 <= system.usable_cores() <= (os.cpu_count() or 1)
    assert system.memory() > 2**20


def test_a_locked_file_is_refused_until_it_is_closed(tmp_path: Path) -> None:
    held = system.open_locked(tmp_path / "lock")
    with pytest.raises(OSError):
        system.open_locked(tmp_path / "lock")
    os.close(held)
    os.close(system.open_locked(tmp_path / "lock"))


def test_what_is_synced_reaches_the_disk_on_macos_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fcntl = pytest.importorskip("fcntl")
    asked, synced = [], []
    monkeypatch.setattr(fcntl, "F_FULLFSYNC", 51, raising=False)
    monkeypatch.setattr(fcntl, "fcntl", lambda file, verb: asked.append(verb))
    monkeypatch.setattr(os, "fsync", synced.append)
    write_file(tmp_path / "model", b"new")
    assert (asked, synced) == ([51, 51], [])  # the file, its folder

    def cannot(file: int, verb: int) -> None:
        raise OSError(45, "no such thing on this file system")

    monkeypatch.setattr(fcntl, "fcntl", cannot)
    write_file(tmp_path / "model", b"newer")
    assert len(synced) == 2


def test_processes_and_folders(tmp_path: Path) -> None:
    assert system.is_running(os.getpid())
    child = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, text=True, check=True
    )
    assert not system.is_running(int(child.stdout))
    system.sync_folder(tmp_path)
    system.sync_folder(tmp_path / "nowhere")


class Reader:
    """Somebody who has a file open on Windows, and lets go of it after a few looks."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, verb: str, looks: int) -> None:
        self.left, self._do = looks, getattr(os, verb)
        monkeypatch.setattr(system, "_WINDOWS", True)
        monkeypatch.setattr(os, verb, self)

    def __call__(self, *paths: Path) -> None:
        self.left -= 1
        if self.left >= 0:
            raise PermissionError(13, "in use")
        self._do(*paths)


def test_a_file_that_is_read_on_windows_is_replaced_when_its_reader_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "model"
    write_file(path, b"old")
    reader = Reader(monkeypatch, "replace", 3)
    write_file(path, b"new")
    assert reader.left < 0
    assert path.read_bytes() == b"new"
    monkeypatch.setattr(system, "_PATIENCE", 0.02)
    reader.left = 10**6
    with pytest.raises(PermissionError):
        write_file(path, b"newer")
    assert path.read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["model"]
    monkeypatch.setattr(
        system, "_WINDOWS", False
    )  # elsewhere it is a folder that one may not write to: nothing to wait for
    reader.left = 1
    with pytest.raises(PermissionError):
        write_file(path, b"newer")


def test_a_file_that_is_read_on_windows_is_left_to_the_next_who_removes_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "old"
    path.touch()
    Reader(monkeypatch, "unlink", 1)
    system.remove_file(path)
    assert path.exists()
    system.remove_file(path)
    assert not path.exists()
    system.remove_file(path)
    path.touch()
    monkeypatch.setattr(system, "_WINDOWS", False)
    Reader(monkeypatch, "unlink", 1)
    monkeypatch.setattr(system, "_WINDOWS", False)
    with pytest.raises(PermissionError):
        system.remove_file(path)


def test_nobody_shares_a_port(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as one, socket.socket() as other:
        system.bind_alone(one, ("127.0.0.1", 0))
        one.listen()
        with pytest.raises(OSError):
            system.bind_alone(other, one.getsockname())

    class Asked:
        def setsockopt(self, *words: int) -> None:
            self.option = words

        def bind(self, address: tuple[str, int]) -> None:
            self.address = address

    monkeypatch.setattr(system, "_WINDOWS", True)
    monkeypatch.setattr(socket, "SO_EXCLUSIVEADDRUSE", -5, raising=False)
    asked = Asked()
    system.bind_alone(asked, ("127.0.0.1", 8000))  # type: ignore[arg-type]
    assert asked.option == (socket.SOL_SOCKET, -5, 1)
    assert asked.address == ("127.0.0.1", 8000)


class Terminal(io.TextIOWrapper):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("kind", "wish", "written"),
    [
        (io.TextIOWrapper, None, "é ≠ 日\n".encode()),
        (io.TextIOWrapper, "cp1252", b"\xe9 \\u2260 \\u65e5" + os.linesep.encode()),
        (Terminal, None, b"\xe9 \\u2260 \\u65e5" + os.linesep.encode()),
    ],
)
def test_text_in_pipes_is_utf8_whatever_the_system_would_take(
    kind: type[io.TextIOWrapper], wish: str | None, written: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PYTHONIOENCODING", raising=False)
    if wish:
        monkeypatch.setenv("PYTHONIOENCODING", wish)
    out = io.BytesIO()
    monkeypatch.setattr(sys, "stdin", kind(io.BytesIO("日".encode()), encoding="cp1252"))
    monkeypatch.setattr(sys, "stdout", kind(out, encoding="cp1252", newline="\r\n"))
    monkeypatch.setattr(sys, "stderr", None)
    system.speak_utf8()
    print("é ≠ 日", flush=True)
    assert out.getvalue() == written
    assert sys.stdin.encoding == ("cp1252" if wish or kind is Terminal else "utf-8")
    for stream in (sys.stdin, sys.stdout):
        stream.detach()


def test_a_command_writes_utf8_where_the_system_speaks_ascii(tmp_path: Path) -> None:
    sheet = tmp_path / "towns.csv"
    sheet.write_text("größe,stadt\n" + "1,Köln\n2,東京\n" * 30, encoding="utf-8")
    ascii_only = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONIOENCODING"} | ascii_only

    def answer(*words: str) -> bytes:
        command = [sys.executable, "-m", "streamboost.cli", *words]
        done = subprocess.run(command, env=environment, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    model = str(tmp_path / "model")
    answer("run", str(sheet), "--label", "stadt", "--save", model, "--model", "bagging")
    written = answer("predict", model, str(sheet))
    assert set(written.split(b"\n")[1:-1]) <= {"Köln".encode(), "東京".encode()}
    assert written.count(b"\n") == 61
    answer("predict", model, str(sheet), "--out", str(tmp_path / "answers.csv"))
    assert (tmp_path / "answers.csv").read_bytes() == written

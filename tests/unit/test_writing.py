"""Files are written whole or not at all, in their place, with their mode, and leave nothing behind."""

from __future__ import annotations

import os
import signal
import socket
import stat
import subprocess
import sys
import time

import numpy as np
import pytest

from streamboost import NaiveBayes, OSBoostClassifier, load
from streamboost.base.files.writing import replacing, sweep, write_file

posix = pytest.mark.skipif(os.name != "posix", reason="links, modes and signals as POSIX has them")


def names(folder):
    return sorted(os.listdir(folder))


@posix
def test_a_symbolic_link_stays_one_and_its_target_is_written(tmp_path):
    (tmp_path / "real").mkdir()
    target, link = tmp_path / "real" / "model", tmp_path / "link"
    target.write_bytes(b"old")
    link.symlink_to(target)
    write_file(link, b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    assert names(tmp_path) == ["link", "real"]


@posix
def test_a_link_to_a_file_that_is_not_there_yet_makes_it(tmp_path):
    link = tmp_path / "link"
    link.symlink_to("later")
    write_file(link, b"new")
    assert link.is_symlink()
    assert (tmp_path / "later").read_bytes() == b"new"


@posix
def test_a_link_to_itself_is_an_error(tmp_path):
    link = tmp_path / "link"
    link.symlink_to(link)
    with pytest.raises(OSError, match="link"):
        write_file(link, b"new")
    assert link.is_symlink()


@posix
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o666])
def test_the_mode_of_a_file_stays(tmp_path, mode):
    path = tmp_path / "model"
    path.write_bytes(b"old")
    path.chmod(mode)
    write_file(path, b"new")
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == mode


@posix
def test_devices_pipes_sockets_and_directories_are_refused(tmp_path):
    pipe, folder, plug = tmp_path / "pipe", tmp_path / "folder", tmp_path / "plug"
    os.mkfifo(pipe)
    folder.mkdir()
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(plug))
        for path, what in ((pipe, "a pipe"), (folder, "a directory"), (plug, "a socket")):
            with pytest.raises(OSError, match=f"is {what}"):
                write_file(path, b"new")
    with pytest.raises(OSError, match="is a device"):
        write_file("/dev/null", b"new")
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    assert names(tmp_path) == ["folder", "pipe", "plug"]


@pytest.mark.parametrize("name", ["m" * 255, "ü" * 127, "m" * 248 + ".sboost"])
def test_names_of_255_bytes(tmp_path, name):
    write_file(tmp_path / name, b"data")
    write_file(tmp_path / name, b"more")
    assert (tmp_path / name).read_bytes() == b"more"
    assert names(tmp_path) == [name]


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="no_such does not exist"):
        write_file(tmp_path / "no_such" / "model", b"data")


def test_whatever_stops_the_writer_the_old_file_stays(tmp_path):
    path = tmp_path / "model"
    path.write_bytes(b"old")

    def interrupted():
        with replacing(path) as file:
            file.write(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["model"]


@posix
def test_what_killed_writers_left_is_swept(tmp_path):
    code = (
        "import sys, time\nfrom streamboost.base.files.writing import replacing\n"
        "with replacing(sys.argv[1]) as file:\n    file.write(bytes(1000)); file.flush(); print('in', flush=True)\n"
        "    time.sleep(3600)"
    )
    writer = subprocess.Popen([sys.executable, "-c", code, str(tmp_path / "model")], stdout=subprocess.PIPE)
    assert writer.stdout is not None
    writer.stdout.readline()
    (temporary,) = names(tmp_path)
    write_file(tmp_path / "other", b"data")
    assert temporary in names(tmp_path)  # its writer is still at it
    writer.send_signal(signal.SIGKILL)
    writer.wait()
    writer.stdout.close()
    write_file(tmp_path / "other", b"data")
    assert names(tmp_path) == ["other"]


def test_files_of_other_machines_are_swept_when_they_are_old(tmp_path):
    young, old = (tmp_path / f".streamboost-00000000-1-{word}.tmp" for word in ("young", "old"))
    mine = tmp_path / ".streamboost-notes.tmp"  # nothing of ours: left alone for ever
    for path in (young, old, mine):
        path.write_bytes(b"half")
    yesterday = time.time() - 2 * 24 * 3600
    os.utime(old, (yesterday, yesterday))
    os.utime(mine, (yesterday, yesterday))
    assert sweep(tmp_path) == 1
    assert names(tmp_path) == sorted([young.name, mine.name])


@posix
def test_a_model_is_saved_through_a_link_with_its_mode(tmp_path):
    model = OSBoostClassifier(NaiveBayes(), n_estimators=3, random_state=1)
    rows = np.random.default_rng(0).normal(size=(20, 2))
    model.partial_fit(rows, (rows[:, 0] > 0).astype(int))
    target, link = tmp_path / ("m" * 255), tmp_path / "link"
    model.save(target)
    target.chmod(0o600)
    link.symlink_to(target)
    model.save(link)
    assert link.is_symlink()
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    np.testing.assert_array_equal(load(link).predict(rows), model.predict(rows))

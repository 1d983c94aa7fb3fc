"""Shards on Ray: a real cluster on loopback, actors and nodes that are killed. Skipped where Ray is not installed."""

import gc
import os
import signal
import socket
import warnings

import numpy as np
import pytest

from streamboost.distributed import Shards
from tests.catalogue import state_bytes
from tests.distributed.processes import LOOPBACK, alive, descendants, listening
from tests.distributed.streams import models, rows
from tests.distributed.test_keyed import learn_through_shards
from tests.waiting import until

ray = pytest.importorskip("ray")


@pytest.fixture(scope="module", autouse=True)
def cluster():
    """One cluster for all tests, as the engine starts it; every process of it must end."""
    from streamboost.distributed.engines.ray import connect

    before = descendants()
    assert connect(ray, None)
    yield
    started = descendants() - before
    with warnings.catch_warnings():  # Ray does not wait for what it ends
        warnings.simplefilter("ignore", ResourceWarning)
        ray.shutdown()
        gc.collect()
    assert started
    until(lambda: not any(map(alive, started)), "the end of the cluster")


@pytest.mark.parametrize(("bound", "only"), [("127.0.0.1", True), ("0.0.0.0", False)])
def test_a_cluster_of_loopback_is_known_by_where_it_answers(bound, only, monkeypatch):
    from ray._private import services

    from streamboost.distributed.loopback import only_on_loopback

    monkeypatch.setattr(services, "get_node_ip_address", lambda: "127.0.0.2")  # the machine's own address
    with socket.create_server((bound, 0)) as server:
        port = server.getsockname()[1]
        assert only_on_loopback(f"127.0.0.1:{port}") is only
    assert not only_on_loopback(f"192.0.2.7:{port}")
    assert not only_on_loopback("auto")


def test_killed_actors_come_back_and_nothing_listens_but_on_loopback(tmp_path):
    X, y = rows(900)
    whole = models()["osboost-ocp"]
    expected = whole.test_then_train(X, y, classes=[0, 1], output="proba")
    got, killed = [], 0
    with Shards(
        models()["osboost-ocp"], 2, engine="ray", folder=tmp_path / "s", chunk_rows=25, every=3
    ) as shards:
        for i, first in enumerate(range(0, 900, 225)):
            part = slice(first, first + 225)
            got.append(
                shards.test_then_train(X[part], y[part], classes=[0, 1] if not i else None, output="proba")
            )
            if i == 0:
                pids = descendants() | {os.getpid()}
                assert set(shards.pids()) <= pids
                addresses = listening(pids)
                assert len(addresses) >= 4  # the cluster's server, its node, two shards
                assert [address for address in addresses if address not in LOOPBACK] == []
            for pid in shards.pids()[: (1, 2, 2, 0)[i]]:  # one, or all of them at once
                os.kill(pid, signal.SIGKILL)
                killed += 1
        assert killed == 5
        shards.scale(1)
        assert np.vstack(got).tobytes() == expected.tobytes()
        assert shards.predict_proba(X).tobytes() == whole.predict_proba(X).tobytes()
        assert state_bytes(shards.to_model()) == state_bytes(whole)
        assert shards.losses >= 3


def test_keys_over_actors(tmp_path):
    learn_through_shards(tmp_path, "ray", first=(1, 2), then=(2, 1))


def test_runs_as_tasks_give_the_same_records(tmp_path):
    from streamboost.cli.compare import choose
    from streamboost.distributed.runs import run_all_on_ray
    from streamboost.experiments.plan import Protocol, Source, plan_runs
    from streamboost.experiments.runner import run_all

    rng = np.random.default_rng(0)
    path = tmp_path / "data.csv"
    lines = ["a,b,y", *(f"{a:.3f},{b:.3f},{int(a > b)}" for a, b in rng.normal(size=(120, 2)))]
    path.write_text("\n".join(lines) + "\n")
    protocol = Protocol(orders=1)
    algorithms = choose("osboost,online-bbm", "naive-bayes", "5", scale=None, flags=[], seed=0)
    runs = plan_runs([Source(str(path), {}, None).load().facts], algorithms, protocol)
    here = run_all(runs, tmp_path / "here")
    there = run_all_on_ray(runs, tmp_path / "there")
    assert len(runs) == 2
    for one, other in zip(here.records, there.records, strict=True):
        assert one.status == other.status == "done"
        assert one.wrong.tobytes() == other.wrong.tobytes()
        assert {n: v for n, v in one.figures.items() if n != "seconds"} == {
            n: v for n, v in other.figures.items() if n != "seconds"
        }
    assert run_all_on_ray(runs, tmp_path / "there").n_found == 2


def test_models_behind_the_service(tmp_path):
    from tests.service import test_shards as service

    service.test_the_same_as_in_one_process(tmp_path, "oza-boost", "ray")

"""Brokers as sources: nothing lost, nothing learned twice, wherever the process ends."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import threading
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from streamboost.service.sources import make
from streamboost.service.store import BadRequest, LearningStore, Settings
from tests.waiting import PATIENCE, until

DESCRIPTION = {"model": "single", "learner": "naive-bayes"}


def example(i: int) -> bytes:
    return json.dumps({"features": {"x": i % 5}, "label": "yes" if i % 5 > 2 else "no"}).encode()


class Life:
    """One life of a service that follows a source; it may end in the middle of a batch, without leave."""

    def __init__(self, folder: Path, follow: Any, die_after: int | None = None) -> None:
        self.store = LearningStore(folder, Settings(keep_log=True))
        if "m" not in self.store.names:
            self.store.create("m", **DESCRIPTION)
        self.stop = threading.Event()
        if die_after is not None:
            submit, self.left = self.store.submit, die_after

            def dying(*args: Any) -> Any:
                self.left -= 1
                if self.left < 0:
                    self.stop.set()
                    raise RuntimeError("the process ends here")
                return submit(*args)

            self.store.submit = dying  # type: ignore[method-assign]
        self.thread = threading.Thread(target=lambda: follow(self.store)(self.stop.is_set))
        self.thread.start()

    def learned(self) -> int:
        return int(self.store._db().value("SELECT count(*) FROM log WHERE learns=1"))

    def wait(self, n: int) -> None:
        until(lambda: self.learned() >= n or self.stop.is_set(), f"{n} examples")

    def close(self) -> None:
        self.stop.set()
        self.thread.join()
        self.store.close()


# Kafka, on the mock cluster that librdkafka brings.


@pytest.fixture
def cluster() -> Iterator[str]:
    kafka = pytest.importorskip("confluent_kafka")
    producer = kafka.Producer({"bootstrap.servers": "none", "test.mock.num.brokers": 1})
    # The mock cluster lives inside this producer; its address is in the metadata.
    broker = next(iter(producer.list_topics(timeout=PATIENCE).brokers.values()))
    yield f"{broker.host}:{broker.port}"
    producer.flush(1)


def produce(address: str, topic: str, values: list[bytes], partitions: int = 2) -> None:
    import confluent_kafka

    producer = confluent_kafka.Producer({"bootstrap.servers": address})
    for i, value in enumerate(values):
        producer.produce(topic, value, partition=i % partitions)
    assert producer.flush(PATIENCE) == 0


def kafka_source(address: str, topic: str, group: str = "g") -> Any:
    from streamboost.service.sources.kafka import KafkaSource

    url = urlsplit(f"kafka://{address}/{topic}?group={group}")
    return lambda store: KafkaSource(store, "m", url, {"session.timeout.ms": 6000}).run


def test_kafka_exactly_once_over_several_lives(cluster: str, tmp_path: Path) -> None:
    topic = f"t{uuid.uuid4().hex[:8]}"
    produce(cluster, topic, [example(i) for i in range(1200)])
    first = Life(tmp_path / "s", kafka_source(cluster, topic), die_after=2)
    first.thread.join(PATIENCE)
    assert not first.thread.is_alive()
    done = first.learned()
    assert 0 < done < 1200
    first.close()
    second = Life(tmp_path / "s", kafka_source(cluster, topic, "another-group"))
    second.wait(1200)
    produce(
        cluster,
        topic,
        [example(i) for i in range(100)] + [b"nonsense", b'{"features": {"x": "t"}, "label": "no"}'],
    )
    until(lambda: sum(map(int, second.store.offset(f"kafka:{topic}").values())) == 1302)  # all were read
    assert second.learned() == 1300
    assert len(second.store.events("m", "poison")) == 1
    second.close()


def test_kafka_a_second_consumer_takes_over_a_part(cluster: str, tmp_path: Path) -> None:
    topic = f"t{uuid.uuid4().hex[:8]}"
    produce(cluster, topic, [example(i) for i in range(50)])
    life = Life(tmp_path / "s", kafka_source(cluster, topic))
    life.wait(50)
    other = Life(tmp_path / "o", kafka_source(cluster, topic))  # the group is balanced anew
    time.sleep(2)
    other.close()
    produce(cluster, topic, [example(i) for i in range(50)])
    life.wait(100)
    assert life.learned() == 100
    life.close()


# Redis.


@pytest.fixture
def redis_port(tmp_path: Path) -> Iterator[int]:
    program = shutil.which("redis-server")
    if program is None:
        pytest.skip("redis-server is not installed")
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = int(found.getsockname()[1])
    process = subprocess.Popen(
        [program, "--port", str(port), "--save", "", "--dir", str(tmp_path)], stdout=subprocess.DEVNULL
    )
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            break
        except OSError:
            time.sleep(0.05)
    yield port
    process.terminate()
    process.wait()


def test_redis_exactly_once_over_several_lives(redis_port: int, tmp_path: Path) -> None:
    redis = pytest.importorskip("redis")
    client = redis.Redis(port=redis_port)
    for i in range(1200):
        client.xadd("m", {"data": example(i)})
    source = f"redis://127.0.0.1:{redis_port}/m"
    first = Life(tmp_path / "s", lambda store: make(store, source, None), die_after=1)
    first.thread.join(PATIENCE)
    assert first.learned() == 500
    first.close()
    second = Life(tmp_path / "s", lambda store: make(store, source, None))
    second.wait(1200)
    client.xadd("m", {"data": b"nonsense"})
    client.xadd("m", {"data": json.dumps({"id": "e", "label": "no"})})
    client.xadd("m", {"data": example(1)})
    second.wait(1201)
    assert second.learned() == 1201
    assert second.store.events("m", "early")[0]["id"] == "e"
    second.close()
    client.close()


@pytest.mark.parametrize(
    "url", ["kafka://host", "kafka://host/a/b", "amqp://host/topic", "redis://host:6379/"]
)
def test_bad_addresses(url: str, tmp_path: Path) -> None:
    with LearningStore(tmp_path / "s") as store, pytest.raises(BadRequest):
        make(store, url, None)

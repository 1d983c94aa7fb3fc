"""A Kafka topic. Partitions come from the consumer group, offsets from the store."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Callable
from typing import Any
from urllib.parse import SplitResult, parse_qs

from streamboost.service.sources.records import record
from streamboost.service.store import BadRequest, LearningStore

log = logging.getLogger("streamboost.sources")
BATCH = 500


class KafkaSource:
    """One consumer of one topic."""

    def __init__(
        self, store: LearningStore, model: str, url: SplitResult, more: dict[str, Any] | None = None
    ) -> None:
        """``more`` are settings of librdkafka."""
        try:
            import confluent_kafka
        except ImportError as error:
            raise BadRequest('Kafka needs the extra [kafka]: pip install "streamboost[kafka]".') from error
        self._kafka = confluent_kafka
        self._store, self._model = store, model
        self._topic = url.path.strip("/")
        self._source = f"kafka:{self._topic}"
        group = parse_qs(url.query).get("group", ["streamboost"])[0]
        store.stream(model)
        settings = {
            "bootstrap.servers": url.netloc,
            "group.id": group,
            "enable.auto.commit": False,
            "auto.offset.reset": "earliest",
            **(more or {}),
        }
        self._consumer = confluent_kafka.Consumer(settings)

    def _assigned(self, consumer: Any, partitions: list[Any]) -> None:
        """Go on where the store says, whatever the broker remembers."""
        known = self._store.offset(self._source)
        for partition in partitions:
            place = known.get(str(partition.partition))
            partition.offset = int(place) if place is not None else self._kafka.OFFSET_BEGINNING
        consumer.assign(partitions)
        log.info("partitions %s", [(p.partition, p.offset) for p in partitions])

    def run(self, stopping: Callable[[], bool]) -> None:
        """Follow until the service stops."""
        self._consumer.subscribe([self._topic], on_assign=self._assigned)
        try:
            while not stopping():
                self._take(self._consumer.consume(BATCH, timeout=0.2), stopping)
        except Exception:
            log.exception("the source %s has stopped", self._source)
        finally:
            self._consumer.close()

    def _take(self, messages: list[Any], stopping: Callable[[], bool]) -> None:
        by_partition: dict[int, list[Any]] = defaultdict(list)
        for message in messages:
            if message.error() is None:
                by_partition[message.partition()].append(message)
            elif message.error().code() != self._kafka.KafkaError._PARTITION_EOF:
                log.warning("kafka: %s", message.error())
        for partition, found in by_partition.items():
            after = str(found[-1].offset() + 1)
            raws = [message.value() or b"" for message in found]
            if not record(
                self._store, self._model, raws, (self._source, str(partition), after), stopping, log.warning
            ):
                return
            # For those who watch the group's lag; the store's own offset is what counts.
            place = self._kafka.TopicPartition(self._topic, partition, int(after))
            self._consumer.commit(offsets=[place], asynchronous=True)

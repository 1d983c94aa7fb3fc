"""Prometheus: requests by route and status, how long they took, and the state of every model when it is asked for."""

from __future__ import annotations

from collections.abc import Iterator

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector

from streamboost.service.alarms import KINDS, Alarms
from streamboost.service.store import LearningStore

_STEPS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1.0, 5.0)


class Metrics:
    """The numbers of one service. Names of models are labels: their number is an administrator's choice."""

    def __init__(self, store: LearningStore, alarms: Alarms) -> None:
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "streamboost_requests", "Requests answered.", ["route", "status"], registry=self.registry
        )
        self.seconds = Histogram(
            "streamboost_request_seconds",
            "Time to answer.",
            ["route"],
            registry=self.registry,
            buckets=_STEPS,
        )
        self.registry.register(_State(store, alarms))

    def text(self) -> bytes:
        """What Prometheus reads."""
        return generate_latest(self.registry)


class _State(Collector):
    def __init__(self, store: LearningStore, alarms: Alarms) -> None:
        self._store, self._alarms = store, alarms

    def collect(self) -> Iterator[GaugeMetricFamily | CounterMetricFamily]:
        store = self._store
        yield GaugeMetricFamily("streamboost_queue", "Records waiting for the writer.", value=store.queued)
        yield GaugeMetricFamily(
            "streamboost_read_only", "1 while the disk takes nothing.", value=store.read_only is not None
        )
        yield GaugeMetricFamily("streamboost_ready", "1 once the log is replayed.", value=store.ready)
        yield CounterMetricFamily(
            "streamboost_faults", "Errors of the service itself that it got over.", value=store.faults
        )
        yield CounterMetricFamily(
            "streamboost_alarms_undelivered", "Alarms that nobody took.", value=self._alarms.undelivered
        )
        shards = store.shards()
        if shards["shards"]:
            yield GaugeMetricFamily("streamboost_shards", "Shards of all models.", value=shards["shards"])
            yield GaugeMetricFamily(
                "streamboost_shards_running", "Of those, running.", value=shards["running"]
            )
            yield CounterMetricFamily(
                "streamboost_shards_lost", "Times that shards were lost and came back.", value=shards["lost"]
            )
        if not store.ready:
            return
        seq = GaugeMetricFamily("streamboost_model_seq", "Last record that readers know.", labels=["model"])
        error = GaugeMetricFamily("streamboost_model_error", "Error of the last examples.", labels=["model"])
        baseline = GaugeMetricFamily(
            "streamboost_model_baseline_error",
            "Error of the last examples of a guess without features.",
            labels=["model", "baseline"],
        )
        alarm = GaugeMetricFamily(
            "streamboost_alarm", "1 while something deserves a look.", labels=["model", "kind"]
        )
        memory = GaugeMetricFamily("streamboost_model_bytes", "Size of the learned state.", labels=["model"])
        records = CounterMetricFamily(
            "streamboost_records", "What came in and what became of it.", labels=["model", "what"]
        )
        for name in store.names:
            stream = store.stream(name)
            seq.add_metric([name], stream.champion.reader.seq)
            memory.add_metric([name], stream.champion.memory())
            recent = stream.champion.scores.error()[1]
            if recent is not None:
                error.add_metric([name], recent)
            for guess, value in stream.champion.scores.values()["baselines"].items():
                if value is not None:
                    baseline.add_metric([name, guess], value)
            for kind in KINDS:
                alarm.add_metric([name, kind], (name, kind) in self._alarms.active)
            for what, n in dict(stream.counts).items():
                records.add_metric([name, what], n)
        yield from (seq, error, baseline, alarm, memory, records)

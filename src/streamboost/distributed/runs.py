"""The runs of a comparison as tasks of a Ray cluster: the same records as the local runner's, in the same store."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

from streamboost.distributed.engines.ray import connect, import_ray
from streamboost.experiments.plan import DataSet, Run
from streamboost.experiments.runner import Outcome, Standing
from streamboost.experiments.store import FAILED, Record, RunStore
from streamboost.experiments.worker import execute

_TRIES = 3  # of a run whose node is lost
_data: list[DataSet] = []  # of a worker process: the data set that was used last


def take(text: str) -> Record:
    """Do one run, in whatever process this is."""
    run = Run.from_json(text)
    if not _data or _data[0].fingerprint != run.fingerprint:
        _data[:] = [run.source.load()]
        if _data[0].fingerprint != run.fingerprint:
            _data.clear()
            return Record(FAILED, f"{run.source.text}: the data on this node are not those of the plan.")
    return execute(run, _data[0])


def run_all_on_ray(
    runs: Sequence[Run],
    folder: str | os.PathLike[str],
    *,
    jobs: int = 1,
    callback: Callable[[Standing], None] | None = None,
    address: str | None = None,
) -> Outcome:
    """Run what has no record in the folder yet, as Ray tasks; a task whose node is lost is tried again.

    Parameters
    ----------
    runs : sequence of Run
        What is to be run.
    folder : str or path
        The store, of this machine.
    jobs : int
        Runs that wait or run at a time, at least; Ray runs as many as the cluster has cores.
    callback : callable, optional
        Told whenever a run begins or ends.
    address : str, optional
        Of the cluster.

    Returns
    -------
    Outcome
        As the local runner gives it.
    """
    ray = import_ray()
    mine = connect(ray, address)
    store = RunStore(folder)
    store.folder.mkdir(parents=True, exist_ok=True)
    found = [store.read(run) for run in runs]
    todo = [at for at, record in enumerate(found) if record is None]
    outcome = Outcome(n_found=len(runs) - len(todo))
    task = ray.remote(take).options(num_cpus=1, max_retries=_TRIES)
    most = max(jobs, int(ray.cluster_resources().get("CPU", 1)))
    flying: dict[Any, int] = {}

    def tell(at: int, fraction: float, record: Record | None) -> None:
        if callback is not None:
            callback(Standing(runs[at], at % most, fraction, float("nan"), record))

    try:
        while todo or flying:
            while todo and len(flying) < most:
                at = todo.pop(0)
                flying[task.remote(runs[at].to_json())] = at
                tell(at, 0.0, None)
            (ready, *_), _ = ray.wait(list(flying), num_returns=1)
            at = flying.pop(ready)
            try:
                record: Record = ray.get(ready)
            except ray.exceptions.RayError as error:
                record = Record(FAILED, f"the task was lost {_TRIES + 1} times: {type(error).__name__}")
            store.write(runs[at], record)
            found[at] = record
            tell(at, 1.0, record)
    finally:
        for reference in flying:
            ray.cancel(reference)
        if mine:
            ray.shutdown()
    outcome.records = [record for record in found if record is not None]
    return outcome

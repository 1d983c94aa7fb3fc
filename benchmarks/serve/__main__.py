"""``make bench-serve``: latency, durable examples a second, memory, restarts, and what a kill -9 takes away.

python -m benchmarks.serve --out docs/results/bench-serve.md
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.serve.load import Measured, cpu_seconds, memory_mb, post, run
from benchmarks.serve.rivals import learned_by_shelf

SMALL = {"model": "osboost", "learner": "naive-bayes", "params": {"n_estimators": 10}}
DEFAULT: dict[str, Any] = {}
"""What `streamboost client create` makes when nothing is said."""
SHARE = 20
"""The default learns one example where the small model learns so many: it does far more for each."""
FEATURES = 10


HEAD = (
    "| request | connections | p50 ms | p99 ms | a second | server µs each |",
    "|---|---|---|---|---|---|",
)


def example(i: int) -> dict[str, Any]:
    """The same stream for everybody."""
    rng = random.Random(i)
    values = [rng.gauss(0, 1) for _ in range(FEATURES)]
    features = {f"f{j}": round(value, 4) for j, value in enumerate(values)}
    return {"features": features, "label": "yes" if values[0] + values[1] > 0 else "no"}


def body(i: int, *, label: bool, id: str | None = None) -> bytes:
    found = example(i)
    if not label:
        del found["label"]
    return json.dumps({"id": id, **found} if id else found).encode()


def vw_line(i: int, *, label: bool) -> bytes:
    found = example(i)
    sign = ("1" if found["label"] == "yes" else "-1") if label else ""
    return (sign + " |f " + " ".join(f"{k}:{v}" for k, v in found["features"].items()) + "\n").encode()


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def wait(port: int, process: subprocess.Popen[Any], seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end and process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.02)
    raise RuntimeError("a server does not come up")


def ours(folder: Path, *more: str) -> tuple[subprocess.Popen[str], int, float]:
    """Start the service; the seconds are from its start as a process to its being ready."""
    start = time.perf_counter()
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "streamboost.cli",
            "serve",
            str(folder),
            "--port",
            "0",
            "--json",
            "--no-tokens",
            *more,
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    port = int(json.loads(process.stdout.readline())["url"].rsplit(":", 1)[1])
    return process, port, time.perf_counter() - start


def create(port: int, description: dict[str, Any]) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.request("POST", "/v1/models", json.dumps({"name": "m", **description}))
    assert connection.getresponse().status == 201
    connection.close()


def lines_of_examples(port: int, first: int, n: int) -> float:
    """Send examples as lines over one connection; returns the seconds until the last one was answered. Lines are made before."""
    lines = b"".join(body(i, label=True, id=f"n{i}") + b"\n" for i in range(first, first + n))
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
    start = time.perf_counter()
    connection.request("POST", "/v1/models/m/learn", lines, {"Content-Type": "application/x-ndjson"})
    answers = connection.getresponse().read()
    seconds = time.perf_counter() - start
    connection.close()
    assert answers.count(b"\n") == n
    assert b'"error"' not in answers
    return seconds


Make = Callable[[int], bytes]


def row(title: str, connections: int, found: Measured) -> str:
    """One line of the table."""
    cpu = f"{found.cpu_us:.0f}" if found.cpu_us else "not seen (a child)"
    times = f"{found.p50_ms:.2f} | {found.p99_ms:.2f} | {found.per_second:,.0f} | {cpu}"
    return f"| {title} | {connections} | {times} |"


def latencies(title: str, pid: int, port: int, make: Make, n: int, *, lines: bool = False) -> list[str]:
    rows = []
    for connections in (1, 8, 64):
        found: Measured = run(pid, port, connections, n, make, lines=lines)
        rows.append(row(title, connections, found))
        print(rows[-1], flush=True)
    return rows


def flush_ms(folder: Path) -> float:
    """What one flush of this disk costs."""
    file = os.open(folder / "flush", os.O_CREAT | os.O_WRONLY)
    start = time.perf_counter()
    for _ in range(50):
        os.write(file, b"x" * 4096)
        os.fdatasync(file)
    os.close(file)
    return 1e3 * (time.perf_counter() - start) / 50


def start_fact(title: str, seconds: float, pid: int) -> str:
    return f"| {title}, process and all | {seconds:.1f} s ({cpu_seconds(pid):.1f} s of processor time) |"


def bench_ours(folder: Path, description: dict[str, Any], n: int, many: int) -> tuple[list[str], list[str]]:
    process, port, started = ours(
        folder / "ours", "--snapshot-every", "100000000", "--snapshot-seconds", "1e9"
    )
    facts = [start_fact("first start", started, process.pid)]
    run_id = time.time_ns()
    ids = iter(range(10**9))

    def with_id(path: str, label: bool) -> Make:
        return lambda i: post(f"/v1/models/m/{path}", body(i, label=label, id=f"{run_id}-{next(ids)}"))

    try:
        create(port, description)
        lines_of_examples(port, 10**7, 500)
        rows = latencies(
            "predict", process.pid, port, lambda i: post("/v1/models/m/predict", body(i, label=False)), n
        )
        rows += latencies("predict with id (on the disk)", process.pid, port, with_id("predict", False), n)
        rows += latencies("learn (on the disk)", process.pid, port, with_id("learn", True), n)
        before = cpu_seconds(process.pid)
        memory = []
        seconds = 0.0
        parts = 10
        for part in range(parts):
            seconds += lines_of_examples(port, part * (many // parts), many // parts)
            memory.append(memory_mb(process.pid))
        cpu = 1e6 * (cpu_seconds(process.pid) - before) / many
        facts += [
            f"| durable examples a second by lines, {many:,} examples, one connection | {many / seconds:,.0f} |",
            f"| processor time of the service for one of them | {cpu:.0f} µs |",
            f"| memory after each tenth of them, MB | {', '.join(f'{m:.0f}' for m in memory)} |",
        ]
        process.send_signal(signal.SIGKILL)
        process.wait()
        process, port, started = ours(folder / "ours")
        facts.append(start_fact(f"restart with {many:,} examples and more to replay", started, process.pid))
        process.send_signal(signal.SIGTERM)
        process.wait()
        process, port, started = ours(folder / "ours")
        facts.append(start_fact("restart after a proper end", started, process.pid))
    finally:
        process.kill()
        process.wait()
    return rows, facts


def bench_flask(folder: Path, n: int) -> tuple[list[str], list[str]]:
    port = free_port()
    command = [sys.executable, "-m", "benchmarks.serve.rivals", str(folder), str(port)]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    told = 0
    try:
        wait(port, process)
        one: Measured = run(process.pid, port, 1, n, lambda i: post("/learn", body(i, label=True)))
        told += one.n
        learned = row("Flask + shelve, learn", 1, one)
        asked: Measured = run(process.pid, port, 1, n, lambda i: post("/predict", body(i, label=False)))
        rows = [
            row("Flask + shelve, predict", 1, asked),
            learned,
        ]
    finally:
        process.kill()
        process.wait()
    kept = learned_by_shelf(folder)
    lost = "the file cannot be read" if kept is None else f"{told - kept:,} of {told:,}"
    return rows, [f"| Flask + shelve (nothing is synced: a power cut is another matter) | {lost} |"]


def bench_vw(folder: Path, n: int) -> tuple[list[str], list[str]]:
    port = free_port()
    model = folder / "model.vw"
    # The Python package brings no program; this is what one does.
    code = "import sys, vowpalwabbit; vowpalwabbit.Workspace(arg_list=sys.argv[1:]).run_parser()"
    command = [sys.executable, "-c", code, "--daemon", "--foreground", "--num_children", "1", "--quiet"]
    command += ["--port", str(port), "--boosting", "10", "--link", "logistic", "--loss_function", "logistic"]
    process = subprocess.Popen(
        [*command, "-f", str(model)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        wait(port, process, 20)
        rows = []
        for title, label in (("predict", False), ("learn", True)):
            found: Measured = run(
                process.pid, port, 1, n, lambda i, label=label: vw_line(i, label=label), lines=True
            )
            rows.append(row(f"vw --daemon, {title}", 1, found))
        told = n
    finally:
        process.kill()
        process.wait()
    lost = f"{told:,} of {told:,}: the model is in memory only" if not model.exists() else "see its file"
    return rows, [f"| vw --daemon | {lost} |"]


def kill_ours(folder: Path) -> str:
    """The same question to ourselves: examples that were answered, and those that are there after a kill -9."""
    process, port, _ = ours(folder / "killed")
    create(port, SMALL)
    told: Measured = run(
        process.pid, port, 8, 200, lambda i: post("/v1/models/m/learn", body(i, label=True, id=f"k{i}"))
    )
    process.kill()
    process.wait()
    from streamboost.service.store import LearningStore

    with LearningStore(folder / "killed") as store:
        kept = store.scores("m")["n"]
    return f"| streamboost serve | {told.n - kept:,} of {told.n:,} |"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--requests", type=int, default=2_000)
    parser.add_argument("--examples", type=int, default=1_000_000)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        load = os.getloadavg()[0]
        flush = flush_ms(folder)
        rows, facts = bench_ours(folder / "small", SMALL, options.requests, options.examples)
        default_rows, default_facts = bench_ours(
            folder / "default", DEFAULT, options.requests, options.examples // SHARE
        )
        lost = [kill_ours(folder)]
        for title, rival in (("Flask + shelve", bench_flask), ("vw --daemon", bench_vw)):
            try:
                more, words = rival(folder, options.requests)
            except Exception as error:
                more, words = [f"| {title} | | could not be run here: {type(error).__name__} | | | |"], []
            rows, lost = rows + more, lost + words
            print("\n".join(more), flush=True)
    lines = [
        "# The learning service under load",
        "",
        f"Printed by `python -m benchmarks.serve --requests {options.requests} --examples {options.examples}` "
        f"(`make bench-serve`) on {os.cpu_count()} processors (load {load:.1f}), clients on the same machine.",
        f"One flush of the disk took {flush:.2f} ms. OSBoost of 10 naive Bayes learners, {FEATURES} features.",
        "Times of the clock say little on a busy machine; the last column is the processor time of the server.",
        "",
        *HEAD,
        *rows,
        "",
        "| the service | |",
        "|---|---|",
        *facts,
        "",
        "The default model, StreamBoost as it is made without options:",
        "",
        *HEAD,
        *default_rows,
        "",
        "| the service | |",
        "|---|---|",
        *default_facts,
        "",
        "| `kill -9` | acknowledged examples that are gone |",
        "|---|---|",
        *lost,
        "",
    ]
    print("\n".join(lines))
    if options.out is not None:
        options.out.write_text("\n".join(lines))


if __name__ == "__main__":
    main()

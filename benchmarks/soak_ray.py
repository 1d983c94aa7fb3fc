"""Shards on a Ray cluster of three nodes on loopback, killed again and again: every bit must be as in one process.

    python -m benchmarks.soak_ray [--kills 100] [--out docs/results/soak-ray.md]

The head and two worker nodes are started with ``ray start``, kept to loopback. Three ways to die, in a keyed random order:
SIGKILL of an actor at a random moment; SIGKILL of an actor by itself in the middle of writing a snapshot; SIGKILL of a whole
worker node, which is then started again.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np

from streamboost import HoeffdingTree, OnlineBoostingClassifier, OSBoostClassifier
from streamboost.distributed import Shards
from streamboost.distributed.engines.ray import Actor, RayEngine

ROWS, CHUNK, EVERY = 200, 20, 5  # of a call; of a message; messages between two snapshots


class Mortal(Actor):
    """An actor that dies in the middle of writing a snapshot when a file asks for it."""

    def __init__(self, spec):
        super().__init__(spec)
        write, folder = self.shard.folder.write, self.shard.folder

        def deadly(name, *pieces):
            wish = Path(folder.path(".die"))
            if name.startswith("line-") and wish.exists():
                wish.unlink(missing_ok=True)
                with open(folder.path(f".{name}-half"), "wb") as file:
                    file.write(b"".join(pieces)[:1000])
                os.kill(os.getpid(), signal.SIGKILL)
            write(name, *pieces)

        self.shard.folder.write = deadly


class Node:
    """One node of the cluster: a foreground ``ray start`` with all its children in a process group."""

    def __init__(self, *options):
        self.options = options
        self.start()

    def start(self):
        ray = [sys.executable, "-m", "streamboost.distributed.loopback"]
        command = [*ray, "start", "--block", "--disable-usage-stats", *self.options]
        self.process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
        )

    def kill(self):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def stream(n, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 8))
    return X, (X[:, 0] + 0.5 * X[:, 1] * np.sign(np.sin(np.arange(n) / 1000)) > 0).astype(int)


def models():
    return {
        "osboost, vote ocp, naive Bayes": OSBoostClassifier(n_estimators=32, vote="ocp", random_state=5),
        "oza-boost, Hoeffding trees": OnlineBoostingClassifier(
            HoeffdingTree(), n_estimators=20, random_state=5
        ),
    }


def soak(name, kills, address, nodes, rng):
    """Return what happened while a model was killed so many times."""
    n = ROWS * (kills + 2)
    X, y = stream(n, 1)
    whole = models()[name]
    expected = whole.test_then_train(X, y, classes=[0, 1], output="proba")
    folder = Path(tempfile.mkdtemp(prefix="streamboost-soak-"))
    counts = {"actor": 0, "inside a snapshot": 0, "node": 0}
    got = []
    try:
        with Shards(
            models()[name],
            2,
            engine="ray",
            address=address,
            folder=folder / "s",
            chunk_rows=CHUNK,
            every=EVERY,
        ) as shards:
            for call in range(kills + 2):
                part = slice(call * ROWS, (call + 1) * ROWS)
                killer = None
                if 0 < call <= kills:
                    kind = rng.choices(list(counts), weights=[6, 3, 1])[0]
                    counts[kind] += 1
                    if kind == "inside a snapshot":
                        (folder / "s" / ".die").touch()
                    elif kind == "actor":
                        pid, wait = rng.choice(shards.pids()), rng.random() * 0.05
                        killer = threading.Thread(
                            target=lambda p=pid, w=wait: (time.sleep(w), os.kill(p, signal.SIGKILL))
                        )
                        killer.start()
                    else:
                        node = rng.choice(nodes)
                        node.kill()
                        node.start()
                got.append(
                    shards.test_then_train(X[part], y[part], classes=None if call else [0, 1], output="proba")
                )
                if killer is not None:
                    killer.join()
                print(f"\r{name}: {call}/{kills}", end="", file=sys.stderr, flush=True)
            line = shards.model._session.model.line
            joined = shards.to_model()
            seconds = sorted(line.recovery_seconds)
            losses = line.losses
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(file=sys.stderr)
    one, two = joined._session.model.state(), whole._session.model.state()
    equal = np.vstack(got).tobytes() == expected.tobytes() and all(
        one[key].tobytes() == two[key].tobytes() for key in two
    )
    return {"counts": counts, "rows": n, "losses": losses, "seconds": seconds, "equal": equal}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that the nodes end, too
    RayEngine.actor = Mortal
    # A token for this cluster alone: whatever the machine has for others stays out of it. Workers are as quick as the driver.
    os.environ.update(RAY_AUTH_MODE="token", RAY_AUTH_TOKEN=secrets.token_hex(32), RAY_worker_niceness="0")
    port = free_port()
    address = f"127.0.0.1:{port}"
    here = ["--node-ip-address", "127.0.0.1", "--object-store-memory", str(100 * 2**20)]
    nodes = [Node("--head", "--port", str(port), "--num-cpus", "0", "--include-dashboard", "false", *here)]
    rng = random.Random(7)
    lines = [
        "# Killed again and again",
        "",
        f"`python -m benchmarks.soak_ray --kills {options.kills}` (`make soak-ray`): two shards on a Ray cluster of a head and "
        f"two worker nodes on loopback, {CHUNK} rows a chunk, a snapshot every {EVERY} chunks, on {os.cpu_count()} cores with a "
        f"load of {os.getloadavg()[0]:.1f} at the start. *bits*: all answers and the whole state beside one process.",
        "",
        "| model | rows | killed: actor | inside a snapshot | node | recoveries | median s | slowest s | bits |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---|",
    ]
    try:
        time.sleep(8)
        nodes += [Node("--address", address, "--num-cpus", "2", *here) for _ in range(2)]
        time.sleep(8)
        fine = True
        names = list(models())
        for i, name in enumerate(names):
            kills = options.kills // len(names) + (options.kills % len(names) if i == 0 else 0)
            found = soak(name, kills, address, nodes[1:], rng)
            fine &= found["equal"]
            s = found["seconds"] or [0.0]
            c = found["counts"]
            cells = [
                name,
                f"{found['rows']:,}",
                c["actor"],
                c["inside a snapshot"],
                c["node"],
                len(found["seconds"]),
            ]
            cells += [f"{s[len(s) // 2]:.2f}", f"{s[-1]:.2f}", "equal" if found["equal"] else "DIFFERENT"]
            lines.append(f"| {' | '.join(map(str, cells))} |")
    finally:
        for node in reversed(nodes):
            node.kill()
    text = "\n".join(lines) + "\n"
    print(text)
    if options.out:
        options.out.write_text(text)
    sys.exit(0 if fine else 1)


if __name__ == "__main__":
    main()

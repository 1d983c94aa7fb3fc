"""A service to look at: a stream that drifts, labels that come late, two shadows. ``python -m streamboost.service.demo``"""

from __future__ import annotations

import argparse
import heapq
import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from streamboost.client import Client

DRIFT = 3_000
"""Events between two changes of the rule."""


def event(rng: random.Random, number: int) -> tuple[dict[str, Any], str]:
    """Loans: who pays back depends on income and job, and which way changes now and then."""
    income, age = rng.gauss(3, 1), rng.randint(18, 80)
    job = rng.choice(["clerk", "nurse", "smith", "cook"])
    score = income - 3 + (0.8 if job in ("nurse", "smith") else -0.8)
    if number // DRIFT % 2:
        score = (age - 49) / 15 - (0.8 if job == "nurse" else -0.2)
    label = "paid" if score + rng.gauss(0, 0.4) > 0 else "lost"
    return {"income": round(income, 3), "age": age, "job": job}, label


def prepare(client: Client) -> None:
    """The model that answers and the two that learn beside it."""
    if any(model["name"] == "loans" for model in client.models()):
        return
    client.create("loans", model="osboost", learner="naive-bayes", classes=["lost", "paid"])
    client.add_shadow("loans", "streamboost", model="streamboost", classes=["lost", "paid"])
    client.add_shadow("loans", "bagged-trees", model="bagging", learner="hoeffding-tree")


def drive(client: Client, rate: float, seconds: float | None = None) -> int:
    """Send events at a rate; their labels come 0 to 8 seconds later, a few before their events, a few never."""
    rng = random.Random(7)
    late: list[tuple[float, str, str]] = []
    begin = time.monotonic()
    run = f"{time.time():.0f}"
    number = 0
    while seconds is None or time.monotonic() - begin < seconds:
        features, label = event(rng, number)
        id = f"{run}-{number}"
        fate = rng.random()
        if fate < 0.02:
            client.label("loans", id, label)
        elif fate < 0.97:
            heapq.heappush(late, (time.monotonic() + rng.expovariate(0.5), id, label))
        client.predict("loans", features, id=id)
        while late and late[0][0] < time.monotonic():
            _, known, truth = heapq.heappop(late)
            client.label("loans", known, truth)
        number += 1
        time.sleep(max(0.0, begin + number / rate - time.monotonic()))
    return number


def main() -> None:
    """Start the service, print the address of the page, and drive it until somebody stops it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rate", type=float, default=60.0, help="events a second")
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--seconds", type=float, help="stop after so many")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="streamboost-demo-"))
    order = ["serve", str(folder), "--port", str(options.port), "--json", "--no-tokens"]
    server = subprocess.Popen(
        [sys.executable, "-m", "streamboost.cli", *order],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert server.stdout is not None
        url = json.loads(server.stdout.readline())["url"]
        print(f"the page: {url}    (Ctrl-C ends it)", flush=True)
        with Client(url) as client:
            prepare(client)
            drive(client, options.rate, options.seconds)
    except KeyboardInterrupt:
        pass
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    main()

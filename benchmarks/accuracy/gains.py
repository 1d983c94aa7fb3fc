"""``python -m benchmarks.accuracy.gains docs/results/chen2012.csv``: how often, and by how much, boosting beats a single learner.

The file is the ``cells.csv`` of ``streamboost reproduce chen2012``.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path


def main(path: Path) -> None:
    ours: dict[tuple[str, str, str], float] = {}
    with path.open(newline="") as file:
        for row in csv.DictReader(file):
            if row["ours"]:
                ours[row["weak_learner"], row["algorithm"], row["dataset"]] = float(row["ours"])
    print("| booster | learner | better than single on | mean change of error |")
    print("|---|---|---|---|")
    for learner, algorithm in dict.fromkeys(key[:2] for key in ours):
        if algorithm == "single":
            continue
        changes = [
            value - ours[learner, "single", dataset]
            for (who, what, dataset), value in ours.items()
            if (who, what) == (learner, algorithm)
        ]
        better = sum(change < 0 for change in changes)
        mean = sum(changes) / len(changes)
        print(f"| {algorithm} | {learner.replace('_', ' ')} | {better} of {len(changes)} | {mean:+.4f} |")


if __name__ == "__main__":
    main(Path(sys.argv[1]))

"""Writes the folder of a service as this release leaves it: ``python -m tests.service.make_folder VERSION``, once each."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from streamboost.service.store import LearningStore, Settings

FOLDERS = Path(__file__).parent / "folders"


def main() -> None:
    folder = FOLDERS / sys.argv[1]
    shutil.rmtree(folder, ignore_errors=True)
    with LearningStore(folder, Settings(keep_log=True, snapshot_every=10**9, snapshot_seconds=1e9)) as store:
        store.create("loans", model="osboost", learner="naive-bayes", params={"n_estimators": 3})
        store.add_shadow(
            "loans", "other", model="bagging", learner="hoeffding-tree", params={"n_estimators": 2}
        )
        for i in range(30):
            store.predict("loans", {"x": float(i % 7), "c": "uvw"[i % 3]}, id=f"i{i}")
            store.label("loans", f"i{i}", "yes" if i % 7 > 3 else "no")
        store.snapshot("loans")
        store.rollback("loans", 40)
        for i in range(30, 40):
            store.learn(
                "loans", {"x": float(i % 7), "c": "uvw"[i % 3]}, "yes" if i % 7 > 3 else "no", id=f"i{i}"
            )
        store.predict("loans", {"x": 5.0}, id="waiting")
        store.label("loans", "early", "yes")
        # No snapshot of the last examples: a later release must replay them.
        for candidate in store.stream("loans").candidates.values():
            candidate.examples_since_snapshot = 0
        (folder / "expected.sboost").write_bytes(store.file("loans"))
        (folder / "expected.txt").write_text(f"{store.scores('loans')['cumulative']['error']!r}\n")
    (folder / "lock").unlink()


if __name__ == "__main__":
    main()

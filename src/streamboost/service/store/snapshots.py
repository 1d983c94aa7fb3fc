"""Snapshots: a model file that is on the disk, whole, before the row that names it."""

from __future__ import annotations

import hashlib
import logging
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from streamboost.base.files.archive import ModelFileError, open_regular
from streamboost.models import load
from streamboost.service.store.candidates import Candidate
from streamboost.service.store.database import Database

FOLDER = "snapshots"
log = logging.getLogger("streamboost.store")


@dataclass(frozen=True)
class Snapshot:
    """A model and its scores at a sequence number, ready to be written."""

    candidate: int
    seq: int
    model: Any
    scores: bytes


def take(candidate: Candidate) -> Snapshot | None:
    """Hold on to the state of now; None if nothing was learned."""
    candidate.publish_if_due(1.0, now=True)
    if not candidate.trained:
        return None
    return Snapshot(
        candidate.number, candidate.reader.seq, candidate.reader.model, candidate.scores.to_bytes()
    )


def write_file(folder: Path, snapshot: Snapshot) -> tuple[str, str]:
    """Write the file (a temporary name, synced, renamed, the folder synced); returns its name and checksum."""
    name = f"{snapshot.candidate}-{snapshot.seq}.sboost"
    path = folder / FOLDER / name
    snapshot.model.save(path)
    return name, checksum(path)


def add_row(db: Database, snapshot: Snapshot, name: str, sha256: str, at: float) -> None:
    """Name the file in the database; the caller holds the transaction."""
    db.run(
        "INSERT OR REPLACE INTO snapshots(candidate, seq, file, sha256, at, scores) VALUES(?, ?, ?, ?, ?, ?)",
        (snapshot.candidate, snapshot.seq, name, sha256, at, snapshot.scores),
    )


def prune(db: Database, folder: Path, candidate: int, keep: int, reach: float) -> list[Path]:
    """Forget what is not kept; returns the files to remove once that is committed."""
    rows = db.rows("SELECT seq, file, at FROM snapshots WHERE candidate=? ORDER BY seq DESC", (candidate,))
    kept = set(thinned([at for _, _, at in rows], keep, reach))
    old = [(seq, file) for i, (seq, file, _) in enumerate(rows) if i not in kept]
    for seq, _ in old:
        db.run("DELETE FROM snapshots WHERE candidate=? AND seq=?", (candidate, seq))
    return [folder / FOLDER / name for _, name in old]


def thinned(ats: list[float], keep: int, reach: float) -> list[int]:
    """Which snapshots to keep, given their times, newest first: many young ones, few old ones, back to ``reach`` seconds.

    The log is kept from the oldest one on, so that any record after it can be gone back to.
    """
    ages = [ats[0] - at for at in ats]
    kept = [i for i, age in enumerate(ages) if i < 2 or age <= reach or ages[i - 1] < reach]
    while len(kept) > keep:
        inner = range(2, len(kept) - 1) if keep > 2 else range(keep, len(kept))
        # The one whose neighbours are closest to each other, for their age.
        kept.pop(min(inner, key=lambda k: _gap(ages, kept, k)))
    return kept


def _gap(ages: list[float], kept: list[int], k: int) -> float:
    older = ages[kept[k + 1]] if k + 1 < len(kept) else ages[kept[k]]
    return (older - ages[kept[k - 1]]) / (ages[kept[k]] + 60.0)


def remove_strays(db: Database, folder: Path) -> None:
    """Remove files that no row names: they were written just before a crash."""
    named = {name for (name,) in db.rows("SELECT file FROM snapshots")}
    if (folder / FOLDER).is_dir():
        for path in (folder / FOLDER).iterdir():
            if path.name not in named:
                path.unlink(missing_ok=True)


def read(folder: Path, name: str, sha256: str) -> Any | None:
    """Return the model of a file if its checksum holds and it loads; else None, which is logged."""
    path = folder / FOLDER / name
    try:
        if checksum(path) != sha256:
            raise ModelFileError("the checksum is not the one that was recorded")
        return load(path)
    except (OSError, ModelFileError) as error:
        log.error("snapshot %s cannot be used, an older one is taken: %s", name, error)
        return None


def checksum(path: Path) -> str:
    """SHA-256 of a file."""
    digest = hashlib.sha256()
    with open_regular(path) as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()

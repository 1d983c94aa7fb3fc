"""What an installation of the service brings along: every package is pinned, and its licence is one that lets it be used freely.

Read from the installed packages themselves, so no network is needed. Advisories are looked up where there is one, by
``make audit``.
"""

from __future__ import annotations

import re
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
EXTRAS = ("serve", "client", "kafka", "redis")
FREE = re.compile(
    r"\b(MIT|BSD|0BSD|ISC|ISCL|Apache|PSF|Python Software Foundation|Zlib|CC0|MPL|Mozilla|any-OSI|HPND|Unlicense)\b"
)
NOT_FREE = re.compile(r"\b(A?GPL|LGPL|SSPL|BUSL|Commons Clause|proprietary)\b", re.IGNORECASE)


def installed() -> dict[str, metadata.Distribution]:
    """All packages that the extras of the service need, by their names."""
    found: dict[str, metadata.Distribution] = {}
    waiting: list[tuple[str, tuple[str, ...]]] = [("streamboost", EXTRAS)]
    while waiting:
        name, extras = waiting.pop()
        key = re.sub(r"[-_.]+", "-", name).lower()
        if key in found:
            continue
        try:
            found[key] = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            if name in ("confluent-kafka", "redis"):  # sources may be left out
                continue
            raise
        for text in found[key].requires or ():
            need = Requirement(text)
            if need.marker is None or any(need.marker.evaluate({"extra": e}) for e in (*extras, "")):
                waiting.append((need.name, tuple(need.extras)))
    return found


def licence(package: metadata.Distribution) -> str:
    """What a package says of its licence, in one line."""
    facts = package.metadata
    kinds = [c for c in facts.get_all("Classifier") or () if c.startswith("License")]
    return " ".join([facts.get("License-Expression") or "", *kinds, (facts.get("License") or "")[:200]])


def test_licences_are_free() -> None:
    for name, package in installed().items():
        said = licence(package)
        assert FREE.search(said), f"{name}: {said!r}"
        assert not NOT_FREE.search(said), f"{name}: {said!r}"


def test_everything_the_service_needs_is_pinned() -> None:
    lines = (ROOT / "constraints-serve.txt").read_text().splitlines()
    pinned = {line.partition("==")[0] for line in lines if line and not line.startswith("#")}
    assert all("==" in line for line in lines if line and not line.startswith("#"))
    assert set(installed()) - {"streamboost"} <= pinned


@pytest.mark.parametrize("said", ["GPL-3.0-only", "License :: OSI Approved :: AGPL", "Commons Clause"])
def test_others_would_be_noticed(said: str) -> None:
    assert NOT_FREE.search(said)

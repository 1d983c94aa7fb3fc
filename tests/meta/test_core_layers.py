"""The folders of the C++ core, low to high; a file includes what stands below it or beside it in its own folder."""

import re
from pathlib import Path

import pytest

CORE = Path(__file__).resolve().parents[2] / "core"
BELOW = {  # folder: those that it may include, beside itself
    "data": set(),
    "math": {"data"},
    "learners": {"data", "math"},
    "drift": {"data", "math", "learners"},
    "ensembles": {"data", "math", "learners", "drift"},
    "stages": {"data", "math"},
    "replay": {"data", "math", "learners"},
    "words": {"data", "math"},
    "run": {"data", "math", "learners", "drift", "ensembles", "stages", "replay", "words"},
    "readers": set(),
}
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.M)


def sources(folder: str) -> list[Path]:
    return sorted(
        path for root in ("include/streamboost", "src") for path in (CORE / root / folder).rglob("*.?pp")
    )


def test_every_file_is_in_a_folder_with_a_layer() -> None:
    placed = {path for folder in BELOW for path in sources(folder)}
    assert {*(CORE / "include").rglob("*.?pp"), *(CORE / "src").rglob("*.?pp")} == placed


@pytest.mark.parametrize("folder", BELOW)
def test_nothing_includes_upwards(folder: str) -> None:
    allowed, wrong = BELOW[folder] | {folder}, []
    for path in sources(folder):
        for name in INCLUDE.findall(path.read_text()):
            target = re.fullmatch(r"streamboost/(\w+)/\w+\.hpp", name)
            if "/" in name and not target:
                wrong.append(
                    f"{path.relative_to(CORE)}: {name} is not written as streamboost/FOLDER/FILE.hpp"
                )
            elif target and target[1] not in allowed:
                wrong.append(f"{path.relative_to(CORE)} includes {name}")
    assert not wrong, "\n".join(wrong)


def test_the_design_page_says_the_same() -> None:
    """The line of folders on the design page, low to high: what a folder may include stands further left."""
    lines = (CORE.parent / "docs" / "design.md").read_text().splitlines()
    line = next(line for line in lines if line.startswith("`data` <"))
    below: set[str] = set()
    for level in line.partition(";")[0].split("<"):
        folders = set(re.findall(r"`(\w+)`", level))
        assert all(BELOW[folder] <= below for folder in folders), level
        below |= folders
    assert below | {"readers"} == set(BELOW)


def test_every_header_of_kernels_has_its_source() -> None:
    """What declares the loops of all learners is compiled with all of them: each has its own pair of files."""
    kernels = {
        path.relative_to(CORE / "include/streamboost") for path in CORE.glob("include/**/*kernels.hpp")
    }
    sources = {path.relative_to(CORE / "src") for path in CORE.glob("src/**/*_kernels.cpp")}
    assert kernels
    assert {path.with_suffix(".cpp") for path in kernels} <= sources

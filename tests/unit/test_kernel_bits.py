"""The native kernels give the same bits at every level of the processor, and as they are written."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = ROOT / "build/core/libstreamboost_core.a"  # what `make build` links into the extension
FLAGS = ["-std=c++20", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math", "-Wno-psabi", "-pthread"]
COMPILER = os.environ.get("CXX") or shutil.which("c++") or shutil.which("g++")

pytestmark = [
    pytest.mark.skipif(not LIBRARY.exists(), reason="needs the source tree and its compiled core"),
    pytest.mark.skipif(COMPILER is None, reason="needs a C++ compiler"),
]


def program(folder: Path, *options: str | Path) -> Path:
    path = folder / "kernel_bits"
    command = [
        COMPILER,
        *FLAGS,
        f"-I{ROOT / 'core/include'}",
        ROOT / "core/tests/kernel_bits.cpp",
        *options,
        "-o",
        path,
    ]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    return path


def digests(path: Path, level: str = "") -> tuple[str, dict[str, str]]:
    """The level that ran, and what each kernel gave."""
    environment = {**os.environ, "STREAMBOOST_LEVEL": level}
    output = subprocess.run([path], capture_output=True, text=True, check=True, env=environment).stdout
    (_, ran), *lines = [line.rsplit(maxsplit=1) for line in output.splitlines()]
    # Some names come twice.
    return ran, {f"{at} {name.strip()}": digest for at, (name, digest) in enumerate(lines)}


@pytest.fixture(scope="module")
def as_written(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """One lane after the other, no instruction that not every processor has."""
    sources = [
        *(ROOT / "core/src").glob("*/*_kernels.cpp"),
        *((ROOT / "core/src/math") / name for name in ("levels.cpp", "rng.cpp")),
    ]
    return digests(program(tmp_path_factory.mktemp("plain"), "-O1", "-DSTREAMBOOST_LEVEL=plain", *sources))[1]


@pytest.fixture(scope="module")
def as_built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return program(tmp_path_factory.mktemp("built"), "-O3", LIBRARY)


def test_every_kernel_prints_its_own_digest(as_written: dict[str, str]) -> None:
    assert len(as_written) >= 20
    lanes = {name: value for name, value in as_written.items() if "_lanes" in name}
    assert len(set(lanes.values())) == len(lanes)


@pytest.mark.parametrize("level", ["v2", "v3", "v4", "neon"])
def test_levels_agree(level: str, as_written: dict[str, str], as_built: Path) -> None:
    ran, found = digests(as_built, level)
    if ran != level:
        pytest.skip(f"this processor cannot run {level}")
    assert found == as_written


def test_the_highest_level_is_taken(as_built: Path) -> None:
    levels = [level for level in ("v2", "v3", "v4", "neon") if digests(as_built, level)[0] == level]
    assert digests(as_built)[0] == levels[-1]


@pytest.mark.skipif(shutil.which("nm") is None, reason="needs nm")
def test_levels_share_no_function() -> None:
    """Of a function that several levels compile for themselves the linker keeps one, perhaps the highest, for all of them."""
    symbols = subprocess.run(["nm", "-C", LIBRARY], capture_output=True, text=True, check=True).stdout
    objects = dict(re.findall(r"^(\S+_kernels\S*\.o):\n((?:.+\n)*)", symbols, re.M))
    assert len(objects) >= 15
    assert not {
        name: shared
        for name, lines in objects.items()
        if (shared := re.findall(r"^\S+ [WVu] .*", lines, re.M))
    }

"""The native kernels give the same bits on every x86-64 level, with and without run-time dispatch."""

import platform
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FLAGS = ["-O3", "-std=c++20", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math"]
LEVELS = {  # level: what /proc/cpuinfo must list for the program to run
    "x86-64": set(),
    "x86-64-v3": {"avx2", "bmi1", "bmi2", "fma", "movbe", "f16c", "abm"},
    "x86-64-v4": {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"},
}
COMPILER = shutil.which("c++") or shutil.which("g++")

pytestmark = [
    pytest.mark.skipif(not (ROOT / "core" / "src").is_dir(), reason="needs the source tree"),
    pytest.mark.skipif(COMPILER is None, reason="needs a C++ compiler"),
    pytest.mark.skipif(platform.machine() not in {"x86_64", "AMD64"}, reason="x86-64 levels"),
]


def cpu_flags() -> set[str]:
    info = Path("/proc/cpuinfo")
    if not info.exists():
        return set()
    lines = [line for line in info.read_text().splitlines() if line.startswith("flags")]
    return set(lines[0].split(":")[1].split()) if lines else set()


def built_core() -> Path | None:
    """The core of the extension module, if it is as new as its sources: the dispatch need not be compiled again."""
    library = ROOT / "build/core/libstreamboost_core.a"
    newest = max((path.stat().st_mtime for path in (ROOT / "core").glob("[is]*/**/*.?pp")), default=0.0)
    return library if library.exists() and library.stat().st_mtime > newest else None


def digests(folder: Path, *options: str, library: Path | None = None) -> dict[str, str]:
    program = folder / "kernel_bits"
    kernels = sorted((ROOT / "core/src").glob("*/*_kernels.cpp")) if library is None else [library]
    command = [
        COMPILER,
        *FLAGS,
        *options,
        f"-I{ROOT / 'core/include'}",
        str(ROOT / "core/tests/kernel_bits.cpp"),
        *map(str, kernels),
        "-pthread",
        "-o",
        str(program),
    ]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    output = subprocess.run([str(program)], capture_output=True, text=True, check=True).stdout
    lines = [line.rsplit(maxsplit=1) for line in output.splitlines()]
    return {
        f"{at} {name.strip()}": digest for at, (name, digest) in enumerate(lines)
    }  # some names come twice


@pytest.fixture(scope="module")
def baseline(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """As they are written: one lane after the other, no instruction that not every processor has."""
    return digests(tmp_path_factory.mktemp("baseline"), "-DSTREAMBOOST_NO_CLONES", "-march=x86-64", "-O1")


def test_every_kernel_prints_its_own_digest(baseline: dict[str, str]) -> None:
    assert len(baseline) >= 20
    lanes = {name: value for name, value in baseline.items() if "_lanes" in name}
    assert len(set(lanes.values())) == len(lanes)


@pytest.mark.parametrize("level", ["x86-64-v3", "x86-64-v4"])
def test_levels_agree(level: str, baseline: dict[str, str], tmp_path: Path) -> None:
    if not LEVELS[level] <= cpu_flags():
        pytest.skip(f"this processor is below {level}")
    if level == "x86-64-v3" and not LEVELS["x86-64-v4"] <= cpu_flags():
        pytest.skip("the dispatch, tried below, picks this level here")
    assert digests(tmp_path, "-DSTREAMBOOST_NO_CLONES", f"-march={level}") == baseline


@pytest.fixture(scope="module")
def dispatched(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    folder = tmp_path_factory.mktemp("dispatched")
    return folder / "kernel_bits", digests(folder, library=built_core())


def test_dispatch_agrees(baseline: dict[str, str], dispatched: tuple[Path, dict[str, str]]) -> None:
    assert dispatched[1] == baseline


@pytest.mark.skipif(shutil.which("nm") is None, reason="needs nm")
def test_clones_call_no_code_of_the_lowest_level(dispatched: tuple[Path, dict[str, str]]) -> None:
    """A lambda that was not inlined is compiled once, for the lowest level, and every clone would call that."""
    symbols = subprocess.run(["nm", "-C", dispatched[0]], capture_output=True, text=True, check=True).stdout
    # A demangled name begins with the function that the lambda belongs to; the program itself stands in no namespace.
    called = [line for line in symbols.splitlines() if " streamboost::" in line and "{lambda(" in line]
    assert not called

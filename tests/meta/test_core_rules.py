"""Rules of the native code that a compiler does not know: whose transcendentals, whose random numbers."""

import importlib.util
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CORE = sorted(p for folder in ("include", "src") for p in (ROOT / "core" / folder).rglob("*.[ch]pp"))

# The C library's versions differ between machines in the last bits; sqrt, fma, floor are exact everywhere.
# fmt: off
TRANSCENDENTAL = [
    "exp", "exp2", "exp10", "expm1", "log", "log2", "log10", "log1p", "pow", "cbrt", "hypot",
    "sin", "cos", "tan", "sincos", "asin", "acos", "atan", "atan2",
    "sinh", "cosh", "tanh", "asinh", "acosh", "atanh",
    "erf", "erfc", "lgamma", "tgamma", "beta",
]
# fmt: on
NAMES = "|".join(TRANSCENDENTAL)

FORBIDDEN = {
    "a library transcendental (use streamboost/math.hpp)": re.compile(
        rf"(?:\bstd::|(?<![\w>])::|__builtin_)(?:{NAMES})f?l?\s*\("
    ),
    "the library's random numbers (use streamboost/rng.hpp)": re.compile(
        r"<random>|\bstd::(?:mt19937|random_device|\w+_engine|\w+_distribution)|(?<![\w.>])s?rand\s*\("
    ),
    "a sum without a fixed order": re.compile(r"\bstd::(?:reduce|transform_reduce|execution)\b"),
    "output from the core": re.compile(r"<iostream>|\bstd::c(?:out|err)\b|(?<!\w)f?printf\s*\("),
    "Python in the core": re.compile(r"<Python\.h>|nanobind"),
}


def without_comments(text: str) -> str:
    text = re.sub(r"/\*.*?\*/", lambda m: "\n" * m.group().count("\n"), text, flags=re.S)
    return re.sub(r"//[^\n]*", "", text)


def test_there_is_a_core_to_check():
    assert CORE


@pytest.mark.parametrize("path", CORE, ids=lambda p: p.name)
def test_core_uses_only_its_own_arithmetic(path):
    found = [
        f"{path.relative_to(ROOT)}:{number}: {what}: {line.strip()}"
        for number, line in enumerate(without_comments(path.read_text()).splitlines(), 1)
        for what, pattern in FORBIDDEN.items()
        if pattern.search(line)
    ]
    assert not found, "\n".join(found)


def test_the_bindings_give_the_lock_of_python_back_by_a_guard_of_their_own():
    """nanobind's aborts the process where an interpreter ends while a thread is in native code (bindings/without_gil.hpp)."""
    found = [p.name for p in (ROOT / "bindings").glob("*.[ch]pp") if "gil_scoped_release" in p.read_text()]
    assert not found


def test_extension_imports_no_transcendental():
    """What a search of the source misses (an unqualified call) shows up as an import of the binary."""
    spec = importlib.util.find_spec("streamboost._core")
    if shutil.which("nm") is None:
        pytest.skip("nm is not installed")
    listing = subprocess.run(
        ["nm", "-D", "--undefined-only", spec.origin], check=True, capture_output=True, text=True
    ).stdout
    imported = {line.split()[-1].split("@")[0] for line in listing.splitlines() if line.strip()}
    banned = {name + suffix for name in TRANSCENDENTAL for suffix in ("", "f", "l")} | {
        "rand",
        "srand",
        "random",
    }
    # Vector versions (libmvec) are named like _ZGVdN4v_exp.
    vector = {name for name in imported if name.startswith("_ZGV")}
    assert not (imported & banned) | vector


def test_compiler_flags_keep_the_arithmetic_exact():
    flags = re.sub(r"#[^\n]*", "", (ROOT / "CMakeLists.txt").read_text())
    assert "-ffp-contract=off" in flags
    for loose in ("-ffast-math", "-Ofast", "-funsafe-math", "-fassociative-math", "-march=native"):
        assert loose not in flags

"""Compiles the small C++ helpers of the benchmarks, for this host."""

from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path

HERE = Path(__file__).parent


def compile_library(source: str, folder: Path, *flags: str) -> Path:
    """The shared library of a source file beside this one; CXX names another compiler."""
    target = folder / Path(source).with_suffix(".so").name
    compiler = shlex.split(os.environ.get("CXX", "c++"))
    command = [*compiler, "-std=c++20", "-shared", "-fPIC", *flags, str(HERE / source), "-o", str(target)]
    subprocess.run(command, check=True, capture_output=True, text=True)
    return target

"""Kernels are compiled once per level of the processor; `ctest` compares their bits with core/tests/kernel_bits.txt at each."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

LIBRARY = Path(__file__).resolve().parents[2] / "build/core/libstreamboost_core.a"


@pytest.mark.skipif(not LIBRARY.exists(), reason="needs the source tree and its compiled core")
@pytest.mark.skipif(shutil.which("nm") is None, reason="needs nm")
def test_levels_share_no_function() -> None:
    """Of a function that several levels compile for themselves the linker keeps one, perhaps the highest, for all of them."""
    symbols = subprocess.run(["nm", "-C", LIBRARY], capture_output=True, text=True, check=True).stdout
    objects = re.findall(r"^(\S+_kernels\S*\.o):\n((?:.+\n)*)", symbols, re.M)
    assert len(objects) >= 15
    shared = {name: re.findall(r"^\S+ [WVu] .*", lines, re.M) for name, lines in objects}
    assert not {name: found for name, found in shared.items() if found}

"""What a result was measured on: processor, versions, date. Nothing that identifies a host."""

from __future__ import annotations

import datetime
import os
import platform
import re
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from streamboost import _core


def cpu_model() -> str:
    try:
        found = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    except OSError:
        found = None
    return found.group(1).strip() if found else platform.processor() or platform.machine()


def first_line(*command: str) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return "not found"
    return ((done.stdout or done.stderr).strip().splitlines() or ["not found"])[0]


def installed(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def describe(packages: list[str], date: str | None = None) -> list[str]:
    """Lines for the head of a result page."""
    listed = ", ".join(f"{name} {installed(name)}" for name in packages)
    system = f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"
    return [
        f"- Date: {date or datetime.date.today().isoformat()}",
        f"- Processor: {cpu_model()}, {os.cpu_count()} cores, level {_core.level}",
        f"- System: {system}, {first_line('c++', '--version')}",
        f"- Packages: {listed}",
    ]

"""``streamboost doctor``: this build and this machine, and the optional packages with the command that installs each."""

from __future__ import annotations

import os
import platform
import re
import sys
import sysconfig
from importlib import metadata
from pathlib import Path

from rich.table import Table

from streamboost import _core
from streamboost.base.system import memory, usable_cores
from streamboost.cli.console import quantity, stdout

_EXTRAS = {
    "io": "Parquet and Arrow files, workbooks",
    "serve": "the learning service",
    "client": "talking to a service from Python",
    "kafka": "Kafka topics as streams",
    "redis": "Redis streams",
    "ray": "shards on a Ray cluster",
    "river": "River's interface",
}


def show_doctor() -> None:
    """Print the tables."""
    console = stdout()
    forced = " (forced by STREAMBOOST_LEVEL)" if os.environ.get("STREAMBOOST_LEVEL") else ""
    facts = {
        "streamboost": f"{metadata.version('streamboost')} in {Path(_core.__file__).parent}",
        "compiled by": _core.compiler,
        "level": f"{_core.level}{forced}; this processor can run {', '.join(_core.levels)}",
        "Python": f"{platform.python_implementation()} {platform.python_version()}{_lock()}",
        "system": platform.platform(),
        "cores": str(usable_cores()),
        "memory": quantity(memory()),
        **{name: _version(name) or "missing" for name in ("numpy", "scipy", "scikit-learn", "narwhals")},
    }
    table = Table(box=None, show_header=False, pad_edge=False)
    for name, fact in facts.items():
        table.add_row(f"[bold]{name}[/]", fact)
    console.print(table, highlight=False)
    console.print()
    table = Table("optional", "", box=None, pad_edge=False)
    for extra, purpose in _EXTRAS.items():
        table.add_row(extra, f"{purpose}\n{_found(extra)}")
    console.print(table, highlight=False)


def _found(extra: str) -> str:
    """Which packages of an extra are here, and how to get the rest. cmd.exe knows no single quotes."""
    versions = {name: _version(name) for name in _requires(extra)}
    found = ", ".join(f"{name} {version}" for name, version in versions.items() if version)
    missing = ", ".join(name for name, version in versions.items() if not version)
    if not missing:
        return f"[green]{found}[/]"
    lacking = f"{found}; without {missing}" if found else "not installed"
    return f'{lacking}: pip install "streamboost\\[{extra}]"'


def _lock() -> str:
    """What a free-threaded Python does with its lock while streamboost is imported."""
    if not sysconfig.get_config_var("Py_GIL_DISABLED"):
        return ""
    locked = sys._is_gil_enabled()  # type: ignore[attr-defined,unused-ignore]  # since 3.13
    return f", free-threaded (its lock is {'on' if locked else 'off'})"


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _requires(extra: str) -> list[str]:
    """The packages of an extra, as the installed metadata has them."""
    wanted = [
        line
        for line in metadata.requires("streamboost") or ()
        if re.search(rf"extra == ['\"]{extra}['\"]", line)
    ]
    return [re.match(r"[\w.-]+", line)[0] for line in wanted]  # type: ignore[index]

"""Starts real servers quickly: everything is imported once, each server is a fork of that process and has a life of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any


class Zygote:
    """The other side of :func:`main`."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.service.zygote"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[2],
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        )
        assert self._read() == {"imported": True}

    def _read(self) -> Any:
        assert self._process.stdout is not None
        return json.loads(self._process.stdout.readline())

    def start(self, folder: Path, port: int, log: Path | None = None, **settings: Any) -> int:
        """Start a server; returns its process id."""
        assert self._process.stdin is not None
        order = {"folder": str(folder), "port": port, "log": str(log or os.devnull), "settings": settings}
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        return int(self._read()["pid"])

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()


def main() -> None:
    from streamboost.service.http.server import Options, serve
    from streamboost.service.store import Settings

    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    print(json.dumps({"imported": True}), flush=True)
    for line in sys.stdin:
        order = json.loads(line)
        pid = os.fork()
        if pid:
            print(json.dumps({"pid": pid}), flush=True)
            continue
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        log = os.open(order["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(log, 1)
        os.dup2(log, 2)
        os._exit(
            serve(
                Options(
                    Path(order["folder"]),
                    port=order["port"],
                    open_to_all=True,
                    quiet_log=True,
                    settings=Settings(**order["settings"]),
                )
            )
        )


if __name__ == "__main__":
    main()

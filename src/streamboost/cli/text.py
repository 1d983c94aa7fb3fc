"""How text enters and leaves a command."""

from __future__ import annotations

import io
import os
import sys


def speak_utf8() -> None:
    """Pipes and redirected files are UTF-8 with plain line ends, as every file that is written and read here.

    Windows would take its own code page, which lacks most letters. A terminal keeps its own, and PYTHONIOENCODING is obeyed: a
    letter that they lack is escaped.
    """
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if (
            not isinstance(stream, io.TextIOWrapper) or stream.closed
        ):  # there is none, or it is somebody else's
            continue
        encoding = None if stream.isatty() or os.environ.get("PYTHONIOENCODING") else "utf-8"
        if stream is sys.stdin:
            stream.reconfigure(encoding=encoding)
        else:
            stream.reconfigure(
                encoding=encoding, errors="backslashreplace", newline="\n" if encoding else None
            )

"""Many connections at once, as fast as answers come; how long each took, and what the server's processor did for it."""

from __future__ import annotations

import asyncio
import os
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

TICK = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Measured:
    """One run."""

    n: int
    seconds: float
    p50_ms: float
    p99_ms: float
    cpu_us: float
    """Processor time of the server for one request, which a busy machine does not change much."""

    @property
    def per_second(self) -> float:
        """Requests answered in a second of the clock."""
        return self.n / self.seconds


def cpu_seconds(pid: int) -> float:
    """Processor time of a process so far, all its threads."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def memory_mb(pid: int) -> float:
    """Resident memory of a process."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


async def _http(host: str, port: int, requests: list[bytes], took: list[float]) -> None:
    reader, writer = await asyncio.open_connection(host, port)
    try:
        for request in requests:
            start = time.perf_counter()
            writer.write(request)
            head = await reader.readuntil(b"\r\n\r\n")
            if b" 200 " not in head.split(b"\r\n", 1)[0]:
                raise RuntimeError(head.decode())
            length = next(
                int(line.split(b":")[1])
                for line in head.lower().split(b"\r\n")
                if line.startswith(b"content-length")
            )
            await reader.readexactly(length)
            took.append(time.perf_counter() - start)
            if b"connection: close" in head.lower():
                writer.close()
                reader, writer = await asyncio.open_connection(host, port)
    finally:
        writer.close()


async def _line(host: str, port: int, requests: list[bytes], took: list[float]) -> None:
    reader, writer = await asyncio.open_connection(host, port)
    try:
        for request in requests:
            start = time.perf_counter()
            writer.write(request)
            await reader.readline()
            took.append(time.perf_counter() - start)
    finally:
        writer.close()


def run(
    pid: int, port: int, connections: int, n: int, make: Callable[[int], bytes], *, lines: bool = False
) -> Measured:
    """``make(i)`` is the i-th request as bytes; ``lines``: a protocol of lines instead of HTTP."""
    took: list[float] = []
    talk = _line if lines else _http
    each = max(1, n // connections)

    async def all_of_them() -> None:
        await asyncio.gather(
            *(
                talk("127.0.0.1", port, [make(c * each + i) for i in range(each)], took)
                for c in range(connections)
            )
        )

    before, start = cpu_seconds(pid), time.perf_counter()
    asyncio.run(all_of_them())
    seconds = time.perf_counter() - start
    cpu = cpu_seconds(pid) - before
    ordered = sorted(took)
    return Measured(
        len(took),
        seconds,
        1e3 * statistics.median(ordered),
        1e3 * ordered[min(len(ordered) - 1, int(0.99 * len(ordered)))],
        1e6 * cpu / len(took),
    )


def post(path: str, body: bytes) -> bytes:
    """A request of HTTP."""
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body

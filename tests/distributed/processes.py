"""What this process has started, and where it listens: from /proc."""

import os
from pathlib import Path


def descendants():
    """Processes that this one has started, and those that they have started."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:  # it has just ended
                continue
    found, more = set(), {os.getpid()}
    while more:
        found |= more
        more = {pid for pid, parent in parents.items() if parent in found} - found
    return found - {os.getpid()}


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def listening(pids):
    """Addresses, as the kernel writes them, on which some of these processes take TCP connections."""
    inodes = set()
    for pid in pids:
        try:
            links = [os.readlink(f"/proc/{pid}/fd/{name}") for name in os.listdir(f"/proc/{pid}/fd")]
        except OSError:
            continue
        inodes |= {link[8:-1] for link in links if link.startswith("socket:[")}
    addresses = []
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        if Path(table).exists():
            for line in Path(table).read_text().splitlines()[1:]:
                fields = line.split()
                if fields[3] == "0A" and fields[9] in inodes:
                    addresses.append(fields[1].rpartition(":")[0])
    return addresses


LOOPBACK = ("0100007F", "0000000000000000FFFF00000100007F", "00000000000000000000000001000000")
"""127.0.0.1, the same as IPv6 has it, and ::1."""

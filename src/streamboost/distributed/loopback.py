"""Keeps Ray on this machine alone: it listens on loopback only.

    python -m streamboost.distributed.loopback start --head ...     is `ray start --head ...` that way

Ray takes 127.0.0.1 for a mistake: it puts the machine's own address in its place, and a node with such an address listens on
every network. Only a node whose address stays 127.0.0.1 listens on loopback alone. On Linux no option of Ray's leads there, so
the one function that it asks for the address is answered here, while a node starts or a driver connects.
"""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterator

LOOPBACK = "127.0.0.1"


@contextlib.contextmanager
def on_loopback() -> Iterator[None]:
    """Let what Ray starts in this block have the address 127.0.0.1."""
    from ray._private import services

    asked = services.node_ip_address_from_perspective
    services.node_ip_address_from_perspective = lambda address=None: LOOPBACK
    try:
        yield
    finally:
        services.node_ip_address_from_perspective = asked


def only_on_loopback(address: str) -> bool:
    """Whether an address of a cluster is on loopback, and the cluster is not reached by the machine's own address as well."""
    from ray._private import services

    host, _, port = address.rpartition(":")
    if host not in (LOOPBACK, "localhost") or not port.isdigit():
        return False
    try:
        socket.create_connection((services.get_node_ip_address(), int(port)), timeout=2).close()
    except OSError:
        return True
    return False


if __name__ == "__main__":
    from ray.scripts.scripts import main

    with on_loopback():
        main()

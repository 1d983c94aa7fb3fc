"""kill -9 under load: nothing acknowledged is lost, nothing is learned twice, the model is the replay of its log."""

from __future__ import annotations

from tests.service.soak import soak


def test_kill() -> None:
    found = soak(50, clients=3, life=0.15)
    assert found["lost"] == 0
    assert found["learned twice"] == 0
    assert found["acknowledged"] > 20  # every other life answers somebody
    assert found["retried"] > 5

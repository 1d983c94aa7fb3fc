"""kill -9 under load: nothing acknowledged is lost, nothing is learned twice, the model is the replay of its log."""

from __future__ import annotations

import pytest

from tests.service.soak import soak


@pytest.mark.parametrize(("kills", "words"), [(50, False), (15, True)])
def test_kill(kills: int, words: bool) -> None:
    found = soak(kills, clients=3, life=0.15, words=words)
    assert found["lost"] == 0
    assert found["learned twice"] == 0
    assert found["acknowledged"] > 2 * kills // 5  # every other life answers somebody
    assert found["retried"] > kills // 10

"""These tests are the same whether or not the papers' data are here."""

import pytest


@pytest.fixture(autouse=True)
def no_data_folder(monkeypatch):
    monkeypatch.delenv("STREAMBOOST_DATA", raising=False)

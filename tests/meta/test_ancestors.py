"""A reader of an ensemble need not climb far: how many classes of ours each one is made of."""

import pytest

import streamboost
from streamboost import catalogue

MOST = 8


@pytest.mark.parametrize("entry", catalogue.ENTRIES, ids=lambda entry: entry.class_name)
def test_no_class_has_many_ancestors(entry):
    cls = getattr(streamboost, entry.class_name)
    ancestors = [kind.__name__ for kind in cls.__mro__[1:] if kind.__module__.startswith("streamboost")]
    assert len(ancestors) <= MOST, ancestors

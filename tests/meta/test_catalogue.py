"""Nothing of the product's tables is left out: every model, learner and detector has its case.

Metrics are held against oracles by their own tables, in tests/unit/test_metrics.py and test_regression_evaluation.py.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import streamboost
from streamboost import drift
from streamboost.base.parameter import parameters_of
from tests import catalogue as cases
from tests.options import GIVEN, values
from tests.state.models import build

LAWS = Path(__file__).resolve().parents[1] / "laws"

TABLES = {
    "MODELS": {entry.name for entry in cases.ALL_MODELS},
    "LEARNERS": {entry.name for entry in cases.ALL_LEARNERS},
    "DETECTORS": set(drift.__all__),
}


@pytest.mark.parametrize("table", TABLES)
def test_everything_has_a_case_and_every_case_is_of_something(table: str) -> None:
    cased = set(getattr(cases, table))
    missing, left = TABLES[table] - cased, cased - TABLES[table]
    assert not missing, (
        f"{sorted(missing)}: add a line each to {table} in tests/catalogue.py, with constructor arguments that make it small"
    )
    assert not left, f"{sorted(left)} in {table} of tests/catalogue.py: there is no such thing any more"


def test_a_missing_case_says_what_to_add() -> None:
    with pytest.raises(LookupError, match=r"tests/catalogue.py: add a line"):
        cases.case(cases.MODELS, "new")


def test_everything_is_held_against_an_oracle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(LAWS.parent))  # the laws import their oracles from there
    from laws.catalogue import ELSEWHERE, ENSEMBLES, LEARNERS

    paired = {pair.product.__name__ for pair in ENSEMBLES} | {
        type(one.product()).__name__ for one in LEARNERS
    }
    here = {entry.name for entry in (*cases.ALL_MODELS, *cases.ALL_LEARNERS) if entry.class_name in paired}
    there = set().union(*ELSEWHERE.values())
    assert not here & there
    missing = {entry.name for entry in (*cases.ALL_MODELS, *cases.ALL_LEARNERS)} - here - there
    assert not missing, f"{sorted(missing)}: pair each with its oracle in tests/laws/catalogue.py"
    for file, names in ELSEWHERE.items():
        text = (LAWS / file).read_text()
        assert "oracle" in text
        classes = [
            entry.class_name for entry in (*cases.ALL_MODELS, *cases.ALL_LEARNERS) if entry.name in names
        ]
        assert len(classes) == len(names)
        assert [name for name in classes if name not in text] == []


def test_everything_is_in_a_sample_file() -> None:
    samples = build().values()
    learners = {type(getattr(one, "estimator", None) or one._default_learner()).__name__ for one in samples}
    classes = {type(one).__name__ for one in samples} | learners
    filed = [
        entry for entry in (*cases.ALL_MODELS, *cases.ALL_LEARNERS) if not getattr(entry, "experts", False)
    ]
    assert [entry.name for entry in filed if entry.class_name not in classes] == []


@pytest.mark.parametrize("entry", [*cases.ALL_MODELS, *cases.ALL_LEARNERS], ids=lambda entry: entry.name)
def test_every_parameter_has_values_that_its_declaration_allows(entry: object) -> None:
    cls = getattr(streamboost, entry.class_name)  # type: ignore[attr-defined]
    for name, declared in parameters_of(cls).items():
        if name not in GIVEN:
            assert values(declared)


@pytest.mark.parametrize("name", drift.__all__)
def test_every_detector_finds_a_change(name: str) -> None:
    """As its case promises, and not before there is one."""
    detector = getattr(drift, name)(**cases.case(cases.DETECTORS, name))
    errors = [1.0 if i % 5 == 0 else 0.0 for i in range(300)] + [
        0.0 if i % 5 == 0 else 1.0 for i in range(300)
    ]
    found = [i for i, error in enumerate(errors) if detector.update(error)]
    assert found, f"{name} of tests/catalogue.py finds nothing"
    assert 300 <= found[0] < 500

"""Requests made from the OpenAPI document, legal and illegal: the service answers as the document says, never with a fault."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi.checks import content_type_conformance, status_code_conformance

from streamboost.service.http import make_app
from streamboost.service.store import LearningStore

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance]


def test_every_operation(tmp_path: Path) -> None:
    with LearningStore(tmp_path) as store:
        store.create("loans", model="osboost", learner="naive-bayes", params={"n_estimators": 2})
        store.learn("loans", {"age": 31.0, "job": "clerk"}, "yes")
        schema = schemathesis.openapi.from_asgi(
            "/openapi.json", make_app(store, open_to_all=True), headers={"Host": "localhost"}
        )
        tried = []
        for result in schema.get_all_operations():
            operation = result.ok()
            if operation.path.endswith("/live"):  # it never ends
                continue
            for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
                if mode is GenerationMode.NEGATIVE and not operation.body and not operation.query:
                    continue
                attack(operation, mode)
            tried.append(operation.label)
        assert len(tried) >= 22
        assert store.read_only is None


def attack(operation: Any, mode: GenerationMode) -> None:
    @given(case=operation.as_strategy(generation_mode=mode))
    @settings(
        max_examples=5,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.explicit, Phase.generate],
        derandomize=True,
        database=None,
    )
    def run(case: schemathesis.Case) -> None:
        case.call_and_validate(checks=CHECKS, headers={"Host": "localhost"})

    run()

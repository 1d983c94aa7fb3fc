"""Files of every format version load for ever and answer as they did."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import streamboost
from streamboost.models import ALL_LEARNERS, BATCH_MODELS, MODELS, REGRESSORS
from tests.state.models import answers, go_on, manifest_of, unpack

FILES = Path(__file__).parent / "files"
SAMPLES = sorted(FILES.glob("*.sboost"))


def test_there_is_a_sample_of_every_model_and_learner():
    manifests = [manifest_of(unpack(path)) for path in SAMPLES]
    assert {manifest["model"]["name"] for manifest in manifests} == {*MODELS, *REGRESSORS, *BATCH_MODELS}
    assert {manifest["learner"]["name"] for manifest in manifests if manifest["learner"]} == set(ALL_LEARNERS)


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_old_files_answer_as_they_did(path):
    version, name = path.stem.split("-", 1)
    model = streamboost.load(path)
    assert answers(name, model) == json.loads((FILES / f"{version}.json").read_text())[name]
    go_on(name, model)

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
    assert {manifest["learner"]["name"] for manifest in manifests} == set(ALL_LEARNERS)


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_old_files_answer_as_they_did(path):
    version, name = path.stem.split("-", 1)
    model = streamboost.load(path)
    assert answers(name, model) == json.loads((FILES / f"{version}.json").read_text())[name]
    go_on(name, model)


@pytest.mark.parametrize("name", ["oza-nb", "primed-boost"])
def test_models_from_before_a_parameter_go_on_as_they_were(name):
    assert streamboost.load(FILES / f"v1-{name}.sboost").copies_cap is None


def test_regressors_from_before_keep_their_companions():
    assert list(streamboost.load(FILES / "v1-streamboost-regressor.sboost").companions) == ["linear"]
    assert list(streamboost.load(FILES / "v1-regressor-boosted.sboost").companions) == ["linear", "boosted"]


@pytest.mark.parametrize("name", ["oza-logistic", "single-multiclass"])
def test_logistic_learners_from_before_keep_their_plain_steps(name):
    assert streamboost.load(FILES / f"v1-{name}.sboost").estimator.update == "plain"


@pytest.mark.parametrize(
    ("name", "now"),
    [
        ("bayes-sgd", {"vote": "sgd", "prior_shape": 2.0, "prior_rate": 0.5}),  # weights, alpha, beta
        ("bayes-voting", {"vote": "uniform"}),  # weights="voting"
        ("online-mbbm-code", {"weight_scale": "normalised"}),  # weights
        ("adaboost-olm-binary", {"step": "binary", "weight_scale": "normalised"}),  # rate, weights
        ("ogboost-logistic", {"loss": "logistic"}),  # "logit"
        ("osboost-exp", {"hedge_rate": 0.7}),  # rate
        ("osboost-horizon", {"hedge_rate": "horizon", "horizon": 500}),
        ("bagging-mlp", {"estimator__rate": 0.5}),  # learning_rate
    ],
)
def test_parameters_that_had_other_names_are_read(name, now):
    params = streamboost.load(FILES / f"v1-{name}.sboost").get_params()
    assert {key: params[key] for key in now} == now

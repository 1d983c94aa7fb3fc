"""The product says what the oracle says: labels, probabilities, scores and per-learner weights, step by step.

A step whose outcome hangs on a rounding (a tie to within 1e-9) proves nothing: its label is not compared, and if the decision
shaped the state (a perceptron's mistake test, Oza's right or wrong) the rest of the stream is given up.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from laws.catalogue import ENSEMBLES, LEARNERS, key_of, lane_report, pairs
from laws.strategies import seeds, streams

REL, ABS = 1e-9, 1e-12


def oracle_run(ensemble, learner, stream, n_estimators, key):
    """(answers before each row, per-lane weight sums after each row, the oracle), up to the first doubtful step."""
    codes, order = stream.codes()
    oracle = ensemble.make_oracle(
        learner,
        n_estimators,
        key,
        width=stream.X.shape[1],
        nominal=stream.categorical,
        n_classes=None if stream.classes is None else len(stream.classes),
    )
    answers, sums = [], []
    for x, code, w in zip(stream.X.tolist(), codes, stream.weight.tolist(), strict=True):
        answers.append(oracle.answer(x))
        oracle.learn(x, code, w)
        if oracle.doubt:
            break
        sums.append(list(oracle.weight_sum))
    return answers, sums, oracle, order


def product(ensemble, learner, stream, n_estimators, seed):
    return ensemble.make_product(learner, n_estimators, seed, stream.categorical)


def compare_answers(answers, labels, proba, order, known_labels, learned):
    column = {label: i for i, label in enumerate(sorted(known_labels))}
    for t, answer in enumerate(answers):
        if answer.label is None:
            assert labels[t] is None, t
            assert np.isnan(proba[t]).all(), t
            continue
        if answer.close:
            continue
        assert labels[t] == order[answer.label], f"row {t}"
        if answer.proba is None or not learned[t]:
            continue  # nothing learned yet: no probabilities to speak of
        expected = np.zeros(len(column))
        for code, p in enumerate(answer.proba):
            expected[column[order[code]]] = p
        np.testing.assert_allclose(proba[t], expected, rtol=REL, atol=ABS, err_msg=f"row {t}")


@pytest.mark.parametrize(("ensemble", "learner"), pairs(ENSEMBLES, LEARNERS))
@given(data=st.data(), seed=seeds)
def test_product_agrees_with_oracle(ensemble, learner, data, seed):
    several = not ensemble.binary
    stream = data.draw(
        streams(
            kinds=learner.kinds,
            n_classes=(2, 3) if several else (2, 2),
            # more than two classes and a linear learner: declared only
            declared=True if several and learner.linear else None,
            # a running mean of weighted rows leaves open what weight a row merely asked about has
            weights=learner.scale != "standard",
        )
    )
    n_estimators = 1 if ensemble.alone else data.draw(st.integers(1, 5))
    model = product(ensemble, learner, stream, n_estimators, seed)
    labels = model.test_then_train(**stream.everything, classes=stream.classes)
    assert key_of(model) == seed
    answers, sums, _, order = oracle_run(ensemble, learner, stream, n_estimators, key_of(model))
    again = product(ensemble, learner, stream, n_estimators, seed)
    proba = again.test_then_train(**stream.everything, classes=stream.classes, output="proba")
    learned = np.concatenate([[0], np.cumsum(stream.weight > 0)[:-1]])
    compare_answers(answers, labels, proba, order, stream.classes or order, learned)

    stepwise = product(ensemble, learner, stream, n_estimators, seed)
    for t, expected in enumerate(sums):
        stepwise.partial_fit(**stream.rows(slice(t, t + 1)), classes=stream.classes)
        if stream.weight[: t + 1].any():
            np.testing.assert_allclose(
                lane_report(stepwise, "weight_sum"), expected, rtol=REL, err_msg=f"row {t}"
            )


BINARY = [e for e in ENSEMBLES if e.name in ("single", "osboost", "osboost-sign")]


@pytest.mark.parametrize(("ensemble", "learner"), pairs(BINARY, LEARNERS))
@given(data=st.data(), seed=seeds)
def test_scores_and_edges_agree(ensemble, learner, data, seed):
    """Where the score is the (mean) margin, it agrees; and so do OSBoost's edges."""
    stream = data.draw(streams(kinds=learner.kinds, weights=learner.scale != "standard"))
    n_estimators = 1 if ensemble.alone else data.draw(st.integers(1, 5))
    model = product(ensemble, learner, stream, n_estimators, seed)
    scores = model.test_then_train(**stream.everything, classes=stream.classes, output="score")
    answers, _, oracle, order = oracle_run(ensemble, learner, stream, n_estimators, key_of(model))
    turned = -1 if len(order) == 2 and order[1] < order[0] else 1
    for t, answer in enumerate(answers):
        if answer.label is None:
            assert np.isnan(scores[t]).all()
        elif answer.scores is not None and len(answer.scores) == 1:
            score = scores[t, 1] - scores[t, 0]
            assert score == pytest.approx(turned * answer.scores[0], rel=REL, abs=ABS), f"row {t}"
    if ensemble.name.startswith("osboost") and not oracle.doubt and oracle.examples:
        np.testing.assert_allclose(lane_report(model, "edge"), oracle.edge, rtol=REL, atol=ABS)

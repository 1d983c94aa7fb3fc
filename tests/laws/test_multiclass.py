"""What the papers prove of OnlineMBBM and Adaboost.OLM, for every stream. The numbered list: test_multiclass_properties.py."""

import math
import pickle

import numpy as np
import pytest
from golden.scripted import ScriptedLabels
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import olm as plain
from oracle import potential
from oracle.adaboost_ol import chain, learn_alpha
from oracle.bbm import closed_weight, largest_weight
from sklearn.base import clone

import streamboost as sb
from laws.catalogue import lane_report
from laws.strategies import seeds, streams
from tests.inside.handles import key_of, learner_params, state_of

LOSSES = ["logistic", "exponential", "squared_hinge"]
votes = st.lists(st.floats(-4, 4), min_size=2, max_size=6)


def run(model, stream, **more):
    return model.test_then_train(**stream.everything, classes=stream.classes, **more)


def combiner(model, name):
    return state_of(model)["combiner/" + name]


# ---- OnlineMBBM


@pytest.mark.parametrize("kind", ["exact", "pairwise"])
@given(
    stream=streams(kinds=("mixed",), n_classes=(2, 4), min_rows=3, declared=True),
    seed=seeds,
    n=st.integers(1, 9),
)
def test_losses_are_the_potential_plus_the_excess_of_the_learners(kind, stream, seed, n):
    """The telescoping identity, with the numbers that the report has."""
    edge, k = 0.2, len(stream.classes)
    model = sb.OnlineMBBMClassifier(
        n_estimators=n, edge=edge, potential=kind, early_exit=False, random_state=seed
    )
    run(model, stream)
    if not stream.weight.any():
        return
    phi0 = potential.make(kind, k, edge).phi(n, [0] * k, 0)
    x = lane_report(model, "cost_sum") - (1 - edge) / k * lane_report(model, "potential_weight_sum")
    total = stream.weight.sum()
    happened = combiner(model, "edge_rivals" if kind == "pairwise" else "edge_loss")[0]
    assert happened == pytest.approx(phi0 * total + x.sum(), abs=1e-8 * max(1, total))
    assert combiner(model, "edge_loss")[0] <= phi0 * total + np.maximum(x, 0).sum() + 1e-8 * total


@given(
    stream=streams(kinds=("mixed",), n_classes=(2, 4), min_rows=3, declared=True),
    seed=seeds,
    n=st.integers(1, 12),
)
def test_early_exit_changes_nothing_with_the_exact_potential(stream, seed, n):
    models = [
        sb.OnlineMBBMClassifier(
            n_estimators=n, edge=(0.1, 0.4), potential="exact", early_exit=early, random_state=seed
        )
        for early in (True, False)
    ]
    assert run(models[0], stream).tolist() == run(models[1], stream).tolist()
    one, two = (state_of(model) for model in models)
    for name in one:
        np.testing.assert_allclose(one[name], two[name], rtol=1e-12, atol=1e-12, err_msg=name)


@given(stream=streams(kinds=("numeric",), n_classes=(2, 3), min_rows=2, declared=True), seed=seeds)
def test_rescaled_weights_have_the_target_as_their_mean(stream, seed):
    """Each amount is weight / mean so far x target: the sum of amount x mean is the sum of weights x target."""
    model = sb.OnlineMBBMClassifier(n_estimators=3, edge=0.1, weight_target=2.5, random_state=seed)
    learned, before, sums = 0, np.zeros(3), np.zeros(3)
    for t in range(len(stream)):
        row = stream.rows(slice(t, t + 1))
        model.partial_fit(**row, classes=stream.classes)
        if not row["sample_weight"][0]:
            continue
        learned += 1
        raw, offered = lane_report(model, "normalised_weight_sum"), lane_report(model, "weight_sum")
        amount, weight = (offered - before) / row["sample_weight"][0], raw - sums
        np.testing.assert_allclose(amount * raw, 2.5 * weight * learned, rtol=1e-6, atol=1e-9)
        before, sums = offered, raw


@given(data=st.data(), n=st.integers(1, 6), edge=st.sampled_from([0.0, 0.1, 0.5]))
def test_two_classes_are_boosting_by_majority(data, n, edge):
    """Learner i gets the weight of the two-class algorithm on any answers; untrained learners say code 0."""
    rows = data.draw(st.integers(2, 5))
    bits = st.lists(st.integers(0, 1), min_size=rows, max_size=rows)
    script, y = data.draw(st.lists(bits, min_size=n, max_size=n)), data.draw(bits)
    ScriptedLabels.roll.clear()
    # these weights have a floor, so that the first row teaches every learner
    model = sb.OnlineMBBMClassifier(
        ScriptedLabels(script), n_estimators=n, edge=edge, potential="exact", weight_scale="paper_code"
    )
    before = np.zeros(n)
    for t in range(rows):
        model.partial_fit([[float(t)]], [y[t]], classes=[0, 1])
        now = lane_report(model, "potential_weight_sum")
        s = [0, 0]
        for i in range(n):
            expected = potential.two_class_weight(n - 1 - i, s, y[t], edge)
            assert now[i] - before[i] == pytest.approx(expected, abs=1e-9)
            assert expected == pytest.approx(
                2 * closed_weight(n, i + 1, s[y[t]] - s[1 - y[t]], edge), abs=1e-12
            )
            s[script[i][t] if t else 0] += 1
        before = now


# ---- Adaboost.OLM


@pytest.mark.parametrize("name", LOSSES)
@given(s=votes, data=st.data())
def test_cost_rows(name, s, data):
    r = data.draw(st.integers(0, len(s) - 1))
    row = plain.cost_row(name, s, r)
    assert sum(row) == pytest.approx(0, abs=1e-9 * max(map(abs, row)))
    for l, c in enumerate(row):
        assert row[r] <= c <= -row[r] + 1e-12 or l == r
    order = np.random.default_rng(len(s)).permutation(len(s)).tolist()
    turned = plain.cost_row(name, [s[c] for c in order], order.index(r))
    assert turned == pytest.approx([row[c] for c in order])


@pytest.mark.parametrize("name", LOSSES)
@given(s=votes, alpha=st.floats(-2, 2), data=st.data())
def test_derivatives(name, s, alpha, data):
    y, l = (data.draw(st.integers(0, len(s) - 1)) for _ in range(2))
    h = 1e-6

    def f(a):
        return plain.loss(name, [v + a * (j == l) for j, v in enumerate(s)], y)

    g = plain.derivative(name, s, y, l, alpha)
    assert g == pytest.approx((f(alpha + h) - f(alpha - h)) / (2 * h), rel=1e-4, abs=1e-4)
    i = math.ceil(max(abs(v - s[y]) for v in s) / 2) + 1  # votes of i - 1 learners reach as far
    bound = {"logistic": 1, "exponential": math.exp(2 * i), "squared_hinge": 1 + 2 * i}[name]
    assert abs(g) <= (len(s) - 1) * bound + 1e-9


@given(
    kind=st.sampled_from(["random", "alternating", "adaptive"]), k=st.integers(2, 5), seed=st.integers(0, 999)
)
def test_regret_of_the_votes(kind, k, seed):
    rng, alpha, rounds, seen = np.random.default_rng(seed), 0.0, 150, []
    for t in range(1, rounds + 1):
        s, y = rng.normal(size=k).tolist(), int(rng.integers(k))
        l = {"random": int(rng.integers(k)), "alternating": y if t % 2 else (y + 1) % k,
             "adaptive": (y + 1) % k if alpha > 0 else y}[kind]  # fmt: skip
        seen.append((s, y, l, alpha))
        g = plain.derivative("logistic", s, y, l, alpha)
        alpha = max(-2.0, min(2.0, alpha - plain.rate("logistic", k, 1, t) * g))

    def total(choose):
        return sum(
            plain.loss("logistic", [v + choose(a) * (j == l) for j, v in enumerate(s)], y)
            for s, y, l, a in seen
        )

    paid = total(lambda a: a)
    best = min(total(lambda a, fixed=fixed: fixed) for fixed in np.linspace(-2, 2, 21))
    assert paid - best <= math.sqrt(2) * 4 * (k - 1) * math.sqrt(rounds)


@pytest.mark.parametrize("name", LOSSES)
@given(
    stream=streams(kinds=("mixed",), n_classes=(2, 4), min_rows=3, declared=True),
    seed=seeds,
    n=st.integers(1, 8),
)
def test_votes_weights_and_hedge_stay_in_their_bounds(name, stream, seed, n):
    model = sb.AdaBoostOLMClassifier(n_estimators=n, loss=name, weight_scale="normalised", random_state=seed)
    run(model, stream)
    total = stream.weight.sum()
    if not total:
        return
    alpha, weight = lane_report(model, "alpha"), lane_report(model, "normalised_weight_sum")
    assert (np.abs(alpha) <= 2).all()
    assert ((weight >= 0) & (weight <= (stream.weight > 0).sum() + 1e-9)).all()
    slope, cost = lane_report(model, "slope_sum"), lane_report(model, "cost_sum")
    assert (np.abs(cost) <= slope * (1 + 1e-12)).all()  # edges in [-1, 1]
    losses, (seen, expected, loss) = combiner(model, "expert_loss"), combiner(model, "totals")
    assert seen == pytest.approx(total)
    if set(stream.weight) <= {0.0, 1.0}:
        assert expected <= (losses.min() + math.log(n)) / (1 - math.exp(-1)) + 1e-9
        if name == "logistic":
            k = len(stream.classes)
            slopes, mistakes = slope * (k - 1), np.array([total, *losses[:-1]])
            assert (slopes >= mistakes / 2 - 1e-9).all()
            edges = -cost / slope
            regret = 4 * math.sqrt(2) * (k - 1) * math.sqrt(total)
            assert (edges**2 * mistakes).sum() / 4 <= (k - 1) * total * math.log(2) - loss + n * regret + 1e-9


@given(stream=streams(kinds=("mixed",), n_classes=(2, 3), min_rows=3, declared=True), seed=seeds)
def test_the_leader_is_always_punished_and_hedge_keeps_its_word(stream, seed):
    """Experts are prefixes of learners; the truth is what the best of them does not say."""
    model = sb.AdaBoostOLMClassifier(n_estimators=4, hedge="best", random_state=seed)
    classes = sorted(stream.classes)
    X = np.nan_to_num(stream.X)
    model.partial_fit(X[:1], [classes[0]], classes=classes)
    for x in np.repeat(X, 3, axis=0):
        said = classes.index(model.predict([x])[0])
        model.partial_fit([x], [classes[(said + 1) % len(classes)]])
    losses, (_, expected, _) = combiner(model, "expert_loss"), combiner(model, "totals")
    assert expected <= (losses.min() + math.log(4)) / (1 - math.exp(-1)) + 1e-9


@given(
    rows=st.lists(st.lists(st.sampled_from([-1, 1]), min_size=4, max_size=4), min_size=1, max_size=30),
    n=st.just(4),
)
def test_two_classes_are_adaboost_ol(rows, n):
    """Same weights and votes as the two-class algorithm on any answers, with its step 4 / sqrt(t)."""
    alpha, ours = [0.0] * n, [0.0] * n
    for t, margins in enumerate(rows, start=1):
        weights, _ = chain(margins, alpha)
        s = [0.0, 0.0]  # the truth is label 1
        moved = []
        for i, z in enumerate(margins):
            l = 1 if z > 0 else 0
            assert -plain.cost_row("logistic", s, 1)[1] == pytest.approx(weights[i], rel=1e-12)
            g = plain.derivative("logistic", s, 1, l, ours[i])
            moved.append(
                max(-2.0, min(2.0, ours[i] - plain.rate("logistic", 2, i + 1, t, kind="binary") * g))
            )
            s[l] += ours[i]
        alpha, ours = learn_alpha(alpha, margins, t), moved
        assert ours == pytest.approx(alpha, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("hedge", ["vote", "sample", "best"])
@given(stream=streams(kinds=("numeric", "mixed"), min_rows=3, declared=True), seed=seeds, n=st.integers(1, 6))
def test_two_classes_are_the_two_class_booster_step_by_step(hedge, stream, seed, n):
    """Adaboost.OLM with AdaBoost.OL's step against AdaBoost.OL itself: votes, weights, experts, answers."""
    ours = sb.AdaBoostOLMClassifier(
        n_estimators=n, step="binary", weight_scale="normalised", hedge=hedge, random_state=seed
    )
    theirs = sb.AdaBoostOLClassifier(
        n_estimators=n, hypothesis="sign", weighting="importance", hedge=hedge, random_state=seed
    )
    for t in range(len(stream)):
        row = stream.rows(slice(t, t + 1))
        answers = [model.test_then_train(**row, classes=stream.classes).tolist() for model in (ours, theirs)]
        assert answers[0] == answers[1], t
        if not stream.weight[: t + 1].any():
            continue
        for name in ("alpha", "weight_sum", "expert_loss"):
            np.testing.assert_allclose(
                lane_report(ours, name),
                lane_report(theirs, name),
                rtol=1e-9,
                atol=1e-12,
                err_msg=f"{name}, row {t}",
            )


@given(n=st.integers(1, 9), edge=st.sampled_from([0.1, 0.5]), y=st.integers(0, 1))
def test_two_classes_are_online_bbm(n, edge, y):
    """The same answers (of untrained learners) give the same weights, up to the scale that Online BBM has for each learner."""
    ours = sb.OnlineMBBMClassifier(n_estimators=n, edge=edge, potential="exact")
    theirs = sb.OnlineBBMClassifier(n_estimators=n, edge=edge)
    for model in (ours, theirs):
        model.partial_fit([[0.0]], [y], classes=[0, 1])
    scale = [2 * float(largest_weight(n, i + 1, edge)) for i in range(n)]
    weights = lane_report(ours, "potential_weight_sum")
    np.testing.assert_allclose(weights, lane_report(theirs, "weight_sum") * scale, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("kind", [sb.OnlineMBBMClassifier, sb.AdaBoostOLMClassifier])
@given(stream=streams(kinds=("mixed",), n_classes=(2, 4), min_rows=3, declared=True), seed=seeds)
def test_how_ties_are_broken_is_not_learned(kind, stream, seed):
    one, two = (kind(n_estimators=4, tie=tie, random_state=seed) for tie in ("lowest", "random"))
    run(one, stream)
    run(two, stream)
    for name, array in state_of(one).items():
        assert array.tobytes() == state_of(two)[name].tobytes(), name


# ---- the report


@pytest.mark.parametrize(
    "model",
    [
        sb.OnlineMBBMClassifier(n_estimators=6),
        sb.OnlineMBBMClassifier(n_estimators=6, early_exit=False, edge=(0.3, 0.0)),
        sb.OnlineMBBMClassifier(n_estimators=6, potential="exact", edge=(0.1, 0.5)),
        sb.OnlineMBBMClassifier(n_estimators=4, preset="paper", potential="recursion"),
        sb.OnlineMBBMClassifier(n_estimators=3, preset="paper_code"),
        sb.AdaBoostOLMClassifier(n_estimators=6),
        sb.AdaBoostOLMClassifier(n_estimators=6, preset="paper", step="binary"),
        sb.AdaBoostOLMClassifier(n_estimators=6, preset="paper_code"),
        sb.AdaBoostOLMClassifier(n_estimators=6, loss="exponential"),
    ],
    ids=str,
)
@settings(max_examples=12)
@given(stream=streams(kinds=("mixed",), n_classes=(2, 4), min_rows=3, declared=True), seed=seeds)
def test_no_guarantee_is_ever_broken(model, stream, seed):
    model = clone(model).set_params(random_state=seed)
    run(model, stream)
    report = model.report()
    assert [str(bound) for bound in report.bounds if bound.broken] == []
    if model.preset == "paper_code" and isinstance(model, sb.OnlineMBBMClassifier):
        return  # drawn potentials are no potentials
    assert (report.lanes["edge"] <= 1 + 1e-9).all()
    if stream.weight.any() and len(stream.classes) > 1:
        k = len(stream.classes)
        assert (
            report.lanes["edge"] >= (1 - k if isinstance(model, sb.OnlineMBBMClassifier) else -1) - 1e-9
        ).all()


def test_a_bound_that_says_nothing_is_called_so():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 5, 300)
    model = sb.AdaBoostOLMClassifier(n_estimators=5, random_state=0)
    model.partial_fit(rng.normal(size=(300, 2)) + y[:, None], y, classes=range(5))
    report = model.report()
    assert next(bound for bound in report.bounds if bound.name == "best prefix").vacuous
    assert "promises nothing yet" in str(report)


# ---- the face


@pytest.mark.parametrize("kind", [sb.OnlineMBBMClassifier, sb.AdaBoostOLMClassifier])
def test_classes_must_be_declared(kind):
    with pytest.raises(ValueError, match="must know all classes"):
        kind().partial_fit([[0.0]], [1])
    with pytest.raises(ValueError, match="leaf_costs"):
        kind(costs="leaf_costs").fit([[0.0], [1.0]], [0, 1])
    assert kind().fit([[0.0], [1.0]], ["only", "only"]).predict([[3.0]]).tolist() == ["only"]


@pytest.mark.parametrize("edge", [1.0, -0.1, (0.1, 1.0), (), [[0.1]], (0.1,) * 17])
def test_bad_edges_are_named(edge):
    with pytest.raises(ValueError, match="edge"):
        sb.OnlineMBBMClassifier(edge=edge).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize("preset", ["best", "paper", "paper_code"])
@pytest.mark.parametrize("kind", [sb.OnlineMBBMClassifier, sb.AdaBoostOLMClassifier])
def test_presets_learn(kind, preset):
    rng = np.random.default_rng(3)
    y = rng.integers(0, 3, 200)
    X = rng.normal(size=(200, 2)) + 2.5 * np.eye(3)[y][:, :2]
    model = kind(sb.NaiveBayes(), n_estimators=5, preset=preset, random_state=1)
    answers = model.test_then_train(X, y, classes=[0, 1, 2])
    assert (answers == y)[60:].mean() > 0.7
    assert key_of(model) == 1


def test_scripted_labels_reach_the_votes():
    """Three learners that say 2, 2, 0: two votes of three for label 2, once they are trained."""
    ScriptedLabels.roll.clear()
    model = sb.OnlineMBBMClassifier(
        ScriptedLabels([[2] * 3, [2] * 3, [0] * 3]),
        n_estimators=3,
        edge=0.1,
        preset="paper_code",
        potential="exact",
        costs="argmax",
        calibration=None,
    )
    model.partial_fit([[0.0]], [1], classes=[0, 1, 2])
    assert model.predict_proba([[1.0]])[0] == pytest.approx([1 / 3, 0, 2 / 3])
    ScriptedLabels.roll.clear()


@pytest.mark.parametrize("kind", [sb.OnlineMBBMClassifier, sb.AdaBoostOLMClassifier])
def test_trees_that_collect_costs(kind):
    """Answers of leaves by their collected costs: learn well, and do not depend on how the stream is cut."""
    rng = np.random.default_rng(5)
    y = rng.integers(0, 4, 600)
    X = rng.normal(size=(600, 3)) + 2 * np.eye(4)[y][:, :3]
    whole, parts = (
        kind(sb.HoeffdingTree(), n_estimators=5, costs="leaf_costs", random_state=2) for _ in range(2)
    )
    answers = whole.test_then_train(X, y, classes=range(4))
    assert (answers == y)[200:].mean() > 0.6
    cut = [parts.test_then_train(X[a:b], y[a:b], classes=range(4)) for a, b in ((0, 7), (7, 350), (350, 600))]
    assert np.concatenate(cut).tolist() == answers.tolist()
    for name, array in state_of(whole).items():
        assert array.tobytes() == state_of(parts)[name].tobytes(), name
    copy = pickle.loads(pickle.dumps(whole))
    assert copy.predict(X[:50]).tolist() == whole.predict(X[:50]).tolist()


def test_every_tree_draws_its_own_numbers():
    """Under the multiclass boosters "auto" is drawn for each tree, unless the learner says otherwise."""
    drawn = learner_params(sb.OnlineMBBMClassifier(sb.HoeffdingTree()))
    assert drawn["grace_period"].tolist() == [5, 20]
    assert drawn["delta"].tolist() == drawn["tie_threshold"].tolist() == [0.01, 0.9]
    given = learner_params(sb.AdaBoostOLMClassifier(sb.HoeffdingTree(grace_period=50)))
    assert given["grace_period"] == 50


@pytest.mark.parametrize("potential", ["pairwise", "exact", "recursion"])
def test_memory_counts_the_tables_of_the_potential(potential):
    """Tables for twice the learners are about four times as large."""

    def size(n):
        model = sb.OnlineMBBMClassifier(n_estimators=n, edge=0.1, potential=potential, monitor=False)
        return model.partial_fit([[0.0]], [0], classes=[0, 1, 2]).memory_bytes()

    few, many = (6, 12) if potential == "recursion" else (50, 100)
    lanes = sb.OnlineBaggingClassifier(n_estimators=many, monitor=False)
    assert size(many) - size(few) > lanes.partial_fit([[0.0]], [0], classes=[0, 1, 2]).memory_bytes() / 2
    if potential == "pairwise":
        assert size(many) > 3 * 8 * (many + 1) * (2 * many + 5)

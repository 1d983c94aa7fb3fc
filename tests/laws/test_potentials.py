"""Potentials of multiclass boosting by majority: the core against four plain ways to compute them, and what must hold of them."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import potential as plain

from streamboost._core import Potential

KINDS = ["exact", "recursion", "pairwise"]


@st.composite
def states(draw, most_classes=6, most_votes=14, least_classes=2):
    """(k, N, edge, votes cast so far, votes to come after the next one, truth)."""
    k, n_all = draw(st.integers(least_classes, most_classes)), draw(st.integers(1, most_votes))
    edge = draw(st.sampled_from([0.0, 0.001, 0.1, 0.3, 0.5, 0.9]) | st.floats(0, 0.9))
    cast = draw(st.lists(st.integers(0, k - 1), max_size=n_all - 1))
    if draw(st.booleans()):  # crowd the votes: decided states matter too
        cast = [min(c, draw(st.integers(0, k - 1))) for c in cast]
    votes = [cast.count(c) for c in range(k)]
    return k, n_all, edge, votes, n_all - 1 - len(cast), draw(st.integers(0, k - 1))


def oracle_of(kind, k, edge):
    return plain.make("pairwise" if kind == "pairwise" else "exact", k, edge)


def plus(votes, l):
    return [v + (j == l) for j, v in enumerate(votes)]


@pytest.mark.parametrize("kind", KINDS)
@given(state=states())
def test_agrees_with_the_definition(kind, state):
    k, n_all, edge, votes, n, r = state
    ours, theirs = Potential(kind, k, n_all, edge), oracle_of(kind, k, edge)
    assert ours.phi(n, votes, r) == pytest.approx(theirs.phi(n, votes, r), abs=1e-11)
    assert ours.weight(n, votes, r) == pytest.approx(theirs.weight(n, votes, r), abs=1e-10)
    assert ours.phi0() == pytest.approx(theirs.phi(n_all, [0] * k, 0), abs=1e-11)
    rows = [theirs.row(n, votes, x) for x in range(k)]
    excess = [[c - row[x] for c in row] for x, row in enumerate(rows)]
    np.testing.assert_allclose(ours.row(n, votes, r), excess[r], atol=1e-11)
    np.testing.assert_allclose(ours.matrix(n, votes), excess, atol=1e-11)


@given(state=states(most_classes=5, most_votes=10))
def test_recursion_is_convolution(state):
    k, _, edge, votes, n, r = state
    expected = plain.Recursion(k, edge).phi(n, votes, r)
    assert plain.Convolution(k, edge).phi(n, votes, r) == pytest.approx(expected, abs=1e-11)


@given(state=states(most_classes=3, most_votes=9, least_classes=3))
def test_recursion_is_enumeration(state):
    k, _, edge, votes, n, r = state
    expected = plain.Recursion(k, edge).phi(n, votes, r)
    assert plain.Enumeration(k, edge).phi(n, votes, r) == pytest.approx(expected, abs=1e-11)


@settings(max_examples=6)
@given(n_cast=st.integers(60, 95), seed=st.integers(0, 99))
def test_exact_for_many_classes_is_convolution(n_cast, seed):
    cast = np.random.default_rng(seed).integers(0, 26, n_cast)
    votes = np.bincount(cast, minlength=26).tolist()
    n, r = 99 - n_cast, int(cast[0])
    n = min(n, 20)  # the plain way is slow
    expected = plain.Convolution(26, 0.1).phi(n, votes, r)
    assert Potential("exact", 26, 100, 0.1).phi(n, votes, r) == pytest.approx(expected, abs=1e-11)


@pytest.mark.parametrize("kind", KINDS)
@given(state=states(most_classes=8, most_votes=25))
def test_a_potential_is_proper(kind, state):
    k, n_all, edge, votes, n, r = state
    if kind == "recursion" and k * n_all > 100:
        return
    ours = Potential(kind, k, n_all, edge)
    here = ours.phi(n, votes, r)
    top = 1 if kind != "pairwise" else k - 1
    assert 0 <= here <= top + 1e-12
    assert ours.phi(0, votes, r) == (plain.loss if kind != "pairwise" else plain.rivals)(votes, r)
    # one more vote to come: the mean over that vote
    q = (1 - edge) / k
    mean = sum((q + edge * (l == r)) * ours.phi(n, plus(votes, l), r) for l in range(k))
    assert ours.phi(n + 1, votes, r) == pytest.approx(mean, abs=1e-11)
    for l in range(k):
        moved = ours.phi(n, plus(votes, l), r)
        assert moved <= here + 1e-12 if l == r else moved >= here - 1e-12
    # only the gaps matter, in any order
    order = np.random.default_rng(k).permutation(k).tolist()
    assert ours.phi(n, [v + 3 for v in votes], r) == pytest.approx(here, abs=1e-12)
    assert ours.phi(n, [votes[c] for c in order], order.index(r)) == pytest.approx(here, abs=1e-12)
    gaps = plain.gaps(votes, r)
    if kind != "pairwise" and (gaps[0] <= -n or gaps[0] > n):
        assert here == (1 if gaps[0] <= -n else 0)


@given(state=states(most_classes=8, most_votes=25))
def test_pairwise_bounds_exact(state):
    k, n_all, edge, votes, n, r = state
    exact, pairwise = Potential("exact", k, n_all, edge), Potential("pairwise", k, n_all, edge)
    assert pairwise.phi(n, votes, r) >= exact.phi(n, votes, r) - 1e-11
    assert pairwise.phi0() <= (k - 1) * math.exp(-(edge**2) * n_all / 2) + 1e-11
    assert exact.phi0() >= Potential("exact", k, n_all, min(0.95, edge + 0.05)).phi0() - 1e-12
    if k == 2:
        assert pairwise.phi(n, votes, r) == pytest.approx(exact.phi(n, votes, r), abs=1e-12)
        assert exact.weight(n, votes, r) == pytest.approx(
            plain.two_class_weight(n, votes, r, edge), abs=1e-12
        )


@settings(max_examples=10)
@given(state=states(most_classes=5, most_votes=12), seed=st.integers(0, 9))
def test_random_draws_come_near(state, seed):
    k, n_all, edge, votes, n, r = state
    draws = 2000
    drawn, exact = Potential("mc", k, n_all, edge, seed, draws), Potential("exact", k, n_all, edge)
    assert drawn.phi(n, votes, r) == drawn.phi(n, votes, r)
    assert abs(drawn.phi(n, votes, r) - exact.phi(n, votes, r)) <= 5 / math.sqrt(draws)


@pytest.mark.parametrize("kind", KINDS)
@given(state=states(most_classes=7, most_votes=20))
def test_weights(kind, state):
    k, n_all, edge, votes, n, r = state
    if kind == "recursion" and k * n_all > 80:
        return
    ours = Potential(kind, k, n_all, edge)
    w, row = ours.weight(n, votes, r), ours.row(n, votes, r)
    assert 0 <= w <= (k - 1) * (k - 1 if kind == "pairwise" else 1) + 1e-9
    assert w == pytest.approx(row.sum(), abs=1e-10)
    two_potentials = k / (1 - edge) * (ours.phi(n + 1, votes, r) - ours.phi(n, plus(votes, r), r))
    assert w == pytest.approx(two_potentials, abs=1e-9)
    assert row[r] == 0
    assert (row >= -1e-12).all()
    if w > 1e-6:
        assert (row / w).sum() == pytest.approx(1)
    first, second = sorted(votes, reverse=True)[:2]
    if kind != "pairwise" and first - second > n + 1:
        assert all(ours.weight(n, votes, x) == 0 for x in range(k))


@pytest.mark.parametrize("kind", ["exact", "pairwise"])
@given(data=st.data())
def test_losses_telescope(kind, data):
    """Sum of losses = phi_N(0) T + sum of X_i, whoever votes."""
    k, n_all = data.draw(st.integers(2, 5)), data.draw(st.integers(1, 12))
    edge, rounds = data.draw(st.floats(0, 0.9)), 4
    ours = Potential(kind, k, n_all, edge)
    happened = total = 0.0
    for _ in range(rounds):
        y, s = data.draw(st.integers(0, k - 1)), [0] * k
        hostile = data.draw(st.booleans())
        for i in range(n_all):
            n = n_all - 1 - i
            row = ours.row(n, s, y)
            l = int(np.argmax(row)) if hostile else data.draw(st.integers(0, k - 1))
            total += row[l] - (1 - edge) / k * ours.weight(n, s, y)
            s = plus(s, l)
        happened += (plain.rivals if kind == "pairwise" else plain.loss)(s, y)
    assert happened == pytest.approx(ours.phi0() * rounds + total, abs=1e-8 * rounds)


def test_what_cannot_be_is_refused():
    with pytest.raises(ValueError, match="k >= 2"):
        Potential("exact", 1, 10, 0.1)
    with pytest.raises(ValueError, match="pairwise"):
        Potential("exact", 3, 5000, 0.1)
    with pytest.raises(ValueError, match="states"):
        Potential("recursion", 12, 60, 0.1)
    with pytest.raises(ValueError, match="not in the tables"):
        Potential("exact", 3, 10, 0.1).weight(10, [0, 0, 0], 0)


def test_published_values():
    """phi_N(0) of a few settings, exact and pairwise."""
    for (k, n, edge), exact, pairwise in (
        ((26, 100, 0.1), 0.073, 0.179),
        ((5, 100, 0.1), 0.206, 0.314),
        ((10, 50, 0.1), 0.378, 0.982),
        ((3, 20, 0.3), 0.121, 0.142),
    ):
        assert Potential("exact", k, n, edge).phi0() == pytest.approx(exact, abs=6e-4)
        assert Potential("pairwise", k, n, edge).phi0() == pytest.approx(pairwise, abs=6e-4)

"""The point of the simplex {a >= 0, a_1 + ... + a_n = 1} nearest to v: a_i = max(v_i - tau, 0).

By sorting (tau from the longest prefix of the sorted values that stays above it), by random pivots (Duchi, Shalev-Shwartz,
Singer, Chandra 2008) and by bisection on tau. The first two work in exact fractions: no size or spread of v can hurt them.
"""

from fractions import Fraction

import numpy as np


def project(v):
    """By sorting, in exact fractions."""
    v = [Fraction(x) for x in v]
    total, tau = Fraction(0), None
    for j, u in enumerate(sorted(v, reverse=True), start=1):
        total += u
        if u * j > total - 1:
            tau = (total - 1) / j
    return [max(x - tau, Fraction(0)) for x in v]


def project_to_ball(v):
    """The point nearest to v with a_1, ..., a_n whose sizes sum to at most 1; in exact fractions."""
    v = [Fraction(x) for x in v]
    if sum(abs(x) for x in v) <= 1:
        return v
    return [a if x >= 0 else -a for a, x in zip(project([abs(x) for x in v]), v, strict=True)]


def project_by_pivots(v, pick):
    """`pick(n)` chooses a pivot among n candidates, any of them; in exact fractions."""
    v = [Fraction(x) for x in v]
    candidates = list(range(len(v)))
    total, count = Fraction(0), 0
    while candidates:
        p = candidates[pick(len(candidates))]
        upper = [i for i in candidates if v[i] >= v[p]]
        lower = [i for i in candidates if v[i] < v[p]]
        if total + sum(v[i] for i in upper) - (count + len(upper)) * v[p] < 1:
            total += sum(v[i] for i in upper)
            count += len(upper)
            candidates = lower
        else:
            candidates = [i for i in upper if i != p]  # the pivot alone: equal values stay
    tau = (total - 1) / count
    return [max(x - tau, Fraction(0)) for x in v]


def project_by_bisection(v):
    """In floating point. Moving all of v moves nothing, so the largest value becomes 0 and tau lies in [-1, 0]."""
    v = np.asarray(v, dtype=float)
    v = v - v.max()
    low, high = -1.0, 0.0
    for _ in range(200):
        tau = (low + high) / 2
        low, high = (tau, high) if np.maximum(v - tau, 0).sum() > 1 else (low, tau)
    return np.maximum(v - (low + high) / 2, 0)


def project_quickly(v):
    """By sorting, in floating point: for long runs."""
    v = np.asarray(v, dtype=float)
    v = v - v.max()
    u = np.sort(v)[::-1]
    j = np.arange(1, len(v) + 1)
    tau = (np.cumsum(u) - 1) / j
    rho = np.flatnonzero(u > tau)[-1]
    return np.maximum(v - tau[rho], 0)

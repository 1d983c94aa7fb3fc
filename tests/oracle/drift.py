"""Detectors of change, slowly: all numbers are kept and every mean is formed anew."""

from __future__ import annotations

import math

import numpy as np


class Adwin:
    """Buckets are lists of inputs, oldest bucket first."""

    def __init__(self, delta):
        self.delta, self.time, self.buckets = delta, 0, []

    def update(self, x):
        self.time += 1
        self.buckets.append([x])
        self._merge()
        window = self.window
        if self.time % 32 or len(window) <= 10:
            return False
        before = np.mean(window[:-1])
        cut = False
        while self._border_differs():
            self.buckets.pop(0)
            cut = True
        return cut and np.mean(self.window) > before

    @property
    def window(self):
        return [x for bucket in self.buckets for x in bucket]

    def _merge(self):
        size = 1
        while True:
            same = [i for i, bucket in enumerate(self.buckets) if len(bucket) == size]
            if len(same) <= 5:
                return
            first, second = same[0], same[1]
            self.buckets[first : second + 1] = [self.buckets[first] + self.buckets[second]]
            size *= 2

    def _border_differs(self):
        window = np.array(self.window)
        n, q = len(window), np.var(window)
        if n < 2:
            return False
        d = math.log(2 * math.log(n) / self.delta)
        at = 0
        for bucket in self.buckets[:-1]:
            at += len(bucket)
            if at <= 6 or n - at <= 6:
                continue
            m = 1 / (at - 4) + 1 / (n - at - 4)
            eps = math.sqrt(2 * m * q * d) + 2 / 3 * d * m
            if abs(window[:at].mean() - window[at:].mean()) > eps:
                return True
        return False


def ddm(xs, warm_start=30, warning=2.0, drift=3.0):
    """First drift, first warning (indices or None)."""
    lowest = None
    first_warning = None
    for n in range(warm_start, len(xs) + 1):
        p = np.mean(xs[:n])
        s = math.sqrt(p * (1 - p) / n)
        if lowest is None or p + s <= sum(lowest):
            lowest = (p, s)
        if first_warning is None and p + s > lowest[0] + warning * lowest[1]:
            first_warning = n - 1
        if p + s > lowest[0] + drift * lowest[1]:
            return n - 1, first_warning
    return None, first_warning


def page_hinkley(xs, least=30, delta=0.005, threshold=50.0, alpha=0.9999):
    """First drift in either direction."""
    up, down = [0.0], [0.0]
    for n in range(1, len(xs) + 1):
        deviation = xs[n - 1] - np.mean(xs[:n])
        up.append(alpha * up[-1] + deviation - delta)
        down.append(alpha * down[-1] + deviation + delta)
        if n >= least and (up[-1] - min(up) > threshold or max(down) - down[-1] > threshold):
            return n - 1
    return None


def hddm_a(xs, level=0.001):
    """First rise."""
    for n in range(1, len(xs) + 1):
        bounds = [np.mean(xs[:m]) + math.sqrt(math.log(1 / level) / (2 * m)) for m in range(1, n + 1)]
        lowest = n - int(np.argmin(bounds[::-1]))  # the longest of equal prefixes
        if lowest < n:
            bound = math.sqrt(0.5 * (1 / lowest - 1 / n) * math.log(2 / level))
            if np.mean(xs[:n]) - np.mean(xs[:lowest]) >= bound:
                return n - 1
    return None


def weights(n, share):
    """Weights of n numbers in an exponentially weighted mean that starts at the first, oldest first."""
    w = share * (1 - share) ** np.arange(n - 1, -1, -1.0)
    w[0] = (1 - share) ** (n - 1)
    return w


def hddm_w(xs, level=0.001, share=0.05):
    """First rise."""
    xs = np.asarray(xs, float)

    def mean_and_squares(part):
        w = weights(len(part), share)
        return float(w @ part), float(w @ w)

    lowest = None
    for n in range(1, len(xs) + 1):
        mean, squares = mean_and_squares(xs[:n])
        edge = mean + math.sqrt(squares * math.log(1 / level) / 2)
        if lowest is None or edge < lowest[0]:
            lowest = (edge, mean, squares, n)
            continue
        _, mean1, squares1, at = lowest
        mean2, squares2 = mean_and_squares(xs[at:n])
        if mean2 - mean1 > math.sqrt((squares1 + squares2) * math.log(1 / level) / 2):
            return n - 1
    return None

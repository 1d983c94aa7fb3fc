"""Detectors of change, slowly: all numbers are kept and every mean is formed anew.

`update` of those in `DETECTORS` takes a number and returns whether a change is suspected, and whether one was found.
"""

from __future__ import annotations

import math

import numpy as np

from oracle import draws


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


class AdwinWithWarning:
    """Two windows at two levels; the one that warns begins again with every warning."""

    lasting = False

    def __init__(self, delta=0.001, warning=None, lane=0):
        self.delta, self.level = delta, warning
        self.window, self.suspicion = Adwin(delta), Adwin(warning)

    def update(self, x):
        warning = self.level is not None and self.suspicion.update(x)
        if warning:
            self.suspicion = Adwin(self.level)
        return warning, self.window.update(x)

    def reset(self, suspicion):
        self.window = Adwin(self.delta)
        if suspicion:
            self.suspicion = Adwin(self.level)


class Remembering:
    """All numbers since the last drift."""

    lasting = True

    def __init__(self):
        self.xs, self.over = [], False

    def update(self, x):
        if self.over:
            self.xs = []
        self.xs.append(x)
        warning, self.over = self.judge(np.array(self.xs, dtype=float))
        return warning, self.over

    def reset(self, suspicion):
        self.xs, self.over = [], False


class Ddm(Remembering):
    def __init__(self, warm_start=30, warning_threshold=2.0, drift_threshold=3.0, lane=0):
        super().__init__()
        self.least, self.levels = warm_start, (warning_threshold, drift_threshold)

    def judge(self, xs):
        if len(xs) < self.least:
            return False, False
        n = np.arange(self.least, len(xs) + 1)
        p = np.cumsum(xs)[self.least - 1 :] / n
        s = np.sqrt(np.maximum(p * (1 - p), 0) / n)
        lowest = len(p) - 1 - int(np.argmin((p + s)[::-1]))  # the last of equals
        return tuple(bool(p[-1] + s[-1] > p[lowest] + level * s[lowest]) for level in self.levels)


class PageHinkley(Remembering):
    def __init__(self, min_instances=30, delta=0.005, threshold=50.0, alpha=0.9999, mode="both", lane=0):
        super().__init__()
        self.least, self.delta, self.threshold, self.alpha, self.mode = (
            min_instances,
            delta,
            threshold,
            alpha,
            mode,
        )

    def judge(self, xs):
        n = len(xs)
        deviations = xs - np.cumsum(xs) / np.arange(1, n + 1)
        up, down = [0.0], [0.0]
        for deviation in deviations:
            up.append(self.alpha * up[-1] + deviation - self.delta)
            down.append(self.alpha * down[-1] + deviation + self.delta)
        rose = self.mode != "down" and up[-1] - min(up) > self.threshold
        fell = self.mode != "up" and max(down) - down[-1] > self.threshold
        return False, bool(n >= self.least and (rose or fell))


class HddmA(Remembering):
    def __init__(self, drift_confidence=0.001, warning_confidence=0.005, two_sided=False, lane=0):
        super().__init__()
        self.drift, self.warning, self.two_sided = drift_confidence, warning_confidence, two_sided

    def judge(self, xs):
        return self.moved(xs, self.warning), self.moved(xs, self.drift)

    def moved(self, xs, level):
        return self.rose(xs, level) or (self.two_sided and self.rose(-xs, level))

    def rose(self, xs, level):
        n = np.arange(1, len(xs) + 1)
        means = np.cumsum(xs) / n
        bounds = means + np.sqrt(math.log(1 / self.drift) / (2 * n))
        lowest = len(xs) - int(np.argmin(bounds[::-1]))  # the longest of equal prefixes
        if lowest == len(xs):
            return False
        bound = math.sqrt(0.5 * (1 / lowest - 1 / len(xs)) * math.log(2 / level))
        return bool(means[-1] - means[lowest - 1] >= bound)


def weights(n, share):
    """Weights of n numbers in an exponentially weighted mean that starts at the first, oldest first."""
    w = share * (1 - share) ** np.arange(n - 1, -1, -1.0)
    w[0] = (1 - share) ** (n - 1)
    return w


class HddmW(Remembering):
    def __init__(
        self, drift_confidence=0.001, warning_confidence=0.005, lambda_val=0.05, two_sided=False, lane=0
    ):
        super().__init__()
        self.drift, self.warning, self.two_sided = drift_confidence, warning_confidence, two_sided
        self.share, self.lowest = lambda_val, {}

    def judge(self, xs):
        sides = [self.gap(xs, 1), self.gap(-xs, -1)] if self.two_sided else [self.gap(xs, 1)]
        return tuple(
            any(rise > math.sqrt(squares * math.log(1 / level) / 2) for rise, squares in sides)
            for level in (self.warning, self.drift)
        )

    def mean_and_squares(self, part):
        w = weights(len(part), self.share)
        return float(w @ part), float(w @ w)

    def gap(self, xs, side):
        """How far the mean since the lowest point lies above it, and the sum of both means' squared weights."""
        mean, squares = self.mean_and_squares(xs)
        edge = mean + math.sqrt(squares * math.log(1 / self.drift) / 2)
        if len(xs) == 1 or edge < self.lowest[side][0]:
            self.lowest[side] = (edge, mean, squares, len(xs))
            return 0.0, 1.0
        _, mean1, squares1, at = self.lowest[side]
        mean2, squares2 = self.mean_and_squares(xs[at:])
        return mean2 - mean1, squares1 + squares2


class Kswin:
    lasting = True

    def __init__(self, alpha=0.005, window_size=100, stat_size=30, seed=0, mode="both", lane=0):
        self.alpha, self.size, self.r, self.seed, self.mode, self.lane = (
            alpha,
            window_size,
            stat_size,
            seed,
            mode,
            lane,
        )
        self.reset(True)

    def reset(self, suspicion):
        self.time, self.xs = 0, []

    def update(self, x):
        self.time += 1
        self.xs = [*self.xs, x][-self.size :]
        if len(self.xs) < self.size:
            return False, False
        older, newest, sample = self.xs[: -self.r], self.xs[-self.r :], []
        for i, number in enumerate(older):
            share = (self.r - len(sample)) / (len(older) - i)
            if draws.uniform(self.seed, self.time, self.lane, 17, i) < share:
                sample.append(number)
        below, above = gaps(sample, newest)
        gap = {"up": below, "down": above, "both": max(below, above)}[self.mode]
        drift = gap > math.sqrt(math.log(2 / self.alpha) / self.r)
        if drift:
            self.xs = newest
        return False, bool(drift)


def gaps(a, b):
    """How far the empirical distribution function of b lies below that of a at most, and how far above it."""
    at = np.concatenate([a, b])
    below_a = np.searchsorted(np.sort(a), at, side="right") / len(a)
    below_b = np.searchsorted(np.sort(b), at, side="right") / len(b)
    return float(np.max(below_a - below_b)), float(np.max(below_b - below_a))


DETECTORS = {
    "adwin": AdwinWithWarning,
    "ddm": Ddm,
    "hddm-a": HddmA,
    "hddm-w": HddmW,
    "kswin": Kswin,
    "page-hinkley": PageHinkley,
}
"""By their names in the catalogue."""

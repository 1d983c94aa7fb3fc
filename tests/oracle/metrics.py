"""Every metric by its definition: sums over rows and pairs of rows, one at a time.

``y`` and ``answers`` are labels (None: no answer), ``proba`` has one column per label of ``columns``, ``weight`` is the weight
of every row. ``positive`` is a label, or None: then a metric of one label is the mean over the labels that have rows.
"""

import math


def _share(rows, weight, total):
    return sum(weight[t] for t in rows) / total


def _found(y, answers, weight, label):
    """Right answers, answers and rows of a label."""
    rows = range(len(y))
    right = sum(weight[t] for t in rows if y[t] == label and answers[t] == label)
    answered = sum(weight[t] for t in rows if answers[t] == label)
    there = sum(weight[t] for t in rows if y[t] == label)
    return right, answered, there


def _f(y, answers, weight, label, beta):
    right, answered, there = _found(y, answers, weight, label)
    p = right / answered if answered > 0 else 0.0
    r = right / there if there > 0 else 0.0
    return (1 + beta**2) * p * r / (beta**2 * p + r) if p + r > 0 else 0.0


def _auc(mine, score, weight):
    won = pairs = 0.0
    for i in range(len(mine)):
        for j in range(len(mine)):
            if mine[i] and not mine[j]:
                w = weight[i] * weight[j]
                pairs += w
                won += w * ((score[i] > score[j]) + 0.5 * (score[i] == score[j]))
    return won / pairs if pairs > 0 else math.nan


def _above(mine, score, weight, threshold):
    hits = sum(w for m, s, w in zip(mine, score, weight, strict=True) if m and s >= threshold)
    alarms = sum(w for m, s, w in zip(mine, score, weight, strict=True) if not m and s >= threshold)
    return hits, alarms


def _average_precision(mine, score, weight):
    positives = sum(w for m, w in zip(mine, weight, strict=True) if m)
    area = recall = 0.0
    for threshold in sorted(set(score), reverse=True):
        hits, alarms = _above(mine, score, weight, threshold)
        if hits + alarms > 0:
            area += (hits / positives - recall) * hits / (hits + alarms)
            recall = hits / positives
    return area


def _recall_at(mine, score, weight, rate):
    positives, negatives = _above(mine, score, weight, -math.inf)
    if not negatives > 0:
        return math.nan
    best = 0.0
    for threshold in sorted(set(score)):
        hits, alarms = _above(mine, score, weight, threshold)
        if alarms <= rate * negatives + 1e-12 * negatives:
            best = max(best, hits / positives)
    return best


def _parts(mine, score, weight, bins):
    """Weight, mean probability and frequency of the parts of equal mass that hold something."""
    total = sum(weight)
    sums = [[0.0, 0.0, 0.0] for _ in range(bins)]
    below = 0.0
    for value in sorted(set(score)):
        tied = [t for t in range(len(score)) if score[t] == value]
        mass = sum(weight[t] for t in tied)
        if mass > 0:
            part = sums[min(int(bins * ((below + mass / 2) / total)), bins - 1)]
            part[0] += mass
            part[1] += mass * value
            part[2] += sum(weight[t] * mine[t] for t in tied)
            below += mass
    return [(w / total, p / w, f / w) for w, p, f in sums if w > 0]


def _precision_at(mine, score, weight, k):
    """Rows one level after the other, the last level in proportion."""
    left, found, taken = float(k), 0.0, 0.0
    for value in sorted(set(score), reverse=True):
        tied = [t for t in range(len(score)) if score[t] == value]
        mass = sum(weight[t] for t in tied)
        if mass <= 0 or left <= 0:
            continue
        part = min(1.0, left / mass)
        found += part * sum(weight[t] for t in tied if mine[t])
        taken += part * mass
        left -= part * mass
    return found / taken


def _calibration(mine, score, weight, bins, name):
    parts = _parts(mine, score, weight, bins)
    rate = sum(w * f for w, _, f in parts)
    if name == "calibration_error":
        return sum(w * abs(p - f) for w, p, f in parts)
    if name == "brier_reliability":
        return sum(w * (p - f) ** 2 for w, p, f in parts)
    if name == "brier_resolution":
        return sum(w * (f - rate) ** 2 for w, _, f in parts)
    assert name == "brier_uncertainty", name
    return rate * (1 - rate)


def metric(name, y, answers, proba, columns, weight, *, delay=0, positive=None, bins=15, fpr=0.01, beta=2.0):
    """The value of a metric by its name in the product."""
    columns = list(columns)
    n, total = len(y), sum(weight)
    rows = range(n)
    p = [[0.0 if math.isnan(v) else float(v) for v in row] for row in proba]
    accuracy = _share([t for t in rows if answers[t] == y[t]], weight, total)
    here = [c for c in columns if any(y[t] == c and weight[t] > 0 for t in rows)]

    def beyond(chance):
        return (accuracy - chance) / (1 - chance) if chance < 1 else 0.0

    if name in ("error", "cost"):  # without costs every mistake costs 1
        return 1 - accuracy
    if name == "accuracy":
        return accuracy
    if name == "kappa":
        pairs = [_found(y, answers, weight, c) for c in columns]
        return beyond(sum(there * answered for _, answered, there in pairs) / total**2)
    if name == "kappa_majority":
        return beyond(max(_found(y, answers, weight, c)[2] for c in columns) / total)
    if name == "kappa_temporal":
        lag = 1 + delay
        return beyond(_share([t for t in rows if t >= lag and y[t] == y[t - lag]], weight, total))
    if name == "mcc":
        # The correlation of indicator vectors, summed over the labels; no answer is a label of its own.
        kinds = [*columns, None]
        mean = {
            c: (
                _share([t for t in rows if y[t] == c], weight, total),
                _share([t for t in rows if answers[t] == c], weight, total),
            )
            for c in kinds
        }

        def covariance(a, b):
            return sum(
                weight[t] * ((a[t] == c) - mean[c][a is answers]) * ((b[t] == c) - mean[c][b is answers])
                for c in kinds
                for t in rows
            )

        spread = covariance(y, y) * covariance(answers, answers)
        return covariance(y, answers) / math.sqrt(spread) if spread > 1e-18 else 0.0
    if name in ("balanced_accuracy", "g_mean"):
        recalls = [right / there for right, _, there in (_found(y, answers, weight, c) for c in here)]
        return sum(recalls) / len(recalls) if name[0] == "b" else math.prod(recalls) ** (1 / len(recalls))
    if name == "log_loss":
        return (
            sum(weight[t] * -math.log(min(max(p[t][columns.index(y[t])], 2.0**-52), 1.0)) for t in rows)
            / total
        )
    if name == "brier":
        squares = sum(
            weight[t] * sum((p[t][j] - (y[t] == c)) ** 2 for j, c in enumerate(columns)) for t in rows
        )
        return squares / total / (2 if len(columns) <= 2 else 1)

    def of(label):
        if name in ("precision", "recall"):
            right, answered, there = _found(y, answers, weight, label)
            below = answered if name == "precision" else there
            return right / below if below > 0 else 0.0
        if name in ("f1", "f_beta"):
            return _f(y, answers, weight, label, 1.0 if name == "f1" else beta)
        mine = [y[t] == label for t in rows]
        score = [row[columns.index(label)] for row in p]
        if not any(m and w > 0 for m, w in zip(mine, weight, strict=True)):
            return math.nan
        if name == "auc":
            return _auc(mine, score, weight)
        if name == "average_precision":
            return _average_precision(mine, score, weight)
        if name == "precision_at_top":
            return _precision_at(mine, score, weight, 100)
        if name == "recall_at_fpr":
            return _recall_at(mine, score, weight, fpr)
        return _calibration(mine, score, weight, bins, name)

    if positive is not None and name != "auc":
        return of(positive)
    values = [value for value in map(of, here) if not math.isnan(value)]
    return sum(values) / len(values) if values else math.nan

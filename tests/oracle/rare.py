"""Class weights, thresholds and conformal sets, slowly."""

import numpy as np


def factors(kind, y, weight, keep=1.0, table=None, declared=None):
    """What every learned row weighs beside its own weight."""
    out, counts, known = np.zeros(len(y)), {}, declared or 0
    for t, label in enumerate(y):
        if weight[t] == 0:
            continue
        known = max(known, label + 1)
        if kind == "table":
            out[t] = table.get(label, 1.0)
            continue
        before = sum(counts.values())
        balanced = min((before + known) / (known * (counts.get(label, 0.0) + 1)), 100)
        counts = {c: n * keep for c, n in counts.items()}
        counts[label] = counts.get(label, 0.0) + 1
        ratio = {
            "balanced": balanced,
            "oversample": min(max(counts.values()) / counts[label], 10),
            "undersample": min(counts.values()) / counts[label],
        }
        out[t] = ratio[kind]
    return out


def thresholds(measure, proba, y, weight, positive=1):
    """Answers (0 or 1) of a threshold on p(1) that is the best of the past in hundredths; None: no threshold yet."""
    bins, answers, known = np.zeros((100, 2)), [], 0
    for t in range(len(y)):
        place = min(int(proba[t, 1] * 100), 99)
        best = None
        if bins[:, 0].sum() > 0 and bins[:, 1].sum() > 0:
            found = []
            for cut in range(101):
                one = bins[cut:].sum(axis=0)  # answered 1: of class 0, of class 1
                zero = bins[:cut].sum(axis=0)
                if measure == "g_mean":
                    value = one[1] / (one[1] + zero[1]) * zero[0] / (one[0] + zero[0])
                else:
                    right, alarms, missed = (
                        (one[1], one[0], zero[1]) if positive == 1 else (zero[0], zero[1], one[0])
                    )
                    value = 2 * right / (2 * right + alarms + missed)
                found.append((value, -abs(cut - 50), cut))
            best = found
        answers.append((place, best))
        if weight[t] > 0:
            if known == 2:
                bins *= 2.0 ** (-1 / 10_000)
                bins[place, y[t]] += weight[t]
            known = max(known, y[t] + 1)
    return answers


def conformal(proba, y, weight, coverage, eta=0.01, declared=None):
    """The sets of adaptive conformal inference, row by row, and alpha at the end."""
    alpha, strange, sets, known = 1 - coverage, np.zeros(1024), [], declared or 0
    for t in range(len(y)):
        p = proba[t, :known]
        edges = np.arange(1, 1025) / 1024
        if alpha <= 0 or strange.sum() == 0:
            inside = np.ones(known, bool) if alpha < 1 else np.zeros(known, bool)
        elif alpha >= 1:
            inside = np.zeros(known, bool)
        else:
            quantile = edges[np.argmax(np.cumsum(strange) >= (1 - alpha) * strange.sum() * (1 - 1e-12))]
            inside = 1 - p <= quantile
        sets.append(inside)
        if weight[t] == 0:
            continue
        if y[t] < known:
            alpha += eta * ((1 - coverage) - (not inside[y[t]]))
            strange *= 0.999
            strange[min(int((1 - p[y[t]]) * 1024), 1023)] += 1
        known = max(known, y[t] + 1)
    return sets, alpha

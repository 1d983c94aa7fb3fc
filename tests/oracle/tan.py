"""TAN and BAN in batch: structure and probabilities computed from the whole list of examples.

Friedman, Geiger, Goldszmidt 1997: maximum spanning tree of the conditional mutual information, grown from attribute 0, smoothed
estimates. BAN: one more parent among the attributes that entered the tree before.
"""

import itertools
import math
from collections import defaultdict

from oracle.remembering import Remembering

GREY = 1e-7


class Network(Remembering):
    def __init__(self, columns, n_classes, seed, lane, *, n_parents=1, smoothing=5.0, relearn=1000):
        super().__init__(columns)  # examples: (class, weight, {column: value})
        self.n_parents, self.smoothing, self.relearn = n_parents, smoothing, relearn
        self.parents = {}

    def learn(self, row, label, amount, copies=False):
        if amount <= 0:
            return
        self.examples.append((label, amount, dict(row.codes)))
        n = len(self.examples)
        if self.relearn == "query" or n & (n - 1) == 0 or n % self.relearn == 0:
            self.parents = self.structure()

    # ---- structure

    def information(self, i, j):
        joint, of_i, of_j, of_class = (defaultdict(float) for _ in range(4))
        for c, w, x in self.examples:
            if i in x and j in x:
                joint[x[i], x[j], c] += w
                of_i[x[i], c] += w
                of_j[x[j], c] += w
                of_class[c] += w
        total = sum(w for _, w, _ in self.examples)
        return sum(
            n / total * math.log(n * of_class[c] / (of_i[v, c] * of_j[u, c]))
            for (v, u, c), n in joint.items()
        )

    def structure(self):
        width = self.columns.width
        weight = {(i, j): self.information(i, j) for i in range(width) for j in range(i + 1, width)}
        values = sorted([*weight.values(), 0.0])
        self.doubt |= any(1e-12 < b - a < GREY for a, b in itertools.pairwise(values))
        rank = {e: (-round(w, 9), e) for e, w in weight.items()}
        inside, parents = [0], {0: []}
        while len(inside) < width and self.n_parents > 0:
            crossing = [e for e in weight if (e[0] in inside) != (e[1] in inside)]
            i, j = min(crossing, key=rank.get)
            child, first = (i, j) if j in inside else (j, i)
            parents[child] = [first]
            edges = {k: (min(k, child), max(k, child)) for k in inside if k != first}
            rest = [k for k in edges if weight[edges[k]] > GREY]
            if self.n_parents > 1 and rest:
                parents[child].append(min(rest, key=lambda k: (rank[edges[k]][0], k)))
            inside.append(child)
        return parents

    # ---- answers

    def share(self, c, j, value, given):
        """(weight of class c with these parents' values and this value of j, ... any value of j)."""
        own = whole = 0.0
        for label, w, x in self.examples:
            if label == c and j in x and all(x.get(p) == v for p, v in given.items()):
                whole += w
                own += w * (x[j] == value)
        return own, whole

    def theta(self, c, j, value, given):
        own, whole = self.share(c, j, value, given)
        if self.smoothing > 0:
            having = [(w, x[j]) for _, w, x in self.examples if j in x]
            marginal = sum(w for w, v in having if v == value) / sum(w for w, _ in having)
            return (own + self.smoothing * marginal) / (whole + self.smoothing)
        if whole == 0:
            if not given:
                return 1.0
            return self.theta(c, j, value, dict(list(given.items())[:-1]))
        return max(own / whole, 1e-30)

    def log_joints(self, row, n_known):
        met = {(j, v) for _, _, x in self.examples for j, v in x.items()}
        x = {j: v for j, v in row.codes if (j, v) in met}
        out = {}
        for c in range(n_known):
            weight = sum(w for label, w, _ in self.examples if label == c)
            if weight == 0:
                continue
            out[c] = math.log(weight)
            for j, value in x.items():
                given = {p: x[p] for p in self.parents.get(j, []) if p in x}
                out[c] += math.log(self.theta(c, j, value, given))
        return out

    def distribution(self, row, n_known):
        if not self.trained:
            return [0.0] * n_known
        logs = self.log_joints(row, n_known)
        top = max(logs.values())
        shares = {c: math.exp(value - top) for c, value in logs.items()}
        return [shares.get(c, 0.0) / sum(shares.values()) for c in range(n_known)]

    def margin(self, row):
        if not self.trained:
            return 0.0
        no, yes = self.distribution(row, 2)
        return yes - no

    def vote(self, row, n_known):
        if not self.trained:
            return -1
        logs = self.log_joints(row, n_known)
        return min(logs, key=lambda c: (-round(logs[c], 9), c))

    def vote_is_close(self, row, n_known):
        logs = sorted(self.log_joints(row, n_known).values(), reverse=True) if self.trained else []
        return len(logs) > 1 and logs[0] - logs[1] < 1e-8

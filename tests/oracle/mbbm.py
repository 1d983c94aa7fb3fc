"""OnlineMBBM (Jung, Goetz, Tewari 2017, algorithm 1), for several edges under Hedge.

for i = 1..N, n = N - i:  C[r, l] = phi_n^r(s + e_l);  l_i the learner's answer;  s += e_{l_i}
answer argmax s;  learner i is taught with w = sum_l C[y, l] - k C[y, y] at the s it saw
"""

from oracle import potential
from oracle.ensembles import Answer
from oracle.multiclass import Multiclass, argmax


class MBBM(Multiclass):
    def __init__(self, make, n_estimators, key, *, edge=0.1, potential="pairwise", early_exit=True,
                 preset=None, **options):  # fmt: skip
        edges = list(edge) if isinstance(edge, (list, tuple)) else [edge]
        super().__init__(make, n_estimators * len(edges), key, **options)
        self.n, self.edges, self.kind = n_estimators, edges, potential
        self.early_exit, self.extra = early_exit, int(preset == "paper_code")
        self.experts = [0.0] * len(edges)
        self.lost = [0.0] * len(edges)
        self.x = [0.0] * len(self.lanes)  # X_i of the telescoping identity
        self.cost_sums = [0.0] * len(self.lanes)
        self.potential_sums = [0.0] * len(self.lanes)

    def potentials(self):
        kind = "pairwise" if self.kind == "pairwise" else "exact"
        return [potential.make(kind, self.n_known, edge) for edge in self.edges]

    def limit(self):
        return (self.n_known - 1) ** (2 if self.kind == "pairwise" else 1)

    def walk(self, row):
        """For each edge: [(lane, votes before, label)], the final votes; and whether rounding decided anything."""
        boosters, close = [], False
        for e, phi in enumerate(self.potentials()):
            s, steps = [0] * self.n_known, []
            for j in range(self.n):
                lane, n = e * self.n + j, self.n - 1 - j + self.extra

                def excess(phi=phi, n=n, s=tuple(s)):
                    rows = [phi.row(n, list(s), r) for r in range(self.n_known)]
                    return [[c - row[r] for c in row] for r, row in enumerate(rows)]

                label, unsure = self.lane_label(lane, row, excess)
                close |= unsure
                steps.append((lane, list(s), label))
                s[label] += 1
            boosters.append((steps, s))
        return boosters, close

    def combine(self, row):
        boosters, close = self.walk(row)
        labels = [argmax(s) for _, s in boosters]
        if len(labels) > 1:
            return self.hedged(labels, close)
        votes = boosters[0][1]
        return Answer(labels[0], votes, [v / self.n for v in votes], close)

    def learn(self, x, label, weight=1.0):
        if weight > 0 and self.n_known > 1:
            self.walked, close = self.walk(self.columns.read(x))
            self.doubt |= close
        super().learn(x, label, weight)

    def teach(self, row, label, weight, asked, asked_close):
        amounts, raw = [0.0] * len(self.lanes), [0.0] * len(self.lanes)
        rows = [[0.0] * self.n_known] * len(self.lanes)
        phis = self.potentials()
        for e, (steps, final) in enumerate(self.walked):
            phi, edge = phis[e], self.edges[e]
            for j, (lane, s, answer) in enumerate(steps):
                n = self.n - 1 - j + self.extra
                first, second = sorted(s, reverse=True)[:2]
                skipped = self.early_exit and first - second > self.n - j
                w = 0.0 if skipped else phi.weight(n, s, label)
                w = 0.0 if w < 1e-12 else w
                raw[lane] = w
                amounts[lane] = self.lesson(lane, w) * weight
                if not skipped:
                    costs = rows[lane] = phi.row(n, s, label)
                    paid = costs[answer] - costs[label]
                    self.x[lane] += weight * (paid - (1 - edge) / self.n_known * w)
                    self.cost_sums[lane] += weight * paid
                    self.potential_sums[lane] += weight * w
            self.lost[e] += weight * potential.loss(final, label)
        self.punish([argmax(s) for _, s in self.walked], label, weight)
        for i, lane in enumerate(self.lanes):
            lane.learn(row, label, amounts[i])
            self.teach_costs(i, row, label, amounts[i], rows[i])
        return {"offered": amounts, "amount": amounts, "w": raw, "s": [s for _, s in self.walked]}

    def lesson(self, lane, w):
        if self.weight_scale == "paper_code":
            return max(0.1 * self.constant(lane) * w / (self.n_known - 1), 1e-10)
        return self.amount(lane, w / self.limit())

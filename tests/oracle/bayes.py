"""The Bayesian ensemble (Bai, Lam, Sclaroff 2014): weights of the learners as posterior means. Two classes, y in {-1, +1}.

Losses        g_i = g(c_i(x), y), c_i the learner's answer before it learns the example; sums over the past with forgetting r:
              S_i = sum g_i,  G_i = sum ln g_i,  n = sum of weights.
exponential   g ~ Exp(theta lambda_i), lambda_i ~ Gamma(alpha, beta):  lambda_i = (alpha + n) / (beta + theta S_i)
              answer +1 iff sum_i lambda_i (g_i(x, -1) - g_i(x, +1)) > 0
gamma_rate    g ~ Gamma(lambda_i, rate theta), prior a^(l-1) theta^(c l) / Gamma(l)^b with a = b = c = 1
gamma         g ~ Gamma(alpha_i, rate beta_i), prior p^(alpha-1) e^(-beta q) beta^(alpha s) / Gamma(alpha)^r,
              p = 1/2, q = r = s = 1
              answer: the class whose losses are the most likely under the posterior means
Baselines     voting: lambda = 1;  sgd: lambda -= (rate / t) (theta g - 1 / lambda), kept in [1e-3, 1e6]
"""

import math

import numpy as np
from scipy.special import gammaln

from oracle.ensembles import NEAR, Answer, Ensemble
from oracle.linear import sigmoid
from oracle.subset import SubsetLane, chosen, log_odds

ODDS_LIMIT = 20.0
LEAST, MOST = 1e-6, 50.0  # losses as the Gamma likelihoods see them
DIVISOR = {"logistic": 1.0, "hinge": 2.0, "zero_one": 1.0, "squared": 4.0}


def loss(kind, c, y):
    m = y * c
    if kind == "logistic":
        return math.log1p(math.exp(-m)) if m > 0 else -m + math.log1p(math.exp(m))
    if kind == "hinge":
        return max(0.0, 1 - m)
    if kind == "zero_one":
        return 0.0 if m > 0 else 1.0
    return (1 - m) ** 2


def clipped(g):
    return min(max(g, LEAST), MOST)


def mean_on_a_grid(log_density, n=2001):
    """E[x] under exp(log_density(x)) on x > 0: trapezoids in u = ln x around the highest point."""
    u = np.linspace(-60, 60, n)
    for _ in range(4):  # zoom in on where the mass is
        f = log_density(np.exp(u)) + u
        mass = f > f.max() - 60
        low, high = u[mass][0], u[mass][-1]
        step = u[1] - u[0]
        u = np.linspace(low - step, high + step, n)
    f = log_density(np.exp(u)) + u
    w = np.exp(f - f.max())
    return float((w * np.exp(u)).sum() / w.sum())


def rate_known_mean(sum_log, n, theta):
    """E[lambda] of gamma_rate: density exp(lambda A - b lnGamma(lambda))."""
    a, b = sum_log + (1 + n) * math.log(theta), 1 + n
    return mean_on_a_grid(lambda x: x * a - b * gammaln(x))


def both_free_means(sum_log, total, n):
    """(E[alpha], E[beta]) of gamma: beta integrated out, beta | alpha ~ Gamma(s alpha + 1, rate q)."""
    p, q, s = math.log(0.5) + sum_log, 1 + total, 1 + n
    alpha = mean_on_a_grid(
        lambda x: (x - 1) * p + gammaln(s * x + 1) - s * gammaln(x) - (s * x + 1) * math.log(q)
    )
    return alpha, (s * alpha + 1) / q


class Bayes(Ensemble):
    def __init__(
        self,
        make,
        n_estimators,
        key,
        *,
        likelihood="exponential",
        vote="bayes",
        loss="logistic",
        hypothesis="sign",
        feature_fraction=0.5,
        learners="online",
        n_pretrain=100,
        prior_shape=1.0,
        prior_rate=1.0,
        theta=0.1,
        forgetting=1.0,
        learning_rate=1.0,
        width,
        **options,
    ):
        def masked(columns, n_classes, seed, lane):
            learner = make(columns, n_classes, seed, lane)
            if feature_fraction is None or feature_fraction == 1:
                return learner
            return SubsetLane(learner, chosen(feature_fraction, width, seed, lane))

        super().__init__(masked, n_estimators, key, width=width, **options)
        self.likelihood, self.rule, self.loss, self.hypothesis = likelihood, vote, loss, hypothesis
        self.static, self.n_pretrain = learners == "static", n_pretrain
        self.alpha, self.beta, self.theta = prior_shape, prior_rate, theta
        self.forgetting, self.learning_rate = forgetting, learning_rate
        self.n = 0.0
        self.S = [0.0] * n_estimators
        self.G = [0.0] * n_estimators
        self.sgd = [1.0] * n_estimators
        self.edge_sum = [0.0] * n_estimators

    # ---- weights

    def lam(self):
        """Posterior means: lambda_i, or (alpha_i, beta_i)."""
        if self.rule == "uniform":
            return [1.0] * len(self.S)
        if self.rule == "sgd":
            return list(self.sgd)
        if self.likelihood == "exponential":
            return [(self.alpha + self.n) / (self.beta + self.theta * s) for s in self.S]
        if self.likelihood == "gamma_rate":
            return [rate_known_mean(g, self.n, self.theta) for g in self.G]
        return [both_free_means(g, s, self.n) for g, s in zip(self.G, self.S, strict=True)]

    # ---- answers

    def c(self, lane, row, n_known):
        if not lane.trained:
            return 0.0
        if self.hypothesis == "sign":
            vote = lane.vote(row, n_known)
            return 0.0 if vote < 0 else (1.0 if vote == 1 else -1.0)
        if self.hypothesis == "real":
            return lane.margin(row)
        return max(-ODDS_LIMIT, min(ODDS_LIMIT, log_odds(lane, row)))

    def gain(self, c, lam):
        """How much more likely +1 is than -1, as far as one learner goes."""
        against, for_ = loss(self.loss, c, -1), loss(self.loss, c, 1)
        if self.rule != "bayes" or self.likelihood == "exponential":
            return lam * (against - for_)
        shape, rate = (lam, self.theta) if self.likelihood == "gamma_rate" else lam
        against, for_ = clipped(against), clipped(for_)
        return (1 - shape) * (math.log(against) - math.log(for_)) + rate * (against - for_)

    def combine(self, row):
        lam = self.lam()
        cs = [self.c(lane, row, self.n_known) for lane in self.lanes]
        gains = [self.gain(c, weight) for c, weight in zip(cs, lam, strict=True)]
        if self.rule != "bayes" or self.likelihood == "exponential":
            score = sum(gains) / sum(lam) / DIVISOR[self.loss]
            p = sigmoid(score) if self.hypothesis == "log_odds" else (1 + score) / 2
        else:
            score = sum(gains) / len(gains)
            p = sigmoid(score)
        close = self.turns(row, self.n_known, cs)
        silent = all(gain == 0 for gain in gains)
        return Answer(1 if score > 0 else 0, [score], [1 - p, p], close or (not silent and abs(score) < NEAR))

    def turns(self, row, n_known, cs):
        """Whether a rounding could turn some learner's contribution."""
        if self.hypothesis == "sign":
            return any(lane.vote_is_close(row, n_known) for lane in self.lanes)
        return self.loss == "zero_one" and any(c != 0 and abs(c) < NEAR for c in cs)

    # ---- learning

    def learn(self, x, label, weight=1.0):
        if weight > 0:
            before = self.columns.read(x)
            n_before = self.n_known
            self.asked_c = [self.c(lane, before, n_before) for lane in self.lanes]
            self.doubt |= self.turns(before, n_before, self.asked_c)
        super().learn(x, label, weight)

    def teach(self, row, label, weight, asked, asked_close):
        y = 1 if label == 1 else -1
        pretraining = self.static and self.examples < self.n_pretrain
        losses = [loss(self.loss, c, y) for c in self.asked_c]
        if not pretraining:
            t = self.examples + 1 - (self.n_pretrain if self.static else 0)
            self.n = self.forgetting * self.n + weight
            for i, g in enumerate(losses):
                g = g if self.likelihood == "exponential" or self.rule != "bayes" else clipped(g)
                self.S[i] = self.forgetting * self.S[i] + weight * g
                if g > 0:
                    self.G[i] = self.forgetting * self.G[i] + weight * math.log(g)
                step = self.learning_rate / t * weight * (self.theta * g - 1 / self.sgd[i])
                self.sgd[i] = min(max(self.sgd[i] - step, 1e-3), 1e6)
        amount = weight if pretraining or not self.static else 0.0
        for lane in self.lanes:
            lane.learn(row, label, amount)
        for i, c in enumerate(self.asked_c):
            self.edge_sum[i] += weight * y * (math.tanh(c / 2) if self.hypothesis == "log_odds" else c)
        offered = [weight] * len(self.lanes)  # frozen learners are still watched
        return {"offered": offered, "amount": [amount] * len(self.lanes), "c": self.asked_c, "losses": losses}

    @property
    def edge(self):
        return [total / weight for total, weight in zip(self.edge_sum, self.weight_sum, strict=True)]

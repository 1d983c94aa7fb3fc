"""Streaming gradient boosted trees (Gunasekara et al. 2024), two classes, and of numbers (2025): a chain of stages.

   raw = 0; stage m: learn the target at raw, then raw += rate * (mean answer of the stage before it learned)
   classes   p = sigmoid(raw), g = y - p (y = 0 or 1), h = p (1 - p): the target is g / h, at most 4 in size, the weight 4 h
   numbers   the target is y - centre - raw, the weight 1, the answer centre + raw, centre the mean of the targets before;
             the first
             number makes the centre and is learned by nobody
Stage m = 0, 1, ... joins after m * warm_up examples. A stage is one learner, or a bag of some: each then learns Poisson(weight
of the example) times.

`bank` is one of oracle.regression: `ask(row)` gives numbers, None where a learner is untrained; `learn(row, targets, amounts)`.
"""

import math

from oracle import draws


class Chain:
    def __init__(self, bank, key, *, rate, bag=1, warm_up=0):
        self.bank, self.key, self.rate, self.bag, self.warm_up = bank, key, rate, bag, warm_up
        self.examples, self.weight, self.sum = 0, 0.0, 0.0

    def joined(self, i):
        return self.examples >= i // self.bag * self.warm_up

    def walk(self, row):
        """What every stage starts from, and the end."""
        said = [a if self.joined(i) else None for i, a in enumerate(self.bank.ask(row))]
        raws = [0.0]
        for first in range(0, len(said), self.bag):
            stage = [a for a in said[first : first + self.bag] if a is not None]
            raws.append(raws[-1] + self.rate * (sum(stage) / len(stage) if stage else 0.0))
        return raws

    def learn(self, row, y, weight=1.0):
        if weight == 0:
            return
        raws = self.walk(row)
        targets, amounts = [], []
        for i in range(len(self.bank.lanes)):
            target, share = self.lesson(raws[i // self.bag], y)
            times = weight if self.bag == 1 else draws.poisson(self.key, self.examples, i, weight)
            targets.append(target)
            amounts.append(times * share if self.joined(i) else 0.0)
        self.bank.learn(row, targets, amounts)
        self.examples += 1
        self.weight += weight
        self.sum += weight * y


class Numbers(Chain):
    def lesson(self, raw, y):
        return (y - self.sum / self.weight - raw, 1.0) if self.weight else (0.0, 0.0)

    def ask(self, row):
        return self.sum / self.weight + self.walk(row)[-1] if self.weight else math.nan


class Classes(Chain):
    """y is 0 or 1; the answer is the probability of 1."""

    def lesson(self, raw, y):
        p = 1 / (1 + math.exp(-raw))
        g, h = y - p, p * (1 - p)
        return max(-4.0, min(g / h, 4.0)), 4 * h

    def ask(self, row):
        return 1 / (1 + math.exp(-self.walk(row)[-1]))


class Trees:
    """Some trees of oracle.regression as a bank."""

    def __init__(self, lanes):
        self.lanes = lanes

    def ask(self, row):
        return [tree.ask(row) for tree in self.lanes]

    def learn(self, row, targets, amounts):
        for tree, target, amount in zip(self.lanes, targets, amounts, strict=True):
            if amount > 0:
                tree.learn(row, target, amount)

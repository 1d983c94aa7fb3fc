"""The step tables: what three scripted learners are told, row by row, worked out with exact fractions.

oza_steps.csv. Learner i is right or wrong as the column `right` says. First two rows, by hand:
    row 0  lam = 1    learner 0 right: sc = 1,   lam = 1 * (1 + 0) / (2 * 1) = 1/2
                      learner 1 right: sc = 1/2, lam = 1/2 * 1/2 / (2 * 1/2) = 1/4
                      learner 2 wrong: sw = 1/4, lam = 1/4 * 1/4 / (2 * 1/4) = 1/8
    row 1  lam = 1    learner 0 right: sc = 2,   lam = 1 * 2 / (2 * 2) = 1/2
                      learner 1 wrong: sw = 1/2, sc + sw = 1,   lam = 1/2 * 1 / (2 * 1/2) = 1/2
                      learner 2 right: sc = 1/2, sc + sw = 3/4, lam = 1/2 * 3/4 / (2 * 1/2) = 3/8
and so on. Answers before each row (declared classes 0 and 1, votes ln(sc / sw), e clamped at 1e-10):
    row 1  learner 2 has e = 1: the prefix is {0, 1}. Both e = 0, one vote each: a tie, the lower code wins    -> 0
    row 2  e = 0, 1/2, 1/3. Learner 0 says 0 (ln 1e10 = 23.03), 1 is silent, 2 says 1 (ln 2)                   -> 0
    row 3  e = 1/3, 1/5, 4/27: all say 1                                                                       -> 1
    row 4  e = 1/4, 3/19, 3/25: learners 0 and 1 say 1 (ln 3 + ln 16/3 = 2.77), 2 says 0 (ln 22/3 = 1.99)      -> 1
    row 5  e = 2/5, 21/53, 14/205: 0 says 0 (ln 3/2 = .41), the others 1 (ln 32/21 + ln 191/14 = 3.03)         -> 1
    row 6  e = 1/3, 15/31, 287/1242: 0 and 2 say 0 (ln 2 + ln 955/287 = 1.90), 1 says 1 (ln 16/15 = .06)       -> 0

osboost_steps.csv. gamma = 1 - 0.9^4, so a weight is 0.9^(2 z): with margins theta + s / 2 for whole s ("half steps") z is a
multiple of 1/2 and every weight a power of 0.9. z^i = (s_1 + ... + s_i) / 2, w^(i+1) = min(1, 0.9^(s_1 + ... + s_i)).
Row 0 finds untrained learners: margin 0, z = -i theta < 0, all weights 1.

bagging_steps.csv. Key 20260101. Copies by inversion of the uniform number; the cumulative Poisson probabilities are
    rate 1    .3679 .7358 .9197 .9810        rate 2    .1353 .4060 .6767 .8571        rate 1/2    .6065 .9098
Learner 0 gets nothing before row 2 and abstains until then.

bayes_steps.csv. Hinge loss max(0, 1 - y c), prior alpha = 1, beta = 2, theta = 1: lambda = (1 + n) / (2 + S) after n rows. The
score before a row is sum(lambda c) / sum(lambda). Row 0 finds untrained learners, c = 0. Row 5:
    (12/11 * 1/2 - 12/13) / (12/11 + 12/13)
    = (-54/143) / (288/143) = -3/16.
"""

import csv
from fractions import Fraction
from pathlib import Path

HERE = Path(__file__).resolve().parent

OZA_ANSWERS = [0, 0, 0, 1, 1, 1, 0]  # row 0: nothing learned, the lowest code

OSBOOST_GAMMA = 1 - 0.9**4
OSBOOST_THETA = OSBOOST_GAMMA / (2 + OSBOOST_GAMMA)

BAYES_OPTIONS = {"loss": "hinge", "hypothesis": "real", "prior_shape": 1.0, "prior_rate": 2.0, "theta": 1.0}

BAGGING_KEY = 20260101
BAGGING_LABELS = [1, 0, 1, 1, 0, 0, 1]
# What the three learners say on each row, and what the trained ones among them decide.
BAGGING_SCRIPT = [[1, 1, 0, 0, 1, 1, 0], [1, 0, 1, 1, 0, 1, 1], [0, 1, 1, 0, 1, 0, 0]]
BAGGING_ANSWERS = [
    None,  # row 0: no learner is trained
    0,  # learners 1, 2 say 0, 1: a tie, the lower code
    1,  # learner 0 still has nothing: 1, 1
    0,  # 0, 1, 0
    1,  # 1, 0, 1
    1,  # 1, 1, 0
    0,  # 0, 1, 0
]
BAGGING_SHARES = [None, 1 / 2, 1, 1 / 3, 2 / 3, 2 / 3, 1 / 3]  # of class 1


def rows(name):
    with open(HERE / name, newline="") as file:
        return list(csv.DictReader(file))


def numbers(text):
    """The numbers of a cell, whole or as fractions."""
    return [float(Fraction(word)) for word in text.split()]


def oza_table():
    """[row][lane] -> dict of exact numbers."""
    table = {}
    for line in rows("oza_steps.csv"):
        step = {name: Fraction(line[name]) for name in ("lambda_in", "sc", "sw", "lambda_out")}
        table.setdefault(int(line["row"]), []).append(
            {**step, "right": line["right"] == "1", "y": int(line["y"])}
        )
    return [table[t] for t in sorted(table)]


def oza_script():
    """Margins script[lane][row] that make learners right and wrong as the table says."""
    table = oza_table()
    return [
        [(1 if step[lane]["right"] == (step[lane]["y"] == 1) else -1) for step in table] for lane in range(3)
    ]


def osboost_table():
    """[(y, [w1, w2, w3, w4])] and the margins script[lane][row]."""
    steps, script = [], [[], [], []]
    for line in rows("osboost_steps.csv"):
        y = int(line["y"])
        steps.append((y, [float(line[f"w{i}"]) for i in range(1, 5)]))
        halves = [0, 0, 0] if line["half_steps"] == "silent" else [int(s) for s in line["half_steps"].split()]
        for lane, s in enumerate(halves):
            script[lane].append((OSBOOST_THETA + s / 2) * (1 if y == 1 else -1))
    return steps, script


def bayes_table():
    """[{"y", "score", "loss_sum": [..], "lambda": [..]}] and the margins script[lane][row]."""
    steps, script = [], [[], []]
    for line in rows("bayes_steps.csv"):
        for lane, c in enumerate(line["c"].split()):
            script[lane].append(float(Fraction(c)))
        lists = {name: [float(Fraction(x)) for x in line[name].split()] for name in ("loss_sum", "lambda")}
        steps.append({"y": int(line["y"]), "score": float(Fraction(line["score"])), **lists})
    return steps, script


def bagging_table():
    table = {}
    for line in rows("bagging_steps.csv"):
        entry = (float(line["weight"]), float(line["uniform"]), int(line["copies"]))
        table.setdefault(int(line["row"]), []).append(entry)
    return [table[t] for t in sorted(table)]

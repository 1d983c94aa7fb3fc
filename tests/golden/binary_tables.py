"""Step tables of the two-class boosters with three scripted learners, worked out by hand.

Where a table says "silent" the learners have not been taught yet: margin 0.

ocp_steps.csv. gamma = 1/4, so theta = 1/9; step 1 / sqrt(t), t = row + 1. alpha is that of after the row. It moves twice:
    row 3  f = (1/2 - 1/2 - 1) / 3 = -1/3 < 1/9, step 1/2:  1/3 + (1/4, -1/4, -1/2) = (7/12, 1/12, -1/6)
           sorted sums 7/12, 2/3, 1/2:  7/12 > -5/12, 2/12 > -1/3, but -1/2 > -1/2 fails: tau = (2/3 - 1) / 2 = -1/6
    row 8  y f = -(3/4 - 1/8) = -5/8, step 1/3:  (3/4 - 1/3, 1/4 + 1/6, 1/3) = (5/12, 5/12, 1/3),  tau = (7/6 - 1) / 3 = 1/18
Elsewhere y f >= 1/9: row 1: 1/3, row 2: 1/6, row 4: 3/8 - 1/4 = 1/8, row 5: 1/2 (the plain sum of votes is -1), row 6: 1/4,
row 7: 5/8, row 9: 13/36. Row 0 moves alpha by nothing.

exp_steps.csv. Prefix sums of h decide `votes`; `loss` is L after the row; `share` is p before it for the rate ln 2, so that
p_i ~ 2^(-L_i); `vote` and `best` are the answers (`vote` is the same for any rate); `expected` = sum of the shares of those
who are wrong.

ogboost_steps.csv. Three selectors of one learner. Learner m answers, after its update, with y f = steps ln 2, so that with k
the sum of the steps so far the exponential loss hands out 2^(-k) and the logistic one 1 / (1 + 2^k). `error` is that of the
logistic loss after the row (in row 4 learner 0 answers 0, that is class 0, which is wrong); `share` is p(1) before the row: F
= -+ ln 2 in rows 1 to 3, 0 in row 0.

ogboost_choices.csv. One selector of three learners, all taught with weight 1/2: errors are halves.

bbm_steps.csv. c = 1/2, coin 3/4. Learner 1: n = 2, k = 1: w = 1/2 * 2 * 3/4 * 1/4 = 3/16, the largest is 1/2 * 9/16: 2/3.
Learner 2: n = 1; s = 1: k = 0, w = 1/8; s = -1: k = 1, w = 3/8, the largest: 1/3 or 1. Learner 3: n = 0; s = 0: w = 1/2; s =
-2, 2: decided, 0. A learner never taught votes for class 0: all in row 0, and learner 3 in row 1, where it is first taught.
phi_0(0) = 1/64 + 9/64 = 5/32, and in every row 1{majority wrong} = 5/32 + sum of w (1/2 - z).

OL_STEPS. AdaBoost.OL with exact logarithms. Row 0 finds everybody silent. In row 1 (step 4 / sqrt 2) margins k ln 2 / sqrt 2
make alpha = k ln 2. In row 2 all answer 0. In row 3 (step 2) the margins 1, -1, 1 give s = ln 2, -ln 2, -2 ln 2. In row 4
(step 4 / sqrt 5) y h = -1, 1, 1 gives s = -ln 2 - 2/3, ln 2 - 2, -2/5. Row 5 sends alpha_3 beyond 2.
"""

import math
from fractions import Fraction

from golden.tables import rows

OCP_GAMMA = 0.25
BBM_EDGE = 0.5
LN2 = math.log(2)


def numbers(text):
    return [0.0] * 3 if text == "silent" else [float(Fraction(part)) for part in text.split()]


def signs(text):
    return [1.0 if part == "+" else -1.0 for part in text.split()]


def ocp_table():
    """[(y, answer before, alpha after)] and the margins script[lane][row]."""
    table = rows("ocp_steps.csv")
    steps = [(int(line["y"]), int(line["answer"]), numbers(line["alpha"])) for line in table]
    return steps, transposed([numbers(line["h"]) for line in table])


def exp_table():
    table = rows("exp_steps.csv")
    steps = [
        {
            "y": int(line["y"]),
            "votes": signs(line["votes"]),
            "share": numbers(line["share"]),
            "loss": numbers(line["loss"]),
            "vote": int(line["vote"]),
            "best": int(line["best"]),
            "expected": float(Fraction(line["expected"])),
        }
        for line in table
    ]
    return steps, transposed([numbers(line["h"]) for line in table])


def ogboost_table():
    table = rows("ogboost_steps.csv")
    steps = [
        {
            "y": int(line["y"]),
            "exponential": numbers(line["exponential"]),
            "logistic": numbers(line["logistic"]),
            "error": numbers(line["error"]),
            "share": float(Fraction(line["share"])) if line["share"] else None,
        }
        for line in table
    ]
    turned = [[direction(line) * LN2 * k for k in numbers(line["steps"])] for line in table]
    return steps, transposed(turned)


def ogboost_choices():
    table = rows("ogboost_choices.csv")
    steps = [
        (int(line["y"]), numbers(line["error"]), int(line["chosen"]), int(line["answer"])) for line in table
    ]
    turned = [[direction(line) * (2 * right - 1) for right in numbers(line["right"])] for line in table]
    return steps, transposed(turned)


def bbm_table():
    table = rows("bbm_steps.csv")
    steps = [
        {
            "y": int(line["y"]),
            "z": signs(line["z"]),
            "w": numbers(line["w"]),
            "amount": numbers(line["amount"]),
            "answer": int(line["answer"]),
        }
        for line in table
    ]
    return steps, transposed([[direction(line) * z for z in signs(line["z"])] for line in table])


def direction(line):
    return 1.0 if line["y"] == "1" else -1.0


def transposed(table):
    return [list(column) for column in zip(*table, strict=True)]


def step(t, z, s):
    return 4 / math.sqrt(t) * z / (1 + math.exp(s))


FIRST = LN2 / math.sqrt(2)
S4 = -LN2 - 2 / 3, LN2 - 2, -2 / 5
A4 = LN2 + 2 / 3 + step(5, -1, S4[0]), 2 * LN2 - 4 / 3 + step(5, 1, S4[1]), 8 / 5 - LN2 + step(5, 1, S4[2])

# y, h, weights, alpha after, losses of the experts after, answers before: vote, best, full
OL_STEPS = [
    (1, [0, 0, 0], [1 / 2] * 3, [0, 0, 0], [1, 1, 1], 0, 0, 0),
    (1, [FIRST, 2 * FIRST, -FIRST], [1 / 2] * 3, [LN2, 2 * LN2, -LN2], [2, 2, 2], 0, 0, 0),
    (0, [0, 0, 0], [1 / 2] * 3, [LN2, 2 * LN2, -LN2], [2, 2, 2], 0, 0, 0),
    (
        1,
        [1, -1, 1],
        [1 / 2, 1 / 3, 2 / 3],
        [LN2 + 2 / 3, 2 * LN2 - 4 / 3, 8 / 5 - LN2],  # + 2 * 1/3, - 2 * 2/3, + 2 * 4/5
        [2, 3, 3],
        0,  # experts say +, -, - with equal shares
        1,
        0,
    ),
    (
        0,
        [1, -1, -1],
        [1 / 2, 1 / (1 + math.exp(-2 / 3) / 2), 1 / (1 + 2 * math.exp(-2))],
        list(A4),
        [3, 4, 4],
        1,
        1,
        1,
    ),
    # alpha_3 = 1.978 + 1.633 / (1 + e^1.978) = 2.18, cut; experts 1 and 2 say sign(0), with shares e : 1 against 1
    (1, [0, 0, 1], [1 / 2] * 3, [A4[0], A4[1], 2], [4, 5, 4], 0, 0, 1),
    # shares e : 1 : e for -, +, +
    (
        1,
        [0, 1, 1],
        [1 / 2, 1 / 2, 1 / (1 + math.exp(A4[1]))],
        [A4[0], A4[1] + step(7, 1, A4[1]), 2],
        [5, 5, 4],
        1,
        0,
        1,
    ),
]


def ol_script():
    return transposed([[float(h) for h in line[1]] for line in OL_STEPS])

"""Step tables of the thesis' other ensembles, worked out by hand.

arcx4_steps.csv. Four learners, right or wrong after their update as the digits say; weights s (1 + w^4): 1, 2, 17, 82.
    row 2  w = 0, wrong; w = 1: 1 + 1, wrong; w = 2: 1 + 16, right; w = 2: 17
Answers before each row: row 0 nothing learned, the lowest code; rows 4 and 6 two against two, the lower code.

blocked_steps.csv. Blocks of two examples, three learners. `earlier`: what the full learners say.
    row 3  e / t = 1/2, so r / (1 - r) = 1: accepted. Learner 2 is full with r_2 = 1/2
    row 4  r = 3/4 * 1/2 + 1/4 * 0 = 3/8, chance 3/5: the key is one whose coin says no here and yes on row 5
    row 6  wrong: accepted, whatever r = 3/8 + 1/4 * 1/3. Learner 3 is full: row 7 is nobody's
The answers: row 1 finds a part of one class, which is silent (the most frequent class speaks); row 7 has all three: 0, 1, 1.
Literally r_1 = 1, so r_2 = 3/4 + 1/4 * 1/2 = 7/8 and r_3 > 21/32: every chance is 1, rows 4 and 5 fill learner 3.

PRIMED. Four rows of priming, three learners.
    learner 0 is wrong on row 3: e = 1/4. D = 1/6 1/6 1/6 | 1/2, times 4: 2/3 2/3 2/3 2
    learner 1 is wrong on row 0: e = 1/6. D = 1/2 1/10 1/10 3/10, times 4: 2 2/5 2/5 6/5
    learner 2 is wrong on row 0: e = 1/2, dropped. Two learners go on with sc, sw = 3, 1 and 10/3, 2/3.
    row 4  lam = 1: learner 0 right, sc = 4, lam = 1 * 5 / 8. Learner 1 wrong, sw = 2/3 + 5/8 = 31/24
    row 5  lam = 1: learner 0 wrong, sw = 2, lam = 1 * 6 / 4 = 3/2. Learner 1 right, sc = 10/3 + 3/2 = 29/6
"""

from fractions import Fraction as F

from golden.tables import rows

BLOCKED_SCRIPT = [  # what each learner says of rows 0 .. 7
    [0, 0, 0, 0, 1, 0, 0, 0],
    [0, 0, 0, 0, 1, 0, 0, 1],
    [0, 0, 0, 0, 0, 0, 1, 1],
]

PRIMED_LABELS = [1, 0, 1, 0, 1, 0]
PRIMED_RIGHT = ["111010", "011101", "0111__"]  # of each learner on each row
PRIMED_TAUGHT = [
    [F(1), F(1), F(1), F(1)],
    [F(2, 3), F(2, 3), F(2, 3), F(2)],
    [F(2), F(2, 5), F(2, 5), F(6, 5)],
]
PRIMED_SUMS = {  # rows learned -> sc, sw of the three learners
    3: ([F(0)] * 3, [F(0)] * 3),
    4: ([F(3), F(10, 3), F(0)], [F(1), F(2, 3), F(0)]),
    5: ([F(4), F(10, 3), F(0)], [F(1), F(31, 24), F(0)]),
    6: ([F(4), F(29, 6), F(0)], [F(2), F(31, 24), F(0)]),
}
# Rows 0 .. 3: the most frequent class so far, the lower code among equals. Row 4: both learners say what they say of it,
# 1 with ln 3 against 0 with ln 5. Row 5: 1 with ln 4 against 0 with ln 80/31.
PRIMED_ANSWERS = [0, 1, 0, 1, 0, 1]


def arcx4_table():
    steps = rows("arcx4_steps.csv")
    script = [
        [(1 if (s["right"][lane] == "1") == (s["y"] == "1") else -1) for s in steps] for lane in range(4)
    ]
    return script, [
        (int(s["y"]), float(s["s"]), [float(s[f"w{i}"]) for i in range(1, 5)], int(s["answer"]))
        for s in steps
    ]


def blocked_table():
    return rows("blocked_steps.csv")


def primed_script():
    return [
        [(1 if (digit == "1") == (y == 1) else -1) for digit, y in zip(right, PRIMED_LABELS, strict=True)]
        for right in PRIMED_RIGHT
    ]

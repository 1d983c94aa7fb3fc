"""What regressors answer on a small stream, figure by figure: regressor_answers.csv. A change of any answer shows here.

``python -m golden.test_golden_answers`` (from tests/, with laws/ beside it) prints the table anew.
"""

import csv

import pytest
from laws.test_regression import MODELS, made, stream

from golden.tables import HERE

ROWS = (5, 60, 299, 301, 450, 599)
"""Early, before and after the drift of the stream, at its end."""


def answers(name):
    X, y, w = stream()
    return made(name).test_then_train(X, y, w)


@pytest.mark.parametrize("name", MODELS)
def test_answers(name):
    with open(HERE / "regressor_answers.csv", newline="") as file:
        (expected,) = [line for line in csv.DictReader(file) if line["model"] == name]
    got = answers(name)
    assert {str(row): f"{got[row]:.10g}" for row in ROWS} == {str(row): expected[str(row)] for row in ROWS}


if __name__ == "__main__":
    print(",".join(["model", *map(str, ROWS)]))
    for name in MODELS:
        found = answers(name)
        print(",".join([name, *(f"{found[row]:.10g}" for row in ROWS)]))

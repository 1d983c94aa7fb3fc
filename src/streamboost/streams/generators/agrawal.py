"""The loan applicants of Agrawal, Imielinski and Swami."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from streamboost.streams.generators.base import (
    DEFAULT_ROWS,
    Floats,
    GeneratedStream,
    Rows,
    choice,
    real,
    whole,
)

Flags = npt.NDArray[np.bool_]

_NAMES = ("salary", "commission", "age", "elevel", "car", "zipcode", "hvalue", "hyears", "loan")
_NOMINAL = ("elevel", "car", "zipcode")


@dataclass(frozen=True)
class _People:
    """The columns that the functions look at."""

    salary: Floats
    commission: Floats
    age: Floats
    elevel: Floats
    hvalue: Floats
    hyears: Floats
    loan: Floats

    def by_age(self, young: Flags, middle: Flags, old: Flags) -> Flags:
        """Another condition for each of the three ages: below 40, below 60, above."""
        return np.where(self.age < 40, young, np.where(self.age < 60, middle, old))

    @property
    def income(self) -> Floats:
        return self.salary + self.commission


def _within(values: Floats, low: float, high: float) -> Flags:
    return (low <= values) & (values <= high)


def _thousands(values: Floats, low: int, high: int) -> Flags:
    return _within(values, 1000.0 * low, 1000.0 * high)


def _f1(p: _People) -> Flags:
    return (p.age < 40) | (p.age >= 60)


def _f2(p: _People) -> Flags:
    s = p.salary
    return p.by_age(_thousands(s, 50, 100), _thousands(s, 75, 125), _thousands(s, 25, 75))


def _schooled(p: _People) -> tuple[Flags, Flags, Flags]:
    return _within(p.elevel, 0, 1), _within(p.elevel, 1, 3), _within(p.elevel, 2, 4)


def _f3(p: _People) -> Flags:
    return p.by_age(*_schooled(p))


def _f4(p: _People) -> Flags:
    low, mid, high = (_thousands(p.salary, a, a + 50) for a in (25, 50, 75))
    young, middle, old = _schooled(p)
    return p.by_age(np.where(young, low, mid), np.where(middle, mid, high), np.where(old, mid, low))


def _f5(p: _People) -> Flags:
    s = p.salary
    small, mid, large = (_thousands(p.loan, a, a + 200) for a in (100, 200, 300))
    return p.by_age(
        np.where(_thousands(s, 50, 100), small, mid),
        np.where(_thousands(s, 75, 125), mid, large),
        np.where(_thousands(s, 25, 75), large, small),
    )


def _f6(p: _People) -> Flags:
    total = p.income
    return p.by_age(_thousands(total, 50, 100), _thousands(total, 75, 125), _thousands(total, 25, 75))


def _f7(p: _People) -> Flags:
    return 0.67 * p.income - 0.2 * p.loan - 20_000 > 0


def _f8(p: _People) -> Flags:
    return 0.67 * p.income - 5_000 * p.elevel - 20_000 > 0


def _f9(p: _People) -> Flags:
    return 0.67 * p.income - 5_000 * p.elevel - 0.2 * p.loan - 10_000 > 0


def _f10(p: _People) -> Flags:
    equity = 0.1 * p.hvalue * np.maximum(p.hyears - 20, 0)
    return 0.67 * p.income - 5_000 * p.elevel + 0.2 * equity - 10_000 > 0


_FUNCTIONS: tuple[Callable[[_People], Flags], ...] = (_f1, _f2, _f3, _f4, _f5, _f6, _f7, _f8, _f9, _f10)


class AgrawalStream(GeneratedStream):
    """Loan applicants: six numeric and three nominal attributes, ten rules for who belongs to group A.

    ====================  ==================================================================
    salary                uniform from 20,000 to 150,000
    commission            0 where the salary is 75,000 or more, else uniform from 10,000 to 75,000
    age                   uniform from 20 to 80
    elevel                level of education, one of 5 (nominal, codes 0 to 4)
    car                   make of the car, one of 20 (nominal)
    zipcode               one of 9 (nominal)
    hvalue                value of the house, uniform from 50,000 k to 150,000 k, k = 1 ... 9 by zipcode
    hyears                years that the house is owned, uniform from 1 to 30
    loan                  uniform from 0 to 500,000
    ====================  ==================================================================

    Class 1 is group A: those for whom the function of the paper holds; under functions 8 and 10 that is
    nearly everybody. Then the numeric attributes are
    perturbed, so that the border between the groups is not sharp.

    Parameters
    ----------
    concept : int, default=1
        From 1 to 10: which function of the paper.
    perturbation : float, default=0.05
        A numeric value moves by r times this times its range, r uniform from -0.5 to 0.5. The range of a
        house's value is that of its zipcode; a commission of 0 stays 0.
    seed, n_rows
        As for every generator.

    References
    ----------
    R. Agrawal, T. Imielinski and A. Swami, "Database mining: a performance perspective", IEEE Transactions
    on Knowledge and Data Engineering 5(6), 1993.
    """

    key = "agrawal"
    n_concepts = len(_FUNCTIONS)

    def __init__(
        self,
        *,
        concept: int = 1,
        perturbation: float = 0.05,
        seed: int = 0,
        n_rows: int | None = DEFAULT_ROWS,
    ) -> None:
        self.concept = whole("concept", concept, 1, len(_FUNCTIONS))
        self.perturbation = real("perturbation", perturbation, 0.0, 1.0)
        nominal = np.array([name in _NOMINAL for name in _NAMES])
        super().__init__(seed=seed, n_rows=n_rows, columns=_NAMES, nominal=nominal, n_classes=2)

    def _make(self, first: int, n: int) -> Rows:
        u = self._uniforms(first, n, 15 if self.perturbation else 9)
        salary = 20_000 + 130_000 * u[:, 0]
        paid = salary < 75_000
        commission = np.where(paid, 10_000 + 65_000 * u[:, 1], 0.0)
        age = 20 + 60 * u[:, 2]
        elevel = choice(u[:, 3], 5).astype(np.float64)
        car = choice(u[:, 4], 20)
        zipcode = choice(u[:, 5], 9)
        k = 100_000.0 * (zipcode + 1)
        hvalue = k * (0.5 + u[:, 6])
        hyears = 1 + 29 * u[:, 7]
        loan = 500_000 * u[:, 8]
        people = _People(salary, commission, age, elevel, hvalue, hyears, loan)
        y = _FUNCTIONS[self.concept - 1](people).astype(np.int64)
        X = np.empty((n, 9))
        ranges: dict[int, Any] = {
            0: 130_000.0,
            1: 65_000.0 * paid,
            2: 60.0,
            6: k,
            7: 29.0,
            8: 500_000.0,
        }
        columns = (salary, commission, age, elevel, car, zipcode, hvalue, hyears, loan)
        for i, column in enumerate(columns):
            X[:, i] = column
        if self.perturbation:
            for draw, (i, span) in enumerate(ranges.items()):
                X[:, i] += self.perturbation * span * (u[:, 9 + draw] - 0.5)
        return X, y

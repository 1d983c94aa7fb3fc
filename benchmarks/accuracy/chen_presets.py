"""``python -m benchmarks.accuracy.chen_presets``: the trials behind the presets of ``streamboost reproduce chen2012``.

What the paper leaves open is varied, one choice at a time, for all cells alike. Printed is the mean absolute difference from the
published error of each column of tables 1 to 4, over the data sets named (by default the seven small ones and Adult); OCP with
naive Bayes, which fits no reading, and splice with single naive Bayes are left out. Data are found through STREAMBOOST_DATA.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from streamboost.evaluate import prequential
from streamboost.experiments.plan import Algorithm
from streamboost.reproduce.papers.binary_streams import ADULT, SMALL
from streamboost.reproduce.papers.chen2012 import algorithm
from streamboost.reproduce.published import published_table
from streamboost.reproduce.study import DataEntry

COLUMNS = ("single", "OzaBoost", "OGBoost", "OSBoost", "OSBoost.OCP", "OSBoost.EXP")


def _same_entry(entry: DataEntry) -> DataEntry:
    return entry


@dataclass(frozen=True)
class Variant:
    """A preset with one choice changed: in the learner, the model or the data."""

    name: str
    learner: dict[str, object] | None = None
    model: dict[str, object] | None = None
    data: Callable[[DataEntry], DataEntry] = _same_entry

    def apply(self, made: Algorithm, known: set[str]) -> Algorithm:
        """The algorithm with the changes that concern it."""
        changes = {key: value for key, value in (self.model or {}).items() if key in known}
        return replace(
            made,
            params={**made.params, **changes},
            learner_params={**made.learner_params, **(self.learner or {})},
        )


def _raw(entry: DataEntry) -> DataEntry:
    return replace(entry, steps=())


def _all_normal(entry: DataEntry) -> DataEntry:
    return replace(entry, learner_steps={})


VARIANTS = {
    "perceptron": (
        Variant("preset"),
        Variant("running scaling", {"scale": "maxabs"}, data=_raw),
        Variant("columns as in the files", data=_raw),
        Variant("first weights zero", {"start": "zero"}),
        Variant("sign votes", model={"hypothesis": "sign"}),
        Variant("no constant coordinate", {"fit_intercept": False}),
        Variant("untrained answers class 0, all vote", model={"untrained": "class0", "prefix": "all"}),
        Variant("OCP with step 1/sqrt(t)", model={"step": "1/sqrt(t)"}),
        Variant("EXP by weighted majority", model={"hedge": "vote"}),
    ),
    "naive_bayes": (
        Variant("preset"),
        Variant("normal also for columns of 0 and 1", data=_all_normal),
        Variant("Laplace counts", {"alpha": 1.0}),
        Variant("variance floor 1e-6", {"var_floor": 1e-6}),
        Variant("variance floor 0.01", {"var_floor": 1e-2}),
        Variant("variance floor 0.1", {"var_floor": 1e-1}),
        Variant("sign votes", model={"hypothesis": "sign"}),
        Variant("untrained answers class 0, all vote", model={"untrained": "class0", "prefix": "all"}),
        Variant("at most ten copies (OzaBoost)", model={"copies_cap": 10}),
        Variant("EXP by weighted majority", model={"hedge": "vote"}),
    ),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--orders", type=int, default=3)
    parser.add_argument("--datasets", nargs="+", default=[entry.title for entry in (*SMALL, ADULT)])
    parser.add_argument("--learners", nargs="+", choices=VARIANTS, default=list(VARIANTS))
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    theirs = {(f.dataset, f.column): f.value for n in "1234" for f in published_table("chen2012", n).figures}
    entries = [entry for entry in (*SMALL, ADULT) if entry.title in given.datasets]
    for learner in given.learners:
        print(
            f"\n{learner}, {given.orders} orders, {', '.join(e.title for e in entries)}: mean absolute difference"
        )
        print(f"| choice | {' | '.join(COLUMNS)} | mean |")
        print("|---|" + "---|" * (len(COLUMNS) + 1))
        for variant in VARIANTS[learner]:
            found: dict[str, list[float]] = {name: [] for name in COLUMNS}
            for entry in entries:
                data = variant.data(entry).source(None, learner).load()
                for name in COLUMNS:
                    if (learner, name) == ("naive_bayes", "OSBoost.OCP"):
                        continue
                    made = algorithm(name, learner, 100)
                    assert made is not None
                    known = set(made.build(0, None).get_params(deep=False))
                    model = variant.apply(made, known).build(0, data.rows.nominal)
                    result = prequential(
                        model, data.rows, orders=given.orders, seed=0, classes=data.rows.find_classes()
                    )
                    if (learner, name, entry.title) == ("naive_bayes", "single", "Splice"):
                        continue
                    found[name].append(abs(result.error - theirs[entry.title, (name, learner)]))
            cells = [f"{np.mean(values):.4f}" if values else "–" for values in found.values()]
            mean = np.mean([value for values in found.values() for value in values])
            print(f"| {variant.name} | {' | '.join(cells)} | {mean:.4f} |", flush=True)


if __name__ == "__main__":
    main()

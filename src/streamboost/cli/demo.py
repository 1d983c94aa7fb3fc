"""The demonstration: eight models on Synthetic-2, where boosting sees what a single learner cannot."""

from __future__ import annotations

import json
from pathlib import Path

from streamboost.base.files.writing import write_file
from streamboost.cli.console import progress_bar, stdout
from streamboost.cli.parameters import ModelSpec, mark_nominal
from streamboost.cli.run import result_table
from streamboost.evaluate import prequential
from streamboost.evaluate.plot import plot_errors
from streamboost.streams import SyntheticStream

SEED = 7
N_ESTIMATORS = 100
MODELS = (
    ("StreamBoost", "streamboost", None),  # first: it gets the strongest colour
    ("single NB", "single", "naive-bayes"),
    ("single perceptron", "single", "perceptron"),
    ("bagged NB", "bagging", "naive-bayes"),
    ("Oza NB", "oza-boost", "naive-bayes"),
    ("Oza perceptron", "oza-boost", "perceptron"),
    ("OSBoost NB", "osboost", "naive-bayes"),
    ("OSBoost perceptron", "osboost", "perceptron"),
)


def demo(folder: Path, n_rows: int) -> None:
    """Run the comparison, print the table and save ``demo.png`` and ``demo.json`` in the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    console = stdout()
    stream = SyntheticStream(2, seed=SEED, n_rows=n_rows)
    results = []
    for name, model, learner in MODELS:
        size = None if model == "single" or learner is None else N_ESTIMATORS
        spec = ModelSpec(model=model, learner=learner, n_estimators=size, seed=SEED)
        with progress_bar(name) as progress:
            built = mark_nominal(spec.build(), stream.nominal)
            results.append(prequential(built, stream, callback=progress, name=name))
    title = (
        f"Synthetic-2, {n_rows:,} rows, {N_ESTIMATORS} learners per ensemble, 30 in StreamBoost "
        "(the best possible error is 0.137)"
    )
    console.print(result_table(results, title=title))
    plot_errors(results, folder / "demo.png", title="Synthetic-2: prequential error")
    figures = json.dumps([result.to_dict() for result in results], indent=1)
    write_file(folder / "demo.json", f"{figures}\n".encode())
    console.print(f"picture: {folder / 'demo.png'}", highlight=False, soft_wrap=True)
    console.print(f"figures: {folder / 'demo.json'}", highlight=False, soft_wrap=True)

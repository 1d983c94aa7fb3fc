"""The picture of docs/words.md, top words of each class over time: `python docs/word_pictures.py`. Seeds are fixed.

The stream is that of examples/message_filter.py, in which spam changes its words half-way. After every 250 messages the model
explains those of each class among them: what each word adds to the score of the class, per message.
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from streamboost import StreamBoostClassifier
from streamboost.report.axes import INK, dress

sys.path.insert(0, str(Path(__file__).parents[1]))
from examples.message_filter import messages

FILE = Path(__file__).parent / "images" / "words" / "top-words.png"
ROWS, STEP, TOP = 6_000, 250, 7
LINES = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#7F7F7F")


def shares() -> dict[str, pd.DataFrame]:
    """Of each class: what each word adds to its score, a row for each point in time."""
    found = list(messages(ROWS))
    table, labels = pd.DataFrame([x for x, _ in found]), np.array([y for _, y in found])
    model = StreamBoostClassifier(text_features=["text"], identifier_features=["sender"], random_state=7)
    noted: dict[str, dict[int, dict[str, float]]] = {"spam": {}, "ham": {}}
    for first in range(0, ROWS, STEP):
        rows = slice(first, first + STEP)
        model.partial_fit(table[rows], labels[rows], classes=["ham", "spam"])
        for label, at in noted.items():
            own = table[rows][labels[rows] == label]
            told = model.explain(own, label, words=True).top_words(1000)
            at[first + STEP] = {word: share / len(own) for word, share in told}
    return {label: pd.DataFrame(at).T.fillna(0.0) for label, at in noted.items()}


def draw(found: dict[str, pd.DataFrame]) -> None:
    """Lines of the words that mattered most at some time."""
    figure = Figure(figsize=(10.0, 4.0), layout="constrained")
    FigureCanvasAgg(figure)
    for place, (label, table) in enumerate(found.items()):
        axes = figure.add_subplot(1, 2, place + 1)
        halves = [table[table.index <= ROWS // 2], table[table.index > ROWS // 2]]
        best = [half.mean().nlargest(TOP // 2 + 1).index for half in halves]
        for i, word in enumerate(dict.fromkeys([*best[0], *best[1]])):
            axes.plot(table.index, table[word], color=LINES[i % len(LINES)], linewidth=1.8, label=word)
        axes.axvline(ROWS / 2, color=INK, linewidth=0.8, linestyle=":")
        axes.set_title(f"Words that speak for {label}", loc="left", color=INK, fontsize=11)
        axes.set_xlabel("messages", color=INK, fontsize=9.5)
        axes.set_ylabel("added to the score, per message", color=INK, fontsize=9.5)
        axes.legend(frameon=False, fontsize=9, loc="upper left", bbox_to_anchor=(1.0, 1.0))
        dress(axes, grid="y", foot=False)
    FILE.parent.mkdir(exist_ok=True)
    figure.savefig(FILE, dpi=110)


if __name__ == "__main__":
    draw(shares())

"""Several labels at once: a song may be calm and sad, or happy and loud.

Rows are dicts, labels come as {mood: bool}, and a mood that nobody has named before is welcome.
"""

import numpy as np

from streamboost import (
    AdaOLMRClassifier,
    BinaryRelevanceClassifier,
    HoeffdingTree,
    OnlineBaggingClassifier,
    OnlineBMRClassifier,
)


def songs(n=2_000, seed=5):
    """Make tempo, loudness and brightness, and the moods that go with them."""
    rng = np.random.default_rng(seed)
    for t in range(n):
        tempo, loudness, brightness = rng.normal(size=3)
        moods = {"calm": tempo < -0.3, "happy": brightness + 0.5 * tempo > 0.5, "loud": loudness > 0.7}
        if t > n // 4:
            moods["sad"] = bool(tempo < 0 and brightness < 0)
        yield (
            {"tempo": tempo, "loudness": loudness, "brightness": brightness},
            {m: bool(v) for m, v in moods.items()},
        )


def main():
    """Compare two boosters with a model for each mood."""
    bagged = OnlineBaggingClassifier(HoeffdingTree(grace_period=50), n_estimators=10, random_state=1)
    for model in (
        OnlineBMRClassifier(n_estimators=50, random_state=1),
        AdaOLMRClassifier(n_estimators=50, random_state=1),
        BinaryRelevanceClassifier(bagged),
    ):
        right = []
        for x, moods in songs():
            right.append(model.predict_one(x) == moods)
            model.learn_one(x, moods)
        print(
            f"{type(model).__name__:<28} whole sets right: {np.mean(right[-500:]):.2f} of the last 500 songs"
        )
    print(
        "a slow, dark song is",
        {
            m
            for m, yes in model.predict_one({"tempo": -1.0, "loudness": 0.0, "brightness": -1.0}).items()
            if yes
        },
    )


if __name__ == "__main__":
    main()

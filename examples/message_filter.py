"""A filter of messages that learns from every one of them: texts as they are, senders as they come.

The default reads texts and identifiers without a vectorizer and without a vocabulary: words, pairs of words and runs of
characters are hashed, and so is the sender. Half-way the senders of spam change their words, and the filter follows.
"""

import numpy as np
import pandas as pd

from streamboost import StreamBoostClassifier

SPAM = ("free prize call now win cash claim".split(), "invest coins double profit wallet fast deal".split())
HAM = "see you at home later thanks dinner meeting tomorrow call mum ok love train".split()
FILLER = "the a to it is for we and on your".split()


def messages(n, seed=5):
    """Yield messages and what they are."""
    rng = np.random.default_rng(seed)
    for i in range(n):
        spam = rng.random() < 0.2
        words = rng.choice(SPAM[2 * i // n] if spam else HAM, 4)
        text = " ".join(rng.permutation([*words, *rng.choice(FILLER, 5)]))
        yield {"text": text, "sender": f"+44 {rng.integers(0, 3000)}"}, "spam" if spam else "ham"


def main(n=3000):
    model = StreamBoostClassifier(text_features=["text"], identifier_features=["sender"], random_state=7)
    wrong = np.zeros(n, dtype=bool)
    for i, (message, truth) in enumerate(messages(n)):
        wrong[i] = model.predict_one(message) != truth if i else True
        model.learn_one(message, truth)
    for title, rows in (("first words", slice(0, n // 2)), ("new words", slice(n // 2, n))):
        print(
            f"{title}: error {wrong[rows].mean():.4f}, in the last third {wrong[rows][n // 3 :].mean():.4f}"
        )
    late = pd.DataFrame([message for message, truth in messages(n) if truth == "spam"][-50:])
    told = model.explain(late, "spam", words=True).top_words(5)
    print("words that speak for spam now:", ", ".join(word for word, _ in told))
    weights = model.report().totals
    print(
        {name: round(weights[name], 2) for name in sorted(weights) if name.startswith("pool_weight/hashed")}
    )


if __name__ == "__main__":
    main()

"""Messages as hashed words: rows of 65,536 columns that are never made dense.

Hashing needs no dictionary and no second pass; it is also what to do with a column of identifiers, of which a model keeps
only so many values.
"""

import numpy as np
from sklearn.feature_extraction.text import HashingVectorizer

from streamboost import OnlineBaggingClassifier, OnlineBoostingClassifier, Perceptron

TOPICS = {
    "billing": "invoice refund charge card payment price account".split(),
    "technical": "error crash login screen update slow install".split(),
    "praise": "thanks great love quick friendly perfect happy".split(),
}
FILLER = "the a please about my with it when and today your team again".split()


def messages(n, seed=5):
    """Return texts and their topics."""
    rng = np.random.default_rng(seed)
    topics = rng.choice(list(TOPICS), n)
    texts = []
    for topic in topics:
        other = rng.choice(list(TOPICS))
        words = [*rng.choice(TOPICS[topic], 2), rng.choice(TOPICS[other]), *rng.choice(FILLER, 6)]
        texts.append(" ".join(rng.permutation(words)))
    return texts, topics


def main():
    """Learn in batches, as they would come from a queue."""
    texts, topics = messages(4_000)
    hashing = HashingVectorizer(n_features=2**16, alternate_sign=False, norm="l2")
    for title, model in {
        "Oza boosting, perceptrons": OnlineBoostingClassifier(
            Perceptron(start="zero"), n_estimators=10, random_state=1
        ),
        "bagging, perceptrons": OnlineBaggingClassifier(
            Perceptron(start="zero"), n_estimators=10, random_state=1
        ),
    }.items():
        wrong = 0
        for start in range(0, len(texts), 500):
            X = hashing.transform(texts[start : start + 500])  # CSR: nine words a row, 2^16 columns
            answers = model.test_then_train(X, topics[start : start + 500], classes=sorted(TOPICS))
            wrong += int(np.sum(answers != topics[start : start + 500]))
        print(f"{title:<30} error {wrong / len(texts):.1%}, {model.memory_bytes() / 2**20:,.0f} MiB")


if __name__ == "__main__":
    main()

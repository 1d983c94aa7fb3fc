"""Bandit feedback: a page shows one article to every reader and hears only whether that one was opened.

What would have happened with another article nobody knows. The model shows the best one mostly, tries others now and then, and
tells with which probability, so that the reward can be weighed.
"""

import numpy as np

from streamboost import BanditBoostingClassifier

ARTICLES = ["sports", "politics", "science"]


def readers(n=6_000, seed=2):
    """Make readers by age and hour of the day, and the article that each would open."""
    rng = np.random.default_rng(seed)
    for _ in range(n):
        age, hour = rng.uniform(15, 80), rng.uniform(0, 24)
        yield {"age": age, "hour": hour}, "politics" if age > 50 else "sports" if hour > 15 else "science"


def main():
    """Show, hear, learn."""
    for base in ("rewards", "mbbm"):
        model = BanditBoostingClassifier(labels=ARTICLES, base=base, exploration=0.1, random_state=1)
        opened = []
        for reader, would_open in readers():
            article, probability = model.act_one(reader)
            reward = article == would_open  # all that comes back
            model.learn_bandit_one(reader, article, reward, probability)
            opened.append(reward)
        print(
            f"{base}: opened {np.mean(opened[:1000]):.2f} of the first 1,000, {np.mean(opened[-1000:]):.2f} of the last 1,000"
        )


if __name__ == "__main__":
    main()

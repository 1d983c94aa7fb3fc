"""Clicks on ads: one or two rows in a hundred are a yes, and nearly all that tells is in identifiers.

Users and ads are codes. The default hashes them, alone and in pairs, and gives its trees the past
share of clicks of each; a forest that takes the same codes for numbers finds little. Pools do not forget the few
clicks while nothing happens.
"""

import numpy as np
import pandas as pd
from sklearn.metrics import average_precision_score, roc_auc_score

from streamboost import AdaptiveRandomForestClassifier, StreamBoostClassifier


def clicks(n, seed=4):
    """Return a frame of what was shown, and whether it was clicked."""
    rng = np.random.default_rng(seed)
    user, ad, hour = rng.integers(0, 300, n), rng.integers(0, 60, n), rng.integers(0, 24, n)
    likes, draws = rng.normal(size=300), rng.normal(size=60)
    score = -7.0 + 1.8 * likes[user] + 1.8 * draws[ad] + 0.8 * ((hour > 17) & (ad % 3 == 0))
    table = pd.DataFrame(
        {"user_id": 7919 * (user + 13), "ad_id": 104_729 + 31 * ad, "hour": hour},
    )
    return table, (rng.random(n) < 1 / (1 + np.exp(-score))).astype(int)


def main(n=20_000):
    table, clicked = clicks(n)
    late = slice(n // 2, None)
    print(f"{clicked.mean():.3%} of {n:,} rows are clicks; judged on the second half")
    for title, model in (
        ("default, codes found by their names", StreamBoostClassifier(random_state=1)),
        ("forest over codes as numbers", AdaptiveRandomForestClassifier(random_state=1)),
    ):
        yes = model.test_then_train(table, clicked, classes=[0, 1], output="proba")[late, 1]
        area, precision = roc_auc_score(clicked[late], yes), average_precision_score(clicked[late], yes)
        print(f"{title}: area under the curve {area:.3f}, average precision {precision:.3f}")


if __name__ == "__main__":
    main()

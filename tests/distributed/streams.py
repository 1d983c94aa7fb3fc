"""Small streams and models for the tests of shards."""

import numpy as np

import streamboost as sb


def rows(n=600, d=5, k=2, seed=0, drift=True):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = (X[:, 0] + 0.5 * X[:, 1] > 0).astype(int)
    if k > 2:
        y = np.digitize(X[:, 0] + 0.5 * X[:, 1], np.linspace(-1, 1, k - 1))
    if drift:
        y[n // 2 :] = k - 1 - y[n // 2 :]
    X[rng.random(X.shape) < 0.05] = np.nan
    return X, y


def models():
    """Every kind of passage: scans, votes, columns of margins and of labels, batch phases, drift across lanes, pools."""
    few = {"random_state": 3}
    return {
        "osboost": sb.OSBoostClassifier(n_estimators=9, **few),
        "osboost-ocp": sb.OSBoostClassifier(n_estimators=9, vote="ocp", **few),
        "osboost-exp": sb.OSBoostClassifier(n_estimators=9, vote="exp", **few),
        "oza": sb.OnlineBoostingClassifier(n_estimators=9, **few),
        "bbm": sb.OnlineBBMClassifier(n_estimators=9, **few),
        "ol": sb.AdaBoostOLClassifier(n_estimators=9, **few),
        "olm": sb.AdaBoostOLMClassifier(n_estimators=9, **few),
        "mbbm": sb.OnlineMBBMClassifier(n_estimators=9, **few),
        "arc-x4": sb.OnlineArcX4Classifier(n_estimators=9, **few),
        "primed": sb.PrimedOnlineBoostingClassifier(n_estimators=9, n_prime=40, **few),
        "blocked": sb.BlockedBoostingClassifier(n_estimators=9, block_size=20, **few),
        "bayes": sb.BayesianEnsembleClassifier(n_estimators=9, **few),
        "trees": sb.OnlineBaggingClassifier(sb.HoeffdingTree(), n_estimators=9, **few),
        "leveraging": sb.LeveragingBaggingClassifier(n_estimators=9, **few),
        "adwin-boosting": sb.ADWINBoostingClassifier(n_estimators=9, **few),
        "forest": sb.AdaptiveRandomForestClassifier(n_estimators=9, **few),
        "streamboost": sb.StreamBoostClassifier(n_estimators=8, **few),
    }

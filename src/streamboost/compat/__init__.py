"""streamboost in other libraries' words: `compat.river` and `compat.capymoa`. Neither library is loaded until asked for.

scikit-learn needs no adapter: the estimators are its own.
"""

"""Our ensembles as CapyMOA classifiers, so that its evaluators can run them beside MOA's."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone as fresh

from streamboost.base.classifier import StreamClassifier

try:
    from capymoa.base import Classifier
except ImportError as error:
    raise ImportError(
        "streamboost.compat.capymoa needs CapyMOA, which needs Java and torch: see https://capymoa.org."
    ) from error


class CapyMOAClassifier(Classifier):
    """A CapyMOA classifier that drives one of our ensembles.

    Labels and nominal columns are taken from the schema; a NaN is a missing value, as in MOA.

    Parameters
    ----------
    schema : capymoa.stream.Schema
        The schema of the stream.
    model : estimator, optional
        An ensemble of streamboost; by default online boosting of naive Bayes. A fresh one with its parameters is used.
    random_seed : int
        The ``random_state`` of the ensemble.

    Examples
    --------
    ::

        from capymoa.datasets import ElectricityTiny
        from capymoa.evaluation import prequential_evaluation
        from streamboost import OSBoostClassifier
        from streamboost.compat.capymoa import CapyMOAClassifier

        stream = ElectricityTiny()
        learner = CapyMOAClassifier(stream.get_schema(), OSBoostClassifier())
        print(prequential_evaluation(stream, learner).cumulative.accuracy())
    """

    def __init__(self, schema: Any, model: StreamClassifier | None = None, random_seed: int = 1) -> None:
        super().__init__(schema=schema, random_seed=random_seed)
        if model is None:
            from streamboost.ensemble import OnlineBoostingClassifier

            model = OnlineBoostingClassifier()
        elif not isinstance(model, StreamClassifier):
            raise TypeError(
                f"model={model!r} is no ensemble of streamboost; pass one, such as OSBoostClassifier()."
            )
        nominal = set(schema.get_nominal_attributes())
        header = schema.get_moa_header()
        columns = [
            i for i in range(schema.get_num_attributes()) if str(header.attribute(i).name()) in nominal
        ]
        self.model: Any = fresh(model).set_params(
            random_state=random_seed, categorical_features=columns or None
        )
        self._classes = schema.get_label_indexes()

    def __str__(self) -> str:
        return type(self.model).__name__

    def train(self, instance: Any) -> None:
        """Learn one instance."""
        self.model.partial_fit(_row(instance), [instance.y_index], classes=self._classes)

    def predict_proba(self, instance: Any) -> NDArray[np.float64] | None:
        """Return the probability of each label of the schema, or None before the first instance."""
        if not hasattr(self.model, "n_learned_"):
            return None
        proba: NDArray[np.float64] = self.model.predict_proba(_row(instance))[0]
        return proba

    def predict(self, instance: Any) -> int | None:
        """Return the index of the most likely label, or None before the first instance."""
        if not hasattr(self.model, "n_learned_"):
            return None
        return int(self.model.predict(_row(instance))[0])


def _row(instance: Any) -> NDArray[np.float64]:
    return np.asarray(instance.x, dtype=np.float64).reshape(1, -1)

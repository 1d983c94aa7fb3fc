"""Labels that cost, several labels at once, and labels of which only "right" or "wrong" comes back."""

from streamboost.feedback.active import ActiveClassifier
from streamboost.feedback.bandit import BanditBoostingClassifier
from streamboost.feedback.query import QUERIES, QueryStrategy
from streamboost.feedback.relevance import BinaryRelevanceClassifier, ClassifierChain, LabelwiseClassifier

COMPOSITES = {
    "active": ActiveClassifier,
    "bandit": BanditBoostingClassifier,
    "binary-relevance": BinaryRelevanceClassifier,
    "classifier-chain": ClassifierChain,
}
"""Models made of models, by their names in files."""

__all__ = [
    "COMPOSITES",
    "QUERIES",
    "ActiveClassifier",
    "BanditBoostingClassifier",
    "BinaryRelevanceClassifier",
    "ClassifierChain",
    "LabelwiseClassifier",
    "QueryStrategy",
]

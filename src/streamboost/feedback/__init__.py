"""Labels that cost, several labels at once, and labels of which only "right" or "wrong" comes back."""

from streamboost.feedback.active import ActiveClassifier
from streamboost.feedback.query import QUERIES, QueryStrategy

COMPOSITES = {"active": ActiveClassifier}
"""Models made of models, by their names in files."""

__all__ = ["COMPOSITES", "QUERIES", "ActiveClassifier", "QueryStrategy"]

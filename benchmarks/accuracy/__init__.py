"""Accuracy on the papers' data sets, beside the papers' numbers."""

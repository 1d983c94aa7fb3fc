"""Readers: one file format each, over the same bytes, columns and messages about bad lines."""

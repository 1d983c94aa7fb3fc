"""What users bring (arrays, frames, dicts, labels, weights) becomes coded rows that the core can read."""

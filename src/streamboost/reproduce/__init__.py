"""The tables of the papers, rebuilt: what was published, what we measure, and how far apart they are."""

"""Model files: the container, the meaning of its manifest, and how a model goes in and out."""

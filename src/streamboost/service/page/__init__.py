"""The live page: static files that the service hands out."""

"""Slow, obvious readings of the algorithms: one object per learner, one example at a time.

Written from the papers and never from the core.
"""

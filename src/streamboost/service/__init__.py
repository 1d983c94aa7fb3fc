"""The learning service: a durable log, models that learn from it, and the ways to talk to them.

``streamboost.service.store`` needs the extra ``[serve]`` and knows nothing of HTTP; ``streamboost.service.http`` puts it on the
network. ``streamboost.client`` talks to it from elsewhere.
"""

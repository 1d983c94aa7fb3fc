"""The process of a worker: ``python -m streamboost.experiments FOLDER``."""

import sys

from streamboost.base.lazy_imports import import_sklearn

import_sklearn()

from streamboost.experiments.worker import serve  # noqa: E402

serve(sys.argv[1])

"""Detectors of change: has the mean of a stream of numbers moved?

Feed a detector one number at a time with ``update`` and read ``drift_detected`` (and ``warning_detected`` where it has a
first level). They stand alone, or guard the learners of an ensemble (``drift=ADWIN(...)``).
"""

from streamboost.drift.adwin import ADWIN
from streamboost.drift.ddm import DDM
from streamboost.drift.hddm import HDDM_A, HDDM_W
from streamboost.drift.kswin import KSWIN
from streamboost.drift.page_hinkley import PageHinkley

__all__ = ["ADWIN", "DDM", "HDDM_A", "HDDM_W", "KSWIN", "PageHinkley"]

"""Generators of streams: each defined by a paper, each row a function of the seed and its number."""

from streamboost.streams.generators.agrawal import AgrawalStream
from streamboost.streams.generators.base import DEFAULT_ROWS, GeneratedStream
from streamboost.streams.generators.drift import DriftStream
from streamboost.streams.generators.friedman import FriedmanStream, HyperplaneDistanceStream
from streamboost.streams.generators.hyperplane import HyperplaneStream
from streamboost.streams.generators.led import LEDStream
from streamboost.streams.generators.names import GENERATORS, NUMBER_GENERATORS, Generator, make_generator
from streamboost.streams.generators.noise import LabelNoiseStream
from streamboost.streams.generators.rbf import RandomRBFStream
from streamboost.streams.generators.sea import SEAStream
from streamboost.streams.generators.sensor import SensorStream
from streamboost.streams.generators.synthetic import SyntheticStream
from streamboost.streams.generators.waveform import WaveformStream

__all__ = [
    "DEFAULT_ROWS",
    "GENERATORS",
    "NUMBER_GENERATORS",
    "AgrawalStream",
    "DriftStream",
    "FriedmanStream",
    "GeneratedStream",
    "Generator",
    "HyperplaneDistanceStream",
    "HyperplaneStream",
    "LEDStream",
    "LabelNoiseStream",
    "RandomRBFStream",
    "SEAStream",
    "SensorStream",
    "SyntheticStream",
    "WaveformStream",
    "make_generator",
]

"""Messages that lie: whatever comes instead of a chunk or a carry is refused or learned from, never a crash."""

import struct

import numpy as np
import pytest

import streamboost as sb
from streamboost import _core
from streamboost.distributed.parts import Plan, even_lanes
from tests.distributed.streams import models, rows
from tests.inside.handles import session_of

NAMES = [
    "osboost-ocp",
    "oza",
    "bbm",
    "olm",
    "mbbm",
    "arc-x4",
    "primed",
    "blocked",
    "bayes",
    "leveraging",
    "forest",
    "ol",
    "weights",
    "median",
    "gradient",
]
CARRIES, CHUNKS = 840, 360  # of each model: more than 10,000 carries in all
MUTANTS = CARRIES + CHUNKS


def signed(body):
    """A message with a checksum that is right: the worst liar."""
    mask = (1 << 64) - 1

    def stir(total, word):
        total = ((total ^ word) * 0xD6E8FEB86659FD93) & mask
        return total ^ total >> 32

    words = [word for (word,) in struct.iter_unpack("<Q", body[24:])]
    total, done = 0x9E3779B97F4A7C15 ^ (8 * len(words)), len(words) // 4 * 4
    strands = [(total + i) & mask for i in range(4)]
    for i, word in enumerate(words[:done]):
        strands[i % 4] = stir(strands[i % 4], word)
    for strand in strands:
        total = stir(total, strand)
    for word in words[done:]:
        total = stir(total, word)
    return body[:16] + struct.pack("<Q", total) + body[24:]


def more_models():
    """Those whose chunks say more: of classes, or numbers."""
    few = {"n_estimators": 9, "random_state": 3}
    costs = {(0, 1): 2.0}
    return {
        "weights": sb.OSBoostClassifier(
            class_weight={0: 0.5, 1: 3.0}, decision="cost", decision_costs=costs, **few
        ),
        "median": sb.OnlineBaggingRegressor(combine="median", **few),
        "gradient": sb.OnlineGradientBoostingRegressor(**few),
    }


def setting(name, n=60):
    """A plan, its parts after some chunks, and the next chunk with the carry between the parts."""
    model = {**models(), **more_models()}[name]
    X, y = rows(n + 40, d=3)
    numbers = name in ("median", "gradient")
    model.partial_fit(X[:1], y[:1], **({} if numbers else {"classes": [0, 1]}))
    plan = Plan(session_of(model).plan)
    parts = [plan.model(lanes) for lanes in even_lanes(plan.n_lanes, 2, plan.grain())]
    stages = [_core.Stage(part) for part in parts]
    step = 1 if stages[0].one_by_one else 10
    facts = np.array([1.0, 0.5, 3.0, 0.0, 2.0, 1.0, 0.0]) if name == "weights" else None
    room = np.full(3, -1), 1 if numbers else 2, True, facts
    y, answer = (y.astype(np.float64), "number") if numbers else (y.astype(np.int32), "proba")
    seq = 0
    for first in range(0, n, step):
        part = slice(first, first + step)
        chunk = _core.encode_chunk(X[part], 3, y[part], None, answer, True, None if seq else room)
        carry = b""
        for stage in stages:
            carry = stage.step(chunk, carry, seq)
        seq += 1
    part = slice(n, n + step)
    growing = room if name == "weights" else None
    chunk = _core.encode_chunk(X[part], 3, y[part], np.ones(step), answer, True, growing)
    return plan, parts, stages, seq, chunk, stages[0].step(chunk, b"", seq)


def test_the_checksum_of_this_file_is_the_core_s():
    _, _, _, _, chunk, carry = setting("oza")
    assert signed(chunk) == chunk
    assert signed(carry) == carry


def mutant(rng, message):
    body = bytearray(message)
    kind = rng.integers(6)
    if kind == 0:  # some bytes
        for _ in range(rng.integers(1, 5)):
            body[rng.integers(len(body))] = rng.integers(256)
    elif kind == 1:  # a word of the head or the body becomes an odd number
        at = 8 * rng.integers(min(len(body) // 8, 25))
        odd = [0, 1, 2, -1, 7, 2**31, 2**31 - 1, 2**40, 2**62, -(2**63)]
        body[at : at + 8] = struct.pack("<q", odd[rng.integers(len(odd))])
    elif kind == 2:  # a number that no learner has seen
        at = 8 * rng.integers(len(body) // 8)
        odd = [np.nan, np.inf, -np.inf, 1e308, -1e308, 5e-324, -1.0, 1e9, 0.5, 2.0]
        body[at : at + 8] = struct.pack("<d", odd[rng.integers(len(odd))])
    elif kind == 3:  # cut short
        del body[8 * rng.integers(len(body) // 8) :]
    elif kind == 4:  # too long
        body += bytes(8 * rng.integers(1, 20))
    else:  # pieces change places
        a, b = sorted(8 * rng.integers(3, len(body) // 8, size=2))
        body[a : a + 8], body[b : b + 8] = body[b : b + 8], body[a : a + 8]
    return signed(bytes(body)) if len(body) >= 24 and rng.random() < 0.8 else bytes(body)


@pytest.mark.parametrize("name", NAMES)
def test_hostile_messages(name):
    rng = np.random.default_rng(17)
    plan, parts, stages, seq, chunk, carry = setting(name)
    good, room = parts[1].state(), stages[1].room
    refused = 0
    for i in range(MUTANTS):
        one, two = (chunk, mutant(rng, carry)) if i < CARRIES else (mutant(rng, chunk), carry)
        before = stages[1].next_seq
        try:
            stages[1].step(one, two, seq)
        except (ValueError, RuntimeError, MemoryError):
            refused += 1
            assert stages[1].next_seq == before
            continue
        # It could have been true, and was learned: back to before.
        parts[1] = plan.model(even_lanes(plan.n_lanes, 2, plan.grain())[1])
        parts[1].reserve(room[0], room[1], room[2])
        parts[1].restore(good)
        stages[1] = _core.Stage(parts[1])
        stages[1].go_on(seq, b"")
    assert refused > MUTANTS // 4
    # What was refused has left no trace: the true message is learned as if nothing had been.
    assert {n: a.tobytes() for n, a in parts[1].state().items()} == {n: a.tobytes() for n, a in good.items()}
    values, _, _ = _core.decode_answer(stages[1].step(chunk, carry, seq))
    assert np.isfinite(values).all()


@pytest.mark.parametrize("name", NAMES)
def test_every_number_of_a_carry_may_lie(name):
    plan, parts, stages, seq, chunk, carry = setting(name)
    good, room, own = parts[1].state(), stages[1].room, even_lanes(plan.n_lanes, 2, plan.grain())[1]
    for at in range(24, len(carry), 8):
        for lie in (np.inf, -np.inf, 1e120, -1e120, 0.0, -1.0):
            try:
                stages[1].step(chunk, signed(carry[:at] + struct.pack("<d", lie) + carry[at + 8 :]), seq)
            except ValueError:
                continue
            for state in (parts[1].state(), good):  # what was believed loads again; then back to before
                parts[1] = plan.model(own)
                parts[1].reserve(*room[:3])
                parts[1].restore(state)
            stages[1] = _core.Stage(parts[1])
            stages[1].go_on(seq, b"")


def test_there_are_enough_of_them():
    assert len(NAMES) * CARRIES >= 10_000


def test_order_is_kept():
    _, parts, stages, seq, chunk, carry = setting("oza")
    for wrong in (seq + 1, seq - 2, -1, 0):
        with pytest.raises(ValueError, match=f"chunk {wrong} came, chunk {seq} is next"):
            stages[1].step(chunk, carry, wrong)
    reply = stages[1].step(chunk, carry, seq)
    state = {n: a.tobytes() for n, a in parts[1].state().items()}
    assert stages[1].step(chunk, carry, seq) == reply  # once more: the same reply, nothing learned
    assert {n: a.tobytes() for n, a in parts[1].state().items()} == state
    question = _core.encode_chunk(np.zeros((2, 3)), 3, None, None, "label", True)
    with pytest.raises(ValueError, match="is next"):
        stages[0].step(question, b"", seq)  # it is older than the last chunk


def test_messages_of_others():
    _, _, stages, seq, chunk, carry = setting("oza")
    _, _, _, _, _, other = setting("arc-x4")
    with pytest.raises(ValueError, match="of a 'arcx4', the model is a 'oza'"):
        stages[1].step(chunk, other, seq)
    with pytest.raises(ValueError, match="checksum"):
        stages[1].step(chunk, carry[:-8] + bytes(8), seq)
    with pytest.raises(ValueError, match="has version 2, known is 1"):
        stages[1].step(chunk, signed(carry[:8] + struct.pack("<q", 2) + carry[16:]), seq)
    with pytest.raises(ValueError, match="something else"):
        stages[1].step(carry, carry, seq)
    with pytest.raises(ValueError, match="cut short"):
        stages[1].step(chunk, b"", seq)
    with pytest.raises(ValueError, match="first part takes no carry"):
        stages[0].step(
            _core.encode_chunk(np.zeros((1, 3)), 3, np.zeros(1, np.int32), None, "none", False),
            carry,
            seq + 1,
        )

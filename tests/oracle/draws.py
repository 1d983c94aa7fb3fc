"""Keyed randomness in plain Python: every draw is a function of (seed, example, lane, purpose, attempt).

Generator  Philox4x32-10 of Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3 (SC 2011).
Normal     Wichura: Algorithm AS 241 (Applied Statistics 37, 1988), routine PPND16.
Poisson    inversion below 10; PTRS of Hoermann: The transformed rejection method for generating Poisson random
           variables (1993) up to 1e8; a rounded normal above.
"""

import math

START, POISSON, FRACTION, TIE, HEDGE, SUBSET, COIN, PARAMETERS, BLACK_BOX, PIVOT, BANDIT, NODE = range(12)

MASK = 0xFFFFFFFF
LARGEST_RATE = 2.0**53


def philox(counter, key):
    """Ten rounds of Philox4x32: four 32-bit words in, four out."""
    c0, c1, c2, c3 = counter
    k0, k1 = key
    for _ in range(10):
        p0, p1 = 0xD2511F53 * c0, 0xCD9E8D57 * c2
        c0, c1, c2, c3 = (p1 >> 32) ^ c1 ^ k0, p1 & MASK, (p0 >> 32) ^ c3 ^ k1, p0 & MASK
        k0, k1 = (k0 + 0x9E3779B9) & MASK, (k1 + 0xBB67AE85) & MASK
    return c0, c1, c2, c3


def bits(seed, example, lane, purpose, attempt=0):
    """Two 53-bit whole numbers of one draw."""
    r0, r1, r2, r3 = philox(
        (example & MASK, example >> 32, lane, purpose << 24 | attempt), (seed & MASK, seed >> 32)
    )
    return (r1 << 32 | r0) >> 11, (r3 << 32 | r2) >> 11


def uniform(seed, example, lane, purpose, attempt=0):
    """In [0, 1)."""
    return bits(seed, example, lane, purpose, attempt)[0] * 2.0**-53


def uniforms(seed, example, lane, purpose, attempt=0):
    first, second = bits(seed, example, lane, purpose, attempt)
    return first * 2.0**-53, second * 2.0**-53


def normal(seed, example, lane, purpose, attempt=0):
    return inverse_normal((bits(seed, example, lane, purpose, attempt)[0] + 0.5) * 2.0**-53)


# AS 241 coefficients, highest power last: numerator and denominator of each of the three regions.
CENTRE = (
    (3.3871328727963666080, 133.14166789178437745, 1971.5909503065514427, 13731.693765509461125,
     45921.953931549871457, 67265.770927008700853, 33430.575583588128105, 2509.0809287301226727),
    (1.0, 42.313330701600911252, 687.18700749205790830, 5394.1960214247511077,
     21213.794301586595867, 39307.895800092710610, 28729.085735721942674, 5226.4952788528545610),
)  # fmt: skip
NEAR_TAIL = (
    (1.42343711074968357734, 4.63033784615654529590, 5.76949722146069140550, 3.64784832476320460504,
     1.27045825245236838258, 0.241780725177450611770, 0.0227238449892691845833, 7.74545014278341407640e-4),
    (1.0, 2.05319162663775882187, 1.67638483018380384940, 0.689767334985100004550,
     0.148103976427480074590, 0.0151986665636164571966, 5.47593808499534494600e-4, 1.05075007164441684324e-9),
)  # fmt: skip
FAR_TAIL = (
    (6.65790464350110377720, 5.46378491116411436990, 1.78482653991729133580, 0.296560571828504891230,
     0.0265321895265761230930, 0.00124266094738807843860, 2.71155556874348757815e-5, 2.01033439929228813265e-7),
    (1.0, 0.599832206555887937690, 0.136929880922735805310, 0.0148753612908506148525,
     7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7, 2.04426310338993978564e-15),
)  # fmt: skip


def ratio(region, r):
    top, bottom = (sum(c * r**power for power, c in enumerate(side)) for side in region)
    return top / bottom


def inverse_normal(p):
    q = p - 0.5
    if abs(q) <= 0.425:
        return q * ratio(CENTRE, 0.180625 - q * q)
    r = math.sqrt(-math.log(p if q < 0 else 1 - p))
    z = ratio(NEAR_TAIL, r - 1.6) if r <= 5 else ratio(FAR_TAIL, r - 5)
    return -z if q < 0 else z


def poisson(seed, example, lane, rate, purpose=POISSON):
    """A whole number as a float: rates reach 1e12 and more in deep boosting lanes."""
    rate = min(rate, LARGEST_RATE)
    if rate <= 0:
        return 0.0
    if rate < 10:
        return poisson_by_inversion(uniform(seed, example, lane, purpose), rate)
    if rate > 1e8:
        return max(0.0, math.floor(rate + math.sqrt(rate) * normal(seed, example, lane, purpose) + 0.5))
    attempt = 0
    while True:
        count = poisson_by_rejection(*uniforms(seed, example, lane, purpose, attempt), rate)
        if count is not None:
            return float(count)
        attempt += 1


def poisson_by_inversion(u, rate):
    probability = total = math.exp(-rate)
    count = 0
    while u >= total and count < 1000:
        count += 1
        probability *= rate / count
        total += probability
    return float(count)


def poisson_by_rejection(u, v, rate):
    """One round of PTRS: a count, or None when the round rejects."""
    b = 0.931 + 2.53 * math.sqrt(rate)
    a = -0.059 + 0.02483 * b
    u -= 0.5
    us = 0.5 - abs(u)
    if us == 0:
        return None
    count = math.floor((2 * a / us + b) * u + rate + 0.43)
    if us >= 0.07 and v <= 0.9277 - 3.6224 / (b - 2):
        return count
    if count < 0 or (us < 0.013 and v > us):
        return None
    inverse_alpha = 1.1239 + 1.1328 / (b - 3.4)
    left = (math.log(v) if v > 0 else -math.inf) + math.log(inverse_alpha) - math.log(a / (us * us) + b)
    return count if left <= count * math.log(rate) - rate - math.lgamma(count + 1) else None

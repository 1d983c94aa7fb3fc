// The transcendental functions of the core: the same bits on every x86-64 level and C library.
//
// Each is plain double arithmetic in a fixed order; only sqrt, floor and fabs come from std, being exact or
// correctly rounded. The functions marked "vectorises" have no branches and no int <-> double conversions
// (which AVX2 lacks for 64 bits): adding 1.5 * 2^52 rounds to an integer and leaves it in the low bits.
// Polynomials are Chebyshev fits of our own, made at 50 digits, except where a source is named.
//
// Errors in units in the last place (ulp) are the largest seen by core/tests/test_math.cpp against 80-bit
// long double, rounded up. The test fails when a stated bound is passed.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "streamboost/math/levels.hpp"
#include "streamboost/math/vec.hpp"

namespace streamboost {

namespace detail {

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
inline constexpr double round_magic = 0x1.8p52;
inline constexpr std::uint64_t round_magic_bits = std::bit_cast<std::uint64_t>(round_magic);
inline constexpr double ln2_high = 0x1.62e42fee00000p-1;  // 32 bits: its products with exponents are exact
inline constexpr double ln2_low = 0x1.a39ef35793c76p-33;

// 2^(biased - 1023) for biased in 1..2046.
[[gnu::always_inline]] inline double power_of_two(std::uint64_t biased) { return std::bit_cast<double>(biased << 52); }

// x = n ln 2 + r with |r| <= ln(2)/2; tail = exp(r) - 1; shifted = n + 2048, unsigned to allow logical shifts.
struct ExpParts {
  double tail;
  std::uint64_t shifted;
};

[[gnu::always_inline]] inline ExpParts exp_parts(double x) {
  const double t = x * 0x1.71547652b82fep0 + round_magic;
  const double n = t - round_magic;
  const double r = (x - n * ln2_high) - n * ln2_low;
  const double r2 = r * r;
  const double r4 = r2 * r2;
  const double p01 = 0x1.0000000000000p-1 + r * 0x1.5555555555557p-3;
  const double p23 = 0x1.5555555555556p-5 + r * 0x1.11111111100bep-7;
  const double p45 = 0x1.6c16c16c162c3p-10 + r * 0x1.a01a01abf85abp-13;
  const double p67 = 0x1.a01a01a6e1e2ap-16 + r * 0x1.71de01fdbf9cap-19;
  const double p89 = 0x1.27e4db46cddd1p-22 + r * 0x1.af4e554377204p-26;
  const double high = (p45 + r2 * p67) + r4 * (p89 + r2 * 0x1.1f7340dbc337ep-29);
  const double polynomial = (p01 + r2 * p23) + r4 * high;
  return {r + r2 * polynomial, std::bit_cast<std::uint64_t>(t) - round_magic_bits + 2048};
}

template <std::size_t N>
[[gnu::always_inline]] inline double horner(const double (&low_to_high)[N], double x) {
  double sum = low_to_high[N - 1];
  for (std::size_t i = N - 1; i-- > 0;) sum = sum * x + low_to_high[i];
  return sum;
}

}  // namespace detail

// e^x; 1 ulp; vectorises. Above 709.78 infinity, below -745.13 zero.
[[gnu::always_inline]] inline double exp(double x) {
  x = x > 710.0 ? 710.0 : x;
  x = x < -746.0 ? -746.0 : x;
  const auto [tail, shifted] = detail::exp_parts(x);
  // Two factors, since 2^n itself may lie outside the normal numbers; only the last product rounds.
  const std::uint64_t half = shifted >> 1;
  return ((1.0 + tail) * detail::power_of_two(half - 1)) * detail::power_of_two(shifted - half - 1);
}

// e^-x for x >= 0, a weight or a share; 1 ulp; vectorises. From 708 on it stays the same tiny number, so that 2^n need not be split.
[[gnu::always_inline]] inline double exp_down(double x) {
  const auto [tail, shifted] = detail::exp_parts(x < 708.0 ? -x : -708.0);
  return (1.0 + tail) * detail::power_of_two(shifted - 1025);
}

// e^x - 1; 2.5 ulp; vectorises.
[[gnu::always_inline]] inline double expm1(double x) {
  double y = x > 710.0 ? 710.0 : x;
  y = y < -40.0 ? -40.0 : y;
  const auto [tail, shifted] = detail::exp_parts(y);
  const std::uint64_t half = shifted >> 1;
  const std::uint64_t rest = shifted - half;
  const double scale = detail::power_of_two(half - 1);
  const double one = detail::power_of_two(2047 - rest);  // 1 over the second factor
  const double result = (tail * scale + (scale - one)) * detail::power_of_two(rest - 1);
  return x == 0.0 ? x : result;
}

namespace detail {

// log(2^k m), m in [sqrt(1/2), sqrt(2)): log m = 2 atanh(s) = f - f^2/2 + s (f^2/2 + R(s^2)),  f = m - 1, s = f / (2 + f).
template <class Width>
[[gnu::always_inline]] inline typename Width::Values log_of(const typename Width::Values& k, const typename Width::Values& m) {
  using Values = typename Width::Values;
  const Values f = m - 1.0;
  const Values s = f / (2.0 + f);
  const Values z = s * s;
  const Values z2 = z * z;
  const Values r01 = 0x1.5555555555558p-1 + z * 0x1.99999999952d7p-2;
  const Values r23 = 0x1.2492492df281ap-2 + z * 0x1.c71c62e3f11e6p-3;
  const Values r45 = 0x1.7462b51cb66b1p-3 + z * 0x1.39fe51a7c18f9p-3;
  const Values r = z * ((r01 + z2 * r23) + (z2 * z2) * (r45 + z2 * 0x1.2b5900de53b32p-3));
  const Values half_square = 0.5 * f * f;
  return k * ln2_high - ((half_square - (s * (half_square + r) + k * ln2_low)) - f);
}

}  // namespace detail

// Natural logarithm; 1 ulp; vectorises. log(0) = -infinity, log of a negative number is NaN, subnormals are exact.
[[gnu::always_inline]] inline double log(double x) {
  constexpr std::uint64_t sqrt_half = 0x3fe6a09e667f3bcdULL;
  constexpr std::uint64_t bias = 1023ULL << 52;
  const bool small = x < 0x1p-1022;
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(small ? x * 0x1p54 : x);
  // x = 2^k m with m in [sqrt(1/2), sqrt(2)); k + 1023 is kept, unsigned, in the exponent field of `field`.
  const std::uint64_t field = (bits - sqrt_half + bias) & 0xfff0000000000000ULL;
  const double m = std::bit_cast<double>(bits - field + bias);
  const double k = std::bit_cast<double>((field >> 52) | 0x4330000000000000ULL) - (small ? 0x1p52 + 1077.0 : 0x1p52 + 1023.0);
  double result = detail::log_of<OneLane>(k, m);
  result = x < detail::infinity ? result : x;  // infinity and NaN
  result = x > 0.0 ? result : (x == 0.0 ? -detail::infinity : (x < 0.0 ? detail::not_a_number : x));
  return result;
}

// log(1 + x); 2 ulp; vectorises. What rounding 1 + x lost is given back to first order.
[[gnu::always_inline]] inline double log1p(double x) {
  const double u = 1.0 + x;
  const double lost = x > 1.0 ? 1.0 - (u - x) : x - (u - 1.0);
  const double whole = streamboost::log(u);
  const double result = whole + lost / u;
  return (u > 0.0 && u < 0x1p1000 && x != 0.0) ? result : (x == 0.0 ? x : whole);
}

// Hyperbolic tangent; 3 ulp; vectorises.
[[gnu::always_inline]] inline double tanh(double x) {
  const double t = streamboost::expm1(-2.0 * std::fabs(x));
  return std::copysign(t / (2.0 + t), x);
}

// 1 / (1 + e^-x), with small answers at full relative precision; 2.5 ulp; vectorises.
[[gnu::always_inline]] inline double sigmoid(double x) {
  const double e = streamboost::exp(-std::fabs(x));
  return (x < 0.0 ? e : 1.0) / (1.0 + e);
}

// log(1 + e^x) (softplus) without overflow; 2.5 ulp; vectorises.
[[gnu::always_inline]] inline double log1p_exp(double x) {
  const double tail = streamboost::log1p(streamboost::exp(-std::fabs(x)));
  return (x > 0.0 ? x : 0.0) + tail;
}

namespace detail {

struct Quadrant {
  double sine, cosine;   // of the remainder, |remainder| <= pi/4
  std::uint64_t number;  // multiples of pi/2 taken off, modulo 2^51
};

[[gnu::always_inline]] inline Quadrant quadrant(double x) {
  const double t = x * 0x1.45f306dc9c883p-1 + round_magic;
  const double n = t - round_magic;
  const double r = ((x - n * 0x1.921fb54400000p+0) - n * 0x1.0b4611a600000p-34) - n * 0x1.3198a2e037073p-69;
  const double z = r * r;
  const double z2 = z * z;
  const double s = ((-0x1.5555555555555p-3 + z * 0x1.1111111110babp-7) + z2 * (-0x1.a01a019e820aep-13 + z * 0x1.71de37946ed6dp-19)) +
                   (z2 * z2) * (-0x1.ae6008d114485p-26 + z * 0x1.5e0a4fc16be59p-33);
  const double c = ((0x1.5555555555555p-5 + z * -0x1.6c16c16c16963p-10) + z2 * (0x1.a01a019f4ddfdp-16 + z * -0x1.27e4fa16cc2d1p-22)) +
                   (z2 * z2) * (0x1.1eeb67d026ec6p-29 + z * -0x1.907cd8ff5ede7p-37);
  const double half = 0.5 * z;
  const double w = 1.0 - half;
  return {r + r * (z * s), w + (((1.0 - w) - half) + z2 * c), std::bit_cast<std::uint64_t>(t) - round_magic_bits};
}

// sin of (remainder + number * pi/2); the stated accuracy ends at 2^20, beyond which the answer is NaN, not noise.
[[gnu::always_inline]] inline double turn(const Quadrant& q, std::uint64_t number, double x) {
  const double value = (number & 1) != 0 ? q.cosine : q.sine;
  const double signed_value = (number & 2) != 0 ? -value : value;
  return std::fabs(x) <= 0x1p20 ? signed_value : not_a_number;
}

}  // namespace detail

// Sine and cosine for |x| <= 2^20, NaN beyond; 2.5 ulp; vectorise.
[[gnu::always_inline]] inline double sin(double x) {
  const detail::Quadrant q = detail::quadrant(x);
  return x == 0.0 ? x : detail::turn(q, q.number, x);
}
[[gnu::always_inline]] inline double cos(double x) {
  const detail::Quadrant q = detail::quadrant(x);
  return detail::turn(q, q.number + 1, x);
}

namespace detail {

// erf(x) / x as a polynomial in x^2, for |x| < 1.
inline constexpr double erf_near_zero[] = {0x1.20dd750429b6dp+0,  -0x1.812746b0379c1p-2,  0x1.ce2f21a040f66p-4,  -0x1.b82ce31203772p-6,
                                           0x1.565bccfa44156p-8,  -0x1.c02db0665e53dp-11, 0x1.f9a2be4f731a1p-14, -0x1.f4ca838adb73bp-17,
                                           0x1.b981d78881a5dp-20, -0x1.5c131500d3f88p-23, 0x1.d76af6ca49787p-27, -0x1.ac9585a44fe29p-31};
// e^(a^2) (1 - erf a) as a polynomial in 1 / (a + 3).
inline constexpr double erf_tail[] = {0x1.8bc9e4d99c45bp-22, 0x1.20d8e3d6fd854p-1,   0x1.b1b074df40165p+0,  0x1.30454884cf117p+2,
                                      0x1.aee02b9b5410fp+3,  0x1.46f30dd4bd6e5p+4,   0x1.5bc77238a4908p+7,  -0x1.60b1e571fa9dap+9,
                                      0x1.406d25cdcce33p+12, -0x1.5ec0bdd38191bp+14, 0x1.28e559d75eb53p+16, -0x1.6e5a51746df8fp+17,
                                      0x1.20a4255e99493p+18, -0x1.01fbaf4e5b813p+18, 0x1.95fe90a211edcp+16, -0x1.8d7731cff93c6p+10};

}  // namespace detail

// Error function; 2 ulp.
inline double erf(double x) {
  const double a = std::fabs(x);
  if (a < 1.0) {
    return x * detail::horner(detail::erf_near_zero, x * x);
  }
  if (a < 6.0) {
    return std::copysign(1.0 - streamboost::exp(-a * a) * detail::horner(detail::erf_tail, 1.0 / (a + 3.0)), x);
  }
  return x == x ? std::copysign(1.0, x) : x;
}

// log |Gamma(x)|; 4 ulp for x > 0 (also at the zeros 1 and 2). For x < 0 by reflection, with an absolute error of
// 1e-15 times the size of the terms; infinity at 0, -1, -2, ..
inline double lgamma(double x) {
  if (!(x > 0.0)) {
    if (x != x) return x;
    if (x == std::floor(x)) return detail::infinity;
    const double distance = x - std::floor(x + 0.5);  // sin(pi x) up to its sign
    const double sine = streamboost::sin(0x1.921fb54442d18p+1 * std::fabs(distance));
    return streamboost::log(0x1.921fb54442d18p+1 / sine) - lgamma(1.0 - x);
  }
  if (x >= 8.0) {
    if (x > 0x1p1014) return detail::infinity;
    // Stirling's series; the terms beyond are below 1e-17 of the answer.
    constexpr double series[] = {1.0 / 12, -1.0 / 360, 1.0 / 1260, -1.0 / 1680, 1.0 / 1188, -691.0 / 360360, 1.0 / 156, -3617.0 / 122400};
    const double inverse = 1.0 / x;
    const double correction = inverse * detail::horner(series, inverse * inverse);
    return (x - 0.5) * (streamboost::log(x) - 1.0) + (0x1.acfe390c97d69p-2 + correction);  // (log(2 pi) - 1) / 2
  }
  if (x < 2.0) {
    constexpr double one_two[] = {0x1.eeb95b094c191p-2,  -0x1.2aed059bd608ap-3,  0x1.01af62a292e9ep-4,  -0x1.007aa83cee7e5p-5,
                                  0x1.13342351dde0fp-6,  -0x1.34dbda13c8fa0p-7,  0x1.64f066cdbffa0p-8,  -0x1.a50352d82388ep-9,
                                  0x1.f81485f78bbd0p-10, -0x1.313e688773355p-10, 0x1.7510a4178474dp-11, -0x1.cb4cc1c288e9ep-12,
                                  0x1.1c0dd4afb9573p-12, -0x1.61af5dcde0802p-13, 0x1.c3ca9686347cfp-14, -0x1.1bbedb9aeb43dp-14,
                                  0x1.25823abba02b4p-15, -0x1.72274bc432ce1p-16, 0x1.db79b9599b3a6p-16, -0x1.2eb5136d557dbp-16};
    // Gamma(1 + x) = x Gamma(x) below 1, without forming 1 + x, which would round away the zero at 1.
    if (x < 1.0) return x * (x - 1.0) * detail::horner(one_two, x - 0.5) - streamboost::log(x);
    return (x - 1.0) * (x - 2.0) * detail::horner(one_two, x - 1.5) + 0.0;  // + 0: no -0 at 1
  }
  double product = 1.0;
  while (x >= 3.0) {
    x -= 1.0;
    product *= x;
  }
  constexpr double two_three[] = {0x1.2383e809a67e8p-1,   0x1.1200f695b0dd9p-2,  -0x1.6f0ca9a1c293cp-5,  0x1.646ae6e418dd2p-7,
                                  -0x1.95b1157332d09p-9,  0x1.f7e4616017dc7p-11, -0x1.4a5d13770188ep-12, 0x1.c135f8ee8a0cdp-14,
                                  -0x1.39576f7996e1ap-15, 0x1.bd75b0c0011aep-17, -0x1.414adfb25b3bcp-18, 0x1.d48f29c20ab86p-20,
                                  -0x1.5591e2dddd3f2p-21, 0x1.fa287f25cf10dp-23, -0x1.b7616e90bd4c0p-24, 0x1.499f096e92c89p-25};
  const double base = (x - 2.0) * detail::horner(two_three, x - 2.5);
  return product > 1.0 ? streamboost::log(product) + base : base;
}

namespace detail {

// Below 8 the functions of the Gamma family are asked at x + 8, where their asymptotic series are exact to rounding, and
// brought back by the recurrence over x, x + 1, ..., x + 7. No branches, so that loops over them vectorise.
inline constexpr int gamma_shift = 8;

[[gnu::always_inline]] inline double shifted(double x) { return x < gamma_shift ? x + gamma_shift : x; }

}  // namespace detail

// log Gamma(x) for x > 0; error 2e-14 max(1, |log Gamma(x)|), so not to the last digit at its zeros 1 and 2; vectorises.
[[gnu::always_inline]] inline double lgamma_positive(double x) {
  constexpr double series[] = {1.0 / 12, -1.0 / 360, 1.0 / 1260, -1.0 / 1680, 1.0 / 1188, -691.0 / 360360, 1.0 / 156, -3617.0 / 122400};
  const double y = detail::shifted(x);
  const double product = ((x * (x + 1.0)) * ((x + 2.0) * (x + 3.0))) * (((x + 4.0) * (x + 5.0)) * ((x + 6.0) * (x + 7.0)));
  const double inverse = 1.0 / y;
  const double stirling =
      (y - 0.5) * (streamboost::log(y) - 1.0) + (0x1.acfe390c97d69p-2 + inverse * detail::horner(series, inverse * inverse));
  return stirling - streamboost::log(x < detail::gamma_shift ? product : 1.0);
}

// Its derivative; error 4e-15 max(1, |digamma(x)|); x > 0.
inline double digamma(double x) {
  constexpr double series[] = {1.0 / 12,       -1.0 / 120, 1.0 / 252,      -1.0 / 240,     1.0 / 132,
                               -691.0 / 32760, 1.0 / 12,   -3617.0 / 8160, 43867.0 / 14364};
  const double y = detail::shifted(x);
  double taken = 0.0;
  if (x < detail::gamma_shift)
    for (int k = detail::gamma_shift - 1; k >= 0; --k) taken += 1.0 / (x + k);
  const double inverse = 1.0 / y;
  const double square = inverse * inverse;
  return ((streamboost::log(y) - 0.5 * inverse) - square * detail::horner(series, square)) - taken;
}

// The derivative of digamma; relative error 2e-15; x > 0.
inline double trigamma(double x) {
  constexpr double series[] = {1.0 / 6, -1.0 / 30, 1.0 / 42, -1.0 / 30, 5.0 / 66, -691.0 / 2730, 7.0 / 6, -3617.0 / 510, 43867.0 / 798};
  const double y = detail::shifted(x);
  double taken = 0.0;
  if (x < detail::gamma_shift)
    for (int k = detail::gamma_shift - 1; k >= 0; --k) taken += 1.0 / ((x + k) * (x + k));
  const double inverse = 1.0 / y;
  const double square = inverse * inverse;
  return ((inverse + 0.5 * square) + (inverse * square) * detail::horner(series, square)) + taken;
}

// log(k!) for a whole k >= 0; 4 ulp.
inline double log_factorial(double k) { return k < 2.0 ? 0.0 : lgamma(k + 1.0); }

// Inverse of the normal distribution function: Wichura, "Algorithm AS 241", Applied Statistics 37 (1988), PPND16,
// whose own error is about 1e-16 relative; 8 ulp. 0 and 1 give the infinities, anything outside NaN.
inline double normal_quantile(double p) {
  const double q = p - 0.5;
  if (std::fabs(q) <= 0.425) {
    constexpr double a[] = {3.3871328727963666080e0,  1.3314166789178437745e+2, 1.9715909503065514427e+3, 1.3731693765509461125e+4,
                            4.5921953931549871457e+4, 6.7265770927008700853e+4, 3.3430575583588128105e+4, 2.5090809287301226727e+3};
    constexpr double b[] = {1.0,
                            4.2313330701600911252e+1,
                            6.8718700749205790830e+2,
                            5.3941960214247511077e+3,
                            2.1213794301586595867e+4,
                            3.9307895800092710610e+4,
                            2.8729085735721942674e+4,
                            5.2264952788528545610e+3};
    const double r = 0.180625 - q * q;
    return q * detail::horner(a, r) / detail::horner(b, r);
  }
  if (!(p > 0.0 && p < 1.0)) return p == 0.0 ? -detail::infinity : (p == 1.0 ? detail::infinity : detail::not_a_number);
  const double r = std::sqrt(-streamboost::log(q < 0.0 ? p : 1.0 - p));
  double magnitude;
  if (r <= 5.0) {
    constexpr double c[] = {1.42343711074968357734e0, 4.63033784615654529590e0,  5.76949722146069140550e0,  3.64784832476320460504e0,
                            1.27045825245236838258e0, 2.41780725177450611770e-1, 2.27238449892691845833e-2, 7.74545014278341407640e-4};
    constexpr double d[] = {1.0,
                            2.05319162663775882187e0,
                            1.67638483018380384940e0,
                            6.89767334985100004550e-1,
                            1.48103976427480074590e-1,
                            1.51986665636164571966e-2,
                            5.47593808499534494600e-4,
                            1.05075007164441684324e-9};
    magnitude = detail::horner(c, r - 1.6) / detail::horner(d, r - 1.6);
  } else {
    constexpr double e[] = {6.65790464350110377720e0,  5.46378491116411436990e0,  1.78482653991729133580e0,  2.96560571828504891230e-1,
                            2.65321895265761230930e-2, 1.24266094738807843860e-3, 2.71155556874348757815e-5, 2.01033439929228813265e-7};
    constexpr double f[] = {1.0,
                            5.99832206555887937690e-1,
                            1.36929880922735805310e-1,
                            1.48753612908506148525e-2,
                            7.86869131145613259100e-4,
                            1.84631831751005468180e-5,
                            1.42151175831644588870e-7,
                            2.04426310338993978564e-15};
    magnitude = detail::horner(e, r - 5.0) / detail::horner(f, r - 5.0);
  }
  return q < 0.0 ? -magnitude : magnitude;
}

// out[i] = f(in[i]) with the bits of the scalar function; in and out may be the same array. core/src/math/math_kernels.cpp.
STREAMBOOST_KERNEL(void, exp_lanes, (const double* in, double* out, std::size_t n));
STREAMBOOST_KERNEL(void, exp_down_lanes, (const double* in, double* out, std::size_t n));
STREAMBOOST_KERNEL(void, log_lanes, (const double* in, double* out, std::size_t n));
STREAMBOOST_KERNEL(void, tanh_lanes, (const double* in, double* out, std::size_t n));
STREAMBOOST_KERNEL(void, sigmoid_lanes, (const double* in, double* out, std::size_t n));

// distribution function of the standard normal: (1 + erf(z / sqrt 2)) / 2
STREAMBOOST_KERNEL(void, normal_cdf_lanes, (const double* z, double* out, std::size_t n));
// x log x, 0 for x <= 0
STREAMBOOST_KERNEL(void, x_log_x_lanes, (const double* in, double* out, std::size_t n));
// log odds of margins h = 2 p - 1, at most `limit` in size; h and out may be the same array
STREAMBOOST_KERNEL(void, margin_log_odds, (const double* h, double limit, double* out, std::size_t n));
// to += amount
STREAMBOOST_KERNEL(void, add_lanes, (double* to, const double* amount, std::size_t lanes));

}  // namespace streamboost

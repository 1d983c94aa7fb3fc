// Randomness as a function: every draw depends on its key alone; there is no generator state.
//
// Philox4x32-10 of Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3" (SC 2011), with
//   key     = (seed low, seed high)
//   counter = (example low, example high, lane, purpose << 24 | attempt)
// and output r0..r3, read as two 53-bit numbers (r1:r0) >> 11 and (r3:r2) >> 11.
// All of it is part of the format of saved models: never change it.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "streamboost/data/purpose.hpp"
#include "streamboost/math/levels.hpp"
#include "streamboost/math/math.hpp"

namespace streamboost {

struct Key {
  std::uint64_t seed;
  std::uint64_t example;  // examples learned before this one
  std::uint32_t lane;     // global number
  Purpose purpose;
  std::uint32_t attempt = 0;  // below 2^24
};

// The same draw for the learner that was born as number `birth` (modulo 2^16) in its lane; birth 0 changes nothing.
inline Key of_birth(Key key, std::uint32_t birth) {
  birth &= 0xFFFFu;
  if (key.purpose == Purpose::start)
    key.seed += birth * 0x9E3779B97F4A7C15u;  // attempts of starts are taken up by columns and units
  else
    key.attempt += key.purpose == Purpose::learner ? 256 * birth : birth;
  return key;
}

struct Pair {
  double first, second;
};

namespace detail {

// Four words of 32 bits, each in a number of 32 bits, or in one of 64 whose upper half means nothing. A loop over lanes vectorises
// with either.
template <class Word>
struct Words {
  Word r0, r1, r2, r3;
};

template <class Word>
[[gnu::always_inline]] inline Words<Word> philox(Words<Word> c, std::uint32_t key0, std::uint32_t key1) {
  constexpr std::uint64_t m0 = 0xD2511F53u;
  constexpr std::uint64_t m1 = 0xCD9E8D57u;
#pragma GCC unroll 10
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t even = m0 * static_cast<std::uint32_t>(c.r0), odd = m1 * static_cast<std::uint32_t>(c.r2);
    c = {static_cast<Word>(odd >> 32) ^ c.r1 ^ key0, static_cast<Word>(odd), static_cast<Word>(even >> 32) ^ c.r3 ^ key1,
         static_cast<Word>(even)};
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  return c;
}

[[gnu::always_inline]] inline std::uint32_t last_word(Purpose purpose, std::uint32_t attempt) {
  return static_cast<std::uint32_t>(purpose) << 24 | (attempt & 0xFFFFFFu);
}

[[gnu::always_inline]] inline Words<std::uint32_t> words(const Key& key) {
  return philox<std::uint32_t>({static_cast<std::uint32_t>(key.example), static_cast<std::uint32_t>(key.example >> 32), key.lane,
                                last_word(key.purpose, key.attempt)},
                               static_cast<std::uint32_t>(key.seed), static_cast<std::uint32_t>(key.seed >> 32));
}

// ((high:low) >> 11) * 2^-53 in [0, 1). Every step is exact, so any other way of converting gives the same bits;
// this one needs no 64-bit conversion: a 32-bit word w or-ed into the bits of 2^52 is the double 2^52 + w.
[[gnu::always_inline]] inline double unit(std::uint32_t high, std::uint32_t low) {
  constexpr std::uint64_t two52 = 0x4330000000000000ULL;
  const double h = std::bit_cast<double>(two52 | high) - 0x1p52;
  const double l = std::bit_cast<double>(two52 | (low >> 11)) - 0x1p52;
  return h * 0x1p-32 + l * 0x1p-53;
}

}  // namespace detail

// Uniform on [0, 1), a multiple of 2^-53.
inline double uniform(const Key& key) {
  const auto w = detail::words(key);
  return detail::unit(w.r1, w.r0);
}

// Both uniforms of a key; first = uniform(key).
inline Pair uniform_pair(const Key& key) {
  const auto w = detail::words(key);
  return {detail::unit(w.r1, w.r0), detail::unit(w.r3, w.r2)};
}

// Standard normal by inversion of (bits + 1/2) 2^-53. Above one half that sum rounds to even and could reach 1,
// whose quantile is infinite: it is kept below.
inline double normal(const Key& key) {
  const double open = uniform(key) + 0x1p-54;
  return normal_quantile(open < 1.0 ? open : 1.0 - 0x1p-53);
}

namespace detail {

inline constexpr double poisson_inversion_below = 10.0;
inline constexpr int poisson_inversion_limit = 1000;

// The smallest k with u < P(0) + ... + P(k), summed left to right.
inline double poisson_by_inversion(double lambda, double u) {
  if (u < 1.0 - lambda - 1e-9) return 0.0;  // exp(-lambda) >= 1 - lambda: the loop would not start
  const double none = streamboost::exp(-lambda), one = none * lambda, two = one * (0.5 * lambda);
  const double up_to_one = none + one, up_to_two = up_to_one + two;
  double probability = two * (lambda / 3.0), sum = up_to_two + probability;
  int k = 3;
  // Which of the usual numbers it is nobody can foretell: no branches for them.
  if (u < sum) return (u >= none ? 1 : 0) + (u >= up_to_one ? 1 : 0) + (u >= up_to_two ? 1 : 0);
  while (u >= sum && k < poisson_inversion_limit) {
    ++k;
    probability *= lambda / k;
    sum += probability;
  }
  return k;
}

// Hormann, "The transformed rejection method for generating Poisson random variables" (1993), algorithm PTRS.
inline double poisson_by_rejection(double lambda, Key key) {
  const double b = 0.931 + 2.53 * std::sqrt(lambda);
  const double a = -0.059 + 0.02483 * b;
  const double v_r = 0.9277 - 3.6224 / (b - 2.0);
  for (key.attempt = 0;; ++key.attempt) {
    const Pair draw = uniform_pair(key);
    const double u = draw.first - 0.5;
    const double v = draw.second;
    const double us = 0.5 - std::fabs(u);
    const double k = std::floor((2.0 * a / us + b) * u + lambda + 0.43);  // us = 0 gives -infinity, refused below
    if (us >= 0.07 && v <= v_r) return k;
    if (k < 0.0 || (us < 0.013 && v > us)) continue;
    const double log_inverse_alpha = streamboost::log(1.1239 + 1.1328 / (b - 3.4));
    const double left = streamboost::log(v) + log_inverse_alpha - streamboost::log(a / (us * us) + b);
    if (left <= -lambda + k * streamboost::log(lambda) - log_factorial(k)) return k;
  }
}

}  // namespace detail

// Poisson of rate lambda, a whole number; 0 for lambda <= 0 or NaN; lambda is capped at 2^53.
// u_first must be uniform(key) with attempt 0: a booster draws those for all lanes at once.
inline double poisson(double lambda, double u_first, Key key) {
  if (!(lambda > 0.0)) return 0.0;
  if (lambda < detail::poisson_inversion_below) return detail::poisson_by_inversion(lambda, u_first);
  if (lambda <= 1e8) return detail::poisson_by_rejection(lambda, key);
  lambda = lambda < 0x1p53 ? lambda : 0x1p53;
  key.attempt = 0;
  const double k = std::floor(lambda + std::sqrt(lambda) * normal(key) + 0.5);
  return k > 0.0 ? k : 0.0;
}

inline double poisson(double lambda, Key key) {
  key.attempt = 0;
  if (!(lambda > 0.0)) return 0.0;
  return poisson(lambda, lambda < detail::poisson_inversion_below ? uniform(key) : 0.0, key);
}

// The draws of lanes first_lane .. first_lane + n - 1, with the bits of the scalar functions.
STREAMBOOST_KERNEL(void, uniform_lanes,
                   (std::uint64_t seed, std::uint64_t example, std::uint32_t first_lane, Purpose purpose, double* out, std::size_t n));
// One rate for all lanes; fast below 10, one lane at a time above.
void poisson_lanes(double lambda, std::uint64_t seed, std::uint64_t example, std::uint32_t first_lane, double* out, std::size_t n);
// u_then_k holds the uniforms; 0 < lambda < 10
STREAMBOOST_KERNEL(void, poisson_counts, (double lambda, double* u_then_k, std::size_t n));
// Every lane has a rate of its own; u_then_k holds the uniforms; both arrays padded and aligned. Numbers above `most` may come out
// smaller than they are, but not below it. False: some rate is 10 or more, whose lanes are left to the caller.
STREAMBOOST_KERNEL(bool, poisson_rates, (const double* lambda, double* u_then_k, std::size_t n, double most));
// The same with all rates, as the scalar function draws them: lanes first_lane .. first_lane + n - 1.
inline void poisson_copies(const double* lambda, std::uint64_t seed, std::uint64_t example, std::uint32_t first_lane, double* u_then_k,
                           std::size_t n, double most) {
  if (poisson_rates(lambda, u_then_k, n, most)) return;
  for (std::size_t i = 0; i < n; ++i)
    if (lambda[i] >= detail::poisson_inversion_below)
      u_then_k[i] = poisson(lambda[i], 0, {seed, example, first_lane + static_cast<std::uint32_t>(i), Purpose::poisson});
}
// the uniforms of keys (seed, node + 2^32 column, lane, node subset, birth), one for each column
STREAMBOOST_KERNEL(void, node_uniforms,
                   (std::uint64_t seed, std::uint32_t node, std::uint32_t lane, std::uint32_t birth, const std::int32_t* column,
                    double* out, std::size_t n));

}  // namespace streamboost

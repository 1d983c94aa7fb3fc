// Loops over lanes of the scalar functions of math.hpp and rng.hpp.
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include "streamboost/data/lanes.hpp"
#include "streamboost/math/levels.hpp"
#include "streamboost/math/math.hpp"
#include "streamboost/math/rng.hpp"
#include "streamboost/math/vec.hpp"

namespace streamboost::STREAMBOOST_LEVEL {

void exp_lanes(const double* in, double* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = streamboost::exp(in[i]);
}

void exp_down_lanes(const double* in, double* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = exp_down(in[i]);
}

void log_lanes(const double* in, double* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = streamboost::log(in[i]);
}

void tanh_lanes(const double* in, double* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = streamboost::tanh(in[i]);
}

void sigmoid_lanes(const double* in, double* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = streamboost::sigmoid(in[i]);
}

void normal_cdf_lanes(const double* in, double* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const double x = in[i] * 0x1.6a09e667f3bcdp-1;  // z / sqrt(2)
    const double a = std::fabs(x);
    const double near = a < 1.0 ? x : 0.0;
    const double far = a < 6.0 ? a : 6.0;
    const double inside = near * detail::horner(detail::erf_near_zero, near * near);
    const double tail = 1.0 - streamboost::exp(-far * far) * detail::horner(detail::erf_tail, 1.0 / (far + 3.0));
    const double outside = std::copysign(a < 6.0 ? tail : 1.0, x);
    out[i] = 0.5 + 0.5 * (a < 1.0 ? inside : outside);
  }
}

void x_log_x_lanes(const double* in, double* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const double x = in[i];
    const double y = x * streamboost::log(x > 0.0 ? x : 1.0);
    out[i] = x > 0.0 ? y : 0.0;
  }
}

void margin_log_odds(const double* h, double limit, double* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const double odds = streamboost::log((1.0 + h[i]) / (1.0 - h[i]));
    const double above = odds < -limit ? -limit : odds;
    out[i] = above > limit ? limit : above;
  }
}

void add_lanes(double* __restrict to, const double* __restrict amount, std::size_t lanes) {
  for (std::size_t l = 0; l < lanes; ++l) to[l] += amount[l];
}

namespace {

// Philox of rng.hpp for a run of lanes, in words of 32 bits, or of 64 whose upper halves do not matter. AVX-512 multiplies the
// latter whole; without AVX2 gcc does better with the former.
template <class Word>
[[gnu::always_inline]] inline void draw_uniforms(std::uint64_t seed, std::uint64_t example, std::uint32_t first_lane, std::uint32_t last,
                                                 double* out, std::size_t n) {
  const auto key0 = static_cast<std::uint32_t>(seed), key1 = static_cast<std::uint32_t>(seed >> 32);
  const auto example0 = static_cast<std::uint32_t>(example), example1 = static_cast<std::uint32_t>(example >> 32);
  for (std::size_t i = 0; i < n; ++i) {
    const auto w = detail::philox<Word>({example0, example1, first_lane + static_cast<std::uint32_t>(i), last}, key0, key1);
    out[i] = detail::unit(static_cast<std::uint32_t>(w.r1), static_cast<std::uint32_t>(w.r0));
  }
}

#if defined(__AVX2__) && !defined(__AVX512F__)
// AVX2 has an instruction for the product of lower halves, which gcc does not find by itself: four lanes at a time with it.
[[gnu::always_inline]] inline void draw_fours(std::uint64_t seed, std::uint64_t example, std::uint32_t first_lane, std::uint32_t last,
                                              double* out, std::size_t whole) {
  constexpr std::uint64_t lower = 0xFFFFFFFFu, two52 = 0x4330000000000000ULL;
  const auto product = [](const HalfBits& a, const HalfBits& b) {
    return reinterpret_cast<HalfBits>(_mm256_mul_epu32(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
  };
  const HalfBits m0 = HalfBits{} + 0xD2511F53u, m1 = HalfBits{} + 0xCD9E8D57u;
  for (std::size_t i = 0; i < whole; i += half_size) {
    HalfBits r0 = HalfBits{} + (example & lower), r1 = HalfBits{} + (example >> 32), r2 = HalfBits{0, 1, 2, 3} + first_lane + i,
             r3 = HalfBits{} + last;
    std::uint32_t key0 = static_cast<std::uint32_t>(seed), key1 = static_cast<std::uint32_t>(seed >> 32);
#pragma GCC unroll 10
    for (int round = 0; round < 10; ++round) {
      const HalfBits even = product(r0, m0), odd = product(r2, m1);
      r0 = (odd >> 32) ^ r1 ^ std::uint64_t{key0};
      r1 = odd;
      r2 = (even >> 32) ^ r3 ^ std::uint64_t{key1};
      r3 = even;
      key0 += 0x9E3779B9u;
      key1 += 0xBB67AE85u;
    }
    const HalfBits high = (r1 & lower) | two52, low = ((r0 & lower) >> 11) | two52;
    put_four(out + i,
             (reinterpret_cast<const HalfVec&>(high) - 0x1p52) * 0x1p-32 + (reinterpret_cast<const HalfVec&>(low) - 0x1p52) * 0x1p-53);
  }
}
#endif

}  // namespace

void uniform_lanes(std::uint64_t seed, std::uint64_t example, std::uint32_t first_lane, Purpose purpose, double* out, std::size_t n) {
  const std::uint32_t last = detail::last_word(purpose, 0);
#if defined(__AVX512F__)
  draw_uniforms<std::uint64_t>(seed, example, first_lane, last, out, n);
#elif defined(__AVX2__)
  const std::size_t whole = n - n % half_size;
  draw_fours(seed, example, first_lane, last, out, whole);
  draw_uniforms<std::uint32_t>(seed, example, first_lane + static_cast<std::uint32_t>(whole), last, out + whole, n - whole);
#else
  draw_uniforms<std::uint32_t>(seed, example, first_lane, last, out, n);
#endif
}

namespace {

// P(0) + ... + P(j), made as far as somebody asked.
class PoissonSums {
 public:
  explicit PoissonSums(double lambda) : lambda_(lambda), probability_(streamboost::exp(-lambda)) { sums_[0] = probability_; }
  double up_to(int j) {
    for (; made_ <= j; ++made_) {
      probability_ *= lambda_ / made_;
      sums_[made_] = sums_[made_ - 1] + probability_;
    }
    return sums_[j];
  }

 private:
  double lambda_, probability_, sums_[detail::poisson_inversion_limit];
  int made_ = 1;
};

// k = number of cumulative sums that u has reached, which is where the scalar loop stops, because the sums never fall.
// A block goes through the sums only until all of its u lie below one.
template <class Sum>
[[gnu::always_inline]] inline void count_sums(Sum&& up_to, double* u_then_k, std::size_t n) {
  constexpr std::size_t block = 64;
  for (std::size_t begin = 0; begin < n; begin += block) {
    const std::size_t size = std::min(block, n - begin);
    double* values = u_then_k + begin;
    double u[block], k[block];
    for (std::size_t i = 0; i < size; ++i) {
      u[i] = values[i];
      k[i] = 0.0;
    }
    for (int j = 0; j < detail::poisson_inversion_limit; ++j) {
      const double sum = up_to(j);
      // The sign bits of u - sum, and-ed: an integer reduction vectorises where a floating maximum does not.
      std::uint64_t below = ~std::uint64_t{0};
      for (std::size_t i = 0; i < size; ++i) {
        k[i] += u[i] >= sum ? 1.0 : 0.0;
        below &= std::bit_cast<std::uint64_t>(u[i] - sum);
      }
      if ((below >> 63) != 0) break;
    }
    for (std::size_t i = 0; i < size; ++i) values[i] = k[i];
  }
}

// Those of rate 1, which nearly every example has: all of them, once.
const double* sums_of_one() {
  static const auto all = [] {
    std::array<double, detail::poisson_inversion_limit> made;
    PoissonSums sums(1.0);
    for (int j = 0; j < detail::poisson_inversion_limit; ++j) made[static_cast<std::size_t>(j)] = sums.up_to(j);
    return made;
  }();
  return all.data();
}

}  // namespace

void poisson_counts(double lambda, double* u_then_k, std::size_t n) {
  if (lambda == 1.0) {
    const double* sums = sums_of_one();
    return count_sums([sums](int j) { return sums[j]; }, u_then_k, n);
  }
  PoissonSums sums(lambda);
  count_sums([&sums](int j) { return sums.up_to(j); }, u_then_k, n);
}

// The same sums, made anew for every lane: the sign bits of u - sum are counted. Four sums at a time, as asking whether all lanes are
// done costs more than a sum.
bool poisson_rates(const double* lambda, double* u_then_k, std::size_t n, double most) {
  using Width = RegisterLanes;
  using Values = Width::Values;
  using Bits = Width::Bits;
  constexpr std::size_t block = 64;
  std::uint64_t large = 0;
  for (std::size_t begin = 0; begin < n; begin += block) {
    const std::size_t size = std::min(block, padded(n) - begin);
    alignas(64) double rate[block], probability[block];
    for (std::size_t i = 0; i < size; ++i) {
      const double mine = lambda[begin + i];
      const double small = mine < detail::poisson_inversion_below ? mine : 0.0;
      large |= mine < detail::poisson_inversion_below ? std::uint64_t{0} : std::uint64_t{1};
      rate[i] = small > 0.0 ? small : 0.0;  // a rate of 0 draws 0: exp(-0) = 1 lies above every u
    }
    for (std::size_t i = 0; i < size; ++i) probability[i] = streamboost::exp(-rate[i]);
    for (std::size_t l = 0; l < size; l += Width::size) {
      const Values u = lanes_at<Width>(u_then_k + begin + l), r = lanes_at<Width>(rate + l);
      Values p = lanes_at<Width>(probability + l), sum = p;
      Bits k = {};
      for (int j = 1, done = 0; !done && j <= detail::poisson_inversion_limit && j <= most;) {
        for (int four = 0; four < 4; ++four, ++j) {
          const Values ahead = u - sum;
          k += 1 - (reinterpret_cast<const Bits&>(ahead) >> 63);
          p *= r / j;
          sum += p;
        }
        const Values ahead = u - sum;
        std::uint64_t below = ~std::uint64_t{0};
        for (std::size_t i = 0; i < Width::size; ++i) below &= std::bit_cast<std::uint64_t>(ahead[i]);
        done = (below >> 63) != 0;
      }
      k += 0x4330000000000000ULL;  // a small whole number or-ed into 2^52
      lanes_at<Width>(u_then_k + begin + l) = reinterpret_cast<const Values&>(k) - 0x1p52;
    }
  }
  return large == 0;
}

void node_uniforms(std::uint64_t seed, std::uint32_t node, std::uint32_t lane, std::uint32_t birth, const std::int32_t* __restrict column,
                   double* __restrict out, std::size_t n) {
  const std::uint32_t last = detail::last_word(Purpose::node, birth);
  for (std::size_t j = 0; j < n; ++j) {
    const auto w = detail::philox<std::uint32_t>({node, static_cast<std::uint32_t>(column[j]), lane, last},
                                                 static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32));
    out[j] = detail::unit(w.r1, w.r0);
  }
}

}  // namespace streamboost::STREAMBOOST_LEVEL

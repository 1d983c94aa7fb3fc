// Loops over lanes of the scalar functions of math.hpp and rng.hpp, compiled for each x86-64 level.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "streamboost/clones.hpp"
#include "streamboost/math.hpp"
#include "streamboost/rng.hpp"

namespace streamboost {

STREAMBOOST_CLONES void exp_lanes(const double* in, double* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = streamboost::exp(in[i]);
}

STREAMBOOST_CLONES void log_lanes(const double* in, double* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = streamboost::log(in[i]);
}

STREAMBOOST_CLONES void tanh_lanes(const double* in, double* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = streamboost::tanh(in[i]);
}

STREAMBOOST_CLONES void sigmoid_lanes(const double* in, double* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = streamboost::sigmoid(in[i]);
}

STREAMBOOST_CLONES void uniform_lanes(std::uint64_t seed, std::uint64_t example, std::uint32_t first_lane, Purpose purpose, double* out,
                                      std::size_t n, std::uint32_t attempt) {
  const auto key0 = static_cast<std::uint32_t>(seed);
  const auto key1 = static_cast<std::uint32_t>(seed >> 32);
  const auto example0 = static_cast<std::uint32_t>(example);
  const auto example1 = static_cast<std::uint32_t>(example >> 32);
  const std::uint32_t last = detail::last_word(purpose, attempt);
  for (std::size_t i = 0; i < n; ++i) {
    const detail::Words w = detail::philox({example0, example1, first_lane + static_cast<std::uint32_t>(i), last}, key0, key1);
    out[i] = detail::unit(w.r1, w.r0);
  }
}

namespace {

// k = number of cumulative sums that u has reached, which is where the scalar loop stops, because the sums never fall.
// A block goes through the sums only until all of its u lie below one.
STREAMBOOST_CLONES void count_sums(double* u_then_k, std::size_t n, double lambda) {
  constexpr std::size_t block = 64;
  double sums[detail::poisson_inversion_limit];
  int made = 1;
  double probability = streamboost::exp(-lambda);
  sums[0] = probability;
  for (std::size_t begin = 0; begin < n; begin += block) {
    const std::size_t size = std::min(block, n - begin);
    double* values = u_then_k + begin;
    double u[block], k[block];
    for (std::size_t i = 0; i < size; ++i) {
      u[i] = values[i];
      k[i] = 0.0;
    }
    for (int j = 0; j < detail::poisson_inversion_limit; ++j) {
      if (j == made) {
        probability *= lambda / j;
        sums[j] = sums[j - 1] + probability;
        ++made;
      }
      const double sum = sums[j];
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

}  // namespace

void poisson_lanes(double lambda, std::uint64_t seed, std::uint64_t example, std::uint32_t first_lane, double* out, std::size_t n,
                   Purpose purpose) {
  if (!(lambda > 0.0)) {
    std::fill(out, out + n, 0.0);
  } else if (lambda < detail::poisson_inversion_below) {
    uniform_lanes(seed, example, first_lane, purpose, out, n);
    count_sums(out, n, lambda);
  } else {
    for (std::size_t i = 0; i < n; ++i) out[i] = poisson(lambda, Key{seed, example, first_lane + static_cast<std::uint32_t>(i), purpose});
  }
}

}  // namespace streamboost

#include "streamboost/math/rng.hpp"

#include <algorithm>

namespace streamboost {

void poisson_lanes(double lambda, std::uint64_t seed, std::uint64_t example, std::uint32_t first_lane, double* out, std::size_t n) {
  if (!(lambda > 0.0)) {
    std::fill(out, out + n, 0.0);
  } else if (lambda < detail::poisson_inversion_below) {
    uniform_lanes(seed, example, first_lane, Purpose::poisson, out, n);
    poisson_counts(lambda, out, n);
  } else {
    for (std::size_t i = 0; i < n; ++i)
      out[i] = poisson(lambda, Key{seed, example, first_lane + static_cast<std::uint32_t>(i), Purpose::poisson});
  }
}

}  // namespace streamboost

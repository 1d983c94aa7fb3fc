#include "streamboost/drift/adwin_kernels.hpp"

#include <cmath>
#include <cstdint>

#include "streamboost/math/levels.hpp"

namespace streamboost::STREAMBOOST_LEVEL {

bool any_border_differs(const WindowBorders& borders, double q, double D) {
  const double* __restrict n0 = borders.n0, * __restrict n1 = borders.n1, * __restrict u0 = borders.u0, * __restrict u1 = borders.u1;
  std::uint64_t differs = 0;
  for (std::size_t i = 0; i < borders.n; ++i) {
    const double m = 1.0 / (n0[i] - 4.0) + 1.0 / (n1[i] - 4.0);
    const double eps = std::sqrt(2.0 * m * q * D) + 2.0 / 3.0 * D * m;
    differs |= std::fabs(u0[i] / n0[i] - u1[i] / n1[i]) > eps ? std::uint64_t{1} : std::uint64_t{0};
  }
  return differs != 0;
}

}  // namespace streamboost::STREAMBOOST_LEVEL

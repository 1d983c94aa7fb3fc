#include "streamboost/math/clones.hpp"
#include "streamboost/math/kernels.hpp"
#include "streamboost/math/math.hpp"

namespace streamboost {

STREAMBOOST_CLONES void xlogx_lanes(const double* in, double* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const double x = in[i];
    out[i] = x * streamboost::log(x > 1e-300 ? x : 1e-300);
  }
}

}  // namespace streamboost

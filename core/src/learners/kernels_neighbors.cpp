#include "streamboost/math/clones.hpp"
#include "streamboost/math/kernels.hpp"

namespace streamboost {

STREAMBOOST_CLONES void add_squares(const double* cell, double x, double* out, std::size_t n) {
  for (std::size_t s = 0; s < n; ++s) out[s] += (cell[s] - x) * (cell[s] - x);
}

STREAMBOOST_CLONES void add_mismatches(const double* cell, double value, double* out, std::size_t n) {
  for (std::size_t s = 0; s < n; ++s) out[s] += cell[s] == value ? 0.0 : 2.0;
}

}  // namespace streamboost

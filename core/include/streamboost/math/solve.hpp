// x <- M^-1 x for a small matrix that is positive definite: Gaussian elimination without pivoting.
#pragma once
#include <cstddef>
#include <vector>

namespace streamboost {

// M: [row][column], worked on in place.
inline void solve_definite(std::vector<double>& M, std::vector<double>& x) {
  const std::size_t n = x.size();
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const double factor = M[i * n + j] / M[j * n + j];
      for (std::size_t k = j; k < n; ++k) M[i * n + k] -= factor * M[j * n + k];
      x[i] -= factor * x[j];
    }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) x[i] -= M[i * n + k] * x[k];
    x[i] /= M[i * n + i];
  }
}

}  // namespace streamboost

// x <- M^-1 x for a small matrix that is positive definite: Gaussian elimination without pivoting.
#pragma once
#include <algorithm>
#include <cstddef>
#include <limits>

namespace streamboost {

// M: [row][column] of n rows, worked on in place. A pivot below `least_pivot`, because rounding has eaten it, is raised to that.
inline void solve_definite(double* M, double* x, std::size_t n, double least_pivot = -std::numeric_limits<double>::infinity()) {
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double factor = M[i * n + j] / M[j * n + j];
      for (std::size_t k = j + 1; k < n; ++k) M[i * n + k] -= factor * M[j * n + k];
      x[i] -= factor * x[j];
    }
    M[i * n + i] = std::max(M[i * n + i], least_pivot);
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) x[i] -= M[i * n + k] * x[k];
    x[i] /= M[i * n + i];
  }
}

}  // namespace streamboost

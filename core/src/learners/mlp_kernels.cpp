#include "streamboost/learners/mlp_kernels.hpp"
#include "streamboost/math/levels.hpp"

namespace streamboost::STREAMBOOST_LEVEL {

void mlp_output(const double* hidden, const double* weights, std::size_t n_hidden, std::size_t n_outputs, std::size_t classes,
                std::size_t lanes, double* out) {
  for (std::size_t c = 0; c < n_outputs; ++c) {
    double* sum = out + c * lanes;
    for (std::size_t l = 0; l < lanes; ++l) sum[l] = weights[c * lanes + l];
    for (std::size_t h = 0; h < n_hidden; ++h) {
      const double *a = hidden + h * lanes, *w = weights + ((h + 1) * classes + c) * lanes;
      for (std::size_t l = 0; l < lanes; ++l) sum[l] += a[l] * w[l];
    }
  }
}

void mlp_backward(const double* hidden, const double* delta, double* weights, std::size_t n_hidden, std::size_t n_outputs,
                  std::size_t classes, std::size_t lanes, double* step) {
  for (std::size_t h = 0; h < n_hidden; ++h) {
    const double* a = hidden + h * lanes;
    double* s = step + h * lanes;
    for (std::size_t l = 0; l < lanes; ++l) s[l] = 0;
    for (std::size_t c = 0; c < n_outputs; ++c) {
      const double* d = delta + c * lanes;
      double* w = weights + ((h + 1) * classes + c) * lanes;
      for (std::size_t l = 0; l < lanes; ++l) {
        s[l] += d[l] * w[l];
        w[l] += d[l] * a[l];
      }
    }
    for (std::size_t l = 0; l < lanes; ++l) s[l] = s[l] * (a[l] * (1 - a[l]));
  }
  for (std::size_t c = 0; c < n_outputs; ++c)
    for (std::size_t l = 0; l < lanes; ++l) weights[c * lanes + l] += delta[c * lanes + l];
}

}  // namespace streamboost::STREAMBOOST_LEVEL

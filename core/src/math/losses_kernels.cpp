#include "streamboost/math/levels.hpp"
#include "streamboost/math/losses.hpp"

namespace streamboost::STREAMBOOST_LEVEL {

void loss_values(MarginLoss loss, const double* __restrict c, double y, double* __restrict value, std::size_t n) {
  with_loss(loss, [=](auto l) __attribute__((always_inline)) {
    for (std::size_t i = 0; i < n; ++i) value[i] = l.value(y * c[i]);
  });
}

void loss_pulls(MarginLoss loss, double* m, std::size_t n) {
  with_loss(loss, [=](auto l) __attribute__((always_inline)) {
    for (std::size_t i = 0; i < n; ++i) m[i] = l.pull(m[i]);
  });
}

}  // namespace streamboost::STREAMBOOST_LEVEL

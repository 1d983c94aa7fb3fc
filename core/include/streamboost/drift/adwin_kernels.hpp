// The cuts of an ADWIN window, all at once.
#pragma once
#include <cstddef>

#include "streamboost/math/levels.hpp"

namespace streamboost {

// Where a window is divided into an older part and a newer one: inputs and sums of both.
struct WindowBorders {
  static constexpr std::size_t most = 200;
  double n0[most], n1[most], u0[most], u1[most];
  std::size_t n = 0;
  void add(double older, double newer, double older_sum, double newer_sum) {
    n0[n] = older;
    n1[n] = newer;
    u0[n] = older_sum;
    u1[n++] = newer_sum;
  }
};
// whether at some border |u0 / n0 - u1 / n1| > sqrt(2 m q D) + 2/3 D m, m = 1 / (n0 - 4) + 1 / (n1 - 4)
STREAMBOOST_KERNEL(bool, any_border_differs, (const WindowBorders& borders, double q, double D));

}  // namespace streamboost

// When an expert is fitted again, in examples.
//
// A fit is planned at t = 100, and then each time the past has grown by the factor `refit`; past the memory, each time so many examples
// have come that a full memory would have grown by it. It is worked off over the `late` share of the step and takes over exactly then, long
// before the next one begins.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>

namespace streamboost {

struct FitSchedule {
  static constexpr std::int64_t first = 100, least_step = 50;
  double refit;  // in (1, 2]
  double late;   // in (0, 1)

  std::int64_t step(std::int64_t t, std::int64_t memory) const {
    const auto grown = static_cast<std::int64_t>(std::floor(static_cast<double>(std::min(t, memory)) * (refit - 1)));
    return std::max(least_step, grown);
  }
  std::int64_t lateness(std::int64_t step) const {
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::floor(static_cast<double>(step) * late)));
  }
};

}  // namespace streamboost

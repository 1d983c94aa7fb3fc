// What a draw is for: part of its key (math/rng.hpp), so that no two uses of randomness meet. The numbers are part of the format of
// saved models: never change them.
#pragma once
#include <cstdint>

namespace streamboost {

enum class Purpose : std::uint32_t {
  start = 0,
  poisson = 1,
  fraction = 2,
  tie = 3,
  hedge = 4,
  subset = 5,
  coin = 6,
  learner = 7,
  black_box = 8,
  pivot = 9,
  bandit = 10,
  node = 11,
  explanation = 12,
  sketch = 14,
  detector = 17,  // 13: late labels in generators, 15: exploration, 16: queries
};

}  // namespace streamboost

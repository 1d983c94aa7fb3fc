// The level in use is one that the processor has, and kernels are of that level.
#include <cassert>
#include <cstdio>

#include "streamboost/math/levels.hpp"
#include "streamboost/math/math.hpp"

namespace sb = streamboost;

int main() {
  const auto levels = sb::levels();
  assert(!levels.empty() && sb::level_index() < levels.size());
  assert(levels[sb::level_index()] == sb::level());
#if defined(__x86_64__)
  assert(levels.front() == "v2");
  auto* const kernel = sb::exp_lanes;
  assert(kernel == (sb::level() == "v4" ? sb::v4::exp_lanes : sb::level() == "v3" ? sb::v3::exp_lanes : sb::v2::exp_lanes));
#endif
  std::printf("%s\n", std::string(sb::level()).c_str());
}

#include "streamboost/learners/linear.hpp"

#include "streamboost/learners/banks.hpp"

namespace streamboost {

std::unique_ptr<Bank> make_linear(const Config& config, Lanes lanes, int n_estimators, std::uint64_t seed) {
  return make_of_dtype<LinearBank>(config, lanes, n_estimators, seed);
}

}  // namespace streamboost

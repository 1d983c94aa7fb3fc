#include "streamboost/learners/linear_regression.hpp"

#include "streamboost/learners/banks.hpp"

namespace streamboost {

std::unique_ptr<Bank> make_linear_regression(const Config& config, Lanes lanes, int n_estimators, std::uint64_t seed) {
  return make_of_dtype<LinearRegressionBank>(config, lanes, n_estimators, seed);
}

}  // namespace streamboost

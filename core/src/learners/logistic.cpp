#include "streamboost/learners/logistic.hpp"

#include "streamboost/learners/banks.hpp"

namespace streamboost {

std::unique_ptr<Bank> make_logistic(const Config& config, Lanes lanes, int n_estimators, std::uint64_t seed) {
  return make_of_dtype<LogisticBank>(config, lanes, n_estimators, seed);
}

}  // namespace streamboost

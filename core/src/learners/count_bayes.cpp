#include "streamboost/learners/count_bayes.hpp"

#include "streamboost/learners/banks.hpp"

namespace streamboost {

std::unique_ptr<Bank> make_count_bayes(const Config& config, Lanes lanes, int, std::uint64_t seed) {
  return std::make_unique<CountBayesBank>(CountBayesBank::Params::read(config), lanes, seed);
}

}  // namespace streamboost

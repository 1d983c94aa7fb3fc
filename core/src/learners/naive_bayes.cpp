#include "streamboost/learners/naive_bayes.hpp"

#include "streamboost/learners/banks.hpp"

namespace streamboost {

std::unique_ptr<Bank> make_naive_bayes(const Config& config, Lanes lanes, int, std::uint64_t seed) {
  return std::make_unique<NaiveBayesBank>(NaiveBayesBank::Params::read(config), lanes, seed);
}

}  // namespace streamboost

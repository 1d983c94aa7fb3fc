#include "streamboost/learners/regression_trees.hpp"

#include "streamboost/learners/banks.hpp"

namespace streamboost {

std::unique_ptr<Bank> make_regression_tree(const Config& config, Lanes lanes, int, std::uint64_t seed) {
  return std::make_unique<RegressionTreeBank>(RegressionTreeBank::Params::read(config), lanes, seed);
}

}  // namespace streamboost

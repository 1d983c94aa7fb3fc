#include "streamboost/learners/mlp.hpp"

#include "streamboost/learners/banks.hpp"

namespace streamboost {

std::unique_ptr<Bank> make_mlp(const Config& config, Lanes lanes, int, std::uint64_t seed) {
  return std::make_unique<MlpBank>(MlpBank::Params::read(config), lanes, seed);
}

}  // namespace streamboost

#include "streamboost/learners/stump.hpp"

#include "streamboost/learners/banks.hpp"

namespace streamboost {

std::unique_ptr<Bank> make_stump(const Config& config, Lanes lanes, int, std::uint64_t seed) {
  return std::make_unique<StumpBank>(StumpBank::Params::read(config), lanes, seed);
}

}  // namespace streamboost

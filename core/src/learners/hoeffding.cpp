#include "streamboost/learners/hoeffding.hpp"

#include "streamboost/learners/banks.hpp"

namespace streamboost {

std::unique_ptr<Bank> make_hoeffding(const Config& config, Lanes lanes, int, std::uint64_t seed) {
  return std::make_unique<HoeffdingBank>(HoeffdingBank::Params::read(config), lanes, seed);
}

}  // namespace streamboost

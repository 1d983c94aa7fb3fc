#include "streamboost/learners/tan.hpp"

#include "streamboost/learners/banks.hpp"

namespace streamboost {

std::unique_ptr<Bank> make_tan(const Config& config, Lanes lanes, int, std::uint64_t) {
  return std::make_unique<TanBank>(TanBank::Params::read(config), lanes);
}

}  // namespace streamboost

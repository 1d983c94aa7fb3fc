#include "streamboost/learners/iti.hpp"

#include "streamboost/learners/banks.hpp"

namespace streamboost {

std::unique_ptr<Bank> make_iti(const Config& config, Lanes lanes, int, std::uint64_t) {
  return std::make_unique<ItiBank>(ItiBank::Params::read(config), lanes);
}

}  // namespace streamboost

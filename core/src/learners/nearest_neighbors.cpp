#include "streamboost/learners/nearest_neighbors.hpp"

#include "streamboost/learners/banks.hpp"

namespace streamboost {

std::unique_ptr<Bank> make_nearest_neighbors(const Config& config, Lanes lanes, int, std::uint64_t) {
  return std::make_unique<NearestNeighborsBank>(NearestNeighborsBank::Params::read(config), lanes);
}

}  // namespace streamboost

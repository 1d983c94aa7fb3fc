// The guards of the lanes at work: after an example was learned, and across the blocks of a model.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "streamboost/ensembles/block.hpp"

namespace streamboost {

// The lanes have learned the example: their spares follow, then the guard judges what the lanes answered. Whether some lane alarmed.
bool guard_lanes(const Example& example, LaneBlock& block, Scratch& scratch);

using LaneBlocks = std::vector<std::unique_ptr<LaneBlock>>;

// The lane with the highest error in its window, the first of equals: where a guard waits for all lanes, that one begins again.
struct WorstLane {
  int lane = -1;
  double error = -1;
};
WorstLane find_worst(const LaneBlocks& blocks);
void restart_lane(const LaneBlocks& blocks, int lane, std::int64_t number);

}  // namespace streamboost

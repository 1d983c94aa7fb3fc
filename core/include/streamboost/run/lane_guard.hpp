// What happens to a lane that drifts, after each learned example: booster_runner.hpp lets the guard of a block (drift/guard.hpp) judge its
// lanes; where only the worst lane of the whole ensemble begins again, the pipeline finds it across all blocks.
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

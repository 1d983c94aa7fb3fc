// Rows that a booster trains on all at once: run/row_memory.hpp collects them and opens the phase.
#pragma once
#include <cstdint>
#include <vector>

#include "streamboost/data/example.hpp"

namespace streamboost {

// What a batch phase works on, block of lanes after block of lanes: its own kind of passage.
struct BatchPhase {
  std::vector<Example> example;  // numbered in presented order, all classes of now known
  AlignedVector<double> share;   // [example], where the phase weighs them
  double weight = 0;             // sum of the sample weights
  bool stopped = false;          // later lanes stay empty

  AlignedVector<double> cell;  // what the views point into
  std::vector<std::int32_t> index;
  std::vector<RowBuffer> buffer;
};

}  // namespace streamboost

// Loops of linear regression over lanes: running statistics of every lane's targets, and a step of the squared loss.
#pragma once
#include <cstddef>

#include "streamboost/math/levels.hpp"

namespace streamboost {

struct TargetLanes {
  double *count, *mean, *spread, *low, *high;  // spread: sum of squared deviations from the mean; low, high: the range seen
};
struct ConstTargetLanes {
  const double *count, *mean, *spread, *low, *high;
};
struct SquaredLanes {
  const double *target, *amount, *product, *pace;  // y, w, Q, kappa
  double rows, clip;                               // v n
  double* squares;                                 // B
};
// answer = mean + deviation z, within the range; the deviation is kept for the lesson
STREAMBOOST_KERNEL(void, target_answers,
                   (const double* z, const ConstTargetLanes& targets, double* deviation, double* answer, std::size_t n));
// step = D / Q; statistics and B grow
STREAMBOOST_KERNEL(void, squared_steps,
                   (const double* z, const double* deviation, const SquaredLanes& lanes, const TargetLanes& targets, double* step,
                    std::size_t n));

}  // namespace streamboost

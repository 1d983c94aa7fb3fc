// Loops of the regressors over lanes; any n, no alignment needed. vote: -1 for a lane that is untrained.
#pragma once
#include <cstddef>
#include <cstdint>

#include "streamboost/math/levels.hpp"
#include "streamboost/math/losses.hpp"

namespace streamboost {

struct ResidualLanes {
  double *miss, *seen, *weight, *absolute, *squared;  // ensembles/residuals.hpp
};
// wrong = 1 where |target - answer| is above miss / seen, or the lane untrained; then the sums grow, the first two fading
STREAMBOOST_KERNEL(void, judge_numbers,
                   (const std::int32_t* vote, const double* answer, const double* target, double fading, double weight,
                    const ResidualLanes& lanes, double* wrong, std::size_t n));
// What lanes make of the slopes of a loss at their answers to the target y (gradient_boosting.hpp).
struct SlopeRule {
  NumberLoss loss;
  double y;
  bool hull;
  double most, range, rate, weight;  // L_B, the range of targets, the step of sigma, the example's weight
};
// share = slope / L_B, target and amount of each lane, and its sigma after; before: y^{i-1}
STREAMBOOST_KERNEL(void, descend_losses,
                   (const double* before, const SlopeRule& rule, double* target, double* amount, double* share, double* shrink,
                    std::size_t n));
// sum += weight share, answer_sum += weight share answer
STREAMBOOST_KERNEL(void, watch_slopes,
                   (const double* share, const std::int32_t* vote, const double* answer, double weight, double* sum, double* answer_sum,
                    std::size_t n));

}  // namespace streamboost

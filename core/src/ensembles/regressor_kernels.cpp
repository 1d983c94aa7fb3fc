#include <cmath>

#include "streamboost/ensembles/regressor_kernels.hpp"
#include "streamboost/math/levels.hpp"
#include "streamboost/math/vec.hpp"

namespace streamboost::STREAMBOOST_LEVEL {

void judge_numbers(const std::int32_t* __restrict vote, const double* __restrict answer, const double* __restrict target, double fading,
                   double weight, const ResidualLanes& lanes, double* __restrict wrong, std::size_t n) {
  double *misses = lanes.miss, *counts = lanes.seen, *weights = lanes.weight, *sizes = lanes.absolute, *squares = lanes.squared;
  STREAMBOOST_NO_OVERLAP
  for (std::size_t i = 0; i < n; ++i) {
    const double one = vote[i] < 0 ? 0.0 : 1.0, miss = misses[i], seen = counts[i];
    const double off = vote[i] < 0 ? 0.0 : std::fabs(target[i] - answer[i]);
    const double usual = off * seen > miss ? 1.0 : 0.0;
    wrong[i] = vote[i] < 0 ? 1.0 : usual;
    misses[i] = fading * miss + off;
    counts[i] = fading * seen + one;
    weights[i] += weight * one;
    sizes[i] += weight * off;
    squares[i] += weight * (off * off);
  }
}

void descend_losses(const double* __restrict before, const SlopeRule& rule, double* __restrict target, double* __restrict amount,
                    double* __restrict share, double* __restrict shrink, std::size_t n) {
  const NumberLoss loss = rule.loss;
  const double y = rule.y, most = rule.most, range = rule.range, rate = rule.rate, weight = rule.weight;
  const bool hull = rule.hull;
  STREAMBOOST_NO_OVERLAP
  for (std::size_t i = 0; i < n; ++i) {
    const double slope = loss.slope(before[i] - y), part = slope / most;
    const double rim = slope < 0.0 ? range : 0.0, edge = slope > 0.0 ? -range : rim;
    target[i] = hull ? edge : -range * part;
    amount[i] = hull ? weight * std::fabs(part) : weight;
    share[i] = part;
    const double moved = shrink[i] + rate * (slope * before[i]);
    const double floor = moved < 0.0 ? 0.0 : moved;
    shrink[i] = 1.0 < floor ? 1.0 : floor;
  }
}

void watch_slopes(const double* __restrict share, const std::int32_t* __restrict vote, const double* __restrict answer, double weight,
                  double* __restrict sum, double* __restrict answer_sum, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const double said = vote[i] < 0 ? 0.0 : answer[i];
    sum[i] += weight * share[i];
    answer_sum[i] += weight * (share[i] * said);
  }
}

}  // namespace streamboost::STREAMBOOST_LEVEL

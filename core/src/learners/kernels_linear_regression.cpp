#include <cmath>

#include "streamboost/math/clones.hpp"
#include "streamboost/math/flow.hpp"
#include "streamboost/math/kernels.hpp"
#include "streamboost/math/math.hpp"

namespace streamboost {

// Lanes do not overlap: without being told, gcc leaves loops over so many arrays as they are. Choices take no short cuts, for the same reason.
STREAMBOOST_CLONES void target_answers(const double* __restrict z, const ConstTargetLanes& t, double* __restrict deviation,
                                       double* __restrict answer, std::size_t n) {
  const double *counts = t.count, *means = t.mean, *spreads = t.spread, *lows = t.low, *highs = t.high;
#pragma GCC ivdep
  for (std::size_t i = 0; i < n; ++i) {
    const double count = counts[i] > 1.0 ? counts[i] : 1.0;
    const double unit = std::sqrt(spreads[i] / count);
    deviation[i] = unit;
    const double said = means[i] + unit * z[i];
    const double high = said < highs[i] ? said : highs[i];
    answer[i] = high > lows[i] ? high : lows[i];
  }
}

STREAMBOOST_CLONES void squared_steps(const double* __restrict z, const double* __restrict deviation, const SquaredLanes& l,
                                      const TargetLanes& t, double* __restrict step, std::size_t n) {
  const double *targets = l.target, *amounts = l.amount, *products = l.product, *paces = l.pace, rows = l.rows, clip = l.clip;
  double *sums = l.squares, *counts = t.count, *means = t.mean, *spreads = t.spread, *lows = t.low, *highs = t.high;
#pragma GCC ivdep
  for (std::size_t i = 0; i < n; ++i) {
    const double w = amounts[i], product = products[i], target = targets[i], before = counts[i], mean = means[i], spread = spreads[i];
    const double lowest = lows[i], highest = highs[i], old = sums[i];
    const bool learns = w > 0.0, first = before == 0.0;
    // the statistics, this target included
    const double reach = clip * deviation[i];
    const bool settled = (before >= 20.0) & (spread > 0.0);
    const double under = settled & (target < mean - reach) ? mean - reach : target;
    const double y = settled & (under > mean + reach) ? mean + reach : under;
    const double count = before + 1.0, off = y - mean, moved = mean + off / count, wider = spread + off * (y - moved);
    const double unit = std::sqrt(wider / count), scaled = (y - moved) / (wider > 0.0 ? unit : 1.0);
    const double g = (wider > 0.0 ? scaled : 0.0) - z[i];
    const double sum = old + w * (g * g), squares = sum < 1e300 ? sum : 1e300;
    const double move = g * -expm1(-logistic_time(w, squares, product, paces[i], rows));
    const double taken = move / (product > 0.0 ? product : 1.0);
    step[i] = learns & (product > 0.0) ? taken : 0.0;
    sums[i] = learns ? squares : old;
    counts[i] = learns ? count : before;
    means[i] = learns ? moved : mean;
    spreads[i] = learns ? wider : spread;
    lows[i] = learns & (first | (target < lowest)) ? target : lowest;
    highs[i] = learns & (first | (target > highest)) ? target : highest;
  }
}

}  // namespace streamboost

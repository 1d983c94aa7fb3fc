#include <cmath>

#include "streamboost/learners/linear_regression_kernels.hpp"
#include "streamboost/math/flow.hpp"
#include "streamboost/math/levels.hpp"
#include "streamboost/math/math.hpp"
#include "streamboost/math/vec.hpp"

namespace streamboost::STREAMBOOST_LEVEL {

// Lanes do not overlap: without being told, gcc leaves loops over so many arrays as they are. Choices take no short cuts, for the same reason.
void target_answers(const double* __restrict z, const ConstTargetLanes& t, double* __restrict deviation, double* __restrict answer,
                    std::size_t n) {
  const double *counts = t.count, *means = t.mean, *spreads = t.spread, *lows = t.low, *highs = t.high;
  STREAMBOOST_NO_OVERLAP
  for (std::size_t i = 0; i < n; ++i) {
    const double count = counts[i] > 1.0 ? counts[i] : 1.0;
    const double unit = std::sqrt(spreads[i] / count);
    deviation[i] = unit;
    const double said = means[i] + unit * z[i];
    const double high = said < highs[i] ? said : highs[i];
    answer[i] = high > lows[i] ? high : lows[i];
  }
}

// Sixteen lanes at a time, part by part: a machine looks ahead far enough for several lanes of a part but not of the whole.
void squared_steps(const double* __restrict z, const double* __restrict deviation, const SquaredLanes& l, const TargetLanes& t,
                   double* __restrict step, std::size_t n) {
  constexpr std::size_t tile = 16;
  const double rows = l.rows, clip = l.clip;
  for (std::size_t begin = 0; begin < n; begin += tile) {
    const double *targets = l.target + begin, *amounts = l.amount + begin, *products = l.product + begin, *paces = l.pace + begin;
    double *sums = l.squares + begin, *counts = t.count + begin, *means = t.mean + begin, *spreads = t.spread + begin;
    double *lows = t.low + begin, *highs = t.high + begin;
    double y[tile], moved[tile], wider[tile], g[tile], squares[tile], time[tile], move[tile];
    // the statistics, this target included
    for (std::size_t i = 0; i < tile; ++i) {
      const double target = targets[i], before = counts[i], mean = means[i], spread = spreads[i], reach = clip * deviation[begin + i];
      const bool settled = (before >= 20.0) & (spread > 0.0);
      const double under = (settled & (target < mean - reach)) ? mean - reach : target;
      y[i] = (settled & (under > mean + reach)) ? mean + reach : under;
      const double off = y[i] - mean;
      moved[i] = mean + off / (before + 1.0);
      wider[i] = spread + off * (y[i] - moved[i]);
    }
    for (std::size_t i = 0; i < tile; ++i) {
      const double unit = std::sqrt(wider[i] / (counts[i] + 1.0)), scaled = (y[i] - moved[i]) / (wider[i] > 0.0 ? unit : 1.0);
      g[i] = (wider[i] > 0.0 ? scaled : 0.0) - z[begin + i];
    }
    for (std::size_t i = 0; i < tile; ++i) {
      const double sum = sums[i] + amounts[i] * (g[i] * g[i]);
      squares[i] = sum < 1e300 ? sum : 1e300;
      time[i] = logistic_time(amounts[i], squares[i], products[i], paces[i], rows);
    }
    for (std::size_t i = 0; i < tile; ++i) move[i] = g[i] * -expm1(-time[i]);
    STREAMBOOST_NO_OVERLAP
    for (std::size_t i = 0; i < tile; ++i) {
      const double product = products[i], target = targets[i], before = counts[i], mean = means[i], spread = spreads[i];
      const double lowest = lows[i], highest = highs[i], old = sums[i];
      const bool learns = amounts[i] > 0.0, first = before == 0.0;
      const double taken = move[i] / (product > 0.0 ? product : 1.0);
      step[begin + i] = (learns & (product > 0.0)) ? taken : 0.0;
      sums[i] = learns ? squares[i] : old;
      counts[i] = learns ? before + 1.0 : before;
      means[i] = learns ? moved[i] : mean;
      spreads[i] = learns ? wider[i] : spread;
      lows[i] = learns & (first | (target < lowest)) ? target : lowest;
      highs[i] = learns & (first | (target > highest)) ? target : highest;
    }
  }
}

}  // namespace streamboost::STREAMBOOST_LEVEL

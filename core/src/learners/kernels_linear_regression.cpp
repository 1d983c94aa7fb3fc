#include <cmath>

#include "streamboost/math/clones.hpp"
#include "streamboost/math/flow.hpp"
#include "streamboost/math/kernels.hpp"
#include "streamboost/math/math.hpp"

namespace streamboost {

STREAMBOOST_CLONES void target_answers(const double* __restrict z, const ConstTargetLanes& t, double* __restrict answer, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const double count = t.count[i] > 1.0 ? t.count[i] : 1.0;
    const double said = t.mean[i] + std::sqrt(t.spread[i] / count) * z[i];
    const double high = said < t.high[i] ? said : t.high[i];
    answer[i] = high > t.low[i] ? high : t.low[i];
  }
}

STREAMBOOST_CLONES void squared_steps(const double* __restrict z, const SquaredLanes& l, const TargetLanes& t, double* __restrict step,
                                      std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const double w = l.amount[i], product = l.product[i], before = t.count[i], mean = t.mean[i], spread = t.spread[i];
    const bool learns = w > 0.0, first = before == 0.0;
    const double low = first || l.target[i] < t.low[i] ? l.target[i] : t.low[i];
    const double high = first || l.target[i] > t.high[i] ? l.target[i] : t.high[i];
    // the statistics, this target included
    const double reach = l.clip * std::sqrt(spread / (before > 1.0 ? before : 1.0));
    double y = l.target[i];
    const bool settled = before >= 20.0 && spread > 0.0;
    y = settled && y < mean - reach ? mean - reach : y;
    y = settled && y > mean + reach ? mean + reach : y;
    const double count = before + 1.0, off = y - mean, moved = mean + off / count, wider = spread + off * (y - moved);
    const double g = (wider > 0.0 ? (y - moved) / std::sqrt(wider / count) : 0.0) - z[i];
    const double sum = l.squares[i] + w * (g * g), squares = sum < 1e300 ? sum : 1e300;
    const double move = g * -expm1(-logistic_time(w, squares, product, l.pace[i], l.rows));
    step[i] = learns && product > 0.0 ? move / product : 0.0;
    l.squares[i] = learns ? squares : l.squares[i];
    t.count[i] = learns ? count : before;
    t.mean[i] = learns ? moved : mean;
    t.spread[i] = learns ? wider : spread;
    t.low[i] = learns ? low : t.low[i];
    t.high[i] = learns ? high : t.high[i];
  }
}

}  // namespace streamboost

#include <cmath>
#include <cstdint>

#include "streamboost/math/clones.hpp"
#include "streamboost/math/flow.hpp"
#include "streamboost/math/kernels.hpp"
#include "streamboost/math/math.hpp"

namespace streamboost {
namespace {

// Sixteen lanes at a time, or one that is alone. What is given must be always_inline: a clone that called it would run its code for the
// oldest machine.
template <class F>
[[gnu::always_inline]] inline void over_tiles(std::size_t n, F&& f) {
  if (n == 1) return f.template operator()<1>(0);
  for (std::size_t first = 0; first < n; first += 16) f.template operator()<16>(first);
}

// The steps of a tile of lanes whose slopes are given. Near or far is each lane's own choice; the far code is left out where no lane
// of the tile needs it, which is nearly always.
template <std::size_t tile>
[[gnu::always_inline]] inline void steps_of_tile(const double* g, const double* k, const LogisticLanes& l, std::size_t first,
                                                 double* step) {
  // Results stay here until all is read: gcc would not know that lanes do not overlap. Where it would unroll a loop before it makes
  // vectors of it, and then does not, it is told not to.
  double squares[tile], time[tile], x[tile], start[tile], move[tile], taken[tile];
  std::uint64_t far = 0;
#pragma GCC unroll 1
  for (std::size_t i = 0; i < tile; ++i) {
    const double sum = l.squares[first + i] + l.amount[first + i] * (g[i] * g[i]);
    squares[i] = sum < 1e300 ? sum : 1e300;
  }
  for (std::size_t i = 0; i < tile; ++i) {
    time[i] = logistic_time(l.amount[first + i], squares[i], l.product[first + i], l.pace[first + i], l.rows);
    x[i] = time[i] * g[i];
    far |= x[i] > 1.0 ? std::uint64_t{1} : std::uint64_t{0};
  }
  for (std::size_t i = 0; i < tile; ++i) start[i] = near_start(x[i], k[i]);
  for (std::size_t i = 0; i < tile; ++i) move[i] = near_step(start[i], x[i], {g[i], k[i]});
  if (far != 0)
    for (std::size_t i = 0; i < tile; ++i) {
      const double moved = flow_far({g[i], k[i]}, time[i]);
      move[i] = x[i] > 1.0 ? moved : move[i];
    }
#pragma GCC unroll 1
  for (std::size_t i = 0; i < tile; ++i) {
    const double product = l.product[first + i], moved = l.y[first + i] * move[i] / (product > 0.0 ? product : 1.0);
    taken[i] = product > 0.0 ? moved : 0.0;
  }
  for (std::size_t i = 0; i < tile; ++i) l.squares[first + i] = squares[i];
  for (std::size_t i = 0; i < tile; ++i) step[first + i] = taken[i];
}

}  // namespace

STREAMBOOST_CLONES void logistic_powers(const double* __restrict z, double* __restrict power, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) power[i] = power_of_score(z[i]);
}

STREAMBOOST_CLONES void logistic_margins(const double* __restrict z, double* __restrict power, double* __restrict h, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    power[i] = power_of_score(z[i]);
    h[i] = logistic_margin(z[i], power[i]);
  }
}

STREAMBOOST_CLONES void logistic_pair(const double* __restrict z, double* __restrict power, double* __restrict p0, double* __restrict p1,
                                      std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const double e = power[i] = power_of_score(z[i]);
    const double large = 1.0 / (1.0 + e), small = e / (1.0 + e);
    p0[i] = z[i] > 0.0 ? small : large;
    p1[i] = z[i] > 0.0 ? large : small;
  }
}

STREAMBOOST_CLONES void softmax_votes(const double* __restrict z, std::size_t k, std::size_t n, std::int32_t* __restrict vote,
                                      double* __restrict highest) {
  for (std::size_t i = 0; i < n; ++i) {
    highest[i] = z[i];
    vote[i] = 0;
  }
  for (std::size_t c = 1; c < k; ++c)
    for (std::size_t i = 0; i < n; ++i) {
      vote[i] = z[c * n + i] > highest[i] ? static_cast<std::int32_t>(c) : vote[i];
      highest[i] = z[c * n + i] > highest[i] ? z[c * n + i] : highest[i];
    }
}

STREAMBOOST_CLONES void softmax_powers(const double* __restrict z, std::size_t k, std::size_t n, double* __restrict power,
                                       double* __restrict sum) {
  for (std::size_t i = 0; i < n; ++i) sum[i] = z[i];  // the highest, first
  for (std::size_t c = 1; c < k; ++c)
    for (std::size_t i = 0; i < n; ++i) sum[i] = z[c * n + i] > sum[i] ? z[c * n + i] : sum[i];
  for (std::size_t c = 0; c < k; ++c)
    for (std::size_t i = 0; i < n; ++i) power[c * n + i] = exp(z[c * n + i] - sum[i]);
  for (std::size_t i = 0; i < n; ++i) sum[i] = power[i];
  for (std::size_t c = 1; c < k; ++c)
    for (std::size_t i = 0; i < n; ++i) sum[i] += power[c * n + i];
}

// From the left and from the right: taking a power away from the sum of all would leave nothing of the small ones.
STREAMBOOST_CLONES void softmax_others(const double* __restrict power, std::size_t k, std::size_t n, double* __restrict others) {
  over_tiles(n, [&]<std::size_t tile>(std::size_t first) __attribute__((always_inline)) {
    double left[tile], right[tile];
    for (std::size_t i = 0; i < tile; ++i) left[i] = right[i] = 0.0;
    for (std::size_t c = 0; c < k; ++c)
      for (std::size_t i = 0; i < tile; ++i) {
        others[c * n + first + i] = left[i];
        left[i] += power[c * n + first + i];
      }
    for (std::size_t c = k; c-- > 0;)
      for (std::size_t i = 0; i < tile; ++i) {
        others[c * n + first + i] += right[i];
        right[i] += power[c * n + first + i];
      }
  });
}

STREAMBOOST_CLONES void logistic_margin_steps(const double* z, const double* power, const LogisticLanes& lanes, double* step,
                                              std::size_t n) {
  over_tiles(n, [&]<std::size_t tile>(std::size_t first) __attribute__((always_inline)) {
    double g[tile], k[tile];
    for (std::size_t i = 0; i < tile; ++i) {
      const Slopes slopes = slopes_of_power(power[first + i], lanes.y[first + i] * z[first + i] > 0.0);
      g[i] = slopes.g;
      k[i] = slopes.k;
    }
    steps_of_tile<tile>(g, k, lanes, first, step);
  });
}

STREAMBOOST_CLONES void logistic_odds_steps(const double* power, const double* others, const LogisticLanes& lanes, double* step,
                                            std::size_t n) {
  over_tiles(n, [&]<std::size_t tile>(std::size_t first) __attribute__((always_inline)) {
    double g[tile], k[tile];
    for (std::size_t i = 0; i < tile; ++i) {
      const Slopes slopes = slopes_of_odds(lanes.y[first + i], power[first + i], others[first + i]);
      g[i] = slopes.g;
      k[i] = slopes.k;
    }
    steps_of_tile<tile>(g, k, lanes, first, step);
  });
}

}  // namespace streamboost

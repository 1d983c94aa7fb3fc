#include <cstdint>

#include "streamboost/learners/logistic_kernels.hpp"
#include "streamboost/math/flow.hpp"
#include "streamboost/math/levels.hpp"
#include "streamboost/math/math.hpp"

namespace streamboost::STREAMBOOST_LEVEL {
namespace {

// Sixteen lanes at a time, or one that is alone. What is given must be always_inline: a clone that called it would run its code for the
// oldest machine.
template <class F>
[[gnu::always_inline]] inline void over_tiles(std::size_t n, F&& f) {
  if (n == 1) return f.template operator()<1>(0);
  for (std::size_t first = 0; first < n; first += 16) f.template operator()<16>(first);
}

// The far form is dear, and only some lanes of a tile need it: those alone, side by side.
template <std::size_t tile>
[[gnu::always_inline]] inline void far_moves(const double* g, const double* k, const double* pull, const double* drag, double* move) {
  constexpr std::size_t group = tile < 4 ? 1 : 4;
  double far_g[tile], far_k[tile], far_pull[tile], far_drag[tile], moved[tile];
  std::size_t lane[tile], count = 0;
  for (std::size_t i = 0; i < tile; ++i) {
    far_g[count] = g[i];
    far_k[count] = k[i];
    far_pull[count] = pull[i];
    far_drag[count] = drag[i];
    lane[count] = i;
    count += pull[i] > drag[i] ? 1 : 0;
  }
  for (std::size_t begin = 0; begin < count; begin += group) {
    for (std::size_t i = count; i < begin + group; ++i) {  // the last group is filled up
      far_g[i] = far_g[0];
      far_k[i] = far_k[0];
      far_pull[i] = far_pull[0];
      far_drag[i] = far_drag[0];
    }
    for (std::size_t i = begin; i < begin + group; ++i) moved[i] = flow_far({far_g[i], far_k[i]}, far_pull[i], far_drag[i]);
  }
  for (std::size_t i = 0; i < count; ++i) move[lane[i]] = moved[i];
}

// 1 / Q; 0 where there is nothing to learn from, or so little that this would overflow.
[[gnu::always_inline]] inline double one_over(double product) {
  const double inverse = 1.0 / (product > 1e-300 ? product : 1.0);
  return product > 1e-300 ? inverse : 0.0;
}

// The steps of a tile of lanes whose slopes are given. Near or far is each lane's own choice; nearly always no lane of a tile is far.
template <std::size_t tile, bool alike>
[[gnu::always_inline]] inline void steps_of_tile(const double* g, const double* k, const LogisticLanes& l, std::size_t first,
                                                 double* step) {
  // Results stay here until all is read: gcc would not know that lanes do not overlap. Where it would unroll a loop before it makes
  // vectors of it, and then does not, it is told not to.
  double squares[tile], drag[tile], pull[tile], start[tile], move[tile], taken[tile], trained[tile];
  const double *y = l.y + (alike ? 0 : first), *product = l.product + (alike ? 0 : first);
  const double *amount = l.amount + first, *pace = l.pace + first;
  const double common = *y * one_over(*product);
  std::uint64_t far = 0;
#pragma GCC unroll 1
  for (std::size_t i = 0; i < tile; ++i) {
    const double sum = l.squares[first + i] + amount[i] * (g[i] * g[i]), before = l.trained[first + i];
    squares[i] = sum < 1e300 ? sum : 1e300;
    trained[i] = amount[i] > 0.0 ? 1.0 : before;
  }
  for (std::size_t i = 0; i < tile; ++i) {
    drag[i] = logistic_drag(squares[i], l.per_row);
    pull[i] = amount[i] * pace[i] * product[alike ? 0 : i] * g[i];
    far |= pull[i] > drag[i] ? std::uint64_t{1} : std::uint64_t{0};
  }
  for (std::size_t i = 0; i < tile; ++i) start[i] = near_start(pull[i], drag[i], k[i]);
  for (std::size_t i = 0; i < tile; ++i) move[i] = near_step(start[i], pull[i], drag[i], {g[i], k[i]});
  if (far != 0) far_moves<tile>(g, k, pull, drag, move);
#pragma GCC unroll 1
  for (std::size_t i = 0; i < tile; ++i) {
    if constexpr (alike)
      taken[i] = move[i] * common;
    else
      taken[i] = move[i] * (y[i] * one_over(product[i]));
  }
  for (std::size_t i = 0; i < tile; ++i) l.squares[first + i] = squares[i];
  for (std::size_t i = 0; i < tile; ++i) l.trained[first + i] = trained[i];
  for (std::size_t i = 0; i < tile; ++i) step[first + i] = taken[i];
}

// known: power and large were made when the lanes were asked.
template <std::size_t tile, bool alike, bool known>
[[gnu::always_inline]] inline void margin_steps_of_tile(const double* z, const double* power, const double* large, const LogisticLanes& l,
                                                        std::size_t first, double* step) {
  double e[tile], p[tile], g[tile], k[tile];
  for (std::size_t i = 0; i < tile; ++i) e[i] = known ? power[first + i] : power_of_score(z[first + i]);
  for (std::size_t i = 0; i < tile; ++i) p[i] = known ? large[first + i] : 1.0 / (1.0 + e[i]);
  for (std::size_t i = 0; i < tile; ++i) {
    const Slopes slopes = slopes_of_power(e[i], p[i], l.y[alike ? 0 : first + i] * z[first + i] > 0.0);
    g[i] = slopes.g;
    k[i] = slopes.k;
  }
  steps_of_tile<tile, alike>(g, k, l, first, step);
}

template <bool alike>
[[gnu::always_inline]] inline void margin_steps(const double* z, const double* power, const double* large, const LogisticLanes& l,
                                                double* step, std::size_t n) {
  if (power != nullptr)
    over_tiles(n, [&]<std::size_t tile>(std::size_t first)
                      __attribute__((always_inline)) { margin_steps_of_tile<tile, alike, true>(z, power, large, l, first, step); });
  else
    over_tiles(n, [&]<std::size_t tile>(std::size_t first)
                      __attribute__((always_inline)) { margin_steps_of_tile<tile, alike, false>(z, power, large, l, first, step); });
}

template <bool alike>
[[gnu::always_inline]] inline void odds_steps(const double* power, const double* others, const LogisticLanes& l, double* step,
                                              std::size_t n) {
  over_tiles(n, [&]<std::size_t tile>(std::size_t first) __attribute__((always_inline)) {
    double g[tile], k[tile];
    for (std::size_t i = 0; i < tile; ++i) {
      const Slopes slopes = slopes_of_odds(l.y[alike ? 0 : first + i], power[first + i], others[first + i]);
      g[i] = slopes.g;
      k[i] = slopes.k;
    }
    steps_of_tile<tile, alike>(g, k, l, first, step);
  });
}

}  // namespace

void logistic_margins(const double* __restrict z, double* __restrict power, double* __restrict large, double* __restrict h, std::size_t n) {
  // The divisions of a tile apart from what leads to them: they would wait for it one by one.
  over_tiles(n, [&]<std::size_t tile>(std::size_t first) __attribute__((always_inline)) {
    for (std::size_t i = first; i < first + tile; ++i) power[i] = power_of_score(z[i]);
    for (std::size_t i = first; i < first + tile; ++i) {
      large[i] = 1.0 / (1.0 + power[i]);
      h[i] = logistic_margin(z[i], power[i]);
    }
  });
}

void logistic_pair(const double* __restrict z, double* __restrict power, double* __restrict large, double* __restrict p0,
                   double* __restrict p1, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const double e = power[i] = power_of_score(z[i]), most = large[i] = 1.0 / (1.0 + e), least = e / (1.0 + e);
    p0[i] = z[i] > 0.0 ? least : most;
    p1[i] = z[i] > 0.0 ? most : least;
  }
}

void softmax_votes(const double* __restrict z, std::size_t k, std::size_t n, std::int32_t* __restrict vote, double* __restrict highest) {
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

void softmax_powers(const double* __restrict z, std::size_t k, std::size_t n, double* __restrict power, double* __restrict sum) {
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
void softmax_others(const double* __restrict power, std::size_t k, std::size_t n, double* __restrict others) {
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

void logistic_margin_steps(const double* z, const double* power, const double* large, const LogisticLanes& lanes, double* step,
                           std::size_t n) {
  if (lanes.alike)
    margin_steps<true>(z, power, large, lanes, step, n);
  else
    margin_steps<false>(z, power, large, lanes, step, n);
}

void logistic_odds_steps(const double* power, const double* others, const LogisticLanes& lanes, double* step, std::size_t n) {
  if (lanes.alike)
    odds_steps<true>(power, others, lanes, step, n);
  else
    odds_steps<false>(power, others, lanes, step, n);
}

}  // namespace streamboost::STREAMBOOST_LEVEL

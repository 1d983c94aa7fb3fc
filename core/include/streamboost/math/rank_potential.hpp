// The potential of a ranking loss: what a pair of labels is expected to lose when n more votes come.
//
// Paper     Jung, Tewari: Online boosting algorithms for multi-label ranking (AISTATS 2018).
//
//   A set Y of m labels out of k. A vote falls on each label with (1 - edge m) / k, and on each label of Y with `edge` more. Of a pair
//   (l in Y, r not in Y) with the gap a = s_l - s_r the gap walks by +1, -1 or 0; with W_n that walk after n votes
//     rank    f_n(a) = P(a + W_n < 0) + P(a + W_n = 0) / 2
//     hinge   f_n(a) = E max(0, 1 - a - W_n), which is never below the rank loss
//   and phi_n^Y(s) = w_Y sum over pairs of f_n(s_l - s_r),  w_Y = 1 / (m (k - m)).  Both losses are sums over pairs, so this is exact.
//
// Departures  gaps are real numbers, learners giving distributions; large sets need a smaller edge, which is kept below 0.9 / m.
// Cost        k n_votes^2 numbers once; then one look-up per pair.
#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "streamboost/data/lanes.hpp"

namespace streamboost {

enum class RankLoss { rank, hinge };

class RankPotential {
 public:
  RankPotential(int n_labels, int n_votes, double edge, RankLoss loss) : k_(n_labels), n_(n_votes), loss_(loss) {
    width_ = static_cast<std::size_t>(2 * n_ + 2);
    const std::size_t cells = static_cast<std::size_t>(k_ - 1) * static_cast<std::size_t>(n_ + 1) * width_;
    below_.assign(cells, 0.0);
    moment_.assign(cells, 0.0);
    std::vector<double> chance(width_), next(width_);
    for (int m = 1; m < k_; ++m) {
      const double own = std::min(edge, 0.9 / m), down = (1 - own * m) / k_, up = down + own, stay = 1 - up - down;
      std::fill(chance.begin(), chance.end(), 0.0);
      chance[static_cast<std::size_t>(n_)] = 1;
      for (int n = 0; n <= n_; ++n) {
        double sum = 0, moment = 0;
        for (int x = -n_; x <= n_ + 1; ++x) {  // entry x: of all steps below x
          const auto at = static_cast<std::size_t>(x + n_);
          below_[place(m, n) + at] = sum;
          moment_[place(m, n) + at] = moment;
          sum += chance[at];
          moment += x * chance[at];
        }
        std::fill(next.begin(), next.end(), 0.0);
        for (int x = -n; x <= n && n < n_; ++x) {
          const auto at = static_cast<std::size_t>(x + n_);
          next[at + 1] += up * chance[at];
          next[at - 1] += down * chance[at];
          next[at] += stay * chance[at];
        }
        chance.swap(next);
      }
    }
  }

  // f_n(gap) for sets of m labels.
  double pair(int m, int n, double gap) const {
    // The walk must stay below it to lose. The rank loss jumps at whole gaps: what rounding has left of one is one.
    const double whole = std::nearbyint(gap), edge = loss_ == RankLoss::hinge ? 1 - gap : -(std::fabs(gap - whole) < 1e-9 ? whole : gap);
    const double least = std::ceil(edge);  // the first step that is not below
    const std::size_t row = place(m, n), at = column(least);
    if (loss_ == RankLoss::hinge) return edge * below_[row + at] - moment_[row + at];
    const double tied = least == edge ? below_[row + column(edge + 1)] - below_[row + at] : 0.0;
    return below_[row + at] + 0.5 * tied;
  }
  std::size_t bytes() const { return (below_.capacity() + moment_.capacity()) * sizeof(double); }

 private:
  std::size_t place(int m, int n) const {
    return (static_cast<std::size_t>(m - 1) * static_cast<std::size_t>(n_ + 1) + static_cast<std::size_t>(n)) * width_;
  }
  std::size_t column(double x) const { return static_cast<std::size_t>(std::clamp(x, -1.0 * n_, n_ + 1.0) + n_); }

  int k_, n_;
  RankLoss loss_;
  std::size_t width_;
  AlignedVector<double> below_, moment_;  // [m - 1][n][x + n_votes]: P(W_n < x), and the sum of the steps below x by their chance
};

}  // namespace streamboost

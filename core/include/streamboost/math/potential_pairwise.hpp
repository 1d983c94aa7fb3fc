// The pairwise potential: psi_n^r(s) = sum over l != r of P(rival l ties or beats r).
//
// Each rival's lead moves by +1 with probability q, by -1 with p, else stays: with d_n the distribution of that walk after n votes,
//   psi_n^r(s) = sum_l P(walk >= a_l)          C[r, l] - C[r, r] = d_n(a_l - 1) + sum_{j != r} d_n(a_j)
//   w_r = sum_l [ d_n(a_l - 1) + (k - 1) d_n(a_l) ]          at most (k - 1)^2
// It obeys the recursion with equality and starts from the number of labels not beaten, which is at least the 0-1 loss: the
// theorem of the paper holds for it as it stands. With two labels it is the 0-1 potential, and w_r the binomial weight of BBM.
//
// Cost        O(n_votes^2) numbers once; then one look-up per rival.
#pragma once
#include <algorithm>

#include "streamboost/data/lanes.hpp"
#include "streamboost/math/potential.hpp"

namespace streamboost {

class PairwisePotential final : public Potential {
 public:
  PairwisePotential(int n_classes, int n_votes, double edge) : Potential(n_classes, n_votes, edge) {
    if (n_votes > most_votes) throw std::invalid_argument("too many learners for the tables of a potential");
    reach_ = n_votes + 2;
    width_ = static_cast<std::size_t>(2 * reach_ + 1);
    const auto rows = static_cast<std::size_t>(n_votes) + 1;
    chance_.assign(rows * width_, 0.0);
    tail_.assign(rows * width_, 0.0);
    pull_.assign(rows * width_, 0.0);
    chance_[at(0, 0)] = 1;
    const double stay = k_ == 2 ? 0.0 : 1 - p_ - q_;
    for (int n = 1; n <= n_votes; ++n)
      for (int x = -n; x <= n; ++x)
        chance_[at(n, x)] = q_ * chance_[at(n - 1, x - 1)] + stay * chance_[at(n - 1, x)] + p_ * chance_[at(n - 1, x + 1)];
    for (int n = 0; n <= n_votes; ++n) {
      double tail = 0;
      for (int x = reach_; x >= -reach_; --x) {
        tail += chance_[at(n, x)];
        tail_[at(n, x)] = x <= -n ? 1.0 : tail;
        pull_[at(n, x)] = (x > -reach_ ? chance_[at(n, x - 1)] : 0.0) + (k_ - 1) * chance_[at(n, x)];
      }
    }
  }

  double phi(int n, const std::int32_t* votes, int r) const override { return over_rivals(tail_, n, votes, r); }
  double weight(int n, const std::int32_t* votes, int r) const override { return over_rivals(pull_, n, votes, r); }
  double excess(int n, const std::int32_t* votes, int r, int l) const override {
    return l == r ? 0.0 : over_rivals(chance_, n, votes, r) + chance_[at(n, clip(votes[r] - votes[l] - 1))];
  }
  void row(int n, const std::int32_t* votes, int r, double* excess) const override {
    const double common = over_rivals(chance_, n, votes, r);
    for (int l = 0; l < k_; ++l) excess[l] = common + chance_[at(n, clip(votes[r] - votes[l] - 1))];
    excess[r] = 0;
  }
  bool ends_early() const override { return k_ == 2; }
  double weight_limit() const override { return static_cast<double>(k_ - 1) * (k_ - 1); }

  std::size_t bytes() const override { return (chance_.capacity() + tail_.capacity() + pull_.capacity()) * sizeof(double); }

  static constexpr int most_votes = 20000;

 private:
  std::size_t at(int n, int x) const { return static_cast<std::size_t>(n) * width_ + static_cast<std::size_t>(x + reach_); }
  int clip(int gap) const { return std::clamp(gap, -reach_, reach_); }
  double over_rivals(const AlignedVector<double>& table, int n, const std::int32_t* votes, int r) const {
    const double* row = table.data() + at(n, 0);
    double sum = 0;
    for (int l = 0; l < r; ++l) sum += row[clip(votes[r] - votes[l])];
    for (int l = r + 1; l < k_; ++l) sum += row[clip(votes[r] - votes[l])];
    return sum;
  }

  int reach_;
  std::size_t width_;
  AlignedVector<double> chance_, tail_, pull_;  // [n][gap]: P(walk = gap), P(walk >= gap), a rival's share of the weight
};

}  // namespace streamboost

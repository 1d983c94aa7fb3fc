// Quantiles of numbers in [0, 1] that fade by 0.999 a row.
//
// A histogram of 1,024 intervals, as a Fenwick tree of weights that grow by 1 / 0.999 a row and are scaled down now and then: adding a
// number and finding a quantile take ten steps each.
#pragma once
#include <algorithm>

#include "streamboost/data/fields.hpp"

namespace streamboost {

class FadingQuantile {
 public:
  static constexpr std::size_t n_bins = 1024;
  static constexpr double fading = 0.999;

  bool empty() const { return !(tree_[n_bins] > 0); }

  // How many intervals hold the lowest `share` of all: 1 to n_bins.
  std::size_t upto(double share) const {
    double wanted = share * tree_[n_bins];
    std::size_t at = 0;
    for (std::size_t step = n_bins / 2; step > 0; step /= 2)  // the last interval before which there is less than wanted
      if (tree_[at + step] < wanted) {
        at += step;
        wanted -= tree_[at];
      }
    return at + 1;
  }

  void add(double x) {
    const auto bin = std::min(static_cast<std::size_t>(std::clamp(x, 0.0, 1.0) * n_bins), n_bins - 1);
    for (std::size_t at = bin + 1; at <= n_bins; at += at & (~at + 1)) tree_[at] += unit_[0];
    unit_[0] /= fading;
    if (unit_[0] < largest) return;
    for (double& weight : tree_) weight /= largest;
    unit_[0] /= largest;
  }

  void fields(FieldVisitor& v) {
    v("tree", tree_);
    v("unit", unit_);
  }
  void check() const {
    require(tree_.size() == n_bins + 1 && unit_.size() == 1, "quantiles of the past");
    for (double x : tree_) require(x >= 0, "quantiles of the past");
    require(unit_[0] >= 1e-9 && unit_[0] <= largest * 2, "weight of a row among the past");
  }

 private:
  static constexpr double largest = 1e6;
  AlignedVector<double> tree_ = AlignedVector<double>(n_bins + 1);  // from 1
  AlignedVector<double> unit_{1.0};                                 // the weight of the next row
};

}  // namespace streamboost

// Sets with a promise: adaptive conformal inference.
//
// Paper     Gibbs, Candes: Adaptive conformal inference under distribution shift (2021).
//
//   paper      here       meaning
//   S_t        1 - p(y)   how strange the true label was, by the probabilities answered before its row was learned
//   Q(1 - a)   quantile   of the strangeness so far, fading by 0.999 a row: a histogram of 1,024 intervals; a quantile is an upper edge
//   alpha_t    alpha_     one for each coverage; starts at 1 - coverage and is never clipped: <= 0 gives all known classes, >= 1 none
//   gamma      eta        0.01
//
//   set_t = {c : 1 - p(c) <= Q_t(1 - alpha_t)}        alpha_{t+1} = alpha_t + eta (alpha - [y not in set_t])
//
// so on any stream |mean coverage - target| <= (max(alpha_1, 1 - alpha_1) + eta) / (eta T). A label that was not known at its row is counted
// apart and moves nothing; every other learned row counts once, whatever its weight.
// The histogram is a Fenwick tree of weights that grow by 1 / 0.999 a row and are scaled down now and then: adding a row and finding
// a quantile take ten steps each.
#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include "streamboost/run/bound_sums.hpp"
#include "streamboost/run/config.hpp"
#include "streamboost/run/fields.hpp"

namespace streamboost {

class ConformalSets {
 public:
  explicit ConformalSets(const std::vector<double>& coverages)
      : target_(coverages), tree_(n_bins + 1), sums_(2 + 3 * coverages.size()), unit_{1.0} {
    for (double coverage : coverages) alpha_.push_back(1 - coverage);
  }

  std::size_t n() const { return target_.size(); }

  // The largest strangeness that is let in; negative: nothing is.
  double limit(std::size_t which) const {
    const double alpha = alpha_[which];
    if (alpha <= 0) return 2;
    if (alpha >= 1) return -1;
    const double total = tree_total();
    if (!(total > 0)) return 2;
    double wanted = (1 - alpha) * total;
    std::size_t at = 0;
    for (std::size_t step = n_bins / 2; step > 0; step /= 2)  // the last interval before which there is less than wanted
      if (tree_[at + step] < wanted) {
        at += step;
        wanted -= tree_[at];
      }
    return static_cast<double>(at + 1) / n_bins;
  }
  static bool holds(double p, double limit) { return 1 - p <= limit; }

  void learn(const double* p, int known, int label) {
    if (label >= known) {
      sums_[1] += 1;
      return;
    }
    sums_[0] += 1;
    for (std::size_t i = 0; i < n(); ++i) {
      const double most = limit(i);
      double size = 0;
      for (int c = 0; c < known; ++c) size += holds(p[c], most) ? 1 : 0;
      const bool covered = holds(p[label], most);
      sums_[2 + 3 * i] += covered ? 1 : 0;
      sums_[3 + 3 * i] += size;
      sums_[4 + 3 * i] += size == 1 ? 1 : 0;
      alpha_[i] += eta * ((1 - target_[i]) - (covered ? 0.0 : 1.0));
    }
    const double strange = std::clamp(1 - p[label], 0.0, 1.0);
    for (std::size_t at = std::min(static_cast<std::size_t>(strange * n_bins), n_bins - 1) + 1; at <= n_bins; at += at & (~at + 1))
      tree_[at] += unit_[0];
    unit_[0] /= fading;
    if (unit_[0] < largest) return;
    for (double& x : tree_) x /= largest;
    unit_[0] /= largest;
  }

  void write_report(ModelReport& report) const {
    report.totals["set_rows"] = sums_[0];
    report.totals["set_unknown_labels"] = sums_[1];
    for (std::size_t i = 0; i < n() && sums_[0] > 0; ++i) {
      const std::string name = std::to_string(target_[i]).substr(0, 4);
      report.totals["coverage/" + name] = sums_[2 + 3 * i] / sums_[0];
      report.totals["set_size/" + name] = sums_[3 + 3 * i] / sums_[0];
      report.totals["singletons/" + name] = sums_[4 + 3 * i] / sums_[0];
    }
  }

  void fields(FieldVisitor& v) {
    v("alpha", alpha_);
    v("tree", tree_);
    v("unit", unit_);
    v("sums", sums_);
  }
  void check() const {
    for (double x : tree_) require(x >= 0, "strangeness of the past");
    require(unit_[0] >= 1e-9 && unit_[0] <= largest * 2, "weight of a row among sets");
    for (double x : sums_) require(x >= 0 && x <= 9007199254740992.0, "counts of sets");
    for (double a : alpha_) require(a > -2 && a < 3, "alpha of a set");
  }

 private:
  static constexpr std::size_t n_bins = 1024;
  static constexpr double eta = 0.01, fading = 0.999, largest = 1e6;

  double tree_total() const { return tree_[n_bins]; }

  std::vector<double> target_;
  AlignedVector<double> alpha_, tree_;  // [coverage]; a Fenwick tree over the intervals, from 1
  AlignedVector<double> sums_;          // rows, unknown labels; then covered, sizes and singletons for each coverage
  AlignedVector<double> unit_;          // the weight of the next row
};

}  // namespace streamboost

// Sets with a promise: adaptive conformal inference.
//
// Paper     Gibbs, Candes: Adaptive conformal inference under distribution shift (2021).
//
//   paper      here       meaning
//   S_t        1 - p(y)   how strange the true label was, by the probabilities answered before its row was learned
//   Q(1 - a)   past_      of the strangeness so far (fading_quantile.hpp); a quantile is the upper edge of an interval
//   alpha_t    alpha_     one for each coverage; starts at 1 - coverage and is never clipped: <= 0 gives all known classes, >= 1 none
//   gamma      eta        0.01
//
//   set_t = {c : 1 - p(c) <= Q_t(1 - alpha_t)}        alpha_{t+1} = alpha_t + eta (alpha - [y not in set_t])
//
// so on any stream |mean coverage - target| <= (max(alpha_1, 1 - alpha_1) + eta) / (eta T). A label that was not known at its row is counted
// apart and moves nothing; every other learned row counts once, whatever its weight.
#pragma once
#include <string>
#include <vector>

#include "streamboost/data/bound_sums.hpp"
#include "streamboost/data/fields.hpp"
#include "streamboost/stages/fading_quantile.hpp"

namespace streamboost {

class ConformalSets {
 public:
  explicit ConformalSets(const std::vector<double>& coverages) : target_(coverages), sums_(2 + 3 * coverages.size()) {
    for (double coverage : coverages) alpha_.push_back(1 - coverage);
  }

  std::size_t n() const { return target_.size(); }

  // The largest strangeness that is let in; negative: nothing is.
  double limit(std::size_t which) const {
    const double alpha = alpha_[which];
    if (alpha <= 0) return 2;
    if (alpha >= 1) return -1;
    if (past_.empty()) return 2;
    return static_cast<double>(past_.upto(1 - alpha)) / FadingQuantile::n_bins;
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
    past_.add(1 - p[label]);
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
    past_.fields(v);
    v("sums", sums_);
  }
  void check() const {
    past_.check();
    for (double x : sums_) require(x >= 0 && x <= 9007199254740992.0, "counts of sets");
    for (double a : alpha_) require(a > -2 && a < 3, "alpha of a set");
  }

 private:
  static constexpr double eta = 0.01;

  std::vector<double> target_;
  FadingQuantile past_;
  AlignedVector<double> alpha_;  // [coverage]
  AlignedVector<double> sums_;   // rows, unknown labels; then covered, sizes and singletons for each coverage
};

}  // namespace streamboost

// Intervals with a promise: adaptive conformal inference for numbers, the rule of conformal.hpp.
//
// Paper     Gibbs, Candes: Adaptive conformal inference under distribution shift (2021).
//
//   paper      here       meaning
//   S_t        |y - a| / m   how far the answer a of before its row was learned was off, in units of what is usual
//   m          usual      mean of |y - a| so far, fading by 0.999 a row
//   Q(1 - a)   past_      of S so far (fading_quantile.hpp) in [0, 32]; beyond that the interval is infinite
//   alpha_t    alpha_     one for each coverage; starts at 1 - coverage and is never clipped: <= 0 gives all numbers, >= 1 none
//   gamma      eta        0.01
//
//   interval_t = a +- m Q_t(1 - alpha_t)        alpha_{t+1} = alpha_t + eta (alpha - [y not in interval_t])
//
// so on any stream |mean coverage - target| <= (max(alpha_1, 1 - alpha_1) + eta) / (eta T). Rows before the first answer move nothing;
// every other learned row counts once, whatever its weight.
#pragma once
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "streamboost/data/bound_sums.hpp"
#include "streamboost/stages/fading_quantile.hpp"

namespace streamboost {

class ConformalIntervals {
 public:
  explicit ConformalIntervals(const std::vector<double>& coverages) : target_(coverages), sums_(1 + 2 * coverages.size()), off_(2) {
    for (double coverage : coverages) alpha_.push_back(1 - coverage);
  }

  std::size_t n() const { return target_.size(); }

  // How far an interval reaches to both sides; infinity: all numbers are in it; negative: none is.
  double reach(std::size_t which) const {
    const double alpha = alpha_[which];
    if (alpha >= 1) return -1;
    if (alpha <= 0 || past_.empty()) return std::numeric_limits<double>::infinity();
    const std::size_t end = past_.upto(1 - alpha);
    if (end == FadingQuantile::n_bins) return std::numeric_limits<double>::infinity();
    return usual() * (widest * static_cast<double>(end) / static_cast<double>(FadingQuantile::n_bins));
  }

  void learn(double answer, double y) {
    if (!std::isfinite(answer)) return;
    const double off = std::fabs(y - answer);
    sums_[0] += 1;
    for (std::size_t i = 0; i < n(); ++i) {
      const double far = reach(i);
      const bool covered = off <= far;
      sums_[1 + 2 * i] += covered ? 1 : 0;
      sums_[2 + 2 * i] += std::isfinite(far) ? 1 : 0;
      alpha_[i] += eta * ((1 - target_[i]) - (covered ? 0.0 : 1.0));
    }
    const double scale = widest * usual();
    if (off_[1] > 0) past_.add(scale > 0 ? off / scale : off > 0 ? 1.0 : 0.0);  // the first row gives the unit
    off_[0] = FadingQuantile::fading * off_[0] + off;
    off_[1] = FadingQuantile::fading * off_[1] + 1;
  }

  void write_report(ModelReport& report) const {
    report.totals["interval_rows"] = sums_[0];
    for (std::size_t i = 0; i < n() && sums_[0] > 0; ++i) {
      const std::string name = std::to_string(target_[i]).substr(0, 4);
      report.totals["coverage/" + name] = sums_[1 + 2 * i] / sums_[0];
      report.totals["finite_intervals/" + name] = sums_[2 + 2 * i] / sums_[0];
    }
  }

  void fields(FieldVisitor& v) {
    v("alpha", alpha_);
    past_.fields(v);
    v("sums", sums_);
    v("off", off_);
  }
  void check() const {
    past_.check();
    require(alpha_.size() == n() && sums_.size() == 1 + 2 * n() && off_.size() == 2, "sizes of the intervals");
    for (double x : sums_) require(x >= 0 && x <= 9007199254740992.0, "counts of intervals");
    for (double a : alpha_) require(a > -2 && a < 3, "alpha of an interval");
    require(off_[0] >= 0 && std::isfinite(off_[0]) && off_[1] >= 0 && off_[1] <= 1001, "usual error");
  }

 private:
  static constexpr double eta = 0.01, widest = 32;

  double usual() const { return off_[1] > 0 ? off_[0] / off_[1] : 0.0; }

  std::vector<double> target_;
  FadingQuantile past_;
  AlignedVector<double> alpha_;  // [coverage]
  AlignedVector<double> sums_;   // rows; then covered and finite ones for each coverage
  AlignedVector<double> off_;    // faded sums of |y - a| and of 1
};

}  // namespace streamboost

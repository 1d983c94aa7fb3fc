// How well probabilities have held so far: the frequencies beside them, the logarithmic loss and the Brier score.
//
// Two classes: of the class with code 1. More: of the answered class. Twenty equal intervals of the probability keep the weight of the
// rows, the sum of the probabilities and the weight of the rows in which the class was true; old rows fade like everything else here.
#pragma once
#include <algorithm>

#include "streamboost/data/bound_sums.hpp"
#include "streamboost/data/fields.hpp"
#include "streamboost/math/math.hpp"

namespace streamboost {

class Reliability {
 public:
  static constexpr std::size_t n_bins = 20;
  static constexpr double least = 1e-6;  // probabilities below are counted as this in the logarithmic loss

  void add(const double* p, int known, int label, double weight, double keep) {
    for (double& x : bins_) x *= keep;
    for (double& x : sums_) x *= keep;
    int event = 1;
    if (known > 2) event = static_cast<int>(std::max_element(p, p + known) - p);
    const double chance = std::clamp(p[event], 0.0, 1.0);
    double* bin = bins_.data() + 3 * std::min(static_cast<std::size_t>(chance * n_bins), n_bins - 1);
    bin[0] += weight;
    bin[1] += weight * chance;
    if (label == event) bin[2] += weight;
    double squares = 0;
    for (int c = 0; c < known; ++c) {
      const double gap = p[c] - (c == label ? 1.0 : 0.0);
      squares += gap * gap;
    }
    sums_[0] += weight;
    sums_[1] -= weight * log(std::clamp(p[label], least, 1.0));
    sums_[2] += weight * squares;
  }

  double weight() const { return sums_[0]; }
  double log_loss() const { return sums_[1] / sums_[0]; }
  double brier() const { return sums_[2] / sums_[0]; }
  // Mean distance of probability and frequency over the intervals.
  double error() const {
    double gaps = 0;
    for (std::size_t b = 0; b < n_bins; ++b) {
      const double gap = bins_[3 * b + 2] - bins_[3 * b + 1];
      gaps += gap < 0 ? -gap : gap;
    }
    return gaps / sums_[0];
  }
  void write_report(ModelReport& report, const std::string& prefix) const {
    if (!(sums_[0] > 0)) return;
    report.totals[prefix + "log_loss"] = log_loss();
    report.totals[prefix + "brier"] = brier();
    report.totals[prefix + "calibration_error"] = error();
  }

  void fields(FieldVisitor& v, const char* bins, const char* sums) {
    v(bins, bins_);
    v(sums, sums_);
  }
  void check() const {
    for (std::size_t b = 0; b < n_bins; ++b) {
      const double* bin = bins_.data() + 3 * b;
      const double most = bin[0] * (1 + 1e-9);
      require(bin[0] >= 0 && bin[1] >= 0 && bin[2] >= 0 && bin[1] <= most && bin[2] <= most, "bins of probabilities");
    }
    for (double x : sums_) require(x >= 0, "sums of losses");
  }

 private:
  AlignedVector<double> bins_ = AlignedVector<double>(3 * n_bins);  // weight, probability, true: for each interval
  AlignedVector<double> sums_ = AlignedVector<double>(3);           // weight, logarithmic loss, Brier score
};

}  // namespace streamboost

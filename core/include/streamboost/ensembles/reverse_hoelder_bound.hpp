// Theorem 3 of Bai, Lam, Sclaroff (2014) along a stream, for report(). It needs no assumption and no fixed weights:
//
//   A_t = sum_i l_i g_i(x_t, y_t),  B_t = sum_i l_i g_i(x_t, -y_t)  with any weights l of round t; an error has A_t >= B_t. So
//   sum_t A_t >= sum_errors B_t >= errors^p (sum_t B_t^(-1/(p-1)))^(1-p)      (reverse Hoelder inequality), for every p > 1:
//   errors <= (sum_t A_t)^(1/p) (sum_t B_t^(-1/(p-1)))^((p-1)/p)
//
// Ties count as errors; sums are weighted by the sample weights. The powers overflow: each sum is kept as exp(top) * scaled.
#pragma once
#include <algorithm>
#include <array>

#include "streamboost/data/bound_sums.hpp"
#include "streamboost/math/math.hpp"

namespace streamboost {

class HolderMonitor {
 public:
  bool bounded;  // false: errors are counted, but the vote is not of the form the theorem speaks of

  HolderMonitor(bool monitor, bool of_its_form) : bounded(of_its_form), watch_(monitor) {}
  bool on() const { return watch_.on; }

  // gap = B - A of one round
  void observe(std::int64_t number, double a, double gap, double weight) {
    watch_.add(Sum::weight, weight);
    watch_.add(Sum::mistakes, gap > 0 ? 0.0 : weight);
    if (bounded) {
      watch_.add(Sum::losses, weight * a);
      raise(streamboost::log(std::max(a + gap, 1e-300)), weight);
    }
    if (watch_.due(number)) watch_.note(number, watch_[Sum::mistakes], bounded ? limit().second : watch_[Sum::weight]);
  }

  void write_report(ModelReport& report) const {
    watch_.write_report(report, {{Sum::weight, "weight"}, {Sum::mistakes, "mistakes"}}, bounded);
    if (!on() || !bounded || !(watch_[Sum::weight] > 0)) return;
    const auto [p, least] = limit();
    report.totals["error_limit"] = least;
    report.totals["error_limit_p"] = p;
  }
  void fields(FieldVisitor& v) {
    if (!on()) return;
    watch_.fields(v);
    v("power_top", top_);
    v("power_scaled", scaled_);
  }
  void check() const {
    watch_.check();
    for (double x : scaled_) require(x >= 0, "powers of the error bound");
  }

 private:
  enum class Sum { weight, mistakes, losses, count };
  static constexpr std::array<double, 4> powers{1.1, 2, 5, 50};

  void raise(double log_b, double weight) {
    std::array<double, 2 * powers.size()> shift{};
    for (std::size_t k = 0; k < powers.size(); ++k) {
      const double power = -log_b / (powers[k] - 1), highest = std::max(top_[k], power);
      shift[k] = top_[k] - highest;
      shift[k + powers.size()] = power - highest;
      top_[k] = highest;
    }
    exp_lanes(shift.data(), shift.data(), shift.size());
    for (std::size_t k = 0; k < powers.size(); ++k) scaled_[k] = scaled_[k] * shift[k] + weight * shift[k + powers.size()];
  }

  // The p with the smallest right side, and that side; no larger than 1e300, so that it stays a number.
  std::pair<double, double> limit() const {
    std::pair<double, double> best{powers[0], 1e300};
    for (std::size_t k = 0; k < powers.size(); ++k) {
      const double log_sum = top_[k] + streamboost::log(scaled_[k]);
      const double side = streamboost::exp((streamboost::log(watch_[Sum::losses]) + (powers[k] - 1) * log_sum) / powers[k]);
      if (side < best.second) best = {powers[k], side};
    }
    return best;
  }

  BoundSums<Sum> watch_;
  AlignedVector<double> top_{-1e300, -1e300, -1e300, -1e300};  // nothing yet
  AlignedVector<double> scaled_{0, 0, 0, 0};
};

}  // namespace streamboost

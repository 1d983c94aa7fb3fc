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

#include "streamboost/fields.hpp"
#include "streamboost/math.hpp"

namespace streamboost {

struct HolderMonitor {
  static constexpr std::array<double, 4> p{1.1, 2, 5, 50};
  bool on = true;
  AlignedVector<double> sums{0, 0};                           // errors, A
  AlignedVector<double> top{-1e300, -1e300, -1e300, -1e300};  // nothing yet
  AlignedVector<double> scaled{0, 0, 0, 0};

  // gap = B - A of one round
  void observe(double a, double gap, double weight) {
    sums[0] += gap > 0 ? 0.0 : weight;
    sums[1] += weight * a;
    const double log_b = streamboost::log(std::max(a + gap, 1e-300));
    std::array<double, 8> shift{};
    for (std::size_t k = 0; k < p.size(); ++k) {
      const double power = -log_b / (p[k] - 1), highest = std::max(top[k], power);
      shift[k] = top[k] - highest;
      shift[k + 4] = power - highest;
      top[k] = highest;
    }
    exp_lanes(shift.data(), shift.data(), shift.size());
    for (std::size_t k = 0; k < p.size(); ++k) scaled[k] = scaled[k] * shift[k] + weight * shift[k + 4];
  }

  template <class Report>
  void tell(Report& report) const {
    if (!on || !(scaled[0] > 0)) return;
    report.totals["rule_errors"] = sums[0];
    double least = detail::infinity, at = p[0];
    for (std::size_t k = 0; k < p.size(); ++k) {
      const double log_sum = top[k] + streamboost::log(scaled[k]);
      const double limit = streamboost::exp((streamboost::log(sums[1]) + (p[k] - 1) * log_sum) / p[k]);
      if (limit < least) {
        least = limit;
        at = p[k];
      }
    }
    report.totals["holder_limit"] = std::min(least, 1e300);
    report.totals["holder_p"] = at;
  }

  void fields(FieldVisitor& v) {
    v("rule_sums", sums);
    v("power_top", top);
    v("power_scaled", scaled);
  }
  void check() const {
    require(sums[0] >= 0 && sums[1] >= 0, "sums of the error bound");
    for (double x : scaled) require(x >= 0, "powers of the error bound");
  }
};

}  // namespace streamboost

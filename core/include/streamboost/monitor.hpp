// What every lane was offered and how it answered, for report(). Never read by learning.
//
//   sum_weight[i]   sum_t w_t^i                sum_edge[i]   sum_t w_t^i y_t h_t^i(x_t)      (h = +-1 for hard votes, 0 untrained)
//   mistakes[i]     rows lane i answered wrong before learning them (an untrained vote is wrong)
#pragma once
#include "streamboost/fields.hpp"
#include "streamboost/kernels.hpp"

namespace streamboost {

struct Monitor {
  LaneArray<double> sum_weight, sum_edge, mistakes;
  bool on = true;

  void reserve(std::size_t lanes) {
    if (!on || sum_weight.rows() > 0) return;
    sum_weight = sum_edge = mistakes = LaneArray<double>(1, lanes);
  }
  void observe_margins(const double* margin, const double* weight, double y) {
    if (!on) return;
    double *w = sum_weight[0], *e = sum_edge[0], *m = mistakes[0];
    const std::size_t n = sum_weight.stride();
    for (std::size_t i = 0; i < n; ++i) {
      w[i] += weight[i];
      e[i] += weight[i] * y * margin[i];
      m[i] += (margin[i] > 0) != (y > 0) ? 1.0 : 0.0;
    }
  }
  void observe_signs(const double* c, double y, double weight) {
    if (on) watch_signs(c, y, weight, sum_weight[0], sum_edge[0], mistakes[0], sum_weight.stride());
  }
  void observe_votes(const std::int32_t* vote, const double* weight, int label) {
    if (!on) return;
    double *w = sum_weight[0], *e = sum_edge[0], *m = mistakes[0];
    const std::size_t n = sum_weight.stride();
    for (std::size_t i = 0; i < n; ++i) {
      w[i] += weight[i];
      e[i] += weight[i] * (vote[i] == label ? 1.0 : vote[i] < 0 ? 0.0 : -1.0);
      m[i] += vote[i] == label ? 0.0 : 1.0;
    }
  }
  void fields(FieldVisitor& v) {
    if (!on) return;
    v("sum_weight", sum_weight);
    v("sum_edge", sum_edge);
    v("mistakes", mistakes);
  }
};

}  // namespace streamboost

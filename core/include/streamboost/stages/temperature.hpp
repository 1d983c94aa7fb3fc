// One temperature for probabilities that are too sure or not sure enough: P = softmax(w ln Q).
//
//   learn     m = sum_c P_c l_c,  l = ln Q less its mean;   H <- f H + s var_P(l) + (1 - f);   w <- clip(w + s (l_y - m) / H, lowest, highest)
//
// Newton steps on the logarithmic loss with fading memory. The order of the classes stays as it is, and so do the labels.
#pragma once
#include <algorithm>
#include <cstddef>

#include "streamboost/data/fields.hpp"
#include "streamboost/math/math.hpp"

namespace streamboost {

class Temperature {
 public:
  static constexpr double floor = 1e-9;

  explicit Temperature(double lowest = 0.2, double highest = 3) : lowest_(lowest), highest_(highest) {}

  // P[c] from max(Q[c], least), k classes; `logs` keeps l for learn.
  void answer(const double* Q, int k, double least, double* logs, double* P) const {
    const auto n = static_cast<std::size_t>(k);
    for (int c = 0; c < k; ++c) logs[c] = std::max(Q[c], least);
    log_lanes(logs, logs, n);
    double mean = 0;
    for (int c = 0; c < k; ++c) mean += logs[c];
    mean /= k;
    double highest = logs[0] - mean;
    for (int c = 0; c < k; ++c) highest = std::max(highest, logs[c] -= mean);
    for (int c = 0; c < k; ++c) P[c] = state_[0] * (logs[c] - highest);
    exp_lanes(P, P, n);
    double sum = 0;
    for (int c = 0; c < k; ++c) sum += P[c];
    for (int c = 0; c < k; ++c) P[c] /= sum;
  }
  void learn(const double* logs, const double* P, int k, int label, double weight, double fading) {
    double mean = 0, squares = 0;
    for (int c = 0; c < k; ++c) {
      mean += P[c] * logs[c];
      squares += P[c] * (logs[c] * logs[c]);
    }
    state_[1] = std::min(fading * state_[1] + weight * std::max(squares - mean * mean, 0.0) + (1 - fading), largest);
    state_[0] = std::clamp(state_[0] + weight * (logs[label] - mean) / state_[1], lowest_, highest_);
  }
  double value() const { return state_[0]; }

  void fields(FieldVisitor& v) { v("temperature", state_); }
  void check() const { require(state_[0] >= lowest_ && state_[0] <= highest_ && state_[1] > 0 && state_[1] <= largest, "temperature"); }

 private:
  static constexpr double largest = 1e100;
  double lowest_, highest_;
  AlignedVector<double> state_{1.0, 20.0};  // w, H
};

}  // namespace streamboost

// Decisions: which label is answered for given probabilities.
//
//   cost           the label a with the least expected cost, sum_c p_c cost[c][a]
//   f1, g_mean     two classes: code 1 where p_1 >= t / 100. t is the threshold that would have had the best F1 of the positive class, or
//                  the best geometric mean of both recalls, on the probabilities answered so far: the rows are counted in 100 intervals
//                  of p_1, by class, fading with a half life of 10,000. Equals: the threshold nearest to 1/2. Until rows of both classes
//                  have been answered the more probable class is named.
#pragma once
#include <algorithm>
#include <cstdlib>

#include "streamboost/data/config.hpp"
#include "streamboost/data/fields.hpp"

namespace streamboost {

class Decider {
 public:
  enum class Kind { cost, f1, g_mean };
  struct Params {
    Kind kind;
    static Params read(const Config& c) {
      return {c.choice<Kind>("decision", {{"cost", Kind::cost}, {"f1", Kind::f1}, {"g_mean", Kind::g_mean}})};
    }
  };

  explicit Decider(Params params) : params_(params) {}
  void reserve(int n_classes) {
    if (params_.kind == Kind::cost) cost_.resize(static_cast<std::size_t>(n_classes) * static_cast<std::size_t>(n_classes));
  }
  // positive: the code of the positive class; costs: [truth][answer] by code.
  void describe(int positive, const double* costs) {
    if (positive_[0] != positive && params_.kind != Kind::cost) {
      positive_[0] = positive;
      choose();
    }
    std::copy_n(costs, cost_.size(), cost_.begin());
  }

  // Two scores whose maximum is the decision: [known] into `score`. False: the probabilities decide.
  bool decide(const double* p, int known, std::size_t n_classes, double* score) const {
    if (params_.kind == Kind::cost) {
      for (int a = 0; a < known; ++a) {
        double expected = 0;
        for (int c = 0; c < known; ++c) expected += p[c] * cost_[static_cast<std::size_t>(c) * n_classes + static_cast<std::size_t>(a)];
        score[a] = -expected;
      }
      return true;
    }
    if (known != 2 || threshold_[0] < 0) return false;
    const bool one = static_cast<double>(bin_of(p[1])) >= threshold_[0];
    score[0] = one ? 0 : 1;
    score[1] = one ? 1 : 0;
    return true;
  }

  void learn(const double* p, int known, int label, double weight) {
    if (params_.kind == Kind::cost || known != 2) return;
    for (double& x : bins_) x *= keep;
    bins_[2 * bin_of(p[1]) + static_cast<std::size_t>(label)] += weight;
    choose();
  }

  double threshold() const { return threshold_[0] / n_bins; }
  bool learns() const { return params_.kind != Kind::cost; }

  void fields(FieldVisitor& v) {
    if (params_.kind == Kind::cost) {
      v("cost", cost_);
      return;
    }
    v("bins", bins_);
    v("threshold", threshold_);
    v("positive", positive_);
  }
  void check() const {
    for (double x : cost_) require(x >= 0, "costs");
    for (double x : bins_) require(x >= 0, "bins of a threshold");
    require(threshold_[0] == -1 || (threshold_[0] >= 0 && threshold_[0] <= n_bins), "threshold");
    require(positive_[0] == 0 || positive_[0] == 1, "positive class");
  }

 private:
  static constexpr std::size_t n_bins = 100;
  static constexpr double keep = 0.99993068768415344;  // 2^(-1 / 10,000)

  static std::size_t bin_of(double p) { return std::min(static_cast<std::size_t>(p * n_bins), n_bins - 1); }

  void choose() {
    double all[2] = {0, 0};
    for (std::size_t b = 0; b < n_bins; ++b) {
      all[0] += bins_[2 * b];
      all[1] += bins_[2 * b + 1];
    }
    threshold_[0] = -1;
    if (!(all[0] > 0 && all[1] > 0)) return;
    double above[2] = {0, 0}, best = -1;  // rows that are answered with code 1
    for (int t = n_bins; t >= 0; --t) {
      if (t < static_cast<int>(n_bins)) {
        above[0] += bins_[2 * static_cast<std::size_t>(t)];
        above[1] += bins_[2 * static_cast<std::size_t>(t) + 1];
      }
      const double value = measure(above, all);
      if (value < best || (value == best && std::abs(t - 50) >= std::abs(static_cast<int>(threshold_[0]) - 50))) continue;
      best = value;
      threshold_[0] = t;
    }
  }
  double measure(const double* above, const double* all) const {
    if (params_.kind == Kind::g_mean) return (above[1] / all[1]) * ((all[0] - above[0]) / all[0]);
    const double found = positive_[0] == 1 ? above[1] : all[0] - above[0];
    const double missed = positive_[0] == 1 ? all[1] - above[1] : above[0];
    const double alarms = positive_[0] == 1 ? above[0] : all[1] - above[1];
    return 2 * found / (2 * found + missed + alarms);
  }

  Params params_;
  AlignedVector<double> cost_;                                      // [truth][answer]
  AlignedVector<double> bins_ = AlignedVector<double>(2 * n_bins);  // [interval][class]
  AlignedVector<double> threshold_ = AlignedVector<double>{-1.0}, positive_ = AlignedVector<double>{1.0};
};

}  // namespace streamboost

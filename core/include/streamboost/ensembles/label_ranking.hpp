// What the boosters of label sets share: how a set is taught, what it costs to rank it wrongly, and probabilities of the labels.
//
// Paper     Jung, Tewari: Online boosting algorithms for multi-label ranking (AISTATS 2018).
//
//   An example's truth is a set Y of the k labels (Example::facts: 1 for each label in it, else 0; NaN: nobody knows). Learners answer
//   distributions h^i; the votes s rank the labels. A label of which nobody knows is neither in the set nor outside: it is in no pair.
//   rank loss   w_Y sum over l in Y, r not in Y of 1{s_l < s_r} + 1/2 1{s_l = s_r},    w_Y = 1 / (|Y| (k - |Y|))
//   lesson      for every l in Y in turn the example with the label l and the weight const_i (max c^i - c^i[l]), const_i uniform in
//               (3, 10), drawn once per lane (purpose 7)
//   A set that is empty or full ranks nothing: it is counted and teaches no learner.
//
// Probability of a label: 1 / (1 + exp(-(a z + b))), z its score less the mean of all; a and b by one Newton step per example.
#pragma once
#include <algorithm>
#include <cmath>

#include "streamboost/ensembles/booster.hpp"
#include "streamboost/math/math.hpp"
#include "streamboost/math/rng.hpp"

namespace streamboost {

// Labels of a set first, then those outside, both in the order of their codes: n of the k labels, all that is known.
struct LabelSplit {
  const std::int32_t* code;
  int n_in, n, k;
  double share() const { return 1.0 / (static_cast<double>(n_in) * (n - n_in)); }
  bool ranks() const { return n_in > 0 && n_in < n; }

  static LabelSplit of(const double* set, int k, std::vector<std::int32_t>& room) {
    room.resize(static_cast<std::size_t>(k));
    int n = 0;
    for (int l = 0; l < k; ++l)
      if (set[l] == 1) room[static_cast<std::size_t>(n++)] = l;
    const int in = n;
    for (int l = 0; l < k; ++l)
      if (set[l] == 0) room[static_cast<std::size_t>(n++)] = l;
    return {room.data(), in, n, k};
  }
};

// s: one number per label, `stride` apart.
inline double rank_loss(const LabelSplit& split, const double* s, std::size_t stride) {
  double sum = 0;
  for (int i = 0; i < split.n_in; ++i) {
    const double own = s[static_cast<std::size_t>(split.code[i]) * stride];
    for (int j = split.n_in; j < split.n; ++j) {
      const double other = s[static_cast<std::size_t>(split.code[j]) * stride];
      sum += own < other ? 1.0 : own == other ? 0.5 : 0.0;
    }
  }
  return sum * split.share();
}

inline double lesson_constant(std::uint64_t seed, int lane) {
  return 3 + 7 * uniform({seed, 0, static_cast<std::uint32_t>(lane), Purpose::learner, 17});
}

// excess[lane][label] = max c - c[label]; the row has been asked about.
inline void teach_set(const Example& example, const LabelSplit& split, const double* excess, LaneBlock& block, std::uint64_t seed,
                      Scratch& scratch) {
  const Lanes lanes = block.lanes();
  for (int i = 0; i < split.n_in; ++i) {
    Example one = example;
    one.label = split.code[i];
    std::fill(scratch.amount.begin(), scratch.amount.end(), 0.0);
    for (int lane = 0; lane < lanes.size(); ++lane) {
      const double cost = excess[static_cast<std::size_t>(lane) * static_cast<std::size_t>(split.k) + static_cast<std::size_t>(one.label)];
      scratch.amount[static_cast<std::size_t>(lane)] = example.weight * lesson_constant(seed, lanes.begin + lane) * cost;
    }
    if (i > 0) block.bank->ask(one, Request::distributions, scratch.answers);  // the learners have moved
    block.bank->learn(one, {one.label}, scratch.amount.data(), Amount::weight, scratch.answers);
  }
}

class LabelCalibration {
 public:
  void reserve(int n_labels) {
    const auto k = static_cast<std::size_t>(n_labels);
    slope_.resize(k, 1.0);
    shift_.resize(k, -2.0);
    zz_.resize(k, 1.0);
    z_.resize(k, 0.0);
    one_.resize(k, 1.0);
  }
  void answer(const double* score, double* proba) const {
    const double mean = mean_of(score);
    for (std::size_t l = 0; l < slope_.size(); ++l) proba[l] = sigmoid(slope_[l] * (score[l] - mean) + shift_[l]);
  }
  void learn(const double* score, const double* set, double weight) {
    const double mean = mean_of(score);
    for (std::size_t l = 0; l < slope_.size(); ++l) {
      if (std::isnan(set[l])) continue;
      const double z = score[l] - mean, p = sigmoid(slope_[l] * z + shift_[l]), bend = weight * p * (1 - p);
      zz_[l] = std::min(zz_[l] + bend * z * z, 1e100);
      z_[l] = std::clamp(z_[l] + bend * z, -1e100, 1e100);
      one_[l] = std::min(one_[l] + bend, 1e100);
      const double determinant = zz_[l] * one_[l] - z_[l] * z_[l], miss = weight * ((set[l] > 0 ? 1.0 : 0.0) - p);
      if (!(determinant > 0)) continue;
      slope_[l] = std::clamp(slope_[l] + miss * (one_[l] * z - z_[l]) / determinant, -1e6, 1e6);
      shift_[l] = std::clamp(shift_[l] + miss * (zz_[l] - z_[l] * z) / determinant, -1e6, 1e6);
    }
  }
  void fields(FieldVisitor& v) {
    v("label_slope", slope_);
    v("label_shift", shift_);
    v("label_zz", zz_);
    v("label_z", z_);
    v("label_one", one_);
  }
  void check() const {
    for (std::size_t l = 0; l < slope_.size(); ++l)
      require(std::fabs(slope_[l]) <= 1e6 && std::fabs(shift_[l]) <= 1e6 && zz_[l] >= 1 && one_[l] >= 1 && std::fabs(z_[l]) <= 1e100,
              "probabilities of the labels");
  }

 private:
  double mean_of(const double* score) const {
    double sum = 0;
    for (std::size_t l = 0; l < slope_.size(); ++l) sum += score[l];
    return slope_.empty() ? 0.0 : sum / static_cast<double>(slope_.size());
  }
  AlignedVector<double> slope_, shift_;  // a and b
  AlignedVector<double> zz_, z_, one_;   // second derivatives of the log loss so far, 1 on the diagonal at the start
};

// What the answers were worth: calibrated for probabilities, and their rank losses added up for the report.
struct RankedSets {
  LabelCalibration calibration;
  AlignedVector<double> totals{0, 0};  // weight of the examples that rank something, sum of the rank losses of the answers

  void learn(const Example& example, const LabelSplit& split, const double* score) {
    calibration.learn(score, example.facts, example.weight);
    if (!split.ranks()) return;
    totals[0] += example.weight;
    totals[1] += example.weight * rank_loss(split, score, 1);
  }
  void write_report(ModelReport& report) const {
    report.totals["weight"] = totals[0];
    report.totals["rank_loss"] = totals[1];
  }
  void fields(FieldVisitor& v) {
    calibration.fields(v);
    v("totals", totals);
  }
  void check() const {
    calibration.check();
    for (double x : totals) require(x >= 0, "totals");
  }
};

}  // namespace streamboost

// From log joints ln P(c, x) to answers, as all forms of naive Bayes give them.
//
// answers.notes holds the log joints [class][lane]. Classes without any data in a lane hold a / (n + K a) each, the others share the
// rest by their joints. Two classes: h = tanh(log odds / 2), log odds clipped to +-60; with data of one class only the prior odds.
#pragma once
#include <algorithm>

#include "streamboost/learners/class_joints_kernels.hpp"
#include "streamboost/learners/explained.hpp"
#include "streamboost/math/math.hpp"

namespace streamboost {

struct ClassJoints {
  const LaneArray<double>& weight;  // [class][lane]
  std::size_t classes;
  double prior_alpha;

  // teach(class, amounts) for each class that lanes are taught; own: room for amounts.
  template <class Teach>
  void by_label(Labels labels, const double* amount, double* own, Teach teach) const {
    if (labels.per_lane == nullptr) return teach(static_cast<std::size_t>(labels.common), amount);
    for (std::size_t c = 0; c < classes; ++c) {
      for (std::size_t i = 0; i < weight.stride(); ++i)
        own[i] = i < weight.lanes() && static_cast<std::size_t>(labels.per_lane[i]) == c ? amount[i] : 0.0;
      teach(c, own);
    }
  }

  // Log odds into answers.margin.
  void log_odds(double limit, Answers& answers) const {
    const std::size_t stride = weight.stride();
    const double *zero = answers.notes.data(), *one = zero + stride;
    double* odds = answers.margin.data();
    if (classes > 1)
      for (std::size_t i = 0; i < stride; ++i) odds[i] = std::min(std::max(one[i] - zero[i], -limit), limit);
    if (all_complete()) return;
    for (std::size_t i = 0; i < stride; ++i)
      if (!complete(i)) odds[i] = std::clamp(lane_prior_odds(i), -limit, limit);
  }
  void margins(std::size_t k, Answers& answers) const {
    log_odds(60.0, answers);
    double* h = answers.margin.data();
    for (std::size_t i = 0; i < weight.stride(); ++i) h[i] = tanh(0.5 * h[i]);
    incomplete_margins(k, h);
  }
  // Those of lanes that have data of one class only, or of none.
  void incomplete_margins(std::size_t k, double* h) const {
    if (k > 1 && all_complete()) return;
    for (std::size_t i = 0; i < weight.stride(); ++i)
      if (!complete(i)) h[i] = tanh(0.5 * lane_prior_odds(i));
  }
  double margin_after(std::size_t i, int label, double amount, const double* joint) const {
    const double n0 = weight[0][i] + (label == 0 ? amount : 0.0), n1 = (classes > 1 ? weight[1][i] : 0.0) + (label == 1 ? amount : 0.0);
    return tanh(0.5 * (n0 > 0 && n1 > 0 ? std::clamp(joint[1] - joint[0], -60.0, 60.0) : prior_odds(n1, n0)));
  }

  void votes(std::size_t k, Answers& answers, double* highest) const {
    best_class(answers.notes.data(), weight[0], k, weight.stride(), answers.vote.data(), highest);
  }
  void distributions(std::size_t k, Answers& answers, double* highest) const {
    votes(k, answers, highest);
    const std::size_t stride = weight.stride();
    double* p = answers.distribution.data();
    const std::size_t n = weight.lanes();
    joint_gaps(answers.notes.data(), weight[0], highest, k, n, stride, p);
    for (std::size_t c = 0; c < k; ++c) exp_lanes(p + c * stride, p + c * stride, n);
    joint_shares(weight[0], prior_alpha, k, n, stride, p);
  }

  // What a step of each log joint counts for, [class][lane], times the lanes' factors; the bases are those of the priors.
  void chords(const ExplainRequest& question, const double* factor, const Answers& answers, double* slope, Explained& out) const {
    const auto k = static_cast<std::size_t>(question.n_classes), label = static_cast<std::size_t>(question.label), stride = weight.stride();
    Chords chord(question);
    std::vector<char> live(k);
    for (std::size_t i = 0; i < weight.lanes(); ++i) {
      double sum = 0, empty = 0;
      for (std::size_t c = 0; c < k; ++c) {
        live[c] = weight[c][i] > 0;
        sum += weight[c][i];
        empty += live[c] ? 0 : 1;
      }
      if (!live[label] || (k == 2 && empty > 0)) {  // the prior speaks
        out.base += factor[i] * question.said(answers, i);
        continue;
      }
      const auto start = [&](int c) { return streamboost::log(std::max(weight[static_cast<std::size_t>(c)][i] + prior_alpha, 1e-150)); };
      const auto end = [&](int c) { return answers.notes[static_cast<std::size_t>(c) * stride + i]; };
      const double whole = 1 - empty * prior_alpha / (sum + static_cast<double>(k) * prior_alpha);
      out.base += factor[i] * chord.draw(start, end, live.data(), whole);
      for (std::size_t c = 0; c < k; ++c) slope[c * stride + i] = factor[i] * chord.slope(static_cast<int>(c));
    }
  }

 private:
  bool complete(std::size_t i) const { return classes > 1 && weight[0][i] > 0 && weight[1][i] > 0; }
  bool all_complete() const { return classes > 1 && all_positive(weight[0], weight.lanes()) && all_positive(weight[1], weight.lanes()); }
  double prior_odds(double n_one, double n_zero) const {
    if (!(n_one + n_zero > 0)) return 0;
    return std::clamp(streamboost::log(n_one + prior_alpha) - streamboost::log(n_zero + prior_alpha), -60.0, 60.0);
  }
  double lane_prior_odds(std::size_t i) const { return prior_odds(classes > 1 ? weight[1][i] : 0.0, weight[0][i]); }
};

}  // namespace streamboost

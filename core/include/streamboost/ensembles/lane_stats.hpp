// What every lane was offered and how it answered, for report(). Never read by learning.
//
//   sum_weight[i]   sum_t w_t^i                sum_edge[i]   sum_t w_t^i y_t h_t^i(x_t)      (h = +-1 for hard votes, 0 untrained)
//   mistakes[i]     rows lane i answered wrong before learning them (an untrained vote is wrong)
//   sum_margin[i]   sum_t y_t h_t^i(x_t): equal in all lanes when they are all the same learner
// and, for boosters whose bounds speak of prefixes (f^i = mean of the first i hypotheses, s the sample weight):
//   prefix_low[i]   sum_t s 1{y f^i <= theta}             prefix_wrong[i]   sum_t s 1{y f^i <= 0}
//   reduced[i]      rows whose weight for lane i was below the sample weight
#pragma once
#include "streamboost/data/bound_sums.hpp"
#include "streamboost/ensembles/bayes_kernels.hpp"
#include "streamboost/ensembles/booster_kernels.hpp"
#include "streamboost/learners/bank.hpp"

namespace streamboost {

struct LaneStats {
  LaneArray<double> sum_weight, sum_edge, mistakes, sum_margin, prefix_low, prefix_wrong, reduced;
  bool on = true, prefixes = false;

  void reserve(std::size_t lanes) {
    if (!on || sum_weight.rows() > 0) return;
    sum_weight = sum_edge = mistakes = sum_margin = LaneArray<double>(1, lanes);
    if (prefixes) prefix_low = prefix_wrong = reduced = LaneArray<double>(1, lanes);
  }
  // An untrained lane is wrong whatever its margin says. Its margin is 0, or a sign, and then votes were asked.
  void observe_margins(const Bank& bank, const Answers& answers, bool signs, const double* weight, double y) {
    if (!on) return;
    const std::size_t n = sum_weight.lanes();
    const bool zeros = watch_margins(answers.margin.data(), weight, y, sum_weight[0], sum_edge[0], mistakes[0], sum_margin[0], n);
    if (y > 0 || !(zeros || signs)) return;
    for (std::size_t i = 0; i < n; ++i) {
      const bool untrained = signs ? answers.vote[i] < 0 : answers.margin[i] == 0 && !bank.trained(static_cast<int>(i));
      mistakes[0][i] += untrained ? 1.0 : 0.0;
    }
  }
  // prefix[lane]: sum of the first hypotheses up to that lane; first: its global number.
  void observe_prefixes(const double* prefix, const double* weight, double sample_weight, double y, double theta, int first) {
    if (on) watch_prefixes(prefix, weight, sample_weight, y, theta, first, prefix_low[0], prefix_wrong[0], reduced[0], prefix_low.lanes());
  }
  // Answers +1, 0 (untrained) and -1, or real ones, all of one weight.
  void observe_signs(const double* c, double y, double weight) {
    if (on) watch_signs(c, y, weight, sum_weight[0], sum_edge[0], mistakes[0], sum_margin[0], sum_weight.stride());
  }
  void observe_votes(const std::int32_t* vote, const double* weight, int label) { observe_votes(vote, weight, label, sum_weight.stride()); }
  // ... of the first n lanes only.
  void observe_votes(const std::int32_t* vote, const double* weight, int label, std::size_t n) {
    if (on) watch_votes(vote, weight, label, sum_weight[0], sum_edge[0], mistakes[0], sum_margin[0], n);
  }
  void fields(FieldVisitor& v) {
    if (!on) return;
    v("sum_weight", sum_weight);
    v("sum_edge", sum_edge);
    v("mistakes", mistakes);
    v("sum_margin", sum_margin);
    if (!prefixes) return;
    v("prefix_low", prefix_low);
    v("prefix_wrong", prefix_wrong);
    v("reduced", reduced);
  }
  // Blocks report in lane order, each after the one before.
  void write_report(ModelReport& report, double n_learned) const {
    auto& lanes = report.lanes;
    for (std::size_t i = 0; i < sum_weight.lanes(); ++i) {
      const double weight = sum_weight[0][i];
      lanes["weight_sum"].push_back(weight);
      lanes["edge"].push_back(weight > 0 ? sum_edge[0][i] / weight : 0.0);
      lanes["error_rate"].push_back(n_learned > 0 ? mistakes[0][i] / n_learned : 0.0);
      lanes["mean_margin"].push_back(n_learned > 0 ? sum_margin[0][i] / n_learned : 0.0);
      if (!prefixes) continue;
      lanes["prefix_low"].push_back(prefix_low[0][i]);
      lanes["prefix_wrong"].push_back(prefix_wrong[0][i]);
      lanes["reduced_share"].push_back(n_learned > 0 ? reduced[0][i] / n_learned : 0.0);
    }
  }
};

}  // namespace streamboost

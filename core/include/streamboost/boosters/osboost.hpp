// OSBoost: online smooth boosting with a uniform vote.
//
// Paper     Chen, Lin, Lu: An online boosting algorithm with theoretical justifications (ICML 2012), section 4.
// Spec      specs/binary.md section 3.
//
//   paper            here              meaning
//   h_t^(i)(x)       margin[i]         learner i's hypothesis on x, in [-1, 1], before it learns x
//   z_t^(i)          Passage::z        how far ahead of theta the first i learners are on this example
//   w_t^(i)          amount[i]         what learner i is told this example is worth, in (0, 1]
//   gamma, theta     Params            assumed edge; theta = gamma / (2 + gamma)
//
//   z^(0) = 0      w^(i) = min(1, (1 - gamma)^(z^(i-1) / 2))      z^(i) = z^(i-1) + y h^(i)(x) - theta
//   predict sign(sum_i h^(i)(x))
//
// Departures  The pseudo-code trains learner i before it computes z^(i), yet z uses the hypothesis of before: we ask all lanes
//             first. hypothesis = sign replaces h by its sign everywhere (sign(0) is class code 0).
// Cost        one pass over the bank to ask, one to teach, O(n) between. State: none of its own.
#pragma once
#include <algorithm>

#include "streamboost/booster.hpp"
#include "streamboost/math.hpp"

namespace streamboost {

struct OSBoost {
  struct Params {
    double gamma = 0.1;  // in (0, 1/2)
    bool hard = false;   // hypothesis = sign
    double theta() const { return gamma / (2 + gamma); }
    static Params read(const Config& c) {
      return {c.number("gamma", 0.1), c.choice<bool>("hypothesis", {{"real", false}, {"sign", true}})};
    }
  };
  using LaneState = NoLaneState;
  struct Passage : PassageBase {
    double z = 0;     // z^(i) after the lanes passed so far
    double vote = 0;  // sum of their margins
  };
  static constexpr bool needs_votes = false, needs_column = false, binary_only = true;

  Params params;
  double n_estimators;
  double half_log;  // log(1 - gamma) / 2

  OSBoost(Params p, const Ensemble& ensemble) : params(p), n_estimators(ensemble.n_estimators), half_log(0.5 * log1p(-p.gamma)) {}
  void reserve(int) {}

  void score(const Example& example, const Block<LaneState>& block, Scratch& scratch, Passage& passage) const {
    block.bank->ask(example, Want::margins, scratch.asked);
    double* margin = scratch.asked.margin.data();
    const int n = block.lanes().size();
    if (params.hard)
      for (int i = 0; i < n; ++i) margin[i] = margin[i] > 0 ? 1.0 : -1.0;
    for (int i = 0; i < n; ++i) passage.vote += margin[i];
  }

  // amount[i] from the margins of the lanes before i. The loops are apart so that the exponentials vectorise.
  void weigh(const double* margin, int n, double y, double sample_weight, AlignedVector<double>& amount, Passage& passage) const {
    const double theta = params.theta();
    double z = passage.z;
    for (int i = 0; i < n; ++i) {
      amount[static_cast<std::size_t>(i)] = half_log * std::max(z, 0.0);  // z <= 0 means weight 1: the min in the formula
      z += y * margin[i] - theta;
    }
    passage.z = z;
    std::fill(amount.begin() + n, amount.end(), 0.0);  // dead lanes stay tame
    exp_lanes(amount.data(), amount.data(), amount.size());
    for (double& w : amount) w *= sample_weight;
  }

  void learn(const Example& example, Block<LaneState>& block, Scratch& scratch, Passage& passage) const {
    score(example, block, scratch, passage);
    const double y = example.label == 1 ? 1.0 : -1.0;
    weigh(scratch.asked.margin.data(), block.lanes().size(), y, example.weight, scratch.amount, passage);
    block.monitor.observe_margins(scratch.asked.margin.data(), scratch.amount.data(), y);
    block.bank->learn(example, {example.label}, scratch.amount.data(), Amount::weight, scratch.asked);
  }

  void answer(const Example&, const Passage& passage, Verdict& verdict) const {
    const double mean = passage.vote / n_estimators;
    verdict.set_margin(mean, 0.5 * (1 + mean));
  }
  void conclude(const Example&, const Passage&) {}
  void fields(FieldVisitor&) {}
  void check() const {}
};

}  // namespace streamboost

// OSBoost: online smooth boosting, its weights (shared by all its votes) and the uniform vote.
//
// Paper     Chen, Lin, Lu: An online boosting algorithm with theoretical justifications (ICML 2012), section 4.
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
//             first. hypothesis = sign replaces h by the learner's vote everywhere (untrained: class code 0).
// Report      w^(N+1), which nobody trains on, bounds the ensemble's errors: #{y f <= theta} <= sum_t s w^(N+1), and likewise
//             for every prefix (LaneStats::prefix_low). Departs from Lemma 2 as printed, which is off by one.
// Cost        one pass over the bank to ask, one to teach, O(n) between. State: none of its own.
#pragma once
#include <algorithm>

#include "streamboost/ensembles/booster.hpp"
#include "streamboost/ensembles/booster_kernels.hpp"
#include "streamboost/math/math.hpp"

namespace streamboost {

// What all votes of OSBoost share: the hypotheses, and how an example's weight travels along the lanes.
struct SmoothWeights {
  struct Params {
    double gamma;  // in (0, 1/2)
    bool hard;     // hypothesis = sign
    static Params read(const Config& c) { return {c.number("gamma"), c.choice<bool>("hypothesis", {{"real", false}, {"sign", true}})}; }
  };
  Params params;
  double theta, fall;  // gamma / (2 + gamma), -log(1 - gamma) / 2

  explicit SmoothWeights(Params p) : params(p), theta(p.gamma / (2 + p.gamma)), fall(-0.5 * log1p(-p.gamma)) {}

  // margin[i] = h^(i)(x)
  void ask(const Example& example, const Bank& bank, Answers& answers) const { ask_hypotheses(example, bank, params.hard, answers); }

  // prefix[i] = start + margin[0] + ... + margin[i], left to right; the last of them.
  static double prefix_sums(const double* __restrict margin, int n, double start, double* __restrict prefix) {
    double sum = start;
    for (int i = 0; i < n; ++i) prefix[i] = sum += margin[i];
    return sum;
  }

  // amount[i] from the margins of the lanes before i; prefix_sums go along.
  void weigh(const double* margin, int n, double y, double sample_weight, double* prefix, AlignedVector<double>& amount, double& vote,
             double& z) const {
    smooth_sums(margin, {y, theta, fall}, vote, z, prefix, amount.data(), static_cast<std::size_t>(n));
    std::fill(amount.begin() + n, amount.end(), 0.0);  // padding lanes: exp(0) is harmless, garbage might not be
    exp_down_lanes(amount.data(), amount.data(), amount.size());
    if (sample_weight != 1)
      for (double& w : amount) w *= sample_weight;
  }

  // Weigh and teach the lanes whose margins were asked; prefix[i] = sum of all margins up to lane i.
  template <class LaneState, class Passage>
  void teach(const Example& example, Block<LaneState>& block, Scratch& scratch, double* prefix, Passage& passage) const {
    const double y = example.label == 1 ? 1.0 : -1.0;
    const Lanes lanes = block.lanes();
    weigh(scratch.answers.margin.data(), lanes.size(), y, example.weight, prefix, scratch.amount, passage.vote, passage.z);
    block.events.margins(*block.bank, scratch.answers, params.hard, scratch.amount.data(), y);
    block.events.stats.observe_prefixes(prefix, scratch.amount.data(), example.weight, y, theta, lanes.begin);
    block.bank->learn(example, {example.label}, scratch.amount.data(), Amount::weight, scratch.answers);
  }

  double weight_after(double z) const { return exp_down(fall * std::max(z, 0.0)); }
};

struct OSBoost : BoosterDefaults {
  using Params = SmoothWeights::Params;
  using LaneState = NoLaneState;
  struct Passage : PassageBase {
    double z = 0;     // z^(i) after the lanes passed so far
    double vote = 0;  // sum of their margins
    auto scan() { return std::tie(z, vote); }
    bool sound(int, int) const { return true; }
  };
  static constexpr BoosterTraits traits{.vote_weights = true, .write_report = true, .watches_prefixes = true};
  enum class Sum { weight, mistakes, next_weight, count };

  SmoothWeights smooth;
  double n_estimators;
  BoundSums<Sum> watch;

  OSBoost(Params p, const Ensemble& ensemble) : smooth(p), n_estimators(ensemble.n_estimators), watch(ensemble.monitor) {}
  void reserve(int) {}

  void score(const Example& example, const Block<LaneState>& block, Scratch& scratch, Passage& passage) const {
    smooth.ask(example, *block.bank, scratch.answers);
    passage.vote = SmoothWeights::prefix_sums(scratch.answers.margin.data(), block.lanes().size(), passage.vote, scratch.extra.data());
  }
  VoteWeights vote_weights(const Example&, const Block<LaneState>& block, const Scratch&, Passage&, double* weight) const {
    std::fill_n(weight, block.lanes().size(), 1 / n_estimators);
    return {Request::margins, smooth.params.hard};
  }
  void learn(const Example& example, Block<LaneState>& block, Scratch& scratch, Passage& passage) const {
    smooth.ask(example, *block.bank, scratch.answers);
    smooth.teach(example, block, scratch, scratch.extra.data(), passage);
  }
  void answer(const Example&, const Passage& passage, Verdict& verdict) const {
    const double mean = passage.vote / n_estimators;
    verdict.set_margin(mean, 0.5 * (1 + mean));
  }
  void conclude(const Example& example, const Passage& passage) {
    if (!watch.on) return;
    watch.add(Sum::weight, example.weight);
    watch.add(Sum::mistakes, (example.label == 1 ? passage.vote : -passage.vote) <= 0 ? example.weight : 0.0);
    watch.add(Sum::next_weight, example.weight * smooth.weight_after(passage.z));
    watch.note(example.number, watch[Sum::mistakes], watch[Sum::next_weight]);
  }
  void write_report(ModelReport& report, std::int64_t) const {
    watch.write_report(report, {{Sum::weight, "weight"}, {Sum::mistakes, "mistakes"}, {Sum::next_weight, "next_weight"}});
  }
  void fields(FieldVisitor& v) { watch.fields(v); }
  void check() const { watch.check(); }
};

}  // namespace streamboost

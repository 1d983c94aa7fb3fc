// Online boost-by-majority (Online BBM).
//
// Paper     Beygelzimer, Kale, Luo: Optimal and adaptive algorithms for online boosting (ICML 2015); Freund 1995 for the batch.
//
//   paper            here              meaning
//   gamma            edge / 2          learners are assumed right with probability (1 + edge) / 2 = p, a correlation of `edge`
//   s^(i-1)          Passage::vote     votes for minus votes against the label, before learner i
//   phi_i(s)         -                 chance that a majority of all N is wrong, were the learners after i coins of bias p
//   w^i              amount[i]         (phi_i(s-1) - phi_i(s+1)) / 2 over its largest value for this i, in [0, 1]
//
//   n = N - i, k = floor((n - s + 1) / 2):   w^i ~ C(n, k) p^k (1-p)^(n-k), 0 outside 0 <= k <= n      predict sign(sum h)
//
// Choices     Hypotheses are signs: the potential steps by +-1 (an untrained learner says class code 0). The paper's own
//             reading of its gamma is edge = gamma; VW's and others' is edge = 2 gamma. Weights go to the learner as they
//             are (importance), or as the probability of seeing the example (sampling, purpose 6; the paper's way).
// Report      #{majority wrong or tied} = T phi_0(0) + sum_t sum_i w^i (edge - z^i), exactly. The history
//             sets the errors against T phi_0(0), which is promised if every learner keeps its edge.
// Cost        one ask, one teach, O(n) between with one exponential per lane; log-factorials, so that any N works. State: none.
#pragma once
#include <algorithm>
#include <cmath>

#include "streamboost/ensembles/booster.hpp"
#include "streamboost/ensembles/booster_kernels.hpp"
#include "streamboost/math/math.hpp"
#include "streamboost/math/rng.hpp"

namespace streamboost {

struct OnlineBBM : BoosterDefaults {
  struct Params {
    double edge;
    bool sampling;
    static Params read(const Config& c) {
      return {c.number("edge"), c.choice<bool>("weighting", {{"importance", false}, {"sampling", true}})};
    }
  };
  using LaneState = NoLaneState;
  struct Passage : PassageBase {
    int vote = 0;  // sum of the signs
    auto scan() { return std::tie(vote); }
    bool sound(int lanes, int) const { return -lanes <= vote && vote <= lanes && (lanes - vote) % 2 == 0; }
  };
  static constexpr BoosterTraits traits{.vote_weights = true, .write_report = true, .table_bytes = true};
  static constexpr int largest_table = 256;  // 260 kB, of which an example touches one number per lane
  enum class Sum { weight, mistakes, count };

  Params params;
  std::uint64_t seed;
  int n_estimators;
  double log_odds;                      // ln(p / (1 - p))
  AlignedVector<double> log_fact;       // ln k!
  AlignedVector<double> base, largest;  // [lane]: minus the largest log_term; the largest weight w^i
  AlignedVector<double> table;          // w^i over k = 0 .. N - 1 - i and a 0, lane after lane; empty beyond largest_table learners
  double promise = 0;                   // phi_0(0)
  BoundSums<Sum> watch;

  OnlineBBM(Params p, const Ensemble& ensemble)
      : params(p), seed(ensemble.seed), n_estimators(ensemble.n_estimators), watch(ensemble.monitor) {
    const double right = 0.5 * (1 + p.edge), log_wrong = log1p(-right);
    log_odds = log(right) - log_wrong;
    const auto n_lanes = static_cast<std::size_t>(n_estimators);
    log_fact.resize(n_lanes + 1);
    for (std::size_t k = 0; k <= n_lanes; ++k) log_fact[k] = log_factorial(static_cast<double>(k));
    base.resize(n_lanes);
    largest.resize(n_lanes);
    for (int i = 0; i < n_estimators; ++i) {
      const int n = n_estimators - 1 - i, mode = std::min(n, static_cast<int>(std::floor((n + 1) * right)));
      double peak = log_term(n, mode);
      if (mode > 0) peak = std::max(peak, log_term(n, mode - 1));
      base[static_cast<std::size_t>(i)] = -peak;
      largest[static_cast<std::size_t>(i)] = 0.5 * exp(peak + log_fact[static_cast<std::size_t>(n)] + n * log_wrong);
    }
    for (int i = 0; i < n_estimators && n_estimators <= largest_table; ++i) {
      for (int n = n_estimators - 1 - i, k = 0; k <= n; ++k)
        table.push_back(std::min(exp(base[static_cast<std::size_t>(i)] + log_term(n, k)), 1.0));
      table.push_back(0);
    }
    for (int k = 0; 2 * k <= n_estimators; ++k) promise += exp(log_fact[n_lanes] + log_term(n_estimators, k) + n_estimators * log_wrong);
  }
  void reserve(int) {}
  std::size_t table_bytes() const { return table.capacity() * sizeof(double); }  // no state, but memory

  void score(const Example& example, const Block<LaneState>& block, Scratch& scratch, Passage& passage) const {
    block.bank->ask(example, Request::votes, scratch.answers);
    const std::int32_t* vote = scratch.answers.vote.data();
    int ones = 0;
    for (int i = 0, n = block.lanes().size(); i < n; ++i) ones += static_cast<int>(vote[i] == 1);
    passage.vote += 2 * ones - block.lanes().size();
  }
  VoteWeights vote_weights(const Example&, const Block<LaneState>& block, const Scratch&, Passage&, double* weight) const {
    std::fill_n(weight, block.lanes().size(), 1.0 / n_estimators);
    return {Request::votes, true};
  }

  void learn(const Example& example, Block<LaneState>& block, Scratch& scratch, Passage& passage) const {
    const int before = passage.vote;
    score(example, block, scratch, passage);
    const int y = example.label == 1 ? 1 : -1, n = block.lanes().size(), first = block.lanes().begin;
    const std::int32_t* vote = scratch.answers.vote.data();
    double *amount = scratch.amount.data(), *margin = scratch.answers.margin.data();
    if (table.empty()) {
      majority_exponents(vote, y, y * before, n_estimators - 1 - first, {base.data() + first, log_fact.data(), log_odds}, margin, amount,
                         static_cast<std::size_t>(n));
      exp_lanes(amount, amount, static_cast<std::size_t>(n));
      for (int i = 0; i < n; ++i) amount[i] = std::min(amount[i], 1.0);
    } else {
      // Lane i has N - i + 1 numbers: lane `first` begins after (N + 1) + N + ... of them.
      const double* weights = table.data() + static_cast<std::size_t>(first) * static_cast<std::size_t>(2 * n_estimators - first + 3) / 2;
      majority_weights(vote, y, y * before, n_estimators - 1 - first, weights, margin, amount, static_cast<std::size_t>(n));
    }
    std::fill(scratch.amount.begin() + n, scratch.amount.end(), 0.0);
    if (example.weight != 1)
      for (double& w : scratch.amount) w *= example.weight;
    block.events.margins(*block.bank, scratch.answers, true, amount, y);
    if (params.sampling) pass_by_coin(example, seed, block.lanes(), scratch);
    block.bank->learn(example, {example.label}, amount, Amount::weight, scratch.answers);
  }

  void answer(const Example&, const Passage& passage, Verdict& verdict) const {
    const double mean = static_cast<double>(passage.vote) / n_estimators;
    verdict.set_margin(mean, 0.5 * (1 + mean));
  }
  void conclude(const Example& example, const Passage& passage) {
    if (!watch.on) return;
    watch.add(Sum::weight, example.weight);
    watch.add(Sum::mistakes, (example.label == 1 ? passage.vote : -passage.vote) <= 0 ? example.weight : 0.0);
    watch.note(example.number, watch[Sum::mistakes], watch[Sum::weight] * promise);
  }
  void write_report(ModelReport& report, std::int64_t) const {
    report.lane("largest_weight", largest);  // what a weight of 1 stands for in the potential
    if (!watch.on) return;
    watch.write_report(report, {{Sum::weight, "weight"}, {Sum::mistakes, "mistakes"}});
    report.totals["potential"] = promise;
  }
  void fields(FieldVisitor& v) { watch.fields(v); }
  void check() const { watch.check(); }

 private:
  // ln of p^k (1-p)^(n-k) / (k! (n-k)!), but for a factor (1-p)^n
  double log_term(int n, int k) const {
    return k * log_odds - log_fact[static_cast<std::size_t>(k)] - log_fact[static_cast<std::size_t>(n - k)];
  }
};

}  // namespace streamboost

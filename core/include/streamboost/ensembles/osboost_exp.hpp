// OSBoost.EXP: smooth boosting that follows the best of its prefixes.
//
// Paper     Chen, Lin, Lu: An online boosting algorithm with theoretical justifications (ICML 2012), section 4.3.
//
//   paper            here              meaning
//   expert i         column[i] > 0     sign of the uniform vote of the first i learners
//   L_i              Hedge::loss       its weighted number of mistakes
//   eta_t            rate(t)           sqrt(8 ln N / t) (anytime), sqrt(8 ln N / horizon), or a given constant
//   w_t^(i)          amount[i]         as in osboost.hpp: which expert answers does not enter
//
// Choices     The paper leaves the rate open. How the experts become one answer: hedge.hpp; the majority of p by default, where
//             the paper samples; the expected loss of sampling is in report().
// Report      E[mistakes] <= least expert loss + regret, where the regret is at most (2/eta_{T+1} - 1/eta_1) ln N + sum eta_t s^2/8
//             (anytime), ln N/eta + eta sum s^2/8 (horizon), or E[mistakes] <= (eta L* + ln N)/(1 - e^-eta) (constant, s = 1).
// Cost        one ask, one teach, O(n) between and n exponentials for the shares. State: L.
#pragma once
#include <cmath>

#include "streamboost/ensembles/hedge.hpp"
#include "streamboost/ensembles/osboost.hpp"

namespace streamboost {

struct OSBoostEXP : BoosterDefaults {
  enum class Rate { anytime, fixed };
  struct Params {
    SmoothWeights::Params smooth;
    Hedge::Mode mode;
    double eta;      // > 0: a constant rate
    double horizon;  // > 0: the rate for that many examples
    static Params read(const Config& c) {
      return {SmoothWeights::Params::read(c), SignHedge::read(c), c.number_or_none("hedge_rate").value_or(0),
              c.number_or_none("horizon").value_or(0)};
    }
  };
  using LaneState = NoLaneState;
  struct Passage : PassageBase {
    double z = 0, vote = 0;
    auto scan() { return std::tie(z, vote); }
    bool sound(int, int) const { return true; }
  };
  static constexpr BoosterTraits traits{.column = true, .column_rows = 2, .write_report = true, .watches_prefixes = true};
  enum class Sum { weight, mistakes, next_weight, expected, mixed, squared_rates, count };

  SmoothWeights smooth;
  SignHedge hedge;
  double log_n, constant;  // ln N; the rate, 0: anytime
  BoundSums<Sum> watch;

  OSBoostEXP(Params p, const Ensemble& ensemble)
      : smooth(p.smooth),
        hedge(p.mode, ensemble.seed, static_cast<std::size_t>(ensemble.n_estimators)),
        log_n(log(static_cast<double>(ensemble.n_estimators))),
        constant(p.eta),
        watch(ensemble.monitor) {
    if (p.horizon > 0) constant = std::sqrt(8 * log_n / p.horizon);
  }
  void reserve(int) {}
  double rate(std::int64_t t) const { return constant > 0 ? constant : std::sqrt(8 * log_n / static_cast<double>(t)); }

  void score(const Example& example, const Block<LaneState>& block, Scratch& scratch, Passage& passage) const {
    smooth.ask(example, *block.bank, scratch.answers);
    const Lanes lanes = block.lanes();
    passage.vote = SmoothWeights::prefix_sums(scratch.answers.margin.data(), lanes.size(), passage.vote, passage.column + lanes.begin);
  }
  void learn(const Example& example, Block<LaneState>& block, Scratch& scratch, Passage& passage) const {
    smooth.ask(example, *block.bank, scratch.answers);
    smooth.teach(example, block, scratch, passage.column + block.lanes().begin, passage);
  }
  void answer(const Example& example, const Passage& passage, Verdict& verdict) const {
    const double plus = hedge.to_verdict(passage.column, rate(example.number + 1), example.number, verdict);
    passage.column[padded(hedge.size())] = plus;
  }

  void conclude(const Example& example, const Passage& passage) {
    const double y = example.label == 1 ? 1.0 : -1.0, s = example.weight;
    if (watch.on) {
      const double eta = rate(example.number + 1);
      const bool answered = passage.answers && example.n_classes > 1;
      const double plus = answered ? passage.column[padded(hedge.size())] : hedge.share_of_plus(passage.column, eta);
      const double wrong = y > 0 ? 1 - plus : plus;
      watch.add(Sum::weight, s);
      watch.add(Sum::mistakes, wrong >= 0.5 ? s : 0.0);
      watch.add(Sum::next_weight, s * smooth.weight_after(passage.z));
      watch.add(Sum::expected, s * wrong);
      watch.add(Sum::mixed, -expm1(-eta * s) * wrong);
      watch.add(Sum::squared_rates, eta * s * s);
    }
    hedge.learn(passage.column, y, s);
    if (watch.due(example.number)) watch.note(example.number, watch[Sum::expected], hedge.least_loss() + regret(example.number + 1));
  }

  // What the expected mistakes may exceed the best expert's by, after t examples.
  double regret(std::int64_t t) const {
    if (log_n == 0) return 0;
    if (constant > 0) return log_n / constant + watch[Sum::squared_rates] / 8;
    return (2 / rate(t + 1) - 1 / rate(1)) * log_n + watch[Sum::squared_rates] / 8;
  }
  void write_report(ModelReport& report, std::int64_t n_learned) const {
    hedge.write_report(report, rate(n_learned + 1), "hedge_log_weight");
    if (!watch.on) return;
    watch.write_report(report, {{Sum::weight, "weight"},
                                {Sum::mistakes, "vote_mistakes"},
                                {Sum::next_weight, "next_weight"},
                                {Sum::expected, "expected_loss"},
                                {Sum::mixed, "mixed_loss"}});
    report.totals["regret_limit"] = regret(n_learned);
    report.totals["constant_rate"] = constant;
  }
  void fields(FieldVisitor& v) {
    hedge.fields(v);
    watch.fields(v);
  }
  void check() const {
    hedge.check();
    watch.check();
  }
};

}  // namespace streamboost

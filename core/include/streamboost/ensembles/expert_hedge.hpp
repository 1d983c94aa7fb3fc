// Hedge over any models: answers weighed by exp(-eta L).
//
// Paper     Freund, Schapire: A decision-theoretic generalization of on-line learning and an application to boosting (1997).
//
//   L_i += s 1{expert i wrong}        p_i ~ exp(-eta_t L_i)        s the sample weight, t the number of this example
//   rate   anytime   eta_t = sqrt(8 ln N / t)        horizon   sqrt(8 ln N / T), T given        constant   eta given
//   hedge  vote      the class with the largest share of p        sample   an expert drawn from p (purpose 4)
//          best      the expert with the least loss, the first of equals
//
//   Bound     expected loss - L_best <= ln N / eta_T + sum_t eta_t s_t^2 / 8 for any rates that never rise;
//             constant rate: sum_t (1 - e^(-eta s_t)) P_t(wrong) <= eta L_best + ln N.  The vote errs at most twice as often as expected.
//
// The probability of a class is its share of p, whatever the mode. Where the expert that speaks has nothing to say, class counts do.
// Cost        one answer and one update per expert, O(N) between. State: L.
#pragma once
#include "streamboost/ensembles/experts.hpp"
#include "streamboost/math/math.hpp"
#include "streamboost/math/rng.hpp"

namespace streamboost {

struct ExpertHedge : VoteCombiner {
  using Mode = Hedge::Mode;
  struct Params {
    Mode mode;
    double rate;     // > 0: a constant rate
    double horizon;  // > 0: the rate for that many examples; neither: anytime
    static Params read(const Config& c) {
      return {c.choice<Mode>("hedge", {{"vote", Mode::vote}, {"sample", Mode::sample}, {"best", Mode::best}}),
              c.number_or_none("hedge_rate").value_or(0), c.number_or_none("horizon").value_or(0)};
    }
  };
  using LaneState = NoLaneState;
  struct Passage : PassageBase {};
  static constexpr BoosterTraits traits{.votes = true, .column = true, .column_rows = 2, .column_labels = -1, .write_report = true};
  enum class Sum { weight, vote_mistakes, expected, mixed, squares, count };

  Params params;
  std::size_t n;
  double log_n;
  Hedge hedge;
  BoundSums<Sum> watch;

  ExpertHedge(Params p, const Ensemble& ensemble)
      : params(p),
        n(static_cast<std::size_t>(ensemble.n_estimators)),
        log_n(streamboost::log(static_cast<double>(n))),
        hedge(p.mode, ensemble.seed, n),
        watch(ensemble.monitor) {}

  double eta(std::int64_t number) const {
    if (params.rate > 0) return params.rate;
    const double t = params.horizon > 0 ? params.horizon : static_cast<double>(number + 1);
    return std::sqrt(8 * log_n / t);
  }

  void score(const Example& e, const Block<LaneState>& block, Scratch& scratch, Passage& passage) const {
    Experts::ask(e, block, scratch, passage);
  }
  void learn(const Example& e, Block<LaneState>& block, Scratch& scratch, Passage& passage) const {
    Experts::learn(e, block, scratch, passage);
  }
  void answer(const Example& example, const Passage& passage, Verdict& verdict) const {
    const double* p = shares(passage, eta(example.number));
    double total;
    Experts::poll(passage, p, n, example.n_classes, -1, total);
    votes_to_verdict(passage.votes, example.n_classes, counts, verdict);
    if (params.mode == Mode::vote) return;
    const auto said = static_cast<int>(passage.column[hedge.speaker(p, example.number)]);
    double most = 0;
    for (int c = 0; c < example.n_classes; ++c) most = std::max(most, counts.weight[static_cast<std::size_t>(c)]);
    for (int c = 0; c < example.n_classes; ++c)  // a silent speaker: the most frequent class
      verdict.score[c] = (said >= 0 ? c == said : counts.weight[static_cast<std::size_t>(c)] == most) ? 1.0 : 0.0;
  }
  void conclude(const Example& example, const Passage& passage) {
    const double s = example.weight, rate = eta(example.number);
    if (watch.on) {
      double total, wrong = 0;
      const double* p = shares(passage, rate);
      const bool right = Experts::poll(passage, p, n, example.n_classes, example.label, total);
      for (std::size_t i = 0; i < n; ++i) wrong += static_cast<int>(passage.column[i]) == example.label ? 0.0 : p[i];
      wrong /= total;
      watch.add(Sum::weight, s);
      watch.add(Sum::vote_mistakes, right ? 0.0 : s);
      watch.add(Sum::expected, s * wrong);
      watch.add(Sum::mixed, -expm1(-rate * s) * wrong);
      watch.add(Sum::squares, rate * s * s / 8);
    }
    Experts::charge(passage, example, hedge);
    counts.add(example.label, s);
    if (watch.due(example.number)) watch.note(example.number, watch[Sum::expected], hedge.least_loss() + regret(rate));
  }
  void write_report(ModelReport& report, std::int64_t n_learned) const {
    hedge.write_report(report, eta(n_learned), "log_weight");
    watch.write_report(
        report,
        {{Sum::weight, "weight"}, {Sum::vote_mistakes, "vote_mistakes"}, {Sum::expected, "expected_loss"}, {Sum::mixed, "mixed_loss"}});
    if (!watch.on || n_learned < 1) return;
    report.totals["regret_limit"] = regret(eta(n_learned - 1));
    report.totals["constant_rate"] = params.rate > 0 || params.horizon > 0 ? eta(0) : 0.0;
  }
  void fields(FieldVisitor& v) {
    hedge.fields(v);
    VoteCombiner::fields(v);
    watch.fields(v);
  }
  void check() const {
    hedge.check();
    VoteCombiner::check();
    watch.check();
  }

 private:
  double regret(double last_rate) const { return (n > 1 ? log_n / last_rate : 0.0) + watch[Sum::squares]; }
  const double* shares(const Passage& passage, double rate) const { return hedge.weights(rate, passage.column + padded(n)); }
};

}  // namespace streamboost

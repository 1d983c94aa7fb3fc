// Weighted Majority over any models: each mistake multiplies an expert's weight by beta.
//
// Papers    Littlestone, Warmuth: The weighted majority algorithm (1994); Blum 1996, as told by Oza (2001), section 2.5.
//
//   w_i = beta^(L_i),  L_i += s 1{expert i wrong}, whether the ensemble erred or not;  answer: the class of the largest summed weight
//
//   Bound     A mistake (or tie) puts at least half of the weight on wrong experts, so W <- W (1 + beta^s) / 2 at most, and
//             sum over mistakes of ln(2 / (1 + beta^s)) <= ln N + L_best ln(1 / beta).  With s = 1 and beta = 1/2: 2.41 (log2 N + L_best).
//
// Departures  Any number of classes (the argument needs no more than two). Equal weights go to the lowest code. Weights are taken
//             relative to the best expert's, so they never underflow.
// Cost        one answer and one update per expert, O(N) between. State: L.
#pragma once
#include "streamboost/ensembles/experts.hpp"
#include "streamboost/math/math.hpp"

namespace streamboost {

struct WeightedMajority : VoteCombiner {
  struct Params {
    double beta;  // in (0, 1)
    static Params read(const Config& c) { return {c.number("beta")}; }
  };
  using LaneState = NoLaneState;
  struct Passage : PassageBase {};
  static constexpr BoosterTraits traits{.votes = true, .column = true, .column_rows = 2, .column_labels = -1, .write_report = true};
  enum class Sum { weight, mistakes, logs, count };

  Params params;
  double log_beta;
  std::size_t n;
  Hedge hedge;
  BoundSums<Sum> watch;

  WeightedMajority(Params p, const Ensemble& ensemble)
      : params(p),
        log_beta(streamboost::log(p.beta)),
        n(static_cast<std::size_t>(ensemble.n_estimators)),
        hedge(Hedge::Mode::vote, ensemble.seed, n),
        watch(ensemble.monitor) {}

  void score(const Example& e, const Block<LaneState>& block, Scratch& scratch, Passage& passage) const {
    Experts::ask(e, block, scratch, passage);
  }
  void learn(const Example& e, Block<LaneState>& block, Scratch& scratch, Passage& passage) const {
    Experts::learn(e, block, scratch, passage);
  }
  void answer(const Example& example, const Passage& passage, Verdict& verdict) const {
    double total;
    Experts::poll(passage, weights(passage), n, example.n_classes, -1, total);
    votes_to_verdict(passage.votes, example.n_classes, counts, verdict);
  }
  void conclude(const Example& example, const Passage& passage) {
    const double s = example.weight;
    if (watch.on) {
      double total;
      const bool right = Experts::poll(passage, weights(passage), n, example.n_classes, example.label, total);
      watch.add(Sum::weight, s);
      watch.add(Sum::mistakes, right ? 0.0 : s);
      watch.add(Sum::logs, right ? 0.0 : gain(s));
    }
    Experts::charge(passage, example, hedge);
    counts.add(example.label, s);
    if (watch.due(example.number)) watch.note(example.number, watch[Sum::logs] / gain(1), limit());
  }
  void write_report(ModelReport& report, std::int64_t) const {
    hedge.write_report(report, -log_beta, "log_weight");
    watch.write_report(report, {{Sum::weight, "weight"}, {Sum::mistakes, "mistakes"}});
    if (!watch.on) return;
    report.totals["potential_mistakes"] = watch[Sum::logs] / gain(1);
    report.totals["mistake_limit"] = limit();
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
  // What a mistake of weight s takes off the logarithm of the total weight, at least.
  double gain(double s) const { return -streamboost::log(0.5 * (1 + streamboost::exp(s * log_beta))); }
  double limit() const { return (streamboost::log(static_cast<double>(n)) - hedge.least_loss() * log_beta) / gain(1); }
  const double* weights(const Passage& passage) const { return hedge.weights(-log_beta, passage.column + padded(n)); }
};

}  // namespace streamboost

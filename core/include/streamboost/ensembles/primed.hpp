// Primed online boosting: AdaBoost.M1 on the first rows, Oza's online boosting from there on.
//
// Thesis    Oza: Online Ensemble Learning (2001), section 4.6.
//
//   n_prime (n0)   rows of the batch phase, in presented order; they are kept raw until then
//   M'             learners AdaBoost.M1 made of them; the others never learn nor vote (sum_correct = sum_wrong = 0)
//
//   rows 1 .. n0      remembered; the answer is the most frequent class
//   with row n0       AdaBoost.M1 (adaboost_m1.hpp) trains the lanes, one after another; the rows are forgotten
//   afterwards        Oza's chain (oza.hpp) over the M' learners, from sum_correct = n0 (1 - epsilon), sum_wrong = n0 epsilon
//
// Choices     M' = 0 keeps the first learner with its measured error: the online phase needs something to update.
//             n_prime is part of the state: `fit` takes it from the length of its data.
// Cost        memory n0 rows until the batch phase, which runs inside the call that brings row n0.
#pragma once
#include "streamboost/ensembles/adaboost_m1.hpp"
#include "streamboost/ensembles/oza.hpp"

namespace streamboost {

struct PrimedBoost : BoosterDefaults {
  struct Params {
    OzaBoost::Params online;
    AdaBoostM1 batch;
    std::int64_t n_prime;
    static Params read(const Config& c) {
      return {OzaBoost::Params::read(c), {c.flag("keep_one"), c.whole<int>("n_passes"), c.flag("resample")}, c.whole("n_prime")};
    }
  };
  using LaneState = OzaBoost::LaneState;
  using Passage = OzaBoost::Passage;
  static constexpr BoosterTraits traits{.votes = true,
                                        .vote_weights = true,
                                        .keeps_rows = true,
                                        .learner_needs = true,
                                        .write_report = true,
                                        .restart = true,
                                        .shares_rows = true};

  OzaBoost online;
  AdaBoostM1 batch;
  std::int64_t n_prime;

  PrimedBoost(Params p, const Ensemble& ensemble) : online(p.online, ensemble), batch(p.batch), n_prime(p.n_prime) {
    batch.seed = ensemble.seed;
  }
  LearnerNeeds learner_needs() const { return online.learner_needs(); }
  void reserve(int n_classes) { online.reserve(n_classes); }

  bool remembers(std::int64_t number) const { return number < n_prime; }
  bool batch_phase_due(std::int64_t number) const { return number == n_prime - 1; }
  void batch_phase(BatchPhase& batch_phase, Block<LaneState>& block, Scratch& scratch) const {
    batch.batch_phase(batch_phase, block, scratch);
  }

  void score(const Example& example, const Block<LaneState>& block, Scratch& scratch, Passage& passage) const {
    if (const int n = live(block)) online.score_first(n, example, block, scratch, passage);
  }
  VoteWeights vote_weights(const Example& example, const Block<LaneState>& block, const Scratch& scratch, Passage& passage,
                           double* weight) const {
    return online.vote_weights_first(live(block), example, block, scratch, passage, weight);
  }
  void learn(const Example& example, Block<LaneState>& block, Scratch& scratch, Passage& passage) const {
    if (const int n = live(block))
      online.learn_first(n, example, block, scratch, passage);
    else
      std::fill(scratch.amount.begin(), scratch.amount.end(), 0.0);
  }
  void answer(const Example& example, const Passage& passage, Verdict& verdict) const { online.answer(example, passage, verdict); }
  void conclude(const Example& example, const Passage& passage) { online.conclude(example, passage); }
  void write_report(ModelReport& report, std::int64_t) const { report.totals["n_prime"] = static_cast<double>(n_prime); }
  void fields(FieldVisitor& v) {
    online.fields(v);
    v("n_prime", n_prime);
  }
  void check() const {
    online.check();
    require(n_prime >= 1, "n_prime");
  }

 private:
  // The lanes that the batch phase has made: a prefix, since the phase stops for good. None before it.
  static int live(const Block<LaneState>& block) {
    const double *correct = block.state.sum_correct[0], *wrong = block.state.sum_wrong[0];
    int n = 0;
    while (n < block.lanes().size() && correct[n] + wrong[n] > 0) ++n;
    return n;
  }
};

}  // namespace streamboost

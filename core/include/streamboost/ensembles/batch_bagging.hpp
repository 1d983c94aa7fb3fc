// Batch bagging: every learner is trained on a bootstrap sample of the rows.
//
// Papers    Breiman: Bagging predictors (1996); Oza: thesis (2001), figure 3.1.
//
//   for each learner: N draws with replacement, row n with probability s_n / W (s the sample weight, W its sum); row n is learned
//   once, in presented order, as many copies as it was drawn (n_passes times over, where order matters).      Vote: plurality.
//
// Draws       draw j of learner i is the row at which the running sum of weights passes u W, u keyed by (seed, j, i, purpose 1).
// Cost        N draws and one pass over the rows per learner; all lanes of a block take the pass together.
#pragma once
#include <algorithm>

#include "streamboost/data/batch_phase.hpp"
#include "streamboost/ensembles/bagging.hpp"

namespace streamboost {

struct BatchBagging : BoosterDefaults {
  struct Params {
    std::int64_t n_rows;
    int n_passes;
    static Params read(const Config& c) { return {c.whole("n_rows"), c.whole<int>("n_passes")}; }
  };
  using LaneState = NoLaneState;
  using Passage = Bagging::Passage;
  static constexpr BoosterTraits traits{.votes = true, .vote_weights = true, .keeps_rows = true};

  Bagging vote;
  std::uint64_t seed;
  std::int64_t n_rows;
  int n_passes;

  BatchBagging(Params p, const Ensemble& ensemble)
      : vote({Bagging::Sampling::poisson, 1, Ballot::label}, ensemble), seed(ensemble.seed), n_rows(p.n_rows), n_passes(p.n_passes) {}
  void reserve(int n_classes) { vote.reserve(n_classes); }

  bool remembers(std::int64_t number) const { return number < n_rows; }
  bool batch_phase_due(std::int64_t number) const { return number == n_rows - 1; }

  void batch_phase(BatchPhase& batch_phase, Block<LaneState>& block, Scratch& scratch) const {
    const LaneArray<double> copies = bootstrap(batch_phase, block.lanes());
    block.bank.batch_begin();
    for (int pass = 0; pass < n_passes; ++pass)
      for (std::size_t n = 0; n < batch_phase.example.size(); ++n) {
        const Example& example = batch_phase.example[n];
        std::copy_n(copies[n], copies.stride(), scratch.amount.data());
        block.bank->ask(example, Request::votes, scratch.answers);
        block.bank->learn(example, {example.label}, scratch.amount.data(), Amount::copies, scratch.answers);
      }
    block.bank.batch_end();
  }

  void score(const Example& example, const Block<LaneState>& block, Scratch& scratch, Passage& passage) const {
    vote.score(example, block, scratch, passage);
  }
  VoteWeights vote_weights(const Example& example, const Block<LaneState>& block, const Scratch& scratch, Passage& passage,
                           double* weight) const {
    return vote.vote_weights(example, block, scratch, passage, weight);
  }
  void learn(const Example& example, Block<LaneState>& block, Scratch& scratch, Passage& passage) const {
    if (passage.answers) score(example, block, scratch, passage);
    std::fill(scratch.amount.begin(), scratch.amount.end(), 0.0);
  }
  void answer(const Example& example, const Passage& passage, Verdict& verdict) const { vote.answer(example, passage, verdict); }
  void conclude(const Example& example, const Passage& passage) { vote.conclude(example, passage); }
  void fields(FieldVisitor& v) {
    vote.fields(v);
    v("n_rows", n_rows);
  }
  void check() const {
    vote.check();
    require(n_rows >= 1, "n_rows");
  }

 private:
  LaneArray<double> bootstrap(const BatchPhase& batch_phase, Lanes lanes) const {
    const std::size_t n = batch_phase.example.size();
    LaneArray<double> copies(n, static_cast<std::size_t>(lanes.size()));
    AlignedVector<double> sum, u(static_cast<std::size_t>(lanes.size()));
    double total = 0;
    for (const Example& example : batch_phase.example) sum.push_back(total += example.weight);
    for (std::size_t j = 0; j < n; ++j) {
      uniform_lanes(seed, j, static_cast<std::uint32_t>(lanes.begin), Purpose::poisson, u.data(), u.size());
      for (std::size_t i = 0; i < u.size(); ++i) {
        const auto row = static_cast<std::size_t>(std::upper_bound(sum.begin(), sum.end(), u[i] * total) - sum.begin());
        copies[std::min(row, n - 1)][i] += 1;
      }
    }
    return copies;
  }
};

}  // namespace streamboost

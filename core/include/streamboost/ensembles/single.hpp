// Single: one weak learner (or the plain average of several) behind the pipeline, the baseline of every table.
//
//   learn     every lane with weight s          predict   the mean of the lanes' class distributions
//
// Cost        one ask, one teach. State: class counts, for the time before a lane is trained.
#pragma once
#include "streamboost/ensembles/booster.hpp"

namespace streamboost {

struct Single : VoteCombiner {
  struct Params {
    static Params read(const Config&) { return {}; }
  };
  using LaneState = NoLaneState;
  struct Passage : PassageBase {};
  static constexpr BoosterTraits traits{.votes = true, .vote_weights = true};

  Params params;

  Single(Params p, const Ensemble&) : params(p) {}

  void score(const Example& example, const Block<LaneState>& block, Scratch& scratch, Passage& passage) const {
    block.bank->ask(example, Request::distributions, scratch.answers);
    if (passage.answers) add(example, block, scratch.answers, passage);
  }
  VoteWeights vote_weights(const Example&, const Block<LaneState>& block, const Scratch&, Passage&, double* weight) const {
    std::fill_n(weight, block.lanes().size(), 1.0);
    return {Request::distributions};
  }
  void learn(const Example& example, Block<LaneState>& block, Scratch& scratch, Passage& passage) const {
    score(example, block, scratch, passage);
    std::fill(scratch.amount.begin(), scratch.amount.end(), example.weight);
    if (block.events.heard()) {
      hard_votes(example, block, scratch.answers);
      block.events.votes(scratch.answers.vote.data(), scratch.amount.data(), example.label);
    }
    block.bank->learn(example, {example.label}, scratch.amount.data(), Amount::weight, scratch.answers);
  }

 private:
  static void add(const Example& example, const Block<LaneState>& block, const Answers& answers, Passage& passage) {
    for (int c = 0; c < example.n_classes; ++c) {
      const double* p = answers.distribution.data() + static_cast<std::size_t>(c) * answers.stride;
      for (int i = 0, n = block.lanes().size(); i < n; ++i) passage.votes[c] += p[i];
    }
  }
  static void hard_votes(const Example& example, const Block<LaneState>& block, Answers& answers) {
    for (int i = 0, n = block.lanes().size(); i < n; ++i) {
      int best = -1;
      double highest = 0;
      for (int c = 0; c < example.n_classes; ++c) {
        const double p = answers.distribution[static_cast<std::size_t>(c) * answers.stride + static_cast<std::size_t>(i)];
        if (p > highest) {
          highest = p;
          best = c;
        }
      }
      answers.vote[static_cast<std::size_t>(i)] = best;
    }
  }
};

}  // namespace streamboost

// Single: one weak learner (or the plain average of several) behind the pipeline, the baseline of every table.
//
//   learn     every lane with weight s          predict   the mean of the lanes' class distributions
//
// Cost        one ask, one teach. State: class counts, for the time before a lane is trained.
#pragma once
#include "streamboost/booster.hpp"

namespace streamboost {

struct Single {
  struct Params {
    static Params read(const Config&) { return {}; }
  };
  using LaneState = NoLaneState;
  struct Passage : PassageBase {};
  static constexpr bool needs_votes = true, needs_column = false, binary_only = false;

  Params params;
  ClassCounts counts;

  Single(Params p, const Ensemble&) : params(p) {}
  void reserve(int n_classes) { counts.reserve(n_classes); }

  void score(const Example& example, const Block<LaneState>& block, Scratch& scratch, Passage& passage) const {
    block.bank->ask(example, Want::distributions, scratch.asked);
    if (passage.answers) add(example, block, scratch.asked, passage);
  }
  void learn(const Example& example, Block<LaneState>& block, Scratch& scratch, Passage& passage) const {
    score(example, block, scratch, passage);
    std::fill(scratch.amount.begin(), scratch.amount.end(), example.weight);
    if (block.monitor.on) {
      hard_votes(example, block, scratch.asked);
      block.monitor.observe_votes(scratch.asked.vote.data(), scratch.amount.data(), example.label);
    }
    block.bank->learn(example, {example.label}, scratch.amount.data(), Amount::weight, scratch.asked);
  }
  void answer(const Example& example, const Passage& passage, Verdict& verdict) const {
    speak_votes(passage.votes, example.n_classes, counts, verdict);
  }
  void conclude(const Example& example, const Passage&) { counts.add(example.label, example.weight); }
  void fields(FieldVisitor& v) { v("class_weight", counts.weight); }
  void check() const { counts.check(); }

 private:
  static void add(const Example& example, const Block<LaneState>& block, const Asked& asked, Passage& passage) {
    for (int c = 0; c < example.n_classes; ++c) {
      const double* p = asked.distribution.data() + static_cast<std::size_t>(c) * asked.stride;
      for (int i = 0, n = block.lanes().size(); i < n; ++i) passage.votes[c] += p[i];
    }
  }
  static void hard_votes(const Example& example, const Block<LaneState>& block, Asked& asked) {
    for (int i = 0, n = block.lanes().size(); i < n; ++i) {
      int best = -1;
      double highest = 0;
      for (int c = 0; c < example.n_classes; ++c) {
        const double p = asked.distribution[static_cast<std::size_t>(c) * asked.stride + static_cast<std::size_t>(i)];
        if (p > highest) {
          highest = p;
          best = c;
        }
      }
      asked.vote[static_cast<std::size_t>(i)] = best;
    }
  }
};

}  // namespace streamboost

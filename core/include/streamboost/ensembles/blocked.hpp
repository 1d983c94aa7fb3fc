// Breiman's blocked boosting: small blocks of the stream, each enriched with what the learners so far get wrong.
//
// Papers    Breiman: Pasting small votes for classification in large databases and on-line (1999); Oza: thesis (2001), chapter 2.
//
//   paper    here                    meaning
//   N_b      block_size              examples a learner is made of; it never learns again
//   T_m      accepted[m]             how many of them learner m has so far
//   t, e     drawn[m], wrong[m]      weight of the examples tried for learner m, ... that the earlier learners got wrong
//   r_m      Passage::r              error of the earlier learners, smoothed over learners
//
//   The first learner that is not full tries the example: accepted if it is learner 1 or the plurality of the full learners is
//   wrong, otherwise with probability r / (1 - r), at most 1, where
//     r_2 = e / t        r_m = 0.75 r_{m-1} + 0.25 e / t   (m > 2)        literal: r_1 = 1 and the second form from m = 2 on
//
// Departures  A learner is taught its block as it comes in and is heard once it is full: for learners that learn row by row that is
//             training on the block, and no rows need to be kept. Where data end inside a block the thesis trains on the part if it
//             has two classes; so the answer is that of a stream ending here, and a part with two classes votes. It has no say
//             in what is accepted. Printed literally, r_1 = 1 makes the second block accept everything: hence the default.
//             Weights: s scales the update and the counts t and e; a block counts examples. When all learners are full, learning ends.
// Cost        one ask, one teach of one lane, one keyed coin. State: five numbers per lane.
#pragma once
#include <algorithm>

#include "streamboost/ensembles/booster.hpp"
#include "streamboost/math/rng.hpp"

namespace streamboost {

struct BlockedBoost : VoteCombiner {
  struct Params {
    double block_size;
    bool literal;
    static Params read(const Config& c) { return {c.number("block_size"), c.flag("literal")}; }
  };
  struct LaneState : LaneStateDefaults {
    LaneArray<double> accepted, drawn, wrong;
    LaneArray<double> first_label, mixed;  // first_label: code + 1, 0 for none; mixed: 1 once another label came
    void reserve(Lanes lanes) {
      accepted = drawn = wrong = first_label = mixed = LaneArray<double>(1, static_cast<std::size_t>(lanes.size()));
    }
    void fields(FieldVisitor& v) {
      v("accepted", accepted);
      v("drawn", drawn);
      v("wrong", wrong);
      v("first_label", first_label);
      v("mixed", mixed);
    }
    void check() const {
      for (std::size_t i = 0; i < accepted.lanes(); ++i) {
        require(accepted[0][i] >= 0 && wrong[0][i] >= 0 && drawn[0][i] >= wrong[0][i], "counts of a block");
        require(accepted[0][i] == 0 || drawn[0][i] > 0, "counts of a block");
        require(first_label[0][i] >= 0 && (mixed[0][i] == 0 || mixed[0][i] == 1), "labels of a block");
      }
    }
  };
  struct Passage : PassageBase {
    double r = 0;        // smoothed error of the last full learner
    bool tried = false;  // a learner that is not full was met: later ones wait
    auto scan() { return std::tie(r, tried); }
    bool sound(int, int) const { return r >= 0 && r <= 1; }
  };
  static constexpr BoosterTraits traits{.votes = true, .vote_weights = true};

  Params params;
  std::uint64_t seed;

  BlockedBoost(Params p, const Ensemble& ensemble) : params(p), seed(ensemble.seed) {}

  void score(const Example& example, const Block<LaneState>& block, Scratch& scratch, Passage& passage) const {
    const int i = pass_full(example, block, scratch, passage);
    if (i >= 0 && passage.answers) add_part(i, block, scratch, passage);
  }
  VoteWeights vote_weights(const Example&, const Block<LaneState>& block, const Scratch&, Passage& passage, double* weight) const {
    for (int i = 0; i < block.lanes().size(); ++i) {
      const bool full = block.state.accepted[0][i] >= params.block_size;
      weight[i] = !passage.tried && (full || block.state.mixed[0][i] > 0) ? 1.0 : 0.0;
      passage.tried |= !full;
    }
    return {};
  }

  void learn(const Example& example, Block<LaneState>& block, Scratch& scratch, Passage& passage) const {
    auto& state = block.state;
    std::fill(scratch.amount.begin(), scratch.amount.end(), 0.0);
    const int i = pass_full(example, block, scratch, passage);
    const bool accepted = i >= 0 && accept(example, block.lanes().begin + i, state.drawn[0][i], state.wrong[0][i], passage);
    if (i >= 0 && passage.answers) add_part(i, block, scratch, passage);
    if (accepted) scratch.amount[static_cast<std::size_t>(i)] = example.weight;
    block.events.votes(scratch.answers.vote.data(), scratch.amount.data(), example.label);
    if (!accepted) return;
    block.bank->learn(example, {example.label}, scratch.amount.data(), Amount::weight, scratch.answers);
    state.accepted[0][i] += 1;
    const double label = example.label + 1;
    if (state.first_label[0][i] == 0)
      state.first_label[0][i] = label;
    else if (state.first_label[0][i] != label)
      state.mixed[0][i] = 1;
  }

 private:
  // Asks the lanes, adds the votes of the full ones and carries r along. Returns the lane whose turn it is, -1 if none of these.
  int pass_full(const Example& example, const Block<LaneState>& block, Scratch& scratch, Passage& passage) const {
    const Lanes lanes = block.lanes();
    const auto& state = block.state;
    block.bank->ask(example, Request::votes, scratch.answers);
    for (int i = 0; i < lanes.size() && !passage.tried; ++i) {
      passage.tried = state.accepted[0][i] < params.block_size;
      if (passage.tried) return i;
      const int vote = scratch.answers.vote[static_cast<std::size_t>(i)];
      if (vote >= 0) passage.votes[vote] += 1;
      passage.r = smooth(passage.r, state.wrong[0][i] / state.drawn[0][i], lanes.begin + i);
    }
    return -1;
  }

  // Counts the trial and decides it.
  bool accept(const Example& example, int lane, double& drawn, double& wrong, const Passage& passage) const {
    const bool is_wrong = lane == 0 || plurality(passage.votes, example.n_classes) != example.label;
    drawn += example.weight;
    if (is_wrong) wrong += example.weight;
    const double r = smooth(passage.r, wrong / drawn, lane);
    const Key coin{seed, static_cast<std::uint64_t>(example.number), static_cast<std::uint32_t>(lane), Purpose::fraction};
    return is_wrong || uniform(coin) * (1 - r) < r;  // u < r / (1 - r), where r may be 1
  }

  // r_m from r_{m-1}; lane 0 is learner 1.
  double smooth(double before, double rate, int lane) const {
    if (lane == 0) return 1;
    if (lane == 1 && !params.literal) return rate;
    return 0.75 * before + 0.25 * rate;
  }

  // The part of a block that the stream has filled so far speaks too, if it knows two classes.
  static void add_part(int i, const Block<LaneState>& block, const Scratch& scratch, Passage& passage) {
    const int vote = scratch.answers.vote[static_cast<std::size_t>(i)];
    if (block.state.mixed[0][i] > 0 && vote >= 0) passage.votes[vote] += 1;
  }

  static int plurality(const double* votes, int n_classes) {
    int best = n_classes > 0 ? 0 : -1;
    for (int c = 1; c < n_classes; ++c)
      if (votes[c] > votes[best]) best = c;
    return best;
  }
};

}  // namespace streamboost

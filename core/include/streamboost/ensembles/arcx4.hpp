// Online Arc-x4.
//
// Paper     Fern, Givan: Online ensemble learning: an empirical study (2000); Breiman: Arcing classifiers (1998).
//
//   paper    here              meaning
//   w        Passage::wrong    earlier learners that got this example wrong, each judged after it had learned it
//   1 + w^4  amount[i]         what learner i is told the example is worth, times the sample weight s
//   h_m(x)   vote[i]           hard label
//
//   w = 0; for each learner i: learn (x, y) with weight 1 + w^4; if it still answers wrong, w += 1.      Vote: plurality.
//
// Choices     The source prints no vote; Arc-x4 counts heads. Sample weights, which it does not have, multiply the update. A weight
//             reaches 1 + (n - 1)^4, about 1e8 for 100 learners: one weighted update, never repetitions, where the bank has weights.
// Cost        one ask, one teach; for lanes that were wrong one `after`. No draws, no state per lane. The combiner keeps class counts
//             for the time before any lane is trained.
#pragma once
#include <algorithm>

#include "streamboost/ensembles/booster.hpp"

namespace streamboost {

struct ArcX4 : VoteCombiner {
  struct Params {
    static Params read(const Config&) { return {}; }
  };
  using LaneState = NoLaneState;
  struct Passage : PassageBase {
    double wrong = 0;
    auto scan() { return std::tie(wrong); }
    bool sound(int lanes, int) const { return wrong >= 0 && wrong <= lanes; }
  };
  static constexpr BoosterTraits traits{.votes = true, .vote_weights = true, .learner_needs = true};

  ArcX4(Params, const Ensemble&) {}
  LearnerNeeds learner_needs() const { return {.answers_after_learning = true}; }

  void score(const Example& example, const Block<LaneState>& block, Scratch& scratch, Passage& passage) const {
    block.bank->ask(example, Request::votes, scratch.answers);
    if (passage.answers) count_votes(scratch.answers.vote.data(), block.lanes().size(), example.n_classes, passage.votes);
  }
  VoteWeights vote_weights(const Example&, const Block<LaneState>& block, const Scratch&, Passage&, double* weight) const {
    std::fill_n(weight, block.lanes().size(), 1.0);
    return {Request::votes};
  }

  void learn(const Example& example, Block<LaneState>& block, Scratch& scratch, Passage& passage) const {
    score(example, block, scratch, passage);
    const AnswersAfter* after = block.bank.can().after;
    LearnsThenAnswers* at_once = block.bank.can().learn_then_answer;
    if (after != nullptr) after->after_begin(example, scratch.answers);
    const auto n = static_cast<std::size_t>(block.lanes().size());
    double* amount = scratch.amount.data();
    const std::int32_t* vote = scratch.answers.vote.data();
    double wrong = passage.wrong;
    for (std::size_t i = 0; i < n; ++i) {
      const double square = wrong * wrong;
      amount[i] = example.weight * (1 + square * square);
      bool right = vote[i] == example.label;
      if (after == nullptr)
        right =
            at_once->learn_then_answer(static_cast<int>(i), example, amount[i], Amount::weight, Request::votes, scratch.answers).label ==
            example.label;
      else if (!(right && scratch.answers.right_stays_right()))
        right = after->right_after(static_cast<int>(i), example, amount[i], Amount::weight, scratch.answers);
      if (!right) wrong += 1;
    }
    passage.wrong = wrong;
    std::fill(scratch.amount.begin() + static_cast<std::ptrdiff_t>(n), scratch.amount.end(), 0.0);
    block.events.votes(vote, amount, example.label);
    if (after != nullptr) block.bank->learn(example, {example.label}, amount, Amount::weight, scratch.answers);
  }
};

}  // namespace streamboost

// What the expert-advice ensembles share: one lane per expert, hard answers, a combiner that weighs them.
//
// Every expert learns every example with the sample weight; an expert that has nothing to say yet (-1) is wrong.
// column = [answers, padded | work, padded]
#pragma once
#include <algorithm>

#include "streamboost/ensembles/hedge.hpp"

namespace streamboost {

struct Experts {
  static void ask(const Example& example, const Block<NoLaneState>& block, Scratch& scratch, const PassageBase& passage) {
    block.bank->ask(example, Request::votes, scratch.answers);
    std::copy_n(scratch.answers.vote.data(), block.lanes().size(), passage.column + block.lanes().begin);
  }
  static void learn(const Example& example, Block<NoLaneState>& block, Scratch& scratch, const PassageBase& passage) {
    ask(example, block, scratch, passage);
    std::fill(scratch.amount.begin(), scratch.amount.end(), example.weight);
    block.events.votes(scratch.answers.vote.data(), scratch.amount.data(), example.label);
    block.bank->learn(example, {example.label}, scratch.amount.data(), Amount::weight, scratch.answers);
  }

  // Experts that were wrong, or silent, lose the example's weight.
  static void charge(const PassageBase& passage, const Example& example, Hedge& hedge) {
    for (std::size_t i = 0; i < hedge.size(); ++i)
      hedge.charge(i, static_cast<int>(passage.column[i]) == example.label ? 0.0 : example.weight);
  }

  // Summed weight of each class; true if its greatest belongs to `label` alone. The sum of all weights, silent ones too, in `total`.
  static bool poll(const PassageBase& passage, const double* weight, std::size_t n, int n_classes, int label, double& total) {
    std::fill_n(passage.votes, n_classes, 0.0);
    total = 0;
    for (std::size_t i = 0; i < n; ++i) {
      total += weight[i];
      if (passage.column[i] >= 0) passage.votes[static_cast<int>(passage.column[i])] += weight[i];
    }
    if (label < 0 || label >= n_classes) return false;
    for (int c = 0; c < n_classes; ++c)
      if (c != label && passage.votes[c] >= passage.votes[label]) return false;
    return passage.votes[label] > 0;
  }
};

}  // namespace streamboost

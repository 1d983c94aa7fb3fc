// What boosters share: asking for hypotheses, counting votes, and turning votes into a verdict.
#pragma once
#include <algorithm>
#include <cstdint>

#include "streamboost/data/config.hpp"
#include "streamboost/ensembles/block.hpp"
#include "streamboost/math/rng.hpp"

namespace streamboost {

// What the ensemble says of one row, over the classes known when it arrived.
struct Verdict {
  double* score;  // [class]; with two classes score[1] - score[0] is the margin
  double* proba;  // [class]
  void set_margin(double margin, double probability_of_one) {
    score[0] = -0.5 * margin;
    score[1] = 0.5 * margin;
    proba[0] = 1 - probability_of_one;
    proba[1] = probability_of_one;
  }
};

// Two classes: margin[i] = h^i(x), real in [-1, 1], or the learner's vote as +-1 (-1 while it is untrained).
inline void ask_hypotheses(const Example& example, const Bank& bank, bool hard, Answers& answers) {
  bank.ask(example, hard ? Request::votes : Request::margins, answers);
  if (!hard) return;
  const std::int32_t* vote = answers.vote.data();
  for (std::size_t i = 0; i < answers.stride; ++i) answers.margin[i] = vote[i] == 1 ? 1.0 : -1.0;
}

// Weights become the example itself, with the weight as its probability: amount[i] is s with probability amount[i] / s, else 0.
inline void pass_by_coin(const Example& example, std::uint64_t seed, Lanes lanes, Scratch& scratch) {
  const auto n = static_cast<std::size_t>(lanes.size());
  uniform_lanes(seed, static_cast<std::uint64_t>(example.number), static_cast<std::uint32_t>(lanes.begin), Purpose::coin,
                scratch.draw.data(), n);
  for (std::size_t i = 0; i < n; ++i) scratch.amount[i] = scratch.draw[i] * example.weight < scratch.amount[i] ? example.weight : 0.0;
}

// Weighted class counts: what an ensemble without a single vote falls back on.
struct ClassCounts {
  AlignedVector<double> weight;
  void reserve(int n_classes) { weight.resize(static_cast<std::size_t>(n_classes)); }
  void add(int label, double w) { weight[static_cast<std::size_t>(label)] += w; }
  void to_verdict(int n_classes, Verdict& verdict) const {
    double sum = 0;
    for (int c = 0; c < n_classes; ++c) sum += weight[static_cast<std::size_t>(c)];
    for (int c = 0; c < n_classes; ++c)
      verdict.score[c] = verdict.proba[c] = sum > 0 ? weight[static_cast<std::size_t>(c)] / sum : 1.0 / n_classes;
  }
  void check() const {
    for (double w : weight) require(w >= 0, "class counts");
  }
};

// One vote per trained lane.
inline void count_votes(const std::int32_t* vote, int n, int n_classes, double* votes) {
  if (n_classes == 2) {
    int zeros = 0, ones = 0;
    for (int i = 0; i < n; ++i) {
      zeros += vote[i] == 0;
      ones += vote[i] == 1;
    }
    votes[0] += zeros;
    votes[1] += ones;
    return;
  }
  for (int i = 0; i < n; ++i)
    if (vote[i] >= 0) votes[vote[i]] += 1;
}

// What a learner puts into the vote: its label, or its whole class distribution.
enum class Ballot { label, distribution };
inline Ballot read_ballot(const Config& c) {
  return c.choice<Ballot>("ballot", {{"label", Ballot::label}, {"distribution", Ballot::distribution}});
}
inline Request wanted(Ballot ballot) { return ballot == Ballot::label ? Request::votes : Request::distributions; }

// The distribution of one lane, times a weight.
inline void add_distribution(const Answers& answers, std::size_t lane, int n_classes, double weight, double* votes) {
  for (int c = 0; c < n_classes; ++c) votes[c] += weight * answers.distribution[static_cast<std::size_t>(c) * answers.stride + lane];
}

// The distributions of the first n lanes, times their weights, lane by lane; null: 1 each. The sums of four classes run side by side.
inline void add_distributions(const Answers& answers, const double* weight, std::size_t n, int n_classes, double* votes) {
  constexpr int side = 4;
  for (int first = 0; first < n_classes; first += side) {
    const double* share[side];
    double sum[side];
    for (int c = 0; c < side; ++c) {
      const int code = std::min(first + c, n_classes - 1);
      share[c] = answers.distribution.data() + static_cast<std::size_t>(code) * answers.stride;
      sum[c] = votes[code];
    }
    for (std::size_t i = 0; i < n; ++i) {
      const double w = weight != nullptr ? weight[i] : 1.0;
      for (int c = 0; c < side; ++c) sum[c] += w * share[c][i];
    }
    for (int c = 0; c < side && first + c < n_classes; ++c) votes[first + c] = sum[c];
  }
}

// Votes to a verdict: scores are the votes over their absolute sum; probabilities clip negative votes. Where there is nothing to
// divide by, the class counts speak.
inline void votes_to_verdict(const double* votes, int n_classes, const ClassCounts& counts, Verdict& verdict) {
  double size = 0, positive = 0;
  for (int c = 0; c < n_classes; ++c) {
    size += votes[c] < 0 ? -votes[c] : votes[c];
    positive += votes[c] > 0 ? votes[c] : 0.0;
  }
  counts.to_verdict(n_classes, verdict);
  for (int c = 0; c < n_classes; ++c) {
    if (size > 0) verdict.score[c] = votes[c] / size;
    if (positive > 0) verdict.proba[c] = votes[c] > 0 ? votes[c] / positive : 0.0;
  }
}

}  // namespace streamboost

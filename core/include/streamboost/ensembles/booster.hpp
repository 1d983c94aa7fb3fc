// What a booster is made of and what it may use. An algorithm file defines one struct with
//
//   Params                     its numbers, read once from a Config
//   LaneState                  what it keeps per lane of a block (reserve, fields, check)
//   Passage : PassageBase      what travels with one example from block to block
//   score(example, block, scratch, passage) const       add these lanes' answers to the passage
//   learn(example, block, scratch, passage)             the same, and teach the lanes
//   answer(example, passage, verdict) const             the combiner speaks, with its state of before this example
//   conclude(example, passage)                          the combiner learns the example
//   fields(visitor)                                     the combiner's state
//   vote_weights(example, block, scratch, passage, voice) const   where the score is a weighted sum of what the lanes said: their weights, up
//                                                       to the sum of the votes where it has votes; the passage begins anew
//
// and, where it has something to say, write_report(report, examples learned), column_rows (rows of its column), watches_prefixes (the
// monitor keeps prefix sums) and grain() (cuts fall on its multiples). keeps_rows asks for a batch phase: remembers(number) and
// batch_phase_due(number) say which examples it is made of, batch_phase(batch_phase, block, scratch) runs it for one block of lanes after the other
// (row_memory.hpp); shares_rows says that the phase weighs its rows.
//
// A regressor says answers_numbers and, instead of `answer`, number(example, passage) const: the number it answers, NaN if it knows none.
// What lanes need to know of all examples so far, a booster with `announces` gives to every passage (announce) and learns at admission
// (take_in), before any lane does: only the first worker touches that state. pipeline.hpp runs it all.
//
// Between processes (carry.hpp) a Passage travels as the numbers that its scan() lists, by std::tie; sound(lanes passed, classes) says
// whether they can be, and column_labels_from that the column holds class codes from that one on.
#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>

#include "streamboost/data/carry.hpp"
#include "streamboost/data/config.hpp"
#include "streamboost/drift/guard.hpp"
#include "streamboost/ensembles/lane_events.hpp"
#include "streamboost/learners/explained.hpp"
#include "streamboost/math/rng.hpp"

namespace streamboost {

// The facts about an ensemble that every booster may need.
struct Ensemble {
  int n_estimators = 1;
  std::uint64_t seed = 0;
  bool random_ties = false;
  bool monitor = true;
  int threads = 1;
  int wave_chunk = 0;                    // rows that go from thread to thread together; 0: the usual number, and only where threads pay
  GuardParams guard;                     // of every lane against drift; off unless asked for
  std::shared_ptr<Part> part = nullptr;  // null: all lanes live here

  Lanes lanes() const { return part ? part->lanes : Lanes{0, n_estimators}; }
};

struct PassageBase {
  double* votes = nullptr;   // [class], zero at the start, where Booster::needs_votes
  double* column = nullptr;  // [global lane], where Booster::needs_column
  bool answers = true;       // false: nobody will read the answer of this example
};

struct Scratch {
  Answers answers;
  AlignedVector<double> amount, draw, extra;  // [lane], padded; amount: what the lanes have learned, when `learn` returns
  Amount kind = Amount::weight;               // ... and as what
  AlignedVector<double> work, row;            // a booster's own room, sized by itself
  std::vector<std::int32_t> counts;
  AlignedVector<double> target;  // [lane]: what a regressor's lanes were taught
  Answers spare_answers;         // of the background learners, where there are any
  AlignedVector<double> spare_amount;
  void prepare(const Bank& bank, const Bank* spares, std::size_t n_classes) {
    const auto lanes = static_cast<std::size_t>(bank.lanes().size());
    bank.prepare(n_classes, answers);
    if (spares != nullptr) {
      spares->prepare(n_classes, spare_answers);
      spare_amount.resize(padded(lanes));
    }
    amount.resize(padded(lanes));
    draw.resize(padded(lanes));
    extra.resize(padded(lanes));
    if (bank.answers_numbers()) target.resize(padded(lanes));
  }
  // Room for a matrix of costs and for costs per lane, before the first lane has learned: memory that runs out then harms nobody.
  void reserve_costs(std::size_t lanes, std::size_t n_classes) {
    work.reserve(std::max(n_classes * n_classes, (lanes + 1 + answers.stride) * n_classes));
    row.reserve(n_classes);
    counts.reserve(n_classes);
  }
};

template <class LaneState>
struct Block {
  std::unique_ptr<Bank> bank;
  LaneState state;
  LaneEvents events;
  DriftGuard guard;              // on where the ensemble asks for it
  std::unique_ptr<Bank> spares;  // background learners, lane by lane, where the guard wants them
  Lanes lanes() const { return bank->lanes(); }
  Block copy() const { return {bank->copy(), state, events, guard, spares ? spares->copy() : nullptr}; }
};

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

struct NoLaneState {
  void reserve(Lanes) {}
  void fields(FieldVisitor&) {}
  void check() const {}
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

// What a booster's lanes say in the score, if that is a weighted sum of their answers.
struct VoteWeights {
  Request of = Request::votes;
  bool hard = false;   // margins that are votes
  bool linear = true;  // false: it is no such sum
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

// A bank: N weak learners of one kind, called once per example for all its lanes.
//
// One example goes through a bank in two steps. `ask` answers for every lane and leaves notes (raw scores, log joints) in Answers;
// `learn` teaches every lane its amount and may use those notes, so a row is scored once. Between the two a booster may call
// `after`: the answer lane i would give had it already learned the example. Where `after` exists it *is* the answer after
// the update; banks without lanes (trees, Python learners) offer `learn_then_answer` instead. Never both.
#pragma once
#include <cstdint>
#include <stdexcept>

#include "streamboost/math/kernels.hpp"
#include "streamboost/math/lanes.hpp"
#include "streamboost/run/fields.hpp"
#include "streamboost/run/intake.hpp"
#include "streamboost/run/row.hpp"
#include "streamboost/run/schema.hpp"

namespace streamboost {

enum class Amount { weight, copies };                  // one update scaled by a | a updates in a row (a whole number)
enum class Request { margins, votes, distributions };  // what a booster reads after `ask`; distributions come with votes

struct Answer {
  int label = -1;     // -1: untrained, abstains
  double margin = 0;  // two classes only, in [-1, 1]
};

struct Abilities {
  bool weights = true;  // false: fractions are passed by a keyed coin
  bool copies = true;
  bool missing = true;   // takes NaN
  bool costs = false;    // learn_costs
  bool targets = false;  // learn_targets
  int max_classes = 1 << 20;
  bool declared_classes = false;  // more than two classes must be declared up front
  bool needs_gil = false;         // written in Python
};

// The present attributes of a row as lists of table rows, for banks that count (naive Bayes).
struct Terms {
  std::vector<double> x, shared_x;                    // numeric values
  std::vector<std::int32_t> row, column, shared_row;  // ... their table rows and columns
  std::vector<std::int32_t> value_row, value_column;  // nominal values
  std::vector<double> value_alpha;
  bool value_gap = false;  // some of these columns had gaps
  std::vector<const double*> weight;
  std::vector<std::int64_t> long_scratch;
  void clear() {
    x.clear();
    row.clear();
    column.clear();
    value_row.clear();
    value_column.clear();
    value_alpha.clear();
    value_gap = false;
  }
};

// What a bank said about one row. Belongs to one worker; a bank keeps no scratch of its own, so const verbs are thread-safe.
struct Answers {
  AlignedVector<double> margin;        // [lane], positive = class code 1; 0 if untrained
  AlignedVector<std::int32_t> vote;    // [lane], -1 = untrained
  AlignedVector<double> distribution;  // [class][lane]; untrained: 0
  AlignedVector<double> notes;         // the bank's own
  Terms terms;
  std::size_t stride = 0;                  // padded lanes
  std::size_t speakers = ~std::size_t{0};  // only the distributions of so many lanes will be read: a bank may leave out the others
  bool keeps_right = false;                // a lane that answers right stays right after learning this example
  bool still_when_right = false;           // ... and its margin does not move at all
  bool bounded = false;                    // a bound on the answer after learning is at hand (right_after)
  bool all_move = false;        // even lanes that learn nothing of the example may answer otherwise after it (a value became known)
  bool plain = false;           // the bank's own: numbers only, none missing
  bool notes_complete = false;  // the bank's own: whether its notes are worked out to the end

  void prepare(std::size_t lanes, std::size_t n_classes, std::size_t note_rows) {
    stride = padded(lanes);
    margin.resize(stride);
    vote.resize(stride);
    distribution.resize(stride * n_classes);
    notes.resize(stride * note_rows);
  }
};

class Bank {
 public:
  virtual ~Bank() = default;
  virtual Lanes lanes() const = 0;
  virtual Abilities can() const = 0;
  virtual IntakeNeeds needs() const = 0;
  virtual std::size_t note_rows() const = 0;

  virtual void ask(const Example&, Request, Answers&) const = 0;
  // Two classes: ln p(1 | x) / p(0 | x) into answers.margin, at most `limit` in size; 0 if untrained. `learn` may follow as after `ask`.
  virtual void log_odds(const Example& example, double limit, Answers& answers) const {
    ask(example, Request::margins, answers);
    margin_log_odds(answers.margin.data(), limit, answers.margin.data(), answers.margin.size());
  }
  virtual void learn(const Example&, Labels, const double* amount, Amount, Answers&) = 0;  // amount[lane] 0: skip the lane

  // Lessons between these two are a batch: nobody reads an answer before the end, so structure may wait until then.
  virtual void batch_begin() {}
  virtual void batch_end() {}

  virtual bool trained(int) const { return true; }  // by local lane; asked only of lanes whose margin is 0

  virtual bool has_after() const = 0;
  virtual void after_begin(const Example&, Answers&) const {}
  virtual Answer after(int, const Example&, double, Amount, const Answers&) const { throw std::logic_error("bank has no after"); }
  // Does the lane answer right after learning the example? A bank may know without working out the answer.
  virtual bool right_after(int lane, const Example& example, double amount, Amount kind, const Answers& answers) const {
    return after(lane, example, amount, kind, answers).label == example.label;
  }
  virtual Answer learn_then_answer(int, const Example&, double, Amount, Request, Answers&) {
    throw std::logic_error("bank has no learn_then_answer");
  }
  virtual void learn_costs(const Example&, const double*, Answers&) { throw std::logic_error("bank cannot learn costs"); }
  virtual void learn_targets(const Example&, const double*, Answers&) { throw std::logic_error("bank cannot learn targets"); }

  // The example is learned and part of the past: what all lanes share (values seen) may move on. Called once per block and
  // learned example, after the lanes, whatever their amounts were and even if `learn` was not called.
  virtual void finish_example(const Example&) {}

  virtual void reserve(const Schema&) = 0;  // all growth happens here, between blocks of rows
  virtual void reset(int lane) = 0;         // a new-born learner in this lane (local number)
  virtual void fields(FieldVisitor&) = 0;
  virtual void check() const {}  // after loading: ranges and indices
};

}  // namespace streamboost

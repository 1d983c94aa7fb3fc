// A bank: N weak learners of one kind, called once per example for all its lanes.
//
// One example goes through a bank in two steps. `ask` answers for every lane and leaves notes (raw scores, log joints) in Answers;
// `learn` teaches every lane its amount and may use those notes, so a row is scored once. What only some learners can do (answer as if
// they had learned already, learn costs, explain themselves) stands in abilities.hpp.
#pragma once
#include <cmath>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <utility>

#include "streamboost/data/example.hpp"
#include "streamboost/data/fields.hpp"
#include "streamboost/data/intake_needs.hpp"
#include "streamboost/data/lanes.hpp"
#include "streamboost/data/schema.hpp"
#include "streamboost/learners/abilities.hpp"
#include "streamboost/math/math.hpp"

namespace streamboost {

enum class Amount { weight, copies };  // one update scaled by a | a updates in a row (a whole number)
// What a booster reads after `ask`; distributions come with votes. Numbers are a regressor's answers: in `margin`, with vote 0, or -1
// where a lane is untrained.
enum class Request { margins, votes, distributions, numbers };

struct Answer {
  int label = -1;     // -1: untrained, abstains
  double margin = 0;  // two classes only, in [-1, 1]
};

// Which answers about a row may be different once its example is learned. Boosters that need the answers after learning skip the
// lanes that cannot have changed.
enum class Change {
  wrong_only,         // a lane that was right does not move at all: same label, same margin
  right_stays_right,  // a lane that was right stays right; its margin may move
  taught,             // any lane that learns a positive amount
  all,                // even lanes that learn nothing of it: something that all lanes share (a value) became known
};

struct BankNotes {
  virtual ~BankNotes() = default;
};

// What a bank said about one row. Belongs to one worker; a bank keeps no scratch of its own, so const verbs are thread-safe.
struct Answers {
  AlignedVector<double> margin;            // [lane], positive = class code 1; 0 if untrained
  AlignedVector<std::int32_t> vote;        // [lane], -1 = untrained
  AlignedVector<double> distribution;      // [class][lane]; untrained: 0
  AlignedVector<double> notes;             // the bank's own, [NoteRoom::rows][lane]
  std::unique_ptr<BankNotes> kept;         // the bank's own
  std::size_t stride = 0;                  // padded lanes
  std::size_t speakers = ~std::size_t{0};  // only the distributions of so many lanes will be read: a bank may leave out the others
  Change change = Change::taught;

  // The notes of the bank that made them.
  template <class Notes>
  Notes& own() {
    return static_cast<Notes&>(*kept);
  }
  template <class Notes>
  const Notes& own() const {
    return static_cast<const Notes&>(*kept);
  }
  bool right_stays_right() const { return change <= Change::right_stays_right; }
};

// What a bank keeps between asking about a row and learning it: so many numbers per lane, and an object of its own kind.
struct NoteRoom {
  std::size_t rows = 0;
  std::unique_ptr<BankNotes> kept;
};

class Bank {
 public:
  virtual ~Bank() = default;
  virtual Lanes lanes() const = 0;
  virtual IntakeNeeds needs() const = 0;
  virtual Abilities abilities() = 0;                  // abilities_of(*this), less what parameters rule out
  virtual NoteRoom make_notes() const { return {}; }  // with room for any row of the schema
  // A bank with the same state; learners written in Python are the same objects.
  virtual std::unique_ptr<Bank> copy() const = 0;
  // Numbers that the file of a model holds for each lane, at least, under this schema: what a small file cannot claim to have.
  virtual double least_numbers(const Schema&) const = 0;

  // Of what is no field: tables of columns, masks.
  virtual void count_unsaved(MemoryCounter&) const {}
  // What rows of the same schema may add to it.
  virtual void count_to_come(MemoryCounter&) const {}

  void prepare(std::size_t n_classes, Answers& answers) const {
    answers.stride = padded(static_cast<std::size_t>(lanes().size()));
    answers.margin.resize(answers.stride);
    answers.vote.resize(answers.stride);
    answers.distribution.resize(answers.stride * n_classes);
    NoteRoom room = make_notes();
    answers.notes.resize(answers.stride * room.rows);
    answers.kept = std::move(room.kept);
  }

  virtual void ask(const Example&, Request, Answers&) const = 0;
  virtual void learn(const Example&, Labels, const double* amount, Amount, Answers&) = 0;  // amount[lane] 0: skip the lane

  virtual bool trained(int lane) const = 0;  // by local lane; asked only of lanes whose margin is 0

  // The example is learned and part of the past: what all lanes share (values seen) may move on. Called once per block and
  // learned example, after the lanes, whatever their amounts were and even if `learn` was not called.
  virtual void finish_example(const Example&) {}

  // All growth happens here, between blocks of rows. If it throws the bank is lost: callers that go on work on a copy.
  virtual void reserve(const Schema&) = 0;

  // A new-born learner in this lane (local number). What is drawn for a learner is keyed by its birth number as well (of_birth in
  // rng.hpp): birth 0 is the learner that the lane began with. If there is no memory for it, the learner of before stays.
  void reset(int lane, std::uint32_t birth) {
    if (birth != 0 && births_.rows() == 0) throw std::logic_error("this bank keeps no births");
    const double before = this->birth(lane);
    if (births_.rows() > 0) births_[0][static_cast<std::size_t>(lane)] = birth;
    try {
      begin(lane);
    } catch (const std::bad_alloc&) {
      if (births_.rows() > 0) births_[0][static_cast<std::size_t>(lane)] = before;
      throw;
    }
  }
  // The learners of one lane change places with those of a bank of the same kind, lanes, schema and past: both have met the same
  // examples, so that what lanes share is equal. Nothing is allocated.
  void swap(int lane, Bank& other) {
    const auto i = static_cast<std::size_t>(lane);
    if (births_.rows() > 0) std::swap(births_[0][i], other.births_[0][i]);
    exchange(lane, other);
  }
  std::uint32_t birth(int lane) const { return births_.rows() == 0 ? 0 : static_cast<std::uint32_t>(births_[0][lane]); }
  // From here on births are counted and saved; called before the first row, or not at all.
  void keep_births() { births_ = LaneArray<double>(1, static_cast<std::size_t>(lanes().size())); }
  void visit(FieldVisitor& v) {
    if (births_.rows() > 0) v("birth", births_);
    if (v.loads()) take_births();
    fields(v);
  }

  virtual void check() const {}  // after loading: ranges and indices

 protected:
  virtual void begin(int lane) = 0;  // the learner of this lane's birth, untaught; asks for memory before it changes anything
  virtual void exchange(int lane, Bank& other) = 0;  // of `swap`
  virtual void fields(FieldVisitor&) = 0;

 private:
  // What was drawn for a learner tells how its fields lie: births are looked at first.
  void take_births() {
    for (std::size_t i = 0; i < births_.lanes(); ++i)
      require(births_[0][i] >= 0 && births_[0][i] < 65536 && births_[0][i] == std::floor(births_[0][i]), "birth");
    if (DrawnAtBirth* drawn = abilities().births; drawn != nullptr && births_.rows() > 0) drawn->draw_again();
  }

  LaneArray<double> births_;  // empty: all are 0
};

inline bool AnswersAfter::right_after(int lane, const Example& example, double amount, Amount kind, const Answers& answers) const {
  return after(lane, example, amount, kind, answers).label == example.label;
}

// A bank in its place in a model, and what it can do: asked once.
class BankHandle {
 public:
  BankHandle() = default;
  BankHandle(std::unique_ptr<Bank> bank) : bank_(std::move(bank)) {
    if (bank_) can_ = bank_->abilities();
  }
  Bank& operator*() const { return *bank_; }
  Bank* operator->() const { return bank_.get(); }
  Bank* get() const { return bank_.get(); }
  explicit operator bool() const { return bank_ != nullptr; }
  const Abilities& can() const { return can_; }
  std::unique_ptr<Bank> copy() const { return bank_ ? bank_->copy() : nullptr; }

  // Learners that have no log odds of their own: those of their margins.
  void log_odds(const Example& example, double limit, Answers& answers) const {
    if (can_.log_odds != nullptr) return can_.log_odds->log_odds(example, limit, answers);
    bank_->ask(example, Request::margins, answers);
    margin_log_odds(answers.margin.data(), limit, answers.margin.data(), answers.margin.size());
  }
  void batch_begin() const {
    if (can_.batches != nullptr) can_.batches->batch_begin();
  }
  void batch_end() const {
    if (can_.batches != nullptr) can_.batches->batch_end();
  }

 private:
  std::unique_ptr<Bank> bank_;
  Abilities can_;
};

}  // namespace streamboost

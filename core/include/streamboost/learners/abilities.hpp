// What only some learners can do. A bank inherits the interfaces that it has, and `abilities_of` lists them; a model asks for the list
// once, when the bank takes its place (BankHandle in bank.hpp), and what is not there is a null pointer.
#pragma once
#include <concepts>
#include <utility>
#include <vector>

#include "streamboost/data/example.hpp"
#include "streamboost/data/journal.hpp"
#include "streamboost/data/schema.hpp"
#include "streamboost/learners/tree_node.hpp"

namespace streamboost {

enum class Amount;
enum class Request;
struct Answer;
struct Answers;
struct ExplainRequest;  // learners/explained.hpp
struct Explained;

// Interfaces are inherited beside Bank and never deleted through.
struct Ability {
 protected:
  Ability() = default;
  Ability(const Ability&) = default;
  Ability& operator=(const Ability&) = default;
  ~Ability() = default;
};

// The answer that a lane would give had it already learned the example: after `ask`, and pure, so that a booster can weigh before it
// teaches. It *is* the answer after the update.
struct AnswersAfter : Ability {
  virtual void after_begin(const Example&, Answers&) const {}  // all lanes, once per example
  virtual Answer after(int lane, const Example&, double amount, Amount, const Answers&) const = 0;
  // Does the lane answer right after learning the example? A bank may know without working out the answer.
  virtual bool right_after(int lane, const Example&, double amount, Amount, const Answers&) const;
};

// Banks that cannot say so without learning (trees, learners written in Python) teach one lane and answer for it. Never both.
struct LearnsThenAnswers : Ability {
  virtual Answer learn_then_answer(int lane, const Example&, double amount, Amount, Request, Answers&) = 0;
};

struct LearnsCosts : Ability {
  virtual void learn_costs(const Example&, const double* cost, Answers&) = 0;  // cost[class][lane]
};

// Two classes: ln p(1 | x) / p(0 | x) into answers.margin, at most `limit` in size; 0 if untrained. `learn` may follow as after `ask`.
struct AnswersLogOdds : Ability {
  virtual void log_odds(const Example&, double limit, Answers&) const = 0;
};

// Why the lanes answered as they did, factor[lane] times their answers; after `ask`. False: not for this request.
struct Explains : Ability {
  virtual bool explain(const Example&, const ExplainRequest&, const double* factor, Answers&, Explained&) const = 0;
};

// What is learned between these two is a batch: nobody reads an answer before the end, so structure may wait until then.
struct LearnsBatches : Ability {
  virtual void batch_begin() = 0;
  virtual void batch_end() = 0;
};

struct NeedsRoom : Ability {
  // Before the first of these rows is learned: room for what they may bring, so that learning does not fail in the middle. weight: null for 1s.
  virtual void expect(const RowBlock&, const double* /*weight*/) {}
  // Growth for which there was no memory has waited, since the model was made or loaded: another machine might have learned more.
  virtual bool starved() const { return false; }
};

// Learners some of whose parameters are drawn: a function of the births, not saved.
struct DrawnAtBirth : Ability {
  virtual void draw_again() = 0;
};

struct ShowsTrees : Ability {
  virtual std::vector<TreeNode> show(int lane) const = 0;
};

// Trees that keep within a number of bytes.
struct LimitsTrees : Ability {
  virtual bool short_of_memory() const = 0;                      // some tree has had to
  virtual std::pair<int, int> count_leaves(int lane) const = 0;  // leaves of a tree, and those that had to stop observing
  virtual double bytes_beyond() const { return 0; }              // of all trees, that they hold beyond their limits and cannot give up
};

// Tables that grow where they are, once they have columns. Everything that is done is in the journal.
struct GrowsInPlace : Ability {
  virtual void grow(const Schema&, Journal&) = 0;
};

// Learners that are objects of another language, whose lock is held while the bank is called.
struct HoldsObjects : Ability {
  virtual void* object(int lane) const = 0;
};

struct Abilities {
  bool numbers = false;  // regression: it is asked for numbers and learns numbers, and nothing else
  AnswersAfter* after = nullptr;
  LearnsThenAnswers* learn_then_answer = nullptr;
  LearnsCosts* costs = nullptr;
  AnswersLogOdds* log_odds = nullptr;
  Explains* explain = nullptr;
  LearnsBatches* batches = nullptr;
  NeedsRoom* room = nullptr;
  DrawnAtBirth* births = nullptr;
  ShowsTrees* trees = nullptr;
  LimitsTrees* limits = nullptr;
  HoldsObjects* objects = nullptr;
  GrowsInPlace* grows = nullptr;

  bool answers_after_learning() const { return after != nullptr || learn_then_answer != nullptr; }
};

// The interfaces that a bank inherits.
template <class BankKind>
Abilities abilities_of(BankKind& bank) {
  Abilities all;
  const auto find = [&]<class Interface>(Interface*& to) {
    if constexpr (std::derived_from<BankKind, Interface>) to = &bank;
  };
  find(all.after);
  find(all.learn_then_answer);
  find(all.costs);
  find(all.log_odds);
  find(all.explain);
  find(all.batches);
  find(all.room);
  find(all.births);
  find(all.trees);
  find(all.limits);
  find(all.grows);
  find(all.objects);
  return all;
}

}  // namespace streamboost

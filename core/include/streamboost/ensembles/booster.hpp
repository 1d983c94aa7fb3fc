// What a booster is. An algorithm file defines one struct that inherits BoosterDefaults and has
//
//   traits                     what its passages hold, and which of the optional functions below it has
//   Params                     its numbers, read once from a Config
//   LaneState                  what it keeps per lane of a block (reserve, fields, check); NoLaneState: nothing
//   Passage : PassageBase      what travels with one example from block to block
//   reserve(classes)           room for so many classes in the combiner
//   score(example, block, scratch, passage) const       add these lanes' answers to the passage
//   learn(example, block, scratch, passage) const       the same, and teach the lanes
//   answer(example, passage, verdict) const             the combiner speaks, with its state of before this example
//   conclude(example, passage)                          the combiner learns the example
//   fields(visitor), check() const                      the combiner's state
//
// Optional functions stand in BoosterTraits, each with its trait: one that is declared and missing, or there and not declared, does not
// compile, and neither does a trait that does not exist. run/booster_runner.hpp runs it all.
//
// Between processes (carry.hpp) a Passage travels as the numbers that its scan() lists, by std::tie; sound(lanes passed, classes) says
// whether they can be.
#pragma once
#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <tuple>

#include "streamboost/data/carry.hpp"
#include "streamboost/data/config.hpp"
#include "streamboost/ensembles/block.hpp"
#include "streamboost/ensembles/votes.hpp"
#include "streamboost/learners/explained.hpp"

namespace streamboost {

struct BatchPhase;  // data/batch_phase.hpp

// The facts about an ensemble that every booster may need.
struct Ensemble {
  int n_estimators = 1;
  std::uint64_t seed = 0;
  bool random_ties = false;
  bool monitor = true;
  static constexpr int most_threads = 256;
  int threads = 1;
  int wave_chunk = 0;                    // rows that go from thread to thread together; 0: the usual number, and only where threads pay
  GuardParams guard;                     // of every lane against drift; off unless asked for
  std::shared_ptr<Part> part = nullptr;  // null: all lanes live here
  bool unlabeled = false;                // rows without labels move the statistics of the columns

  Lanes lanes() const { return part ? part->lanes : Lanes{0, n_estimators}; }
};

struct PassageBase {
  double* votes = nullptr;   // [class], zero at the start, where traits.votes
  double* column = nullptr;  // [global lane], where traits.column
  bool answers = true;       // false: nobody will read the answer of this example

  std::tuple<> scan() { return {}; }
  bool sound(int /*lanes*/, int /*classes*/) const { return true; }
};

// A booster's declaration.
struct BoosterTraits {
  // Its passages hold
  bool votes = false;                               // votes[class]
  bool column = false;                              // column[lane]
  std::size_t column_rows = 1;                      // so many of them: more than one is working memory
  std::optional<int> column_labels = std::nullopt;  // class codes in the column, from this one on
  bool column_by_class = false;                     // and one more for every class
  Facts facts = Facts::none;                        // what it learns in place of labels

  // It has
  bool numbers = false;       // a regressor: `double number(example, passage) const` instead of `answer`; NaN if it knows none
  bool regressors = false;    // its learners answer numbers: those of a regressor do, whatever this says
  bool vote_weights = false;  // VoteWeights vote_weights(example, block, scratch, passage, weight) const: where the score is a weighted sum
                              // of what the lanes said, their weights, up to the sum of the votes where it has votes; the passage is new
  bool score_next = false;  // score_next(example, block, scratch, passage) const: as score, where nothing was learned since the row before
  bool announces = false;   // announce(passage) const, take_in(example): what lanes need to know of all examples so far goes with every
                            // passage and is learned at admission, before any lane learns: only the first worker touches that state
  bool keeps_rows = false;  // remembers(number) const, batch_phase_due(number) const: the examples of a batch phase;
                            // batch_phase(phase, block, scratch) const runs it for one block of lanes after the other
  bool learner_needs = false;  // LearnerNeeds learner_needs() const
  bool grain = false;          // int grain() const: cuts fall on its multiples
  bool begin = false;          // begin(lane state) const: how a lane's state begins
  bool write_report = false;   // write_report(report, examples learned) const
  bool table_bytes = false;    // size_t table_bytes() const: memory that is no state
  bool reborn = false;         // LaneState::reborn(lane): the learner of a lane was replaced
  bool restart = false;        // LaneState::restart(lane): ... and its place in the chain is to begin again

  // It asks for
  bool shares_rows = false;       // a batch phase that weighs its rows
  bool watches_prefixes = false;  // prefix sums in the monitor
  bool weighs_by_costs = false;   // room for costs
};

// What the learners of a booster must be able to do; one that cannot is refused when the model is built.
struct LearnerNeeds {
  bool answers_after_learning = false;
  bool costs = false;
};

// What a booster's lanes say in the score, if that is a weighted sum of their answers.
struct VoteWeights {
  Request of = Request::votes;
  bool hard = false;   // margins that are votes
  bool linear = true;  // false: it is no such sum
};

// What a booster has that says nothing.
struct BoosterDefaults {
  LearnerNeeds learner_needs() const { return {}; }
  int grain() const { return 1; }
  template <class LaneState>
  void begin(LaneState&) const {}
  void write_report(ModelReport&, std::int64_t) const {}
  std::size_t table_bytes() const { return 0; }
};

// What a booster whose lanes vote has beside: the votes of the passage answer, and class counts where there are none.
struct VoteCombiner : BoosterDefaults {
  ClassCounts counts;

  void reserve(int n_classes) { counts.reserve(n_classes); }
  void answer(const Example& example, const PassageBase& passage, Verdict& verdict) const {
    votes_to_verdict(passage.votes, example.n_classes, counts, verdict);
  }
  void conclude(const Example& example, const PassageBase&) { counts.add(example.label, example.weight); }
  void fields(FieldVisitor& v) { v("class_weight", counts.weight); }
  void check() const { counts.check(); }
};

namespace detail {

// One of the defaults, replaced by a function of the same signature where the traits say so, and only there.
template <class Kind, class Own, class Default>
constexpr bool declared(bool by_traits) {
  return by_traits ? std::same_as<Kind, Own> : std::same_as<Kind, Default>;
}

template <class B>
concept HasOwnBegin = std::same_as<decltype(&B::begin), void (B::*)(typename B::LaneState&) const>;
template <class B>
concept HasSomeBegin = requires { &B::begin; } && !std::same_as<decltype(&B::begin), void>;

template <class B>
concept DeclaredDefaults =
    declared<decltype(&B::learner_needs), LearnerNeeds (B::*)() const, decltype(&BoosterDefaults::learner_needs)>(
        B::traits.learner_needs) &&
    declared<decltype(&B::grain), int (B::*)() const, decltype(&BoosterDefaults::grain)>(B::traits.grain) &&
    declared<decltype(&B::write_report), void (B::*)(ModelReport&, std::int64_t) const, decltype(&BoosterDefaults::write_report)>(
        B::traits.write_report) &&
    declared<decltype(&B::table_bytes), std::size_t (B::*)() const, decltype(&BoosterDefaults::table_bytes)>(B::traits.table_bytes) &&
    (B::traits.begin ? HasOwnBegin<B> : !HasSomeBegin<B>);

template <class B>
concept Answers = requires(const B& b, const Example& e, const typename B::Passage& p, Verdict& v) {
  { b.answer(e, p, v) } -> std::same_as<void>;
};
template <class B>
concept AnswersNumbers = requires(const B& b, const Example& e, const typename B::Passage& p) {
  { b.number(e, p) } -> std::same_as<double>;
};
template <class B>
concept WeighsVotes =
    requires(const B& b, const Example& e, const Block<typename B::LaneState>& block, const Scratch& s, typename B::Passage& p, double* w) {
      { b.vote_weights(e, block, s, p, w) } -> std::same_as<VoteWeights>;
    };
template <class B>
concept ScoresNext = requires(const B& b, const Example& e, const Block<typename B::LaneState>& block, Scratch& s, typename B::Passage& p) {
  { b.score_next(e, block, s, p) } -> std::same_as<void>;
};
template <class B>
concept Announces = requires(B& b, const B& still, const Example& e, typename B::Passage& p) {
  { still.announce(p) } -> std::same_as<void>;
  { b.take_in(e) } -> std::same_as<void>;
};
template <class B>
concept KeepsRows = requires(const B& b, std::int64_t number, BatchPhase& phase, Block<typename B::LaneState>& block, Scratch& s) {
  { b.remembers(number) } -> std::same_as<bool>;
  { b.batch_phase_due(number) } -> std::same_as<bool>;
  { b.batch_phase(phase, block, s) } -> std::same_as<void>;
};

template <class P>
concept Passage =
    std::derived_from<P, PassageBase> && std::default_initializable<P> &&
    (sizeof(P) == sizeof(PassageBase) ||  // it carries nothing, or says what
     (!std::same_as<decltype(&P::scan), decltype(&PassageBase::scan)> && std::same_as<decltype(&P::sound), bool (P::*)(int, int) const>));

template <class S>
constexpr bool forgets_learner = !std::same_as<decltype(&S::reborn), decltype(&LaneStateDefaults::reborn)>;
template <class S>
constexpr bool forgets_place = !std::same_as<decltype(&S::restart), decltype(&LaneStateDefaults::restart)>;

template <class S>
concept LaneState =
    std::derived_from<S, LaneStateDefaults> && requires(S& s, const S& still, Lanes lanes, FieldVisitor& v, std::size_t lane) {
      s.reserve(lanes);
      s.fields(v);
      still.check();
      s.reborn(lane);
      s.restart(lane);
    };

}  // namespace detail

template <class B>
concept Booster =
    std::derived_from<B, BoosterDefaults> && std::same_as<decltype(B::traits), const BoosterTraits> &&
    detail::Passage<typename B::Passage> && detail::LaneState<typename B::LaneState> && detail::DeclaredDefaults<B> &&
    B::traits.numbers == detail::AnswersNumbers<B> && B::traits.numbers != detail::Answers<B> &&
    B::traits.vote_weights == detail::WeighsVotes<B> && B::traits.score_next == detail::ScoresNext<B> &&
    B::traits.announces == detail::Announces<B> && B::traits.keeps_rows == detail::KeepsRows<B> &&
    B::traits.reborn == detail::forgets_learner<typename B::LaneState> &&
    B::traits.restart == detail::forgets_place<typename B::LaneState> &&
    requires(B& b, const B& still, const Example& e, Block<typename B::LaneState>& block, const Block<typename B::LaneState>& seen,
             Scratch& s, typename B::Passage& p, FieldVisitor& v, const Config& c, const Ensemble& ensemble) {
      B(B::Params::read(c), ensemble);
      b.reserve(0);
      still.score(e, seen, s, p);
      still.learn(e, block, s, p);
      b.conclude(e, p);
      b.fields(v);
      still.check();
    };

}  // namespace streamboost

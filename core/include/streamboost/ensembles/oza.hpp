// Oza's online boosting.
//
// Thesis    Oza: Online Ensemble Learning (2001), figure 4.3 and section 4.6.3.
//
//   thesis           here               meaning
//   lambda           Passage::lambda    the example's weight on arrival at a learner; starts at the sample weight s
//   k                amount[i]          k ~ Poisson(lambda) copies of the example for learner i
//   lambda_m^sc      sum_correct[i]     weight of the examples learner i got right, judged after it learned them
//   lambda_m^sw      sum_wrong[i]       ... got wrong
//   epsilon_m        sw / (sc + sw)     running error of learner i
//
//   for each learner i:  k ~ Poisson(lambda); learn k copies; then
//     right:  sc += lambda,  lambda *= (sc + sw) / (2 sc)          wrong:  sw += lambda,  lambda *= (sc + sw) / (2 sw)
//   vote log((1 - epsilon) / epsilon) for its class, up to the first learner with epsilon > 1/2; nobody votes: class counts.
//
// Choices     The box of the thesis votes with all learners, its text stops at the first bad one: `prefix`. An untrained
//             learner is wrong and abstains unless `untrained` says otherwise. Log odds are clamped at epsilon = 1e-10.
//             A lane votes with the sc, sw of before the example. Options named in Params: order, draw, vote, normalise, ballot
//             (a trained learner's vote may be shared out among the classes as its distribution says).
// Cost        one ask, one teach, per lane one keyed draw and one division; for lanes that were wrong one `after`.
#pragma once
#include <algorithm>
#include <cmath>

#include "streamboost/ensembles/booster.hpp"
#include "streamboost/ensembles/booster_kernels.hpp"
#include "streamboost/math/math.hpp"
#include "streamboost/math/rng.hpp"

namespace streamboost {

struct OzaBoost : VoteCombiner {
  enum class Order { update_first, test_first };
  enum class Untrained { wrong, class0, random };
  enum class Vote { log_odds, sun_literal, linear_edge, uniform };
  enum class Prefix { stop_at_first_bad, skip_bad, all };
  enum class Draw { poisson, weight };
  enum class Normalise { running, n };
  struct Params {
    Order order;
    Untrained untrained;
    Vote vote;
    Prefix prefix;
    Draw draw;
    Normalise normalise;  // n: lambda *= t / (2 sc), the form of the 2001 paper
    Ballot ballot;
    double lambda_cap;
    double copies_cap;  // of an example of weight 1 or less; an example of weight s > 1 counts as s of them
    static Params read(const Config& c) {
      return {c.choice<Order>("order", {{"update_first", Order::update_first}, {"test_first", Order::test_first}}),
              c.choice<Untrained>("untrained", {{"wrong", Untrained::wrong}, {"class0", Untrained::class0}, {"random", Untrained::random}}),
              c.choice<Vote>("vote", {{"log_odds", Vote::log_odds},
                                      {"sun_literal", Vote::sun_literal},
                                      {"linear_edge", Vote::linear_edge},
                                      {"uniform", Vote::uniform}}),
              c.choice<Prefix>("prefix",
                               {{"stop_at_first_bad", Prefix::stop_at_first_bad}, {"skip_bad", Prefix::skip_bad}, {"all", Prefix::all}}),
              c.choice<Draw>("draw", {{"poisson", Draw::poisson}, {"weight", Draw::weight}}),
              c.choice<Normalise>("normalise", {{"running", Normalise::running}, {"n", Normalise::n}}),
              read_ballot(c),
              std::min(c.number_or_none("lambda_cap").value_or(largest_rate), largest_rate),
              std::min(c.number_or_none("copies_cap").value_or(largest_rate), largest_rate)};
    }
  };
  struct LaneState : LaneStateDefaults {
    LaneArray<double> sum_correct, sum_wrong;
    void reserve(Lanes lanes) { sum_correct = sum_wrong = LaneArray<double>(1, static_cast<std::size_t>(lanes.size())); }
    void restart(std::size_t i) { sum_correct[0][i] = sum_wrong[0][i] = 0; }
    void fields(FieldVisitor& v) {
      v("sum_correct", sum_correct);
      v("sum_wrong", sum_wrong);
    }
    void check() const {
      for (std::size_t i = 0; i < sum_correct.lanes(); ++i) require(sum_correct[0][i] >= 0 && sum_wrong[0][i] >= 0, "sums of weights");
    }
  };
  struct Passage : PassageBase {
    double lambda = 0;
    bool cut = false;  // a bad learner was met: later ones are not heard
    auto scan() { return std::tie(lambda, cut); }
    bool sound(int, int) const { return lambda >= 0 && std::isfinite(lambda); }
  };
  static constexpr BoosterTraits traits{.votes = true, .vote_weights = true, .learner_needs = true, .restart = true};
  static constexpr double largest_rate = 9007199254740992.0;  // 2^53: whole numbers end here
  static constexpr double to_be_drawn = -1;

  Params params;
  std::uint64_t seed;

  OzaBoost(Params p, const Ensemble& ensemble) : params(p), seed(ensemble.seed) {}
  LearnerNeeds learner_needs() const { return {.answers_after_learning = params.order == Order::update_first}; }

  void score(const Example& example, const Block<LaneState>& block, Scratch& scratch, Passage& passage) const {
    score_first(block.lanes().size(), example, block, scratch, passage);
  }
  void learn(const Example& example, Block<LaneState>& block, Scratch& scratch, Passage& passage) const {
    learn_first(block.lanes().size(), example, block, scratch, passage);
  }

  VoteWeights vote_weights(const Example& example, const Block<LaneState>& block, const Scratch& scratch, Passage& passage,
                           double* weight) const {
    return vote_weights_first(block.lanes().size(), example, block, scratch, passage, weight);
  }

  // The same for the first n lanes of the block only; the others neither vote nor learn (primed boosting).
  void score_first(int n, const Example& example, const Block<LaneState>& block, Scratch& scratch, Passage& passage) const {
    const int heard = passage.answers && !passage.cut ? heard_lanes(n, block) : 0;
    scratch.answers.speakers = static_cast<std::size_t>(heard);
    block.bank->ask(example, heard > 0 ? wanted(params.ballot) : Request::votes, scratch.answers);
    passage.cut |= heard < n;
    if (heard > 0) add_votes(heard, example, block, scratch, passage);
  }

  VoteWeights vote_weights_first(int n, const Example&, const Block<LaneState>& block, const Scratch& scratch, Passage& passage,
                                 double* weight) const {
    const int heard = passage.cut ? 0 : heard_lanes(n, block);
    passage.cut |= heard < n;
    std::fill_n(weight, padded(static_cast<std::size_t>(block.lanes().size())), 0.0);
    if (heard > 0) weigh_votes(heard, block, weight);
    std::fill(weight + heard, weight + block.lanes().size(), 0.0);
    const double *correct = block.state.sum_correct[0], *wrong = block.state.sum_wrong[0];
    bool linear = true;
    for (int i = 0; i < heard; ++i) {
      if (params.prefix == Prefix::skip_bad && wrong[i] > correct[i]) weight[i] = 0;
      // What an untrained learner is taken to say is no answer of a lane.
      linear &= params.untrained == Untrained::wrong || scratch.answers.vote[static_cast<std::size_t>(i)] >= 0;
    }
    return {wanted(params.ballot), false, linear};
  }

  void learn_first(int n, const Example& example, Block<LaneState>& block, Scratch& scratch, Passage& passage) const {
    score_first(n, example, block, scratch, passage);
    Bank& bank = *block.bank;
    const Lanes lanes = block.lanes();
    const Amount kind = params.draw == Draw::poisson ? Amount::copies : Amount::weight;
    scratch.kind = kind;
    const bool update_first = params.order == Order::update_first;
    if (lanes.begin == 0) passage.lambda = example.weight;
    const AnswersAfter* after = block.bank.can().after;
    LearnsThenAnswers* at_once = block.bank.can().learn_then_answer;
    if (update_first && after != nullptr) after->after_begin(example, scratch.answers);
    double *correct = block.state.sum_correct[0], *wrong = block.state.sum_wrong[0];
    double *amount = scratch.amount.data(), *offered = scratch.extra.data();
    const double* draw = scratch.draw.data();
    const std::int32_t* vote = scratch.answers.vote.data();
    const double most_copies = std::floor(params.copies_cap * std::max(example.weight, 1.0));
    // Where copies cannot change whether a lane is right, their number is drawn after lambda has run through all lanes, or never:
    // a learner that stands still when it is right needs none.
    const bool settled = !update_first || (after != nullptr && scratch.answers.right_stays_right());
    const bool none_needed = update_first && scratch.answers.change == Change::wrong_only && !block.events.kept;
    const double later = none_needed ? 0.0 : to_be_drawn;
    if (kind == Amount::copies)
      uniform_lanes(seed, static_cast<std::uint64_t>(example.number), static_cast<std::uint32_t>(lanes.begin), Purpose::poisson,
                    scratch.draw.data(), scratch.draw.size());
    double lambda = passage.lambda;
    for (int i = 0; i < n; ++i) {
      lambda = std::min(lambda, params.lambda_cap);
      offered[i] = lambda;
      const int label = resolve(vote[i], example, lanes.begin + i, example.n_classes_after);
      bool right = label == example.label;
      if (kind == Amount::weight)
        amount[i] = lambda;
      else if (settled && (right || !update_first))
        amount[i] = later;
      else
        amount[i] = std::min(copies(lambda, draw[i], example, lanes.begin + i), most_copies);
      if (update_first && (amount[i] > 0 || scratch.answers.change == Change::all)) {
        if (after == nullptr)
          right = resolve(at_once->learn_then_answer(i, example, amount[i], kind, Request::votes, scratch.answers).label, example,
                          lanes.begin + i, example.n_classes_after) == example.label;
        else if (amount[i] == 0)
          right = resolve(after->after(i, example, 0, kind, scratch.answers).label, example, lanes.begin + i, example.n_classes_after) ==
                  example.label;
        else if (!(right && scratch.answers.right_stays_right()))
          right = after->right_after(i, example, amount[i], kind, scratch.answers);
      }
      lambda = judge(right, lambda, example, correct[i], wrong[i]);
    }
    passage.lambda = lambda;
    if (settled && !none_needed && kind == Amount::copies) draw_rest(n, example, lanes.begin, most_copies, scratch);
    std::fill(scratch.amount.begin() + n, scratch.amount.end(), 0.0);
    std::fill(scratch.extra.begin() + n, scratch.extra.end(), 0.0);
    block.events.votes(vote, offered, example.label, n == lanes.size() ? scratch.answers.stride : static_cast<std::size_t>(n));
    if (!update_first || after != nullptr) bank.learn(example, {example.label}, amount, kind, scratch.answers);
  }

 private:
  Key key(const Example& example, int lane, Purpose purpose) const {
    return {seed, static_cast<std::uint64_t>(example.number), static_cast<std::uint32_t>(lane), purpose};
  }

  // What an untrained learner is taken to say.
  int resolve(int answer, const Example& example, int lane, int n_classes) const {
    if (answer >= 0 || params.untrained == Untrained::wrong) return answer;
    if (params.untrained == Untrained::class0) return 0;
    return static_cast<int>(uniform(key(example, lane, Purpose::tie)) * n_classes);
  }

  // Poisson(lambda). The key is made only where it is needed: rates of 10 and more.
  double copies(double lambda, double draw, const Example& example, int lane) const {
    if (lambda > 0 && lambda < detail::poisson_inversion_below) {
      // (1 - lambda / 8)^8 <= exp(-lambda): most draws of no copy need no exponential.
      double below = 1.0 - 0.125 * lambda;
      below *= below;
      below *= below;
      below *= below;
      return draw < below - 1e-9 ? 0.0 : detail::poisson_by_inversion(lambda, draw);
    }
    return poisson(lambda, draw, key(example, lane, Purpose::poisson));
  }

  // The copies of the lanes whose number was left open.
  void draw_rest(int n, const Example& example, int first_lane, double most_copies, Scratch& scratch) const {
    double* draw = scratch.draw.data();
    poisson_copies(scratch.extra.data(), seed, static_cast<std::uint64_t>(example.number), static_cast<std::uint32_t>(first_lane), draw,
                   static_cast<std::size_t>(n), most_copies);
    fill_open(draw, most_copies, scratch.amount.data(), static_cast<std::size_t>(n));
  }

  // Moves the sums and returns the weight that travels on. lambda runs through all lanes one after another, so what does not
  // depend on it is kept out of its way.
  double judge(bool right, double lambda, const Example& example, double& correct, double& wrong) const {
    if (!(lambda > 0)) return 0;
    const double whole = params.normalise == Normalise::running ? (correct + wrong) + lambda : static_cast<double>(example.number + 1);
    const double own = (right ? correct : wrong) + lambda;
    (right ? correct : wrong) = own;
    return 0.5 * lambda * whole / own;
  }

  // The lanes up to the first bad one, where the prefix ends there.
  int heard_lanes(int n, const Block<LaneState>& block) const {
    if (params.prefix != Prefix::stop_at_first_bad) return n;
    const double *correct = block.state.sum_correct[0], *wrong = block.state.sum_wrong[0];
    int i = 0;
    while (i < n && wrong[i] <= correct[i]) ++i;
    return i;
  }

  void weigh_votes(int heard, const Block<LaneState>& block, double* weight) const {
    const double *correct = block.state.sum_correct[0], *wrong = block.state.sum_wrong[0];
    switch (params.vote) {
      case Vote::log_odds:
        log_odds(correct, wrong, weight, padded(static_cast<std::size_t>(heard)));
        break;
      case Vote::sun_literal:
        for (int i = 0; i < heard; ++i) weight[i] = correct[i] + wrong[i];
        break;
      case Vote::linear_edge:
        for (int i = 0; i < heard; ++i) weight[i] = correct[i] - wrong[i];
        break;
      case Vote::uniform:
        std::fill_n(weight, heard, 1.0);
        break;
    }
  }
  void add_votes(int heard, const Example& example, const Block<LaneState>& block, Scratch& scratch, Passage& passage) const {
    const double *correct = block.state.sum_correct[0], *wrong = block.state.sum_wrong[0];
    const Lanes lanes = block.lanes();
    double* weight = scratch.extra.data();
    weigh_votes(heard, block, weight);
    if (params.ballot == Ballot::label && params.untrained == Untrained::wrong && params.prefix != Prefix::skip_bad &&
        example.n_classes == 2)  // the usual case
      return add_two_votes(scratch.answers.vote.data(), weight, static_cast<std::size_t>(heard), passage.votes);
    for (int i = 0; i < heard; ++i) {
      if (params.prefix == Prefix::skip_bad && wrong[i] > correct[i]) continue;
      const int said = scratch.answers.vote[static_cast<std::size_t>(i)];
      const int label = resolve(said, example, lanes.begin + i, example.n_classes);
      if (said >= 0 && params.ballot == Ballot::distribution)
        add_distribution(scratch.answers, static_cast<std::size_t>(i), example.n_classes, weight[i], passage.votes);
      else if (label >= 0)
        passage.votes[label] += weight[i];
    }
  }

  // log((1 - e) / e), e the running error, kept away from 0 and 1; a lane without history has e = 1/2.
  static void log_odds(const double* correct, const double* wrong, double* out, std::size_t n) {
    error_odds(correct, wrong, 1e-10, out, n);
    log_lanes(out, out, n);
  }
};

}  // namespace streamboost

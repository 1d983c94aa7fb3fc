// ADOB and BOLE: Oza's chain in an order of its own for every example.
//
// Papers    Santos, Goncalves, de Barros, Prudencio: Speeding up recovery from concept drifts (2014);
//           de Barros, Santos, Goncalves: A boosting-like online learning ensemble (2016).
//
//   paper          here               meaning
//   lambda         lambda             the example's weight on arrival at a learner; starts at the sample weight s
//   lambda_m^sc    sum_correct[i]     weight of the examples learner i got right before it learned them
//   lambda_m^sw    sum_wrong[i]       ... got wrong
//   T              number + 1         examples so far, this one included
//
//   learners are sorted by sc / (sc + sw); an example meets the worst first, after a right answer the best that is left, after a wrong
//   one the worst that is left, and each learner gets k ~ Poisson(lambda) copies (purpose 1):
//     right:  sc += lambda,  lambda *= T / (2 sc)          wrong:  sw += lambda,  lambda *= T / (2 sw)
//   vote log((1 - eps) / eps), eps = sw / (sc + sw), where eps <= 1/2. ADOB hears learners up to the first that may not vote, BOLE all that may.
//
// Departures  Learners are judged by their answers of before they learn, so that all lanes are taught at once; an untrained one is wrong and
//             abstains (ballot = distribution: a learner's vote is shared out as its class distribution says). Copies are cut at 10, of an example of weight s > 1 at 10 s. Equal learners stand by number.
// Cost        one ask, one teach, per lane a keyed draw and a division; the order moves little from example to example, so it is kept and
//             sorted by insertion. Any lane may follow any other: one block, one thread. State: two numbers per lane.
#pragma once
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "streamboost/ensembles/booster.hpp"
#include "streamboost/math/math.hpp"
#include "streamboost/math/rng.hpp"

namespace streamboost {

struct Reordered : VoteCombiner {
  struct Params {
    bool stops;  // at the first learner that may not vote
    Ballot ballot;
    static Params read(const Config& c) { return {c.choice<bool>("method", {{"adob", true}, {"bole", false}}), read_ballot(c)}; }
  };
  struct LaneState : LaneStateDefaults {
    LaneArray<double> sum_correct, sum_wrong;
    std::vector<double> accuracy;  // with order, what follows from the sums
    std::vector<std::size_t> order;
    void reserve(Lanes lanes) {
      const auto n = static_cast<std::size_t>(lanes.size());
      sum_correct = sum_wrong = LaneArray<double>(1, n);
      accuracy.assign(n, 0.0);
      order.resize(n);
      std::iota(order.begin(), order.end(), std::size_t{0});
    }
    void restart(std::size_t i) { sum_correct[0][i] = sum_wrong[0][i] = 0; }
    void fields(FieldVisitor& v) {
      v("sum_correct", sum_correct);
      v("sum_wrong", sum_wrong);
    }
    void check() const {
      for (std::size_t i = 0; i < sum_correct.lanes(); ++i) require(sum_correct[0][i] >= 0 && sum_wrong[0][i] >= 0, "sums of weights");
    }
    void sort() {
      for (std::size_t i = 0; i < order.size(); ++i) {
        const double whole = sum_correct[0][i] + sum_wrong[0][i];
        accuracy[i] = whole > 0 ? sum_correct[0][i] / whole : 0.0;
      }
      const auto before = [&](std::size_t a, std::size_t b) { return accuracy[a] < accuracy[b] || (accuracy[a] == accuracy[b] && a < b); };
      for (std::size_t at = 1; at < order.size(); ++at)
        for (std::size_t k = at; k > 0 && before(order[k], order[k - 1]); --k) std::swap(order[k], order[k - 1]);
    }
  };
  struct Passage : PassageBase {};
  static constexpr BoosterTraits traits{.votes = true, .vote_weights = true, .grain = true, .restart = true};

  Params params;
  std::uint64_t seed;
  int n_estimators;

  Reordered(Params p, const Ensemble& ensemble) : params(p), seed(ensemble.seed), n_estimators(ensemble.n_estimators) {}
  int grain() const { return n_estimators; }

  void score(const Example& example, const Block<LaneState>& block, Scratch& scratch, Passage& passage) const {
    block.bank->ask(example, passage.answers ? wanted(params.ballot) : Request::votes, scratch.answers);
    if (!passage.answers) return;
    double* weight = scratch.extra.data();
    weigh_votes(block.state, weight);
    if (params.ballot == Ballot::distribution)
      return add_distributions(scratch.answers, weight, static_cast<std::size_t>(block.lanes().size()), example.n_classes, passage.votes);
    for (std::size_t i = 0; i < static_cast<std::size_t>(block.lanes().size()); ++i)
      if (scratch.answers.vote[i] >= 0) passage.votes[scratch.answers.vote[i]] += weight[i];
  }
  VoteWeights vote_weights(const Example&, const Block<LaneState>& block, const Scratch&, Passage&, double* weight) const {
    weigh_votes(block.state, weight);
    return {wanted(params.ballot)};
  }

  void learn(const Example& example, Block<LaneState>& block, Scratch& scratch, Passage& passage) const {
    score(example, block, scratch, passage);
    LaneState& state = block.state;
    state.sort();
    const auto number = static_cast<std::uint64_t>(example.number);
    std::fill(scratch.extra.begin(), scratch.extra.end(), 0.0);
    scratch.kind = Amount::copies;
    const double most_copies = std::floor(10 * std::max(example.weight, 1.0)), seen = static_cast<double>(example.number + 1);
    double lambda = example.weight;
    bool right = false;
    for (std::size_t worst = 0, best = state.order.size(); worst < best;) {
      const std::size_t i = right ? state.order[--best] : state.order[worst++];
      lambda = std::min(lambda, largest_rate);
      scratch.extra[i] = lambda;
      right = scratch.answers.vote[i] == example.label;
      double& own = right ? state.sum_correct[0][i] : state.sum_wrong[0][i];
      own += lambda;
      lambda = own > 0 ? lambda * seen / (2 * own) : 0.0;
    }
    uniform_lanes(seed, number, 0, Purpose::poisson, scratch.draw.data(), scratch.draw.size());
    poisson_copies(scratch.extra.data(), seed, number, 0, scratch.draw.data(), state.order.size(), most_copies);
    std::fill(scratch.amount.begin(), scratch.amount.end(), 0.0);
    for (std::size_t i = 0; i < state.order.size(); ++i) scratch.amount[i] = std::min(scratch.draw[i], most_copies);
    block.events.votes(scratch.answers.vote.data(), scratch.extra.data(), example.label);
    block.bank->learn(example, {example.label}, scratch.amount.data(), Amount::copies, scratch.answers);
  }

 private:
  static constexpr double largest_rate = 9007199254740992.0;  // 2^53: whole numbers end here
  static constexpr double tiny = 1e-10;

  // Odds of 1 have no vote.
  void weigh_votes(const LaneState& state, double* weight) const {
    const std::size_t n = state.sum_correct.stride();
    bool silent = false;
    for (std::size_t i = 0; i < n; ++i) {
      const double bad = state.sum_wrong[0][i], whole = state.sum_correct[0][i] + bad;
      const bool heard = whole > 0 && bad <= state.sum_correct[0][i] && i < state.sum_correct.lanes();
      silent |= params.stops && !heard;
      const double eps = heard && !silent ? std::max(bad / whole, tiny) : 0.5;
      weight[i] = (1 - eps) / eps;
    }
    log_lanes(weight, weight, n);
  }
};

}  // namespace streamboost

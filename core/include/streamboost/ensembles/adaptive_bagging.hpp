// Adaptive bagging: leveraged online bagging whose lanes vote by how well they did lately, with a chain of weights through every other lane.
//
// Papers    Bifet, Holmes, Pfahringer: Leveraging bagging for evolving data streams (2010), for the rate; Gomes et al.: Adaptive random
//           forests (2017), for votes weighed by accuracy; Oza: Online Ensemble Learning (2001), for the chain.
//
//   symbol      here                 meaning
//   k           amount[i]            copies of the example: k ~ Poisson(s rate), or Poisson(s rate min(lambda, 5)) for a link of the chain
//   f, g        right[i], seen[i]    faded numbers of right answers and of all answers since the learner's birth, each of before learning
//   a           (f + 1) / (g + 2)    how often the lane has been right lately
//   lambda      Passage::lambda      the example's weight along the chain: grows with every link that gets it wrong
//   sc, sw      chain_right/wrong    faded weights that the link got right and wrong; they describe the place in the chain, not the learner
//
//   vote        w_i times the lane's class distribution.   uniform: w = 1     accuracy: w = f / g     log_odds: w = max(.01, ln(a (K - 1) / (1 - a)))
//   chain       odd lanes (global numbers): sc <- h sc + lambda [right], sw <- h sw + lambda [wrong], then
//               lambda <- clip(lambda (sc + sw + 1) / (2 sc + 1 | 2 sw + 1), 0.05, 20) for right | wrong; even lanes pass it on untouched
//
// All fading factors are h = 1 - 1 / window (accuracy counts without fading). A new-born lane with two classes has next to no say until it
// has shown something. The guard of a lane (drift/guard.hpp) calls `reborn` when its learner was replaced: f and g begin again.
// Cost        one ask, one teach, per lane one draw, one logarithm and a few multiplications.
#pragma once
#include <algorithm>

#include "streamboost/ensembles/booster.hpp"
#include "streamboost/math/math.hpp"
#include "streamboost/math/rng.hpp"

namespace streamboost {

struct AdaptiveBagging : VoteCombiner {
  enum class Vote { uniform, accuracy, log_odds };
  struct Params {
    double poisson_rate;
    Vote vote;
    bool chain;
    double window;
    static Params read(const Config& c) {
      return {c.number("poisson_rate"),
              c.choice<Vote>("vote", {{"uniform", Vote::uniform}, {"accuracy", Vote::accuracy}, {"log_odds", Vote::log_odds}}),
              c.flag("chain"), c.number("window")};
    }
  };
  struct LaneState : LaneStateDefaults {
    LaneArray<double> right, seen, chain_right, chain_wrong;
    void reserve(Lanes lanes) { right = seen = chain_right = chain_wrong = LaneArray<double>(1, static_cast<std::size_t>(lanes.size())); }
    void reborn(std::size_t i) { right[0][i] = seen[0][i] = 0; }
    void restart(std::size_t i) { chain_right[0][i] = chain_wrong[0][i] = 0; }
    void fields(FieldVisitor& v) {
      v("right", right);
      v("seen", seen);
      v("chain_right", chain_right);
      v("chain_wrong", chain_wrong);
    }
    void check() const {
      for (std::size_t i = 0; i < right.lanes(); ++i) {
        require(right[0][i] >= 0 && right[0][i] <= seen[0][i], "answers of a lane");
        require(chain_right[0][i] >= 0 && chain_wrong[0][i] >= 0, "weights of the chain");
      }
    }
  };
  struct Passage : PassageBase {
    double lambda = 1;
    auto scan() { return std::tie(lambda); }
    bool sound(int, int) const { return lambda >= least_lambda && lambda <= most_lambda; }
  };
  static constexpr BoosterTraits traits{.votes = true, .vote_weights = true, .score_next = true, .reborn = true, .restart = true};
  static constexpr double least_vote = 0.01, most_lambda = 20, least_lambda = 0.05, most_leverage = 5;
  static constexpr double most_copies = 9007199254740992.0;  // 2^53: whole numbers end here

  Params params;
  std::uint64_t seed;
  double fading, vote_fading;

  AdaptiveBagging(Params p, const Ensemble& ensemble)
      : params(p), seed(ensemble.seed), fading(1 - 1 / p.window), vote_fading(p.vote == Vote::accuracy ? 1.0 : fading) {}

  void score(const Example& example, const Block<LaneState>& block, Scratch& scratch, Passage& passage) const {
    if (passage.answers)
      weigh_votes(block.state, std::max(example.n_classes, 2), scratch.extra.data(), static_cast<std::size_t>(block.lanes().size()));
    score_next(example, block, scratch, passage);
  }
  void score_next(const Example& example, const Block<LaneState>& block, Scratch& scratch, Passage& passage) const {
    block.bank->ask(example, passage.answers ? Request::distributions : Request::votes, scratch.answers);
    if (!passage.answers) return;
    const auto n = static_cast<std::size_t>(block.lanes().size());
    add_distributions(scratch.answers, scratch.extra.data(), n, example.n_classes, passage.votes);
  }
  VoteWeights vote_weights(const Example& example, const Block<LaneState>& block, const Scratch&, Passage&, double* weight) const {
    weigh_votes(block.state, std::max(example.n_classes, 2), weight, static_cast<std::size_t>(block.lanes().size()));
    return {Request::distributions};
  }

  void learn(const Example& example, Block<LaneState>& block, Scratch& scratch, Passage& passage) const {
    score(example, block, scratch, passage);
    weigh(example, block, scratch, passage);
    draw(example, block.lanes(), scratch);
    block.events.votes(scratch.answers.vote.data(), scratch.amount.data(), example.label);
    scratch.kind = Amount::copies;
    block.bank->learn(example, {example.label}, scratch.amount.data(), Amount::copies, scratch.answers);
  }

 private:
  // out[i]: the weight of lane i's vote.
  void weigh_votes(const LaneState& state, int n_classes, double* out, std::size_t n) const {
    const double *f = state.right[0], *g = state.seen[0];
    switch (params.vote) {
      case Vote::uniform:
        std::fill_n(out, n, 1.0);
        return;
      case Vote::accuracy:
        for (std::size_t i = 0; i < n; ++i) out[i] = g[i] > 0 ? f[i] / g[i] : 0.0;
        return;
      case Vote::log_odds:
        // a (K - 1) / (1 - a) with a = (f + 1) / (g + 2)
        for (std::size_t i = 0; i < n; ++i) out[i] = (f[i] + 1) * (n_classes - 1) / (g[i] + 1 - f[i]);
        log_lanes(out, out, n);
        for (std::size_t i = 0; i < n; ++i) out[i] = std::max(out[i], least_vote);
        return;
    }
  }

  // The rates of all lanes into scratch.extra; the sums of the lanes and the chain move on.
  void weigh(const Example& example, Block<LaneState>& block, Scratch& scratch, Passage& passage) const {
    const Lanes lanes = block.lanes();
    const std::int32_t* vote = scratch.answers.vote.data();
    double *f = block.state.right[0], *g = block.state.seen[0];
    double *correct = block.state.chain_right[0], *wrong = block.state.chain_wrong[0];
    double* rate = scratch.extra.data();
    const double whole = params.poisson_rate * example.weight;
    double lambda = passage.lambda;
    for (int i = 0; i < lanes.size(); ++i) {
      const bool right = vote[i] == example.label;
      f[i] = vote_fading * f[i] + (right ? 1 : 0);
      g[i] = vote_fading * g[i] + 1;
      rate[i] = whole;
      if (!params.chain || (lanes.begin + i) % 2 == 0) continue;
      rate[i] = whole * std::min(lambda, most_leverage);
      correct[i] = fading * correct[i] + (right ? lambda : 0.0);
      wrong[i] = fading * wrong[i] + (right ? 0.0 : lambda);
      const double own = right ? correct[i] : wrong[i];
      lambda = std::clamp(lambda * (correct[i] + wrong[i] + 1) / (2 * own + 1), least_lambda, most_lambda);
    }
    passage.lambda = lambda;
  }

  // amount[i] ~ Poisson(rate of lane i), keyed as in plain bagging.
  void draw(const Example& example, Lanes lanes, Scratch& scratch) const {
    const auto n = static_cast<std::size_t>(lanes.size());
    const auto number = static_cast<std::uint64_t>(example.number);
    double *rate = scratch.extra.data(), *amount = scratch.amount.data();
    uniform_lanes(seed, number, static_cast<std::uint32_t>(lanes.begin), Purpose::poisson, amount, n);
    if (!poisson_rates(rate, amount, n, most_copies))
      for (std::size_t i = 0; i < n; ++i)
        if (rate[i] >= detail::poisson_inversion_below)
          amount[i] = poisson(std::min(rate[i], most_copies),
                              {seed, number, static_cast<std::uint32_t>(lanes.begin) + static_cast<std::uint32_t>(i), Purpose::poisson});
    std::fill(scratch.amount.begin() + lanes.size(), scratch.amount.end(), 0.0);
  }
};

}  // namespace streamboost

// Oza's chain with costs and for rare classes: AdaC2, CSB2 and RUSBoost, two classes.
//
// Paper     Wang, Pineau: Online bagging and boosting for imbalanced data streams (2016).
//
//   paper      here             meaning
//   lambda     Passage::lambda  the example's weight on arrival at a learner; starts at the sample weight s
//   C_y        cost             of the example's class; balanced: (n_min + 1) / (n_y + 1), n the weights of the classes before. Costs multiply
//                               along the chain: to the power min(1, 2 / N) with adac2, min(1, 4 / N) with csb2, where only mistakes cost
//   T          arrived          sum of the lambdas that arrived, by class; this one included
//   wacc werr  right, wrong     sums of C lambda answered right and wrong, over T
//   eps        error            sum of lambda answered wrong, over T
//
//   each learner gets k ~ Poisson(lambda) copies, and with its answer of before:
//   adac2      right: lambda <- C_y lambda / (2 wacc)                         wrong: C_y lambda / (2 werr)         vote log(wacc / werr)
//   csb2       right: lambda <- lambda (eps / (1 - eps)) / (eps + werr)       wrong: C_y lambda / (eps + werr)     vote log((1 - eps) / eps)
//   rusboost   lambda as in Oza's boosting (C = 1), but k ~ Poisson(lambda min(1, ratio a_min / a_y)), a the sums of lambda by class of
//              before, plus s: in expectation the frequent class weighs ratio times the rare one, for every learner
//
// wacc and werr are over T, not over their own sum: so that the mean lambda stays what it was, whatever the costs. In all three the sums of
// new weights are halves of T (adac2, rusboost) or T (csb2).
//
// Departures  Learners are judged by their answers of before they learn, so that all lanes are taught at once; an untrained learner is wrong
//             and abstains. Sums move with every example, also where k = 0. A learner whose vote is not positive is not heard. Copies are
//             cut at 10, of an example of weight s > 1 at 10 s. eps and werr are kept 1e-10 away from 0, eps from 1.
// Cost        one ask, one teach, per lane a keyed draw and a division. State: seven numbers per lane.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "streamboost/ensembles/booster.hpp"
#include "streamboost/math/math.hpp"
#include "streamboost/math/rng.hpp"

namespace streamboost {

struct CostBoosting : VoteCombiner {
  enum class Algorithm { adac2, csb2, rusboost };
  struct Params {
    Algorithm algorithm;
    std::optional<std::array<double, 2>> costs;  // by class code; none: balanced
    double ratio;
    static Params read(const Config& c) {
      Params p{
          c.choice<Algorithm>("algorithm", {{"adac2", Algorithm::adac2}, {"csb2", Algorithm::csb2}, {"rusboost", Algorithm::rusboost}}),
          std::nullopt, c.number("ratio")};
      if (const auto* costs = c.array("costs")) {
        if (costs->size() != 2) throw std::invalid_argument("costs are of two classes");
        p.costs = {(*costs)[0], (*costs)[1]};
      }
      return p;
    }
  };
  struct LaneState : LaneStateDefaults {
    LaneArray<double> arrived, right, wrong, error, seen;  // arrived, seen: [class][lane]
    void reserve(Lanes lanes) {
      const auto n = static_cast<std::size_t>(lanes.size());
      right = wrong = error = LaneArray<double>(1, n);
      arrived = seen = LaneArray<double>(2, n);
    }
    void restart(std::size_t i) { arrived[0][i] = arrived[1][i] = right[0][i] = wrong[0][i] = error[0][i] = 0; }
    void fields(FieldVisitor& v) {
      v("arrived", arrived);
      v("right", right);
      v("wrong", wrong);
      v("error", error);
      v("seen", seen);
    }
    void check() const {
      for (std::size_t i = 0; i < right.lanes(); ++i)
        require(right[0][i] >= 0 && wrong[0][i] >= 0 && error[0][i] >= 0 && arrived[0][i] >= 0 && arrived[1][i] >= 0 && seen[0][i] >= 0 &&
                    seen[1][i] >= 0,
                "sums of weights");
    }
  };
  struct Passage : PassageBase {
    double lambda = 0;
    auto scan() { return std::tie(lambda); }
    bool sound(int, int) const { return lambda >= 0 && std::isfinite(lambda); }
  };
  static constexpr BoosterTraits traits{.votes = true, .vote_weights = true, .restart = true};

  Params params;
  std::uint64_t seed;
  double spread;  // of balanced costs over the chain

  CostBoosting(Params p, const Ensemble& ensemble)
      : params(p), seed(ensemble.seed), spread(std::min(1.0, (p.algorithm == Algorithm::adac2 ? 2.0 : 4.0) / ensemble.n_estimators)) {}

  void score(const Example& example, const Block<LaneState>& block, Scratch& scratch, Passage& passage) const {
    block.bank->ask(example, Request::votes, scratch.answers);
    if (!passage.answers) return;
    double* weight = scratch.extra.data();
    weigh_votes(block, weight);
    for (std::size_t i = 0; i < static_cast<std::size_t>(block.lanes().size()); ++i)
      if (scratch.answers.vote[i] >= 0) passage.votes[scratch.answers.vote[i]] += weight[i];
  }
  VoteWeights vote_weights(const Example&, const Block<LaneState>& block, const Scratch&, Passage&, double* weight) const {
    weigh_votes(block, weight);
    return {Request::votes};
  }

  void learn(const Example& example, Block<LaneState>& block, Scratch& scratch, Passage& passage) const {
    score(example, block, scratch, passage);
    const Lanes lanes = block.lanes();
    const auto y = static_cast<std::size_t>(example.label);
    if (lanes.begin == 0) passage.lambda = example.weight;
    const double price = cost(block.state, y);
    const double most_copies = std::floor(10 * std::max(example.weight, 1.0));
    std::fill(scratch.extra.begin(), scratch.extra.end(), 0.0);
    scratch.kind = Amount::copies;
    const auto n = static_cast<std::size_t>(lanes.size());
    for (std::size_t i = 0; i < n; ++i) {
      const double lambda = std::min(passage.lambda, largest_rate);
      const double rate = lambda * share(block.state, i, y, example.weight);
      scratch.extra[i] = rate;
      passage.lambda = judge(block.state, i, y, scratch.answers.vote[i] == example.label, lambda, price);
      block.state.seen[y][i] += example.weight;
    }
    const auto number = static_cast<std::uint64_t>(example.number);
    const auto first = static_cast<std::uint32_t>(lanes.begin);
    uniform_lanes(seed, number, first, Purpose::poisson, scratch.draw.data(), scratch.draw.size());
    poisson_copies(scratch.extra.data(), seed, number, first, scratch.draw.data(), n, most_copies);
    std::fill(scratch.amount.begin(), scratch.amount.end(), 0.0);
    for (std::size_t i = 0; i < n; ++i) scratch.amount[i] = std::min(scratch.draw[i], most_copies);
    block.events.votes(scratch.answers.vote.data(), scratch.extra.data(), example.label);
    block.bank->learn(example, {example.label}, scratch.amount.data(), Amount::copies, scratch.answers);
  }

 private:
  static constexpr double largest_rate = 9007199254740992.0;  // 2^53: whole numbers end here
  static constexpr double tiny = 1e-10;

  // log odds of being right, none where they are not positive.
  void weigh_votes(const Block<LaneState>& block, double* weight) const {
    const LaneState& state = block.state;
    const std::size_t n = state.right.stride();
    const bool plain = params.algorithm == Algorithm::csb2;
    for (std::size_t i = 0; i < n; ++i) {
      const double bad = plain ? state.error[0][i] : state.wrong[0][i];
      const double whole = plain ? state.arrived[0][i] + state.arrived[1][i] : state.right[0][i] + bad;
      const double share = whole > 0 ? std::clamp(bad / whole, tiny, 0.5) : 0.5;
      weight[i] = (1 - share) / share;
    }
    log_lanes(weight, weight, n);
  }

  // All lanes have seen the same.
  double cost(const LaneState& state, std::size_t y) const {
    if (params.algorithm == Algorithm::rusboost) return 1;
    if (params.costs) return (*params.costs)[y];
    return exp(spread * log((std::min(state.seen[0][0], state.seen[1][0]) + 1) / (state.seen[y][0] + 1)));
  }

  // What is left of the rate of an example of a frequent class.
  double share(const LaneState& state, std::size_t i, std::size_t y, double s) const {
    if (params.algorithm != Algorithm::rusboost) return 1;
    const double sums[2] = {state.arrived[0][i] + s, state.arrived[1][i] + s};
    return std::min(1.0, params.ratio * std::min(sums[0], sums[1]) / sums[y]);
  }

  // Moves the sums and returns the weight that travels on.
  double judge(LaneState& state, std::size_t i, std::size_t y, bool is_right, double lambda, double c) const {
    state.arrived[y][i] += lambda;
    const double whole = state.arrived[0][i] + state.arrived[1][i];
    double& own = is_right ? state.right[0][i] : state.wrong[0][i];
    own += c * lambda;
    if (!is_right) state.error[0][i] += lambda;
    if (!(lambda > 0)) return 0;
    if (params.algorithm != Algorithm::csb2) return own > 0 ? c * lambda * whole / (2 * own) : 0.0;
    const double eps = std::clamp(state.error[0][i] / whole, tiny, 1 - tiny), werr = std::max(state.wrong[0][i] / whole, tiny);
    return (is_right ? lambda * eps / (1 - eps) : c * lambda) / (eps + werr);
  }
};

}  // namespace streamboost

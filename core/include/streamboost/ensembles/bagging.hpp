// Online bagging, bagging of a fixed fraction, and from undersampling to oversampling.
//
// Papers    Oza: Online Ensemble Learning (2001), chapter 3; Fern, Givan: Online ensemble learning (2000);
//           Wang, Pineau: Online bagging and boosting for imbalanced data streams (2016).
//
//   paper    here            meaning
//   k        amount[i]       copies of the example for learner i: k ~ Poisson(s), s the sample weight (1 by default)
//   a        (i + 1) / N     sampling = under_over: k ~ Poisson(s a), so that with class weights in s (run/staged_model.hpp) the first
//                            learners undersample all classes and the last oversample the rare ones: UnderOverBagging
//   p        fraction        share of the examples a learner sees, each with weight s (sampling = fraction)
//   h_m(x)   vote[i]         hard label; an untrained learner abstains (ballot = distribution: the learner's class distribution)
//
//   Binomial(n, 1/n) -> Poisson(1): the stream needs no length. Vote: plurality over the learners that are trained.
//
// Departures  sample weights, which the sources do not have, scale the rate (Poisson) or the update (fraction).
// Cost        one ask, one teach, one keyed draw per lane; no state per lane. The combiner keeps class counts for the time
//             before any lane is trained.
#pragma once
#include "streamboost/ensembles/booster.hpp"
#include "streamboost/math/rng.hpp"

namespace streamboost {

struct Bagging : VoteCombiner {
  enum class Sampling { poisson, fraction, under_over };
  struct Params {
    Sampling sampling;
    double fraction;
    Ballot ballot;
    static Params read(const Config& c) {
      return {c.choice<Sampling>("sampling",
                                 {{"poisson", Sampling::poisson}, {"fraction", Sampling::fraction}, {"under_over", Sampling::under_over}}),
              c.number("fraction"), read_ballot(c)};
    }
  };
  using LaneState = NoLaneState;
  struct Passage : PassageBase {};
  static constexpr BoosterTraits traits{.votes = true, .vote_weights = true};

  Params params;
  std::uint64_t seed;
  double n_estimators;

  Bagging(Params p, const Ensemble& ensemble) : params(p), seed(ensemble.seed), n_estimators(ensemble.n_estimators) {}

  void score(const Example& example, const Block<LaneState>& block, Scratch& scratch, Passage& passage) const {
    block.bank->ask(example, passage.answers ? wanted(params.ballot) : Request::votes, scratch.answers);
    if (!passage.answers) return;
    const int n = block.lanes().size();
    if (params.ballot == Ballot::label) return count_votes(scratch.answers.vote.data(), n, example.n_classes, passage.votes);
    add_distributions(scratch.answers, nullptr, static_cast<std::size_t>(n), example.n_classes, passage.votes);
  }
  VoteWeights vote_weights(const Example&, const Block<LaneState>& block, const Scratch&, Passage&, double* weight) const {
    std::fill_n(weight, block.lanes().size(), 1.0);
    return {wanted(params.ballot)};
  }
  void learn(const Example& example, Block<LaneState>& block, Scratch& scratch, Passage& passage) const {
    score(example, block, scratch, passage);
    if (block.events.heard()) {
      std::fill(scratch.extra.begin(), scratch.extra.end(), example.weight);
      block.events.votes(scratch.answers.vote.data(), scratch.extra.data(), example.label);
    }
    draw(example, block.lanes(), scratch);
    const Amount kind = scratch.kind = params.sampling == Sampling::fraction ? Amount::weight : Amount::copies;
    block.bank->learn(example, {example.label}, scratch.amount.data(), kind, scratch.answers);
  }

 private:
  void draw(const Example& example, Lanes lanes, Scratch& scratch) const {
    const auto number = static_cast<std::uint64_t>(example.number);
    const auto first = static_cast<std::uint32_t>(lanes.begin);
    const std::size_t n = scratch.amount.size();
    double* amount = scratch.amount.data();
    if (params.sampling == Sampling::fraction) {
      uniform_lanes(seed, number, first, Purpose::fraction, amount, n);
      for (std::size_t i = 0; i < n; ++i) amount[i] = amount[i] < params.fraction ? example.weight : 0.0;
    } else if (params.sampling == Sampling::under_over) {
      for (std::uint32_t i = 0; i < n; ++i)
        amount[i] = poisson(example.weight * ((first + i + 1) / n_estimators), Key{seed, number, first + i, Purpose::poisson});
    } else {
      poisson_lanes(example.weight, seed, number, first, amount, n);
    }
  }
};

}  // namespace streamboost

// Online bagging of regressors, and lanes that simply all learn everything.
//
// Papers    Oza: Online Ensemble Learning (2001), chapter 3, which asks nothing of the targets; Bifet, Holmes, Pfahringer: Leveraging
//           bagging for evolving data streams (2010), for the rate.
//
//   paper    here            meaning
//   k        amount[i]       copies of the example for learner i: k ~ Poisson(s rate), s the sample weight
//   p        fraction        share of the examples a learner sees, each with weight s (sampling = fraction)
//   h_m(x)   margin[i]       the number that learner i answers; an untrained learner abstains
//
//   combine = mean     the mean of the answers: the best constant for their squared errors
//   combine = median   the lower median: some lanes that are far off do no harm
//   combine = recent   the mean weighed by 1 / (recent mean |error|)^2 of each lane (residuals.hpp); a lane with no errors yet has no say
//   sampling = all     every lane learns every example with weight s: the baseline of one lane
//
// While no lane is trained the mean of the targets so far is answered, before the first target nothing (NaN).
// Cost        one ask, one teach, one keyed draw per lane; the median sorts one number per lane. State: residuals.hpp.
#pragma once
#include <algorithm>
#include <tuple>

#include "streamboost/ensembles/residuals.hpp"
#include "streamboost/math/rng.hpp"

namespace streamboost {

struct BaggingRegressor : BoosterDefaults {
  enum class Sampling { all, poisson, fraction };
  enum class Combine { mean, median, recent };
  struct Params {
    Sampling sampling;
    double fraction, poisson_rate;
    Combine combine;
    static Params read(const Config& c) {
      return {c.choice<Sampling>("sampling", {{"all", Sampling::all}, {"poisson", Sampling::poisson}, {"fraction", Sampling::fraction}}),
              c.number("fraction"), c.number("poisson_rate"),
              c.choice<Combine>("combine", {{"mean", Combine::mean}, {"median", Combine::median}, {"recent", Combine::recent}})};
    }
  };
  using LaneState = Residuals;
  struct Passage : PassageBase {
    double sum = 0, lanes = 0, weighed = 0, weight = 0;
    auto scan() { return std::tie(sum, lanes, weighed, weight); }
    bool sound(int passed, int) const {
      return std::isfinite(sum) && lanes >= 0 && lanes <= passed && lanes == std::floor(lanes) && weight >= 0;
    }
  };
  static constexpr BoosterTraits traits{.column = true, .numbers = true, .begin = true, .reborn = true};

  Params params;
  std::uint64_t seed;
  bool monitor;
  TargetMean targets;

  BaggingRegressor(Params p, const Ensemble& ensemble) : params(p), seed(ensemble.seed), monitor(ensemble.monitor) {}
  void reserve(int) {}
  void begin(LaneState& state) const { state.on = monitor; }

  void score(const Example& example, const Block<LaneState>& block, Scratch& scratch, Passage& passage) const {
    block.bank->ask(example, Request::numbers, scratch.answers);
    if (!passage.answers) return;
    const std::int32_t* vote = scratch.answers.vote.data();
    const double* margin = scratch.answers.margin.data();
    const auto n = static_cast<std::size_t>(block.lanes().size());
    if (params.combine == Combine::mean) return add_up(vote, margin, n, passage);
    for (std::size_t i = 0; i < n; ++i) {
      if (vote[i] < 0) continue;
      if (params.combine == Combine::median) passage.column[static_cast<std::size_t>(passage.lanes)] = margin[i];
      passage.sum += margin[i];
      passage.lanes += 1;
      if (params.combine == Combine::recent) {
        const double usual = block.state.miss[0][i], seen = block.state.seen[0][i];
        const double say = usual > 0 ? (seen / usual) * (seen / usual) : 0.0;
        passage.weighed += say * margin[i];
        passage.weight += say;
      }
    }
  }
  void learn(const Example& example, Block<LaneState>& block, Scratch& scratch, Passage& passage) const {
    score(example, block, scratch, passage);
    std::fill(scratch.target.begin(), scratch.target.end(), example.target);
    block.state.meet(scratch.answers, scratch.target.data(), example.weight, block.events.judged());
    draw(example, block.lanes(), scratch);
    block.bank->learn(example, {.target = scratch.target.data()}, scratch.amount.data(), scratch.kind, scratch.answers);
  }
  double number(const Example&, const Passage& passage) const {
    if (passage.lanes == 0) return targets.value();
    if (params.combine == Combine::recent && passage.weight > 0 && std::isfinite(passage.weight)) return passage.weighed / passage.weight;
    if (params.combine != Combine::median) return passage.sum / passage.lanes;
    const auto n = static_cast<std::size_t>(passage.lanes);
    double* middle = passage.column + (n - 1) / 2;
    std::nth_element(passage.column, middle, passage.column + n);
    return *middle;
  }
  void conclude(const Example& example, const Passage&) { targets.add(example.target, example.weight); }
  void fields(FieldVisitor& v) { targets.fields(v); }
  void check() const { targets.check(); }

 private:
  // Adding 0 changes no sum: no branches to guess.
  static void add_up(const std::int32_t* vote, const double* margin, std::size_t n, Passage& passage) {
    double sum = passage.sum;
    int trained = 0;
    for (std::size_t i = 0; i < n; ++i) {
      sum += vote[i] < 0 ? 0.0 : margin[i];
      trained += vote[i] < 0 ? 0 : 1;
    }
    passage.sum = sum;
    passage.lanes += trained;
  }

  void draw(const Example& example, Lanes lanes, Scratch& scratch) const {
    const auto number = static_cast<std::uint64_t>(example.number);
    const auto first = static_cast<std::uint32_t>(lanes.begin);
    const std::size_t n = scratch.amount.size();
    double* amount = scratch.amount.data();
    scratch.kind = params.sampling == Sampling::poisson ? Amount::copies : Amount::weight;
    if (params.sampling == Sampling::poisson) {
      poisson_lanes(example.weight * params.poisson_rate, seed, number, first, amount, n);
    } else if (params.sampling == Sampling::fraction) {
      uniform_lanes(seed, number, first, Purpose::fraction, amount, n);
      for (std::size_t i = 0; i < n; ++i) amount[i] = amount[i] < params.fraction ? example.weight : 0.0;
    } else {
      std::fill_n(amount, n, example.weight);
    }
  }
};

}  // namespace streamboost

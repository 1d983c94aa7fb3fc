// Streaming gradient boosted trees (SGBT), two classes or numbers.
//
// Papers    Gunasekara, Pfahringer, Gomes, Bifet: Gradient boosted trees for evolving data streams (2024); of numbers (SGBR, 2025).
//
//   paper    here              meaning
//   S        n_estimators      stages of the chain; a stage is one learner of numbers, or the mean of a bag of them
//   raw      Passage::raw      the sum of the stages so far, 0 at first: log odds of class 1, or the number
//   g, h     target[i]         slope and curvature of the loss at raw
//
//   stage m learns at raw, then raw += rate * (its answer of before)
//   classes    p = sigmoid(raw), g = [y = 1] - p, h = p (1 - p): the target g / h with the weight 4 h
//   numbers    the target y - centre - raw with the weight 1, centre the mean of the targets before; the answer is centre + raw
//   warm_up    stage m, counted from 0, joins the chain after m times so many examples
//   bag > 1    learner i of a stage learns k ~ Poisson(s) times (purpose 1)
//
// Departures  The public code adds a tree's answer after it learned the row, sums answers without the rate when it predicts (so that
//             probabilities are 80 times too sure) and gives g / h the weight 1: ours adds the answer of before, with the rate, and
//             cuts g / h at 4 in size; with the weight h a leaf's mean is the Newton step sum g / sum h, and 4 h is at most 1, so that a
//             row of an undecided leaf counts once. Because a stage does not see what those before it learn of the same row, all of them
//             would learn the whole target of the first rows: stages join one by one. The first
//             number is only a centre: no learner gets it.
// Cost        one ask, one teach, one exponential for each stage. State: residuals.hpp.
#pragma once
#include <algorithm>
#include <cmath>
#include <tuple>

#include "streamboost/ensembles/residuals.hpp"
#include "streamboost/math/math.hpp"
#include "streamboost/math/rng.hpp"

namespace streamboost {

template <bool numbers>
struct StreamingGradient : BoosterDefaults {
  struct Params {
    double rate;
    int bag;
    std::int64_t warm_up;
    static Params read(const Config& c) { return {c.number("learning_rate"), c.whole<int>("n_bagged"), c.whole("warm_up")}; }
  };
  using LaneState = Residuals;
  struct Passage : PassageBase {
    double raw = 0, centre = 0;  // the second announced
    auto scan() { return std::tie(raw); }
    bool sound(int, int) const { return std::isfinite(raw); }
  };
  static constexpr BoosterTraits traits{
      .numbers = numbers, .regressors = true, .announces = numbers, .grain = true, .begin = true, .reborn = true};

  Params params;
  std::uint64_t seed;
  bool monitor;
  TargetMean targets;

  StreamingGradient(Params p, const Ensemble& ensemble) : params(p), seed(ensemble.seed), monitor(ensemble.monitor) {}
  void reserve(int) {}
  int grain() const { return params.bag; }
  void begin(LaneState& state) const { state.on = monitor; }

  void announce(Passage& passage) const
    requires numbers
  {
    passage.centre = targets.value();
  }
  void take_in(const Example& example)
    requires numbers
  {
    targets.add(example.target, example.weight);
  }

  void score(const Example& example, const Block<LaneState>& block, Scratch& scratch, Passage& passage) const {
    block.bank->ask(example, Request::numbers, scratch.answers);
    const int joined = joined_lanes(example, block.lanes());
    for (int i = 0; i < joined; i += params.bag) add_stage(scratch.answers, static_cast<std::size_t>(i), passage);
  }

  void learn(const Example& example, Block<LaneState>& block, Scratch& scratch, Passage& passage) const {
    block.bank->ask(example, Request::numbers, scratch.answers);
    const auto n = static_cast<std::size_t>(joined_lanes(example, block.lanes())), bag = static_cast<std::size_t>(params.bag);
    scratch.kind = Amount::weight;
    std::fill(scratch.amount.begin(), scratch.amount.end(), 0.0);
    std::fill(scratch.target.begin(), scratch.target.end(), 0.0);
    if (bag > 1)
      poisson_lanes(example.weight, seed, static_cast<std::uint64_t>(example.number), static_cast<std::uint32_t>(block.lanes().begin),
                    scratch.amount.data(), n);
    else
      std::fill_n(scratch.amount.data(), n, example.weight);
    for (std::size_t i = 0; i < n; i += bag) {
      const Update update = update_at(passage, example);
      for (std::size_t k = i; k < i + bag; ++k) {
        scratch.target[k] = update.target;
        scratch.amount[k] *= update.weight;
      }
      add_stage(scratch.answers, i, passage);
    }
    block.state.meet(scratch.answers, scratch.target.data(), example.weight, block.events.judged());
    block.bank->learn(example, {.target = scratch.target.data()}, scratch.amount.data(), Amount::weight, scratch.answers);
  }

  double number(const Example&, const Passage& passage) const
    requires numbers
  {
    return passage.centre + passage.raw;
  }
  void answer(const Example&, const Passage& passage, Verdict& verdict) const
    requires(!numbers)
  {
    verdict.set_margin(passage.raw, sigmoid(passage.raw));
  }
  void conclude(const Example&, const Passage&) {}
  void fields(FieldVisitor& v) {
    if (numbers) targets.fields(v);
  }
  void check() const { targets.check(); }

 private:
  static constexpr double largest_step = 4;
  struct Update {
    double target, weight;
  };

  // The lanes of a block, from its first on, whose stages have joined the chain.
  int joined_lanes(const Example& example, Lanes lanes) const {
    if (params.warm_up == 0) return lanes.size();
    const std::int64_t joined = (example.number / params.warm_up + 1) * params.bag - lanes.begin;
    return static_cast<int>(std::clamp<std::int64_t>(joined, 0, lanes.size()));
  }

  static Update update_at(const Passage& passage, const Example& example) {
    if (numbers) return std::isnan(passage.centre) ? Update{0, 0} : Update{example.target - passage.centre - passage.raw, 1};
    const double p = sigmoid(passage.raw), h = p * (1 - p);
    // g / h = 1 / p or -1 / (1 - p): at most largest_step in size, also where h is 0.
    return {example.label == 1 ? 1 / std::max(p, 1 / largest_step) : -1 / std::max(1 - p, 1 / largest_step), 4 * h};
  }

  void add_stage(const Answers& answers, std::size_t first, Passage& passage) const {
    double sum = 0, speakers = 0;
    for (std::size_t i = first; i < first + static_cast<std::size_t>(params.bag); ++i) {
      if (answers.vote[i] < 0) continue;
      sum += answers.margin[i];
      speakers += 1;
    }
    if (speakers > 0) passage.raw += params.rate * (sum / speakers);
  }
};

using StreamingGradientClasses = StreamingGradient<false>;
using StreamingGradientNumbers = StreamingGradient<true>;

}  // namespace streamboost

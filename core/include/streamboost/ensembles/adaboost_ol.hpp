// AdaBoost.OL and AdaBoost.OL.W: adaptive online boosting, no parameter to guess.
//
// Paper     Beygelzimer, Kale, Luo: Optimal and adaptive algorithms for online boosting (ICML 2015), algorithm 2.
//
//   paper            here              meaning
//   alpha_t^i        alpha[i]          weight of learner i in the vote, in [-2, 2], starts at 0
//   s^i              y Passage::vote   margin of the first i learners' weighted vote
//   w^i              amount[i]         1 / (1 + e^{s^(i-1)}), the slope of the logistic loss
//   v_i              Hedge::loss       v_i = e^{-L_i}: expert i is the weighted vote of the first i learners
//
//   s^0 = 0;  w^i = 1 / (1 + e^{s^(i-1)});  s^i = s^(i-1) + alpha_i z^i,  z^i = y h^i(x)
//   alpha_i <- clip(alpha_i + (4 / sqrt t) z^i / (1 + e^{s^i}), -2, 2);   learner i gets the example with probability w^i (OL,
//   weighting = sampling, purpose 6) or with weight w^i (OL.W, importance).       All with the alpha and h of before.
//
// Choices     The experts become one answer by the majority of v (hedge.hpp), where the paper samples. hedge = full is the
//             whole vote, whose probability is the logistic link. A sample weight s scales w, the step and the losses.
// Report      the sums behind: 1/2 sum c_i^2 W_i <= T ln 2 + N R, R = 2 sqrt T + 2 sum s^2 / sqrt t (= 6 sqrt T at most);
//             E[mistakes] <= (least expert loss + ln N) / (1 - 1/e).
// Cost        one ask, one teach, O(n) between with two exponentials per lane. State: alpha per lane, L.
#pragma once
#include <cmath>

#include "streamboost/ensembles/booster.hpp"
#include "streamboost/ensembles/booster_kernels.hpp"
#include "streamboost/ensembles/hedge.hpp"
#include "streamboost/math/math.hpp"

namespace streamboost {

struct AdaBoostOL : BoosterDefaults {
  struct Params {
    bool sampling, hard;
    Hedge::Mode mode;
    static Params read(const Config& c) {
      return {c.choice<bool>("weighting", {{"sampling", true}, {"importance", false}}),
              c.choice<bool>("hypothesis", {{"real", false}, {"sign", true}}), SignHedge::read(c)};
    }
  };
  struct LaneState : VoteAlphas {
    void restart(std::size_t i) { alpha[0][i] = 0; }
  };
  struct Passage : PassageBase {
    double vote = 0;  // sum of alpha h
    auto scan() { return std::tie(vote); }
    bool sound(int, int) const { return true; }
  };
  static constexpr BoosterTraits traits{.column = true, .column_rows = 2, .write_report = true, .restart = true};
  enum class Sum { weight, mistakes, expected, mixed, squared_steps, count };

  Params params;
  std::uint64_t seed;
  SignHedge hedge;
  BoundSums<Sum> watch;

  AdaBoostOL(Params p, const Ensemble& ensemble)
      : params(p),
        seed(ensemble.seed),
        hedge(p.mode, ensemble.seed, static_cast<std::size_t>(ensemble.n_estimators)),
        watch(ensemble.monitor) {}
  void reserve(int) {}

  void score(const Example& example, const Block<LaneState>& block, Scratch& scratch, Passage& passage) const {
    ask_hypotheses(example, *block.bank, params.hard, scratch.answers);
    passage.vote = weighted_prefixes(block.state.alpha[0], scratch.answers.margin.data(), passage.vote,
                                     passage.column + block.lanes().begin, static_cast<std::size_t>(block.lanes().size()));
  }

  void learn(const Example& example, Block<LaneState>& block, Scratch& scratch, Passage& passage) const {
    const double y = example.label == 1 ? 1.0 : -1.0, before = passage.vote;
    score(example, block, scratch, passage);
    const auto n = static_cast<std::size_t>(block.lanes().size());
    const double *margin = scratch.answers.margin.data(), *prefix = passage.column + block.lanes().begin;
    double *amount = scratch.amount.data(), *next = scratch.extra.data();  // next[i] = w^(i+1)
    loss_slopes(prefix, y, next, n);
    loss_slopes(&before, y, amount, 1);
    std::copy_n(next, n - 1, amount + 1);
    std::fill(scratch.amount.begin() + block.lanes().size(), scratch.amount.end(), 0.0);
    if (example.weight != 1)
      for (double& w : scratch.amount) w *= example.weight;
    block.events.margins(*block.bank, scratch.answers, params.hard, amount, y);
    logistic_alphas(margin, next, y, example.weight * 4 / std::sqrt(static_cast<double>(example.number + 1)), block.state.alpha[0], n);
    if (params.sampling) pass_by_coin(example, seed, block.lanes(), scratch);
    block.bank->learn(example, {example.label}, amount, Amount::weight, scratch.answers);
  }

  void answer(const Example& example, const Passage& passage, Verdict& verdict) const {
    const double plus = hedge.to_verdict(passage.column, 1.0, example.number, verdict);
    passage.column[padded(hedge.size())] = plus;
    if (params.mode == Hedge::Mode::full) verdict.set_margin(passage.vote, sigmoid(passage.vote));
  }

  void conclude(const Example& example, const Passage& passage) {
    const double y = example.label == 1 ? 1.0 : -1.0, s = example.weight;
    if (watch.on) {
      const bool answered = passage.answers && example.n_classes > 1;
      const double plus = answered ? passage.column[padded(hedge.size())] : hedge.share_of_plus(passage.column, 1.0);
      const double wrong = y > 0 ? 1 - plus : plus;
      watch.add(Sum::weight, s);
      watch.add(Sum::mistakes, y * passage.vote <= 0 ? s : 0.0);
      watch.add(Sum::expected, s * wrong);
      watch.add(Sum::mixed, -expm1(-s) * wrong);
      watch.add(Sum::squared_steps, 2 * s * s / std::sqrt(static_cast<double>(example.number + 1)));
    }
    hedge.learn(passage.column, y, s);
    if (watch.due(example.number))
      watch.note(example.number, watch[Sum::mixed] / mixing, (hedge.least_loss() + log(static_cast<double>(hedge.size()))) / mixing);
  }

  void write_report(ModelReport& report, std::int64_t) const {
    hedge.write_report(report, 1.0, "hedge_log_weight");
    watch.write_report(report, {{Sum::weight, "weight"},
                                {Sum::mistakes, "full_vote_mistakes"},
                                {Sum::expected, "expected_loss"},
                                {Sum::mixed, "mixed_loss"},
                                {Sum::squared_steps, "squared_steps"}});
  }
  void fields(FieldVisitor& v) {
    hedge.fields(v);
    watch.fields(v);
  }
  void check() const {
    hedge.check();
    watch.check();
  }

 private:
  static constexpr double mixing = 0.6321205588285577;  // 1 - 1/e
};

}  // namespace streamboost

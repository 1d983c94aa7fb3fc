// Online GradientBoost (OGBoost): selectors descend a loss one after the other.
//
// Paper     Leistner, Saffari, Roth, Bischof: On robustness of on-line boosting (ICCV workshops 2009).
//
//   paper            here              meaning
//   M, K             lanes / K, K      selectors, and candidates in each; candidate (m, k) is lane m K + k
//   e_{m,k}          error[i]          weight of the examples candidate (m, k) got wrong, judged after it learned them
//   F_m(x)           Passage::score    sum of the chosen candidates' hypotheses so far; nu = shrinkage
//   w                Passage::weight   -l'(y F), what the example weighs for the next selector
//
//   w = -l'(0), F = 0; for each selector m: all its candidates learn with weight s w; e += s w where one is (still) wrong;
//   j = argmin_k e (lowest of equals); F += nu f_{m,j}(x) with the hypothesis after the update; w = -l'(y F)
//   predict sign(sum_m nu f_{m,best}(x)), best = argmin e of before
//
//   losses (math/losses.hpp): logistic, exponential (w at most 1000), hinge, doom, savage
//   Doom and savage let go of examples that are far on the wrong side: robust to false labels.
//
// Choices     y F is kept within +-50 in exponents. One hypothesis (real or sign) for the weights and the vote.
// Cost        one ask, one teach, one `after` per lane, in sequence. State: error per lane. No guarantee is known online.
#pragma once
#include <algorithm>

#include "streamboost/ensembles/booster.hpp"
#include "streamboost/math/losses.hpp"

namespace streamboost {

struct OGBoost : BoosterDefaults {
  struct Params {
    MarginLoss loss;
    double shrinkage;
    int n_candidates;
    bool hard;
    static Params read(const Config& c) {
      return {read_margin_loss(c, {MarginLoss::logistic, MarginLoss::exponential, MarginLoss::hinge, MarginLoss::doom, MarginLoss::savage}),
              c.number("shrinkage"), c.whole<int>("n_candidates"), c.choice<bool>("hypothesis", {{"real", false}, {"sign", true}})};
    }
  };
  struct LaneState : LaneStateDefaults {
    LaneArray<double> error;
    void reserve(Lanes lanes) { error = LaneArray<double>(1, static_cast<std::size_t>(lanes.size())); }
    void fields(FieldVisitor& v) { v("error", error); }
    void check() const {
      for (std::size_t i = 0; i < error.lanes(); ++i) require(error[0][i] >= 0, "errors of the candidates");
    }
  };
  struct Passage : PassageBase {
    double vote = 0;                // of the ensemble as it was
    double score = 0, weight = -1;  // F and w of the ensemble as it learns; -1: not begun
    auto scan() { return std::tie(vote, score, weight); }
    bool sound(int, int) const { return true; }
  };
  static constexpr BoosterTraits traits{.vote_weights = true, .learner_needs = true, .grain = true, .write_report = true};
  enum class Sum { weight, mistakes, count };

  Params params;
  BoundSums<Sum> watch;

  OGBoost(Params p, const Ensemble& ensemble) : params(p), watch(ensemble.monitor) {
    if (p.n_candidates < 1 || ensemble.n_estimators % p.n_candidates != 0)
      throw std::invalid_argument("lanes must be a multiple of n_candidates");
  }
  LearnerNeeds learner_needs() const { return {.answers_after_learning = true}; }
  void reserve(int) {}
  int grain() const { return params.n_candidates; }

  double weight(double margin) const { return std::min(loss_pull(params.loss, std::clamp(margin, -50.0, 50.0)), 1000.0); }

  void score(const Example& example, const Block<LaneState>& block, Scratch& scratch, Passage& passage) const {
    ask_hypotheses(example, *block.bank, params.hard, scratch.answers);
    for (int i = 0, n = block.lanes().size(); i < n; i += params.n_candidates)
      passage.vote += params.shrinkage * scratch.answers.margin[static_cast<std::size_t>(best(block.state.error[0], i))];
  }
  VoteWeights vote_weights(const Example&, const Block<LaneState>& block, const Scratch&, Passage&, double* out) const {
    std::fill_n(out, block.lanes().size(), 0.0);
    for (int i = 0, n = block.lanes().size(); i < n; i += params.n_candidates) out[best(block.state.error[0], i)] = params.shrinkage;
    return {Request::margins, params.hard};
  }

  void learn(const Example& example, Block<LaneState>& block, Scratch& scratch, Passage& passage) const {
    score(example, block, scratch, passage);
    const AnswersAfter* after_learning = block.bank.can().after;
    const double y = example.label == 1 ? 1.0 : -1.0;
    double *error = block.state.error[0], *amount = scratch.amount.data(), *after = scratch.extra.data();
    if (after_learning != nullptr) after_learning->after_begin(example, scratch.answers);
    const bool teaches = after_learning == nullptr && !params.hard;  // below, so who is untrained now must be noted now
    if (teaches)
      for (int i = 0; i < block.lanes().size(); ++i) scratch.answers.vote[static_cast<std::size_t>(i)] = block.bank->trained(i) ? 0 : -1;
    if (passage.weight < 0) passage.weight = weight(0);
    for (int i = 0, n = block.lanes().size(); i < n; i += params.n_candidates) {
      for (int c = i; c < i + params.n_candidates; ++c) {
        amount[c] = passage.weight * example.weight;
        after[c] = hypothesis_after(block.bank.can(), c, example, amount[c], scratch.answers);
        if (amount[c] > 0 && (after[c] > 0) != (y > 0)) error[c] += amount[c];
      }
      passage.score += params.shrinkage * after[best(error, i)];
      passage.weight = weight(y * passage.score);
    }
    std::fill(scratch.amount.begin() + block.lanes().size(), scratch.amount.end(), 0.0);
    block.events.margins(*block.bank, scratch.answers, params.hard || teaches, amount, y);
    if (after_learning != nullptr) block.bank->learn(example, {example.label}, amount, Amount::weight, scratch.answers);
  }

  void answer(const Example&, const Passage& passage, Verdict& verdict) const {
    verdict.set_margin(passage.vote, sigmoid(loss_link(params.loss) * passage.vote));
  }
  void conclude(const Example& example, const Passage& passage) {
    if (!watch.on) return;
    watch.add(Sum::weight, example.weight);
    watch.add(Sum::mistakes, (example.label == 1 ? passage.vote : -passage.vote) <= 0 ? example.weight : 0.0);
    watch.note(example.number, watch[Sum::mistakes], 0);
  }
  void write_report(ModelReport& report, std::int64_t) const {
    watch.write_report(report, {{Sum::weight, "weight"}, {Sum::mistakes, "mistakes"}}, false);
  }
  void fields(FieldVisitor& v) { watch.fields(v); }
  void check() const { watch.check(); }

 private:
  int best(const double* error, int first) const {
    return static_cast<int>(std::min_element(error + first, error + first + params.n_candidates) - error);
  }

  // A weight of 0 teaches nothing: the answer stands, unless the row itself moves all lanes.
  double hypothesis_after(const Abilities& can, int lane, const Example& example, double amount, Answers& answers) const {
    const double before = answers.margin[static_cast<std::size_t>(lane)];
    if (!(amount > 0) && answers.change != Change::all) return before;
    if (answers.change == Change::wrong_only && before * (example.label == 1 ? 1.0 : -1.0) > 0) return before;
    const Answer answer = can.after != nullptr
                              ? can.after->after(lane, example, amount, Amount::weight, answers)
                              : can.learn_then_answer->learn_then_answer(lane, example, amount, Amount::weight, Request::margins, answers);
    if (params.hard) return answer.label == 1 ? 1.0 : -1.0;
    return answer.margin;
  }
};

}  // namespace streamboost

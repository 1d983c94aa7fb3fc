// Adaboost.OLM: adaptive online boosting for k labels; learners weighted by gradient descent, prefixes by Hedge.
//
// Paper     Jung, Goetz, Tewari: Online multiclass boosting (NIPS 2017), algorithm 2.
//
//   paper            here                meaning
//   s^i              Passage::votes      s^i = s^{i-1} + alpha^i e_{l_i}: votes of the first i learners, weighted
//   alpha^i          alpha[i]            vote of learner i, in [-2, 2]; negative: it is worse than guessing and turned round
//   L^r(s)           loss                sum_{l != r} of a loss (math/losses.hpp: logistic | exponential | squared hinge) of s[r] - s[l]
//   C[r, l]          loss_pulls          derivative of L^r in s[l], the pull of that margin;    C[r, r] = -sum of the others
//   yhat^i           column[i]           argmax s^i: what expert i says
//   v^i              LabelHedge          weight of expert i
//   eta_t            rate                D / (sqrt(2) G_i sqrt(t)), D = 4, |f'| <= G_i: k - 1 | (k - 1) e^{2i} | (k - 1)(1 + 2i)
//
//   weight of the example for learner i:  -C^i[y, y] / (k - 1),  C^i at s^{i-1}
//   alpha^i <- clip(alpha^i - eta_t f'(alpha^i), -2, 2),  f(alpha) = L^y(s^{i-1} + alpha e_l): the row of costs at s^i,
//              its entry l if l != y, else minus the sum of all others
//
// Departures  gradient = paper_code takes the published code's derivative for l = y: the logistic one with its argument turned round
//             (a pull that grows with the margin), the exponential one without its minus sign; and its rates. rate = binary is 4 / sqrt(t)
//             over k - 1, the step of AdaBoost.OL. Weights above 1 (exponential, squared hinge) are cut at 1 unless rescaled.
//             Exponents are kept below 600. A sample weight multiplies the loss, and with it the step of alpha.
// Cost        one ask, one teach, k slopes per lane; n exponentials in Hedge. State: alpha and five sums per lane, L per expert.
#pragma once
#include <cmath>

#include "streamboost/ensembles/multiclass.hpp"
#include "streamboost/math/losses.hpp"

namespace streamboost {

struct AdaBoostOLM : BoosterDefaults {
  struct Params {
    MarginLoss loss;
    bool paper_gradient, binary_step;
    CostUse costs;
    WeightRule weights;
    LabelHedge::Mode hedge;
    static Params read(const Config& c) {
      return {read_margin_loss(c, {MarginLoss::logistic, MarginLoss::exponential, MarginLoss::squared_hinge}),
              c.choice<bool>("gradient", {{"true", false}, {"paper_code", true}}),
              c.choice<bool>("step", {{"theory", false}, {"binary", true}}),
              read_cost_use(c),
              WeightRule::read(c),
              LabelHedge::read(c)};
    }
  };
  struct LaneState : LaneStateDefaults {
    LaneArray<double> alpha;
    LaneArray<double> weight_sum;  // of the weights in [0, 1], for their mean
    LaneArray<double> cost_sum;    // sum_t s C[y, l] / (k - 1)
    LaneArray<double> slope_sum;   // sum_t s (-C[y, y]) / (k - 1)
    void reserve(Lanes lanes) { alpha = weight_sum = cost_sum = slope_sum = LaneArray<double>(1, static_cast<std::size_t>(lanes.size())); }
    void restart(std::size_t i) { alpha[0][i] = 0; }
    void fields(FieldVisitor& v) {
      v("alpha", alpha);
      v("normalised_weight_sum", weight_sum);
      v("cost_sum", cost_sum);
      v("slope_sum", slope_sum);
    }
    void check() const {
      for (std::size_t i = 0; i < alpha.lanes(); ++i)
        require(alpha[0][i] >= -2 && alpha[0][i] <= 2 && weight_sum[0][i] >= 0 && slope_sum[0][i] >= 0, "votes of the learners");
    }
  };
  struct Passage : PassageBase {};
  // Rows of the column: what the experts answer; room for Hedge.
  static constexpr BoosterTraits traits{.votes = true,
                                        .column = true,
                                        .column_rows = 2,
                                        .column_labels = 0,
                                        .learner_needs = true,
                                        .write_report = true,
                                        .restart = true,
                                        .weighs_by_costs = true};

  Params params;
  std::uint64_t seed;
  int n, k = 0;
  LabelHedge hedge;
  AlignedVector<double> totals{0, 0, 0};  // weight of the examples, of the mistakes expected of Hedge, sum of L^y(s^N)

  AdaBoostOLM(Params p, const Ensemble& ensemble)
      : params(p),
        seed(ensemble.seed),
        n(ensemble.n_estimators),
        hedge(p.hedge, ensemble.seed, static_cast<std::size_t>(ensemble.n_estimators)) {}
  LearnerNeeds learner_needs() const { return {.costs = params.costs == CostUse::leaf_costs}; }
  void reserve(int n_classes) { k = n_classes; }

  void score(const Example& example, const Block<LaneState>& block, Scratch& scratch, Passage& passage) const {
    block.bank->ask(example, needs_matrix(params.costs) ? Request::distributions : Request::votes, scratch.answers);
    if (k < 2) return;
    const Lanes lanes = block.lanes();
    double* s = passage.votes;
    int best = argmax(s);
    for (int i = 0; i < lanes.size(); ++i) {
      const int label = answer_of(i, s, scratch);
      best = add(s, label, block.state.alpha[0][i], best);
      passage.column[lanes.begin + i] = best;
    }
  }

  void learn(const Example& example, Block<LaneState>& block, Scratch& scratch, Passage& passage) const {
    const Lanes lanes = block.lanes();
    const auto size = static_cast<std::size_t>(k), n_lanes = static_cast<std::size_t>(lanes.size());
    std::fill(scratch.amount.begin(), scratch.amount.end(), 0.0);
    // Votes before the block, for the weights; score moves the passage on.
    scratch.row.assign(passage.votes, passage.votes + size);
    score(example, block, scratch, passage);
    if (k < 2) {
      std::fill_n(scratch.amount.data(), n_lanes, example.weight);
    } else {
      weigh(example, block, scratch);
    }
    block.events.votes(scratch.answers.vote.data(), scratch.amount.data(), example.label);
    block.bank->learn(example, {example.label}, scratch.amount.data(), Amount::weight, scratch.answers);
    if (params.costs == CostUse::leaf_costs && k >= 2)
      block.bank.can().costs->learn_costs(example, scratch.work.data() + (n_lanes + 1) * size, scratch.answers);
  }

  void answer(const Example& example, const Passage& passage, Verdict& verdict) const {
    hedge.to_verdict(example.number, k, [&](std::size_t i) { return static_cast<int>(passage.column[i]); }, work_of(passage), verdict);
  }
  void conclude(const Example& example, const Passage& passage) {
    if (k < 2) return;
    double loss = 0;
    for (int l = 0; l < k; ++l)
      if (l != example.label) loss += loss_value(params.loss, passage.votes[example.label] - passage.votes[l]);
    totals[0] += example.weight;
    totals[1] +=
        example.weight *
        hedge.learn(example.label, example.weight, [&](std::size_t i) { return static_cast<int>(passage.column[i]); }, work_of(passage));
    totals[2] = std::min(totals[2] + example.weight * loss, 1e300);
  }
  // edge: gamma_i = sum C[y, l] / sum C[y, y].
  void write_report(ModelReport& report, std::int64_t) const {
    if (k < 2) return;
    const auto &cost = report.lanes["cost_sum"], &slope = report.lanes["slope_sum"];
    auto& edge = report.lanes["edge"];
    edge.assign(cost.size(), 0.0);
    for (std::size_t i = 0; i < cost.size(); ++i) edge[i] = slope[i] > 0 ? -cost[i] / slope[i] : 0.0;
    report.lane("expert_loss", hedge.losses());
    report.totals["n_classes"] = k;
    report.totals["weight"] = totals[0];
    report.totals["expected_loss"] = totals[1];
    report.totals["vote_loss"] = totals[2];
  }
  void fields(FieldVisitor& v) {
    hedge.fields(v);
    v("totals", totals);
  }
  void check() const {
    hedge.check();
    for (double x : totals) require(x >= 0, "totals");
  }

 private:
  double* work_of(const Passage& passage) const { return passage.column + padded(hedge.size()); }
  int argmax(const double* s) const { return static_cast<int>(std::max_element(s, s + k) - s); }
  // Adds a vote and returns the new argmax, the lowest code among equals.
  int add(double* s, int label, double alpha, int best) const {
    s[label] += alpha;
    if (label == best) return alpha < 0 ? argmax(s) : label;
    return s[label] > s[best] || (s[label] == s[best] && label < best) ? label : best;
  }

  // Rows less their diagonal: C[r, l] - C[r, r].
  int answer_of(int i, const double* s, Scratch& scratch) const {
    const auto lane = static_cast<std::size_t>(i), size = static_cast<std::size_t>(k);
    if (!needs_matrix(params.costs)) return std::max(scratch.answers.vote[lane], 0);
    scratch.work.resize(std::max(scratch.work.size(), size * size));
    double* matrix = scratch.work.data();
    for (std::size_t r = 0; r < size; ++r)
      for (std::size_t l = 0; l < size; ++l) matrix[r * size + l] = s[r] - s[l];
    loss_pulls(params.loss, matrix, size * size);
    for (std::size_t r = 0; r < size; ++r) {
      double sum = 0;
      for (std::size_t l = 0; l < size; ++l) sum += l == r ? 0.0 : matrix[r * size + l];
      for (std::size_t l = 0; l < size; ++l) matrix[r * size + l] = l == r ? 0.0 : matrix[r * size + l] + sum;
    }
    return vote_by_costs(scratch.answers, lane, matrix, k, params.costs == CostUse::bayes_norm);
  }

  // The step of learner i (from 1) at time t.
  double step(int i, double t) const {
    const double root = std::sqrt(t), labels = k - 1.0;
    const double plain = 2 * std::sqrt(2.0) / (labels * root);
    if (params.binary_step) return 4 / (labels * root);
    if (params.loss == MarginLoss::exponential) return plain * exp(params.paper_gradient ? 1.0 - i : -2.0 * i);
    return plain / slope_bound(params.loss, 2.0 * i);
  }

  // work = [slopes of the states before lane 0, 1, ... and after the last: (lanes + 1) x k | costs to teach: k x stride]
  void weigh(const Example& example, Block<LaneState>& block, Scratch& scratch) const {
    const Lanes lanes = block.lanes();
    const auto size = static_cast<std::size_t>(k), n_lanes = static_cast<std::size_t>(lanes.size()),
               y = static_cast<std::size_t>(example.label);
    const std::int32_t* vote = scratch.answers.vote.data();
    double* alpha = block.state.alpha[0];
    const auto t = static_cast<double>(example.number + 1);
    const std::size_t cells = (n_lanes + 1) * size;
    scratch.work.resize(std::max(scratch.work.size(), cells + size * scratch.answers.stride));
    double *c = scratch.work.data(), *s = scratch.row.data(), *taught = c + cells;
    std::copy_n(s, size, c);
    for (std::size_t i = 0; i < n_lanes; ++i) {
      s[std::max(vote[i], 0)] += alpha[i];
      std::copy_n(s, size, c + (i + 1) * size);
    }
    for (std::size_t i = 0; i <= n_lanes; ++i) {
      const double own = c[i * size + y];
      for (std::size_t l = 0; l < size; ++l) c[i * size + l] = own - c[i * size + l];
    }
    const auto turned = [&](std::size_t i) {  // the published code's sum for a right answer: arguments the wrong way round
      double sum = 0;
      for (std::size_t l = 0; l < size; ++l) sum += l == y ? 0.0 : 1 - c[(i + 1) * size + l];
      return sum;
    };
    loss_pulls(params.loss, c, cells);
    double here = others(c, y);
    for (std::size_t i = 0; i < n_lanes; ++i) {
      const auto l = static_cast<std::size_t>(std::max(vote[i], 0));
      const double next = others(c + (i + 1) * size, y);
      double gradient = l != y ? c[(i + 1) * size + l] : -next;
      if (l == y && params.paper_gradient && params.loss == MarginLoss::logistic) gradient = -turned(i);
      if (l == y && params.paper_gradient && params.loss == MarginLoss::exponential) gradient = next;
      const int lane = lanes.begin + static_cast<int>(i);
      scratch.amount[i] = example.weight * amount_of(here / (k - 1), lane, t, block.state.weight_sum[0][i]);
      if (params.costs == CostUse::leaf_costs)
        for (std::size_t a = 0; a < size; ++a)
          taught[a * scratch.answers.stride + i] = a == y || !(here > 0) ? 0.0 : scratch.amount[i] * (c[i * size + a] + here) / (k * here);
      block.state.slope_sum[0][i] = std::min(block.state.slope_sum[0][i] + example.weight * (here / (k - 1)), 1e300);
      block.state.cost_sum[0][i] =
          std::max(block.state.cost_sum[0][i] + example.weight * ((l == y ? -here : c[i * size + l]) / (k - 1)), -1e300);
      alpha[i] = std::clamp(alpha[i] - example.weight * step(lane + 1, t) * gradient, -2.0, 2.0);
      here = next;
    }
  }
  double others(const double* row, std::size_t y) const {
    double sum = 0;
    for (std::size_t l = 0; l < static_cast<std::size_t>(k); ++l) sum += l == y ? 0.0 : row[l];
    return sum;
  }

  double amount_of(double w, int lane, double t, double& sum) const {
    switch (params.weights.kind) {
      case WeightRule::Kind::rescaled:
        sum = std::min(sum, 1e300);
        return params.weights.rescale(w, sum, t);
      case WeightRule::Kind::normalised:
        sum += std::min(w, 1.0);
        return std::min(w, 1.0);
      case WeightRule::Kind::paper_code:
        sum += std::min(w, 1.0);
        if (params.loss == MarginLoss::exponential)
          return std::clamp(10 * w * exp(-0.2 * std::sqrt(static_cast<double>(lane))), 1e-10, 1e12);
        return lane == 0 ? 5.0 : std::max(params.weights.constant(seed, lane) * w, 1e-10);
    }
    return 0;
  }
};

}  // namespace streamboost

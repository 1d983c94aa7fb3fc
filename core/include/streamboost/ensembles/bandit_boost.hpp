// Boosting from bandit feedback: only the label that was played is judged, right or wrong.
//
// Paper     Zhang, Jung, Tewari: Online multiclass boosting with bandit feedback (AISTATS 2019).
//
//   paper            here                meaning
//   y~, P[y~]        facts               the label that was played, its probability, whether it was right; and yhat, the one thought best
//   L^[r]            losses              unbiased for 1{r != y}:   1{y~ = y} 1{r != y} / P[y]  for r != yhat,
//                                                                  1{y~ = yhat} 1{yhat != y} / P[yhat]  for yhat
//   I^               1 - losses          unbiased for e_y
//   c^i              costs               (C^i)' I^, C^i the costs of OnlineMBBM (potentials) or of Adaboost.OLM (slopes of the logistic loss)
//   s^i              Passage::votes      s^{i-1} + alpha^i e_{l_i}; alpha = 1 with potentials
//
//   learner i learns a label of least cost, with the weight sum_l (c[l] - min c), at least 1e-10, costs above the least cut at 100. The
//   label that was played is taken if it was right and is one of them, else one is drawn (purpose 10).
//   alpha^i <- clip(alpha^i - rho / (k^2 sqrt(t)) sum_r I^[r] f_r'(alpha), -2, 2),  f_r(alpha) = L^r(s^{i-1} + alpha e_l)
//   expert i (the first i learners) is charged L^[what it said]
//
//   costs    potentials: OptBandit, the last expert answers;    slopes: AdaBandit, the experts under Hedge
// Cost        one ask, one teach, k^2 costs per lane. State: alpha per lane, L per expert.
#pragma once
#include <cmath>
#include <memory>

#include "streamboost/ensembles/multiclass.hpp"
#include "streamboost/math/potential_pairwise.hpp"

namespace streamboost {

struct BanditBoost : BoosterDefaults {
  struct Params {
    bool potentials;
    double edge, exploration;
    LabelHedge::Mode hedge;
    static Params read(const Config& c) {
      return {c.choice<bool>("base", {{"mbbm", true}, {"olm", false}}), c.number("edge"), c.number("exploration"), LabelHedge::read(c)};
    }
  };
  using LaneState = VoteAlphas;
  struct Passage : PassageBase {};
  // Rows of the column: what the experts answer; room for Hedge.
  static constexpr BoosterTraits traits{.votes = true,
                                        .column = true,
                                        .column_rows = 2,
                                        .column_labels = 0,
                                        .facts = Facts::bandit,
                                        .begin = true,
                                        .write_report = true,
                                        .table_bytes = true,
                                        .weighs_by_costs = true};

  Params params;
  std::uint64_t seed;
  int n, k = 0;
  std::shared_ptr<const Potential> potential;
  LabelHedge hedge;
  AlignedVector<double> totals{0, 0};  // weight of the examples, of the rewards

  BanditBoost(Params p, const Ensemble& ensemble)
      : params(p), seed(ensemble.seed), n(ensemble.n_estimators), hedge(p.hedge, ensemble.seed, static_cast<std::size_t>(n)) {}
  void begin(LaneState& state) const {
    for (std::size_t i = 0; i < state.alpha.lanes(); ++i) state.alpha[0][i] = params.potentials ? 1.0 : 0.0;
  }
  void reserve(int n_classes) {
    if (n_classes == k) return;
    k = n_classes;
    potential = params.potentials && k >= 2 ? std::make_shared<PairwisePotential>(k, n, params.edge) : nullptr;
  }

  void score(const Example& example, const Block<LaneState>& block, Scratch& scratch, Passage& passage) const {
    block.bank->ask(example, Request::votes, scratch.answers);
    const Lanes lanes = block.lanes();
    for (int i = 0; i < lanes.size(); ++i) {
      passage.votes[vote_of(scratch, i)] += block.state.alpha[0][i];
      passage.column[lanes.begin + i] = static_cast<double>(std::max_element(passage.votes, passage.votes + k) - passage.votes);
    }
  }

  void learn(const Example& example, Block<LaneState>& block, Scratch& scratch, Passage& passage) const {
    const Lanes lanes = block.lanes();
    const auto size = static_cast<std::size_t>(k);
    scratch.row.assign(passage.votes, passage.votes + size);
    score(example, block, scratch, passage);
    std::fill(scratch.amount.begin(), scratch.amount.end(), 0.0);
    scratch.work.resize(std::max(scratch.work.size(), 2 * size));
    scratch.counts.resize(2 * size + scratch.amount.size());
    double *s = scratch.row.data(), *cost = scratch.work.data();
    std::int32_t* taught = scratch.counts.data() + 2 * size;  // before it: votes as whole numbers
    for (int i = 0; i < lanes.size() && k >= 2; ++i) {
      const int lane = lanes.begin + i, said = vote_of(scratch, i);
      double& alpha = block.state.alpha[0][i];
      costs(example.facts, n - 1 - lane, s, scratch, cost);
      taught[i] = label_to_teach(example, lane, cost, scratch.amount[static_cast<std::size_t>(i)]);
      scratch.amount[static_cast<std::size_t>(i)] *= example.weight;
      const double before = alpha;
      if (!params.potentials)
        alpha = std::clamp(before - example.weight * rate(example) * slope(example.facts, s, said, before), -2.0, 2.0);
      s[said] += before;
    }
    block.bank->learn(example, {-1, taught}, scratch.amount.data(), Amount::weight, scratch.answers);
  }

  void answer(const Example& example, const Passage& passage, Verdict& verdict) const {
    if (!params.potentials) {
      hedge.to_verdict(example.number, k, [&](std::size_t i) { return static_cast<int>(passage.column[i]); }, work_of(passage), verdict);
      return;
    }
    for (int c = 0; c < k; ++c) verdict.score[c] = verdict.proba[c] = passage.votes[c] / n;
  }
  void conclude(const Example& example, const Passage& passage) {
    totals[0] += example.weight;
    totals[1] += example.weight * example.facts[1];
    for (std::size_t i = 0; i < hedge.size(); ++i)
      hedge.charge(i, example.weight * loss(example.facts, static_cast<int>(passage.column[i])));
  }
  void write_report(ModelReport& report, std::int64_t) const {
    report.lane("expert_loss", hedge.losses());
    report.totals["weight"] = totals[0];
    report.totals["reward"] = totals[1];
  }
  std::size_t table_bytes() const { return potential ? potential->bytes() : 0; }
  void fields(FieldVisitor& v) {
    hedge.fields(v);
    v("totals", totals);
  }
  void check() const {
    hedge.check();
    for (double x : totals) require(x >= 0, "totals");
  }

 private:
  static int vote_of(const Scratch& scratch, int i) { return std::max(scratch.answers.vote[static_cast<std::size_t>(i)], 0); }
  double* work_of(const Passage& passage) const { return passage.column + padded(hedge.size()); }
  double rate(const Example& example) const {
    return params.exploration / (static_cast<double>(k) * k * std::sqrt(static_cast<double>(example.number + 1)));
  }

  // L^[r].
  static double loss(const double* facts, int r) {
    const int played = static_cast<int>(facts[0]), best = static_cast<int>(facts[3]);
    if (r == best) return played == best && facts[1] == 0 ? 1 / facts[2] : 0.0;
    return facts[1] == 1 && r != played ? 1 / facts[2] : 0.0;
  }

  void costs(const double* facts, int left, const double* s, Scratch& scratch, double* cost) const {
    const auto size = static_cast<std::size_t>(k);
    double* row = cost + size;
    std::fill_n(cost, size, 0.0);
    std::int32_t* votes = scratch.counts.data();
    for (std::size_t l = 0; l < size && potential; ++l) votes[l] = static_cast<std::int32_t>(s[l]);
    for (int r = 0; r < k; ++r) {
      const double truth = 1 - loss(facts, r);
      if (truth == 0) continue;
      if (potential) {
        potential->row(left, votes, r, row);
      } else {
        double sum = 0;
        for (int l = 0; l < k; ++l) sum += row[l] = l == r ? 0.0 : sigmoid(s[l] - s[r]);
        row[r] = -sum;
      }
      for (std::size_t l = 0; l < size; ++l) cost[l] += truth * row[l];
    }
  }

  // The label to teach, and the weight.
  int label_to_teach(const Example& example, int lane, double* cost, double& weight) const {
    const double least = *std::min_element(cost, cost + k);
    const auto is_least = [&](int l) { return cost[l] <= least + 1e-12; };  // labels of which nothing is known differ by rounding alone
    int cheapest = 0;
    weight = 0;
    for (int l = 0; l < k; ++l) {
      weight += std::min(cost[l] - least, 100.0);
      cheapest += is_least(l) ? 1 : 0;
    }
    weight = std::max(weight, 1e-10);
    const int played = static_cast<int>(example.facts[0]);
    if (example.facts[1] == 1 && is_least(played)) return played;
    const auto key = static_cast<std::uint64_t>(example.number);
    auto skip = static_cast<int>(uniform({seed, key, static_cast<std::uint32_t>(lane), Purpose::bandit}) * cheapest);
    for (int l = 0; l < k; ++l)
      if (is_least(l) && skip-- == 0) return l;
    return played;
  }

  // sum_r I^[r] f_r'(alpha): a learner that has said `said` before votes s.
  double slope(const double* facts, const double* s, int said, double alpha) const {
    double sum = 0;
    for (int r = 0; r < k; ++r) {
      const double truth = 1 - loss(facts, r);
      if (r != said) {
        sum += truth * sigmoid(s[said] + alpha - s[r]);
        continue;
      }
      for (int j = 0; j < k; ++j)
        if (j != r) sum -= truth * sigmoid(s[j] - s[r] - alpha);
    }
    return sum;
  }
};

}  // namespace streamboost

// OnlineMBBM: online multiclass boosting by majority, for one edge or a grid of edges under Hedge.
//
// Paper     Jung, Goetz, Tewari: Online multiclass boosting (NIPS 2017), algorithm 1.
//
//   paper            here                meaning
//   N, gamma         n, edges            learners per edge; the edge asked of them
//   s^i              counts              votes of the first i learners, one each
//   phi_n^r          Potential           what a vote count is worth (potential.hpp); n = N - i votes are still to come after learner i
//   C[r, l]          Potential::row      phi_n^r(s + e_l): cost of answering l when the truth is r
//   w^i[y]           weight              sum_l C[y, l] - k C[y, y]: what the example is worth to learner i
//   X_i              excess_sum          sum_t (C[y, l_i] - C[y, y]) - (1 - gamma) / k sum_t w: over all i the loss less T phi_N(0)
//
//   for i = 1 .. N:  l_i = learner i's answer (multiclass.hpp: costs);  s^i = s^{i-1} + e_{l_i}
//   predict argmax s^N;  teach learner i the example with weight w^i[y]
//
// Grid        Lanes [e N, (e + 1) N) are a booster of their own for edge e; Hedge weighs their predictions.
// Choices     Weights are divided by their largest value (k - 1; pairwise (k - 1)^2), then as multiclass.hpp says. early_exit: once
//             the leader cannot be caught the learners left are taught nothing; with the exact potential their weights are 0
//             anyway. Costs along the way are differences of potentials: C[y, l_i] is phi after the vote, and
//             C[y, y] = phi before it - (1 - gamma) / k w, so a right answer costs no look and a wrong one costs one.
//             off_by_one counts one vote too many to come, as the published code does.
// Cost        one ask, one teach, per lane one weight (pairwise: k look-ups). State: four numbers per lane, three per edge.
#pragma once
#include <array>
#include <memory>

#include "streamboost/ensembles/multiclass.hpp"
#include "streamboost/math/potential.hpp"

namespace streamboost {

struct MBBM : BoosterDefaults {
  static constexpr int most_edges = 16;
  struct Params {
    std::vector<double> edges;
    Potential::Kind potential;
    int draws;
    CostUse costs;
    WeightRule weights;
    LabelHedge::Mode hedge;
    bool early_exit, off_by_one;
    static Params read(const Config& c) {
      Params p{};
      if (const auto* grid = c.array("edges")) p.edges = *grid;
      if (p.edges.empty() || static_cast<int>(p.edges.size()) > most_edges) throw std::invalid_argument("edges must be a few numbers");
      p.potential = c.choice<Potential::Kind>("potential", {{"pairwise", Potential::Kind::pairwise},
                                                            {"exact", Potential::Kind::exact},
                                                            {"recursion", Potential::Kind::recursion},
                                                            {"mc", Potential::Kind::mc}});
      p.draws = c.whole<int>("n_draws");
      p.costs = read_cost_use(c);
      p.weights = WeightRule::read(c);
      p.hedge = LabelHedge::read(c);
      p.early_exit = c.flag("early_exit");
      p.off_by_one = c.flag("off_by_one");
      return p;
    }
  };
  struct LaneState : LaneStateDefaults {
    LaneArray<double> weight_sum;     // of the weights in [0, 1], for their mean
    LaneArray<double> potential_sum;  // sum_t s w, w as the potential gives it
    LaneArray<double> cost_sum;       // sum_t s (C[y, l] - C[y, y])
    void reserve(Lanes lanes) { weight_sum = potential_sum = cost_sum = LaneArray<double>(1, static_cast<std::size_t>(lanes.size())); }
    void fields(FieldVisitor& v) {
      v("normalised_weight_sum", weight_sum);
      v("potential_weight_sum", potential_sum);
      v("cost_sum", cost_sum);
    }
    void check() const {
      for (std::size_t i = 0; i < weight_sum.lanes(); ++i) require(weight_sum[0][i] >= 0 && potential_sum[0][i] >= 0, "sums of weights");
    }
  };
  struct Passage : PassageBase {
    std::array<std::int32_t, most_edges> label{};  // what each edge's booster answers
    std::array<double, most_edges> rivals{};       // labels that tie with the truth or beat it
    double phi = 0;                                // potential of the truth at this point
    auto scan() { return std::tie(label, rivals, phi); }
    bool sound(int, int n_classes) const {
      return std::all_of(label.begin(), label.end(), [&](std::int32_t c) { return c >= 0 && c < n_classes; }) &&
             std::all_of(rivals.begin(), rivals.end(), [&](double r) { return r >= 0 && r < n_classes; });
    }
  };
  // Rows of the column: what the learners answer; room for Hedge.
  static constexpr BoosterTraits traits{.column = true,
                                        .column_rows = 2,
                                        .column_labels = 0,
                                        .learner_needs = true,
                                        .write_report = true,
                                        .table_bytes = true,
                                        .weighs_by_costs = true};

  Params params;
  int n;  // learners per edge
  std::uint64_t seed;
  bool monitor;
  std::vector<std::shared_ptr<const Potential>> potentials;  // by edge; a function of the parameters and k
  int k = 0;
  LabelHedge hedge;
  AlignedVector<double> lost, rivals;  // per edge: sum of the 0-1 losses (a tie is a loss), of the numbers of rivals not beaten
  AlignedVector<double> totals{0, 0};  // weight of the examples, of the mistakes expected of Hedge

  MBBM(Params p, const Ensemble& ensemble)
      : params(std::move(p)),
        n(ensemble.n_estimators / static_cast<int>(params.edges.size())),
        seed(ensemble.seed),
        monitor(ensemble.monitor),
        hedge(params.hedge, ensemble.seed, params.edges.size()),
        lost(params.edges.size(), 0.0),
        rivals(params.edges.size(), 0.0) {
    if (n * static_cast<int>(params.edges.size()) != ensemble.n_estimators)
      throw std::invalid_argument("lanes must be a multiple of the edges");
  }
  LearnerNeeds learner_needs() const { return {.costs = params.costs == CostUse::leaf_costs}; }
  void reserve(int n_classes) {
    if (n_classes == k) return;
    k = n_classes;
    potentials.clear();
    for (double edge : params.edges)
      if (k >= 2) potentials.push_back(make_potential(params.potential, k, n + (params.off_by_one ? 1 : 0), edge, seed, params.draws));
  }

  void score(const Example& example, const Block<LaneState>& block, Scratch& scratch, Passage& passage) const {
    block.bank->ask(example, needs_matrix(params.costs) ? Request::distributions : Request::votes, scratch.answers);
    if (k < 2) return;
    const Lanes lanes = block.lanes();
    std::int32_t* counts = open(lanes, scratch, passage);
    for (int i = 0; i < lanes.size(); ++i) {
      const int lane = lanes.begin + i, at = lane % n, edge = lane / n;
      if (at == 0) std::fill_n(counts, k, 0);
      const int label = answer_of(i, *potentials[static_cast<std::size_t>(edge)], n - 1 - at, counts, scratch);
      passage.column[lane] = label;
      ++counts[label];
      if (at == n - 1)
        passage.label[static_cast<std::size_t>(edge)] = static_cast<std::int32_t>(std::max_element(counts, counts + k) - counts);
    }
  }

  void learn(const Example& example, Block<LaneState>& block, Scratch& scratch, Passage& passage) const {
    score(example, block, scratch, passage);
    const Lanes lanes = block.lanes();
    double* amount = scratch.amount.data();
    std::fill(scratch.amount.begin(), scratch.amount.end(), 0.0);
    if (k < 2)
      std::fill_n(amount, lanes.size(), example.weight);
    else
      weigh(example, block, scratch, passage);
    block.events.votes(scratch.answers.vote.data(), amount, example.label);
    block.bank->learn(example, {example.label}, amount, Amount::weight, scratch.answers);
    if (params.costs == CostUse::leaf_costs && k >= 2) block.bank.can().costs->learn_costs(example, scratch.work.data(), scratch.answers);
  }

  void answer(const Example& example, const Passage& passage, Verdict& verdict) const {
    if (params.edges.size() > 1) {
      hedge.to_verdict(example.number, k, [&](std::size_t e) { return passage.label[e]; }, work_of(passage), verdict);
      return;
    }
    for (int lane = 0; lane < n; ++lane) verdict.proba[static_cast<int>(passage.column[lane])] += 1;
    for (int c = 0; c < k; ++c) verdict.score[c] = verdict.proba[c] = verdict.proba[c] / n;
  }
  void conclude(const Example& example, const Passage& passage) {
    if (k < 2) return;
    for (std::size_t e = 0; e < lost.size(); ++e) {
      lost[e] += passage.rivals[e] > 0 ? example.weight : 0.0;
      rivals[e] += passage.rivals[e] * example.weight;
    }
    totals[0] += example.weight;
    totals[1] +=
        example.weight * hedge.learn(example.label, example.weight, [&](std::size_t e) { return passage.label[e]; }, work_of(passage));
  }
  // edge: 1 - k sum cost / sum w, on the scale of the edge asked for; excess: X_i. Totals end with the number of their edge.
  void write_report(ModelReport& report, std::int64_t) const {
    if (k < 2) return;
    const auto &cost = report.lanes["cost_sum"], &weight = report.lanes["potential_weight_sum"];
    auto &edge = report.lanes["edge"], &excess = report.lanes["excess"];
    edge.assign(cost.size(), 0.0);
    excess.assign(cost.size(), 0.0);
    for (std::size_t i = 0; i < cost.size(); ++i) {
      edge[i] = weight[i] > 0 ? 1 - k * cost[i] / weight[i] : 0.0;
      excess[i] = cost[i] - (1 - params.edges[i / static_cast<std::size_t>(n)]) / k * weight[i];
    }
    report.totals["weight"] = totals[0];
    report.totals["expected_loss"] = totals[1];
    for (std::size_t e = 0; e < lost.size(); ++e) {
      const std::string at = std::string("_").append(std::to_string(e));  // gcc 12 warns of the plain sum
      report.totals["potential" + at] = potentials[e]->phi0();
      report.totals["loss" + at] = lost[e];
      report.totals["rivals" + at] = rivals[e];
      report.totals["mistakes" + at] = hedge.losses()[e];
    }
  }
  void fields(FieldVisitor& v) {
    hedge.fields(v);
    v("edge_loss", lost);
    v("edge_rivals", rivals);
    v("totals", totals);
  }
  // Tables are no state, but memory.
  std::size_t table_bytes() const {
    std::size_t sum = 0;
    for (const auto& potential : potentials) sum += potential->bytes();
    return sum;
  }
  void check() const {
    hedge.check();
    for (double x : totals) require(x >= 0, "totals");
  }

 private:
  double* work_of(const Passage& passage) const { return passage.column + padded(static_cast<std::size_t>(n) * params.edges.size()); }
  // The votes of this edge's learners in the blocks before.
  std::int32_t* open(Lanes lanes, Scratch& scratch, const Passage& passage) const {
    const auto size = static_cast<std::size_t>(k);
    scratch.counts.assign(size, 0);
    for (int lane = lanes.begin - lanes.begin % n; lane < lanes.begin; ++lane)
      ++scratch.counts[static_cast<std::size_t>(passage.column[lane])];
    return scratch.counts.data();
  }
  int votes_left(int at) const { return n - 1 - at + (params.off_by_one ? 1 : 0); }

  int answer_of(int i, const Potential& potential, int left, const std::int32_t* counts, Scratch& scratch) const {
    const auto lane = static_cast<std::size_t>(i);
    if (!needs_matrix(params.costs)) return std::max(scratch.answers.vote[lane], 0);
    const auto size = static_cast<std::size_t>(k);
    scratch.work.resize(std::max(scratch.work.size(), size * size));
    potential.matrix(left + (params.off_by_one ? 1 : 0), counts, scratch.work.data());
    return vote_by_costs(scratch.answers, lane, scratch.work.data(), k, params.costs == CostUse::bayes_norm);
  }

  // How far the leader is ahead of the second.
  static int lead(const std::int32_t* counts, int k) {
    std::int32_t first = 0, second = 0;
    for (int c = 0; c < k; ++c) {
      second = std::max(second, std::min(first, counts[c]));
      first = std::max(first, counts[c]);
    }
    return first - second;
  }

  void weigh(const Example& example, Block<LaneState>& block, Scratch& scratch, Passage& passage) const {
    const Lanes lanes = block.lanes();
    const int y = example.label;
    const auto t = static_cast<double>(example.number + 1);
    std::int32_t* counts = open(lanes, scratch, passage);
    const bool teaches_costs = params.costs == CostUse::leaf_costs;
    if (teaches_costs) {
      scratch.row.resize(static_cast<std::size_t>(k));
      scratch.work.assign(static_cast<std::size_t>(k) * scratch.answers.stride, 0.0);
    }
    int at = lanes.begin % n, may_be_settled = 0;  // from this place on the leader may be out of reach, which it then stays
    auto edge = static_cast<std::size_t>(lanes.begin / n);
    bool skipped = false;
    for (int i = 0; i < lanes.size(); ++i, ++at) {
      if (at == n) {
        at = may_be_settled = 0;
        skipped = false;
        ++edge;
      }
      const int lane = lanes.begin + i, left = votes_left(at);
      const Potential& potential = *potentials[edge];
      if (at == 0) {
        std::fill_n(counts, k, 0);
        if (monitor) passage.phi = potential.phi(left + 1, counts, y);
      }
      const int label = static_cast<int>(passage.column[lane]);
      if (params.early_exit && !skipped && at >= may_be_settled) {
        const int missing = n - at - lead(counts, k);  // a vote takes two off at most
        skipped = missing < 0;
        may_be_settled = at + missing / 2 + 1;
      }
      const double w = skipped ? 0.0 : potential.weight(left, counts, y);
      scratch.amount[static_cast<std::size_t>(i)] = example.weight * amount_of(w, potential, lane, t, block.state.weight_sum[0][i]);
      if (teaches_costs && w > 1e-12) {
        potential.row(left, counts, y, scratch.row.data());
        for (std::size_t c = 0; c < scratch.row.size(); ++c)
          scratch.work[c * scratch.answers.stride + static_cast<std::size_t>(i)] =
              scratch.amount[static_cast<std::size_t>(i)] * scratch.row[c] / w;
      }
      ++counts[label];
      if (monitor) {
        const double own = passage.phi - (1 - potential.edge()) / k * w;  // C[y, y]
        passage.phi = label == y ? own : potential.phi(left, counts, y);
        if (!skipped) {
          block.state.potential_sum[0][i] += example.weight * w;
          block.state.cost_sum[0][i] += example.weight * (label == y ? 0.0 : passage.phi - own);
        }
      }
      if (at != n - 1) continue;
      double not_beaten = 0;
      for (int c = 0; c < k; ++c) not_beaten += c != y && counts[c] >= counts[y] ? 1 : 0;
      passage.rivals[edge] = not_beaten;
    }
  }

  double amount_of(double w, const Potential& potential, int lane, double t, double& sum) const {
    const double normalised = w / potential.weight_limit();
    switch (params.weights.kind) {
      case WeightRule::Kind::rescaled:
        return params.weights.rescale(normalised, sum, t);
      case WeightRule::Kind::normalised:
        sum += normalised;
        return normalised;
      case WeightRule::Kind::paper_code:
        sum += normalised;
        return std::max(0.1 * params.weights.constant(seed, lane) * w / (k - 1), 1e-10);
    }
    return 0;
  }
};

}  // namespace streamboost

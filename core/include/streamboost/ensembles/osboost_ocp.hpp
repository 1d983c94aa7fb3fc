// OSBoost.OCP: smooth boosting whose vote is learned by online gradient descent on the simplex.
//
// Paper     Chen, Lin, Lu: An online boosting algorithm with theoretical justifications (ICML 2012), algorithm 1.
//
//   paper            here              meaning
//   alpha_t          alpha[i]          weight of learner i in the vote; starts at 1/N
//   eta_t            rate(t)           step: 1/sqrt(N t) (default), 1/sqrt(t), sqrt(2/(N t)); t counts examples learned
//   w_t^(i)          amount[i]         as in osboost.hpp: alpha does not enter
//
//   f = <alpha, h(x)>;  if y f < theta:  alpha <- Proj(alpha + eta_t s y h(x)), s the sample weight      predict sign(f)
//
// Choices     The paper leaves the step open; 1/sqrt(N t) has the least worst-case regret, 2 sqrt(N T). The projection
//             (simplex.hpp) by sorting or by random pivots; either only on rounds that violate the margin. Domain: the simplex
//             of the paper's text, or the l1 ball, where weights may be negative, which its tables fit (docs/results/differences).
// Report      sum l_t(alpha_t) - sum l_t(u) <= 1/eta_T + 1/2 sum eta_t |g_t|^2 for every u in the simplex, l the hinge loss at
//             theta: kept for all uniform prefixes and all single learners; in the ball 2/eta_T, as |alpha - u|^2 <= 4 there.
//             #errors <= sum l_t / theta.
// Cost        one ask, one teach, O(n) between, O(n log n) or expected O(n) on violations. State: alpha.
#pragma once
#include <cmath>

#include "streamboost/ensembles/booster_kernels.hpp"
#include "streamboost/ensembles/osboost.hpp"
#include "streamboost/math/simplex.hpp"

namespace streamboost {

struct OSBoostOCP : BoosterDefaults {
  enum class Step { root_nt, root_t, root_2_nt };
  enum class Domain { simplex, l1_ball };
  struct Params {
    SmoothWeights::Params smooth;
    Projection projection;
    Step step;
    Domain domain;
    static Params read(const Config& c) {
      return {SmoothWeights::Params::read(c),
              c.choice<Projection>("projection", {{"sort", Projection::sort}, {"pivot", Projection::pivot}}),
              c.choice<Step>("step", {{"1/sqrt(Nt)", Step::root_nt}, {"1/sqrt(t)", Step::root_t}, {"sqrt(2/(Nt))", Step::root_2_nt}}),
              c.choice<Domain>("domain", {{"simplex", Domain::simplex}, {"l1_ball", Domain::l1_ball}})};
    }
  };
  using LaneState = NoLaneState;
  struct Passage : PassageBase {
    double z = 0, vote = 0;
    auto scan() { return std::tie(z, vote); }
    bool sound(int, int) const { return true; }
  };
  // Rows of the column: margins; f once it is known, and work.
  static constexpr BoosterTraits traits{
      .column = true, .column_rows = 2, .vote_weights = true, .write_report = true, .watches_prefixes = true};
  enum class Sum { weight, mistakes, next_weight, hinge, squared_steps, count };

  Params params;
  SmoothWeights smooth;
  std::uint64_t seed;
  std::size_t n;
  AlignedVector<double> alpha;
  BoundSums<Sum> watch;
  AlignedVector<double> single_hinge, prefix_hinge;  // of the comparators, where the monitor is on
  AlignedVector<double> work, share;                 // no state; share of one hypothesis in the mean of the first i + 1

  OSBoostOCP(Params p, const Ensemble& ensemble)
      : params(p),
        smooth(p.smooth),
        seed(ensemble.seed),
        n(static_cast<std::size_t>(ensemble.n_estimators)),
        alpha(n, 1.0 / static_cast<double>(n)),
        watch(ensemble.monitor),
        work(n) {
    if (!watch.on) return;
    single_hinge = prefix_hinge = share = AlignedVector<double>(n);
    for (std::size_t i = 0; i < n; ++i) share[i] = 1.0 / static_cast<double>(i + 1);
  }
  void reserve(int) {}

  double rate(std::int64_t t) const {
    const auto rounds = static_cast<double>(t), lanes = static_cast<double>(n);
    switch (params.step) {
      case Step::root_nt:
        return 1 / std::sqrt(lanes * rounds);
      case Step::root_t:
        return 1 / std::sqrt(rounds);
      default:
        return std::sqrt(2 / (lanes * rounds));
    }
  }

  void score(const Example& example, const Block<LaneState>& block, Scratch& scratch, Passage& passage) const {
    smooth.ask(example, *block.bank, scratch.answers);
    std::copy_n(scratch.answers.margin.data(), block.lanes().size(), passage.column + block.lanes().begin);
  }
  VoteWeights vote_weights(const Example&, const Block<LaneState>& block, const Scratch&, Passage&, double* weight) const {
    std::copy_n(alpha.data() + block.lanes().begin, block.lanes().size(), weight);
    return {Request::margins, smooth.params.hard};
  }
  void learn(const Example& example, Block<LaneState>& block, Scratch& scratch, Passage& passage) const {
    score(example, block, scratch, passage);
    smooth.teach(example, block, scratch, scratch.extra.data(), passage);
  }
  void answer(const Example&, const Passage& passage, Verdict& verdict) const {
    const double f = vote(passage);
    passage.column[padded(n)] = f;
    verdict.set_margin(f, 0.5 * (1 + f));
  }

  void conclude(const Example& example, const Passage& passage) {
    const bool answered = passage.answers && example.n_classes > 1;
    const double y = example.label == 1 ? 1.0 : -1.0, s = example.weight;
    const double f = y * (answered ? passage.column[padded(n)] : vote(passage));
    const double eta = rate(example.number + 1);
    const bool violated = f < smooth.theta;
    if (watch.on) observe(example, passage, f, violated ? eta : 0.0);
    if (!violated) return;
    add_scaled(passage.column, eta * s * y, alpha.data(), n);
    const Key key{seed, static_cast<std::uint64_t>(example.number), 0, Purpose::pivot};
    if (params.domain == Domain::simplex)
      project_to_simplex(alpha.data(), n, work.data(), params.projection, key);
    else
      project_to_l1_ball(alpha.data(), n, work.data(), passage.column + padded(n), params.projection, key);
  }

  void write_report(ModelReport& report, std::int64_t n_learned) const {
    report.lane("alpha", alpha);
    if (!watch.on) return;
    watch.write_report(report, {{Sum::weight, "weight"},
                                {Sum::mistakes, "mistakes"},
                                {Sum::next_weight, "next_weight"},
                                {Sum::hinge, "hinge_loss"},
                                {Sum::squared_steps, "squared_steps"}});
    report.totals["last_step"] = rate(std::max<std::int64_t>(n_learned, 1));
    report.lane("single_hinge_loss", single_hinge);
    report.lane("prefix_hinge_loss", prefix_hinge);
  }
  void fields(FieldVisitor& v) {
    v("alpha", alpha);
    watch.fields(v);
    if (!watch.on) return;
    v("single_hinge_loss", single_hinge);
    v("prefix_hinge_loss", prefix_hinge);
  }
  void check() const {
    const bool ball = params.domain == Domain::l1_ball;
    double size = 0;
    for (double a : alpha) {
      require(a >= 0 || ball, "weights of the vote");
      size += std::fabs(a);
    }
    require((size > 0.999 || ball) && size < 1.001, "weights of the vote");
    watch.check();
  }

 private:
  double vote(const Passage& passage) const { return dot_product(alpha.data(), passage.column, n); }

  // eta: 0 on rounds without a step. The regret's |g|^2 is s^2 |h|^2.
  void observe(const Example& example, const Passage& passage, double f, double eta) {
    const double s = example.weight, y = example.label == 1 ? 1.0 : -1.0;
    double* prefix = passage.column + padded(n);
    prefixes_by_eights(passage.column, prefix, n);
    watch_hinges(passage.column, prefix, share.data(), s, y, smooth.theta, single_hinge.data(), prefix_hinge.data(), n);
    watch.add(Sum::weight, s);
    watch.add(Sum::mistakes, f <= 0 ? s : 0.0);
    watch.add(Sum::next_weight, s * smooth.weight_after(passage.z));
    watch.add(Sum::hinge, s * std::max(smooth.theta - f, 0.0));
    if (eta > 0) watch.add(Sum::squared_steps, eta * s * s * dot_product(passage.column, passage.column, n));
    watch.note(example.number, watch[Sum::mistakes], watch[Sum::hinge] / smooth.theta);
  }
};

}  // namespace streamboost

// The Defensive Booster: one learner, calibrated, with a certificate.
//
// Paper     Noarov, Roth: Defensive boosting (2026).
//
//   paper            here              meaning
//   h                margin[i]         the learner's answer in [-1, 1], before it learns
//   theta, lambda    theta, lambda     two numbers in [-1, 1], both start at 0
//   V                theta_sum, ...    4 + the squared gains so far: a <- clip(a + g / sqrt V), then V += g^2
//   mu               Passage::mu       the answer: P(1) = (1 + mu) / 2
//   e                y - mu            its error
//
//   q = (1 + lambda) / 2,  r = (1 - lambda) / 2;   mu: the root of q h + r theta mu = 0 in [-1, 1]; without one the sign of q h; 0 where
//   both terms are below 1e-12 in size. Whatever y comes, (q h + r theta mu) e <= 0: neither the learner nor mu itself can gain on e.
//   lambda gets g = (h e - theta mu e) / 2, theta gets g = mu e. The learner is taught the coefficient e, whose sign is that of y: the
//   label with the weight |e| / 2.
//
// Adaptive    level j of the pair (theta, lambda) begins anew whenever 2^j divides t, the number of the example from 1 on; the levels with
//             2^j <= t are mixed by Adapt-ML-Prod (Gaillard, Stoltz, van Erven 2014): shares proportional to eta_j w_j, with
//             eta_j = min(1/2, sqrt(ln(4 start^2) / (1 + sum R^2))), R = (f_j - f) e / 4, w_j <- (w_j (1 + eta_j R))^(eta_j' / eta_j).
//             Where a level began follows from t, and so does which levels are alive: 1 + log2 t. The learner stays one.
// Departures  A sample weight s multiplies gains, R (kept within [-1, 1]) and the weight taught. Several lanes are as many boosters, whose
//             mean is the answer. The paper's learner, projected ascent on the unit ball, is the learner `ogd`.
// Report      with S = sum e^2, weights of at most 1, not adaptive:  sum h e <= 4 sqrt S + 8 and |sum mu e| <= 8 sqrt S + 16. A learner whose
//             regret is at most a sqrt S + b then leaves |sum f e| <= (a + 4) sqrt S + b + 8 for every f of its class: the weights
//             |e| / 2 are a certificate that nobody in it has an edge.
// Cost        one ask, one teach, a few operations per lane; adaptive: two logarithms and an exponential for each level.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>

#include "streamboost/ensembles/booster.hpp"
#include "streamboost/math/math.hpp"

namespace streamboost {

struct Defensive : BoosterDefaults {
  struct Params {
    bool adaptive;
    static Params read(const Config& c) { return {c.flag("adaptive")}; }
  };
  static constexpr std::size_t most_levels = 48;  // examples are counted to 2^53, which nobody reaches
  struct LaneState : LaneStateDefaults {
    LaneArray<double> theta, lambda, theta_sum, lambda_sum, log_weight, regrets;  // [level][lane]
    std::size_t levels = 1;
    void reserve(Lanes lanes) { resize(static_cast<std::size_t>(lanes.size())); }
    void resize(std::size_t lanes) {
      theta = lambda = log_weight = regrets = LaneArray<double>(levels, lanes);
      theta_sum = lambda_sum = LaneArray<double>(levels, lanes, start);
    }
    void restart(std::size_t i) {
      for (std::size_t j = 0; j < levels; ++j) begin(j, i);
    }
    void begin(std::size_t level, std::size_t i) {
      theta[level][i] = lambda[level][i] = log_weight[level][i] = regrets[level][i] = 0;
      theta_sum[level][i] = lambda_sum[level][i] = start;
    }
    void fields(FieldVisitor& v) {
      v("theta", theta);
      v("lambda", lambda);
      v("theta_sum", theta_sum);
      v("lambda_sum", lambda_sum);
      if (levels == 1) return;
      v("log_weight", log_weight);
      v("regrets", regrets);
    }
    void check() const {
      for (std::size_t j = 0; j < levels; ++j)
        for (std::size_t i = 0; i < theta.lanes(); ++i) {
          require(std::fabs(theta[j][i]) <= 1 && std::fabs(lambda[j][i]) <= 1, "theta and lambda");
          require(theta_sum[j][i] >= start && lambda_sum[j][i] >= start && regrets[j][i] >= 0, "sums of squared gains");
          require(std::fabs(log_weight[j][i]) <= 1e6, "weight of a level");
        }
    }
    static constexpr double start = 4;
  };
  struct Passage : PassageBase {
    double mu = 0, h = 0;  // sums over the lanes
    auto scan() { return std::tie(mu, h); }
    bool sound(int lanes, int) const { return std::fabs(mu) <= lanes && std::fabs(h) <= lanes; }
  };
  static constexpr BoosterTraits traits{.begin = true, .write_report = true, .restart = true};
  enum class Sum { weight, mistakes, brier, squares, learner_gain, answer_gain, coefficients, largest_weight, count };

  Params params;
  double n_estimators;
  BoundSums<Sum> watch;

  Defensive(Params p, const Ensemble& ensemble) : params(p), n_estimators(ensemble.n_estimators), watch(ensemble.monitor) {}
  void reserve(int) {}
  void begin(LaneState& state) const {
    state.levels = params.adaptive ? most_levels : 1;
    state.resize(state.theta.lanes());
  }

  void score(const Example& example, const Block<LaneState>& block, Scratch& scratch, Passage& passage) const {
    block.bank->ask(example, Request::margins, scratch.answers);
    for (std::size_t i = 0, n = static_cast<std::size_t>(block.lanes().size()); i < n; ++i) {
      const double h = scratch.answers.margin[i];
      passage.h += h;
      passage.mu += mix(block.state, i, example.number + 1, h).mu;
    }
  }

  void learn(const Example& example, Block<LaneState>& block, Scratch& scratch, Passage& passage) const {
    block.bank->ask(example, Request::margins, scratch.answers);
    const double y = example.label == 1 ? 1.0 : -1.0;
    std::fill(scratch.amount.begin(), scratch.amount.end(), 0.0);
    for (std::size_t i = 0, n = static_cast<std::size_t>(block.lanes().size()); i < n; ++i) {
      const double h = scratch.answers.margin[i];
      const Mix mixed = mix(block.state, i, example.number + 1, h);
      passage.h += h;
      passage.mu += mixed.mu;
      for (std::size_t j = 0, levels = levels_at(example.number + 1); j < levels; ++j)
        move(block.state, i, j, example, h, y - mixed.mu, mixed);
      scratch.amount[i] = 0.5 * example.weight * std::fabs(y - mixed.mu);
    }
    block.events.margins(*block.bank, scratch.answers, false, scratch.amount.data(), y);
    block.bank->learn(example, {example.label}, scratch.amount.data(), Amount::weight, scratch.answers);
  }

  void answer(const Example&, const Passage& passage, Verdict& verdict) const {
    const double mean = passage.mu / n_estimators;
    verdict.set_margin(mean, 0.5 * (1 + mean));
  }

  void conclude(const Example& example, const Passage& passage) {
    if (!watch.on) return;
    const double y = example.label == 1 ? 1.0 : -1.0, s = example.weight;
    const double mu = passage.mu / n_estimators, h = passage.h / n_estimators, e = y - mu;
    watch.add(Sum::weight, s);
    watch.add(Sum::mistakes, y * mu <= 0 ? s : 0.0);
    watch.add(Sum::brier, s * e * e / 4);
    watch.add(Sum::squares, s * s * e * e);
    watch.add(Sum::learner_gain, s * h * e);
    watch.add(Sum::answer_gain, s * mu * e);
    watch.add(Sum::coefficients, s * std::fabs(e));
    watch.add(Sum::largest_weight, std::max(s - watch[Sum::largest_weight], 0.0));
    if (watch.due(example.number)) watch.note(example.number, std::fabs(watch[Sum::answer_gain]), 8 * std::sqrt(watch[Sum::squares]) + 16);
  }
  void write_report(ModelReport& report, std::int64_t) const {
    watch.write_report(report,
                       {{Sum::weight, "weight"},
                        {Sum::mistakes, "mistakes"},
                        {Sum::brier, "brier"},
                        {Sum::squares, "squared_errors"},
                        {Sum::learner_gain, "learner_gain"},
                        {Sum::answer_gain, "answer_gain"},
                        {Sum::coefficients, "coefficients"},
                        {Sum::largest_weight, "largest_weight"}},
                       !params.adaptive);
  }
  void fields(FieldVisitor& v) { watch.fields(v); }
  void check() const { watch.check(); }

 private:
  static constexpr double vanishes = 1e-12;
  // f(mu) = constant + slope mu, the mixture of the levels, and where it is 0.
  struct Mix {
    double constant = 0, slope = 0, mu = 0;
  };

  std::size_t levels_at(std::int64_t t) const {
    std::size_t levels = 1;
    while (params.adaptive && levels < most_levels && t >> levels > 0) ++levels;
    return levels;
  }
  bool begins(std::size_t level, std::int64_t t) const { return params.adaptive && t % (std::int64_t{1} << level) == 0; }
  static double rate(std::size_t level, std::int64_t t, double regrets) {
    const auto start = static_cast<double>(t >> level << level);
    return std::min(0.5, std::sqrt(log(4 * start * start) / (1 + regrets)));
  }

  Mix mix(const LaneState& state, std::size_t i, std::int64_t t, double h) const {
    std::array<double, most_levels> share{1.0};
    const std::size_t levels = levels_at(t);
    double whole = 1;
    if (params.adaptive) {
      whole = 0;
      double highest = 0;  // level 0 is always new, with the weight 1
      for (std::size_t j = 1; j < levels; ++j) highest = std::max(highest, begins(j, t) ? 0.0 : state.log_weight[j][i]);
      for (std::size_t j = 0; j < levels; ++j) {
        const bool anew = begins(j, t);
        share[j] = rate(j, t, anew ? 0.0 : state.regrets[j][i]) * exp((anew ? 0.0 : state.log_weight[j][i]) - highest);
        whole += share[j];
      }
    }
    Mix mixed;
    for (std::size_t j = 0; j < levels; ++j) {
      const double lambda = begins(j, t) ? 0.0 : state.lambda[j][i], theta = begins(j, t) ? 0.0 : state.theta[j][i];
      mixed.constant += share[j] / whole * (0.5 * (1 + lambda) * h);
      mixed.slope += share[j] / whole * (0.5 * (1 - lambda) * theta);
    }
    mixed.mu = root(mixed.constant, mixed.slope);
    return mixed;
  }
  static double root(double constant, double slope) {
    if (std::fabs(constant) < vanishes && std::fabs(slope) < vanishes) return 0;
    const double at = slope != 0 ? -constant / slope : 2.0;
    return std::fabs(at) <= 1 ? at : constant > 0 ? 1.0 : -1.0;
  }

  void move(LaneState& state, std::size_t i, std::size_t level, const Example& example, double h, double e, const Mix& mixed) const {
    const std::int64_t t = example.number + 1;
    const double s = example.weight, mu = mixed.mu;
    if (begins(level, t)) state.begin(level, i);
    double &theta = state.theta[level][i], &lambda = state.lambda[level][i];
    if (params.adaptive) {
      const double own = 0.5 * (1 + lambda) * h + 0.5 * (1 - lambda) * theta * mu;
      const double regret = std::clamp(s * (own - (mixed.constant + mixed.slope * mu)) * e / 4, -1.0, 1.0);
      double& regrets = state.regrets[level][i];
      const double before = rate(level, t, regrets), grown = state.log_weight[level][i] + log1p(before * regret);
      regrets += regret * regret;
      state.log_weight[level][i] = rate(level, t, regrets) / before * grown;
    }
    const double for_lambda = s * (h * e - theta * mu * e) / 2, for_theta = s * mu * e;
    climb(lambda, state.lambda_sum[level][i], for_lambda);
    climb(theta, state.theta_sum[level][i], for_theta);
  }
  static void climb(double& a, double& sum, double gain) {
    a = std::clamp(a + gain / std::sqrt(sum), -1.0, 1.0);
    sum += gain * gain;
  }
};

}  // namespace streamboost

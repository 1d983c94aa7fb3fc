// Online gradient boosting of regressors.
//
// Paper     Beygelzimer, Hazan, Kale, Luo: Online gradient boosting (2015), algorithms 1 (span) and 2 (hull).
//
//   paper       here                 meaning
//   y^i         Passage::sum         what the first i learners make of the example, y^0 = 0; the answer is y^N
//   A_i(x)      margin[i]            the answer of learner i; 0 while it is untrained
//   eta         params.step          span: y^i = clip_B((1 - sigma_i eta) y^{i-1} + eta A_i(x))
//               2 / (i + 1)          hull: y^i = (1 - eta_i) y^{i-1} + eta_i A_i(x)
//   sigma_i     shrink[i]            in [0, 1], starts at 0: clip(sigma_i + alpha_t l'(y^{i-1}) y^{i-1}, 0, 1), alpha_t = 1 / (L_B B sqrt t)
//   B           Passage::bound       bound of the answers: half the range of the targets so far, about their mean; doubled when exceeded
//   L_B         NumberLoss::bound    bound of the slopes |l'| on [-B, B]
//
//   l(z)        loss                 squared, huber with d = delta B, absolute, quantile: math/losses.hpp, of z - y
//
// A learner is to make the linear loss l'(y^{i-1}) z / L_B small. Ours learn squared losses, so they get
//   span   the target -r l'(y^{i-1}) / L_B with the weight s of the example: what gradient boosting calls the residual. Its range r is B for
//          the squared loss (half the residual), d for Huber's (the clipped residual), and min(B, 4 B / (eta N)) for the losses whose
//          slope does not fade near their minimum, so that all learners together can go twice from one end to the other
//   hull   the target -B sign(l') with the weight s |l'| / L_B: the linear loss and a square that keeps |z| within B. A mixture of
//          answers needs members at the rim of the hull, which means of residuals are not.
//
// Departures  Targets are taken about the running mean of those before (Passage::centre), which is added to the answer; B begins with the
//             first deviation from it, and lanes learn from then on. Sample weights multiply amounts and the step of sigma.
// Promise     (theorem 1, span, losses with slopes that change by at most beta = 1 per unit: squared and huber) against any f in the span of
//             a class in which every learner's regret is at most R:  sum l(y^N) - sum l(f) <= (1 - eta / |f|)^N sum l(0)
//             + 3 eta B^2 |f| T + L_B |f| R + 2 L_B B |f| sqrt T. The monitor takes the class of the constants in [-B, B], where R and
//             the best f are known: lane sums of l' / L_B and of l' A_i / L_B, sums of the targets here.
// Cost        one ask, one teach, per lane a few multiplications. State per lane: sigma, two sums, residuals.hpp.
#pragma once
#include <algorithm>
#include <cmath>
#include <tuple>

#include "streamboost/ensembles/regressor_kernels.hpp"
#include "streamboost/ensembles/residuals.hpp"
#include "streamboost/math/losses.hpp"

namespace streamboost {

struct GradientBoosting : BoosterDefaults {
  enum class Domain { span, hull };
  struct Params {
    NumberLoss::Kind loss;
    Domain domain;
    double step, delta, quantile;
    static Params read(const Config& c) {
      return {NumberLoss::read(c), c.choice<Domain>("domain", {{"span", Domain::span}, {"hull", Domain::hull}}), c.number("learning_rate"),
              c.number("delta"), c.number("quantile")};
    }
  };
  struct LaneState : Residuals {
    LaneArray<double> shrink, slope_sum, slope_answer_sum;
    void reserve(Lanes lanes) {
      Residuals::reserve(lanes);
      shrink = slope_sum = slope_answer_sum = LaneArray<double>(1, static_cast<std::size_t>(lanes.size()));
    }
    void restart(std::size_t i) { shrink[0][i] = 0; }
    void fields(FieldVisitor& v) {
      Residuals::fields(v);
      v("shrink", shrink);
      if (!on) return;
      v("slope_sum", slope_sum);
      v("slope_answer_sum", slope_answer_sum);
    }
    void check() const {
      Residuals::check();
      for (std::size_t i = 0; i < shrink.lanes(); ++i) {
        require(shrink[0][i] >= 0 && shrink[0][i] <= 1, "shrinking of a lane");
        require(std::isfinite(slope_sum[0][i]) && std::isfinite(slope_answer_sum[0][i]), "slopes of a lane");
      }
    }
  };
  struct Passage : PassageBase {
    double sum = 0, centre = 0, bound = 0;  // the last two announced
    auto scan() { return std::tie(sum); }
    bool sound(int, int) const { return std::isfinite(sum); }
  };
  static constexpr BoosterTraits traits{
      .numbers = true, .announces = true, .begin = true, .write_report = true, .reborn = true, .restart = true};

  Params params;
  bool monitor;
  double reach;                                           // eta N
  TargetMean targets;                                     // with bound, of all examples admitted
  AlignedVector<double> bound{0.0};                       // B
  static constexpr double least_bound = 1e-150;           // targets that differ by less have no scale: B^2 must not be 0
  AlignedVector<double> sums = AlignedVector<double>(6);  // T, l(y^N), l(0), z, z^2 (z: targets about their centre), B at the last row

  GradientBoosting(Params p, const Ensemble& ensemble) : params(p), monitor(ensemble.monitor), reach(p.step * ensemble.n_estimators) {}
  void reserve(int) {}
  void begin(LaneState& state) const { state.on = monitor; }

  void announce(Passage& passage) const {
    passage.centre = targets.value();
    passage.bound = bound[0];
  }
  void take_in(const Example& example) {
    const double off = targets.weight[0] > 0 ? std::fabs(example.target - targets.mean[0]) : 0.0;
    if (bound[0] == 0 && off >= least_bound) bound[0] = off;
    while (bound[0] > 0 && bound[0] < off) bound[0] *= 2;
    targets.add(example.target, example.weight);
  }

  void score(const Example& example, const Block<LaneState>& block, Scratch& scratch, Passage& passage) const {
    if (!(passage.bound > 0)) return;
    block.bank->ask(example, Request::numbers, scratch.answers);
    for (std::size_t i = 0, n = static_cast<std::size_t>(block.lanes().size()); i < n; ++i) add(block, i, scratch.answers, passage);
  }

  void learn(const Example& example, Block<LaneState>& block, Scratch& scratch, Passage& passage) const {
    std::fill(scratch.amount.begin(), scratch.amount.end(), 0.0);
    scratch.kind = Amount::weight;
    if (!(passage.bound > 0)) return;  // there is no scale yet
    block.bank->ask(example, Request::numbers, scratch.answers);
    LaneState& state = block.state;
    const double y = example.target - passage.centre, B = passage.bound, s = example.weight;
    const auto n = static_cast<std::size_t>(block.lanes().size());
    double *before = scratch.extra.data(), *share = scratch.draw.data();
    for (std::size_t i = 0; i < n; ++i) {
      before[i] = passage.sum;  // y^{i-1}: only this has to wait for the lane before
      add(block, i, scratch.answers, passage);
    }
    const NumberLoss loss = this->loss(B);
    const double L = loss.bound(2 * B), rate = s / (L * B * std::sqrt(static_cast<double>(example.number + 1)));
    const bool hull = params.domain == Domain::hull;
    const SlopeRule rule{loss, y, hull, L, hull ? B : target_range(loss, B), rate, s};
    descend_losses(before, rule, scratch.target.data(), scratch.amount.data(), share, state.shrink[0], n);
    if (monitor)
      watch_slopes(share, scratch.answers.vote.data(), scratch.answers.margin.data(), s, state.slope_sum[0], state.slope_answer_sum[0], n);
    state.meet(scratch.answers, scratch.target.data(), s, block.events.judged());
    block.bank->learn(example, {.target = scratch.target.data()}, scratch.amount.data(), Amount::weight, scratch.answers);
  }

  double number(const Example&, const Passage& passage) const { return passage.centre + passage.sum; }

  void conclude(const Example& example, const Passage& passage) {
    if (!(passage.bound > 0)) return;
    const double y = example.target - passage.centre, B = passage.bound, s = example.weight;
    sums[0] += s;
    sums[1] += s * loss(B).value(passage.sum - y);
    sums[2] += s * loss(B).value(0 - y);
    sums[3] += s * y;
    sums[4] += s * (y * y);
    sums[5] = B;
  }

  void write_report(ModelReport& report, std::int64_t) const {
    report.totals["weight"] = sums[0];
    report.totals["loss"] = sums[1];
    report.totals["loss_of_zero"] = sums[2];
    report.totals["target_sum"] = sums[3];
    report.totals["target_squares"] = sums[4];
    report.totals["bound"] = sums[5];
    report.totals["slope_bound"] = loss(sums[5]).bound(2 * sums[5]);
  }

  void fields(FieldVisitor& v) {
    targets.fields(v);
    v("bound", bound);
    v("loss_sums", sums);
  }
  void check() const {
    targets.check();
    require(bound[0] == 0 || (bound[0] >= least_bound && std::isfinite(bound[0])), "bound of the answers");
    require(sums.size() == 6, "sums of the losses");
    for (std::size_t k : {0, 1, 2, 4, 5}) require(sums[k] >= 0, "sums of the losses");
    require(std::isfinite(sums[3]), "sums of the losses");
  }

 private:
  static double said(const Answers& answers, std::size_t i) { return answers.vote[i] < 0 ? 0.0 : answers.margin[i]; }

  void add(const Block<LaneState>& block, std::size_t i, const Answers& answers, Passage& passage) const {
    const double A = said(answers, i), B = passage.bound;
    if (params.domain == Domain::hull) {
      const double eta = 2.0 / (static_cast<double>(block.lanes().begin) + static_cast<double>(i) + 2.0);
      passage.sum = (1 - eta) * passage.sum + eta * A;
    } else {
      passage.sum = (1 - block.state.shrink[0][i] * params.step) * passage.sum + params.step * A;
    }
    passage.sum = std::min(std::max(passage.sum, -B), B);
  }

  NumberLoss loss(double B) const { return NumberLoss::of(params.loss, params.delta * B, params.quantile); }
  double target_range(const NumberLoss& loss, double B) const {
    if (loss.steps) return std::min(B, 4 * B / reach);
    return loss.quadratic() ? B : loss.high;
  }
};

}  // namespace streamboost

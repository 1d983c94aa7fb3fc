// Winnow over any models: a threshold of the weights of the experts that say yes, moved by factors on mistakes only.
//
// Paper     Littlestone: Learning quickly when irrelevant attributes abound: a new linear-threshold algorithm (1988).
//
//   x_i = 1{expert i says class 1}, w_i = 1 at first;  answer 1 iff sum_i w_i x_i >= theta
//   false negative (promotion)   w_i *= factor^s for x_i = 1          s the sample weight
//   false positive (demotion)    w_i /= factor^s for x_i = 1          variant = eliminate (Winnow1): w_i = 0
//
//   Bounds    The sum of weights starts at N, grows by less than theta (factor^s - 1) at a promotion and falls by at least
//             theta (1 - factor^-s) (Winnow1: theta) at a demotion. It is never negative, so
//             sum over demotions (1 - factor^-s) [Winnow1: 1] <= N / theta + sum over promotions (factor^s - 1).
//             A weight never exceeds factor^s max(theta, 1); each expert misses a promotion, or shares a demotion, only where it is wrong:
//             promotions <= L_best + log_factor max(theta, 1) + s_max                        (not for Winnow1)
//
// Departures  Equality answers class 1, as in the definition, whatever the tie rule. Weights stay within [1e-150, 1e150].
// Cost        one answer and one update per expert, O(N) between. State: w.
#pragma once
#include "streamboost/ensembles/experts.hpp"
#include "streamboost/math/math.hpp"

namespace streamboost {

struct Winnow : BoosterDefaults {
  struct Params {
    double threshold;  // 0: half the number of experts
    double factor;     // > 1
    bool eliminate;
    static Params read(const Config& c) {
      return {c.number_or_none("threshold").value_or(0), c.number("factor"),
              c.choice<bool>("variant", {{"divide", false}, {"eliminate", true}})};
    }
  };
  using LaneState = NoLaneState;
  struct Passage : PassageBase {};
  static constexpr BoosterTraits traits{.column = true, .column_labels = -1, .write_report = true};
  enum class Sum { weight, mistakes, promotions, demotions, raised, lowered, largest, count };

  Params params;
  std::size_t n;
  double threshold, log_factor;
  AlignedVector<double> weight, loss;
  BoundSums<Sum> watch;

  Winnow(Params p, const Ensemble& ensemble)
      : params(p),
        n(static_cast<std::size_t>(ensemble.n_estimators)),
        threshold(p.threshold > 0 ? p.threshold : 0.5 * ensemble.n_estimators),
        log_factor(streamboost::log(p.factor)),
        weight(n, 1.0),
        loss(n),
        watch(ensemble.monitor) {}
  void reserve(int) {}

  void score(const Example& e, const Block<LaneState>& block, Scratch& scratch, Passage& passage) const {
    Experts::ask(e, block, scratch, passage);
  }
  void learn(const Example& e, Block<LaneState>& block, Scratch& scratch, Passage& passage) const {
    Experts::learn(e, block, scratch, passage);
  }
  void answer(const Example&, const Passage& passage, Verdict& verdict) const {
    const double yes = active(passage);
    const double margin = yes / threshold - 1;
    verdict.set_margin(yes >= threshold ? std::max(margin, 1e-12) : std::min(margin, -1e-12), yes / (yes + threshold));
  }
  void conclude(const Example& example, const Passage& passage) {
    const double s = example.weight, up = streamboost::exp(std::min(s * log_factor, 300.0));
    const bool yes = active(passage) >= threshold, truth = example.label == 1;
    if (yes != truth) {
      const double factor = truth ? up : params.eliminate ? 0.0 : 1 / up;
      const double floor = params.eliminate ? 0.0 : 1e-150;
      for (std::size_t i = 0; i < n; ++i)
        if (passage.column[i] == 1) weight[i] = std::clamp(weight[i] * factor, weight[i] > 0 ? floor : 0.0, 1e150);
    }
    for (std::size_t i = 0; i < n; ++i) loss[i] += (passage.column[i] == 1) == truth ? 0.0 : s;
    if (!watch.on) return;
    watch.add(Sum::weight, s);
    watch.add(Sum::largest, std::max(0.0, s - watch[Sum::largest]));
    if (yes != truth) {
      watch.add(Sum::mistakes, s);
      watch.add(truth ? Sum::promotions : Sum::demotions, s);
      watch.add(truth ? Sum::raised : Sum::lowered, truth ? up - 1 : params.eliminate ? 1.0 : 1 - 1 / up);
    }
    if (watch.due(example.number)) watch.note(example.number, watch[Sum::lowered], lower_limit());
  }
  void write_report(ModelReport& report, std::int64_t) const {
    report.lane("expert_weight", weight);
    report.lane("expert_loss", loss);
    watch.write_report(report, {{Sum::weight, "weight"},
                                {Sum::mistakes, "mistakes"},
                                {Sum::promotions, "promotions"},
                                {Sum::demotions, "demotions"},
                                {Sum::lowered, "lowered"}});
    if (!watch.on) return;
    report.totals["lowered_limit"] = lower_limit();
    if (!params.eliminate)
      report.totals["promotion_limit"] =
          *std::min_element(loss.begin(), loss.end()) + streamboost::log(std::max(threshold, 1.0)) / log_factor + watch[Sum::largest];
  }
  void fields(FieldVisitor& v) {
    v("expert_weight", weight);
    v("expert_loss", loss);
    watch.fields(v);
  }
  void check() const {
    for (double w : weight) require(w >= 0 && w <= 1e150, "weights of the experts");
    for (double l : loss) require(l >= 0, "losses of the experts");
    watch.check();
  }

 private:
  double lower_limit() const { return static_cast<double>(n) / threshold + watch[Sum::raised]; }
  double active(const Passage& passage) const {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += passage.column[i] == 1 ? weight[i] : 0.0;
    return sum;
  }
};

}  // namespace streamboost

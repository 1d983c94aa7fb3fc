// Ada.OLMR: adaptive boosting for label sets; learners weighted by gradient descent, prefixes by Hedge.
//
// Paper     Jung, Tewari: Online boosting algorithms for multi-label ranking (AISTATS 2018), algorithm 2.
//
//   paper            here                meaning
//   s^i              column[label][i]    s^i = s^{i-1} + alpha^i h^i: what expert i gives to the labels
//   alpha^i          alpha[i]            in [-2, 2]
//   L^Y(s)           -                   w_Y sum over l in Y, r not in Y of ln(1 + e^{s_r - s_l})
//   c^i              slopes              its gradient at s^{i-1}:  c[l] = -w_Y sum_r sigma(s_r - s_l),  c[r] = w_Y sum_l sigma(s_r - s_l)
//   v^i              Hedge               weight of expert i, exp(-sum of its rank losses)
//
//   alpha^i <- clip(alpha^i - (c at s^i) . h^i / sqrt(t), -2, 2)
//   hedge   vote: the mean of the experts' scores, weighed by v;  best: of the best one;  sample: of one drawn from v (the paper's)
//
// Departures  a sample weight multiplies the loss, and with it the step of alpha and the losses of Hedge.
// Cost        one ask per lane and label in the set, |Y| (k - |Y|) slopes per lane. State: alpha per lane, L per expert, five per label.
#pragma once
#include <cmath>

#include "streamboost/ensembles/hedge.hpp"
#include "streamboost/ensembles/label_ranking.hpp"

namespace streamboost {

struct AdaOLMR : BoosterDefaults {
  struct Params {
    Hedge::Mode hedge;
    static Params read(const Config& c) {
      return {c.choice<Hedge::Mode>("hedge", {{"vote", Hedge::Mode::vote}, {"sample", Hedge::Mode::sample}, {"best", Hedge::Mode::best}})};
    }
  };
  using LaneState = VoteAlphas;
  struct Passage : PassageBase {};
  // Rows of the column: room for Hedge; then one per label.
  static constexpr BoosterTraits traits{
      .votes = true, .column = true, .column_by_class = true, .facts = Facts::set, .write_report = true, .weighs_by_costs = true};

  Params params;
  std::uint64_t seed;
  int n, k = 0;
  Hedge hedge;
  RankedSets ranked;

  AdaOLMR(Params p, const Ensemble& ensemble)
      : params(p), seed(ensemble.seed), n(ensemble.n_estimators), hedge(p.hedge, ensemble.seed, static_cast<std::size_t>(n)) {}
  void reserve(int n_labels) {
    k = n_labels;
    ranked.calibration.reserve(k);
  }

  void score(const Example& example, const Block<LaneState>& block, Scratch& scratch, Passage& passage) const {
    block.bank->ask(example, Request::distributions, scratch.answers);
    const Lanes lanes = block.lanes();
    for (int i = 0; i < lanes.size(); ++i)
      for (int l = 0; l < k; ++l) {
        passage.votes[l] += block.state.alpha[0][i] * given(scratch, l, static_cast<std::size_t>(i));
        scores_of(passage, l)[lanes.begin + i] = passage.votes[l];
      }
  }

  void learn(const Example& example, Block<LaneState>& block, Scratch& scratch, Passage& passage) const {
    const LabelSplit split = LabelSplit::of(example.facts, k, scratch.counts);
    const auto size = static_cast<std::size_t>(k), n_lanes = static_cast<std::size_t>(block.lanes().size());
    scratch.row.assign(passage.votes, passage.votes + size);
    score(example, block, scratch, passage);
    std::fill(scratch.amount.begin(), scratch.amount.end(), 0.0);
    if (!split.ranks()) return;
    scratch.work.resize(std::max(scratch.work.size(), (n_lanes + 1) * size));
    double *s = scratch.row.data(), *c = scratch.work.data(), *alpha = block.state.alpha[0];
    const double step = example.weight / std::sqrt(static_cast<double>(example.number + 1));
    slopes(split, s, c);
    for (std::size_t i = 0; i < n_lanes; ++i, c += size) {
      for (int l = 0; l < k; ++l) s[l] += alpha[i] * given(scratch, l, i);
      slopes(split, s, c + size);
      double slope = 0;
      for (int l = 0; l < k; ++l) slope += c[size + static_cast<std::size_t>(l)] * given(scratch, l, i);
      alpha[i] = std::clamp(alpha[i] - step * slope, -2.0, 2.0);
      const double most = *std::max_element(c, c + size);
      for (std::size_t l = 0; l < size; ++l) c[l] = most - c[l];
    }
    teach_set(example, split, scratch.work.data(), block, seed, scratch);
  }

  void answer(const Example& example, const Passage& passage, Verdict& verdict) const {
    speak(example, passage, verdict.score);
    ranked.calibration.answer(verdict.score, verdict.proba);
  }
  void conclude(const Example& example, const Passage& passage) {
    std::vector<double> score(static_cast<std::size_t>(k));
    speak(example, passage, score.data());
    std::vector<std::int32_t> room;
    const LabelSplit split = LabelSplit::of(example.facts, k, room);
    ranked.learn(example, split, score.data());
    if (!split.ranks()) return;
    for (int i = 0; i < n; ++i)
      hedge.charge(static_cast<std::size_t>(i), example.weight * rank_loss(split, scores_of(passage, 0) + i, padded(hedge.size())));
  }
  void write_report(ModelReport& report, std::int64_t) const {
    report.lane("expert_loss", hedge.losses());
    ranked.write_report(report);
  }
  void fields(FieldVisitor& v) {
    hedge.fields(v);
    ranked.fields(v);
  }
  void check() const {
    hedge.check();
    ranked.check();
  }

 private:
  static double given(const Scratch& scratch, int label, std::size_t lane) {
    return scratch.answers.distribution[static_cast<std::size_t>(label) * scratch.answers.stride + lane];
  }
  // [expert]
  double* scores_of(const Passage& passage, int label) const {
    return passage.column + (1 + static_cast<std::size_t>(label)) * padded(hedge.size());
  }

  void speak(const Example& example, const Passage& passage, double* score) const {
    const double* p = hedge.mode() == Hedge::Mode::best ? nullptr : hedge.weights(1, passage.column);
    if (hedge.mode() != Hedge::Mode::vote) {
      const std::size_t speaker = hedge.speaker(p, example.number);
      for (int l = 0; l < k; ++l) score[l] = scores_of(passage, l)[speaker];
      return;
    }
    double sum = 0;
    for (std::size_t i = 0; i < hedge.size(); ++i) sum += p[i];
    for (int l = 0; l < k; ++l) {
      double mean = 0;
      for (std::size_t i = 0; i < hedge.size(); ++i) mean += p[i] * scores_of(passage, l)[i];
      score[l] = mean / sum;
    }
  }

  void slopes(const LabelSplit& split, const double* s, double* c) const {
    std::fill_n(c, k, 0.0);
    for (int i = 0; i < split.n_in; ++i)
      for (int j = split.n_in; j < split.n; ++j) {
        const double pull = split.share() * sigmoid(s[split.code[j]] - s[split.code[i]]);
        c[split.code[i]] -= pull;
        c[split.code[j]] += pull;
      }
  }
};

}  // namespace streamboost

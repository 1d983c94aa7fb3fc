// OnlineBMR: boost-by-majority for label sets; learners of a known edge rank the labels together.
//
// Paper     Jung, Tewari: Online boosting algorithms for multi-label ranking (AISTATS 2018), algorithm 1.
//
//   paper            here                meaning
//   s^i              Passage::votes      s^i = s^{i-1} + h^i: what the first i learners gave to the labels
//   gamma            edge                the learners are so much better than guessing
//   phi_n^Y(s)       RankPotential       expected loss when n more learners of that edge vote
//   c^i[l]           excess              phi_{N-i}^Y(s^{i-1} + e_l); taught as max c - c[l]
//
// Departures  potentials are exact (math/rank_potential.hpp), where the published code draws 100 samples.
// Cost        one ask per lane and label in the set, 2 |Y| (k - |Y|) look-ups per lane. State: five numbers per label.
#pragma once
#include <memory>

#include "streamboost/ensembles/label_ranking.hpp"
#include "streamboost/math/rank_potential.hpp"

namespace streamboost {

struct OnlineBMR : BoosterDefaults {
  struct Params {
    double edge;
    RankLoss loss;
    static Params read(const Config& c) {
      return {c.number("edge"), c.choice<RankLoss>("loss", {{"rank", RankLoss::rank}, {"hinge", RankLoss::hinge}})};
    }
  };
  using LaneState = NoLaneState;
  struct Passage : PassageBase {};
  static constexpr BoosterTraits traits{
      .votes = true, .facts = Facts::set, .write_report = true, .table_bytes = true, .weighs_by_costs = true};

  Params params;
  std::uint64_t seed;
  int n, k = 0;
  std::shared_ptr<const RankPotential> potential;  // a function of the parameters and k
  RankedSets ranked;

  OnlineBMR(Params p, const Ensemble& ensemble) : params(p), seed(ensemble.seed), n(ensemble.n_estimators) {}
  void reserve(int n_labels) {
    if (n_labels == k) return;
    k = n_labels;
    ranked.calibration.reserve(k);
    potential = k >= 2 ? std::make_shared<RankPotential>(k, n, params.edge, params.loss) : nullptr;
  }

  void score(const Example& example, const Block<LaneState>& block, Scratch& scratch, Passage& passage) const {
    block.bank->ask(example, Request::distributions, scratch.answers);
    const auto stride = scratch.answers.stride;
    for (std::size_t i = 0; i < static_cast<std::size_t>(block.lanes().size()); ++i)
      for (std::size_t l = 0; l < static_cast<std::size_t>(k); ++l) passage.votes[l] += scratch.answers.distribution[l * stride + i];
  }

  void learn(const Example& example, Block<LaneState>& block, Scratch& scratch, Passage& passage) const {
    const LabelSplit split = LabelSplit::of(example.facts, k, scratch.counts);
    const auto size = static_cast<std::size_t>(k), n_lanes = static_cast<std::size_t>(block.lanes().size());
    scratch.row.assign(passage.votes, passage.votes + size);
    score(example, block, scratch, passage);
    std::fill(scratch.amount.begin(), scratch.amount.end(), 0.0);
    if (!split.ranks()) return;
    scratch.work.resize(std::max(scratch.work.size(), n_lanes * size));
    double* s = scratch.row.data();
    for (std::size_t i = 0; i < n_lanes; ++i) {
      weigh(split, n - 1 - block.lanes().begin - static_cast<int>(i), s, scratch.work.data() + i * size);
      for (std::size_t l = 0; l < size; ++l) s[l] += scratch.answers.distribution[l * scratch.answers.stride + i];
    }
    teach_set(example, split, scratch.work.data(), block, seed, scratch);
  }

  void answer(const Example&, const Passage& passage, Verdict& verdict) const {
    std::copy_n(passage.votes, k, verdict.score);
    ranked.calibration.answer(verdict.score, verdict.proba);
  }
  void conclude(const Example& example, const Passage& passage) {
    std::vector<std::int32_t> room;
    ranked.learn(example, LabelSplit::of(example.facts, k, room), passage.votes);
  }
  void write_report(ModelReport& report, std::int64_t) const { ranked.write_report(report); }
  std::size_t table_bytes() const { return potential ? potential->bytes() : 0; }
  void fields(FieldVisitor& v) { ranked.fields(v); }
  void check() const { ranked.check(); }

 private:
  // max c - c[l] of every label in the set, before a learner that `left` others follow.
  void weigh(const LabelSplit& split, int left, const double* s, double* excess) const {
    double most = 0;
    for (int j = split.n_in; j < split.n; ++j) {
      double rise = 0;
      for (int i = 0; i < split.n_in; ++i) {
        const double gap = s[split.code[i]] - s[split.code[j]];
        rise += potential->pair(split.n_in, left, gap - 1) - potential->pair(split.n_in, left, gap);
      }
      most = std::max(most, rise);
    }
    for (int i = 0; i < split.n_in; ++i) {
      double drop = 0;
      for (int j = split.n_in; j < split.n; ++j) {
        const double gap = s[split.code[i]] - s[split.code[j]];
        drop += potential->pair(split.n_in, left, gap) - potential->pair(split.n_in, left, gap + 1);
      }
      excess[split.code[i]] = std::max(0.0, split.share() * (most + drop));
    }
  }
};

}  // namespace streamboost

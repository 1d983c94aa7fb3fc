// Agnostic boosting: labels may be wrong, learners only have to beat guessing at what there is to learn.
//
// Papers    Brukhim, Chen, Hazan, Moran: Online agnostic boosting via regret minimization (2020), two classes;
//           Raman, Tewari: Online agnostic multiclass boosting (2022).
//
//   paper     here             meaning
//   gamma     params.gamma     the edge that is asked of the learners
//   h^i       vote[i]          the answer of learner i before it learns, as a one-hot vector
//   p         work             a point of the simplex of the classes, uniform at the start of every example
//
//   for each learner i:  teach it a label drawn from p (purpose 6);  p <- nearest point of the simplex to p - (gamma / sqrt N) g,
//                        g = (2 h^i - 1) / gamma - (2 e_y - 1)
// Learners after right ones get labels that are nearly noise, learners after wrong ones the true label: nobody is asked to explain noise.
// The vote is (sum h^i) / (N gamma), and its nearest point of the simplex the probabilities.
//
// Departures  The paper draws the answer from the probabilities; here the largest vote answers unless draw (purpose 4). An untrained
//             learner has no answer: it moves neither p nor the vote. A block finds p again from the answers before it, which
//             travel with the example. With two classes the projection is a clip.
// Report      on every stream and for every example, with n answers and K classes: sum <p, g> - min over labels of sum g
//             <= sqrt N / gamma + n K gamma (1 / gamma + 1)^2 / (2 sqrt N).
// Cost        one ask, one teach, per lane a keyed draw and a projection, O(K). State: class counts.
#pragma once
#include <algorithm>
#include <cmath>

#include "streamboost/ensembles/booster.hpp"
#include "streamboost/math/rng.hpp"
#include "streamboost/math/simplex.hpp"

namespace streamboost {

struct Agnostic : VoteCombiner {
  struct Params {
    double gamma;
    bool draw;
    static Params read(const Config& c) { return {c.number("gamma"), c.flag("draw")}; }
  };
  using LaneState = NoLaneState;
  struct Passage : PassageBase {
    double loss = 0;  // sum of <p, g>
    auto scan() { return std::tie(loss); }
    bool sound(int, int) const { return std::isfinite(loss); }
  };
  static constexpr BoosterTraits traits{.votes = true, .column = true, .column_labels = -1, .write_report = true, .weighs_by_costs = true};
  enum class Sum { weight, mistakes, regret, allowed, count };

  Params params;
  std::uint64_t seed;
  double n_estimators;
  BoundSums<Sum> watch;

  Agnostic(Params p, const Ensemble& ensemble)
      : params(p), seed(ensemble.seed), n_estimators(ensemble.n_estimators), watch(ensemble.monitor) {}

  void score(const Example& example, const Block<LaneState>& block, Scratch& scratch, Passage& passage) const {
    block.bank->ask(example, Request::votes, scratch.answers);
    const Lanes lanes = block.lanes();
    for (int i = 0; i < lanes.size(); ++i) {
      const int said = scratch.answers.vote[static_cast<std::size_t>(i)];
      passage.column[lanes.begin + i] = said;
      if (said >= 0) passage.votes[said] += 1;
    }
  }

  void learn(const Example& example, Block<LaneState>& block, Scratch& scratch, Passage& passage) const {
    score(example, block, scratch, passage);
    const Lanes lanes = block.lanes();
    const auto k = static_cast<std::size_t>(example.n_classes_after), stride = scratch.amount.size();
    scratch.work.resize(2 * k);
    scratch.counts.assign(stride, 0);
    double* p = scratch.work.data();
    std::fill_n(p, k, 1.0 / static_cast<double>(k));
    for (int i = 0; i < lanes.begin; ++i) move(p, k, static_cast<int>(passage.column[i]), example.label);
    uniform_lanes(seed, static_cast<std::uint64_t>(example.number), static_cast<std::uint32_t>(lanes.begin), Purpose::coin,
                  scratch.draw.data(), stride);
    for (std::size_t i = 0; i < static_cast<std::size_t>(lanes.size()); ++i) {
      scratch.counts[i] = drawn_from(p, k, scratch.draw[i]);
      passage.loss += move(p, k, scratch.answers.vote[i], example.label);
    }
    std::fill(scratch.amount.begin(), scratch.amount.end(), example.weight);
    block.events.votes(scratch.answers.vote.data(), scratch.amount.data(), example.label);
    block.bank->learn(example, {.per_lane = scratch.counts.data()}, scratch.amount.data(), Amount::weight, scratch.answers);
  }

  void answer(const Example& example, const Passage& passage, Verdict& verdict) const {
    const auto k = static_cast<std::size_t>(example.n_classes);
    double speakers = 0;
    for (std::size_t c = 0; c < k; ++c) speakers += passage.votes[c];
    if (speakers == 0) return counts.to_verdict(example.n_classes, verdict);
    for (std::size_t c = 0; c < k; ++c) verdict.proba[c] = passage.votes[c] / (n_estimators * params.gamma);
    project(verdict.proba, k, verdict.score);
    for (std::size_t c = 0; c < k; ++c) verdict.score[c] = passage.votes[c] / n_estimators;
    if (!params.draw) return;
    const double u = uniform({seed, static_cast<std::uint64_t>(example.number), 0, Purpose::hedge});
    std::fill_n(verdict.score, k, 0.0);
    verdict.score[drawn_from(verdict.proba, k, u)] = 1;
  }

  void conclude(const Example& example, const Passage& passage) {
    VoteCombiner::conclude(example, passage);
    if (!watch.on) return;
    const int k = example.n_classes_after;
    double speakers = 0, largest = 0;
    for (int c = 0; c < k; ++c) speakers += passage.votes[c];
    double least = std::numeric_limits<double>::infinity();
    for (int c = 0; c < k; ++c) {
      largest = c == example.label ? largest : std::max(largest, passage.votes[c]);
      least = std::min(least, (2 * passage.votes[c] - speakers) / params.gamma + (c == example.label ? -speakers : speakers));
    }
    const double root = std::sqrt(n_estimators), slope = 1 / params.gamma + 1;
    watch.add(Sum::weight, example.weight);
    watch.add(Sum::mistakes, passage.votes[example.label] <= largest ? example.weight : 0.0);
    watch.add(Sum::regret, example.weight * (passage.loss - least));
    watch.add(Sum::allowed, example.weight * (root / params.gamma + speakers * k * params.gamma * slope * slope / (2 * root)));
    watch.note(example.number, watch[Sum::regret], watch[Sum::allowed]);
  }
  void write_report(ModelReport& report, std::int64_t) const {
    watch.write_report(
        report,
        {{Sum::weight, "weight"}, {Sum::mistakes, "mistakes"}, {Sum::regret, "label_regret"}, {Sum::allowed, "label_regret_bound"}});
  }
  void fields(FieldVisitor& v) {
    VoteCombiner::fields(v);
    watch.fields(v);
  }
  void check() const {
    VoteCombiner::check();
    watch.check();
  }

 private:
  static int drawn_from(const double* p, std::size_t k, double u) {
    std::size_t label = 0;
    for (double reached = p[0]; label + 1 < k && u >= reached; reached += p[label]) ++label;
    return static_cast<int>(label);
  }

  // work: k doubles.
  void project(double* v, std::size_t k, double* work) const {
    if (k != 2) return project_to_simplex(v, k, work, Projection::sort, {seed, 0, 0, Purpose::pivot});
    v[1] = std::clamp(0.5 * (1 + v[1] - v[0]), 0.0, 1.0);
    v[0] = 1 - v[1];
  }

  // One step of p, with room for as many numbers behind it; returns <p, g> of before.
  double move(double* p, std::size_t k, int said, int label) const {
    if (said < 0) return 0;
    const double step = params.gamma / std::sqrt(n_estimators);
    double loss = 0;
    for (std::size_t c = 0; c < k; ++c) {
      const double slope = (static_cast<int>(c) == said ? 1 : -1) / params.gamma - (static_cast<int>(c) == label ? 1 : -1);
      loss += p[c] * slope;
      p[c] -= step * slope;
    }
    project(p, k, p + k);
    return loss;
  }
};

}  // namespace streamboost

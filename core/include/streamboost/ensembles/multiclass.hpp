// What the multiclass boosters share: how costs reach a learner, and how large its weights are.
//
// Paper     Jung, Goetz, Tewari: Online multiclass boosting (NIPS 2017).
//
// Costs       argmax       the learner's own answer; its training weight is all it knows of the costs
//             bayes_raw    argmin_l sum_r P[r] C[r, l] with P the learner's distribution: what the published code does
//             bayes_norm   the same with rows scaled to sum 1 (less their diagonal): weighted counts already hold the scale once
//             leaf_costs   learners that collect costs: each is taught amount x normalised row and answers the cheapest label
// Weights     normalised   the theory's weight in [0, 1]
//             rescaled     ... times target / (mean of this lane's weights so far, this one included): the mean amount is the target
//             paper_code   the published code's constants, drawn once per lane (purpose 7)
// An untrained learner answers the lowest code, as sign(0) does with two classes.
#pragma once
#include <limits>

#include "streamboost/ensembles/hedge.hpp"
#include "streamboost/math/math.hpp"
#include "streamboost/math/rng.hpp"

namespace streamboost {

enum class CostUse { argmax, bayes_norm, bayes_raw, leaf_costs };

inline CostUse read_cost_use(const Config& c) {
  return c.choice<CostUse>("costs", {{"argmax", CostUse::argmax},
                                     {"bayes_norm", CostUse::bayes_norm},
                                     {"bayes_raw", CostUse::bayes_raw},
                                     {"leaf_costs", CostUse::leaf_costs}});
}
inline bool needs_matrix(CostUse use) { return use == CostUse::bayes_norm || use == CostUse::bayes_raw; }

// argmin_l sum_r P[r] excess[r][l]; distribution[r * stride] = P[r]. With `normalise` the rows are first scaled to sum 1, rows of
// (nearly) no cost to 0.
inline int cheapest_label(const double* distribution, std::size_t stride, double* excess, int n_classes, bool normalise) {
  const auto k = static_cast<std::size_t>(n_classes);
  for (std::size_t r = 0; r < k && normalise; ++r) {
    double sum = 0;
    for (std::size_t l = 0; l < k; ++l) sum += excess[r * k + l];
    for (std::size_t l = 0; l < k; ++l) excess[r * k + l] = sum > 1e-12 ? excess[r * k + l] / sum : 0.0;
  }
  int best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t l = 0; l < k; ++l) {
    double cost = 0;
    for (std::size_t r = 0; r < k; ++r) cost += distribution[r * stride] * excess[r * k + l];
    if (cost < least) {
      least = cost;
      best = static_cast<int>(l);
    }
  }
  return best;
}

// The answer of one lane by its costs; its vote becomes that label, or stays -1 if it is untrained (no distribution).
inline int vote_by_costs(Answers& answers, std::size_t lane, double* excess, int n_classes, bool normalise) {
  const double* distribution = answers.distribution.data() + lane;
  double sum = 0;
  for (int c = 0; c < n_classes; ++c) sum += distribution[static_cast<std::size_t>(c) * answers.stride];
  const int label = sum > 0 ? cheapest_label(distribution, answers.stride, excess, n_classes, normalise) : 0;
  answers.vote[lane] = sum > 0 ? label : -1;
  return label;
}

struct WeightRule {
  enum class Kind { rescaled, normalised, paper_code };
  Kind kind;
  double target;                                // mean amount
  static constexpr double low = 5, high = 200;  // range of the published code's constants

  static WeightRule read(const Config& c) {
    return {
        c.choice<Kind>("weight_scale", {{"rescaled", Kind::rescaled}, {"normalised", Kind::normalised}, {"paper_code", Kind::paper_code}}),
        c.number("weight_target")};
  }
  // The constant of one lane. Attempts 0 to 15 belong to the learners.
  double constant(std::uint64_t seed, int lane) const {
    return low + (high - low) * uniform({seed, 0, static_cast<std::uint32_t>(lane), Purpose::learner, 16});
  }
  // The amount for a weight in [0, 1]; sum is the lane's sum of such weights so far and moves on. t counts this example.
  double rescale(double weight, double& sum, double t) const {
    sum += weight;
    return weight > 0 ? target * weight * t / sum : 0.0;
  }
};

}  // namespace streamboost

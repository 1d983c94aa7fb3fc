// Parameters of a bank of Hoeffding trees. The algorithm: hoeffding.hpp.
#pragma once
#include <cstdint>
#include <string>

#include "streamboost/data/config.hpp"
#include "streamboost/math/math.hpp"
#include "streamboost/math/rng.hpp"

namespace streamboost {

struct HoeffdingParams {
  enum class Criterion { info_gain, gain_ratio, gini };
  enum class Leaf { adaptive, majority, naive_bayes, costs };
  enum class Nominal { multiway, binary, both, grouped };
  enum class PassOn { all, seen };
  struct Range {  // equal ends: one value for all trees
    double low, high;
  };

  Range grace, delta, tie;
  Criterion criterion;
  Leaf leaf;
  Nominal nominal;
  PassOn pass_on;
  bool entropy_range;        // the range of a merit: max(1, entropy of the leaf), not log2 of its classes
  bool null_split;           // no split is a rival of merit 0 even where there is one candidate
  double chance_correction;  // times what further branches gain by chance
  double max_features;       // share of the columns that a node may split on; 0: round(sqrt(columns)) + 1
  bool hidden_features;      // leaves see the columns they may split on only
  int bins;                  // numeric columns: intervals kept per class for the search; 0: a normal distribution
  bool effective;            // the bound counts effective examples, not weight
  int split_points;
  double min_branch;
  double alpha, var_floor, feature_fraction;
  double max_depth, max_leaves, max_bytes;
  double reconsider_after;  // weight between two looks at the split of an inner node; 0: never

  static HoeffdingParams read(const Config& c) {
    HoeffdingParams p{};
    p.grace = range(c, "grace_period");
    p.delta = range(c, "delta");
    p.tie = range(c, "tie_threshold");
    p.criterion = c.choice<Criterion>(
        "criterion", {{"info_gain", Criterion::info_gain}, {"gain_ratio", Criterion::gain_ratio}, {"gini", Criterion::gini}});
    p.leaf = c.choice<Leaf>(
        "leaf_prediction",
        {{"adaptive", Leaf::adaptive}, {"majority", Leaf::majority}, {"naive_bayes", Leaf::naive_bayes}, {"costs", Leaf::costs}});
    p.nominal = c.choice<Nominal>(
        "nominal_split",
        {{"multiway", Nominal::multiway}, {"binary", Nominal::binary}, {"both", Nominal::both}, {"grouped", Nominal::grouped}});
    p.pass_on = c.choice<PassOn>("pass_on", {{"all", PassOn::all}, {"seen", PassOn::seen}});
    p.entropy_range = c.choice<bool>("merit_range", {{"classes", false}, {"entropy", true}});
    p.null_split = c.flag("null_split");
    p.chance_correction = c.number("chance_correction");
    p.max_features = c.number("max_features");
    p.hidden_features = c.choice<bool>("leaf_features", {{"all", false}, {"candidates", true}});
    p.bins = c.whole<int>("bins");
    p.effective = c.choice<bool>("count_mode", {{"weight", false}, {"effective", true}});
    p.reconsider_after = c.number_or_none("reevaluate").value_or(0);
    p.split_points = c.whole<int>("n_split_points");
    p.min_branch = c.number("min_branch");
    p.alpha = c.number("alpha");
    p.var_floor = c.number("var_floor");
    p.feature_fraction = c.number_or_none("feature_fraction").value_or(1);
    p.max_depth = c.number_or_none("max_depth").value_or(1e9);
    p.max_leaves = c.number_or_none("max_leaves").value_or(1e9);
    p.max_bytes = c.number_or_none("max_bytes").value_or(1e300);
    if (p.split_points < 1 || !(p.var_floor >= 0) || !(p.alpha >= 0) || !(p.max_features >= 0) || p.bins < 0 || p.bins == 1 ||
        !(p.reconsider_after >= 0))
      throw std::invalid_argument("broken parameters of a Hoeffding tree");
    return p;
  }
  bool reconsiders() const { return reconsider_after > 0; }
  bool chooses() const { return max_features < 1; }
  bool uses_bayes() const { return leaf == Leaf::adaptive || leaf == Leaf::naive_bayes; }

 private:
  static Range range(const Config& c, const char* name) {
    if (const auto* ends = c.array(name)) {
      if (ends->size() != 2) throw std::invalid_argument(std::string(name) + " must be a number or a pair");
      return {(*ends)[0], (*ends)[1]};
    }
    const double value = c.number(name);
    return {value, value};
  }
};

// The numbers of one tree. Ranges are drawn once per tree, keyed by (seed, lane, birth): grace uniformly, delta and tie threshold
// uniformly in their logarithms. A pure function: nothing is stored.
struct HoeffdingNumbers {
  double grace, log_inverse_delta, tie;

  HoeffdingNumbers(const HoeffdingParams& p, std::uint64_t seed, int lane, std::uint32_t birth) {
    const auto draw = [&](std::uint32_t attempt) {
      return uniform(of_birth({seed, 0, static_cast<std::uint32_t>(lane), Purpose::learner, attempt}, birth));
    };
    const auto in_logs = [&](HoeffdingParams::Range r, std::uint32_t attempt) {
      return r.low == r.high
                 ? r.low
                 : streamboost::exp(streamboost::log(r.low) + (streamboost::log(r.high) - streamboost::log(r.low)) * draw(attempt));
    };
    grace = p.grace.low == p.grace.high ? p.grace.low : p.grace.low + (p.grace.high - p.grace.low) * draw(0);
    log_inverse_delta = -streamboost::log(in_logs(p.delta, 1));
    tie = in_logs(p.tie, 2);
  }
};

}  // namespace streamboost

// Parameters of a bank of Hoeffding trees and the layout of what one tree observes. The algorithm: hoeffding.hpp.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "streamboost/learners/subset.hpp"
#include "streamboost/math/kernels.hpp"
#include "streamboost/math/math.hpp"
#include "streamboost/math/rng.hpp"
#include "streamboost/run/config.hpp"

namespace streamboost {

struct HoeffdingParams {
  enum class Criterion { info_gain, gini };
  enum class Leaf { adaptive, majority, naive_bayes, costs };
  enum class Nominal { multiway, binary };
  enum class PassOn { all, seen };
  struct Range {  // equal ends: one value for all trees
    double low, high;
  };

  Range grace, delta, tie;
  Criterion criterion;
  Leaf leaf;
  Nominal nominal;
  PassOn pass_on;
  bool effective;  // the bound counts effective examples, not weight
  int split_points;
  double min_branch;
  double alpha, var_floor, feature_fraction;
  double max_depth, max_leaves, max_bytes;

  static HoeffdingParams read(const Config& c) {
    HoeffdingParams p{};
    p.grace = range(c, "grace_period");
    p.delta = range(c, "delta");
    p.tie = range(c, "tie_threshold");
    p.criterion = c.choice<Criterion>("criterion", {{"info_gain", Criterion::info_gain}, {"gini", Criterion::gini}});
    p.leaf = c.choice<Leaf>(
        "leaf_prediction",
        {{"adaptive", Leaf::adaptive}, {"majority", Leaf::majority}, {"naive_bayes", Leaf::naive_bayes}, {"costs", Leaf::costs}});
    p.nominal = c.choice<Nominal>("nominal_split", {{"multiway", Nominal::multiway}, {"binary", Nominal::binary}});
    p.pass_on = c.choice<PassOn>("pass_on", {{"all", PassOn::all}, {"seen", PassOn::seen}});
    p.effective = c.choice<bool>("count_mode", {{"weight", false}, {"effective", true}});
    p.split_points = c.whole<int>("n_split_points");
    p.min_branch = c.number("min_branch");
    p.alpha = c.number("alpha");
    p.var_floor = c.number("var_floor");
    p.feature_fraction = c.number_or_none("feature_fraction").value_or(1);
    p.max_depth = c.number_or_none("max_depth").value_or(1e9);
    p.max_leaves = c.number_or_none("max_leaves").value_or(1e9);
    p.max_bytes = c.number_or_none("max_bytes").value_or(1e300);
    if (p.split_points < 1 || !(p.var_floor >= 0) || !(p.alpha >= 0)) throw std::invalid_argument("broken parameters of a Hoeffding tree");
    return p;
  }
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

// What a tree looks at. A block holds the statistics of one class in one leaf:
//   six rows of `width` cells, one cell per numeric column: mean, precision, weight, spread, lowest, highest
//   then for each nominal column its weight and one count per value.
struct HoeffdingColumns {
  struct Column {
    std::int32_t column;
    bool nominal;
    std::size_t place;  // numeric: cell; nominal: offset in the block
    std::size_t values;
  };
  std::vector<Column> all;            // ascending
  std::vector<std::int32_t> numeric;  // column of each cell
  std::vector<std::size_t> nominal;   // positions in `all`
  std::size_t width = 0, size = 0;    // cells, padded to a multiple of 8; doubles of a block

  HoeffdingColumns() = default;
  HoeffdingColumns(const Schema& schema, double fraction, std::uint64_t seed, int lane, std::uint32_t birth) {
    const auto chosen = fraction < 1 ? chosen_columns(fraction, schema, seed, lane, birth)
                                     : std::vector<bool>(static_cast<std::size_t>(schema.width()), true);
    for (int j = 0; j < schema.width(); ++j)
      if (chosen[static_cast<std::size_t>(j)] && !schema.nominal(j)) numeric.push_back(j);
    width = (numeric.size() + 7) / 8 * 8;
    size = 6 * width;
    std::size_t cell = 0;
    for (int j = 0; j < schema.width(); ++j) {
      if (!chosen[static_cast<std::size_t>(j)]) continue;
      if (!schema.nominal(j)) {
        all.push_back({j, false, cell++, 0});
        continue;
      }
      nominal.push_back(all.size());
      all.push_back({j, true, size, static_cast<std::size_t>(schema.n_values[static_cast<std::size_t>(j)])});
      size += 1 + all.back().values;
    }
  }
  const Column* find(int column) const {
    const auto it = std::lower_bound(all.begin(), all.end(), column, [](const Column& c, int j) { return c.column < j; });
    return it != all.end() && it->column == column ? &*it : nullptr;
  }
  TreeCells cells(double* block) const {
    return {block, block + width, block + 2 * width, block + 3 * width, block + 4 * width, block + 5 * width};
  }
  const double* row(const double* block, std::size_t r) const { return block + r * width; }

  // Copies a block into a wider layout. Columns and values are only ever appended, so cells keep their places.
  void widen(const HoeffdingColumns& old, const double* from, double* to) const {
    for (std::size_t r = 0; r < 6; ++r) std::copy_n(from + r * old.width, old.width, to + r * width);
    for (std::size_t q = 0; q < old.nominal.size(); ++q) {
      const Column &was = old.all[old.nominal[q]], &is = all[nominal[q]];
      std::copy_n(from + was.place, 1 + was.values, to + is.place);
    }
  }
};

}  // namespace streamboost

// Which test is best at a node of an ITI tree: a pure function of the counts there, with ties that no rounding can turn.
//
//   gain         H - p_t H_t - p_f H_f        t, f: what the test makes true and false; H entropy of the classes, p share of the weight
//   gain ratio   gain / (-p_t ln p_t - p_f ln p_f)
//   KS           max_c P(t | c) - min_c P(t | c), over the classes at the node: Kolmogorov and Smirnov's distance for two classes
//
// Numbers enter as ratios of counts only. A ratio of whole numbers below 2^53 is rounded correctly, so scores keep their bits when all
// weights are multiplied by a whole number: the unpruned tree is proportional. Each score carries a bound on its rounding error; all
// candidates that reach the highest lower bound are level, and the first of them in the order (column, value or cut) is best.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "streamboost/config.hpp"
#include "streamboost/math.hpp"
#include "streamboost/schema.hpp"

namespace streamboost {

struct ItiParams {
  enum class Metric { gain_ratio, info_gain, ks };
  Metric metric = Metric::gain_ratio;
  bool prune = true;
  static ItiParams read(const Config& c) {
    return {c.choice<Metric>("metric", {{"gain_ratio", Metric::gain_ratio}, {"info_gain", Metric::info_gain}, {"ks", Metric::ks}}),
            c.flag("prune", true)};
  }
};

// The columns as trees store them: nominal ones as codes, numeric ones as doubles, each kind in a table of its own.
struct ItiColumns {
  // A missing value compares equal to no code and is below no cut: every test on it is false.
  static constexpr double missing = std::numeric_limits<double>::max(), largest_input = 1e300;
  std::vector<std::int64_t> n_values;  // -1: numeric
  std::vector<std::size_t> rank;       // among the columns of its kind
  std::size_t nominal = 0, numeric = 0, classes = 0;

  ItiColumns() = default;
  explicit ItiColumns(const Schema& schema) : n_values(schema.n_values), classes(static_cast<std::size_t>(std::max(schema.n_classes, 1))) {
    for (auto v : n_values) rank.push_back(v >= 0 ? nominal++ : numeric++);
  }
  std::size_t width() const { return n_values.size(); }
  bool is_nominal(std::size_t j) const { return n_values[j] >= 0; }
  bool passes(int column, double cut, const double* x) const {
    const auto j = static_cast<std::size_t>(column);
    return is_nominal(j) ? x[j] == cut : x[j] < cut;
  }
};

struct ItiTest {
  int column = -1;  // -1: none, nothing separates the examples
  double cut = 0;   // nominal "a = cut", numeric "a < cut"
  bool operator==(const ItiTest&) const = default;
};

// The counts at a node: weight per (column, value, class), sorted by that key; column -1 holds the class counts.
// Missing values are a value like any other, so every column holds the whole weight.
struct ItiTable {
  const std::int32_t *column, *label;
  const double *value, *weight;
  std::size_t size;
};

class ItiScorer {
 public:
  int n_tests = 0;  // candidates at the node scored last
  double total = 0, majority = 0;
  std::size_t n_classes = 0;

  ItiTest best(const ItiTable& table, const ItiColumns& columns, ItiParams::Metric metric) {
    count_classes(table);
    entropy_ = entropy(class_.data(), total);
    found_.clear();
    highest_ = -1;
    slot_.resize(columns.classes);
    for (std::size_t s = 0; s < n_classes; ++s) slot_[static_cast<std::size_t>(table.label[s])] = s;
    for (std::size_t begin = n_classes, end; begin < table.size; begin = end) {
      for (end = begin + 1; end < table.size && table.column[end] == table.column[begin];) ++end;
      if (table.value[begin] == table.value[end - 1]) continue;  // one value (or all missing): nothing to separate
      side_.assign(n_classes, 0.0);
      if (columns.is_nominal(static_cast<std::size_t>(table.column[begin])))
        score_values(table, begin, end, metric);
      else
        score_cuts(table, begin, end, metric);
    }
    n_tests = static_cast<int>(found_.size());
    for (const Candidate& c : found_)
      if (c.high >= highest_) return c.test;
    return {};
  }

  // Class counts alone: what MDL needs.
  void count_classes(const ItiTable& table) {
    class_.clear();
    total = majority = 0;
    for (std::size_t e = 0; e < table.size && table.column[e] < 0; ++e) {
      class_.push_back(table.weight[e]);
      total += table.weight[e];
      majority = std::max(majority, table.weight[e]);
    }
    n_classes = class_.size();
  }

 private:
  struct Candidate {
    ItiTest test;
    double high;
  };
  static constexpr double rounding = 1e-13;  // of an entropy, relative to the node's own; generous

  void score_values(const ItiTable& t, std::size_t begin, std::size_t end, ItiParams::Metric metric) {
    for (std::size_t e = begin; e < end;) {
      const std::size_t first = e;
      for (; e < end && t.value[e] == t.value[first]; ++e) side_[slot_[static_cast<std::size_t>(t.label[e])]] = t.weight[e];
      if (t.value[first] != ItiColumns::missing) add({t.column[first], t.value[first]}, metric);
      for (std::size_t u = first; u < e; ++u) side_[slot_[static_cast<std::size_t>(t.label[u])]] = 0;
    }
  }

  void score_cuts(const ItiTable& t, std::size_t begin, std::size_t end, ItiParams::Metric metric) {
    for (std::size_t e = begin; e < end;) {
      const double value = t.value[e];
      for (; e < end && t.value[e] == value; ++e) side_[slot_[static_cast<std::size_t>(t.label[e])]] += t.weight[e];
      if (e < end && t.value[e] != ItiColumns::missing) add({t.column[begin], midway(value, t.value[e])}, metric);
    }
  }

  // a < cut <= b
  static double midway(double a, double b) {
    const double middle = 0.5 * a + 0.5 * b;
    return middle > a && middle < b ? middle : b;
  }

  void add(ItiTest test, ItiParams::Metric metric) {
    const auto [score, error] = metric == ItiParams::Metric::ks ? distance() : gain(metric == ItiParams::Metric::gain_ratio);
    found_.push_back({test, score + error});
    highest_ = std::max(highest_, score - error);
  }

  struct Score {
    double value, error;
  };

  Score gain(bool ratio) {
    other_.resize(n_classes);
    double yes = 0, no = 0;
    for (std::size_t s = 0; s < n_classes; ++s) {
      other_[s] = std::max(class_[s] - side_[s], 0.0);
      yes += side_[s];
      no += other_[s];
    }
    const double p = yes / total, q = no / total;
    const double error = rounding * entropy_;
    if (!(p > 0 && q > 0)) return {0, error};  // weights so unlike that one side is lost in rounding
    const double value = std::max(entropy_ - p * entropy(side_.data(), yes) - q * entropy(other_.data(), no), 0.0);
    if (!ratio) return {value, error};
    const double split = -p * streamboost::log(p) - q * streamboost::log(q);
    return split > 0 ? Score{value / split, error / split} : Score{0, error};
  }

  Score distance() const {
    double low = 1, high = 0;
    for (std::size_t s = 0; s < n_classes; ++s) {
      const double share = side_[s] / class_[s];
      low = std::min(low, share);
      high = std::max(high, share);
    }
    return {high - low, rounding};
  }

  double entropy(const double* weight, double sum) const {
    double h = 0;
    for (std::size_t s = 0; s < n_classes; ++s) {
      if (!(weight[s] > 0) || weight[s] == sum) continue;
      const double p = weight[s] / sum;
      if (p > 0) h -= p * streamboost::log(p);
    }
    return h;
  }

  std::vector<Candidate> found_;
  std::vector<std::size_t> slot_;  // class code -> its place among the classes of the node
  std::vector<double> class_, side_, other_;
  double entropy_ = 0, highest_ = 0;
};

}  // namespace streamboost

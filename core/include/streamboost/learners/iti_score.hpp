// Which test is best at a node of an ITI tree: a pure function of the counts there, with ties that no rounding can turn.
//
//   gain         H - p_t H_t - p_f H_f        t, f: what the test makes true and false; H entropy of the classes, p share of the weight
//   gain ratio   gain / (-p_t ln p_t - p_f ln p_f)
//   KS           max_c P(t | c) - min_c P(t | c), over the classes at the node: Kolmogorov and Smirnov's distance for two classes
//
// Numbers enter as ratios of counts only. A ratio of whole numbers below 2^53 is rounded correctly, so scores keep their bits when all
// weights are multiplied by a whole number: the unpruned tree is proportional. Each score carries a bound on its rounding error; all
// candidates that reach the highest lower bound are level, and the first of them in the order (column, value or cut) is best.
//
// Most candidates are far from the best, so gains are estimated first, with quick logarithms and a generous bound on their error, and
// only those that could be level are scored as above: the choice is the same, bit for bit. Cost: a few ns per candidate and class.
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "streamboost/data/config.hpp"
#include "streamboost/data/schema.hpp"
#include "streamboost/math/math.hpp"

namespace streamboost {

struct ItiParams {
  enum class Metric { gain_ratio, info_gain, ks };
  Metric metric;
  bool prune;
  double max_bytes;  // of one tree
  static ItiParams read(const Config& c) {
    return {c.choice<Metric>("metric", {{"gain_ratio", Metric::gain_ratio}, {"info_gain", Metric::info_gain}, {"ks", Metric::ks}}),
            c.flag("prune"), c.number_or_none("max_bytes").value_or(1e300)};
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
    highest_ = -1;
    other_.resize(n_classes);
    slot_.resize(columns.classes);
    for (std::size_t s = 0; s < n_classes; ++s) slot_[static_cast<std::size_t>(table.label[s])] = s;
    const bool ratio = metric == ItiParams::Metric::gain_ratio, ks = metric == ItiParams::Metric::ks;
    estimate_.clear();
    double floor = -1;  // no candidate below it can be the best
    if (ks) {
      each_test(table, columns, [&](const ItiTest&) { estimate_.push_back(0); });
    } else {
      prepare_estimates();
      each_test(table, columns, [&](const ItiTest&) {
        const Score guess = estimated_gain(ratio);
        estimate_.push_back(guess.value + guess.error);
        floor = std::max(floor, guess.value - guess.error);
      });
    }
    n_tests = static_cast<int>(estimate_.size());
    found_.clear();
    std::size_t at = 0;
    each_test(table, columns, [&](const ItiTest& test) {
      if (estimate_[at++] < floor) return;
      const auto [score, error] = ks ? distance() : gain(ratio);
      found_.push_back({test, score + error});
      highest_ = std::max(highest_, score - error);
    });
    for (const Candidate& c : found_)
      if (c.high >= highest_) return c.test;
    return {};
  }

  void expect(std::size_t classes) { class_.reserve(classes); }
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

  // Calls take(test) for every candidate, with side_ the class counts that it makes true, in the order (column, value or cut).
  template <class Take>
  void each_test(const ItiTable& t, const ItiColumns& columns, const Take& take) {
    for (std::size_t begin = n_classes, end; begin < t.size; begin = end) {
      for (end = begin + 1; end < t.size && t.column[end] == t.column[begin];) ++end;
      if (t.value[begin] == t.value[end - 1]) continue;  // one value (or all missing): nothing to separate
      side_.assign(n_classes, 0.0);
      const bool nominal = columns.is_nominal(static_cast<std::size_t>(t.column[begin]));
      for (std::size_t e = begin; e < end;) {
        const std::size_t first = e;
        const double value = t.value[first];
        for (; e < end && t.value[e] == value; ++e) {
          double& side = side_[slot_[static_cast<std::size_t>(t.label[e])]];
          side = nominal ? t.weight[e] : side + t.weight[e];
        }
        if (nominal) {
          if (value != ItiColumns::missing) take({t.column[begin], value});
          for (std::size_t u = first; u < e; ++u) side_[slot_[static_cast<std::size_t>(t.label[u])]] = 0;
        } else if (e < end && t.value[e] != ItiColumns::missing) {
          take({t.column[begin], midway(value, t.value[e])});
        }
      }
    }
  }

  // a < cut <= b
  static double midway(double a, double b) {
    const double middle = 0.5 * a + 0.5 * b;
    return middle > a && middle < b ? middle : b;
  }

  struct Score {
    double value, error;
  };

  struct QuickLog {
    static constexpr int n_bits = 11;
    static constexpr std::size_t n = 1 << n_bits;
    double log[n], inverse[n];
    QuickLog() {
      for (std::size_t i = 0; i < n; ++i) {
        const double middle = 1 + (static_cast<double>(i) + 0.5) / n;
        log[i] = streamboost::log(middle);
        inverse[i] = 1 / middle;
      }
    }
    static const QuickLog& shared() {
      static const QuickLog one;
      return one;
    }
  };

  // x ln x to within 1e-11 x: the logarithm of a neighbour out of a table, and two terms of the series from there.
  double quick_xlogx(double x) const {
    if (!(x > 1e-300)) return 0;
    const QuickLog& table = *quick_;
    const auto bits = std::bit_cast<std::uint64_t>(x);
    const auto exponent = static_cast<double>(static_cast<std::int64_t>(bits >> 52) - 1023);
    const std::size_t at = (bits >> (52 - QuickLog::n_bits)) & (QuickLog::n - 1);
    const double mantissa = std::bit_cast<double>((bits & 0x000FFFFFFFFFFFFFULL) | 0x3FF0000000000000ULL);
    const double r = mantissa * table.inverse[at] - 1;
    return x * (exponent * 0.693147180559945309417 + table.log[at] + (r - 0.5 * r * r));
  }
  // With S(c) = sum of x ln x over the counts c: total * gain = S(classes' sum) - S(classes) - (the same of both sides).
  void prepare_estimates() {
    whole_ = quick_xlogx(total);
    uncertain_ = whole_;
    for (const double w : class_) uncertain_ -= quick_xlogx(w);
    // 2 C + 4 terms of at most total |ln total| each; weights below 1 make logarithms negative, hence the other ends.
    double largest = std::fabs(streamboost::log(std::max(total, 1e-300)));
    for (const double w : class_) largest = std::max(largest, std::fabs(streamboost::log(std::max(w, 1e-300))));
    quick_error_ = 1e-10 * static_cast<double>(2 * n_classes + 4) * (1 + largest);
  }
  Score estimated_gain(bool ratio) const {
    double yes = 0, no = 0, sum = 0;
    for (std::size_t s = 0; s < n_classes; ++s) {
      const double rest = std::max(class_[s] - side_[s], 0.0);
      yes += side_[s];
      no += rest;
      sum += quick_xlogx(side_[s]) + quick_xlogx(rest);
    }
    const double sides = quick_xlogx(yes) + quick_xlogx(no), value = (uncertain_ - sides + sum) / total;
    if (!ratio) return {value, quick_error_};
    const double split = (whole_ - sides) / total;
    if (split < 1e3 * quick_error_) return {0, 2};  // too lopsided to tell: a ratio is at most 1
    return {value / split, 4 * quick_error_ / split};
  }

  Score gain(bool ratio) {
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
  std::vector<double> class_, side_, other_, estimate_;
  const QuickLog* quick_ = &QuickLog::shared();
  double entropy_ = 0, highest_ = 0, whole_ = 0, uncertain_ = 0, quick_error_ = 0;
};

}  // namespace streamboost

// What a value has meant so far: its past share of each class, or its past mean target (target statistics, target encoding).
//
//   n         weight of the learned rows that had this value;  n_c: of those of class c, or s: their sum of targets
//   m         share of the class (mean target) among all learned rows
//   classes   ln(q / (1 - q)),  q = (n_c + prior m_c) / (n + prior);  and ln(1 + n)
//   numbers   (s + prior m) / (n + prior);  and ln(1 + n)
//
// A row is described by the counts of before it, and moves them when it is learned: in a stream this is honest without further ado.
// The first class is what the others leave; of more than four, the first four are described.
// Values are hashed as in tokens.hpp, those of all columns into one table of 2^bits places. Cost: constant for each value.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "streamboost/data/fields.hpp"
#include "streamboost/math/math.hpp"

namespace streamboost::words {

class TargetStatistics {
 public:
  static constexpr int usual_bits = 18;
  static constexpr double prior = 10;
  static constexpr std::int32_t missing = -1;

  // outputs: classes that are described beside the first; 1 for numbers.
  TargetStatistics() = default;
  TargetStatistics(std::size_t outputs, bool numbers, int bits)
      : outputs_(outputs), numbers_(numbers), bits_(bits), table_((outputs + 1) << bits), total_(outputs + 1) {}

  std::size_t outputs() const { return outputs_; }

  // place: of the value of each column, or missing. Into `out`: of each column the first output and ln(1 + n), then of each column the second
  // output, and so on.
  void describe(std::span<const std::int32_t> place, double* out) const {
    const std::size_t n = place.size();
    std::fill_n(out, n * (outputs_ + 1), std::numeric_limits<double>::quiet_NaN());
    for (std::size_t i = 0; i < n; ++i) {
      if (place[i] == missing) continue;
      const double* cell = at(place[i]);
      for (std::size_t c = 0; c < outputs_; ++c) out[c == 0 ? 2 * i : (c + 1) * n + i] = numbers_ ? mean(cell) : odds(cell, c + 1);
      out[2 * i + 1] = 1 + cell[0];
    }
    if (numbers_) {
      for (std::size_t i = 0; i < n; ++i) out[2 * i + 1] = streamboost::log(out[2 * i + 1]);
    } else {
      log_lanes(out, out, n * (outputs_ + 1));
    }
  }
  // truth: a class, or a number.
  void learn(const std::vector<std::int32_t>& place, double truth, double weight) {
    for (const std::int32_t p : place)
      if (p != missing) add(at(p), truth, weight);
    add(total_.data(), truth, weight);
  }

  // Only places that have counts are written.
  void fields(FieldVisitor& v) {
    v("totals", total_);
    std::vector<std::int64_t> place;
    std::vector<double> counts;
    if (!v.loads())
      for (std::int32_t p = 0; p < places(); ++p) {
        if (at(p)[0] == 0) continue;
        place.push_back(p);
        counts.insert(counts.end(), at(p), at(p) + outputs_ + 1);
      }
    v.growing("place", place);
    v.growing("counts", counts);
    if (!v.loads()) return;
    require(counts.size() == place.size() * (outputs_ + 1), "counts of values");
    std::fill(table_.begin(), table_.end(), 0.0);
    for (std::size_t i = 0; i < place.size(); ++i) {
      require(place[i] >= 0 && place[i] < places(), "place of a value");
      std::copy_n(counts.begin() + static_cast<std::ptrdiff_t>(i * (outputs_ + 1)), outputs_ + 1, at(static_cast<std::int32_t>(place[i])));
    }
  }
  void check() const {
    require(total_.empty() || total_[0] >= 0, "counts of values");
    for (std::size_t i = 0; i < table_.size(); ++i)
      require(std::isfinite(table_[i]) && (table_[i] >= 0 || (numbers_ && i % 2 == 1)), "counts of values");
  }
  std::size_t bytes() const { return (table_.size() + total_.size()) * sizeof(double); }

 private:
  std::int32_t places() const { return std::int32_t{1} << bits_; }
  double* at(std::int32_t place) { return table_.data() + static_cast<std::size_t>(place) * (outputs_ + 1); }
  const double* at(std::int32_t place) const { return table_.data() + static_cast<std::size_t>(place) * (outputs_ + 1); }

  void add(double* cell, double truth, double weight) const {
    cell[0] += weight;
    if (numbers_)
      cell[1] += weight * truth;
    else if (truth > 0 && truth <= static_cast<double>(outputs_))
      cell[static_cast<std::size_t>(truth)] += weight;
  }
  // q / (1 - q); missing while all rows, or none, are of the class.
  double odds(const double* cell, std::size_t c) const {
    const double all = total_[0], of_class = total_[c];
    if (of_class <= 0 || of_class >= all) return std::numeric_limits<double>::quiet_NaN();
    return (cell[c] + prior * (of_class / all)) / (std::max(cell[0] - cell[c], 0.0) + prior * ((all - of_class) / all));
  }
  double mean(const double* cell) const {
    if (total_[0] <= 0) return std::numeric_limits<double>::quiet_NaN();
    return (cell[1] + prior * (total_[1] / total_[0])) / (cell[0] + prior);
  }

  std::size_t outputs_ = 0;
  bool numbers_ = false;
  int bits_ = usual_bits;
  AlignedVector<double> table_;  // [place]: n, then n_1, n_2, ... or s
  AlignedVector<double> total_;  // the same of all rows
};

}  // namespace streamboost::words

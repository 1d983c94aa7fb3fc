// The best split of a leaf: merit of every candidate of every column. The algorithm: hoeffding.hpp.
//
// Candidates of a numeric column: thresholds t_m = low + (high - low) m / (points + 1), m = 1..points, low and high over all classes.
//   left mass of class c = n_c Phi((t - mean_c) / sd_c), 0 if t < low_c, n_c if t >= high_c
// Candidates of a nominal column: one branch per value seen in the leaf; or each value against the rest.
// A candidate counts if at least two branches hold more than min_branch of the column's mass M. With m_bc the masses of branch b:
//   info gain   H(n) - sum_b M_b / M H(m_b), in bits         Gini   sum_b sum_c m_bc^2 / (M_b M) - sum_c n_c^2 / M^2
// All thresholds of a column go through the normal distribution function and the logarithms in one vector pass.
#pragma once
#include "streamboost/learners/hoeffding_layout.hpp"

namespace streamboost {

struct SplitCandidate {
  double merit = 0;
  const HoeffdingColumns::Column* column = nullptr;  // null: no split, merit 0
  double at = 0;                                     // threshold, or value code of one-against-the-rest
};

class SplitSearch {
 public:
  SplitCandidate best, second;

  // block[c]: statistics of the classes present, in order of their codes.
  SplitSearch(const HoeffdingParams& params, const HoeffdingColumns& columns, const std::vector<const double*>& block,
              std::vector<double>& scratch)
      : params_(params), columns_(columns), block_(block), scratch_(scratch) {}

  void run() {
    for (const auto& column : columns_.all) {
      const SplitCandidate found = column.nominal ? nominal(column) : numeric(column);
      if (found.column == nullptr) continue;
      if (found.merit > best.merit + rounding) {
        second = best;
        best = found;
      } else if (found.merit > second.merit) {
        second = found;
      }
    }
  }

  // Share of class `c`'s mass on this column that goes left of the threshold.
  static double left_mass(const HoeffdingColumns& columns, const double* block, std::size_t cell, double t) {
    const double n = columns.row(block, 2)[cell];
    if (!(n > 0)) return 0;
    double z = position(columns, block, cell, t), p = 0;
    normal_cdf_lanes(&z, &p, 1);
    return n * p;
  }

 private:
  static constexpr double rounding = 1e-10;  // merits this near are equal, and the first candidate wins
  static constexpr double far = 40;          // the distribution function is 0 or 1 there

  static double position(const HoeffdingColumns& columns, const double* block, std::size_t cell, double t) {
    if (t < columns.row(block, 4)[cell]) return -far;
    if (t >= columns.row(block, 5)[cell]) return far;
    const double spread = columns.row(block, 3)[cell], deviation = t - columns.row(block, 0)[cell];
    if (!(spread > 0)) return deviation < 0 ? -far : far;
    return std::clamp(deviation * std::sqrt(degrees_of_freedom(columns.row(block, 2)[cell]) / spread), -far, far);
  }

  SplitCandidate numeric(const HoeffdingColumns::Column& column) const {
    SplitCandidate found;
    const std::size_t cell = column.place, k = block_.size(), points = static_cast<std::size_t>(params_.split_points), all = k * points;
    double low = 0, high = 0, mass = 0;
    for (const double* b : block_) {
      const double n = columns_.row(b, 2)[cell];
      if (!(n > 0)) continue;
      low = mass > 0 ? std::min(low, columns_.row(b, 4)[cell]) : columns_.row(b, 4)[cell];
      high = mass > 0 ? std::max(high, columns_.row(b, 5)[cell]) : columns_.row(b, 5)[cell];
      mass += n;
    }
    if (!(mass > 0) || !(low < high)) return found;
    // masses: left [class][point], right [class][point], left total, right total; then their x log x
    scratch_.resize(4 * (all + points));
    double *left = scratch_.data(), *right = left + all, *left_sum = right + all, *right_sum = left_sum + points;
    for (std::size_t c = 0; c < k; ++c)
      for (std::size_t m = 0; m < points; ++m)
        left[c * points + m] = columns_.row(block_[c], 2)[cell] > 0 ? position(columns_, block_[c], cell, threshold(low, high, m)) : -far;
    normal_cdf_lanes(left, left, all);
    std::fill_n(left_sum, 2 * points, 0.0);
    for (std::size_t c = 0; c < k; ++c) {
      const double n = columns_.row(block_[c], 2)[cell];
      for (std::size_t m = 0; m < points; ++m) {
        double& l = left[c * points + m];
        l *= n;
        right[c * points + m] = n - l;
        left_sum[m] += l;
        right_sum[m] += n - l;
      }
    }
    double* log_mass = scratch_.data() + 2 * (all + points);
    const bool gini = params_.criterion == HoeffdingParams::Criterion::gini;
    if (!gini) x_log_x_lanes(left, log_mass, 2 * (all + points));
    const double before = impurity(cell, mass);
    for (std::size_t m = 0; m < points; ++m) {
      const double least = params_.min_branch * mass;
      if (!(left_sum[m] > least && right_sum[m] > least)) continue;
      double inside = 0;
      if (gini) {
        double l = 0, r = 0;
        for (std::size_t c = 0; c < k; ++c) {
          l += left[c * points + m] * left[c * points + m];
          r += right[c * points + m] * right[c * points + m];
        }
        inside = (l / left_sum[m] + r / right_sum[m]) / mass;
      } else {
        for (std::size_t c = 0; c < k; ++c) inside += log_mass[c * points + m] + log_mass[all + c * points + m];
        inside = (inside - log_mass[2 * all + m] - log_mass[2 * all + points + m]) / (mass * ln2);
      }
      if (before + inside > found.merit + rounding) found = {before + inside, &column, threshold(low, high, m)};
    }
    return found;
  }

  SplitCandidate nominal(const HoeffdingColumns::Column& column) const {
    SplitCandidate found;
    const std::size_t k = block_.size(), values = column.values;
    scratch_.assign(values + k, 0.0);
    double *value_mass = scratch_.data(), *class_mass = value_mass + values;
    double mass = 0;
    for (std::size_t c = 0; c < k; ++c) {
      class_mass[c] = block_[c][column.place];
      mass += class_mass[c];
      for (std::size_t v = 0; v < values; ++v) value_mass[v] += count(column, c, v);
    }
    if (!(mass > 0)) return found;
    double before = term(mass);
    for (std::size_t c = 0; c < k; ++c) before -= term(class_mass[c]);
    if (gini()) {
      before = 0;
      for (std::size_t c = 0; c < k; ++c) before -= class_mass[c] * class_mass[c];
      before /= mass * mass;
    } else {
      before /= mass * ln2;
    }
    if (params_.nominal == HoeffdingParams::Nominal::multiway) {
      int heavy = 0;
      double inside = 0;
      for (std::size_t v = 0; v < values; ++v) {
        if (!(value_mass[v] > 0)) continue;
        heavy += value_mass[v] > params_.min_branch * mass ? 1 : 0;
        inside += branch(value_mass[v], [&](std::size_t c) { return count(column, c, v); });
      }
      const double merit = before + inside / (gini() ? mass : mass * ln2);
      if (heavy >= 2 && merit > rounding) found = {merit, &column, 0};
      return found;
    }
    for (std::size_t v = 0; v < values; ++v) {
      const double rest = mass - value_mass[v], least = params_.min_branch * mass;
      if (!(value_mass[v] > least && rest > least)) continue;
      const double inside = branch(value_mass[v], [&](std::size_t c) { return count(column, c, v); }) +
                            branch(rest, [&](std::size_t c) { return std::max(class_mass[c] - count(column, c, v), 0.0); });
      const double merit = before + inside / (gini() ? mass : mass * ln2);
      if (merit > found.merit + rounding) found = {merit, &column, static_cast<double>(v)};
    }
    return found;
  }

  bool gini() const { return params_.criterion == HoeffdingParams::Criterion::gini; }
  double count(const HoeffdingColumns::Column& column, std::size_t c, std::size_t v) const { return block_[c][column.place + 1 + v]; }
  static double term(double x) { return x > 0 ? x * streamboost::log(x) : 0.0; }

  // A branch's part of the merit, times the mass (and ln 2).
  template <class Mass>
  double branch(double total, Mass mass_of) const {
    double sum = gini() ? 0 : -term(total);
    for (std::size_t c = 0; c < block_.size(); ++c) sum += gini() ? mass_of(c) * mass_of(c) / total : term(mass_of(c));
    return sum;
  }

  // Entropy in bits of the classes on a numeric column; with Gini minus the sum of squared shares.
  double impurity(std::size_t cell, double mass) const {
    double sum = 0;
    for (const double* b : block_) {
      const double n = columns_.row(b, 2)[cell];
      sum += gini() ? n * n : term(n);
    }
    return gini() ? -sum / (mass * mass) : (term(mass) - sum) / (mass * ln2);
  }

  double threshold(double low, double high, std::size_t m) const {
    return low + (high - low) * (static_cast<double>(m + 1) / (params_.split_points + 1));
  }

  static constexpr double ln2 = 0.693147180559945309417;
  const HoeffdingParams& params_;
  const HoeffdingColumns& columns_;
  const std::vector<const double*>& block_;
  std::vector<double>& scratch_;
};

}  // namespace streamboost

// The best split of a leaf: merit of every candidate of every column. The algorithm: hoeffding.hpp.
//
// Candidates of a numeric column: thresholds t_m = low + (high - low) m / (points + 1), m = 1..points, low and high over all classes.
//   left mass of class c = n_c Phi((t - mean_c) / sd_c), 0 if t < low_c, n_c if t >= high_c
//   with intervals (HoeffdingBins): the ends of intervals, all classes together, at which the mass reaches m / (points + 1) of all, or
//   every end but the last if they are at most points + 1; left mass by the intervals
// Candidates of a nominal column: one branch per value seen in the leaf; each value against the rest; or both, multiway first.
// A candidate counts if at least two branches hold more than min_branch of the column's mass M. With m_bc the masses of branch b:
//   info gain   H(n) - sum_b M_b / M H(m_b), in bits         Gini   sum_b sum_c m_bc^2 / (M_b M) - sum_c n_c^2 / M^2
//   less what further branches gain by chance: under independence 2 n ln2 gain is chi-squared with (branches - 1)(classes - 1)
//   degrees of freedom, so correction * (classes - 1)(branches - 2) / (2 n ln 2), n = (sum w)^2 / sum w^2 of the examples learned here
//   gain ratio  each column's candidate of most gain, its gain over the entropy of (M_b)
// Columns go through the normal distribution function and the logarithms several at a time, all points and classes in one vector pass.
#pragma once
#include "streamboost/learners/hoeffding_columns.hpp"
#include "streamboost/learners/hoeffding_layout.hpp"

namespace streamboost {

struct SplitCandidate {
  enum Kind { numeric, multiway, one_value };
  double merit = 0;
  const HoeffdingColumns::Column* column = nullptr;  // null: no split, merit 0
  Kind kind = numeric;
  double at = 0;  // threshold, or value code of one-against-the-rest
};

class SplitSearch {
 public:
  SplitCandidate best;
  double second = 0;  // the highest merit of another column, at least 0
  int columns = 0;    // how many have a candidate that counts

  // block[c]: statistics of the classes present, in order of their codes. chance: what one further branch gains by chance.
  SplitSearch(const HoeffdingParams& params, const HoeffdingColumns& all, const std::vector<const double*>& block, double chance,
              std::vector<double>& scratch)
      : params_(params), columns_(all), block_(block), chance_(chance), scratch_(scratch) {}

  // candidates: positions in HoeffdingColumns::all, ascending.
  void run(const std::int64_t* candidates, std::size_t n) {
    const std::size_t points = static_cast<std::size_t>(params_.split_points),
                      per_column = std::max<std::size_t>(1, block_.size()) * points;
    const std::size_t most = params_.bins > 0 ? 1 : std::max<std::size_t>(1, together / per_column);
    std::size_t begin = 0;
    while (begin < n) {
      const auto& column = columns_.all[static_cast<std::size_t>(candidates[begin])];
      if (column.nominal) {
        nominal(column);
        ++begin;
        continue;
      }
      std::size_t end = begin + 1;
      while (end < n && end - begin < most && !columns_.all[static_cast<std::size_t>(candidates[end])].nominal) ++end;
      numeric(candidates + begin, end - begin);
      begin = end;
    }
  }

  // Mass of a class on a numeric column that goes left of the threshold.
  static double left_mass(const HoeffdingColumns& columns, const double* block, std::size_t cell, double t) {
    const ClassSummary seen = summary(columns, block, cell);
    if (!(seen.weight > 0)) return 0;
    if (columns.bins > 0) return std::min(seen.weight, HoeffdingBins::below(columns.intervals(block, cell), columns.bins, t));
    double p = 0;
    split_positions(seen, &t, far, &p, 1);
    normal_cdf_lanes(&p, &p, 1);
    return seen.weight * p;
  }

 private:
  static constexpr double rounding = 1e-10;  // merits this near are equal, and the first candidate wins
  static constexpr double far = 40;          // the distribution function is 0 or 1 there
  static constexpr std::size_t together = 1024;
  static constexpr double ln2 = 0.693147180559945309417;

  static ClassSummary summary(const HoeffdingColumns& columns, const double* block, std::size_t cell) {
    const double n = columns.row(block, 2)[cell], spread = columns.row(block, 3)[cell];
    return {n, columns.row(block, 0)[cell], spread > 0 ? std::sqrt(degrees_of_freedom(n) / spread) : 1e300, columns.row(block, 4)[cell],
            columns.row(block, 5)[cell]};
  }

  // The best of a column joins the contest. Merits up to `rounding` are worth nothing, but their column counts.
  void enter(const SplitCandidate& found) {
    ++columns;
    if (found.column == nullptr) return;
    if (found.merit > best.merit + rounding) {
      second = best.merit;
      best = found;
    } else if (found.merit > second) {
      second = found.merit;
    }
  }
  bool gini() const { return params_.criterion == HoeffdingParams::Criterion::gini; }
  bool ratio() const { return params_.criterion == HoeffdingParams::Criterion::gain_ratio; }

  // ---- numeric columns

  // Arrays of a group of columns, one after the other, then their x log x in the same order.
  struct Masses {
    double *left, *right, *left_sum, *right_sum, *weight, *whole;
  };

  void numeric(const std::int64_t* candidates, std::size_t n) {
    const std::size_t k = block_.size();
    std::size_t points = static_cast<std::size_t>(params_.split_points);
    if (params_.bins > 0) points = interval_ends(columns_.all[static_cast<std::size_t>(candidates[0])].place);
    const std::size_t all = n * k * points, sums = n * points, size = 2 * (all + sums) + n * (k + 1);
    if (points == 0) return;
    if (scratch_.size() < 2 * size + sums) scratch_.resize(2 * size + sums);
    double* threshold = scratch_.data();  // [column][point]
    const auto laid_out = [&](double* at) {
      return Masses{at, at + all, at + 2 * all, at + 2 * all + sums, at + 2 * (all + sums), at + 2 * (all + sums) + n * k};
    };
    const Masses mass = laid_out(threshold + sums), logs = laid_out(threshold + sums + size);
    for (std::size_t q = 0; q < n; ++q)
      positions(candidates[q], points, threshold + q * points, mass.left + q * k * points, mass.weight + q * k, mass.whole + q);
    if (params_.bins == 0) normal_cdf_lanes(mass.left, mass.left, all);
    std::fill_n(mass.left_sum, 2 * sums, 0.0);
    for (std::size_t q = 0; q < n; ++q)
      for (std::size_t c = 0; c < k; ++c) {
        const std::size_t at = (q * k + c) * points;
        split_shares(mass.weight[q * k + c], mass.left + at, mass.right + at, mass.left_sum + q * points, mass.right_sum + q * points,
                     points);
      }
    if (!gini()) x_log_x_lanes(mass.left, logs.left, size);
    for (std::size_t q = 0; q < n; ++q) {
      if (!(mass.whole[q] > 0)) continue;  // nothing to tell apart
      const auto of = [&](const Masses& m) {
        const std::size_t at = q * k * points;
        return Masses{m.left + at, m.right + at, m.left_sum + q * points, m.right_sum + q * points, m.weight + q * k, m.whole + q};
      };
      best_point(columns_.all[static_cast<std::size_t>(candidates[q])], points, threshold + q * points, of(mass), of(logs));
    }
  }

  // Thresholds of a column and where they lie in each class's distribution (with intervals: the share to their left).
  void positions(std::int64_t candidate, std::size_t points, double* threshold, double* left, double* weight, double* whole) const {
    const std::size_t cell = columns_.all[static_cast<std::size_t>(candidate)].place;
    double low = 0, high = 0, mass = 0;
    for (std::size_t c = 0; c < block_.size(); ++c) {
      const double n = weight[c] = columns_.row(block_[c], 2)[cell];
      if (!(n > 0)) continue;
      low = mass > 0 ? std::min(low, columns_.row(block_[c], 4)[cell]) : columns_.row(block_[c], 4)[cell];
      high = mass > 0 ? std::max(high, columns_.row(block_[c], 5)[cell]) : columns_.row(block_[c], 5)[cell];
      mass += n;
    }
    *whole = low < high ? mass : 0.0;
    if (params_.bins == 0)
      for (std::size_t m = 0; m < points; ++m)
        threshold[m] = low + (high - low) * (static_cast<double>(m + 1) / (params_.split_points + 1));
    for (std::size_t c = 0; c < block_.size(); ++c, left += points) {
      if (params_.bins == 0)
        split_positions(summary(columns_, block_[c], cell), threshold, far, left, points);
      else
        for (std::size_t m = 0; m < points; ++m)
          left[m] = weight[c] > 0
                        ? std::min(1.0, HoeffdingBins::below(columns_.intervals(block_[c], cell), columns_.bins, threshold[m]) / weight[c])
                        : 0.0;
    }
  }

  // Writes the thresholds that intervals suggest to the front of the scratch and returns their number.
  std::size_t interval_ends(std::size_t cell) const {
    const std::size_t most = columns_.bins, points = static_cast<std::size_t>(params_.split_points);
    std::vector<std::pair<double, double>> ends;  // an attempt with intervals may allocate
    for (const double* b : block_) {
      const double* at = columns_.intervals(b, cell);
      for (std::size_t k = 0; k < HoeffdingBins::count(at); ++k)
        ends.emplace_back(HoeffdingBins::highs(at, most)[k], HoeffdingBins::weights(at, most)[k]);
    }
    std::sort(ends.begin(), ends.end());
    std::size_t n = 0;
    double all = 0;
    for (const auto& [end, weight] : ends) {
      if (n > 0 && ends[n - 1].first == end)
        ends[n - 1].second += weight;
      else
        ends[n++] = {end, weight};
      all += weight;
    }
    if (n < 2) return 0;
    if (scratch_.size() < n) scratch_.resize(n);
    std::size_t chosen = 0;
    double below = 0;
    for (std::size_t e = 0, m = 1; e + 1 < n && m <= points; ++e) {
      below += ends[e].second;
      const auto reached = [&] { return below >= all * (static_cast<double>(m) / static_cast<double>(points + 1)); };
      if (n <= points + 1 || reached()) scratch_[chosen++] = ends[e].first;
      while (n > points + 1 && m <= points && reached()) ++m;
    }
    return chosen;
  }

  void best_point(const HoeffdingColumns::Column& column, std::size_t points, const double* threshold, const Masses& mass,
                  const Masses& logs) {
    const std::size_t k = block_.size();
    const double whole = *mass.whole, least = params_.min_branch * whole;
    double before = 0;
    for (std::size_t c = 0; c < k; ++c) before += gini() ? mass.weight[c] * mass.weight[c] : logs.weight[c];
    before = gini() ? -before / (whole * whole) : (*logs.whole - before) / (whole * ln2);
    SplitCandidate found;
    std::size_t where = 0;
    bool counts = false;
    for (std::size_t m = 0; m < points; ++m) {
      if (!(mass.left_sum[m] > least && mass.right_sum[m] > least)) continue;
      counts = true;
      double inside = 0;
      if (gini()) {
        double l = 0, r = 0;
        for (std::size_t c = 0; c < k; ++c) {
          l += mass.left[c * points + m] * mass.left[c * points + m];
          r += mass.right[c * points + m] * mass.right[c * points + m];
        }
        inside = (l / mass.left_sum[m] + r / mass.right_sum[m]) / whole;
      } else {
        for (std::size_t c = 0; c < k; ++c) inside += logs.left[c * points + m] + logs.right[c * points + m];
        inside = (inside - logs.left_sum[m] - logs.right_sum[m]) / (whole * ln2);
      }
      if (before + inside > found.merit + rounding) {
        found = {before + inside, &column, SplitCandidate::numeric, threshold[m]};
        where = m;
      }
    }
    if (ratio() && found.column != nullptr) found.merit /= (*logs.whole - logs.left_sum[where] - logs.right_sum[where]) / (whole * ln2);
    if (counts) enter(found);
  }

  // ---- nominal columns

  void nominal(const HoeffdingColumns::Column& column) {
    const std::size_t k = block_.size(), values = column.values, all = k * values;
    const bool one = params_.nominal != HoeffdingParams::Nominal::multiway;
    // counts [class][value], of a value, of a class, of all; with one value against the rest: the rest's [class][value] and sums
    const std::size_t size = all + values + k + 1 + (one ? all + values : 0);
    if (scratch_.size() < 2 * size) scratch_.resize(2 * size);
    double *count = scratch_.data(), *of_value = count + all, *of_class = of_value + values, *whole = of_class + k, *rest = whole + 1,
           *rest_sum = rest + all;
    std::fill_n(of_value, values, 0.0);
    *whole = 0;
    for (std::size_t c = 0; c < k; ++c) {
      const double* seen = block_[c] + column.place + 1;
      *whole += of_class[c] = block_[c][column.place];
      std::copy_n(seen, values, count + c * values);
      for (std::size_t v = 0; v < values; ++v) of_value[v] += seen[v];
      for (std::size_t v = 0; v < values && one; ++v) rest[c * values + v] = std::max(of_class[c] - seen[v], 0.0);
    }
    const double mass = *whole, least = params_.min_branch * mass, unit = gini() ? mass : mass * ln2;
    if (!(mass > 0)) return;
    for (std::size_t v = 0; v < values && one; ++v) rest_sum[v] = mass - of_value[v];
    const double* logs = count + size;
    if (!gini()) x_log_x_lanes(count, count + size, size);
    // A branch's part of the merit, times the unit; where it begins in the arrays, and where its sum lies.
    const auto branch = [&](const double* part, const double* sum) {
      double out = gini() ? 0.0 : -logs[sum - count];
      for (std::size_t c = 0; c < k; ++c) out += gini() ? part[c * values] * part[c * values] / *sum : logs[part + c * values - count];
      return out;
    };
    double before = 0;
    for (std::size_t c = 0; c < k; ++c) before += gini() ? of_class[c] * of_class[c] : logs[of_class + c - count];
    before = gini() ? -before / (mass * mass) : (logs[whole - count] - before) / unit;

    SplitCandidate found;
    double kept = 0;  // x log x of the branches chosen
    bool counts = false;
    if (params_.nominal != HoeffdingParams::Nominal::binary) {
      int heavy = 0, filled = 0;
      double inside = 0, parts = 0;
      for (std::size_t v = 0; v < values; ++v) {
        if (!(of_value[v] > 0)) continue;
        ++filled;
        heavy += of_value[v] > least ? 1 : 0;
        inside += branch(count + v, of_value + v);
        parts += gini() ? 0.0 : logs[of_value + v - count];
      }
      const double merit = before + inside / unit - (gini() ? 0.0 : chance_ * (filled - 2));
      counts = heavy >= 2;
      if (counts && merit > rounding) {
        found = {merit, &column, SplitCandidate::multiway, 0};
        kept = parts;
      }
    }
    for (std::size_t v = 0; v < values && one; ++v) {
      if (!(of_value[v] > least && rest_sum[v] > least)) continue;
      counts = true;
      const double merit = before + (branch(count + v, of_value + v) + branch(rest + v, rest_sum + v)) / unit;
      if (merit > found.merit + rounding) {
        found = {merit, &column, SplitCandidate::one_value, static_cast<double>(v)};
        kept = gini() ? 0.0 : logs[of_value + v - count] + logs[rest_sum + v - count];
      }
    }
    if (ratio() && found.column != nullptr) found.merit /= (logs[whole - count] - kept) / unit;
    if (counts) enter(found);
  }

  const HoeffdingParams& params_;
  const HoeffdingColumns& columns_;
  const std::vector<const double*>& block_;
  double chance_;
  std::vector<double>& scratch_;
};

}  // namespace streamboost

// The best split of a leaf: merit of every candidate of every column. The algorithm: hoeffding.hpp.
//
// Candidates of a numeric column: thresholds t_m = low + (high - low) m / (points + 1), m = 1..points, low and high over all classes.
//   left mass of class c = n_c Phi((t - mean_c) / sd_c), 0 if t < low_c, n_c if t >= high_c
//   with intervals (HoeffdingBins): the ends of intervals, all classes together, at which the mass reaches m / (points + 1) of all, or
//   every end but the last if they are at most points + 1; left mass by the intervals
// Candidates of a nominal column: one branch per value seen in the leaf; each value against the rest; or both, multiway first; or
//   grouped: the values in ascending order of the rate of the class with most weight on the column (ties: the lower code), and every cut
//   of that order in two. With two classes no other grouping gains more. The lighter group is named (the first if they are level): a
//   value that the leaf has not seen goes with the heavier.
// A candidate counts if at least two branches hold more than min_branch of the column's mass M. With m_bc the masses of branch b:
//   info gain   H(n) - sum_b M_b / M H(m_b), in bits         Gini   sum_b sum_c m_bc^2 / (M_b M) - sum_c n_c^2 / M^2
//   less what further branches gain by chance: under independence 2 n ln2 gain is chi-squared with (branches - 1)(classes - 1)
//   degrees of freedom, so correction * (classes - 1)(branches - 2) / (2 n ln 2), n = (sum w)^2 / sum w^2 of the examples learned here;
//   a grouped split, whose order is made for these examples, counts as a branch per value
//   gain ratio  each column's candidate of most gain, its gain over the entropy of (M_b)
// Columns go through the normal distribution function and the logarithms several at a time, all points and classes in one vector pass;
// where a point lies outside of a class's values, all or nothing of it is left and neither is needed.
#pragma once
#include "streamboost/learners/hoeffding_columns.hpp"
#include "streamboost/learners/hoeffding_kernels.hpp"
#include "streamboost/learners/hoeffding_layout.hpp"
#include "streamboost/math/math.hpp"

namespace streamboost {

struct SplitCandidate {
  enum Kind { numeric, multiway, one_value, group };
  double merit = 0;
  const HoeffdingColumns::Column* column = nullptr;  // null: no split, merit 0
  Kind kind = numeric;
  double at = 0;  // threshold, or value code of one-against-the-rest; the values of a group: SplitWork::named
};

// Room for a search, kept from one to the next.
struct SplitWork {
  std::vector<double> numbers;
  std::vector<ClassSummary> seen;
  std::vector<PointRange> range;
  std::vector<std::int32_t> order;  // values by the rate of a class
  std::vector<std::int32_t> named;  // the values of the best group, ascending
};

class SplitSearch {
 public:
  SplitCandidate best;
  double second = 0;  // the highest merit of another column, at least 0
  int columns = 0;    // how many have a candidate that counts

  // block[c]: statistics of the classes present, in order of their codes. chance: what one further branch gains by chance.
  SplitSearch(const HoeffdingParams& params, const HoeffdingColumns& all, const std::vector<const double*>& block, double chance,
              SplitWork& work)
      : params_(params), columns_(all), block_(block), chance_(chance), work_(work), scratch_(work.numbers) {}

  std::size_t classes() const { return block_.size(); }
  const double* block(std::size_t c) const { return block_[c]; }
  bool weighs(const HoeffdingColumns::Column& column, std::size_t v) const {
    return std::any_of(block_.begin(), block_.end(), [&](const double* b) { return b[column.place + 1 + v] > 0; });
  }

  // Merit of a split with masses [branch][class]. values: that a group was made of; 0: no group.
  double merit_of(const std::vector<double>& masses, std::size_t branches, int values) const {
    const std::size_t k = block_.size();
    double whole = 0, inside = 0, before = 0, between = 0;
    int filled = 0;
    for (double m : masses) whole += m;
    for (std::size_t c = 0; c < k; ++c) {
      double sum = 0;
      for (std::size_t b = 0; b < branches; ++b) sum += masses[b * k + c];
      before += gini() ? sum * sum : x_log_x(sum);
    }
    for (std::size_t b = 0; b < branches; ++b) {
      double sum = 0, part = 0;
      for (std::size_t c = 0; c < k; ++c) {
        const double m = masses[b * k + c];
        sum += m;
        part += gini() ? m * m : x_log_x(m);
      }
      if (!(sum > 0)) continue;
      ++filled;
      inside += gini() ? part / sum : part - x_log_x(sum);
      between += x_log_x(sum);
    }
    if (filled < 2) return 0;
    if (gini()) return inside / whole - before / (whole * whole);
    const double gain = (x_log_x(whole) - before + inside) / (whole * ln2) - chance_ * (std::max(filled, values) - 2);
    return ratio() ? gain / ((x_log_x(whole) - between) / (whole * ln2)) : gain;
  }

  // Whether one value against the rest is a candidate of a column. Of two values it is what the multiway split is.
  static bool splits_off(const HoeffdingParams& params, const HoeffdingColumns::Column& column) {
    return params.nominal == HoeffdingParams::Nominal::binary || (params.nominal == HoeffdingParams::Nominal::both && column.values > 2);
  }

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
    PointRange inside;
    double p = 0;
    if (split_positions(&seen, 1, &t, 1, far, &inside, &p) == 0) return inside.begin == 0 ? seen.weight : 0.0;
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
  static double x_log_x(double x) { return x > 0 ? x * streamboost::log(x) : 0.0; }
  bool gini() const { return params_.criterion == HoeffdingParams::Criterion::gini; }
  bool ratio() const { return params_.criterion == HoeffdingParams::Criterion::gain_ratio; }

  // ---- numeric columns

  // Masses of a group of columns, one after the other, or their x log x in the same order.
  struct Masses {
    double *weight, *whole, *left_sum, *right_sum;  // [column][class], [column], [column][point] twice
    double *left, *right;                           // of the points inside of the classes' ranges, [column][class][point]
    Masses(double* at, std::size_t n, std::size_t k, std::size_t points, std::size_t inside)
        : weight(at),
          whole(weight + n * k),
          left_sum(whole + n),
          right_sum(left_sum + n * points),
          left(right_sum + n * points),
          right(left + inside) {}
  };

  void numeric(const std::int64_t* candidates, std::size_t n) {
    const std::size_t k = block_.size();
    std::size_t points = static_cast<std::size_t>(params_.split_points);
    if (params_.bins > 0) points = interval_ends(columns_.all[static_cast<std::size_t>(candidates[0])].place);
    if (points == 0) return;
    const std::size_t sums = n * points, most = n * (k + 1) + 2 * (sums + k * sums);
    if (scratch_.size() < sums + points + 2 * most) scratch_.resize(sums + points + 2 * most);
    work_.seen.resize(k);
    work_.range.resize(n * k);
    double *threshold = scratch_.data(), *together_inside = threshold + sums;  // [column][point], [point]
    double* begin = together_inside + points;
    std::size_t inside = 0;
    const Masses all(begin, n, k, points, 0);
    for (std::size_t q = 0; q < n; ++q)
      inside += positions(candidates[q], points, threshold + q * points, all.left + inside, all.weight + q * k, all.whole + q,
                          work_.range.data() + q * k);
    const std::size_t size = n * (k + 1) + 2 * (sums + inside);
    const Masses mass(begin, n, k, points, inside), logs(begin + size, n, k, points, inside);
    if (params_.bins == 0) normal_cdf_lanes(mass.left, mass.left, inside);
    std::fill_n(mass.left_sum, 2 * sums, 0.0);
    std::size_t at = 0;
    for (std::size_t q = 0; q < n; ++q) {
      const PointRange* range = work_.range.data() + q * k;
      split_shares(mass.weight + q * k, range, k, points, mass.left + at, mass.right + at, mass.left_sum + q * points,
                   mass.right_sum + q * points);
      at += inside_of(range, k);
    }
    if (!gini()) x_log_x_lanes(begin, begin + size, size);
    at = 0;
    for (std::size_t q = 0; q < n; ++q) {
      const PointRange* range = work_.range.data() + q * k;
      const auto of = [&](Masses m) {
        m.weight += q * k;
        m.whole += q;
        m.left_sum += q * points;
        m.right_sum += q * points;
        m.left += at;
        m.right += at;
        return m;
      };
      if (*of(mass).whole > 0)  // else there is nothing to tell apart
        best_point(columns_.all[static_cast<std::size_t>(candidates[q])], points, threshold + q * points, range, of(mass), of(logs),
                   together_inside);
      at += inside_of(range, k);
    }
  }
  static std::size_t inside_of(const PointRange* range, std::size_t k) {
    std::size_t n = 0;
    for (std::size_t c = 0; c < k; ++c) n += static_cast<std::size_t>(range[c].end - range[c].begin);
    return n;
  }

  // Thresholds of a column, the range of each class among them, and where those inside lie in its distribution (with intervals: the
  // share to their left, of all of them). Returns how many were written to `left`.
  std::size_t positions(std::int64_t candidate, std::size_t points, double* threshold, double* left, double* weight, double* whole,
                        PointRange* range) const {
    const std::size_t cell = columns_.all[static_cast<std::size_t>(candidate)].place, k = block_.size();
    double low = 0, high = 0, mass = 0;
    for (std::size_t c = 0; c < k; ++c) {
      const double n = weight[c] = columns_.row(block_[c], 2)[cell];
      work_.seen[c] = summary(columns_, block_[c], cell);
      if (!(n > 0)) continue;
      low = mass > 0 ? std::min(low, work_.seen[c].low) : work_.seen[c].low;
      high = mass > 0 ? std::max(high, work_.seen[c].high) : work_.seen[c].high;
      mass += n;
    }
    *whole = low < high ? mass : 0.0;
    if (params_.bins == 0) {
      for (std::size_t m = 0; m < points; ++m)
        threshold[m] = low + (high - low) * (static_cast<double>(m + 1) / (params_.split_points + 1));
      return split_positions(work_.seen.data(), k, threshold, points, far, range, left);
    }
    for (std::size_t c = 0; c < k; ++c, left += points) {
      range[c] = {0, static_cast<std::int32_t>(points)};
      for (std::size_t m = 0; m < points; ++m)
        left[m] = weight[c] > 0
                      ? std::min(1.0, HoeffdingBins::below(columns_.intervals(block_[c], cell), columns_.bins, threshold[m]) / weight[c])
                      : 0.0;
    }
    return k * points;
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

  void best_point(const HoeffdingColumns::Column& column, std::size_t points, const double* threshold, const PointRange* range,
                  const Masses& mass, const Masses& logs, double* inside) {
    const std::size_t k = block_.size();
    const double whole = *mass.whole, least = params_.min_branch * whole;
    double before = 0;
    for (std::size_t c = 0; c < k; ++c) before += gini() ? mass.weight[c] * mass.weight[c] : logs.weight[c];
    before = gini() ? -before / (whole * whole) : (*logs.whole - before) / (whole * ln2);
    if (!gini()) split_insides(logs.weight, range, k, points, logs.left, logs.right, inside);
    SplitCandidate found;
    std::size_t where = 0;
    bool counts = false;
    for (std::size_t m = 0; m < points; ++m) {
      if (!(mass.left_sum[m] > least && mass.right_sum[m] > least)) continue;
      counts = true;
      const double merit =
          before + (gini() ? squares(m, range, mass) / whole : (inside[m] - logs.left_sum[m] - logs.right_sum[m]) / (whole * ln2));
      if (merit > found.merit + rounding) {
        found = {merit, &column, SplitCandidate::numeric, threshold[m]};
        where = m;
      }
    }
    if (ratio() && found.column != nullptr) found.merit /= (*logs.whole - logs.left_sum[where] - logs.right_sum[where]) / (whole * ln2);
    if (counts) enter(found);
  }
  // Gini: squared masses of the classes over the mass of their side, both sides of point m.
  double squares(std::size_t m, const PointRange* range, const Masses& mass) const {
    double l = 0, r = 0;
    const double *left = mass.left, *right = mass.right;
    for (std::size_t c = 0; c < block_.size(); ++c) {
      const auto begin = static_cast<std::size_t>(range[c].begin), end = static_cast<std::size_t>(range[c].end);
      const double on_left = m < begin ? 0.0 : m < end ? left[m - begin] : mass.weight[c];
      const double on_right = m < begin ? mass.weight[c] : m < end ? right[m - begin] : 0.0;
      l += on_left * on_left;
      r += on_right * on_right;
      left += end - begin;
      right += end - begin;
    }
    return l / mass.left_sum[m] + r / mass.right_sum[m];
  }

  // ---- nominal columns

  void nominal(const HoeffdingColumns::Column& column) {
    if (params_.nominal == HoeffdingParams::Nominal::grouped) return grouped(column);
    const std::size_t k = block_.size(), values = column.values, all = k * values;
    const bool one = splits_off(params_, column);
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

  // masses [cut][class] of the first group, then of the second, then their sums, the classes and the whole, and x log x of all.
  void grouped(const HoeffdingColumns::Column& column) {
    const std::size_t k = block_.size();
    auto& order = work_.order;
    order.clear();
    double whole = 0;
    std::size_t most = 0;  // class
    for (std::size_t c = 0; c < k; ++c) {
      whole += block_[c][column.place];
      if (block_[c][column.place] > block_[most][column.place]) most = c;
    }
    const auto count = [&](std::size_t c, std::int32_t v) { return block_[c][column.place + 1 + static_cast<std::size_t>(v)]; };
    const auto of_value = [&](std::int32_t v) {
      double sum = 0;
      for (std::size_t c = 0; c < k; ++c) sum += count(c, v);
      return sum;
    };
    for (std::size_t v = 0; v < column.values; ++v)
      if (weighs(column, v)) order.push_back(static_cast<std::int32_t>(v));
    if (order.size() < 2) return;
    const auto rate = [&](std::int32_t v) { return count(most, v) / of_value(v); };
    std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
      const double x = rate(a), y = rate(b);
      return x != y ? x < y : a < b;
    });
    const std::size_t cuts = order.size() - 1, size = 2 * cuts * (k + 1) + k + 1;
    if (scratch_.size() < 2 * size) scratch_.resize(2 * size);
    double *low = scratch_.data(), *high = low + cuts * k, *low_sum = high + cuts * k, *high_sum = low_sum + cuts,
           *of_class = high_sum + cuts;
    of_class[k] = whole;
    for (std::size_t m = 0; m < cuts; ++m) {
      low_sum[m] = high_sum[m] = 0;
      for (std::size_t c = 0; c < k; ++c) {
        of_class[c] = block_[c][column.place];
        low[m * k + c] = (m > 0 ? low[(m - 1) * k + c] : 0.0) + count(c, order[m]);
        high[m * k + c] = std::max(of_class[c] - low[m * k + c], 0.0);
        low_sum[m] += low[m * k + c];
        high_sum[m] += high[m * k + c];
      }
    }
    const double* logs = low + size;
    if (!gini()) x_log_x_lanes(low, low + size, size);
    const auto of = [&](const double* mass) { return logs[mass - low]; };
    double before = 0;
    for (std::size_t c = 0; c < k; ++c) before += gini() ? of_class[c] * of_class[c] : of(of_class + c);
    before = gini() ? -before / (whole * whole) : (of(of_class + k) - before) / (whole * ln2);
    before -= gini() ? 0.0 : chance_ * (static_cast<double>(order.size()) - 2);
    SplitCandidate found;
    std::size_t where = 0;
    bool counts = false;
    for (std::size_t m = 0; m < cuts; ++m) {
      if (!(low_sum[m] > params_.min_branch * whole && high_sum[m] > params_.min_branch * whole)) continue;
      counts = true;
      double l = 0, h = 0;
      for (std::size_t c = 0; c < k; ++c) {
        const double *a = low + m * k + c, *b = high + m * k + c;
        l += gini() ? *a * *a : of(a);
        h += gini() ? *b * *b : of(b);
      }
      const double merit =
          before + (gini() ? (l / low_sum[m] + h / high_sum[m]) / whole : (l - of(low_sum + m) + h - of(high_sum + m)) / (whole * ln2));
      if (!(merit > found.merit + rounding)) continue;
      found = {merit, &column, SplitCandidate::group, 0};
      where = m;
    }
    if (ratio() && found.column != nullptr) found.merit /= (of(of_class + k) - of(low_sum + where) - of(high_sum + where)) / (whole * ln2);
    if (counts) enter(found);
    if (best.column != &column) return;
    const auto cut = order.begin() + static_cast<std::ptrdiff_t>(where) + 1;
    if (low_sum[where] > high_sum[where])
      work_.named.assign(cut, order.end());
    else
      work_.named.assign(order.begin(), cut);
    std::sort(work_.named.begin(), work_.named.end());
  }

  const HoeffdingParams& params_;
  const HoeffdingColumns& columns_;
  const std::vector<const double*>& block_;
  double chance_;
  SplitWork& work_;
  std::vector<double>& scratch_;
};

}  // namespace streamboost

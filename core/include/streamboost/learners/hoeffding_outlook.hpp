// Whether a leaf's attempt to split is in vain, seen with fewer digits. The exact search: hoeffding_split.hpp.
//
// Most attempts end without a split, because the best two columns gain nearly the same. That shows long before the last digit: merits by
// information gain are worked out in single precision, several points and columns at a time, to within `error`; a candidate that may
// lie on either side of min_branch counts in the upper estimate of its column only. With u the highest upper estimate,
// l1 and l2 the highest lower ones, and r the highest entropy of the columns not looked at yet, an attempt is in vain if
//
//   two columns have candidates that count,  u - l2 + 2 error <= bound  and  r - l1 + 2 error <= bound
//
// What is in doubt is searched exactly, so the trees are the same to the bit.
// Cost        columns x classes x points at a fraction of the exact search; columns go in groups, the last ones often need not be seen.
#pragma once
#include "streamboost/learners/hoeffding_outlook_kernels.hpp"
#include "streamboost/learners/hoeffding_split.hpp"

namespace streamboost {

class SplitOutlook {
 public:
  static constexpr double error = 1e-3;             // of a merit, in bits
  static constexpr std::size_t most_classes = 256;  // beyond, sums of single precision might exceed it

  struct Work {
    std::vector<double> numbers;
    std::vector<float> rough;
  };

  SplitOutlook(const HoeffdingParams& params, const HoeffdingColumns& columns, const std::vector<const double*>& block, Work& work)
      : params_(params), columns_(columns), block_(block), work_(work) {}

  // The merit of a column lies between these; lower < 0: it may have no candidate that counts.
  void enter(double lower, double upper) {
    highest_ = std::max(highest_, upper);
    if (lower < 0) return;
    ++counted_;
    second_ = std::max(second_, std::min(lower, first_));
    first_ = std::max(first_, lower);
  }

  void enter_nominal(const HoeffdingColumns::Column& column, double chance) {
    const std::size_t k = block_.size(), values = column.values, all = k * values, size = 2 * (all + values) + k;
    const bool multiway = params_.nominal != HoeffdingParams::Nominal::binary, one = SplitSearch::splits_off(params_, column);
    double whole = 0, entropy = 0, several = 0;
    for (const double* b : block_) whole += b[column.place];
    if (!(whole > 0)) return;
    work_.rough.resize(std::max(work_.rough.size(), 2 * size));
    float *count = work_.rough.data(), *rest = count + all, *of_value = rest + all, *others = of_value + values,
          *of_class = others + values;
    std::fill_n(of_value, values, 0.0f);
    for (std::size_t c = 0; c < k; ++c) {
      const double* seen = block_[c] + column.place + 1;
      of_class[c] = static_cast<float>(block_[c][column.place] / whole);
      for (std::size_t v = 0; v < values; ++v) {
        const auto share = static_cast<float>(seen[v] / whole);
        count[c * values + v] = share;
        rest[c * values + v] = std::max(of_class[c] - share, 0.0f);
        of_value[v] += share;
      }
    }
    for (std::size_t v = 0; v < values; ++v) others[v] = 1.0f - of_value[v];
    outlook_logs(count, count + size, size);
    const auto log_of = [&](const float* share) { return static_cast<double>(share[size]); };
    for (std::size_t c = 0; c < k; ++c) entropy -= log_of(of_class + c);
    double lower = -1, upper = -1;
    const auto offer = [&](double gain, bool surely, bool perhaps) {
      lower = surely ? std::max({lower, gain, 0.0}) : lower;
      upper = perhaps ? std::max({upper, gain, 0.0}) : upper;
    };
    int filled = 0, heavy = 0, perhaps_heavy = 0;
    for (std::size_t v = 0; v < values; ++v) {
      if (!(of_value[v] > 0)) continue;
      double mine = -log_of(of_value + v), apart = -log_of(others + v);
      for (std::size_t c = 0; c < k; ++c) {
        mine += log_of(count + c * values + v);
        apart += log_of(rest + c * values + v);
      }
      several += mine;
      ++filled;
      heavy += of_value[v] > params_.min_branch + doubt ? 1 : 0;
      perhaps_heavy += of_value[v] > params_.min_branch - doubt ? 1 : 0;
      const double lighter = std::min(of_value[v], others[v]);
      if (one) offer(entropy + mine + apart, lighter > params_.min_branch + doubt, lighter > params_.min_branch - doubt);
    }
    if (multiway) offer(entropy + several - chance * (filled - 2), heavy >= 2, perhaps_heavy >= 2);
    enter(lower, upper);
  }

  // Numeric columns beside those that were entered.
  bool in_vain(const std::int64_t* candidates, std::size_t n, double bound) {
    const std::size_t k = block_.size(), points = static_cast<std::size_t>(params_.split_points), most = std::min(group, n) * points;
    Columns all(n, k, work_);
    n = gather(candidates, n, all);
    if (n == 0) return enough(bound);
    work_.rough.resize(std::max(work_.rough.size(), (k + 1) * n + 5 * most + 2 * group));
    float *share = work_.rough.data(), *entropy = share + k * n, *z = entropy + n, *weight = z + most, *left = weight + most,
          *right = left + most, *inside = right + most, *lower = inside + most, *upper = lower + group;
    std::fill_n(entropy, n, 0.0f);
    for (std::size_t c = 0; c < k; ++c) outlook_shares(all.of(c), all.whole, share + c * n, entropy, n);
    for (std::size_t begin = 0; begin < n; begin += group) {
      const std::size_t size = std::min(group, n - begin);
      std::fill_n(left, size * points, 0.0f);
      std::fill_n(right, size * points, 0.0f);
      std::fill_n(inside, size * points, 0.0f);
      for (std::size_t c = 0; c < k; ++c) {
        outlook_positions(all.of(c).from(begin), all.low + begin, all.span + begin, points, size, z);
        for (std::size_t m = 0; m < points; ++m) std::copy_n(share + c * n + begin, size, weight + m * size);
        outlook_masses(z, weight, left, right, inside, size * points);
      }
      std::fill_n(lower, 2 * group, -1.0f);
      outlook_merits({left, right, inside}, entropy + begin, static_cast<float>(params_.min_branch), static_cast<float>(doubt), points,
                     size, lower, upper);
      for (std::size_t q = 0; q < size; ++q) enter(lower[q], upper[q]);
      const double rest = static_cast<double>(*std::max_element(entropy + begin + size - 1, entropy + n));
      if (enough(bound) && (begin + size == n || rest - first_ + 2 * error <= bound)) return true;
    }
    return false;
  }

 private:
  static constexpr std::size_t group = 16;
  static constexpr double doubt = 1e-4;  // of a share of the mass

  bool enough(double bound) const { return counted_ >= 2 && highest_ - second_ + 2 * error <= bound; }

  // Summaries of the classes, [class][number][column], and of all together.
  struct Columns {
    double *low, *span, *whole, *classes;
    std::size_t stride;
    Columns(std::size_t n, std::size_t k, Work& work) : stride(n) {
      work.numbers.resize(std::max(work.numbers.size(), (3 + 5 * k) * n));
      low = work.numbers.data();
      span = low + n;
      whole = span + n;
      classes = whole + n;
    }
    OutlookClass of(std::size_t c) const {
      double* at = classes + 5 * c * stride;
      return {at, at + stride, at + 2 * stride, at + 3 * stride, at + 4 * stride};
    }
  };

  // Columns with a value to choose; their number.
  std::size_t gather(const std::int64_t* candidates, std::size_t n, const Columns& all) const {
    std::size_t q = 0;
    for (std::size_t a = 0; a < n; ++a) {
      const std::size_t cell = columns_.all[static_cast<std::size_t>(candidates[a])].place;
      double low = 0, high = 0, mass = 0;
      for (std::size_t c = 0; c < block_.size(); ++c) {
        const double* b = block_[c];
        const OutlookClass mine = all.of(c);
        const double weight = mine.weight[q] = columns_.row(b, 2)[cell];
        mine.mean[q] = columns_.row(b, 0)[cell];
        mine.scale[q] = columns_.row(b, 3)[cell];
        const double lowest = mine.low[q] = columns_.row(b, 4)[cell], highest = mine.high[q] = columns_.row(b, 5)[cell];
        if (!(weight > 0)) continue;
        low = mass > 0 ? std::min(low, lowest) : lowest;
        high = mass > 0 ? std::max(high, highest) : highest;
        mass += weight;
      }
      if (!(low < high)) continue;
      all.low[q] = low;
      all.span[q] = high - low;
      all.whole[q++] = mass;
    }
    for (std::size_t c = 0; c < block_.size(); ++c) outlook_scales(all.of(c), q);
    return q;
  }

  const HoeffdingParams& params_;
  const HoeffdingColumns& columns_;
  const std::vector<const double*>& block_;
  Work& work_;
  double highest_ = 0, first_ = 0, second_ = 0;
  int counted_ = 0;
};

}  // namespace streamboost

// Whether a leaf's attempt to split is in vain, seen with fewer digits. The exact search: hoeffding_split.hpp.
//
// Most attempts end without a split, because the best two columns gain nearly the same. That shows long before the last digit: merits of
// numeric columns by information gain are worked out in single precision, several points and columns at a time, to within `error`; a
// point that may lie on either side of min_branch counts in the upper estimate of its column only. With u the highest upper estimate,
// l1 and l2 the highest lower ones, and r the highest entropy of the columns not looked at yet, an attempt is in vain if
//
//   two columns have candidates that count,  u - l2 + 2 error <= bound  and  r - l1 + 2 error <= bound
//
// What is in doubt is searched exactly, so the trees are the same to the bit.
// Cost        columns x classes x points at a fraction of the exact search; columns go in groups, the last ones often need not be seen.
#pragma once
#include "streamboost/learners/hoeffding_split.hpp"

namespace streamboost {

class SplitOutlook {
 public:
  static constexpr double error = 1e-3;  // of a merit, in bits

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

  // Numeric columns beside those that were entered.
  bool in_vain(const std::int64_t* candidates, std::size_t n, double bound) {
    const std::size_t k = block_.size(), points = static_cast<std::size_t>(params_.split_points), most = std::min(group, n) * points;
    Columns all(n, k, work_);
    n = gather(candidates, n, all);
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
      outlook_merits({left, right, inside}, entropy + begin, static_cast<float>(params_.min_branch), points, size, lower, upper);
      for (std::size_t q = 0; q < size; ++q) enter(lower[q], upper[q]);
      const double rest = static_cast<double>(*std::max_element(entropy + begin + size - 1, entropy + n));
      if (counted_ >= 2 && highest_ - second_ + 2 * error <= bound && (begin + size == n || rest - first_ + 2 * error <= bound))
        return true;
    }
    return false;
  }

 private:
  static constexpr std::size_t group = 16;

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

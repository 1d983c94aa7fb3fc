// Running scales of numeric columns. A value is scaled by statistics that include it: stored when its row is learned, transient when
// it is only asked about, so one ask serves answering and learning. Every row counts once, whatever its weight: what a model
// answers before learning a row does not depend on how much the row will weigh.
//
//   maxabs    x / max |x|                        standard   (x - mean) / sd, on CSR x / sd (centring would fill the zeros)
//   unit      (x - min) / (max - min), 0 while all values are equal; on CSR x / (max - min) with 0 in the range
//   automatic dense: a column that has shown 0 and at most one other value is an indicator, x / |that value|, never centred (zeros
//             stay free); any other (x - mean) / sd, values beyond `clip` sd pulled in from the 20th on; on CSR x / max |x|
//
// A CSR column is updated only when it occurs; under "standard" the rows it missed enter as zeros just before (exact merge of moments).
#pragma once
#include <algorithm>
#include <cmath>

#include "streamboost/data/fields.hpp"
#include "streamboost/data/intake_needs.hpp"
#include "streamboost/run/intake_kernels.hpp"

namespace streamboost {

class Scaler {
 public:
  Scaler() = default;
  Scaler(Scale scale, double clip) : scale_(scale), clip_(clip) {}

  void reserve(std::size_t d) {
    if (scale_ == Scale::none) return;
    if (scale_ == Scale::unit) {
      lowest_.resize(d, 1.0);
      highest_.resize(d, -1.0);
      return;
    }
    largest_.resize(d);
    if (scale_ == Scale::maxabs) return;
    count_.resize(d);
    mean_.resize(d);
    spread_.resize(d);
    if (scale_ == Scale::standard) return;
    first_.resize(d);
    many_.resize(d);
  }

  // `keep` is this object when the statistics are to be stored; n_rows: rows stored before this one.
  double scale(std::size_t j, double x, bool dense, double n_rows, Scaler* keep) const {
    switch (scale_) {
      case Scale::none:
        return x;
      case Scale::unit:
        return unit(j, x, dense, keep);
      case Scale::automatic:
        if (dense) {
          double scaled;
          standardise(cells(j, keep), &x, clip_, &scaled, 1);
          return scaled;
        }
        [[fallthrough]];
      case Scale::maxabs: {
        const double largest = widest(j, x, keep);
        return largest > 0 ? x / largest : 0.0;
      }
      case Scale::standard:
        return standard(j, x, dense, n_rows, keep);
    }
    return x;
  }

  // The values of a sparse row of numbers; missing values become 0.
  void scale_list(const double* x, const std::int32_t* column, std::size_t n, double* scaled, double n_rows, Scaler* keep) const {
    if (scale_ != Scale::automatic && scale_ != Scale::maxabs) {
      for (std::size_t i = 0; i < n; ++i)
        scaled[i] = std::isnan(x[i]) ? 0.0 : scale(static_cast<std::size_t>(column[i]), x[i], false, n_rows, keep);
      return;
    }
    for (std::size_t i = 0; i < n; ++i) {
      const auto j = static_cast<std::size_t>(column[i]);
      const double size = std::fabs(x[i]), largest = size > largest_[j] ? size : largest_[j];  // NaN is not larger
      if (keep) keep->largest_[j] = largest;
      scaled[i] = largest > 0 && x[i] == x[i] ? x[i] / largest : 0.0;
    }
  }

  // All columns of a dense row without nominal ones; missing values become 0.
  void scale_row(const double* x, std::size_t d, double* scaled, double n_rows, Scaler* keep) const {
    if (scale_ == Scale::automatic) return standardise(cells(0, keep), x, clip_, scaled, d);
    if (scale_ == Scale::none) {
      for (std::size_t j = 0; j < d; ++j) scaled[j] = x[j] == x[j] ? x[j] : 0.0;
      return;
    }
    for (std::size_t j = 0; j < d; ++j) scaled[j] = std::isnan(x[j]) ? 0.0 : scale(j, x[j], true, n_rows, keep);
  }

  void fields(FieldVisitor& v) {
    v("largest", largest_);
    v("weight", count_);
    v("mean", mean_);
    v("spread", spread_);
    if (scale_ == Scale::unit) {
      v("lowest", lowest_);
      v("highest", highest_);
    }
    if (scale_ == Scale::automatic) {
      v("first", first_);
      v("many", many_);
    }
  }
  void check() const {
    for (double x : largest_) require(x >= 0, "scaling range");
    for (double x : count_) require(x >= 0, "scaling weight");
    for (double x : spread_) require(x >= 0, "scaling spread");
    for (double x : many_) require(x == 0 || x == 1, "scaling flag");
  }

 private:
  struct Moments {
    double count, mean, spread;  // spread = sum of squared deviations
    void add(double x) {
      count += 1;
      const double deviation = x - mean;
      mean += deviation * (1 / count);
      spread += deviation * (x - mean);
    }
    void add_zeros(double n) {
      if (n <= 0) return;
      const double sum = count + n;
      spread += mean * mean * (count / sum) * n;
      mean *= count / sum;
      count = sum;
    }
    double deviation() const { return std::sqrt(spread / count); }
  };

  double widest(std::size_t j, double x, Scaler* keep) const {
    const double largest = std::max(largest_[j], std::fabs(x));
    if (keep) keep->largest_[j] = largest;
    return largest;
  }

  double unit(std::size_t j, double x, bool dense, Scaler* keep) const {
    const bool first = lowest_[j] > highest_[j];
    double low = first ? x : std::min(lowest_[j], x), high = first ? x : std::max(highest_[j], x);
    if (!dense) {  // zeros must stay zeros: the range begins there
      low = std::min(low, 0.0);
      high = std::max(high, 0.0);
    }
    if (keep) {
      keep->lowest_[j] = low;
      keep->highest_[j] = high;
    }
    const double range = 0.5 * high - 0.5 * low;  // halves: the difference itself may overflow
    if (!(range > 0)) return 0;
    return (dense ? 0.5 * x - 0.5 * low : 0.5 * x) / range;
  }

  double standard(std::size_t j, double x, bool dense, double n_rows, Scaler* keep) const {
    const double largest = widest(j, x, keep);
    Moments m{count_[j], mean_[j], spread_[j]};
    if (!dense) m.add_zeros(n_rows - m.count);
    m.add(x);
    if (keep) {
      keep->count_[j] = m.count;
      keep->mean_[j] = m.mean;
      keep->spread_[j] = m.spread;
    }
    const double deviation = m.deviation();
    // A column without spread says nothing; rounding alone must not blow it up.
    if (!(deviation > 1e-12 * largest)) return 0;
    return (dense ? x - m.mean : x) / deviation;
  }

  ColumnMoments cells(std::size_t j, Scaler* keep) const {
    ColumnMoments m{count_.data() + j, mean_.data() + j, spread_.data() + j, first_.data() + j, many_.data() + j, {}};
    if (keep)
      m.keep = {keep->count_.data() + j, keep->mean_.data() + j, keep->spread_.data() + j, keep->first_.data() + j, keep->many_.data() + j};
    return m;
  }

  Scale scale_ = Scale::none;
  double clip_ = 0;
  AlignedVector<double> largest_, count_, mean_, spread_;
  AlignedVector<double> lowest_, highest_;  // of Scale::unit; lowest > highest: nothing seen
  AlignedVector<double> first_, many_;      // of Scale::automatic: the first value that is not 0 (0: none yet), whether there is another
};

}  // namespace streamboost

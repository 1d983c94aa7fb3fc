// Intake: the first stage of every example, once for all lanes.
//
// It counts examples and known classes and makes the view of a row that the bank asked for:
//   raw          the columns as they came (nominal columns hold codes, NaN is missing); CSR made dense if the bank needs it
//   coordinates  what a linear learner sees: numeric columns scaled, nominal columns one-hot, an intercept, all divided by
//                R = sqrt(d0 + 1), so that features in [-1, 1] give rows in the unit ball. Missing values are absent (0).
//
// Scaling uses running statistics that include the row itself, stored when the row is learned and transient otherwise, so
// one ask serves answering and learning:
//   maxabs    x / max |x|                        standard   (x - mean) / sd, on CSR x / sd (centring would fill the zeros)
//   unit      (x - min) / (max - min), 0 while all values are equal; on CSR x / (max - min) with 0 in the range
// A CSR column is updated only when it occurs; the weight it missed enters as zeros just before (exact merge of moments).
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "streamboost/run/fields.hpp"
#include "streamboost/run/row.hpp"
#include "streamboost/run/schema.hpp"

namespace streamboost {

enum class Scale { none, maxabs, standard, unit };

struct IntakeNeeds {
  bool coordinates = false;
  bool dense = true;
  bool fit_intercept = true;  // with coordinates
  Scale scale = Scale::none;  // with coordinates
  bool unit_ball = true;      // with coordinates: divide by R
};

// Buffers that keep the views of a chunk of rows alive while blocks of lanes work on them.
struct RowBuffer {
  AlignedVector<double> value;
  std::vector<std::int32_t> index;
};

class Intake {
 public:
  explicit Intake(IntakeNeeds needs) : needs_(needs) {}

  void reserve(const Schema& schema) {
    schema.require_growth_from(schema_);
    if (schema_.width() == 0) schema_.first_width = schema.first_width;
    const int first_width = schema_.first_width;
    schema_ = schema;
    schema_.first_width = first_width;
    layout_ = ColumnLayout(schema_, needs_.fit_intercept ? 1 : 0);
    inverse_radius_ = needs_.unit_ball ? 1.0 / std::sqrt(first_width + 1.0) : 1.0;
    if (schema_.declared) n_classes_known_ = schema_.n_classes;
    if (needs_.coordinates && needs_.scale != Scale::none) {
      const auto d = static_cast<std::size_t>(schema_.width());
      if (needs_.scale == Scale::unit) {
        lowest_.resize(d, 1.0);
        highest_.resize(d, -1.0);
        return;
      }
      largest_.resize(d);
      if (needs_.scale == Scale::standard) {
        weight_.resize(d);
        mean_.resize(d);
        spread_.resize(d);
      }
    }
  }

  const Schema& schema() const { return schema_; }
  std::int64_t n_learned() const { return n_learned_; }
  int n_classes_known() const { return static_cast<int>(n_classes_known_); }

  // The example with its view of the row; the view lives in `buffer` or in the block itself. Learning rows move the statistics.
  Example admit(const Row& raw, int label, double weight, bool learns, RowBuffer& buffer) {
    Example example = describe(label, weight);
    example.row = needs_.coordinates ? coordinates(raw, learns ? weight : 1.0, learns ? this : nullptr, buffer) : columns(raw, buffer);
    if (learns) {
      n_learned_ += 1;
      total_weight_[0] += weight;
      n_classes_known_ = std::max<std::int64_t>(n_classes_known_, label + 1);
    }
    return example;
  }
  Example look(const Row& raw, RowBuffer& buffer) const {
    Example example = describe(-1, 0.0);
    example.row = needs_.coordinates ? coordinates(raw, 1.0, nullptr, buffer) : columns(raw, buffer);
    return example;
  }

  // So that no view of a row allocates.
  void make_room(RowBuffer& buffer) const {
    const auto most = static_cast<std::size_t>(schema_.width()) + 1;
    buffer.value.reserve(most);
    if (needs_.coordinates) buffer.index.reserve(most);
  }

  void fields(FieldVisitor& v) {
    v("n_learned", n_learned_);
    v("n_classes_known", n_classes_known_);
    v("total_weight", total_weight_);
    v("largest", largest_);
    v("weight", weight_);
    v("mean", mean_);
    v("spread", spread_);
    if (needs_.scale != Scale::unit) return;
    v("lowest", lowest_);
    v("highest", highest_);
  }
  void check() const {
    require(n_learned_ >= 0 && n_learned_ <= (std::int64_t{1} << 53), "examples learned");
    require(n_classes_known_ >= (n_learned_ > 0 ? 1 : 0) && n_classes_known_ <= schema_.n_classes, "classes known");
    require(!schema_.declared || n_classes_known_ == schema_.n_classes, "classes known");
    require(total_weight_[0] >= 0, "intake weight");
    for (double x : largest_) require(x >= 0, "scaling range");
    for (double x : weight_) require(x >= 0, "scaling weight");
    for (double x : spread_) require(x >= 0, "scaling spread");
  }

 private:
  struct Moments {
    double weight, mean, spread;  // spread = sum of weighted squared deviations
    void add(double x, double w) {
      weight += w;
      const double deviation = x - mean;
      mean += deviation * (w / weight);
      spread += w * deviation * (x - mean);
    }
    void add_zeros(double w) {
      if (w <= 0) return;
      const double sum = weight + w;
      spread += mean * mean * (weight / sum) * w;
      mean *= weight / sum;
      weight = sum;
    }
    double deviation() const { return std::sqrt(spread / weight); }
  };

  Example describe(int label, double weight) const {
    Example e;
    e.label = label;
    e.weight = weight;
    e.number = n_learned_;
    e.n_classes = n_classes_known();
    e.n_classes_after = std::max(e.n_classes, label + 1);
    return e;
  }

  Row columns(const Row& raw, RowBuffer& buffer) const {
    if (raw.dense() || !needs_.dense) return raw;
    buffer.value.assign(static_cast<std::size_t>(schema_.width()), 0.0);
    for (int i = 0; i < raw.size; ++i) buffer.value[static_cast<std::size_t>(raw.index[i])] = raw.value[i];
    return {buffer.value.data(), nullptr, schema_.width(), 0};
  }

  // `keep` is this object when the statistics are to be stored.
  Row coordinates(const Row& raw, double weight, Intake* keep, RowBuffer& buffer) const {
    const bool list = !raw.dense() || schema_.any_nominal();
    const auto capacity = static_cast<std::size_t>(raw.size) + 1;
    buffer.value.resize(list ? capacity : std::max(capacity, layout_.rows()));
    if (list) buffer.index.resize(capacity);
    int n = 0;
    double norm = 0;
    const auto put = [&](std::size_t coordinate, double x) {
      buffer.value[static_cast<std::size_t>(n)] = x;
      if (list) buffer.index[static_cast<std::size_t>(n)] = static_cast<std::int32_t>(coordinate);
      norm += x * x;
      ++n;
    };
    if (needs_.fit_intercept) put(0, inverse_radius_);
    for (int i = 0; i < raw.size; ++i) {
      const int j = raw.column(i);
      const auto column = static_cast<std::size_t>(j);
      const double x = raw.value[i];
      if (schema_.nominal(j)) {
        if (x >= 0 && x < static_cast<double>(schema_.n_values[column]))
          put(layout_.offset[column] + static_cast<std::size_t>(x), inverse_radius_);
        continue;
      }
      const double scaled = std::isnan(x) ? 0.0 : scale(column, x, weight, raw.dense(), keep) * inverse_radius_;
      if (!list || scaled != 0) put(layout_.offset[column], scaled);
    }
    return {buffer.value.data(), list ? buffer.index.data() : nullptr, n, norm};
  }

  double scale_unit(std::size_t j, double x, bool dense, Intake* keep) const {
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
  double scale(std::size_t j, double x, double w, bool dense, Intake* keep) const {
    if (needs_.scale == Scale::none) return x;
    if (needs_.scale == Scale::unit) return scale_unit(j, x, dense, keep);
    const double largest = std::max(largest_[j], std::fabs(x));
    if (keep) keep->largest_[j] = largest;
    if (needs_.scale == Scale::maxabs) return largest > 0 ? x / largest : 0.0;
    Moments m{weight_[j], mean_[j], spread_[j]};
    if (!dense) m.add_zeros(total_weight_[0] - m.weight);
    m.add(x, w);
    if (keep) {
      keep->weight_[j] = m.weight;
      keep->mean_[j] = m.mean;
      keep->spread_[j] = m.spread;
    }
    const double deviation = m.deviation();
    // A column without spread says nothing; rounding alone must not blow it up.
    if (!(deviation > 1e-12 * largest)) return 0;
    return (dense ? x - m.mean : x) / deviation;
  }

  IntakeNeeds needs_;
  Schema schema_;
  ColumnLayout layout_;
  double inverse_radius_ = 1;
  std::int64_t n_learned_ = 0, n_classes_known_ = 0;
  AlignedVector<double> total_weight_{0.0};
  AlignedVector<double> largest_, weight_, mean_, spread_;
  AlignedVector<double> lowest_, highest_;  // of Scale::unit; lowest > highest: nothing seen
};

}  // namespace streamboost

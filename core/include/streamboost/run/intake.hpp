// Intake: the first stage of every example, once for all lanes.
//
// It counts examples and known classes and makes the view of a row that the bank asked for:
//   raw          the columns as they came (nominal columns hold codes, NaN is missing); CSR made dense if the bank needs it
//   coordinates  what a linear learner sees: numeric columns scaled (scaler.hpp), nominal columns one-hot, an intercept. With
//                unit_ball all divided by R = sqrt(d0 + 1), so that features in [-1, 1] give rows in the unit ball; with rates each
//                coordinate gets a rate (column_rates.hpp). Missing values are absent (0).
//
// Statistics include the row itself, stored when the row is learned and transient otherwise. Rows that nobody has labelled move them as
// well where `unlabeled` asks for it.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "streamboost/data/example.hpp"
#include "streamboost/data/fields.hpp"
#include "streamboost/data/intake_needs.hpp"
#include "streamboost/data/row.hpp"
#include "streamboost/data/schema.hpp"
#include "streamboost/run/column_rates.hpp"
#include "streamboost/run/scaler.hpp"

namespace streamboost {

class Intake {
 public:
  explicit Intake(IntakeNeeds needs) : needs_(needs), scaler_(needs.scale, needs.clip), rates_(needs.rate, needs.squared_slope) {}

  void reserve(const Schema& schema) {
    schema.require_growth_from(schema_);
    if (schema_.width() == 0) schema_.first_width = schema.first_width;
    const int first_width = schema_.first_width;
    schema_ = schema;
    schema_.first_width = first_width;
    const ColumnLayout before = layout_;
    layout_ = ColumnLayout(schema_, needs_.fit_intercept ? 1 : 0);
    inverse_radius_ = needs_.unit_ball ? 1.0 / std::sqrt(first_width + 1.0) : 1.0;
    any_nominal_ = schema_.any_nominal();
    if (schema_.declared) n_classes_known_ = schema_.n_classes;
    if (!needs_.coordinates) return;
    scaler_.reserve(static_cast<std::size_t>(schema_.width()));
    if (needs_.rates) rates_.reserve(before, layout_);
  }

  const Schema& schema() const { return schema_; }
  std::int64_t n_learned() const { return n_learned_; }
  std::int64_t n_seen() const { return n_learned_ + n_unlabeled_; }  // those that have moved the statistics
  bool counts_unlabeled() const { return needs_.unlabeled; }
  // Of another intake of the same rows.
  void count_like(const Intake& other) {
    n_learned_ = other.n_learned_;
    n_unlabeled_ = other.n_unlabeled_;
    n_classes_known_ = other.n_classes_known_;
  }
  int n_classes_known() const { return static_cast<int>(n_classes_known_); }

  // Makes the example with its view of the row; the view lives in `buffer` or in the block itself. Rows with a weight are learned. All is
  // written to its place number by number: a processor that copies what was just written in smaller pieces waits for all of them.
  void admit(const Row& raw, int label, double weight, bool unlabeled, RowBuffer& buffer, Example& example) {
    const bool learns = weight > 0, counts = !learns && unlabeled && needs_.unlabeled;
    describe(label, weight, example);
    view(raw, learns, learns || counts ? this : nullptr, buffer, example.row);
    n_unlabeled_ += counts ? 1 : 0;
    if (learns) {
      n_learned_ += 1;
      n_classes_known_ = std::max<std::int64_t>(n_classes_known_, label + 1);
    }
  }
  // taught: the row will be taught again and again (a batch phase), and needs its rates.
  void look(const Row& raw, RowBuffer& buffer, Example& example, bool taught = false) const {
    describe(-1, 0.0, example);
    view(raw, taught, nullptr, buffer, example.row);
  }

  // So that no view of a row allocates.
  void make_room(RowBuffer& buffer) const {
    if (!needs_.dense && !needs_.coordinates) return;
    const auto most = static_cast<std::size_t>(schema_.width()) + 1;
    buffer.value.reserve(most);
    if (needs_.coordinates) buffer.index.reserve(most);
    if (needs_.rates) buffer.teach.reserve(2 * most);
  }

  std::size_t unsaved_bytes() const { return (schema_.n_values.size() + layout_.offset.size()) * 8; }
  void fields(FieldVisitor& v) {
    v("n_learned", n_learned_);
    v("n_classes_known", n_classes_known_);
    if (needs_.unlabeled) v("n_unlabeled", n_unlabeled_);
    scaler_.fields(v);
    if (needs_.rates) rates_.fields(v);
  }
  void check() const {
    require_count(n_learned_, "examples learned");
    require_count(n_unlabeled_, "rows without labels");
    require(n_classes_known_ >= (n_learned_ > 0 ? 1 : 0) && n_classes_known_ <= schema_.n_classes, "classes known");
    require(!schema_.declared || n_classes_known_ == schema_.n_classes, "classes known");
    scaler_.check();
    if (needs_.rates) rates_.check();
  }

 private:
  void describe(int label, double weight, Example& e) const {
    e.label = label;
    e.facts = nullptr;
    e.target = 0;
    e.weight = weight;
    e.number = n_learned_;
    e.n_classes = n_classes_known();
    e.n_classes_after = std::max(e.n_classes, label + 1);
  }
  static void put(Row& row, const double* value, const std::int32_t* index, std::size_t size) {
    row.value = value;
    row.index = index;
    row.size = static_cast<int>(size);
  }

  // `keep` is this object when the statistics are to be stored.
  void view(const Row& raw, bool taught, Intake* keep, RowBuffer& buffer, Row& row) const {
    row.squared_norm = row.n_rows = 0;
    row.teach = nullptr;
    row.words = nullptr;
    if (needs_.coordinates) return coordinates(raw, taught, keep, buffer, row);
    if (raw.dense() || !needs_.dense) {
      put(row, raw.value, raw.index, static_cast<std::size_t>(raw.size));
      row.words = raw.words;
      return;
    }
    buffer.value.assign(static_cast<std::size_t>(schema_.width()), 0.0);
    for (int i = 0; i < raw.size; ++i) buffer.value[static_cast<std::size_t>(raw.index[i])] = raw.value[i];
    put(row, buffer.value.data(), nullptr, buffer.value.size());
  }

  void coordinates(const Row& raw, bool taught, Intake* keep, RowBuffer& buffer, Row& row) const {
    if (any_nominal_)
      listed(raw, keep, buffer, row);
    else if (raw.dense())
      whole(raw, keep, buffer, row);
    else
      sparse(raw, keep, buffer, row);
    if (!needs_.rates) {
      double sum = 0;
      for (int i = 0; i < row.size; ++i) sum += row.value[i] * row.value[i];
      row.squared_norm = sum;
    } else if (taught) {
      rates_.rate(row, static_cast<double>(n_learned_ + 1), buffer.teach, keep ? &keep->rates_ : nullptr);
    }
  }

  // A dense row of numbers: all of its coordinates in order, or, where many are 0 (indicators, missing values), a list of the others.
  void whole(const Row& raw, Intake* keep, RowBuffer& buffer, Row& row) const {
    const std::size_t first = needs_.fit_intercept ? 1 : 0, n = static_cast<std::size_t>(raw.size) + first;
    buffer.value.resize(std::max(n, layout_.rows()));
    double* value = buffer.value.data();
    if (needs_.fit_intercept) value[0] = 1;
    scaler_.scale_row(raw.value, static_cast<std::size_t>(raw.size), value + first, static_cast<double>(n_seen()),
                      keep ? &keep->scaler_ : nullptr);
    const double shrink = inverse_radius_;
    std::size_t zeros = 0;
    for (std::size_t i = 0; i < n; ++i) {
      value[i] *= shrink;
      zeros += value[i] == 0 ? std::size_t{1} : std::size_t{0};
    }
    if (4 * zeros < n) return put(row, value, nullptr, n);
    put(row, value, list_nonzeros(value, n, buffer), n - zeros);
  }

  // A coordinate of 0 says and learns nothing, and every lane would pass it twice.
  static const std::int32_t* list_nonzeros(double* value, std::size_t n, RowBuffer& buffer) {
    buffer.index.resize(n + 1);  // even a row of zeros must not pass for a dense one
    std::int32_t* index = buffer.index.data();
    for (std::size_t i = 0, kept = 0; i < n; ++i) {
      value[kept] = value[i];
      index[kept] = static_cast<std::int32_t>(i);
      kept += value[i] != 0 ? 1 : 0;
    }
    return index;
  }

  // A sparse row of numbers.
  void sparse(const Row& raw, Intake* keep, RowBuffer& buffer, Row& row) const {
    const std::size_t first = needs_.fit_intercept ? 1 : 0, n = static_cast<std::size_t>(raw.size);
    buffer.value.resize(n + 1);
    buffer.index.resize(n + 1);
    double* value = buffer.value.data();
    std::int32_t* index = buffer.index.data();
    scaler_.scale_list(raw.value, raw.index, n, value + first, static_cast<double>(n_seen()), keep ? &keep->scaler_ : nullptr);
    if (needs_.fit_intercept) {
      value[0] = inverse_radius_;
      index[0] = 0;
    }
    std::size_t kept = first;
    for (std::size_t i = 0; i < n; ++i) {
      const double x = value[first + i];
      value[kept] = x * inverse_radius_;
      index[kept] = raw.index[i] + static_cast<std::int32_t>(first);  // each column has one coordinate
      kept += x != 0 ? 1 : 0;
    }
    put(row, value, index, kept);
  }

  // A row with nominal columns: the coordinates that are not 0.
  void listed(const Row& raw, Intake* keep, RowBuffer& buffer, Row& row) const {
    const auto capacity = static_cast<std::size_t>(raw.size) + 1;
    buffer.value.resize(capacity);
    if (buffer.index.size() < capacity) buffer.index.resize(capacity);
    std::size_t n = 0;
    const auto add = [&](std::size_t coordinate, double x) {
      buffer.value[n] = x * inverse_radius_;
      buffer.index[n++] = static_cast<std::int32_t>(coordinate);
    };
    if (needs_.fit_intercept) add(0, 1);
    for (int i = 0; i < raw.size; ++i) {
      const int j = raw.column(i);
      const auto column = static_cast<std::size_t>(j);
      const double x = raw.value[i];
      if (schema_.nominal(j)) {
        if (x >= 0 && x < static_cast<double>(schema_.n_values[column])) add(layout_.offset[column] + static_cast<std::size_t>(x), 1);
        continue;
      }
      if (std::isnan(x)) continue;
      const double scaled = scaler_.scale(column, x, raw.dense(), static_cast<double>(n_seen()), keep ? &keep->scaler_ : nullptr);
      if (scaled != 0) add(layout_.offset[column], scaled);
    }
    put(row, buffer.value.data(), buffer.index.data(), n);
  }

  IntakeNeeds needs_;
  Schema schema_;
  ColumnLayout layout_;
  Scaler scaler_;
  ColumnRates rates_;
  double inverse_radius_ = 1;
  bool any_nominal_ = false;
  std::int64_t n_learned_ = 0, n_unlabeled_ = 0, n_classes_known_ = 0;
};

}  // namespace streamboost

// Examples as they reach the lanes: one row, its label, its weight, its number.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>

namespace streamboost {

// A view of one row. Dense: value[0 .. size). Sparse: value[i] belongs to column index[i], indices ascending, absent = 0.
// NaN is a missing value. In the coordinates view of Intake (linear banks) nothing is missing.
inline constexpr std::int32_t no_column = -1;  // what the index of an empty sparse row points to

struct Row {
  const double* value = nullptr;
  const std::int32_t* index = nullptr;  // null: dense
  int size = 0;
  // Filled by Intake in the coordinates view:
  double squared_norm = 0;        // sum of the squares; with rates the sum of value * teach
  const double* teach = nullptr;  // with rates: what a step adds, each value times the rate of its coordinate; only in rows to learn
  double n_rows = 0;              // with rates: rows counted, this one included

  bool dense() const { return index == nullptr; }
  int column(int i) const { return index ? index[i] : i; }
  // Of any column: 0 where a sparse row has none, missing beyond a dense one.
  double cell(int j) const {
    if (dense()) return j < size ? value[j] : std::numeric_limits<double>::quiet_NaN();
    const std::int32_t* at = std::lower_bound(index, index + size, j);
    return at != index + size && *at == j ? value[at - index] : 0.0;
  }
};

struct Example {
  Row row;
  int label = -1;           // internal code; -1: not given; 0 where a number is to be learned
  double target = 0;        // the number to be learned, of models that answer numbers
  double weight = 1;        // sample weight s; 0: answered, never learned
  std::int64_t number = 0;  // examples learned before this one; keys every draw
  int n_classes = 0;        // classes known when it arrives: answers range over these
  int n_classes_after = 0;  // the same once its own label is learned
};

// One label for all lanes, or one per lane (multiclass boosters teach each lane its own target).
struct Labels {
  int common = -1;
  const std::int32_t* per_lane = nullptr;
  const double* target = nullptr;  // [lane], of a regressor: the number that the lane should have answered
  int of(int lane) const { return per_lane ? per_lane[lane] : common; }
};

// What there is to learn about a block of rows: a label each, or a number each.
struct Truth {
  const std::int32_t* label = nullptr;
  const double* target = nullptr;
  Truth(const std::int32_t* labels) : label(labels) {}
  static Truth of_numbers(const double* targets) {
    Truth truth(nullptr);
    truth.target = targets;
    return truth;
  }
  Truth from(int row) const {
    Truth rest = *this;
    if (label) rest.label += row;
    if (target) rest.target += row;
    return rest;
  }
};

// A block of raw rows as it comes from outside: dense row-major, or CSR.
struct RowBlock {
  int n_rows = 0;
  int n_columns = 0;
  const double* values = nullptr;
  const std::int64_t* row_start = nullptr;  // CSR when set: n_rows + 1 offsets into values and columns
  const std::int32_t* columns = nullptr;

  // Rows first .. first + n of this block.
  RowBlock part(int first, int n) const {
    RowBlock part = *this;
    part.n_rows = n;
    if (row_start != nullptr)
      part.row_start = row_start + first;
    else
      part.values = values + static_cast<std::int64_t>(first) * n_columns;
    return part;
  }
  Row row(int r) const {
    if (row_start == nullptr) return {values + static_cast<std::int64_t>(r) * n_columns, nullptr, n_columns};
    // Without a single value the arrays may be null, and yet the row is not dense: it is all zeros.
    const auto size = static_cast<int>(row_start[r + 1] - row_start[r]);
    if (size == 0) return {nullptr, &no_column, 0};
    return {values + row_start[r], columns + row_start[r], size};
  }
};

}  // namespace streamboost

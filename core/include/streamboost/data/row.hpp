// Views of rows: one row, a row as kernels take it, a block of rows as it comes from outside.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <string_view>

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
  // The cells of the columns that hold words (data/schema.hpp), in the order of these columns; data() is null where one is missing.
  const std::string_view* words = nullptr;

  bool dense() const { return index == nullptr; }
  int column(int i) const { return index ? index[i] : i; }
  // Of any column: 0 where a sparse row has none, missing beyond a dense one.
  double cell(int j) const {
    if (dense()) return j < size ? value[j] : std::numeric_limits<double>::quiet_NaN();
    const std::int32_t* at = std::lower_bound(index, index + size, j);
    return at != index + size && *at == j ? value[at - index] : 0.0;
  }
};

// A row as kernels take it: x[i] belongs to table row index[i], or i if index is null.
struct Entries {
  const double* x;
  const std::int32_t* index;
  int n;
};

// A block of raw rows as it comes from outside: dense row-major, or CSR. A cell of words is missing among the values.
struct RowBlock {
  int n_rows = 0;
  int n_columns = 0;
  const double* values = nullptr;
  const std::int64_t* row_start = nullptr;  // CSR when set: n_rows + 1 offsets into values and columns
  const std::int32_t* columns = nullptr;
  const std::string_view* words = nullptr;  // [row][column of words]; null: there are none
  int n_words = 0;
  const double* lags = nullptr;  // [row][lag]: in the place of those that the model has (run/lagged_model.hpp); null: there are none
  int n_lags = 0;

  // Rows first .. first + n of this block.
  RowBlock part(int first, int n) const {
    RowBlock part = *this;
    part.n_rows = n;
    if (row_start != nullptr)
      part.row_start = row_start + first;
    else
      part.values = values + static_cast<std::int64_t>(first) * n_columns;
    if (words != nullptr) part.words = words + static_cast<std::int64_t>(first) * n_words;
    if (lags != nullptr) part.lags = lags + static_cast<std::int64_t>(first) * n_lags;
    return part;
  }
  Row row(int r) const {
    Row row = cells(r);
    if (words != nullptr) row.words = words + static_cast<std::int64_t>(r) * n_words;
    return row;
  }

 private:
  Row cells(int r) const {
    if (row_start == nullptr) return {values + static_cast<std::int64_t>(r) * n_columns, nullptr, n_columns};
    // Without a single value the arrays may be null, and yet the row is not dense: it is all zeros.
    const auto size = static_cast<int>(row_start[r + 1] - row_start[r]);
    if (size == 0) return {nullptr, &no_column, 0};
    return {values + row_start[r], columns + row_start[r], size};
  }
};

}  // namespace streamboost

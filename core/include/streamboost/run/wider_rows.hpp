// A copy of a block of rows with further columns before their own. lagged_model.hpp puts past targets there, pooled_model.hpp what
// the other experts said.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "streamboost/data/row.hpp"
#include "streamboost/data/schema.hpp"

namespace streamboost {

class WiderRows {
 public:
  // For parts of `rows` of up to so many rows: `take` does not allocate.
  WiderRows(const RowBlock& rows, int more, int most_rows) : more_(more) {
    const auto own = static_cast<std::size_t>(more) * static_cast<std::size_t>(most_rows);
    std::size_t cells = 0;
    if (rows.row_start == nullptr) {
      cells = static_cast<std::size_t>(rows.n_columns) * static_cast<std::size_t>(most_rows);
    } else {
      for (int first = 0; first < rows.n_rows; first += most_rows)
        cells = std::max(cells, static_cast<std::size_t>(rows.row_start[std::min(first + most_rows, rows.n_rows)] - rows.row_start[first]));
      column_.reserve(own + cells);
    }
    value_.reserve(own + cells);
    start_.reserve(static_cast<std::size_t>(most_rows) + 1);
  }

  // What is in the further columns is missing until it is put there.
  void take(const RowBlock& part) {
    block_ = part;
    block_.n_columns += more_;
    value_.clear();
    start_.clear();
    column_.clear();
    for (int r = 0; r < part.n_rows; ++r) {
      const Row row = part.row(r);
      start_.push_back(static_cast<std::int64_t>(value_.size()));
      value_.insert(value_.end(), static_cast<std::size_t>(more_), std::numeric_limits<double>::quiet_NaN());
      value_.insert(value_.end(), row.value, row.value + row.size);
      if (row.dense()) continue;
      for (int k = 0; k < more_; ++k) column_.push_back(k);
      for (int i = 0; i < row.size; ++i) column_.push_back(row.index[i] + more_);
    }
    start_.push_back(static_cast<std::int64_t>(value_.size()));
    block_.values = value_.data();
    if (part.row_start == nullptr) return;
    block_.row_start = start_.data();
    block_.columns = column_.data();
  }
  double* further(int row) { return value_.data() + start_[static_cast<std::size_t>(row)]; }
  const RowBlock& block() const { return block_; }

  static Schema schema(const Schema& schema, int more, std::int64_t kind) {
    Schema wider = schema;
    wider.n_values.insert(wider.n_values.begin(), static_cast<std::size_t>(more), kind);
    wider.first_width += more;
    return wider;
  }

 private:
  int more_;
  std::vector<double> value_;
  std::vector<std::int64_t> start_;
  std::vector<std::int32_t> column_;
  RowBlock block_;
};

}  // namespace streamboost

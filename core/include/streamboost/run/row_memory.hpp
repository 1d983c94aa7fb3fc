// Rows kept until a batch phase has used them, and the view of them that the phase gets.
//
// Most boosters keep no rows. One that trains on a set of rows (primed boosting, the batch ensembles) says which examples it
// remembers; the pipeline stores them raw, as they came, beside label and weight, and hands all of them over as a BatchPhase when the
// last one has been met. The views are those of a question asked at that moment: scaled by the statistics of all rows so far.
//
// Values are saved as their bits, because a missing value is a NaN and other fields may not hold one.
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "streamboost/data/batch_phase.hpp"
#include "streamboost/data/fields.hpp"
#include "streamboost/data/row.hpp"
#include "streamboost/run/intake.hpp"

namespace streamboost {

class RowMemory {
 public:
  std::int64_t size() const { return static_cast<std::int64_t>(label_.size()); }

  void add(const Row& row, int label, double weight) {
    for (int i = 0; i < row.size; ++i) {
      cell_.push_back(std::bit_cast<std::int64_t>(row.value[i]));
      if (!row.dense()) column_.push_back(row.index[i]);
    }
    length_.push_back(row.size);
    sparse_.push_back(row.dense() ? 0 : 1);
    label_.push_back(label);
    weight_.push_back(std::bit_cast<std::int64_t>(weight));
  }
  void clear() { *this = RowMemory(); }
  // For so many more rows and values, so that `add` does not allocate.
  void make_room(std::size_t rows, std::size_t values) {
    for (auto* list : {&cell_, &column_}) streamboost::make_room(*list, values);
    for (auto* list : {&length_, &sparse_, &label_, &weight_}) streamboost::make_room(*list, rows);
  }

  // Rows from before a column appeared lack it.
  void open(const Intake& intake, int n_classes, BatchPhase& batch_phase) const {
    const auto n = label_.size();
    const auto width = intake.schema().width();
    std::vector<std::size_t> begin(n + 1, 0), first(n + 1, 0);
    for (std::size_t r = 0; r < n; ++r) {
      begin[r + 1] = begin[r] + static_cast<std::size_t>(sparse_[r] ? length_[r] : width);
      first[r + 1] = first[r] + static_cast<std::size_t>(sparse_[r] ? length_[r] : 0);
    }
    batch_phase.cell.assign(begin[n], std::numeric_limits<double>::quiet_NaN());
    batch_phase.index.assign(column_.begin(), column_.end());
    batch_phase.buffer.resize(n);
    batch_phase.example.resize(n);
    batch_phase.weight = 0;
    std::size_t at = 0;
    for (std::size_t r = 0; r < n; ++r) {
      double* cell = batch_phase.cell.data() + begin[r];
      for (std::size_t i = 0; i < static_cast<std::size_t>(length_[r]); ++i) cell[i] = std::bit_cast<double>(cell_[at++]);
      const Row raw = !sparse_[r]       ? Row{cell, nullptr, width}
                      : length_[r] == 0 ? Row{nullptr, &no_column, 0}
                                        : Row{cell, batch_phase.index.data() + first[r], static_cast<int>(length_[r])};
      Example& example = batch_phase.example[r];
      intake.look(raw, batch_phase.buffer[r], example, true);
      example.label = static_cast<int>(label_[r]);
      example.weight = std::bit_cast<double>(weight_[r]);
      example.number = static_cast<std::int64_t>(r);
      example.n_classes = example.n_classes_after = n_classes;
      batch_phase.weight += example.weight;
    }
  }

  void fields(FieldVisitor& v) {
    v.growing("cell", cell_);
    v.growing("column", column_);
    v.growing("length", length_);
    v.growing("sparse", sparse_);
    v.growing("label", label_);
    v.growing("weight", weight_);
  }
  void check(const Schema& schema) const {
    const std::size_t n = label_.size();
    require(length_.size() == n && sparse_.size() == n && weight_.size() == n, "remembered rows");
    std::size_t at = 0, first = 0;
    for (std::size_t r = 0; r < n; ++r) {
      require(sparse_[r] == 0 || sparse_[r] == 1, "remembered rows");
      require(label_[r] >= 0 && label_[r] < schema.n_classes, "remembered label");
      const double weight = std::bit_cast<double>(weight_[r]);
      require(std::isfinite(weight) && weight > 0, "remembered weight");
      require(length_[r] >= 0 && length_[r] <= schema.width(), "length of a remembered row");
      const auto length = static_cast<std::size_t>(length_[r]);
      require(length <= cell_.size() - at && (!sparse_[r] || length <= column_.size() - first), "length of a remembered row");
      for (std::size_t i = 0; i < length; ++i) {
        const std::int64_t column = sparse_[r] ? column_[first + i] : static_cast<std::int64_t>(i);
        require(column >= 0 && column < schema.width() && (!sparse_[r] || i == 0 || column > column_[first + i - 1]), "remembered column");
        const double x = std::bit_cast<double>(cell_[at + i]);
        require(!std::isinf(x), "remembered value");
        const auto values = schema.n_values[static_cast<std::size_t>(column)];
        require(values < 0 || std::isnan(x) || (x >= 0 && x < static_cast<double>(values) && x == std::floor(x)), "remembered category");
      }
      at += length;
      first += sparse_[r] ? length : 0;
    }
    require(at == cell_.size() && first == column_.size(), "remembered rows");
  }

 private:
  std::vector<std::int64_t> cell_, column_, length_, sparse_, label_, weight_;
};

}  // namespace streamboost

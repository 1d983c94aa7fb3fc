// What a Hoeffding tree looks at, and the layout of its statistics. The algorithm: hoeffding.hpp.
//
// A block holds the statistics of one class in one leaf:
//   six rows of `stride` cells, one cell per numeric column: mean, precision, weight, spread, lowest, highest
//   with intervals: for each numeric column their number, then `bins` lows, highs and weights (HoeffdingBins)
//   then for each nominal column its weight and one count per value.
// There is room for columns and values to come (room_for), so that statistics need not move for each; files have none.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "streamboost/data/lanes.hpp"
#include "streamboost/learners/hoeffding_bins.hpp"
#include "streamboost/learners/hoeffding_kernels.hpp"
#include "streamboost/learners/subset.hpp"

namespace streamboost {

struct HoeffdingColumns {
  struct Column {
    std::int32_t column;
    bool nominal;
    std::size_t place;  // numeric: cell; nominal: offset in the block
    std::size_t values;
  };
  std::vector<Column> all;                // ascending
  std::vector<std::int32_t> number;       // the column of each
  std::vector<std::int32_t> numeric;      // column of each cell
  std::vector<std::size_t> nominal;       // positions in `all`
  std::size_t first = 0;                  // how many of them came with the first row
  std::size_t width = 0, bins = 0;        // cells, padded to a multiple of 8; intervals per numeric column
  std::size_t used = 0;                   // cells, padded to a multiple of 4
  std::size_t stride = 0;                 // cells that a row of a block has room for, a multiple of 8
  std::size_t first_count = 0, size = 0;  // where the nominal part begins; doubles of a block

  HoeffdingColumns() = default;
  std::size_t bytes() const {
    return all.capacity() * sizeof(Column) + (number.capacity() + numeric.capacity()) * 4 + nominal.capacity() * 8;
  }
  HoeffdingColumns(const Schema& schema, double fraction, int n_bins, std::uint64_t seed, int lane, std::uint32_t birth)
      : bins(static_cast<std::size_t>(n_bins)) {
    const auto d = static_cast<std::size_t>(schema.width());
    const auto chosen = fraction < 1 ? chosen_columns(fraction, schema, seed, lane, birth) : std::vector<bool>(d, true);
    all.reserve(d);
    number.reserve(d);
    numeric.reserve(d);
    for (std::size_t j = 0; j < d; ++j) {
      if (!chosen[j]) continue;
      const auto column = static_cast<std::int32_t>(j);
      number.push_back(column);
      first += column < schema.first_width ? 1 : 0;
      if (schema.nominal(column)) {
        nominal.push_back(all.size());
        all.push_back({column, true, 0, static_cast<std::size_t>(schema.n_values[j])});
      } else {
        all.push_back({column, false, numeric.size(), 0});
        numeric.push_back(column);
      }
    }
    width = eights(numeric.size());
    used = (numeric.size() + 3) / 4 * 4;
    lay_out([](std::size_t n) { return room_for(n); });
  }
  // As a file has the blocks.
  HoeffdingColumns packed() const {
    HoeffdingColumns tight = *this;
    tight.lay_out([](std::size_t n) { return n; });
    return tight;
  }
  // Doubles of a block for so many numeric columns.
  static std::size_t numeric_size(std::size_t n, std::size_t n_bins) {
    return 6 * eights(room_for(n)) + room_for(n) * HoeffdingBins::size(n_bins);
  }
  const Column* find(int column) const {
    const auto it = std::lower_bound(all.begin(), all.end(), column, [](const Column& c, int j) { return c.column < j; });
    return it != all.end() && it->column == column ? &*it : nullptr;
  }
  TreeCells cells(double* block) const {
    return {block, block + stride, block + 2 * stride, block + 3 * stride, block + 4 * stride, block + 5 * stride};
  }
  const double* row(const double* block, std::size_t r) const { return block + r * stride; }
  double* intervals(double* block, std::size_t cell) const { return block + 6 * stride + cell * HoeffdingBins::size(bins); }
  const double* intervals(const double* block, std::size_t cell) const { return block + 6 * stride + cell * HoeffdingBins::size(bins); }

  // Whether a block of that layout is one of this as it is. Columns and values are only ever appended.
  bool holds(const HoeffdingColumns& old) const {
    if (stride != old.stride || first_count != old.first_count || size != old.size) return false;
    for (std::size_t q = 0; q < old.nominal.size(); ++q)
      if (all[nominal[q]].place != old.all[old.nominal[q]].place) return false;
    return true;
  }
  // Copies a block of another layout of the same columns, or of the first of them, into one of this.
  void move(const HoeffdingColumns& old, const double* from, double* to) const {
    const std::size_t n = std::min(numeric.size(), old.numeric.size());
    for (std::size_t r = 0; r < 6; ++r) std::copy_n(from + r * old.stride, n, to + r * stride);
    std::copy_n(from + 6 * old.stride, n * HoeffdingBins::size(bins), to + 6 * stride);
    for (std::size_t q = 0; q < std::min(nominal.size(), old.nominal.size()); ++q) {
      const Column &was = old.all[old.nominal[q]], &is = all[nominal[q]];
      std::copy_n(from + was.place, 1 + std::min(was.values, is.values), to + is.place);
    }
  }
  std::vector<double> move(const HoeffdingColumns& old, const std::vector<double>& from, std::size_t n) const {
    std::vector<double> to(n * size, 0.0);
    for (std::size_t b = 0; b < n; ++b) move(old, from.data() + b * old.size, to.data() + b * size);
    return to;
  }

 private:
  static std::size_t eights(std::size_t n) { return (n + 7) / 8 * 8; }
  template <class Room>
  void lay_out(Room room) {
    stride = eights(room(numeric.size()));
    first_count = 6 * stride + room(numeric.size()) * HoeffdingBins::size(bins);
    std::size_t counts = 0;
    for (const std::size_t q : nominal) {
      all[q].place = first_count + counts;
      counts += 1 + room(all[q].values);
    }
    size = first_count + room(counts);
  }
};

// The columns that a node may split on: of the d columns of the first row c = max(1, round(fraction d)), those with the smallest keyed
// uniforms (ties: lower column); later ones with probability c / d. A pure function of (seed, lane, birth, node): nothing is stored.
class NodeColumns {
 public:
  NodeColumns(const HoeffdingColumns& columns, double fraction, std::uint64_t seed, int lane, std::uint32_t birth, std::size_t node,
              std::vector<double>& scratch)
      : draw_(scratch) {
    const std::size_t n = columns.number.size(), d = columns.first;
    draw_.resize(2 * n);
    if (n == 0) return;
    node_uniforms(seed, static_cast<std::uint32_t>(node), static_cast<std::uint32_t>(lane), birth, columns.number.data(), draw_.data(), n);
    const double wanted = fraction > 0 ? fraction * static_cast<double>(d) : std::sqrt(static_cast<double>(d)) + 1;
    take_ = std::min(d, static_cast<std::size_t>(std::max(1.0, std::floor(wanted + 0.5))));
    first_ = d;
    share_ = d > 0 ? static_cast<double>(take_) / static_cast<double>(d) : 1.0;
    if (take_ == 0) return;
    double* sorted = draw_.data() + n;
    std::copy_n(draw_.data(), d, sorted);
    std::nth_element(sorted, sorted + take_ - 1, sorted + d);
    last_ = sorted[take_ - 1];
    for (std::size_t p = 0; p < d; ++p) left_ += draw_[p] < last_ ? 1 : 0;
    left_ = take_ - left_;
  }
  // Asked of all positions in order.
  bool take(std::size_t position) {
    if (position >= first_) return draw_[position] < share_;
    if (draw_[position] == last_ && left_ > 0) {
      --left_;
      return true;
    }
    return draw_[position] < last_;
  }

 private:
  std::vector<double>& draw_;
  std::size_t take_ = 0, first_ = 0, left_ = 0;
  double last_ = 0, share_ = 1;
};

}  // namespace streamboost

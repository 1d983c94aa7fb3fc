// What a Hoeffding tree looks at, and the layout of its statistics. The algorithm: hoeffding.hpp.
//
// A block holds the statistics of one class in one leaf:
//   six rows of `width` cells, one cell per numeric column: mean, precision, weight, spread, lowest, highest
//   with intervals: for each numeric column their number, then `bins` lows, highs and weights (HoeffdingBins)
//   then for each nominal column its weight and one count per value.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

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
  std::size_t first_count = 0, size = 0;  // where the nominal part begins; doubles of a block

  HoeffdingColumns() = default;
  std::size_t bytes() const {
    return all.capacity() * sizeof(Column) + (number.capacity() + numeric.capacity()) * 4 + nominal.capacity() * 8;
  }
  HoeffdingColumns(const Schema& schema, double fraction, int n_bins, std::uint64_t seed, int lane, std::uint32_t birth)
      : bins(static_cast<std::size_t>(n_bins)) {
    const auto chosen = fraction < 1 ? chosen_columns(fraction, schema, seed, lane, birth)
                                     : std::vector<bool>(static_cast<std::size_t>(schema.width()), true);
    for (int j = 0; j < schema.width(); ++j)
      if (chosen[static_cast<std::size_t>(j)] && !schema.nominal(j)) numeric.push_back(j);
    width = (numeric.size() + 7) / 8 * 8;
    used = (numeric.size() + 3) / 4 * 4;
    size = first_count = 6 * width + numeric.size() * HoeffdingBins::size(bins);
    std::size_t cell = 0;
    for (int j = 0; j < schema.width(); ++j) {
      if (!chosen[static_cast<std::size_t>(j)]) continue;
      number.push_back(j);
      first += j < schema.first_width ? 1 : 0;
      if (!schema.nominal(j)) {
        all.push_back({j, false, cell++, 0});
        continue;
      }
      nominal.push_back(all.size());
      all.push_back({j, true, size, static_cast<std::size_t>(schema.n_values[static_cast<std::size_t>(j)])});
      size += 1 + all.back().values;
    }
  }
  const Column* find(int column) const {
    const auto it = std::lower_bound(all.begin(), all.end(), column, [](const Column& c, int j) { return c.column < j; });
    return it != all.end() && it->column == column ? &*it : nullptr;
  }
  TreeCells cells(double* block) const {
    return {block, block + width, block + 2 * width, block + 3 * width, block + 4 * width, block + 5 * width};
  }
  const double* row(const double* block, std::size_t r) const { return block + r * width; }
  double* intervals(double* block, std::size_t cell) const { return block + 6 * width + cell * HoeffdingBins::size(bins); }
  const double* intervals(const double* block, std::size_t cell) const { return block + 6 * width + cell * HoeffdingBins::size(bins); }

  // Copies a block into a wider layout. Columns and values are only ever appended, so cells keep their places.
  void widen(const HoeffdingColumns& old, const double* from, double* to) const {
    for (std::size_t r = 0; r < 6; ++r) std::copy_n(from + r * old.width, old.width, to + r * width);
    std::copy_n(from + 6 * old.width, old.first_count - 6 * old.width, to + 6 * width);
    for (std::size_t q = 0; q < old.nominal.size(); ++q) {
      const Column &was = old.all[old.nominal[q]], &is = all[nominal[q]];
      std::copy_n(from + was.place, 1 + was.values, to + is.place);
    }
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

// One column of a bank of decision stumps: its values, or intervals of numbers, and what each lane has counted there. The algorithm:
// stump.hpp.
#pragma once
#include <algorithm>
#include <vector>

#include "streamboost/data/fields.hpp"
#include "streamboost/data/lanes.hpp"
#include "streamboost/math/math.hpp"

namespace streamboost {

struct StumpColumn {
  bool nominal = false;
  std::vector<double> low, high, seen;  // numeric: the interval of each row of counts, and how many examples fell into it
  std::vector<std::size_t> order;       // rows by ascending interval; a function of `low`
  LaneArray<double> count;              // [value][class]
  LaneArray<double> term;               // nominal: sum_c f(n_c) - f(n) of each value

  std::size_t rows(std::size_t classes) const { return classes == 0 ? 0 : count.rows() / classes; }
  void make_room(std::size_t more, std::size_t classes) {
    for (auto* list : {&low, &high, &seen}) streamboost::make_room(*list, more);
    streamboost::make_room(order, more);
    count.make_room(more * classes);
  }
  void sort() {
    order.resize(low.size());
    for (std::size_t r = 0; r < order.size(); ++r) order[r] = r;
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return low[a] < low[b]; });
  }
  // Position in `order` of the interval that holds x, or of the first one above it.
  std::size_t position(double x) const {
    const auto below = [&](std::size_t r, double value) { return high[r] < value; };
    return static_cast<std::size_t>(std::lower_bound(order.begin(), order.end(), x, below) - order.begin());
  }
  bool holds(double x) const {
    const std::size_t p = position(x);
    return p < order.size() && low[order[p]] <= x;
  }
  std::size_t row_of(double x) const { return order[position(x)]; }
  // A row of counts for a number that was not met before.
  void add(double x, std::size_t classes) {
    order.insert(order.begin() + static_cast<std::ptrdiff_t>(position(x)), low.size());
    low.push_back(x);
    high.push_back(x);
    seen.push_back(0);
    count.append(classes);
  }
  // The two neighbours with the fewest examples become one interval (ties: the lower pair).
  void merge_once(std::size_t classes) {
    std::size_t p = 0;
    double fewest = -1;
    for (std::size_t q = 0; q + 1 < order.size(); ++q) {
      const double both = seen[order[q]] + seen[order[q + 1]];
      if (fewest < 0 || both < fewest) {
        fewest = both;
        p = q;
      }
    }
    const std::size_t keep = order[p], gone = order[p + 1], last = low.size() - 1;
    high[keep] = high[gone];
    seen[keep] += seen[gone];
    for (std::size_t c = 0; c < classes; ++c) {
      add_lanes(count[keep * classes + c], count[gone * classes + c], count.stride());
      if (gone != last) std::copy_n(count[last * classes + c], count.stride(), count[gone * classes + c]);
    }
    for (auto* list : {&low, &high, &seen}) {
      (*list)[gone] = list->back();
      list->pop_back();
    }
    count.shrink(classes);
    sort();
  }
};

// Columns end to end: a file has a fixed number of arrays, whatever the number of columns.
struct PackedStump {
  std::vector<std::int64_t> n_rows;  // of each column
  std::vector<double> low, high, seen;
  LaneArray<double> count, term;
};
inline PackedStump pack(const std::vector<StumpColumn>& columns, std::size_t classes, std::size_t used, std::size_t lanes) {
  const std::size_t stride = padded(lanes);
  PackedStump all;
  std::size_t rows = 0, values = 0;
  for (const StumpColumn& column : columns) {
    all.n_rows.push_back(static_cast<std::int64_t>(column.rows(classes)));
    rows += column.rows(classes) * used;
    values += column.term.rows();
    all.low.insert(all.low.end(), column.low.begin(), column.low.end());
    all.high.insert(all.high.end(), column.high.begin(), column.high.end());
    all.seen.insert(all.seen.end(), column.seen.begin(), column.seen.end());
  }
  all.count = LaneArray<double>(rows, lanes);
  all.term = LaneArray<double>(values, lanes);
  rows = values = 0;
  for (const StumpColumn& column : columns) {
    for (std::size_t r = 0; r < column.rows(classes); ++r, rows += used)
      std::copy_n(column.count[r * classes], used * stride, all.count[rows]);
    std::copy_n(column.term[0], column.term.rows() * stride, all.term[values]);
    values += column.term.rows();
  }
  return all;
}

// `used` classes are in the file; the columns have room for `classes`.
inline void unpack(const PackedStump& all, std::size_t classes, std::size_t used, std::size_t lanes, std::vector<StumpColumn>& columns) {
  const std::size_t stride = padded(lanes);
  require(all.high.size() == all.low.size() && all.seen.size() == all.low.size(), "intervals");
  std::size_t rows = 0, values = 0, intervals = 0;
  for (std::size_t j = 0; j < columns.size(); ++j) {
    StumpColumn& column = columns[j];
    require(all.n_rows[j] >= 0 && static_cast<std::size_t>(all.n_rows[j]) <= all.count.rows() / used, "rows of a column");
    const auto n = static_cast<std::size_t>(all.n_rows[j]);
    require(n * used <= all.count.rows() - rows, "rows of a column");
    require(column.nominal ? n == column.term.rows() : n <= all.low.size() - intervals, "values of a column");
    column.count = LaneArray<double>(n * classes, lanes);
    for (std::size_t r = 0; r < n; ++r, rows += used) std::copy_n(all.count[rows], used * stride, column.count[r * classes]);
    if (column.nominal) {
      std::copy_n(all.term[values], n * stride, column.term[0]);
      values += n;
      continue;
    }
    const auto from = static_cast<std::ptrdiff_t>(intervals), to = static_cast<std::ptrdiff_t>(intervals + n);
    column.low.assign(all.low.begin() + from, all.low.begin() + to);
    column.high.assign(all.high.begin() + from, all.high.begin() + to);
    column.seen.assign(all.seen.begin() + from, all.seen.begin() + to);
    intervals += n;
    column.sort();
  }
  require(rows == all.count.rows() && intervals == all.low.size(), "rows too many");
}

}  // namespace streamboost

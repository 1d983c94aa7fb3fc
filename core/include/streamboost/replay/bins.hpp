// Numbers to bytes: the bins of one column.
//
// Numeric columns: bins of about equal numbers of rows, from at most 2,000 evenly spaced ones. With no more distinct values than bins each
// value is a bin; else values are taken in ascending order, and a bin is closed when it holds its share of the rows that are left, and
// before a value that does so alone. A cut lies half way between the neighbours it separates. Nominal columns: one bin per code, the
// 254th (or the last there is room for) and all later codes share the last. Bin 0 is missing, and so is a code that the rows do not have.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace streamboost {

struct ColumnBins {
  static constexpr int most_codes = 254, sample_rows = 2000;

  bool nominal = false;
  float highest = std::numeric_limits<float>::max();             // of nominal columns: the highest code there is
  std::vector<float> cut;                                        // bin b holds cut[b - 2] < x <= cut[b - 1]
  int bins() const { return static_cast<int>(cut.size()) + 2; }  // the missing one among them

  // `sorted`: values of some rows, none missing and no -0; it is used up, and so is `spare`.
  static ColumnBins of_numbers(std::vector<float>& sorted, std::vector<float>& spare, int most) {
    ColumnBins column;
    sort(sorted, spare);
    struct Value {
      float x;
      std::int64_t rows;
    };
    std::vector<Value> value;
    for (float x : sorted) {
      if (value.empty() || value.back().x != x) value.push_back({x, 0});
      value.back().rows += 1;
    }
    const bool each = value.size() <= static_cast<std::size_t>(most);
    std::int64_t left = static_cast<std::int64_t>(sorted.size()), bins_left = most, filled = 0;
    for (std::size_t i = 0; i + 1 < value.size() && bins_left > 1; ++i) {
      filled += value[i].rows;
      if (!each && filled * bins_left < left && value[i + 1].rows * bins_left < left) continue;
      column.cut.push_back(between(value[i].x, value[i + 1].x));
      left -= filled;
      bins_left -= 1;
      filled = 0;
    }
    return column;
  }
  static ColumnBins of_codes(float highest, int most) {
    ColumnBins column;
    column.nominal = true;
    column.highest = highest;
    for (int code = 0; code + 1 < std::min(static_cast<int>(highest) + 1, std::min(most, most_codes)); ++code)
      column.cut.push_back(static_cast<float>(code));
    return column;
  }

  // What goes left at a cut after this bin: x <= upper(bin).
  float upper(int bin) const { return bin <= static_cast<int>(cut.size()) ? cut[static_cast<std::size_t>(bin - 1)] : highest; }

 private:
  // Byte by byte: takes a quarter of the time of comparing. The bits of floats are in order but for those below 0.
  static void sort(std::vector<float>& value, std::vector<float>& spare) {
    const auto key = [](float x) {
      const auto bits = std::bit_cast<std::uint32_t>(x);
      return bits ^ (bits >> 31 != 0 ? 0xFFFFFFFFu : 0x80000000u);
    };
    std::uint32_t place[4][256] = {};
    for (float x : value)
      for (int byte = 0; byte < 4; ++byte) ++place[byte][key(x) >> 8 * byte & 255];
    spare.resize(value.size());
    for (int byte = 0; byte < 4; ++byte) {
      if (value.empty() || place[byte][key(value[0]) >> 8 * byte & 255] == value.size()) continue;  // it is the same in all
      std::uint32_t before = 0;
      for (std::uint32_t& n : place[byte]) before += std::exchange(n, before);
      for (float x : value) spare[place[byte][key(x) >> 8 * byte & 255]++] = x;
      value.swap(spare);
    }
  }
  static float between(float a, float b) {
    const auto middle = static_cast<float>(a + (static_cast<double>(b) - a) / 2);
    return middle < b ? middle : a;
  }
};

}  // namespace streamboost

// What is known of the columns and classes between two blocks of rows. Codes are dense and only ever grow.
#pragma once
#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace streamboost {

// What `n_values` says of a column that has no codes. Texts and identifiers are the columns of words: their cells come beside the numbers
// (Row::words), and among the numbers they are missing. Numbers of a coded column (users, products) are numbers and identifiers at once.
inline constexpr std::int64_t numeric_column = -1, text_column = -2, identifier_column = -3, coded_column = -4;
inline constexpr bool holds_words(std::int64_t kind) { return kind == text_column || kind == identifier_column; }

struct Schema {
  int first_width = 0;                 // columns of the first row ever seen (d0): fixes scaling and start vectors
  std::vector<std::int64_t> n_values;  // per column: the number of category codes handed out, or one of the kinds above
  int n_classes = 0;                   // class codes handed out
  bool declared = false;               // classes were named up front: all of them are known from the start

  bool operator==(const Schema&) const = default;
  int width() const { return static_cast<int>(n_values.size()); }
  bool nominal(int column) const { return n_values[static_cast<std::size_t>(column)] >= 0; }
  int n_words() const { return static_cast<int>(std::count_if(n_values.begin(), n_values.end(), holds_words)); }
  bool any_nominal() const {
    for (auto v : n_values)
      if (v >= 0) return true;
    return false;
  }

  void require_growth_from(const Schema& old) const {
    if (width() < old.width() || n_classes < old.n_classes || (old.declared && (!declared || n_classes != old.n_classes)))
      throw std::invalid_argument("a schema may only grow");
    for (int j = 0; j < old.width(); ++j)
      if ((nominal(j) ? !old.nominal(j) : n_values[static_cast<std::size_t>(j)] != old.n_values[static_cast<std::size_t>(j)]) ||
          n_values[static_cast<std::size_t>(j)] < old.n_values[static_cast<std::size_t>(j)])
        throw std::invalid_argument("a column may not change its kind or lose values");
  }
};

// Rows of a table with one row per numeric column and one per value of a nominal column, in column order.
// The layout depends on the schema alone, so it does not matter in how many steps a table has grown.
struct ColumnLayout {
  std::vector<std::size_t> offset;  // first row of each column, then the total
  ColumnLayout() : offset{0} {}
  explicit ColumnLayout(const Schema& schema, std::size_t first = 0) : offset{first} {
    for (auto values : schema.n_values) offset.push_back(offset.back() + (values < 0 ? 1 : static_cast<std::size_t>(values)));
  }
  std::size_t rows() const { return offset.back(); }
  // Whether another layout has all of these rows in their places, and its own after them.
  bool begins(const ColumnLayout& newer) const {
    return newer.offset.size() >= offset.size() && std::equal(offset.begin(), offset.end(), newer.offset.begin());
  }
  // Where each of these rows is in a layout of the same columns, and perhaps more of them and more values.
  std::vector<std::size_t> places_in(const ColumnLayout& newer) const {
    std::vector<std::size_t> place(rows());
    for (std::size_t r = 0; r < offset.front(); ++r) place[r] = r;
    for (std::size_t j = 0; j + 1 < offset.size(); ++j)
      for (std::size_t r = offset[j]; r < offset[j + 1]; ++r) place[r] = newer.offset[j] + (r - offset[j]);
    return place;
  }
};

}  // namespace streamboost

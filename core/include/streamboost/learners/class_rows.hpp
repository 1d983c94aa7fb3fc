// Tables [row][class] of lanes when there are more rows or more classes: both are appended, so that a row keeps its order.
#pragma once
#include "streamboost/data/journal.hpp"

namespace streamboost {

struct ClassRows {
  std::size_t before, now, lanes;  // classes; before 0: there is no table yet

  // places: where the rows of before are now; none: where they were.
  void grow(LaneArray<double>& table, std::size_t rows, Journal& journal, const std::vector<std::size_t>& places = {}) const {
    if (before == 0) return journal.assign(table, LaneArray<double>(rows * now, lanes));
    std::vector<std::size_t> target;
    if (now != before || !places.empty()) {
      target.resize(table.rows());
      for (std::size_t r = 0; r < target.size() / before; ++r)
        for (std::size_t c = 0; c < before; ++c) target[r * before + c] = (places.empty() ? r : places[r]) * now + c;
    }
    journal.grow(table, rows * now, std::move(target));
  }
};

}  // namespace streamboost

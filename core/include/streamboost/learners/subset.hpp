// Feature subsets: each lane looks at its own random choice of columns.
//
// Of the d columns of the first row a lane takes k = max(1, round(fraction * d)), half up: those with the k smallest keyed
// uniforms (ties: lower column). Columns that appear later are taken with probability `fraction`. A pure function of
// (seed, lane, its birth, column): nothing is stored.
#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "streamboost/data/schema.hpp"
#include "streamboost/math/rng.hpp"

namespace streamboost {

inline std::vector<bool> chosen_columns(double fraction, const Schema& schema, std::uint64_t seed, int lane, std::uint32_t birth) {
  const auto width = static_cast<std::size_t>(schema.width());
  const auto first = std::min(static_cast<std::size_t>(schema.first_width), width);
  std::vector<double> draw(width);
  std::vector<std::size_t> order(first);
  for (std::size_t j = 0; j < width; ++j) draw[j] = uniform(of_birth({seed, j, static_cast<std::uint32_t>(lane), Purpose::subset}, birth));
  for (std::size_t j = 0; j < first; ++j) order[j] = j;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return draw[a] < draw[b]; });
  const auto take = std::min(first, static_cast<std::size_t>(std::max(1.0, std::floor(fraction * static_cast<double>(first) + 0.5))));
  std::vector<bool> chosen(width, false);
  for (std::size_t k = 0; k < take; ++k) chosen[order[k]] = true;
  for (std::size_t j = first; j < width; ++j) chosen[j] = draw[j] < fraction;
  return chosen;
}

}  // namespace streamboost

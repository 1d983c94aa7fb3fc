// Loops over the columns of a row, called by scaler.hpp, column_rates.hpp and hashed_table.hpp. Any n, no alignment needed; math/levels.hpp
// says what a kernel is.
#pragma once
#include <cstddef>

#include "streamboost/math/levels.hpp"

namespace streamboost {

// Statistics of columns as Scale::automatic keeps them; `keep` is where they go with the row counted in (null: nowhere), which may
// be where they came from.
struct ColumnMoments {
  const double *count, *mean, *spread, *first, *many;
  struct Kept {
    double *count = nullptr, *mean, *spread, *first, *many;
  } keep;
};
// out = the columns' values by the statistics that include them, NaN (missing) as 0
STREAMBOOST_KERNEL(void, standardise, (const ColumnMoments& columns, const double* x, double clip, double* out, std::size_t n));
// size += t^2, q = slope size; u = t max(1 / (1 + q), pace / sqrt(q)), 0 where the size is 0
STREAMBOOST_KERNEL(void, rate_columns, (const double* t, double slope, double pace, double* size, double* u, std::size_t n));

}  // namespace streamboost

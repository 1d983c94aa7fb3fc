// Distances to the rows of a window; no alignment needed.
#pragma once
#include <cstddef>
#include <cstdint>

#include "streamboost/math/levels.hpp"

namespace streamboost {

// Of n <= window_block kept rows, columns `stride` apart: the sum over columns of (cell - x)^2, of 2 where a nominal cell holds another
// value. Where it is at least `limit`, the sum of the first columns may stand for all of them: it is at least that, too.
inline constexpr std::size_t window_block = 32;
STREAMBOOST_KERNEL(void, window_distances,
                   (const double* cell, std::size_t stride, const double* query, const unsigned char* nominal, std::size_t columns,
                    double limit, double* out, std::size_t n));
// a bit for each of them that is below the limit; n <= 64
STREAMBOOST_KERNEL(std::uint64_t, those_below, (const double* x, double limit, std::size_t n));

}  // namespace streamboost

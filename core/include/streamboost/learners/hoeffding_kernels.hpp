// Loops of the Hoeffding tree: the statistics of one class in one leaf, one cell per numeric column.
//
// `width` is a multiple of 8, addresses need no alignment; cells beyond the columns hold 0, their x is NaN. `used`: a multiple of 4,
// cells beyond it are left out, with the same result. `stride`: from a row of a block to the next.
#pragma once
#include <cstddef>
#include <cstdint>

#include "streamboost/math/levels.hpp"

namespace streamboost {

struct TreeCells {
  double *mean, *precision, *weight, *spread, *low, *high;
};
// What a sum of squared deviations is divided by to give a variance: n - 1, but never less than half of a small weight n.
inline double degrees_of_freedom(double n) { return n - 1 > 0.5 * n ? n - 1 : 0.5 * n; }
struct CellDensity {
  double quadratic, mantissa, exponent;  // product of precisions / 2 pi (squared peaks of the densities) = mantissa * 2^exponent
};
// of each class sum_j (x_j - mean_j)^2 precision_j, no x missing and 0 beyond the columns; a block begins with its means and precisions
STREAMBOOST_KERNEL(void, cells_quadratics,
                   (const double* x, const double* const* block, std::size_t n, std::size_t stride, std::size_t used, double* out));
// Where the nominal values of a row are counted in a block: the weight of their column, their count, and alpha times its values.
struct ValuePlaces {
  const std::int32_t *weight_at, *count_at;
  const double* smoothing;
  std::size_t n;
};
// of each class the sum over values of log((count + alpha) / (weight + smoothing)): one division for four values, one logarithm
STREAMBOOST_KERNEL(void, value_logs, (const double* const* block, std::size_t n, const ValuePlaces& values, double alpha, double* out));
// the same, with the product of their squared peaks (precision 0: no data, counts as 1; 1e30: one value only, counts as 1)
STREAMBOOST_KERNEL(void, cells_density,
                   (const double* x, const double* mean, const double* precision, std::size_t width, CellDensity* out));
// weighted Welford, range and precision 1 / (spread / degrees of freedom + floor) of the cells whose x is not NaN, 1e30 while they
// have seen one value only; then the product of all squared peaks
STREAMBOOST_KERNEL(void, cells_observe,
                   (const TreeCells& cells, const double* x, std::size_t used, double amount, double floor, CellDensity* out));
// One class on one column, as a leaf has seen it.
struct ClassSummary {
  double weight, mean, scale, low, high;  // scale = 1 / standard deviation
};
// Ascending thresholds among the values of a class: all of it lies right of the first `begin` and left of those from `end` on.
struct PointRange {
  std::int32_t begin, end;
};
// The range of each class, and where the thresholds inside of it lie in its distribution, in deviations of at most `far`: written one
// class after the other. Returns their number.
STREAMBOOST_KERNEL(std::size_t, split_positions,
                   (const ClassSummary* seen, std::size_t classes, const double* threshold, std::size_t points, double far,
                    PointRange* range, double* z));
// Inside of the ranges left *= weight, right = weight - left; both sides of all points are added to their sums.
STREAMBOOST_KERNEL(void, split_shares,
                   (const double* weight, const PointRange* range, std::size_t classes, std::size_t points, double* left, double* right,
                    double* left_sum, double* right_sum));
// inside[point] = sum over classes of left + right, which outside of a class's range is its `whole`
STREAMBOOST_KERNEL(void, split_insides,
                   (const double* whole, const PointRange* range, std::size_t classes, std::size_t points, const double* left,
                    const double* right, double* inside));

}  // namespace streamboost

// The inner loops of a fit (core/src/replay/replay_kernels.cpp).
//
// Sums are sums of whole numbers: gradients are rounded to multiples of a power of two, small enough that nothing is lost that matters and
// large enough that no sum overflows. So a histogram does not depend on the order of its rows, a parent less a child is exactly the other
// child, and equal splits are equal to the last bit. A word holds a gradient and, in its lowest bits, the number of rows.
#pragma once
#include <cstddef>
#include <cstdint>

#include "streamboost/math/levels.hpp"

namespace streamboost::replay {

inline constexpr int count_bits = 20;
inline constexpr std::int64_t count_mask = (std::int64_t{1} << count_bits) - 1, most_rows = count_mask;

inline std::int64_t count_of(std::int64_t word) { return word & count_mask; }
inline double gradient_of(std::int64_t word) { return static_cast<double>(word >> count_bits); }

// What a tree is grown from: [row][lanes] words, gradients and behind them a curvature. First as the bits of doubles, then rounded, in place.

// Two classes: F are log odds, y is 0 or 1; pairs of words for n rows.
STREAMBOOST_KERNEL(void, logistic_gradients,
                   (const double* F, const double* y, const double* weight, std::size_t n, std::int64_t* words));
// More: F[row * classes + c] are scores, y are codes; g likewise.
STREAMBOOST_KERNEL(void, softmax_gradients,
                   (const double* F, std::size_t classes, const double* y, const double* weight, std::size_t n, double* g));
// Of the gradients of all classes those that were drawn, one or three, and their mean curvature, times a factor.
STREAMBOOST_KERNEL(void, sketch_rows,
                   (const double* g, std::size_t classes, const std::size_t* drawn, std::size_t n_drawn, const double* weight,
                    double factor, std::size_t n, std::int64_t* words));
// The largest gradient, by its size, and the largest curvature of n rows, or what they were before.
STREAMBOOST_KERNEL(void, find_largest, (const std::int64_t* words, int lanes, std::size_t n, double* g, double* h));
// Rounds them; the scales are powers of two.
STREAMBOOST_KERNEL(void, pack_words, (std::int64_t* words, int lanes, double g_scale, double h_scale, std::size_t n));
// G[c] and H[c]: sums of gradients and curvatures of the rows listed, in their order.
STREAMBOOST_KERNEL(void, leaf_sums,
                   (const double* g, std::size_t classes, const double* weight, const std::uint32_t* listed, std::size_t n, double* G,
                    double* H));
// F[row * outputs + c] += value[c] of the rows listed.
STREAMBOOST_KERNEL(void, add_values,
                   (const double* value, std::size_t outputs, const std::uint32_t* listed, std::size_t n, double* F));

struct BinnedRows {
  const std::uint8_t* bin;  // [row][stride]
  std::size_t stride;
  const std::uint32_t* offset;  // [column]: of its first bin in a histogram
  const std::int64_t* words;    // [row][lanes]
};
// Adds the rows listed, columns first .. last, to a histogram [bin][lanes]; lanes: 2 or 4.
STREAMBOOST_KERNEL(void, add_rows,
                   (const BinnedRows& rows, int lanes, const std::uint32_t* listed, std::size_t n, int first, int last,
                    std::int64_t* histogram));

// The same of some cells of each row: slot[start[row]] .. slot[start[row + 1]] are their bins in a histogram.
STREAMBOOST_KERNEL(void, add_slots,
                   (const std::uint32_t* slot, const std::uint32_t* start, const std::int64_t* words, int lanes,
                    const std::uint32_t* listed, std::size_t n, std::int64_t* histogram));

STREAMBOOST_KERNEL(void, subtract, (std::int64_t* from, const std::int64_t* what, std::size_t n));

// The bins of n cells of one column, `cells` and `bins` apart: 1 + the number of cuts below the cell; 0 where it is not at most `highest`.
struct CutPoints {
  const float* cut;
  std::size_t n;
  float highest;
};
STREAMBOOST_KERNEL(void, bin_cells,
                   (const CutPoints& cuts, const float* cell, std::size_t cells, std::size_t n, std::uint8_t* bin, std::size_t bins));

// What the cuts of a leaf must keep to, and its sums.
struct CutSearch {
  const std::int64_t* total;  // [lanes]
  double g_unit, h_unit, lambda, least_hessian;
};
// S(left) + S(right) of the cut after each of n bins, at most 255, of a histogram [bin][lanes]; 0 for one that leaves too little on a side.
// with: sums that go left at every cut, [lanes]. Returns the highest.
STREAMBOOST_KERNEL(double, cut_gains,
                   (const CutSearch& search, int lanes, const std::int64_t* cell, int n, const std::int64_t* with, double* gain));

// Rows of `from` whose bin goes left stay there in their order; the others go to `right`. Returns how many stay.
STREAMBOOST_KERNEL(std::size_t, partition_rows,
                   (const std::uint8_t* bin, std::size_t stride, const std::uint8_t* goes_left, std::uint32_t* from, std::size_t n,
                    std::uint32_t* left, std::uint32_t* right));

}  // namespace streamboost::replay

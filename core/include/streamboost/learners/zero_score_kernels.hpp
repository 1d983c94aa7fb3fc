// Loops of naive Bayes on sparse rows; zero_score.hpp says what is computed. `lanes` is a multiple of 8.
#pragma once
#include <cstddef>
#include <cstdint>

#include "streamboost/math/levels.hpp"

namespace streamboost {

inline constexpr int zero_nodes = 12;
inline constexpr std::size_t zero_together = 16;  // columns that share a division
struct SparseCells {                              // of one column and class, [lane]: weight, mean and sum of squares of what is not zero
  double *weight, *mean, *spread;
};
struct SparseView {
  const double *weight, *mean, *spread;
};
// What a lesson did to a cell: a and b over the floor before and after (0 where it does not count; b null where it always is), whether
// it turned heavy.
struct CellChange {
  static constexpr std::size_t rows = 5;
  double *a0, *b0, *a1, *b1, *heavier;
};
struct NodeSums {  // [node][lane], or [lane] where there is one of each
  double *mantissa, *exponent, *quadratic;
};
struct Marked {  // columns, one bit each
  const std::uint64_t* words;
  std::size_t n_words;
};
STREAMBOOST_KERNEL(void, sparse_moments_teach,
                   (const SparseCells& cells, double x, const double* amount, const double* from, double per_floor,
                    const CellChange& change, std::size_t lanes));
STREAMBOOST_KERNEL(void, presence_teach,
                   (double* weight, const double* amount, const double* from, const CellChange& change, std::size_t lanes));
// first: of n columns, CellChange::rows rows apart; per = 1 / from
STREAMBOOST_KERNEL(void, zero_nodes_move,
                   (const CellChange& first, std::size_t n, const double* per, const NodeSums& sums, std::size_t lanes));
// score: [coefficient][high, low], rows `pitch` apart
STREAMBOOST_KERNEL(void, zero_score_add, (const NodeSums& sums, double log_factor, double* score, std::size_t pitch, std::size_t lanes));
STREAMBOOST_KERNEL(void, zero_score_ask,
                   (const double* score, std::size_t pitch, const double* from, const double* n, double* out, std::size_t lanes));
STREAMBOOST_KERNEL(double, zero_score_of, (const double* score, std::size_t pitch, double from, double n));
// Eights of lanes from their first cells on; value [coefficient][lane]; room: zero_room numbers for each eight.
inline constexpr std::size_t zero_room = 8 * (3 * zero_nodes + 3);
STREAMBOOST_KERNEL(void, zero_score_afresh,
                   (const SparseView& table, std::size_t cell_pitch, Marked columns, const double* from, std::size_t eights,
                    double per_floor, double log_factor, double* room, double* value));
// out += log density of x less that of 0, where the cell is light; per = 1 / n
STREAMBOOST_KERNEL(void, sparse_moments_ask,
                   (const SparseView& cells, double x, const double* per, const double* from, double floor, const double* mask, double* out,
                    std::size_t lanes));
// the whole of it, where the cell is heavy
STREAMBOOST_KERNEL(void, heavy_moments_ask,
                   (const SparseView& cells, double x, const double* n, const double* from, double floor, const NodeSums& sums,
                    std::size_t lanes));
// Bernoulli: a column that the row holds, or not; in light cells relative to not
STREAMBOOST_KERNEL(void, presence_ask,
                   (const double* weight, const double* n, const double* from, double alpha, double least, bool present, const double* mask,
                    const NodeSums& sums, std::size_t lanes));
// out += x log of the share (count + alpha) / total, at least `least`; nothing where the total is 0 or the mask is; share: room
STREAMBOOST_KERNEL(void, count_ask,
                   (const double* count, const double* total, double alpha, double least, double x, const double* mask, double* share,
                    double* out, std::size_t lanes));
STREAMBOOST_KERNEL(void, heavy_score_add, (const NodeSums& sums, double log_factor, double* out, std::size_t lanes));

}  // namespace streamboost

#include "streamboost/learners/nearest_neighbors_kernels.hpp"
#include "streamboost/math/levels.hpp"
#include "streamboost/math/vec.hpp"

namespace streamboost::STREAMBOOST_LEVEL {
namespace {

// 2 where a difference is not 0, else 0, by arithmetic alone: a bit pattern or its negative has the highest bit, which moved by one is 2.
[[gnu::always_inline]] inline HalfVec twice_where_apart(HalfVec difference) {
  const HalfBits bits = reinterpret_cast<const HalfBits&>(difference);
  const HalfBits apart = ((bits | (0 - bits)) >> 63) << 62;
  return reinterpret_cast<const HalfVec&>(apart);
}

// Whether no sum is below the limit.
template <std::size_t parts>
[[gnu::always_inline]] inline bool all_reach(const HalfVec (&sum)[parts], double limit) {
  HalfVec least = sum[0];
#pragma GCC unroll 8
  for (std::size_t p = 1; p < parts; ++p) least = least < sum[p] ? least : sum[p];
  return least[0] >= limit && least[1] >= limit && least[2] >= limit && least[3] >= limit;
}

}  // namespace

// The sums of half a block stay in registers while the columns pass by: of a whole one they would not.
void window_distances(const double* cell, std::size_t stride, const double* query, const unsigned char* nominal, std::size_t columns,
                      double limit, double* out, std::size_t n) {
  if (n < window_block) {
    for (std::size_t s = 0; s < n; ++s) {
      double sum = 0.0;
      for (std::size_t j = 0; j < columns; ++j) {
        const double difference = cell[j * stride + s] - query[j];
        sum += nominal[j] ? (difference == 0.0 ? 0.0 : 2.0) : difference * difference;
      }
      out[s] = sum;
    }
    return;
  }
  constexpr std::size_t parts = window_block / 8, look = 16;  // columns between two looks
  for (std::size_t begin = 0; begin < window_block; begin += 4 * parts) {
    HalfVec sum[parts];
#pragma GCC unroll 4
    for (std::size_t p = 0; p < parts; ++p) sum[p] = HalfVec{};
    for (std::size_t j = 0; j < columns; ++j) {
      if (j % look == look - 1 && all_reach(sum, limit)) break;
      const double* at = cell + j * stride + begin;
      const HalfVec x = HalfVec{} + query[j];
      if (nominal[j]) {
#pragma GCC unroll 4
        for (std::size_t p = 0; p < parts; ++p) sum[p] += twice_where_apart(four_at(at + 4 * p) - x);
      } else {
#pragma GCC unroll 4
        for (std::size_t p = 0; p < parts; ++p) {
          const HalfVec difference = four_at(at + 4 * p) - x;
          sum[p] += difference * difference;
        }
      }
    }
#pragma GCC unroll 4
    for (std::size_t p = 0; p < parts; ++p) put_four(out + begin + 4 * p, sum[p]);
  }
}

std::uint64_t those_below(const double* x, double limit, std::size_t n) {
  std::uint64_t found = 0;
  for (std::size_t i = 0; i < n; ++i) found |= x[i] < limit ? std::uint64_t{1} << i : std::uint64_t{0};
  return found;
}

}  // namespace streamboost::STREAMBOOST_LEVEL

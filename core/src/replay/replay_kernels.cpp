#include "streamboost/replay/replay_kernels.hpp"

#include <algorithm>
#include <bit>

#include "streamboost/math/levels.hpp"
#include "streamboost/math/math.hpp"

namespace streamboost::replay::STREAMBOOST_LEVEL {
namespace {

using Words = std::int64_t __attribute__((vector_size(16), may_alias));

// The nearest whole number, halves to even, of |x| below 2^51: adding 1.5 * 2^52 leaves it in the lowest bits.
[[gnu::always_inline]] inline std::int64_t nearest(double x) {
  constexpr double magic = 0x1.8p52;
  return std::bit_cast<std::int64_t>(x + magic) - std::bit_cast<std::int64_t>(magic);
}

template <int pairs>
[[gnu::always_inline]] inline void add_listed(const BinnedRows& rows, const std::uint32_t* listed, std::size_t n, int first, int last,
                                              Words* histogram) {
  const auto* words = reinterpret_cast<const Words*>(rows.words);
  const std::uint32_t* offset = rows.offset;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t row = listed[i];
    const std::uint8_t* bin = rows.bin + row * rows.stride;
    if (i + 16 < n) __builtin_prefetch(rows.bin + listed[i + 16] * rows.stride + first);
    Words add[pairs];
    for (int p = 0; p < pairs; ++p) add[p] = words[row * pairs + static_cast<std::size_t>(p)];
    const auto one = [&](int j) __attribute__((always_inline)) {
      Words* cell = histogram + static_cast<std::size_t>(offset[j] + bin[j]) * pairs;
      for (int p = 0; p < pairs; ++p) cell[p] += add[p];
    };
    int j = first;
    for (; j + 4 <= last; j += 4) {
      one(j);
      one(j + 1);
      one(j + 2);
      one(j + 3);
    }
    for (; j < last; ++j) one(j);
  }
}

}  // namespace

void logistic_gradients(const double* __restrict F, const double* __restrict y, const double* __restrict weight, std::size_t n,
                        double* __restrict g, double* __restrict h) {
  for (std::size_t i = 0; i < n; ++i) {
    const double p = sigmoid(F[i]);
    g[i] = weight[i] * (p - y[i]);
    h[i] = weight[i] * (p * (1.0 - p));
  }
}

// Rows by blocks that stay near, a class at a time.
void softmax_gradients(const double* __restrict F, std::size_t stride, std::size_t classes, const double* __restrict y,
                       const double* __restrict weight, std::size_t n, double* __restrict g) {
  constexpr std::size_t block = 64;
  double highest[block], sum[block];
  for (std::size_t first = 0; first < n; first += block) {
    const std::size_t size = std::min(block, n - first);
    for (std::size_t i = 0; i < size; ++i) {
      highest[i] = F[first + i];
      sum[i] = 0;
    }
    for (std::size_t k = 1; k < classes; ++k)
      for (std::size_t i = 0; i < size; ++i) highest[i] = std::max(highest[i], F[k * stride + first + i]);
    for (std::size_t k = 0; k < classes; ++k) {
      double* p = g + k * stride + first;
      for (std::size_t i = 0; i < size; ++i) p[i] = F[k * stride + first + i] - highest[i];
      exp_lanes(p, p, size);
      for (std::size_t i = 0; i < size; ++i) sum[i] += p[i];
    }
    for (std::size_t k = 0; k < classes; ++k) {
      double* to = g + k * stride + first;
      const auto code = static_cast<double>(k);
      for (std::size_t i = 0; i < size; ++i) to[i] = weight[first + i] * (to[i] / sum[i] - (y[first + i] == code ? 1.0 : 0.0));
    }
  }
}

void pack_pairs(const double* __restrict g, const double* __restrict h, double g_scale, double h_scale, std::size_t n,
                std::int64_t* __restrict words) {
  for (std::size_t i = 0; i < n; ++i) {
    words[2 * i] = (nearest(g[i] * g_scale) << count_bits) + 1;
    words[2 * i + 1] = nearest(h[i] * h_scale);
  }
}

void pack_gradients(const double* __restrict g, double scale, std::size_t n, std::size_t lanes, std::int64_t* __restrict words) {
  for (std::size_t i = 0; i < n; ++i) words[i * lanes] = (nearest(g[i] * scale) << count_bits) + 1;
}

void pack_curvatures(const double* __restrict h, double scale, std::size_t n, std::size_t lanes, std::int64_t* __restrict words) {
  for (std::size_t i = 0; i < n; ++i) words[i * lanes] = nearest(h[i] * scale);
}

void add_rows(const BinnedRows& rows, int lanes, const std::uint32_t* listed, std::size_t n, int first, int last, std::int64_t* histogram) {
  auto* cells = reinterpret_cast<Words*>(histogram);
  if (lanes == 2)
    add_listed<1>(rows, listed, n, first, last, cells);
  else
    add_listed<2>(rows, listed, n, first, last, cells);
}

std::size_t partition_rows(const std::uint8_t* bin, std::size_t stride, const std::uint8_t* goes_left, std::uint32_t* from, std::size_t n,
                           std::uint32_t* left, std::uint32_t* right) {
  std::size_t stay = 0;
  for (std::size_t i = 0; i < n; ++i) {  // no branches: which way a row goes nobody can foretell
    const std::uint32_t row = from[i];
    const std::size_t goes = goes_left[bin[row * stride]];
    left[stay] = row;
    right[i - stay] = row;
    stay += goes;
  }
  return stay;
}

}  // namespace streamboost::replay::STREAMBOOST_LEVEL

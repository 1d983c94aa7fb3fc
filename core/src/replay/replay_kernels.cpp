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

template <int pairs>
[[gnu::always_inline]] inline void add_listed_slots(const std::uint32_t* slot, const std::uint32_t* start, const Words* words,
                                                    const std::uint32_t* listed, std::size_t n, Words* histogram) {
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t row = listed[i];
    if (i + 16 < n) __builtin_prefetch(slot + start[listed[i + 16]]);
    Words add[pairs];
    for (int p = 0; p < pairs; ++p) add[p] = words[row * pairs + static_cast<std::size_t>(p)];
    for (std::size_t s = start[row]; s < start[row + 1]; ++s) {
      Words* cell = histogram + static_cast<std::size_t>(slot[s]) * pairs;
      for (int p = 0; p < pairs; ++p) cell[p] += add[p];
    }
  }
}

// Sums of whole numbers are as exact in doubles, which go into vectors on every processor.
template <int gradients>
[[gnu::always_inline]] inline double gains_of(const CutSearch& search, const std::int64_t* cell, int n, const std::int64_t* with,
                                              double* __restrict gain) {
  constexpr int most = 256;
  std::int64_t below[gradients + 1][most], sum[gradients + 1];
  double G[gradients][most], H[most], total_G[gradients];
  for (int s = 0; s <= gradients; ++s) sum[s] = with[s];
  for (int b = 0; b < n; ++b)
    for (int s = 0; s <= gradients; ++s) below[s][b] = sum[s] += *cell++;
  for (int s = 0; s < gradients; ++s)
    for (int b = 0; b < n; ++b) G[s][b] = static_cast<double>(below[s][b] >> count_bits);
  for (int b = 0; b < n; ++b) H[b] = static_cast<double>(below[gradients][b]);
  for (int s = 0; s < gradients; ++s) total_G[s] = static_cast<double>(search.total[s] >> count_bits);
  const double total_H = static_cast<double>(search.total[gradients]);
  const double g_unit = search.g_unit, h_unit = search.h_unit, lambda = search.lambda, least_hessian = search.least_hessian;
  for (int b = 0; b < n; ++b) {
    double left = 0, right = 0;
    for (int s = 0; s < gradients; ++s) {
      const double l = G[s][b] * g_unit, r = (total_G[s] - G[s][b]) * g_unit;
      left += l * l;
      right += r * r;
    }
    const double left_H = H[b] * h_unit, right_H = (total_H - H[b]) * h_unit;
    const double both = left / (left_H + lambda) + right / (right_H + lambda);
    gain[b] = std::min(left_H, right_H) >= least_hessian ? both : 0.0;
  }
  constexpr int side = 8;
  double highest[side] = {};
  int b = 0;
  for (; b + side <= n; b += side)
    for (int i = 0; i < side; ++i) highest[i] = std::max(highest[i], gain[b + i]);
  for (; b < n; ++b) highest[0] = std::max(highest[0], gain[b]);
  for (int i = 1; i < side; ++i) highest[0] = std::max(highest[0], highest[i]);
  return highest[0];
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

void add_slots(const std::uint32_t* slot, const std::uint32_t* start, const std::int64_t* words, int lanes, const std::uint32_t* listed,
               std::size_t n, std::int64_t* histogram) {
  const auto* from = reinterpret_cast<const Words*>(words);
  auto* cells = reinterpret_cast<Words*>(histogram);
  if (lanes == 2)
    add_listed_slots<1>(slot, start, from, listed, n, cells);
  else
    add_listed_slots<2>(slot, start, from, listed, n, cells);
}

// Every cut is compared with every cell: that waits for nothing, where a search guesses.
void bin_cells(const CutPoints& cuts, const float* cell, std::size_t cells, std::size_t n, std::uint8_t* bin, std::size_t bins) {
  constexpr std::size_t block = 32;
  float x[block] = {};
  for (std::size_t first = 0; first < n; first += block) {
    const std::size_t size = std::min(block, n - first);
    for (std::size_t i = 0; i < size; ++i) x[i] = cell[(first + i) * cells];
    std::int32_t below[block] = {};
    for (std::size_t c = 0; c < cuts.n; ++c) {
      const float cut = cuts.cut[c];
      for (std::size_t i = 0; i < block; ++i) below[i] += cut < x[i] ? 1 : 0;
    }
    for (std::size_t i = 0; i < size; ++i) bin[(first + i) * bins] = static_cast<std::uint8_t>(x[i] <= cuts.highest ? 1 + below[i] : 0);
  }
}

double cut_gains(const CutSearch& search, int lanes, const std::int64_t* cell, int n, const std::int64_t* with, double* gain) {
  return lanes == 2 ? gains_of<1>(search, cell, n, with, gain) : gains_of<3>(search, cell, n, with, gain);
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

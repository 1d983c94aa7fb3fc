#include "streamboost/replay/replay_kernels.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "streamboost/math/levels.hpp"
#include "streamboost/math/math.hpp"

namespace streamboost::replay::STREAMBOOST_LEVEL {
namespace {

// All words of a row, or of a cell of a histogram.
template <int lanes>
struct WordsOf;
template <>
struct WordsOf<2> {
  using Type = std::int64_t __attribute__((vector_size(16), may_alias));
};
template <>
struct WordsOf<4> {
#if defined(__AVX__)
  using Type = std::int64_t __attribute__((vector_size(32), may_alias));
#else  // gcc 12 takes values wider than a register through the stack
  struct [[gnu::may_alias]] Type {
    WordsOf<2>::Type low, high;
    [[gnu::always_inline]] Type& operator+=(const Type& other) {
      low += other.low;
      high += other.high;
      return *this;
    }
  };
#endif
};

// The nearest whole number, halves to even, of |x| below 2^51: adding 1.5 * 2^52 leaves it in the lowest bits.
[[gnu::always_inline]] inline std::int64_t nearest(double x) {
  constexpr double magic = 0x1.8p52;
  return std::bit_cast<std::int64_t>(x + magic) - std::bit_cast<std::int64_t>(magic);
}

// w p (1 - p), from |g| = w p, or w (1 - p) for the row's own class.
[[gnu::always_inline]] inline double curvature(double g, double weight) {
  const double s = std::fabs(g);
  return s - s * s / weight;
}

template <std::size_t n_drawn>
[[gnu::always_inline]] inline void sketch(const double* g, std::size_t classes, const std::size_t* drawn, const double* weight,
                                          double factor, std::size_t n, std::int64_t* __restrict words) {
  for (std::size_t i = 0; i < n; ++i) {
    double h = 0;
    for (std::size_t s = 0; s < n_drawn; ++s) {
      const double one = g[i * classes + drawn[s]];
      words[i * (n_drawn + 1) + s] = std::bit_cast<std::int64_t>(one);
      h += curvature(one, weight[i]) * factor;
    }
    words[i * (n_drawn + 1) + n_drawn] = std::bit_cast<std::int64_t>(h / static_cast<double>(n_drawn));
  }
}

template <std::size_t lanes>
[[gnu::always_inline]] inline void largest_of(const std::int64_t* words, std::size_t n, double& g, double& h) {
  constexpr std::size_t side = 16;
  double most[side] = {};
  const auto one = [&](std::size_t at, std::size_t j) __attribute__((always_inline)) {
    const std::int64_t size = j % lanes + 1 < lanes ? std::numeric_limits<std::int64_t>::max() : -1;  // of gradients without their sign
    most[j] = std::max(most[j], std::bit_cast<double>(words[at + j] & size));
  };
  std::size_t at = 0;
  for (; at + side <= n * lanes; at += side)
    for (std::size_t j = 0; j < side; ++j) one(at, j);
  for (std::size_t j = 0; at + j < n * lanes; ++j) one(at, j);
  for (std::size_t j = 0; j < side; ++j) {
    double& known = j % lanes + 1 < lanes ? g : h;
    known = std::max(known, most[j]);
  }
}

template <std::size_t lanes>
[[gnu::always_inline]] inline void pack(std::int64_t* words, double g_scale, double h_scale, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t s = 0; s < lanes; ++s) {
      std::int64_t& word = words[i * lanes + s];
      const double x = std::bit_cast<double>(word);
      word = s + 1 < lanes ? (nearest(x * g_scale) << count_bits) + 1 : nearest(x * h_scale);
    }
}

template <std::size_t classes>
[[gnu::always_inline]] inline void sums_of(const double* g, std::size_t stride, const double* weight, const std::uint32_t* listed,
                                           std::size_t n, double* G, double* H) {
  double sum[classes] = {}, curved[classes] = {};
  for (std::size_t i = 0; i < n; ++i) {
    const double *row = g + listed[i] * stride, w = weight[listed[i]];
    for (std::size_t c = 0; c < classes; ++c) {
      sum[c] += row[c];
      curved[c] += curvature(row[c], w);
    }
  }
  std::copy_n(sum, classes, G);
  std::copy_n(curved, classes, H);
}

template <int lanes>
[[gnu::always_inline]] inline void add_listed(const BinnedRows& rows, const std::uint32_t* listed, std::size_t n, int first, int last,
                                              std::int64_t* histogram) {
  using Words = typename WordsOf<lanes>::Type;
  const auto* words = reinterpret_cast<const Words*>(rows.words);
  auto* cells = reinterpret_cast<Words*>(histogram);
  const std::uint32_t* offset = rows.offset;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t row = listed[i];
    const std::uint8_t* bin = rows.bin + row * rows.stride;
    if (i + 16 < n) __builtin_prefetch(rows.bin + listed[i + 16] * rows.stride + first);
    const Words add = words[row];
    int j = first;
    for (; j + 4 <= last; j += 4) {
      cells[offset[j] + bin[j]] += add;
      cells[offset[j + 1] + bin[j + 1]] += add;
      cells[offset[j + 2] + bin[j + 2]] += add;
      cells[offset[j + 3] + bin[j + 3]] += add;
    }
    for (; j < last; ++j) cells[offset[j] + bin[j]] += add;
  }
}

template <int lanes>
[[gnu::always_inline]] inline void add_listed_slots(const std::uint32_t* slot, const std::uint32_t* start, const std::int64_t* from,
                                                    const std::uint32_t* listed, std::size_t n, std::int64_t* histogram) {
  using Words = typename WordsOf<lanes>::Type;
  const auto* words = reinterpret_cast<const Words*>(from);
  auto* cells = reinterpret_cast<Words*>(histogram);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t row = listed[i];
    if (i + 16 < n) __builtin_prefetch(slot + start[listed[i + 16]]);
    const Words add = words[row];
    for (std::size_t s = start[row]; s < start[row + 1]; ++s) cells[slot[s]] += add;
  }
}

// Sums of curvatures, below 2^50, and of gradients, below 2^43 in front of their rows, as doubles. Vectors before AVX-512 turn no whole numbers into
// doubles: there they become the lowest bits of one.
[[gnu::always_inline]] inline double curvatures(std::int64_t word) {
#if defined(__x86_64__) && !defined(__AVX512DQ__)
  constexpr double magic = 0x1.8p52;
  return std::bit_cast<double>(word + std::bit_cast<std::int64_t>(magic)) - magic;
#else
  return static_cast<double>(word);
#endif
}
[[gnu::always_inline]] inline double gradients(std::int64_t word) {
#if defined(__x86_64__) && !defined(__AVX512DQ__)
  constexpr std::uint64_t sign = std::uint64_t{1} << (63 - count_bits);
  const std::uint64_t bits = (static_cast<std::uint64_t>(word) >> count_bits ^ sign) | std::bit_cast<std::uint64_t>(0x1p52);
  return std::bit_cast<double>(bits) - (0x1p52 + static_cast<double>(sign));
#else
  return gradient_of(word);
#endif
}

template <int sketch>
[[gnu::always_inline]] inline double gains_of(const CutSearch& search, const std::int64_t* cell, int n, const std::int64_t* with,
                                              double* __restrict gain) {
  constexpr int most = 256, lanes = sketch + 1;
  using Words = typename WordsOf<lanes>::Type;
  alignas(64) std::int64_t below[most * lanes];
  Words sum;
  std::memcpy(&sum, with, sizeof sum);
  const auto* cells = reinterpret_cast<const Words*>(cell);
  for (int b = 0; b < n; ++b) *reinterpret_cast<Words*>(below + b * lanes) = sum += cells[b];
  double total_G[sketch];
  for (int s = 0; s < sketch; ++s) total_G[s] = gradient_of(search.total[s]);
  const double total_H = static_cast<double>(search.total[sketch]);
  const double g_unit = search.g_unit, h_unit = search.h_unit, lambda = search.lambda, least_hessian = search.least_hessian;
  for (int b = 0; b < n; ++b) {
    double left = 0, right = 0;
    for (int s = 0; s < sketch; ++s) {
      const double G = gradients(below[b * lanes + s]), l = G * g_unit, r = (total_G[s] - G) * g_unit;
      left += l * l;
      right += r * r;
    }
    const double H = curvatures(below[b * lanes + sketch]), left_H = H * h_unit, right_H = (total_H - H) * h_unit;
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
                        std::int64_t* __restrict words) {
  for (std::size_t i = 0; i < n; ++i) {
    const double p = sigmoid(F[i]);
    words[2 * i] = std::bit_cast<std::int64_t>(weight[i] * (p - y[i]));
    words[2 * i + 1] = std::bit_cast<std::int64_t>(weight[i] * (p * (1.0 - p)));
  }
}

// Exponentials of some rows at once, the rest a row at a time.
void softmax_gradients(const double* __restrict F, std::size_t classes, const double* __restrict y, const double* __restrict weight,
                       std::size_t n, double* __restrict g) {
  constexpr std::size_t together = 512;
  const std::size_t block = std::max<std::size_t>(1, together / classes);
  for (std::size_t first = 0; first < n; first += block) {
    const std::size_t end = std::min(n, first + block);
    for (std::size_t i = first; i < end; ++i) {
      const double* from = F + i * classes;
      double highest = from[0];
      for (std::size_t c = 1; c < classes; ++c) highest = std::max(highest, from[c]);
      for (std::size_t c = 0; c < classes; ++c) g[i * classes + c] = from[c] - highest;
    }
    exp_lanes(g + first * classes, g + first * classes, (end - first) * classes);
    for (std::size_t i = first; i < end; ++i) {
      double *p = g + i * classes, sum = 0;
      for (std::size_t c = 0; c < classes; ++c) sum += p[c];
      for (std::size_t c = 0; c < classes; ++c) p[c] /= sum;
      p[static_cast<std::size_t>(y[i])] -= 1.0;
      if (weight[i] == 1.0) continue;
      for (std::size_t c = 0; c < classes; ++c) p[c] *= weight[i];
    }
  }
}

void sketch_rows(const double* g, std::size_t classes, const std::size_t* drawn, std::size_t n_drawn, const double* weight, double factor,
                 std::size_t n, std::int64_t* words) {
  n_drawn == 1 ? sketch<1>(g, classes, drawn, weight, factor, n, words) : sketch<3>(g, classes, drawn, weight, factor, n, words);
}

void find_largest(const std::int64_t* words, int lanes, std::size_t n, double* g, double* h) {
  lanes == 2 ? largest_of<2>(words, n, *g, *h) : largest_of<4>(words, n, *g, *h);
}

void pack_words(std::int64_t* words, int lanes, double g_scale, double h_scale, std::size_t n) {
  lanes == 2 ? pack<2>(words, g_scale, h_scale, n) : pack<4>(words, g_scale, h_scale, n);
}

void leaf_sums(const double* g, std::size_t classes, const double* weight, const std::uint32_t* listed, std::size_t n, double* G,
               double* H) {
  std::size_t c = 0;
  for (; c + 8 <= classes; c += 8) sums_of<8>(g + c, classes, weight, listed, n, G + c, H + c);
  if (c + 4 <= classes) sums_of<4>(g + c, classes, weight, listed, n, G + c, H + c), c += 4;
  if (c + 2 <= classes) sums_of<2>(g + c, classes, weight, listed, n, G + c, H + c), c += 2;
  if (c < classes) sums_of<1>(g + c, classes, weight, listed, n, G + c, H + c);
}

void add_values(const double* __restrict value, std::size_t outputs, const std::uint32_t* __restrict listed, std::size_t n,
                double* __restrict F) {
  if (outputs == 1) {
    for (std::size_t i = 0; i < n; ++i) F[listed[i]] += value[0];
    return;
  }
  for (std::size_t i = 0; i < n; ++i) {
    double* row = F + listed[i] * outputs;
    for (std::size_t c = 0; c < outputs; ++c) row[c] += value[c];
  }
}

void add_rows(const BinnedRows& rows, int lanes, const std::uint32_t* listed, std::size_t n, int first, int last, std::int64_t* histogram) {
  lanes == 2 ? add_listed<2>(rows, listed, n, first, last, histogram) : add_listed<4>(rows, listed, n, first, last, histogram);
}

void add_slots(const std::uint32_t* slot, const std::uint32_t* start, const std::int64_t* words, int lanes, const std::uint32_t* listed,
               std::size_t n, std::int64_t* histogram) {
  lanes == 2 ? add_listed_slots<2>(slot, start, words, listed, n, histogram)
             : add_listed_slots<4>(slot, start, words, listed, n, histogram);
}

void subtract(std::int64_t* __restrict from, const std::int64_t* __restrict what, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) from[i] -= what[i];
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

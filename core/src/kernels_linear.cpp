#include <algorithm>
#include <bit>
#include <cmath>

#include "streamboost/clones.hpp"
#include "streamboost/kernels.hpp"
#include "streamboost/vec.hpp"

namespace streamboost {
namespace {

[[gnu::always_inline]] inline std::size_t table_row(const Entries& row, int i) {
  return static_cast<std::size_t>(row.index ? row.index[i] : i);
}

// `width` vectors of one table row at a time: the partial sums stay in registers while the features pass by.
template <int width>
[[gnu::always_inline]] inline void ask_tile(const double* table, std::size_t cells, const Entries& row, double* out) {
  Vec sum[width] = {};
  for (int i = 0; i < row.n; ++i) {
    const Vec* w = reinterpret_cast<const Vec*>(table + table_row(row, i) * cells);
    const double x = row.x[i];
    for (int v = 0; v < width; ++v) sum[v] += x * w[v];
  }
  for (int v = 0; v < width; ++v) reinterpret_cast<Vec*>(out)[v] = sum[v];
}

[[gnu::always_inline]] inline bool all_zero(const double* step) {
  double any = 0;
  for (int i = 0; i < 16; ++i) any += std::fabs(step[i]);
  return any == 0;
}

}  // namespace

STREAMBOOST_CLONES void linear_ask(const double* table, std::size_t cells, Entries row, double* out) {
  std::size_t c = 0;
  for (; c + 32 <= cells; c += 32) ask_tile<4>(table + c, cells, row, out + c);
  for (; c < cells; c += 16) ask_tile<2>(table + c, cells, row, out + c);
}

STREAMBOOST_CLONES void linear_teach(double* table, std::size_t cells, Entries row, const double* step) {
  for (std::size_t c = 0; c < cells; c += 16) {
    if (all_zero(step + c)) continue;
    const Vec a = reinterpret_cast<const Vec*>(step + c)[0], b = reinterpret_cast<const Vec*>(step + c)[1];
    for (int i = 0; i < row.n; ++i) {
      Vec* w = reinterpret_cast<Vec*>(table + table_row(row, i) * cells + c);
      const double x = row.x[i];
      w[0] += x * a;
      w[1] += x * b;
    }
  }
}

STREAMBOOST_CLONES void linear_teach_masked(double* table, const double* mask, std::size_t cells, Entries row, const double* step) {
  for (std::size_t c = 0; c < cells; c += 16) {
    if (all_zero(step + c)) continue;
    const Vec a = reinterpret_cast<const Vec*>(step + c)[0], b = reinterpret_cast<const Vec*>(step + c)[1];
    for (int i = 0; i < row.n; ++i) {
      const std::size_t at = table_row(row, i) * cells + c;
      Vec* w = reinterpret_cast<Vec*>(table + at);
      const Vec* m = reinterpret_cast<const Vec*>(mask + at);
      const double x = row.x[i];
      w[0] += x * a * m[0];
      w[1] += x * b * m[1];
    }
  }
}

STREAMBOOST_CLONES void linear_masked_norm(const double* mask, std::size_t cells, Entries row, double* out) {
  for (std::size_t c = 0; c < cells; c += vec_size) {
    Vec sum = {};
    for (int i = 0; i < row.n; ++i) sum += (row.x[i] * row.x[i]) * *reinterpret_cast<const Vec*>(mask + table_row(row, i) * cells + c);
    *reinterpret_cast<Vec*>(out + c) = sum;
  }
}

STREAMBOOST_CLONES void linear_squared_norms(const double* table, std::size_t rows, std::size_t cells, double* out) {
  for (std::size_t c = 0; c < cells; c += vec_size) {
    Vec sum = {};
    for (std::size_t r = 0; r < rows; ++r) {
      const Vec w = *reinterpret_cast<const Vec*>(table + r * cells + c);
      sum += w * w;
    }
    *reinterpret_cast<Vec*>(out + c) = sum;
  }
}

STREAMBOOST_CLONES void begin_lesson(const double* __restrict amount, double label, double squared_norm, double* __restrict trained,
                                     double* __restrict y, double* __restrict xx, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    trained[i] = amount[i] > 0.0 ? 1.0 : trained[i];
    y[i] = label;
    xx[i] = squared_norm;
  }
}

STREAMBOOST_CLONES void perceptron_hypothesis(const double* __restrict raw, const double* __restrict squared_norm, double* __restrict h,
                                              std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const double norm = std::sqrt(squared_norm[i] > 1.0 ? squared_norm[i] : 1.0);
    const double x = raw[i] / norm;
    h[i] = x > 1.0 ? 1.0 : x < -1.0 ? -1.0 : x;
  }
}

STREAMBOOST_CLONES bool sign_votes(const double* __restrict raw, const double* __restrict trained, std::int32_t* __restrict vote,
                                   std::size_t n) {
  std::uint64_t zeros = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::int32_t sign = raw[i] > 0.0 ? 1 : 0;
    vote[i] = trained[i] == 0.0 ? -1 : sign;
    zeros |= (std::bit_cast<std::uint64_t>(raw[i]) << 1) == 0 ? std::uint64_t{1} : std::uint64_t{0};
  }
  return zeros == 0;
}

STREAMBOOST_CLONES void clip_hypothesis(const double* __restrict raw, double* __restrict h, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) h[i] = raw[i] > 1.0 ? 1.0 : raw[i] < -1.0 ? -1.0 : raw[i];
}

STREAMBOOST_CLONES void perceptron_weight_steps(const double* __restrict raw, const double* __restrict y, const double* __restrict amount,
                                                const double* __restrict xx, double* __restrict squared_norm, double* __restrict step,
                                                std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const double move = y[i] * raw[i] <= 0.0 ? amount[i] * y[i] : 0.0;
    const double grown = squared_norm[i] + (2.0 * move * raw[i] + move * move * xx[i]);
    squared_norm[i] = grown > 0.0 ? grown : 0.0;
    step[i] = move;
  }
}

STREAMBOOST_CLONES void perceptron_copy_steps(const double* __restrict raw, const double* __restrict y, const double* __restrict amount,
                                              const double* __restrict xx, double* __restrict squared_norm, double* __restrict step,
                                              std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const double move = perceptron_move(raw[i], y[i], amount[i], xx[i]);
    const double grown = squared_norm[i] + (2.0 * move * raw[i] + move * move * xx[i]);
    squared_norm[i] = grown > 0.0 ? grown : 0.0;
    step[i] = move;
  }
}

STREAMBOOST_CLONES void ogd_steps(const double* __restrict raw, const double* __restrict y, const double* __restrict amount,
                                  const double* __restrict xx, const double* __restrict sum_squares, double* __restrict squared_norm,
                                  double* __restrict scale, double* __restrict step, std::size_t n) {
  const double root_two = std::sqrt(2.0);
  for (std::size_t i = 0; i < n; ++i) {
    const double rate = sum_squares[i] > 0.0 ? root_two / std::sqrt(sum_squares[i]) : 0.0;
    const double move = rate * amount[i] * y[i];
    const double grown = squared_norm[i] + (2.0 * move * raw[i] + move * move * xx[i]);
    const bool outside = grown > 1.0 && move != 0.0;
    step[i] = move / scale[i];
    scale[i] *= outside ? 1.0 / std::sqrt(grown) : 1.0;
    squared_norm[i] = outside ? 1.0 : grown > 0.0 ? grown : 0.0;
  }
}

// p and step may be the same array.
STREAMBOOST_CLONES void logistic_steps(const double* p, const double* y, const double* amount, const double* sum_squares, double* step,
                                       std::size_t n) {
  const double root_two = std::sqrt(2.0);
  for (std::size_t i = 0; i < n; ++i) {
    const double rate = sum_squares[i] > 0.0 ? root_two / std::sqrt(sum_squares[i]) : 0.0;
    step[i] = rate * amount[i] * ((y[i] > 0.0 ? 1.0 : 0.0) - p[i]);
  }
}

}  // namespace streamboost

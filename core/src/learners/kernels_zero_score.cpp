// Naive Bayes on sparse rows: what zeros score is kept, what is not zero corrects it (learners/zero_score.hpp).
// What runs over the nodes takes eight lanes as one Vec, and chooses by the bits of a sign: arithmetic only (see kernels_naive_bayes.cpp).
#include <bit>
#include <cstdint>

#include "streamboost/math/clones.hpp"
#include "streamboost/math/kernels.hpp"
#include "streamboost/math/math.hpp"
#include "streamboost/math/product.hpp"
#include "streamboost/math/vec.hpp"

namespace streamboost {
namespace {

// cos(pi (k + 1/2) / 12): the zeros of the Chebyshev polynomial of degree 12.
constexpr double chebyshev_zero[zero_nodes] = {0.9914448613738104,  0.9238795325112867,  0.7933533402912352,   0.6087614290087207,
                                               0.3826834323650898,  0.13052619222005157, -0.13052619222005157, -0.3826834323650898,
                                               -0.6087614290087207, -0.7933533402912352, -0.9238795325112867,  -0.9914448613738104};

// From the values at the nodes to the coefficients of Chebyshev polynomials: 2/K T_m(s_k), half of it for m = 0.
struct ToCoefficients {
  double factor[zero_nodes][zero_nodes];
  constexpr ToCoefficients() : factor() {
    for (int k = 0; k < zero_nodes; ++k) {
      double before = 1, now = chebyshev_zero[k];
      for (int m = 0; m < zero_nodes; ++m) {
        factor[m][k] = (m == 0 ? 1.0 : 2.0) / zero_nodes * before;
        const double next = 2 * chebyshev_zero[k] * now - before;
        before = now;
        now = next;
      }
    }
  }
};
constexpr ToCoefficients to_coefficients;

// The nodes in units of 1 / from: n = from ... 1.5 from.
constexpr double node(int k) { return (5 + chebyshev_zero[k]) / 6; }

[[gnu::always_inline]] inline const Vec& at(const double* p) { return *reinterpret_cast<const Vec*>(p); }
[[gnu::always_inline]] inline Vec& at(double* p) { return *reinterpret_cast<Vec*>(p); }
[[gnu::always_inline]] inline VecBits bits_of(Vec x) { return reinterpret_cast<VecBits>(x); }
[[gnu::always_inline]] inline Vec from_bits(VecBits b) { return reinterpret_cast<Vec>(b); }
// All ones where x is below 0 (or -0).
[[gnu::always_inline]] inline VecBits negative(Vec x) { return 0 - (bits_of(x) >> 63); }

// `renormalise` for eight lanes.
[[gnu::always_inline]] inline void renormalise(Vec& mantissa, Vec& exponent) {
  const VecBits bits = bits_of(mantissa);
  exponent += from_bits((bits >> 52) - 1023 + 0x4338000000000000ULL) - 0x1.8p52;
  mantissa = from_bits((bits & 0x000FFFFFFFFFFFFFULL) | 0x3FF0000000000000ULL);
}

constexpr double ln2 = 0.693147180559945309417;

}  // namespace

STREAMBOOST_CLONES void sparse_moments_teach(const SparseCells& cells, double x, const double* __restrict amount,
                                             const double* __restrict from, double per_floor, const CellChange& change, std::size_t lanes) {
  double* __restrict weight = cells.weight, * __restrict mean = cells.mean, * __restrict spread = cells.spread;
  double *__restrict a0 = change.a0, *__restrict b0 = change.b0, *__restrict a1 = change.a1, *__restrict b1 = change.b1,
         *__restrict heavier = change.heavier;
#pragma GCC ivdep
  for (std::size_t l = 0; l < lanes; ++l) {
    const double w = weight[l], m = mean[l], s = spread[l], a = amount[l], limit = 0.5 * from[l];
    const double w1 = w + a, ratio = a / (w1 > 0.0 ? w1 : 1.0), deviation = x - m;
    const double m1 = m + deviation * ratio, s1 = s + a * (1.0 - ratio) * (deviation * deviation);
    const double before = w > limit ? 0.0 : 1.0, after = w1 > limit ? 0.0 : 1.0, moves = a > 0.0 ? per_floor : 0.0;
    const double p = w * (m * m), p1 = w1 * (m1 * m1), old = before * moves, now = after * moves;
    a0[l] = old * (s + p);
    b0[l] = old * (p * w);
    a1[l] = now * (s1 + p1);
    b1[l] = now * (p1 * w1);
    heavier[l] = before - after;
    weight[l] = w1;
    mean[l] = m1;
    spread[l] = s1;
  }
}

STREAMBOOST_CLONES void presence_teach(double* __restrict weight, const double* __restrict amount, const double* __restrict from,
                                       const CellChange& change, std::size_t lanes) {
  double *__restrict a0 = change.a0, *__restrict b0 = change.b0, *__restrict a1 = change.a1, *__restrict b1 = change.b1,
         *__restrict heavier = change.heavier;
#pragma GCC ivdep
  for (std::size_t l = 0; l < lanes; ++l) {
    const double w = weight[l], w1 = w + amount[l], limit = 0.5 * from[l], moves = amount[l] > 0.0 ? -1.0 : 0.0;
    const double before = w > limit ? 0.0 : 1.0, after = w1 > limit ? 0.0 : 1.0;
    a0[l] = before * moves * w;
    a1[l] = after * moves * w1;
    b0[l] = b1[l] = 0.0;
    heavier[l] = before - after;
    weight[l] = w1;
  }
}

// v1 / v0 and u^2 (b1 / v1 - b0 / v0) with one division. Where a cell does not count its a and b are 0, and that is exactly 1 and 0.
STREAMBOOST_CLONES void zero_nodes_move(const CellChange& change, const double* __restrict per, const NodeSums& sums, std::size_t lanes) {
  const double* __restrict a0 = change.a0, * __restrict b0 = change.b0, * __restrict a1 = change.a1, * __restrict b1 = change.b1;
  for (int k = 0; k < zero_nodes; ++k) {
    const std::size_t row = static_cast<std::size_t>(k) * lanes;
    double* __restrict mantissa = sums.mantissa + row, * __restrict exponent = sums.exponent + row, * __restrict quadratic = sums.quadratic + row;
    const double at_node = node(k);
#pragma GCC ivdep
    for (std::size_t l = 0; l < lanes; ++l) {
      const double u = at_node * per[l], v0 = 1.0 + u * (a0[l] - b0[l] * u), v1 = 1.0 + u * (a1[l] - b1[l] * u);
      const double inverse = 1.0 / (v0 * v1);
      double m = mantissa[l] * (v1 * v1 * inverse), e = exponent[l];
      renormalise(m, e);
      mantissa[l] = m;
      exponent[l] = e;
      quadratic[l] += u * u * (b1[l] * v0 - b0[l] * v1) * inverse;
    }
  }
}

namespace {

// The sum that two doubles hold grows; what rounding loses goes to the second.
[[gnu::always_inline]] inline void add_exactly(double& high, double& low, double x) {
  const double sum = high + x, part = sum - high;
  low += (high - (sum - part)) + (x - part);
  high = sum;
}

}  // namespace

STREAMBOOST_CLONES void zero_score_add(const NodeSums& sums, double log_factor, double* score, std::size_t pitch, std::size_t lanes) {
  double* __restrict value = sums.mantissa;
  log_lanes(value, value, zero_nodes * lanes);
  for (std::size_t l = 0; l < zero_nodes * lanes; ++l)
    value[l] = log_factor * (value[l] + sums.exponent[l] * ln2) - 0.5 * sums.quadratic[l];
  for (int m = 0; m < zero_nodes; ++m) {
    double* __restrict high = score + static_cast<std::size_t>(2 * m) * pitch, * __restrict low = high + pitch;
    double* __restrict sum = sums.exponent;
    for (std::size_t l = 0; l < lanes; ++l) sum[l] = 0;
    for (int k = 0; k < zero_nodes; ++k) {
      const double factor = to_coefficients.factor[m][k];
      const double* __restrict at_node = value + static_cast<std::size_t>(k) * lanes;
      for (std::size_t l = 0; l < lanes; ++l) sum[l] += factor * at_node[l];
    }
    for (std::size_t l = 0; l < lanes; ++l) add_exactly(high[l], low[l], sum[l]);
  }
}

STREAMBOOST_CLONES void zero_score_ask(const double* score, std::size_t pitch, const double* from, const double* n, double* out,
                                       std::size_t lanes) {
  for (std::size_t l = 0; l < lanes; ++l) out[l] = 6.0 * (from[l] / (n[l] > 0.0 ? n[l] : 1.0)) - 5.0;
  for (std::size_t l = 0; l < lanes; l += vec_size) {
    const Vec s = at(out + l);
    Vec one = {}, two = {};
    for (int m = zero_nodes - 1; m > 0; --m) {
      const double* row = score + static_cast<std::size_t>(2 * m) * pitch + l;
      const Vec next = 2.0 * s * one - two + (at(row) + at(row + pitch));
      two = one;
      one = next;
    }
    at(out + l) = (s * one - two + at(score + pitch + l)) + at(score + l);
  }
}

double zero_score_of(const double* score, std::size_t pitch, double from, double n) {
  const double s = 6.0 * (from / n) - 5.0;
  double one = 0, two = 0;
  for (int m = zero_nodes - 1; m > 0; --m) {
    const double* row = score + static_cast<std::size_t>(2 * m) * pitch;
    const double next = 2 * s * one - two + (row[0] + row[pitch]);
    two = one;
    one = next;
  }
  return (s * one - two + score[pitch]) + score[0];
}

STREAMBOOST_CLONES void zero_score_afresh(const SparseView& table, std::size_t cell_pitch, Marked columns, const double* from,
                                          double per_floor, double log_factor, double* value) {
  Vec mantissa[zero_nodes], exponent[zero_nodes], quadratic[zero_nodes], u[zero_nodes];
  Vec limit, unit;
  for (std::size_t l = 0; l < vec_size; ++l) {
    limit[l] = 0.5 * from[l];
    unit[l] = from[l] > 0.0 ? 1.0 / from[l] : 0.0;
  }
  for (int k = 0; k < zero_nodes; ++k) {
    mantissa[k] = Vec{} + 1.0;
    exponent[k] = quadratic[k] = Vec{};
    u[k] = node(k) * unit;
  }
  for (std::size_t word = 0; word < columns.n_words; ++word)
    for (std::uint64_t rest = columns.words[word]; rest != 0; rest &= rest - 1) {
      const std::size_t cell = (word * 64 + static_cast<std::size_t>(std::countr_zero(rest))) * cell_pitch;
      const Vec w = at(table.weight + cell);
      const VecBits light = ~negative(limit - w);
      Vec a = 0.0 - w, b = Vec{};
      if (table.mean != nullptr) {
        const Vec p = w * (at(table.mean + cell) * at(table.mean + cell));
        a = (at(table.spread + cell) + p) * per_floor;
        b = from_bits(bits_of(p * w * per_floor) & light);
      }
      a = from_bits(bits_of(a) & light);
      for (int k = 0; k < zero_nodes; ++k) {
        const Vec v = 1.0 + u[k] * (a - b * u[k]);
        mantissa[k] *= v;
        quadratic[k] += u[k] * u[k] * b / v;
        renormalise(mantissa[k], exponent[k]);
      }
    }
  double node_value[zero_nodes];
  for (std::size_t l = 0; l < vec_size; ++l) {
    for (int k = 0; k < zero_nodes; ++k)
      node_value[k] = log_factor * (streamboost::log(mantissa[k][l]) + exponent[k][l] * ln2) - 0.5 * quadratic[k][l];
    for (int m = 0; m < zero_nodes; ++m) {
      double x = 0;
      for (int k = 0; k < zero_nodes; ++k) x += to_coefficients.factor[m][k] * node_value[k];
      value[static_cast<std::size_t>(m) * vec_size + l] = x;
    }
  }
}

STREAMBOOST_CLONES void sparse_moments_ask(const SparseView& cells, double x, const double* per, const double* from, double floor,
                                           const double* mask, double* out, std::size_t lanes) {
  for (std::size_t l = 0; l < lanes; l += vec_size) {
    const Vec w = at(cells.weight + l), m = at(cells.mean + l), u = at(per + l), wm = w * m, p = wm * m;
    const Vec v = floor + u * ((at(cells.spread + l) + p) - p * w * u), correction = x * (wm * u - 0.5 * x) / v;
    const VecBits light = ~negative(0.5 * at(from + l) - w);
    at(out + l) += from_bits(bits_of(correction * at(mask + l)) & light);
  }
}

STREAMBOOST_CLONES void heavy_moments_ask(const SparseView& cells, double x, const double* __restrict n, const double* __restrict from,
                                          double floor, const NodeSums& sums, std::size_t lanes) {
  const double* __restrict weight = cells.weight, * __restrict mean = cells.mean, * __restrict spread = cells.spread;
  double* __restrict mantissa = sums.mantissa, * __restrict exponent = sums.exponent, * __restrict quadratic = sums.quadratic;
  const double per_floor = 1.0 / floor;
#pragma GCC ivdep
  for (std::size_t l = 0; l < lanes; ++l) {
    const double w = weight[l], m = mean[l], heavy = w > 0.5 * from[l] ? per_floor : 0.0;
    const double rest = n[l] - w, u = 1.0 / (n[l] > 0.0 ? n[l] : 1.0), zeros = (rest > 0.0 ? rest : 0.0) * u;
    const double v = 1.0 + heavy * (u * (spread[l] + w * (m * m) * zeros)), deviation = x - (m - m * zeros);
    double product = mantissa[l] * v, e = exponent[l];
    renormalise(product, e);
    mantissa[l] = product;
    exponent[l] = e;
    quadratic[l] += heavy * (deviation * deviation) / v;
  }
}

STREAMBOOST_CLONES void presence_ask(const double* __restrict weight, const double* __restrict n, const double* __restrict from,
                                     double alpha, double least, bool present, const double* __restrict mask, const NodeSums& sums,
                                     std::size_t lanes) {
  double* __restrict mantissa = sums.mantissa, * __restrict exponent = sums.exponent;
  const double with = present ? 1.0 : 0.0;
#pragma GCC ivdep
  for (std::size_t l = 0; l < lanes; ++l) {
    const double w = weight[l], u = 1.0 / (n[l] > 0.0 ? n[l] : 1.0), no = 1.0 - w * u, light = w > 0.5 * from[l] ? 0.0 : 1.0;
    double p = with * ((w + alpha) * u) + (1.0 - with) * no;
    p = p > least ? p : least;
    // Light: relative to a column that is not there, so that one of those is 1.
    const double base = light * no + (1.0 - light);
    double product = mantissa[l] * (mask[l] > 0.0 ? p / base : 1.0), e = exponent[l];
    renormalise(product, e);
    mantissa[l] = product;
    exponent[l] = e;
  }
}

STREAMBOOST_CLONES void count_ask(const double* __restrict count, const double* __restrict total, double alpha, double least, double x,
                                  const double* __restrict mask, double* __restrict share, double* __restrict out, std::size_t lanes) {
  for (std::size_t l = 0; l < lanes; ++l) {
    const double part = (count[l] + alpha) / (total[l] > 0.0 ? total[l] : 1.0);
    share[l] = part > least ? part : least;
  }
  log_lanes(share, share, lanes);
  for (std::size_t l = 0; l < lanes; ++l) out[l] += (total[l] > 0.0 ? x * mask[l] : 0.0) * share[l];
}

STREAMBOOST_CLONES void heavy_score_add(const NodeSums& sums, double log_factor, double* __restrict out, std::size_t lanes) {
  log_lanes(sums.mantissa, sums.mantissa, lanes);
  for (std::size_t l = 0; l < lanes; ++l) out[l] += log_factor * (sums.mantissa[l] + sums.exponent[l] * ln2) - 0.5 * sums.quadratic[l];
}

}  // namespace streamboost

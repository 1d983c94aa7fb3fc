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
constexpr double chebyshev_zero[zero_nodes] = {
    0.9914448613738104,  0.9238795325112867,   0.7933533402912352,  0.6087614290087207,  0.3826834323650898,  0.13052619222005157,
    -0.13052619222005157, -0.3826834323650898, -0.6087614290087207, -0.7933533402912352, -0.9238795325112867, -0.9914448613738104};

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
[[gnu::always_inline]] inline VecBits bits_of(const Vec& x) { return reinterpret_cast<const VecBits&>(x); }
[[gnu::always_inline]] inline Vec from_bits(const VecBits& b) { return reinterpret_cast<const Vec&>(b); }
// All ones where x is below 0 (or -0).
[[gnu::always_inline]] inline VecBits negative(const Vec& x) { return 0 - (bits_of(x) >> 63); }

// `renormalise` for eight lanes.
[[gnu::always_inline]] inline void renormalise(Vec& mantissa, Vec& exponent) {
  const VecBits bits = bits_of(mantissa);
  exponent += from_bits((bits >> 52) - 1023 + 0x4338000000000000ULL) - 0x1.8p52;
  mantissa = from_bits((bits & 0x000FFFFFFFFFFFFFULL) | 0x3FF0000000000000ULL);
}

constexpr double ln2 = 0.693147180559945309417;

}  // namespace

STREAMBOOST_CLONES void sparse_moments_teach(const SparseCells& cells, double x, const double* __restrict amount,
                                            const double* __restrict from, const CellChange& change, std::size_t lanes) {
  double *__restrict weight = cells.weight, *__restrict mean = cells.mean, *__restrict spread = cells.spread;
  double *__restrict a0 = change.a0, *__restrict b0 = change.b0, *__restrict a1 = change.a1, *__restrict b1 = change.b1,
         *__restrict moves = change.moves, *__restrict heavier = change.heavier;
  for (std::size_t l = 0; l < lanes; ++l) {
    const double w = weight[l], m = mean[l], s = spread[l], a = amount[l], limit = 0.5 * from[l];
    const double w1 = w + a, ratio = a > 0.0 ? a / w1 : 0.0, deviation = x - m;
    const double m1 = m + deviation * ratio, s1 = s + a * (1.0 - ratio) * (deviation * deviation);
    const double before = w > limit ? 0.0 : 1.0, after = w1 > limit ? 0.0 : 1.0, p = w * (m * m), p1 = w1 * (m1 * m1);
    a0[l] = before * (s + p);
    b0[l] = before * (p * w);
    a1[l] = after * (s1 + p1);
    b1[l] = after * (p1 * w1);
    moves[l] = 0.0 - a * (before + after);  // never -0
    heavier[l] = before - after;
    weight[l] = w1;
    mean[l] = m1;
    spread[l] = s1;
  }
}

STREAMBOOST_CLONES void presence_teach(double* __restrict weight, const double* __restrict amount, const double* __restrict from,
                                       const CellChange& change, std::size_t lanes) {
  double *__restrict a0 = change.a0, *__restrict b0 = change.b0, *__restrict a1 = change.a1, *__restrict b1 = change.b1,
         *__restrict moves = change.moves, *__restrict heavier = change.heavier;
  for (std::size_t l = 0; l < lanes; ++l) {
    const double w = weight[l], w1 = w + amount[l], limit = 0.5 * from[l];
    const double before = w > limit ? 0.0 : 1.0, after = w1 > limit ? 0.0 : 1.0;
    a0[l] = -before * w;
    a1[l] = -after * w1;
    b0[l] = b1[l] = 0.0;
    moves[l] = 0.0 - amount[l] * (before + after);
    heavier[l] = before - after;
    weight[l] = w1;
  }
}

// v1 / v0 and u^2 (b1 / v1 - b0 / v0) with one division; exactly 1 and 0 where the cell does not count.
STREAMBOOST_CLONES void zero_nodes_move(const CellChange& change, const double* per, double floor, const NodeSums& sums,
                                        std::size_t lanes) {
  for (std::size_t l = 0; l < lanes; l += vec_size) {
    const Vec a0 = at(change.a0 + l), b0 = at(change.b0 + l), a1 = at(change.a1 + l), b1 = at(change.b1 + l), unit = at(per + l);
    const VecBits moves = negative(at(change.moves + l));
    const VecBits one = bits_of(Vec{} + 1.0) & ~moves;
    for (int k = 0; k < zero_nodes; ++k) {
      const std::size_t here = static_cast<std::size_t>(k) * lanes + l;
      const Vec u = node(k) * unit, v0 = floor + u * (a0 - b0 * u), v1 = floor + u * (a1 - b1 * u), inverse = 1.0 / (v0 * v1);
      const Vec ratio = from_bits((bits_of(v1 * v1 * inverse) & moves) | one);
      const Vec more = from_bits(bits_of(u * u * (b1 * v0 - b0 * v1) * inverse) & moves);
      Vec m = at(sums.mantissa + here) * ratio, e = at(sums.exponent + here);
      renormalise(m, e);
      at(sums.mantissa + here) = m;
      at(sums.exponent + here) = e;
      at(sums.quadratic + here) += more;
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
  for (int k = 0; k < zero_nodes; ++k) {
    double* __restrict mantissa = sums.mantissa + static_cast<std::size_t>(k) * lanes;
    const double *__restrict exponent = sums.exponent + static_cast<std::size_t>(k) * lanes,
                             *__restrict quadratic = sums.quadratic + static_cast<std::size_t>(k) * lanes;
    for (std::size_t l = 0; l < lanes; ++l)
      mantissa[l] = log_factor * (streamboost::log(mantissa[l]) + exponent[l] * ln2) - 0.5 * quadratic[l];
  }
  for (int m = 0; m < zero_nodes; ++m) {
    double *__restrict high = score + static_cast<std::size_t>(2 * m) * pitch, *__restrict low = high + pitch;
    for (std::size_t l = 0; l < lanes; ++l) {
      double x = 0;
      for (int k = 0; k < zero_nodes; ++k) x += to_coefficients.factor[m][k] * sums.mantissa[static_cast<std::size_t>(k) * lanes + l];
      add_exactly(high[l], low[l], x);
    }
  }
}

STREAMBOOST_CLONES void zero_score_ask(const double* score, std::size_t pitch, const double* __restrict from, const double* __restrict n,
                                       double* __restrict out, std::size_t lanes) {
  for (std::size_t l = 0; l < lanes; ++l) {
    const double s = n[l] > 0.0 ? 6.0 * (from[l] / n[l]) - 5.0 : 0.0;
    double one = 0, two = 0;
    for (int m = zero_nodes - 1; m > 0; --m) {
      const double* at = score + static_cast<std::size_t>(2 * m) * pitch + l;
      const double next = 2 * s * one - two + (at[0] + at[pitch]);
      two = one;
      one = next;
    }
    out[l] = (s * one - two + score[pitch + l]) + score[l];
  }
}

double zero_score_of(const double* score, std::size_t pitch, double from, double n) {
  double out = 0;
  zero_score_ask(score, pitch, &from, &n, &out, 1);
  return out;
}

STREAMBOOST_CLONES void zero_score_afresh(const SparseView& table, std::size_t cell_pitch, Marked columns, const double* from,
                                          double floor, double log_factor, double* value) {
  Vec mantissa[zero_nodes], exponent[zero_nodes], quadratic[zero_nodes], u[zero_nodes];
  const double base = 1.0 / floor;
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
        a = at(table.spread + cell) + p;
        b = from_bits(bits_of(p * w) & light);
      }
      a = from_bits(bits_of(a) & light);
      for (int k = 0; k < zero_nodes; ++k) {
        const Vec v = floor + u[k] * (a - b * u[k]);
        mantissa[k] *= v * base;
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
  const double *__restrict weight = cells.weight, *__restrict mean = cells.mean, *__restrict spread = cells.spread;
  double *__restrict mantissa = sums.mantissa, *__restrict exponent = sums.exponent, *__restrict quadratic = sums.quadratic;
  const double base = 1.0 / floor;
  for (std::size_t l = 0; l < lanes; ++l) {
    const double w = weight[l], m = mean[l], u = n[l] > 0.0 ? 1.0 / n[l] : 0.0, rest = n[l] - w, zeros = rest > 0.0 ? rest * u : 0.0;
    const double v = floor + u * (spread[l] + w * (m * m) * zeros), deviation = x - (m - m * zeros);
    const bool heavy = w > 0.5 * from[l];
    double product = heavy ? mantissa[l] * (v * base) : mantissa[l], e = exponent[l];
    const double q = deviation * deviation / v;
    renormalise(product, e);
    mantissa[l] = product;
    exponent[l] = e;
    quadratic[l] += heavy ? q : 0.0;
  }
}

STREAMBOOST_CLONES void presence_ask(const double* __restrict weight, const double* __restrict n, const double* __restrict from,
                                     double alpha, double least, bool present, const double* __restrict mask, const NodeSums& sums,
                                     std::size_t lanes) {
  double *__restrict mantissa = sums.mantissa, *__restrict exponent = sums.exponent;
  for (std::size_t l = 0; l < lanes; ++l) {
    const double w = weight[l], u = n[l] > 0.0 ? 1.0 / n[l] : 0.0, yes = (w + alpha) * u, no = 1.0 - w * u;
    const bool heavy = w > 0.5 * from[l];
    double p = present ? yes : no;
    p = p > least ? p : least;
    p = heavy ? p : present ? p / no : 1.0;
    p = mask == nullptr || mask[l] > 0.0 ? p : 1.0;
    double product = mantissa[l] * p, e = exponent[l];
    renormalise(product, e);
    mantissa[l] = product;
    exponent[l] = e;
  }
}

STREAMBOOST_CLONES void count_ask(const double* __restrict count, const double* __restrict total, double alpha, double least, double x,
                                  const double* __restrict mask, double* __restrict out, std::size_t lanes) {
  for (std::size_t l = 0; l < lanes; ++l) {
    const double whole = total[l] > 0.0 ? total[l] : 1.0, share = (count[l] + alpha) / whole;
    const double term = x * streamboost::log(share > least ? share : least);
    const bool counts = total[l] > 0.0 && (mask == nullptr || mask[l] > 0.0);
    out[l] += counts ? term : 0.0;
  }
}

STREAMBOOST_CLONES void heavy_score_add(const NodeSums& sums, double log_factor, double* __restrict out, std::size_t lanes) {
  for (std::size_t l = 0; l < lanes; ++l)
    out[l] += log_factor * (streamboost::log(sums.mantissa[l]) + sums.exponent[l] * ln2) - 0.5 * sums.quadratic[l];
}

}  // namespace streamboost

// Naive Bayes on sparse rows: what zeros score is kept, what is not zero corrects it (learners/zero_score.hpp). Plain loops over lanes.
#include <bit>
#include <cstdint>

#include "streamboost/math/clones.hpp"
#include "streamboost/math/kernels.hpp"
#include "streamboost/math/math.hpp"
#include "streamboost/math/product.hpp"

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

// The nodes in units of 1 / from: n = from ... 1.25 from.
constexpr double node(int k) { return 0.9 + 0.1 * chebyshev_zero[k]; }

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
    moves[l] = a > 0.0 && before + after > 0.0 ? 1.0 : 0.0;
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
    moves[l] = amount[l] > 0.0 && before + after > 0.0 ? 1.0 : 0.0;
    heavier[l] = before - after;
    weight[l] = w1;
  }
}

// v1 / v0 and u^2 (b1 / v1 - b0 / v0) with one division.
STREAMBOOST_CLONES void zero_nodes_move(const CellChange& change, const double* __restrict per, double floor, const NodeSums& sums,
                                        std::size_t lanes) {
  const double *__restrict a0 = change.a0, *__restrict b0 = change.b0, *__restrict a1 = change.a1, *__restrict b1 = change.b1,
               *__restrict moves = change.moves, *__restrict heavier = change.heavier;
  for (int k = 0; k < zero_nodes; ++k) {
    double *__restrict mantissa = sums.mantissa + static_cast<std::size_t>(k) * lanes,
           *__restrict exponent = sums.exponent + static_cast<std::size_t>(k) * lanes,
           *__restrict quadratic = sums.quadratic + static_cast<std::size_t>(k) * lanes;
    for (std::size_t l = 0; l < lanes; ++l) {
      const double u = node(k) * per[l];
      const double v0 = floor + u * (a0[l] - b0[l] * u), v1 = floor + u * (a1[l] - b1[l] * u);
      const double inverse = 1.0 / (v0 * v1);
      double m = moves[l] > 0.0 ? mantissa[l] * (v1 * v1 * inverse) : mantissa[l], e = exponent[l];
      const double q = u * u * (b1[l] * v0 - b0[l] * v1) * inverse;
      renormalise(m, e);
      mantissa[l] = m;
      exponent[l] = e;
      quadratic[l] += moves[l] > 0.0 ? q : 0.0;
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
    const double s = n[l] > 0.0 ? 10.0 * (from[l] / n[l]) - 9.0 : 0.0;
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

STREAMBOOST_CLONES void zero_score_afresh(const SparseView& table, std::size_t cell_pitch, Marked columns, double from, double floor,
                                          double log_factor, double* score, std::size_t pitch) {
  double mantissa[zero_nodes], exponent[zero_nodes], quadratic[zero_nodes], u[zero_nodes], base = 1.0 / floor;
  for (int k = 0; k < zero_nodes; ++k) {
    mantissa[k] = 1;
    exponent[k] = quadratic[k] = 0;
    u[k] = node(k) / from;
  }
  for (std::size_t word = 0; word < columns.n_words; ++word)
    for (std::uint64_t rest = columns.words[word]; rest != 0; rest &= rest - 1) {
      const std::size_t at = (word * 64 + static_cast<std::size_t>(std::countr_zero(rest))) * cell_pitch;
      const double w = table.weight[at];
      if (!(w > 0) || w > 0.5 * from) continue;
      double a = -w, b = 0;
      if (table.mean != nullptr) {
        const double p = w * (table.mean[at] * table.mean[at]);
        a = table.spread[at] + p;
        b = p * w;
      }
      for (int k = 0; k < zero_nodes; ++k) {
        const double v = floor + u[k] * (a - b * u[k]);
        mantissa[k] *= v * base;
        quadratic[k] += u[k] * u[k] * b / v;
        renormalise(mantissa[k], exponent[k]);
      }
    }
  double value[zero_nodes];
  for (int k = 0; k < zero_nodes; ++k)
    value[k] = log_factor * (streamboost::log(mantissa[k]) + exponent[k] * ln2) - 0.5 * quadratic[k];
  for (int m = 0; m < zero_nodes; ++m) {
    double x = 0;
    for (int k = 0; k < zero_nodes; ++k) x += to_coefficients.factor[m][k] * value[k];
    score[static_cast<std::size_t>(2 * m) * pitch] = x;
    score[static_cast<std::size_t>(2 * m + 1) * pitch] = 0;
  }
}

STREAMBOOST_CLONES void sparse_moments_ask(const SparseView& cells, double x, const double* __restrict n, const double* __restrict from,
                                           double floor, const double* __restrict mask, double* __restrict out, std::size_t lanes) {
  const double *__restrict weight = cells.weight, *__restrict mean = cells.mean, *__restrict spread = cells.spread;
  for (std::size_t l = 0; l < lanes; ++l) {
    const double w = weight[l], m = mean[l], p = w * (m * m), u = n[l] > 0.0 ? 1.0 / n[l] : 0.0;
    const double v = floor + u * ((spread[l] + p) - p * w * u);
    const double correction = x * (w * m * u - 0.5 * x) / v;
    out[l] += w > 0.5 * from[l] ? 0.0 : correction * mask[l];
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

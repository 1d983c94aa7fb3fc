// Naive Bayes on sparse rows: what zeros score is kept, what is not zero corrects it (learners/zero_score.hpp).
// What runs over the nodes takes four lanes as one value, and chooses by the bits of a sign: arithmetic only (see naive_bayes_kernels.cpp).
#include <bit>
#include <cstdint>

#include "streamboost/learners/zero_score_kernels.hpp"
#include "streamboost/math/levels.hpp"
#include "streamboost/math/math.hpp"
#include "streamboost/math/product.hpp"
#include "streamboost/math/vec.hpp"

namespace streamboost::STREAMBOOST_LEVEL {
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

using Four = HalfVec;

[[gnu::always_inline]] inline const Four& at(const double* p) { return *reinterpret_cast<const Four*>(p); }
[[gnu::always_inline]] inline Four& at(double* p) { return *reinterpret_cast<Four*>(p); }
[[gnu::always_inline]] inline HalfBits bits_of(Four x) { return reinterpret_cast<HalfBits>(x); }
[[gnu::always_inline]] inline Four from_bits(HalfBits b) { return reinterpret_cast<Four>(b); }
// All ones where x is below 0 (or -0).
[[gnu::always_inline]] inline HalfBits negative(Four x) { return 0 - (bits_of(x) >> 63); }

// `renormalise` for four lanes.
[[gnu::always_inline]] inline void renormalise_four(Four& mantissa, Four& exponent) {
  const HalfBits bits = bits_of(mantissa);
  exponent += from_bits((bits >> 52) - 1023 + 0x4338000000000000ULL) - 0x1.8p52;
  mantissa = from_bits((bits & 0x000FFFFFFFFFFFFFULL) | 0x3FF0000000000000ULL);
}

constexpr double ln2 = 0.693147180559945309417;

}  // namespace

void sparse_moments_teach(const SparseCells& cells, double x, const double* __restrict amount, const double* __restrict from,
                          double per_floor, const CellChange& change, std::size_t lanes) {
  double* __restrict weight = cells.weight, * __restrict mean = cells.mean, * __restrict spread = cells.spread;
  double *__restrict a0 = change.a0, *__restrict b0 = change.b0, *__restrict a1 = change.a1, *__restrict b1 = change.b1,
         *__restrict heavier = change.heavier;
  STREAMBOOST_NO_OVERLAP
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

void presence_teach(double* __restrict weight, const double* __restrict amount, const double* __restrict from, const CellChange& change,
                    std::size_t lanes) {
  double* __restrict a0 = change.a0, * __restrict a1 = change.a1, * __restrict heavier = change.heavier;
  STREAMBOOST_NO_OVERLAP
  for (std::size_t l = 0; l < lanes; ++l) {
    const double w = weight[l], w1 = w + amount[l], limit = 0.5 * from[l], moves = amount[l] > 0.0 ? -1.0 : 0.0;
    const double before = w > limit ? 0.0 : 1.0, after = w1 > limit ? 0.0 : 1.0;
    a0[l] = before * moves * w;
    a1[l] = after * moves * w1;
    heavier[l] = before - after;
    weight[l] = w1;
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

void zero_score_add(const NodeSums& sums, double log_factor, double* score, std::size_t pitch, std::size_t lanes) {
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

void zero_score_ask(const double* score, std::size_t pitch, const double* from, const double* n, double* out, std::size_t lanes) {
  for (std::size_t l = 0; l < lanes; ++l) out[l] = 6.0 * (from[l] / (n[l] > 0.0 ? n[l] : 1.0)) - 5.0;
  for (std::size_t l = 0; l < lanes; l += half_size) {
    const Four s = at(out + l);
    Four one = {}, two = {};
    for (int m = zero_nodes - 1; m > 0; --m) {
      const double* row = score + static_cast<std::size_t>(2 * m) * pitch + l;
      const Four next = 2.0 * s * one - two + (at(row) + at(row + pitch));
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

namespace {

// Cells of a few columns in four lanes: v = unit + u (a - b u), all divided by a power of two near v, so that products stay small.
struct CellGroup {
  Four a[zero_together], b[zero_together], unit[zero_together];
};

// Puts a cell into a group. Returns its power of two: v lies between a third of 1 + a / from and all of it.
[[gnu::always_inline]] inline Four put(CellGroup& group, std::size_t j, Four a, Four b, Four per_from) {
  const HalfBits size = bits_of(1.0 + per_from * a) & 0x7FF0000000000000ULL;
  const Four per_size = from_bits(0x7FE0000000000000ULL - size);
  group.a[j] = a * per_size;
  group.b[j] = b * per_size;
  group.unit[j] = per_size;
  return from_bits((size >> 52) - 1023 + 0x4338000000000000ULL) - 0x1.8p52;
}

// At a few nodes: the product of the v of a group, and the sum of b / v as one fraction. Divisions cost more than all the rest, and
// several nodes at a time keep the processor busy.
constexpr int few = 4;
struct Fractions {
  Four above[few], below[few];
};
template <bool curved>  // false: all b are 0
[[gnu::always_inline]] inline void multiply(const CellGroup& group, std::size_t n, const Four* u, Fractions& out) {
  Four above[few], below[few];
  for (int i = 0; i < few; ++i) {
    above[i] = Four{};
    below[i] = Four{} + 1.0;
  }
  for (std::size_t j = 0; j < n; ++j) {
    const Four a = group.a[j], b = group.b[j], unit = group.unit[j];
    for (int i = 0; i < few; ++i) {
      if constexpr (curved) {
        const Four v = unit + u[i] * (a - b * u[i]);
        above[i] = above[i] * v + b * below[i];
        below[i] *= v;
      } else {
        below[i] *= unit + u[i] * a;
      }
    }
  }
  for (int i = 0; i < few; ++i) {
    out.above[i] = above[i];
    out.below[i] = below[i];
  }
}

// v1 / v0 and u^2 (b1 / v1 - b0 / v0) of all columns with one division. Where a cell does not count its a and b are 0, and that is
// exactly 1 and 0.
template <bool curved>
[[gnu::always_inline]] inline void move_nodes(const CellChange& first, std::size_t n, const double* per, const NodeSums& sums,
                                              std::size_t lanes) {
  const std::size_t pitch = CellChange::rows * lanes;
  for (std::size_t l = 0; l < lanes; l += half_size) {
    const Four per_from = at(per + l);
    CellGroup old, now;
    Four scale = Four{};
    for (std::size_t j = 0; j < n; ++j) {
      const std::size_t cell = j * pitch + l;
      scale -= put(old, j, at(first.a0 + cell), curved ? at(first.b0 + cell) : Four{}, per_from);
      scale += put(now, j, at(first.a1 + cell), curved ? at(first.b1 + cell) : Four{}, per_from);
    }
    for (int k = 0; k < zero_nodes; k += few) {
      Four u[few];
      for (int i = 0; i < few; ++i) u[i] = node(k + i) * per_from;
      Fractions was, is;
      multiply<curved>(old, n, u, was);
      multiply<curved>(now, n, u, is);
      for (int i = 0; i < few; ++i) {
        const std::size_t row = static_cast<std::size_t>(k + i) * lanes + l;
        const Four inverse = 1.0 / (was.below[i] * is.below[i]);
        Four &mantissa = at(sums.mantissa + row), &exponent = at(sums.exponent + row);
        mantissa *= is.below[i] * is.below[i] * inverse;
        exponent += scale;
        renormalise_four(mantissa, exponent);
        if constexpr (curved) at(sums.quadratic + row) += u[i] * u[i] * (is.above[i] * was.below[i] - was.above[i] * is.below[i]) * inverse;
      }
    }
  }
}

// Sums over all marked columns at all nodes, in eight lanes.
struct EightSums {
  Four mantissa[zero_nodes][2], exponent[zero_nodes][2], quadratic[zero_nodes][2], scale[2], limit[2], per_from[2];

  [[gnu::always_inline]] void begin(const double* from) {
    for (std::size_t half = 0; half < 2; ++half) {
      for (std::size_t i = 0; i < half_size; ++i) {
        const double n = from[half * half_size + i];
        limit[half][i] = 0.5 * n;
        per_from[half][i] = n > 0.0 ? 1.0 / n : 0.0;
      }
      scale[half] = Four{};
      for (int k = 0; k < zero_nodes; ++k) {
        mantissa[k][half] = Four{} + 1.0;
        exponent[k][half] = quadratic[k][half] = Four{};
      }
    }
  }
  // table: of these lanes. cells: where the columns of a group lie in it.
  template <bool curved>
  [[gnu::always_inline]] void add(const SparseView& table, const std::size_t* cells, std::size_t n, double per_floor) {
    for (std::size_t half = 0; half < 2; ++half) {
      CellGroup group;
      for (std::size_t j = 0; j < n; ++j) {
        const std::size_t here = cells[j] + half * half_size;
        const Four w = at(table.weight + here);
        const HalfBits light = ~negative(limit[half] - w);
        Four a = 0.0 - w, b = Four{};
        if constexpr (curved) {
          const Four p = w * (at(table.mean + here) * at(table.mean + here));
          a = (at(table.spread + here) + p) * per_floor;
          b = from_bits(bits_of(p * w * per_floor) & light);
        }
        scale[half] += put(group, j, from_bits(bits_of(a) & light), b, per_from[half]);
      }
      for (int k = 0; k < zero_nodes; k += few) {
        Four u[few];
        for (int i = 0; i < few; ++i) u[i] = node(k + i) * per_from[half];
        Fractions product;
        multiply<curved>(group, n, u, product);
        for (int i = 0; i < few; ++i) {
          if constexpr (curved) quadratic[k + i][half] += u[i] * u[i] * product.above[i] / product.below[i];
          mantissa[k + i][half] *= product.below[i];
          renormalise_four(mantissa[k + i][half], exponent[k + i][half]);
        }
      }
    }
  }
};
static_assert(sizeof(EightSums) == zero_room * sizeof(double));

// All eights of lanes column by column, as they lie in memory. Groups are columns that stand together, met or not: what a lane gets does
// not depend on what others have met.
template <bool curved>
[[gnu::always_inline]] inline void sum_cells(const SparseView& table, std::size_t cell_pitch, Marked columns, const double* from,
                                             std::size_t eights, double per_floor, EightSums* sums) {
  for (std::size_t e = 0; e < eights; ++e) sums[e].begin(from + e * vec_size);
  for (std::size_t group = 0; group < columns.n_words * (64 / zero_together); ++group) {
    const std::size_t first = group * zero_together;
    std::size_t cell[zero_together], n = 0;
    for (std::uint64_t rest = columns.words[first / 64] >> (first % 64) & ((std::uint64_t{1} << zero_together) - 1); rest != 0;
         rest &= rest - 1)
      cell[n++] = (first + static_cast<std::size_t>(std::countr_zero(rest))) * cell_pitch;
    if (n == 0) continue;
    for (std::size_t e = 0; e < eights; ++e) {
      const std::size_t by = e * vec_size, next = by + vec_size;
      for (std::size_t j = 0; j < n && e + 1 < eights; ++j) {
        __builtin_prefetch(table.weight + cell[j] + next);
        if constexpr (curved) {
          __builtin_prefetch(table.mean + cell[j] + next);
          __builtin_prefetch(table.spread + cell[j] + next);
        }
      }
      sums[e].add<curved>({table.weight + by, curved ? table.mean + by : nullptr, curved ? table.spread + by : nullptr}, cell, n,
                          per_floor);
    }
  }
}

}  // namespace

void zero_nodes_move(const CellChange& first, std::size_t n, const double* per, const NodeSums& sums, std::size_t lanes) {
  if (first.b0 != nullptr)
    move_nodes<true>(first, n, per, sums, lanes);
  else
    move_nodes<false>(first, n, per, sums, lanes);
}

void zero_score_afresh(const SparseView& table, std::size_t cell_pitch, Marked columns, const double* from, std::size_t eights,
                       double per_floor, double log_factor, double* room, double* value) {
  auto* all = reinterpret_cast<EightSums*>(room);
  if (table.mean != nullptr)
    sum_cells<true>(table, cell_pitch, columns, from, eights, per_floor, all);
  else
    sum_cells<false>(table, cell_pitch, columns, from, eights, per_floor, all);
  double node_value[zero_nodes];
  for (std::size_t l = 0; l < eights * vec_size; ++l) {
    const EightSums& sums = all[l / vec_size];
    const std::size_t half = l % vec_size / half_size, i = l % half_size;
    for (int k = 0; k < zero_nodes; ++k)
      node_value[k] = log_factor * (streamboost::log(sums.mantissa[k][half][i]) + (sums.exponent[k][half][i] + sums.scale[half][i]) * ln2) -
                      0.5 * sums.quadratic[k][half][i];
    for (int m = 0; m < zero_nodes; ++m) {
      double x = 0;
      for (int k = 0; k < zero_nodes; ++k) x += to_coefficients.factor[m][k] * node_value[k];
      value[static_cast<std::size_t>(m) * eights * vec_size + l] = x;
    }
  }
}

void sparse_moments_ask(const SparseView& cells, double x, const double* per, const double* from, double floor, const double* mask,
                        double* out, std::size_t lanes) {
  for (std::size_t l = 0; l < lanes; l += half_size) {
    const Four w = at(cells.weight + l), m = at(cells.mean + l), u = at(per + l), wm = w * m, p = wm * m;
    const Four v = floor + u * ((at(cells.spread + l) + p) - p * w * u), correction = x * (wm * u - 0.5 * x) / v;
    const HalfBits light = ~negative(0.5 * at(from + l) - w);
    at(out + l) += from_bits(bits_of(correction * at(mask + l)) & light);
  }
}

void heavy_moments_ask(const SparseView& cells, double x, const double* __restrict n, const double* __restrict from, double floor,
                       const NodeSums& sums, std::size_t lanes) {
  const double* __restrict weight = cells.weight, * __restrict mean = cells.mean, * __restrict spread = cells.spread;
  double* __restrict mantissa = sums.mantissa, * __restrict exponent = sums.exponent, * __restrict quadratic = sums.quadratic;
  const double per_floor = 1.0 / floor;
  STREAMBOOST_NO_OVERLAP
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

void presence_ask(const double* __restrict weight, const double* __restrict n, const double* __restrict from, double alpha, double least,
                  bool present, const double* __restrict mask, const NodeSums& sums, std::size_t lanes) {
  double* __restrict mantissa = sums.mantissa, * __restrict exponent = sums.exponent;
  const double with = present ? 1.0 : 0.0;
  STREAMBOOST_NO_OVERLAP
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

void count_ask(const double* __restrict count, const double* __restrict total, double alpha, double least, double x,
               const double* __restrict mask, double* __restrict share, double* __restrict out, std::size_t lanes) {
  for (std::size_t l = 0; l < lanes; ++l) {
    const double part = (count[l] + alpha) / (total[l] > 0.0 ? total[l] : 1.0);
    share[l] = part > least ? part : least;
  }
  log_lanes(share, share, lanes);
  for (std::size_t l = 0; l < lanes; ++l) out[l] += (total[l] > 0.0 ? x * mask[l] : 0.0) * share[l];
}

void heavy_score_add(const NodeSums& sums, double log_factor, double* __restrict out, std::size_t lanes) {
  log_lanes(sums.mantissa, sums.mantissa, lanes);
  for (std::size_t l = 0; l < lanes; ++l) out[l] += log_factor * (sums.mantissa[l] + sums.exponent[l] * ln2) - 0.5 * sums.quadratic[l];
}

}  // namespace streamboost::STREAMBOOST_LEVEL

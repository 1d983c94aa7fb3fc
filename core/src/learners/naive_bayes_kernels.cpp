// Mostly plain loops over lanes, which the compiler vectorises. Where values must stay in registers over many rows, the lanes of a
// register are one value.
#include <cmath>
#include <cstdint>

#include "streamboost/learners/naive_bayes_kernels.hpp"
#include "streamboost/math/levels.hpp"
#include "streamboost/math/math.hpp"
#include "streamboost/math/product.hpp"
#include "streamboost/math/vec.hpp"

namespace streamboost::STREAMBOOST_LEVEL {
namespace {

// Precisions lie between 1e-75 (inputs are clamped to 1e37) and 1e30, nominal factors above 1e-30 times their counts: four of them,
// and the mantissa they are multiplied to, stay clear of both ends of the double range.
constexpr int factors_a_pass = 4;

// `renormalise` for the lanes of a register.
template <class Width>
[[gnu::always_inline]] inline void renormalise_lanes(typename Width::Values& mantissa, typename Width::Bits& exponent) {
  const typename Width::Bits bits = reinterpret_cast<const typename Width::Bits&>(mantissa);
  exponent += (bits >> 52) - 1023;
  const typename Width::Bits unit = (bits & 0x000FFFFFFFFFFFFFULL) | 0x3FF0000000000000ULL;
  mantissa = reinterpret_cast<const typename Width::Values&>(unit);
}

template <class Width>
[[gnu::always_inline]] inline void store_product(const typename Width::Values& product, typename Width::Bits power, double* mantissa,
                                                 double* exponent) {
  power += 0x4338000000000000ULL;  // whole numbers to doubles, as above
  lanes_at<Width>(mantissa) = product;
  lanes_at<Width>(exponent) = reinterpret_cast<const typename Width::Values&>(power) - 0x1.8p52;
}

// Sums and products stay in registers while the attributes pass by, those of several registers of lanes side by side.
template <class Width, int registers>
[[gnu::always_inline]] inline void ask_gaussians_of(const double* mean, const double* precision, std::size_t lanes, Entries row,
                                                    double* quadratic, double* mantissa, double* exponent) {
  using Values = typename Width::Values;
  Values q[registers], m[registers];
  typename Width::Bits e[registers];
  for (int b = 0; b < registers; ++b) {
    q[b] = Values{};
    m[b] = q[b] + 1.0;
    e[b] = typename Width::Bits{};
  }
  for (int i = 0; i < row.n; ++i) {
    const std::size_t r = static_cast<std::size_t>(row.index[i]) * lanes;
    const Values x = row.x[i] - Values{};
#pragma GCC unroll 4
    for (int b = 0; b < registers; ++b) {
      const Values d = x - lanes_at<Width>(mean + r + b * Width::size), p = lanes_at<Width>(precision + r + b * Width::size);
      q[b] += d * d * p;
      m[b] *= p;
    }
    if (i % factors_a_pass == factors_a_pass - 1)
      for (int b = 0; b < registers; ++b) renormalise_lanes<Width>(m[b], e[b]);
  }
  for (int b = 0; b < registers; ++b) {
    renormalise_lanes<Width>(m[b], e[b]);
    lanes_at<Width>(quadratic + b * Width::size) = q[b];
    store_product<Width>(m[b], e[b], mantissa + b * Width::size, exponent + b * Width::size);
  }
}

// Products stay in registers. A product of 0 (some value never seen with this class) has no exponent: told by the highest bits of `zero`.
template <class Width, int registers>
[[gnu::always_inline]] inline void ask_nominals_of(const double* count, std::size_t lanes, const std::int32_t* count_row, int n,
                                                   const double* weight, double* mantissa, double* exponent, typename Width::Bits& zero) {
  using Values = typename Width::Values;
  using Bits = typename Width::Bits;
  Values inverse[registers], m[registers];
  Bits e[registers];
  for (int b = 0; b < registers; ++b) {
    inverse[b] = 1.0 / lanes_at<Width>(weight + b * Width::size);
    m[b] = Values{} + 1.0;
    e[b] = Bits{};
  }
  for (int i = 0; i < n; ++i) {
    const double* mine = count + static_cast<std::size_t>(count_row[i]) * lanes;
#pragma GCC unroll 4
    for (int b = 0; b < registers; ++b) m[b] *= lanes_at<Width>(mine + b * Width::size) * inverse[b];
    if (i % factors_a_pass != factors_a_pass - 1 && i + 1 != n) continue;
#pragma GCC unroll 4
    for (int b = 0; b < registers; ++b) {
      zero |= (reinterpret_cast<const Bits&>(m[b]) >> 52) - 1;
      renormalise_lanes<Width>(m[b], e[b]);
    }
  }
  for (int b = 0; b < registers; ++b) store_product<Width>(m[b], e[b], mantissa + b * Width::size, exponent + b * Width::size);
}

}  // namespace

// Four lanes of which one may be all there is, of rows that are padded to more.
void gaussian_ask_few(const double* mean, const double* precision, std::size_t lanes, Entries row, double* quadratic, double* mantissa,
                      double* exponent) {
  ask_gaussians_of<FourLanes, 1>(mean, precision, lanes, row, quadratic, mantissa, exponent);
  for (std::size_t l = 0; l < half_size; ++l) quadratic[l] = quadratic[l] < 1e300 ? quadratic[l] : 1e300;
}

void gaussian_ask(const double* mean, const double* precision, std::size_t lanes, Entries row, double* quadratic, double* mantissa,
                  double* exponent) {
  using Width = RegisterLanes;
  std::size_t l = 0;
  for (; l + 4 * Width::size <= lanes; l += 4 * Width::size)
    ask_gaussians_of<Width, 4>(mean + l, precision + l, lanes, row, quadratic + l, mantissa + l, exponent + l);
  for (; l < lanes; l += 2 * Width::size)
    ask_gaussians_of<Width, 2>(mean + l, precision + l, lanes, row, quadratic + l, mantissa + l, exponent + l);
  for (l = 0; l < lanes; ++l) quadratic[l] = quadratic[l] < 1e300 ? quadratic[l] : 1e300;
}

void gaussian_ask_gaps(const double* mean, const double* precision, std::size_t lanes, Entries row, double* __restrict quadratic,
                       double* __restrict mantissa, double* __restrict exponent) {
  for (std::size_t l = 0; l < lanes; ++l) {
    quadratic[l] = 0.0;
    mantissa[l] = 1.0;
    exponent[l] = 0.0;
  }
  for (int i = 0; i < row.n; ++i) {
    const double* __restrict m = mean + static_cast<std::size_t>(row.index[i]) * lanes;
    const double* __restrict p = precision + static_cast<std::size_t>(row.index[i]) * lanes;
    const double x = row.x[i];
    for (std::size_t l = 0; l < lanes; ++l) {
      const double deviation = x - m[l];
      quadratic[l] += deviation * deviation * p[l];
      double product = mantissa[l] * (p[l] > 0.0 ? p[l] : 1.0), e = exponent[l];
      renormalise(product, e);
      mantissa[l] = product;
      exponent[l] = e;
    }
  }
  for (std::size_t l = 0; l < lanes; ++l) quadratic[l] = quadratic[l] < 1e300 ? quadratic[l] : 1e300;
}

namespace {

constexpr double smallest_variance = 1e-30;

// `width` attributes with one division: 1 / v_0 = v_1 v_2 v_3 / (v_0 v_1 v_2 v_3). Variances lie between 1e-30 and 1e75.
template <int width>
[[gnu::always_inline]] inline void teach_rows(double* mean, double* spread, double* precision, std::size_t lanes, const double* x,
                                              const std::int32_t* index, const TeachingShares& shares, double floor) {
  static_assert(width == 1 || width == 4);
  double *m[width], *s[width], *p[width];
  for (int a = 0; a < width; ++a) {
    const std::size_t first = static_cast<std::size_t>(index[a]) * lanes;
    m[a] = mean + first;
    s[a] = spread + first;
    p[a] = precision + first;
  }
  STREAMBOOST_NO_OVERLAP
  for (std::size_t l = 0; l < lanes; ++l) {
    double v[width];
#pragma GCC unroll 4
    for (int a = 0; a < width; ++a) {
      const double deviation = x[a] - m[a][l];
      const double wider = s[a][l] + shares.kept[l] * (deviation * deviation);
      const double variance = wider * shares.inverse[l] + floor;
      m[a][l] += deviation * shares.ratio[l];
      s[a][l] = wider;
      v[a] = variance > smallest_variance ? variance : smallest_variance;
    }
    if constexpr (width == 1) {
      p[0][l] = shares.live[l] / v[0];
    } else {
      const double left = v[0] * v[1], right = v[2] * v[3], whole = shares.live[l] / (left * right);
      const double of_left = whole * right, of_right = whole * left;
      p[0][l] = of_left * v[1];
      p[1][l] = of_left * v[0];
      p[2][l] = of_right * v[3];
      p[3][l] = of_right * v[2];
    }
  }
}

}  // namespace

// ratio = w / n and kept = w (1 - w/n): the spread grows by w d (x - new mean) = w (1 - w/n) d^2. Lanes with amount 0 keep mean and
// spread; their precision is computed from them again.
void gaussian_teach(double* mean, double* spread, double* precision, std::size_t lanes, Entries row, const double* __restrict amount,
                    const double* __restrict sum, double floor, TeachingShares shares) {
  double *__restrict ratio = shares.ratio, *__restrict kept = shares.kept, *__restrict inverse = shares.inverse,
                    *__restrict live = shares.live;
  for (std::size_t l = 0; l < lanes; ++l) {
    const double n = sum[l] > 1e-300 ? sum[l] : sum[l] > 0.0 ? 1e-300 : 1.0;  // its inverse must be finite
    live[l] = sum[l] > 0.0 ? 1.0 : 0.0;
    inverse[l] = live[l] / n;
    ratio[l] = amount[l] / n;
    kept[l] = amount[l] * (1.0 - ratio[l]);
  }
  int i = 0;
  for (; i + 4 <= row.n; i += 4) teach_rows<4>(mean, spread, precision, lanes, row.x + i, row.index + i, shares, floor);
  for (; i < row.n; ++i) teach_rows<1>(mean, spread, precision, lanes, row.x + i, row.index + i, shares, floor);
}

void square_joints(const double* __restrict class_weight, double prior_alpha, const double* __restrict ratio,
                   const double* __restrict ratio_exponent, const double* __restrict mantissa, const double* __restrict exponent,
                   const double* __restrict quadratic, std::size_t lanes, double* __restrict square, double* __restrict power) {
  constexpr double ln2 = 0.693147180559945309417;
  for (std::size_t l = 0; l < lanes; ++l) {
    const double prior = class_weight[l] + prior_alpha;
    square[l] = prior > 1e-150 ? prior : 1e-150;
    power[l] = 0.5 * exponent[l];
  }
  if (ratio != nullptr)
    for (std::size_t l = 0; l < lanes; ++l) {
      square[l] *= ratio[l];
      power[l] += ratio_exponent[l];
    }
  for (std::size_t l = 0; l < lanes; ++l) {
    square[l] = square[l] * square[l] * mantissa[l];
    power[l] = power[l] * ln2 - 0.5 * quadratic[l];
  }
}

void halve_and_add(double* __restrict square, const double* __restrict power, std::size_t n) {
  for (std::size_t l = 0; l < n; ++l) square[l] = 0.5 * square[l] + power[l];
}

// h = tanh(L / 2) = (o - 1) / (o + 1), o = e^L the odds: one exponential in place of two logarithms and a tanh.
void odds_margins(const double* __restrict square, const double* __restrict power, std::size_t lanes, double* __restrict margin) {
  const double *square_one = square + lanes, *power_one = power + lanes;
  constexpr double largest = 1.1420073898156842e26;  // e^60
  for (std::size_t l = 0; l < lanes; ++l) {
    double gap = power_one[l] - power[l];
    gap = gap < 700.0 ? gap : 700.0;
    gap = gap > -700.0 ? gap : -700.0;
    double odds = std::sqrt(square_one[l] / square[l]) * streamboost::exp(gap);
    odds = odds < largest ? odds : largest;
    odds = odds > 1.0 / largest ? odds : 1.0 / largest;
    margin[l] = (odds - 1.0) / (odds + 1.0);
  }
}

// Lanes without any weight come out as anything.
bool nominal_ask_plain(const double* count, std::size_t lanes, const std::int32_t* count_row, int n, const double* weight, double* mantissa,
                       double* exponent) {
  using Width = RegisterLanes;
  Width::Bits zero = {};
  std::size_t l = 0;
  for (; l + 4 * Width::size <= lanes; l += 4 * Width::size)
    ask_nominals_of<Width, 4>(count + l, lanes, count_row, n, weight + l, mantissa + l, exponent + l, zero);
  for (; l < lanes; l += 2 * Width::size)
    ask_nominals_of<Width, 2>(count + l, lanes, count_row, n, weight + l, mantissa + l, exponent + l, zero);
  std::uint64_t any = 0;
  for (std::size_t i = 0; i < Width::size; ++i) any |= zero[i];
  return (any >> 63) == 0;
}

// With the operations of the plain one, so that both give the same bits where both are defined.
void nominal_ask(const double* count, std::size_t lanes, NominalTerms terms, double alpha, double* __restrict mantissa,
                 double* __restrict exponent, double* __restrict inverse) {
  for (std::size_t l = 0; l < lanes; ++l) {
    mantissa[l] = 1.0;
    exponent[l] = 0.0;
  }
  for (int i = 0; i < terms.n; ++i) {
    const double* __restrict value = count + static_cast<std::size_t>(terms.count_row[i]) * lanes;
    const double* __restrict weight = terms.weight[i];
    const double extra = terms.spread_alpha[i];
    if (i == 0 || weight != terms.weight[i - 1] || extra != terms.spread_alpha[i - 1])
      for (std::size_t l = 0; l < lanes; ++l) {
        const double t = weight[l] + extra;
        inverse[l] = t > 0.0 ? 1.0 / t : 0.0;
      }
    for (std::size_t l = 0; l < lanes; ++l) {
      // A value this class never had: the floor. No data on the attribute at all for this class: it says nothing (0 / 0 is 1).
      const double c = value[l] + alpha;
      const double share = c > 0.0 ? c * inverse[l] : 1e-30;
      mantissa[l] *= inverse[l] > 0.0 ? share : 1.0;
    }
    if (i % factors_a_pass == factors_a_pass - 1 || i + 1 == terms.n) {
      for (std::size_t l = 0; l < lanes; ++l) {
        double m = mantissa[l], e = exponent[l];
        renormalise(m, e);
        mantissa[l] = m;
        exponent[l] = e;
      }
    }
  }
}

}  // namespace streamboost::STREAMBOOST_LEVEL

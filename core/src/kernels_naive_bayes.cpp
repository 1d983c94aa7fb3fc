// Mostly plain loops over lanes, which gcc vectorises for each clone. Where values must stay in registers over many rows, eight lanes
// are one Vec: arithmetic only, since comparisons of such values are taken apart before the clones are made.
#include <bit>
#include <cstdint>

#include "streamboost/clones.hpp"
#include "streamboost/kernels.hpp"
#include "streamboost/vec.hpp"

namespace streamboost {
namespace {

// Precisions lie between 1e-75 (inputs are clamped to 1e37) and 1e30, nominal factors above 1e-30 times their counts: four of them,
// and the mantissa they are multiplied to, stay clear of both ends of the double range.
constexpr int factors_a_pass = 4;

// Moves the exponent of a positive product into `exponent`, so that hundreds of factors neither overflow nor underflow: no log per
// factor. A small whole number added to the bits of 1.5 * 2^52 is converted exactly.
[[gnu::always_inline]] inline void renormalise(double& mantissa, double& exponent) {
  const auto bits = std::bit_cast<std::uint64_t>(mantissa);
  exponent += std::bit_cast<double>((bits >> 52) - 1023 + 0x4338000000000000ULL) - 0x1.8p52;
  mantissa = std::bit_cast<double>((bits & 0x000FFFFFFFFFFFFFULL) | 0x3FF0000000000000ULL);
}

[[gnu::always_inline]] inline const Vec& at(const double* p) { return *reinterpret_cast<const Vec*>(p); }
[[gnu::always_inline]] inline Vec& at(double* p) { return *reinterpret_cast<Vec*>(p); }

// The same for eight lanes held in registers.
[[gnu::always_inline]] inline void renormalise(Vec& mantissa, VecBits& exponent) {
  const VecBits bits = reinterpret_cast<const VecBits&>(mantissa);
  exponent += (bits >> 52) - 1023;
  const VecBits unit = (bits & 0x000FFFFFFFFFFFFFULL) | 0x3FF0000000000000ULL;
  mantissa = reinterpret_cast<const Vec&>(unit);
}

}  // namespace

// Sums and products stay in registers while the attributes pass by.
STREAMBOOST_CLONES void gaussian_ask(const double* mean, const double* precision, std::size_t lanes, Entries row, double* quadratic,
                                     double* mantissa, double* exponent) {
  for (std::size_t l = 0; l < lanes; l += 2 * vec_size) {
    Vec qa = {}, qb = {}, ma = qa + 1.0, mb = qb + 1.0;
    VecBits ea = {}, eb = {};
    for (int i = 0; i < row.n; ++i) {
      const std::size_t r = static_cast<std::size_t>(row.index[i]) * lanes + l;
      const Vec da = row.x[i] - at(mean + r), db = row.x[i] - at(mean + r + vec_size);
      const Vec pa = at(precision + r), pb = at(precision + r + vec_size);
      qa += da * da * pa;
      qb += db * db * pb;
      ma *= pa;
      mb *= pb;
      if (i % factors_a_pass == factors_a_pass - 1) {
        renormalise(ma, ea);
        renormalise(mb, eb);
      }
    }
    renormalise(ma, ea);
    renormalise(mb, eb);
    ea += 0x4338000000000000ULL;
    eb += 0x4338000000000000ULL;
    at(quadratic + l) = qa;
    at(quadratic + l + vec_size) = qb;
    at(mantissa + l) = ma;
    at(mantissa + l + vec_size) = mb;
    at(exponent + l) = reinterpret_cast<const Vec&>(ea) - 0x1.8p52;
    at(exponent + l + vec_size) = reinterpret_cast<const Vec&>(eb) - 0x1.8p52;
  }
  for (std::size_t l = 0; l < lanes; ++l) quadratic[l] = quadratic[l] < 1e300 ? quadratic[l] : 1e300;
}

STREAMBOOST_CLONES void gaussian_ask_gaps(const double* mean, const double* precision, std::size_t lanes, Entries row,
                                          double* __restrict quadratic, double* __restrict mantissa, double* __restrict exponent) {
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

// Lanes with amount 0 come out as they went in: every term that moves is multiplied by 0, and the precision is a function of the rest.
// ratio = w / n and kept = w (1 - w/n): the spread grows by w d (x - new mean) = w (1 - w/n) d^2.
STREAMBOOST_CLONES void gaussian_teach(double* mean, double* spread, double* precision, std::size_t lanes, Entries row,
                                       const double* __restrict amount, const double* __restrict sum, double floor,
                                       double* __restrict ratio, double* __restrict kept) {
  for (std::size_t l = 0; l < lanes; ++l) {
    ratio[l] = amount[l] / (sum[l] > 0.0 ? sum[l] : 1.0);
    kept[l] = amount[l] * (1.0 - ratio[l]);
  }
  for (int i = 0; i < row.n; ++i) {
    const std::size_t first = static_cast<std::size_t>(row.index[i]) * lanes;
    double* __restrict m = mean + first;
    double* __restrict s = spread + first;
    double* __restrict p = precision + first;
    const double x = row.x[i];
    for (std::size_t l = 0; l < lanes; ++l) {
      const double n = sum[l], deviation = x - m[l];
      const double wider = s[l] + kept[l] * (deviation * deviation);
      const double sharp = n / (wider + floor * n);
      m[l] += deviation * ratio[l];
      s[l] = wider;
      p[l] = n > 0.0 ? (sharp < 1e30 ? sharp : 1e30) : 0.0;
    }
  }
}

STREAMBOOST_CLONES void square_joints(const double* __restrict class_weight, double prior_alpha, const double* __restrict ratio,
                                      const double* __restrict ratio_exponent, const double* __restrict mantissa,
                                      const double* __restrict exponent, const double* __restrict quadratic, std::size_t lanes,
                                      double* __restrict square, double* __restrict power) {
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

STREAMBOOST_CLONES void halve_and_add(double* __restrict square, const double* __restrict power, std::size_t n) {
  for (std::size_t l = 0; l < n; ++l) square[l] = 0.5 * square[l] + power[l];
}

STREAMBOOST_CLONES void best_class(const double* __restrict joint, const double* __restrict class_weight, std::size_t n_classes,
                                   std::size_t lanes, std::int32_t* __restrict vote, double* __restrict highest) {
  constexpr double below_all = -1.7976931348623157e308;
  for (std::size_t l = 0; l < lanes; ++l) {
    vote[l] = -1;
    highest[l] = below_all;
  }
  for (std::size_t c = 0; c < n_classes; ++c) {
    const double* __restrict mine = joint + c * lanes;
    const double* __restrict weight = class_weight + c * lanes;
    const auto code = static_cast<std::int32_t>(c);
    for (std::size_t l = 0; l < lanes; ++l) {
      const bool better = (weight[l] > 0.0) & (mine[l] > highest[l]);
      vote[l] = better ? code : vote[l];
      highest[l] = better ? mine[l] : highest[l];
    }
  }
}

STREAMBOOST_CLONES void nominal_ask(const double* count, std::size_t lanes, NominalTerms terms, double alpha, double* __restrict mantissa,
                                    double* __restrict exponent, double* __restrict divisor) {
  for (std::size_t l = 0; l < lanes; ++l) {
    mantissa[l] = divisor[l] = 1.0;
    exponent[l] = 0.0;
  }
  for (int i = 0; i < terms.n; ++i) {
    const double* __restrict value = count + static_cast<std::size_t>(terms.count_row[i]) * lanes;
    const double* __restrict weight = terms.weight[i];
    const double extra = terms.spread_alpha[i];
    for (std::size_t l = 0; l < lanes; ++l) {
      const double c = value[l] + alpha, t = weight[l] + extra;
      // A value this class never had: the floor. No data on the attribute at all for this class: it says nothing (0 / 0 is 1).
      const double seen = c > 0.0 ? c : 1e-30 * t;
      mantissa[l] *= t > 0.0 ? seen : 1.0;
      divisor[l] *= t > 0.0 ? t : 1.0;
    }
    if (i % factors_a_pass == factors_a_pass - 1 || i + 1 == terms.n) {
      for (std::size_t l = 0; l < lanes; ++l) {
        double m = mantissa[l] / divisor[l], e = exponent[l];
        renormalise(m, e);
        mantissa[l] = m;
        exponent[l] = e;
        divisor[l] = 1.0;
      }
    }
  }
}

STREAMBOOST_CLONES void add_lanes(double* __restrict to, const double* __restrict amount, std::size_t lanes) {
  for (std::size_t l = 0; l < lanes; ++l) to[l] += amount[l];
}

}  // namespace streamboost

#include "streamboost/clones.hpp"
#include "streamboost/kernels.hpp"
#include "streamboost/vec.hpp"

namespace streamboost {
namespace {

// Factors between 1e-30 and 1e30: eight of them stay far from both ends of the double range.
constexpr int factors_between_renormalisations = 8;

[[gnu::always_inline]] inline const Vec& at(const double* p) { return *reinterpret_cast<const Vec*>(p); }
[[gnu::always_inline]] inline Vec& at(double* p) { return *reinterpret_cast<Vec*>(p); }

// A positive product with its exponent moved out, so that hundreds of factors neither overflow nor underflow: no log per factor.
struct Product {
  Vec mantissa;
  VecBits exponent;

  [[gnu::always_inline]] void clear() {
    mantissa = Vec{} + 1.0;
    exponent = VecBits{};
  }
  [[gnu::always_inline]] void renormalise() {
    const VecBits bits = reinterpret_cast<const VecBits&>(mantissa);
    exponent += (bits >> 52) - 1023;
    const VecBits unit = (bits & 0x000FFFFFFFFFFFFFULL) | 0x3FF0000000000000ULL;
    mantissa = reinterpret_cast<const Vec&>(unit);
  }
  // Exponents are small whole numbers: adding them to the bits of 1.5 * 2^52 converts them exactly.
  [[gnu::always_inline]] void write(double* mantissa_out, double* exponent_out) const {
    const VecBits bits = exponent + 0x4338000000000000ULL;
    *reinterpret_cast<Vec*>(mantissa_out) = mantissa;
    *reinterpret_cast<Vec*>(exponent_out) = reinterpret_cast<const Vec&>(bits) - 0x1.8p52;
  }
};

[[gnu::always_inline]] inline std::size_t table_row(const Entries& row, int i) { return static_cast<std::size_t>(row.index[i]); }

}  // namespace

STREAMBOOST_CLONES void gaussian_ask(const double* mean, const double* precision, std::size_t lanes, Entries row, double* quadratic,
                                     double* mantissa, double* exponent) {
  const Vec zero = {}, one = zero + 1.0;
  for (std::size_t l = 0; l < lanes; l += 2 * vec_size) {
    Vec qa = zero, qb = zero;
    Product a, b;
    a.clear();
    b.clear();
    for (int i = 0; i < row.n; ++i) {
      const std::size_t r = table_row(row, i) * lanes + l;
      const Vec da = row.x[i] - at(mean + r), db = row.x[i] - at(mean + r + vec_size);
      const Vec pa = at(precision + r), pb = at(precision + r + vec_size);
      qa += da * da * pa;
      qb += db * db * pb;
      a.mantissa *= pa > zero ? pa : one;
      b.mantissa *= pb > zero ? pb : one;
      if (i % factors_between_renormalisations == factors_between_renormalisations - 1) {
        a.renormalise();
        b.renormalise();
      }
    }
    a.renormalise();
    b.renormalise();
    const Vec most = zero + 1e300;
    at(quadratic + l) = qa < most ? qa : most;
    at(quadratic + l + vec_size) = qb < most ? qb : most;
    a.write(mantissa + l, exponent + l);
    b.write(mantissa + l + vec_size, exponent + l + vec_size);
  }
}

STREAMBOOST_CLONES void gaussian_teach(double* mean, double* spread, double* precision, std::size_t lanes, Entries row,
                                       const double* amount, const double* sum, const double* ratio, double floor) {
  const Vec zero = {}, largest_spread = zero + 1e300, most = zero + 1e30, least = zero + 1e-30;
  for (std::size_t l = 0; l < lanes; l += vec_size) {
    const Vec w = at(amount + l), n = at(sum + l), r = at(ratio + l);
    double any = 0;
    for (std::size_t k = 0; k < vec_size; ++k) any += amount[l + k];
    if (!(any > 0)) continue;
    const Vec floor_mass = floor * n;
    for (int i = 0; i < row.n; ++i) {
      const std::size_t cell = table_row(row, i) * lanes + l;
      const Vec old_mean = at(mean + cell), old_spread = at(spread + cell);
      const Vec deviation = row.x[i] - old_mean;
      const Vec new_mean = old_mean + deviation * r;
      Vec new_spread = old_spread + w * deviation * (row.x[i] - new_mean);
      new_spread = new_spread < largest_spread ? new_spread : largest_spread;
      new_spread = new_spread > zero ? new_spread : zero;
      Vec p = n / (new_spread + floor_mass);
      p = p < most ? p : most;
      p = p > least ? p : least;
      at(mean + cell) = w > zero ? new_mean : old_mean;
      at(spread + cell) = w > zero ? new_spread : old_spread;
      at(precision + cell) = w > zero ? p : at(precision + cell);
    }
  }
}

STREAMBOOST_CLONES void nominal_ask(const double* count, std::size_t lanes, NominalTerms terms, double alpha, double* mantissa,
                                    double* exponent) {
  const Vec zero = {}, one = zero + 1.0;
  for (std::size_t l = 0; l < lanes; l += vec_size) {
    Product numerator, denominator;
    numerator.clear();
    denominator.clear();
    for (int i = 0; i < terms.n; ++i) {
      const Vec c = at(count + static_cast<std::size_t>(terms.count_row[i]) * lanes + l) + alpha;
      const Vec t = at(terms.weight[i] + l) + terms.spread_alpha[i];
      // A value this class never had: the floor. No data on the attribute at all for this class: it says nothing (0 / 0 is 1).
      const Vec seen = c > zero ? c : 1e-30 * t;
      numerator.mantissa *= t > zero ? seen : one;
      denominator.mantissa *= t > zero ? t : one;
      if (i % factors_between_renormalisations == factors_between_renormalisations - 1) {
        numerator.renormalise();
        denominator.renormalise();
      }
    }
    numerator.renormalise();
    denominator.renormalise();
    numerator.mantissa /= denominator.mantissa;
    numerator.exponent -= denominator.exponent;
    numerator.write(mantissa + l, exponent + l);
  }
}

STREAMBOOST_CLONES void add_lanes(double* to, const double* amount, std::size_t lanes) {
  for (std::size_t l = 0; l < lanes; l += vec_size) at(to + l) += at(amount + l);
}

}  // namespace streamboost

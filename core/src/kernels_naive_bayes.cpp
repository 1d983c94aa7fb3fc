#include "streamboost/clones.hpp"
#include "streamboost/kernels.hpp"
#include "streamboost/vec.hpp"

namespace streamboost {
namespace {

// Precisions lie between 1e-75 (inputs are clamped to 1e37) and 1e30, nominal factors above 1e-30 times their counts:
// four of them stay clear of both ends of the double range.
constexpr int factors_between_renormalisations = 4;

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

// gaps: some class may lack data on some attribute; its precision is 0 there and counts as factor 1.
template <bool gaps>
[[gnu::always_inline]] inline void ask_numeric(const double* mean, const double* precision, std::size_t lanes, const Entries& row,
                                               double* quadratic, double* mantissa, double* exponent) {
  const Vec zero = {}, one = zero + 1.0, most = zero + 1e300;
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
      a.mantissa *= gaps ? (pa > zero ? pa : one) : pa;
      b.mantissa *= gaps ? (pb > zero ? pb : one) : pb;
      if (i % factors_between_renormalisations == factors_between_renormalisations - 1) {
        a.renormalise();
        b.renormalise();
      }
    }
    a.renormalise();
    b.renormalise();
    at(quadratic + l) = qa < most ? qa : most;
    at(quadratic + l + vec_size) = qb < most ? qb : most;
    a.write(mantissa + l, exponent + l);
    b.write(mantissa + l + vec_size, exponent + l + vec_size);
  }
}

}  // namespace

STREAMBOOST_CLONES void gaussian_ask(const double* mean, const double* precision, std::size_t lanes, Entries row, bool gaps,
                                     double* quadratic, double* mantissa, double* exponent) {
  if (gaps)
    ask_numeric<true>(mean, precision, lanes, row, quadratic, mantissa, exponent);
  else
    ask_numeric<false>(mean, precision, lanes, row, quadratic, mantissa, exponent);
}

// Lanes with amount 0 come out as they went in: every term that moves is multiplied by 0, and the precision is a function of the rest.
STREAMBOOST_CLONES void gaussian_teach(double* mean, double* spread, double* precision, std::size_t lanes, Entries row,
                                       const double* amount, const double* sum, double floor) {
  const Vec zero = {}, one = zero + 1.0, most = zero + 1e30;
  for (std::size_t l = 0; l < lanes; l += vec_size) {
    double any = 0;
    for (std::size_t k = 0; k < vec_size; ++k) any += amount[l + k];
    if (!(any > 0)) continue;
    const Vec w = at(amount + l), n = at(sum + l);
    const Vec ratio = w / (n > zero ? n : one);
    const Vec kept = w * (1.0 - ratio);  // spread grows by w d (x - new mean) = w (1 - w/n) d^2
    const Vec floor_mass = floor * n;
    for (int i = 0; i < row.n; ++i) {
      const std::size_t cell = table_row(row, i) * lanes + l;
      const Vec deviation = row.x[i] - at(mean + cell);
      const Vec new_spread = at(spread + cell) + kept * (deviation * deviation);
      const Vec p = n / (new_spread + floor_mass);
      at(mean + cell) += deviation * ratio;
      at(spread + cell) = new_spread;
      at(precision + cell) = n > zero ? (p < most ? p : most) : zero;
    }
  }
}

STREAMBOOST_CLONES void square_joints(const double* class_weight, double prior_alpha, const double* ratio, const double* ratio_exponent,
                                      const double* mantissa, const double* exponent, const double* quadratic, std::size_t lanes,
                                      double* square, double* power) {
  constexpr double ln2 = 0.693147180559945309417;
  const Vec least = Vec{} + 1e-150;
  for (std::size_t l = 0; l < lanes; l += vec_size) {
    Vec prior = at(class_weight + l) + prior_alpha;
    prior = prior > least ? prior : least;
    Vec twos = 0.5 * at(exponent + l);
    if (ratio != nullptr) {
      prior *= at(ratio + l);
      twos += at(ratio_exponent + l);
    }
    at(square + l) = prior * prior * at(mantissa + l);
    at(power + l) = twos * ln2 - 0.5 * at(quadratic + l);
  }
}

STREAMBOOST_CLONES void halve_and_add(double* square, const double* power, std::size_t n) {
  for (std::size_t l = 0; l < n; l += vec_size) at(square + l) = 0.5 * at(square + l) + at(power + l);
}

STREAMBOOST_CLONES void best_class(const double* joint, const double* class_weight, std::size_t n_classes, std::size_t lanes,
                                   std::int32_t* vote, double* highest) {
  for (std::size_t l = 0; l < lanes; l += vec_size) {
    const Vec zero = {};
    Vec best = zero - 1.0, top = zero;
    for (std::size_t c = 0; c < n_classes; ++c) {
      const Vec mine = at(joint + c * lanes + l), code = zero + static_cast<double>(c);
      const auto better = (best < zero || mine > top) && at(class_weight + c * lanes + l) > zero;
      best = better ? code : best;
      top = better ? mine : top;
    }
    at(highest + l) = top;
    *reinterpret_cast<VecInts*>(vote + l) = __builtin_convertvector(best, VecInts);
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

#include "streamboost/clones.hpp"
#include "streamboost/kernels.hpp"
#include "streamboost/math.hpp"
#include "streamboost/vec.hpp"

namespace streamboost {
namespace {

constexpr double inverse_two_pi = 0.159154943091895335769;

// Statistics of trees lie in plain vectors: eight cells at any address of a double.
using LooseVec = double __attribute__((vector_size(64), aligned(8), may_alias));

[[gnu::always_inline]] inline Vec load(const double* p) { return *reinterpret_cast<const LooseVec*>(p); }
[[gnu::always_inline]] inline void store(double* p, Vec v) { *reinterpret_cast<LooseVec*>(p) = v; }
[[gnu::always_inline]] inline double sum(Vec v) { return ((v[0] + v[1]) + (v[2] + v[3])) + ((v[4] + v[5]) + (v[6] + v[7])); }

// Eight running products of factors between 1e-30 and 1e30, exponents kept apart, joined into one at the end.
struct Product {
  Vec mantissa = Vec{} + 1.0;
  VecBits exponent = {};
  int factors = 0;

  [[gnu::always_inline]] void multiply(Vec factor) {
    mantissa *= factor;
    if (++factors % 8 == 0) renormalise();
  }
  [[gnu::always_inline]] void renormalise() {
    const VecBits bits = reinterpret_cast<const VecBits&>(mantissa);
    exponent += (bits >> 52) - 1023;
    const VecBits unit = (bits & 0x000FFFFFFFFFFFFFULL) | 0x3FF0000000000000ULL;
    mantissa = reinterpret_cast<const Vec&>(unit);
  }
  [[gnu::always_inline]] void write(CellDensity& out) {
    renormalise();  // eight numbers in [1, 2): their product stays below 256
    out.mantissa =
        ((mantissa[0] * mantissa[1]) * (mantissa[2] * mantissa[3])) * ((mantissa[4] * mantissa[5]) * (mantissa[6] * mantissa[7]));
    std::uint64_t all = 0;
    for (int k = 0; k < 8; ++k) all += exponent[k];
    out.exponent = static_cast<double>(static_cast<std::int64_t>(all));
  }
};

}  // namespace

STREAMBOOST_CLONES double cells_quadratic(const double* x, const double* mean, const double* precision, std::size_t width) {
  const Vec zero = {};
  Vec total = zero;
  for (std::size_t j = 0; j < width; j += vec_size) {
    const Vec value = load(x + j);
    const Vec deviation = value == value ? value - load(mean + j) : zero;
    total += deviation * deviation * load(precision + j);
  }
  const double all = sum(total);
  return all < 1e300 ? all : 1e300;
}

STREAMBOOST_CLONES void cells_density(const double* x, const double* mean, const double* precision, std::size_t width, CellDensity* out) {
  const Vec zero = {}, one = zero + 1.0, most = zero + 1e30;
  Vec total = zero;
  Product product;
  for (std::size_t j = 0; j < width; j += vec_size) {
    const Vec value = load(x + j), p = load(precision + j);
    const Vec deviation = value == value ? value - load(mean + j) : zero;
    total += deviation * deviation * p;
    const Vec squared_peak = p < most ? p * inverse_two_pi : one;
    const Vec factor = p > zero ? squared_peak : one;
    product.multiply(value == value ? factor : one);
  }
  const double all = sum(total);
  out->quadratic = all < 1e300 ? all : 1e300;
  product.write(*out);
}

STREAMBOOST_CLONES void cells_observe(const TreeCells& cells, const double* x, std::size_t width, double amount, double floor,
                                      CellDensity* out) {
  const Vec zero = {}, one = zero + 1.0, half = zero + 0.5, largest = zero + 1e300, most = zero + 1e30, least = zero + 1e-30;
  Product product;
  for (std::size_t j = 0; j < width; j += vec_size) {
    const Vec value = load(x + j), old_n = load(cells.weight + j), old_mean = load(cells.mean + j), old_spread = load(cells.spread + j);
    const auto present = value == value;
    const auto first = old_n == zero;
    const Vec n = old_n + amount;
    const Vec deviation = value - old_mean;
    const Vec new_mean = old_mean + deviation * (amount / n);
    Vec spread = old_spread + amount * deviation * (value - new_mean);
    spread = spread < largest ? spread : largest;
    spread = spread > zero ? spread : zero;
    const Vec less_one = n - one, halved = half * n;
    const Vec freedom = less_one > halved ? less_one : halved;
    Vec p = freedom / (spread + floor * freedom);
    p = p < most ? p : most;
    p = spread > zero ? p : most;
    p = p > least ? p : least;
    const Vec old_low = load(cells.low + j), old_high = load(cells.high + j);
    const Vec lower = first ? value : (value < old_low ? value : old_low);
    const Vec higher = first ? value : (value > old_high ? value : old_high);
    const Vec kept = load(cells.precision + j);
    p = present ? p : kept;
    store(cells.weight + j, present ? n : old_n);
    store(cells.mean + j, present ? new_mean : old_mean);
    store(cells.spread + j, present ? spread : old_spread);
    store(cells.precision + j, p);
    store(cells.low + j, present ? lower : old_low);
    store(cells.high + j, present ? higher : old_high);
    const Vec squared_peak = p < most ? p * inverse_two_pi : one;
    product.multiply(p > zero ? squared_peak : one);
  }
  product.write(*out);
}

STREAMBOOST_CLONES void normal_cdf_lanes(const double* in, double* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const double x = in[i] * 0x1.6a09e667f3bcdp-1;  // z / sqrt(2)
    const double a = std::fabs(x);
    const double near = a < 1.0 ? x : 0.0;
    const double far = a < 6.0 ? a : 6.0;
    const double inside = near * detail::horner(detail::erf_near_zero, near * near);
    const double tail = 1.0 - streamboost::exp(-far * far) * detail::horner(detail::erf_tail, 1.0 / (far + 3.0));
    const double outside = std::copysign(a < 6.0 ? tail : 1.0, x);
    out[i] = 0.5 + 0.5 * (a < 1.0 ? inside : outside);
  }
}

STREAMBOOST_CLONES void x_log_x_lanes(const double* in, double* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const double x = in[i];
    const double y = x * streamboost::log(x > 0.0 ? x : 1.0);
    out[i] = x > 0.0 ? y : 0.0;
  }
}

}  // namespace streamboost

#include "streamboost/math/clones.hpp"
#include "streamboost/math/kernels.hpp"
#include "streamboost/math/math.hpp"
#include "streamboost/math/rng.hpp"
#include "streamboost/math/vec.hpp"

namespace streamboost {
namespace {

constexpr double inverse_two_pi = 0.159154943091895335769;

// Columns go through in blocks: choices in plain loops, which gcc vectorises for each clone, sums and products over columns in Vec,
// of which only arithmetic survives the making of clones.
constexpr std::size_t block = 64;

[[gnu::always_inline]] inline const Vec& at(const double* p) { return *reinterpret_cast<const Vec*>(p); }
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

STREAMBOOST_CLONES double cells_quadratic(const double* __restrict x, const double* __restrict mean, const double* __restrict precision,
                                          std::size_t width) {
  Vec total = {};
  for (std::size_t begin = 0; begin < width; begin += block) {
    const std::size_t size = width - begin < block ? width - begin : block;
    alignas(64) double term[block];
    for (std::size_t j = 0; j < size; ++j) {
      const double value = x[begin + j], deviation = value == value ? value - mean[begin + j] : 0.0;
      term[j] = deviation * deviation * precision[begin + j];
    }
    for (std::size_t j = 0; j < size; j += vec_size) total += at(term + j);
  }
  const double all = sum(total);
  return all < 1e300 ? all : 1e300;
}

STREAMBOOST_CLONES void cells_density(const double* __restrict x, const double* __restrict mean, const double* __restrict precision,
                                      std::size_t width, CellDensity* out) {
  Vec total = {};
  Product product;
  for (std::size_t begin = 0; begin < width; begin += block) {
    const std::size_t size = width - begin < block ? width - begin : block;
    alignas(64) double term[block], factor[block];
    for (std::size_t j = 0; j < size; ++j) {
      const double value = x[begin + j], p = precision[begin + j];
      const double deviation = value == value ? value - mean[begin + j] : 0.0;
      term[j] = deviation * deviation * p;
      const double squared_peak = p < 1e30 ? p * inverse_two_pi : 1.0;
      const double known = p > 0.0 ? squared_peak : 1.0;
      factor[j] = value == value ? known : 1.0;
    }
    for (std::size_t j = 0; j < size; j += vec_size) {
      total += at(term + j);
      product.multiply(at(factor + j));
    }
  }
  const double all = sum(total);
  out->quadratic = all < 1e300 ? all : 1e300;
  product.write(*out);
}

STREAMBOOST_CLONES void cells_observe(const TreeCells& cells, const double* __restrict x, std::size_t width, double amount, double floor,
                                      CellDensity* out) {
  double *__restrict weight = cells.weight, *__restrict mean = cells.mean, *__restrict spread = cells.spread,
                    *__restrict precision = cells.precision, *__restrict low = cells.low, *__restrict high = cells.high;
  Product product;
  for (std::size_t begin = 0; begin < width; begin += block) {
    const std::size_t end = width - begin < block ? width : begin + block;
    alignas(64) double factor[block];
    for (std::size_t j = begin; j < end; ++j) {
      const double value = x[j], old_n = weight[j], old_mean = mean[j], old_spread = spread[j];
      const double n = old_n + amount;
      const double deviation = value - old_mean;
      const double new_mean = old_mean + deviation * (amount / n);
      double wider = old_spread + amount * deviation * (value - new_mean);
      wider = wider < 1e300 ? wider : 1e300;
      wider = wider > 0.0 ? wider : 0.0;
      const double less_one = n - 1.0, halved = 0.5 * n;
      const double freedom = less_one > halved ? less_one : halved;
      double p = freedom / (wider + floor * freedom);
      p = p < 1e30 ? p : 1e30;
      p = wider > 0.0 ? p : 1e30;
      p = p > 1e-30 ? p : 1e-30;
      const double lower = value < low[j] ? value : low[j], higher = value > high[j] ? value : high[j];
      const double new_low = old_n == 0.0 ? value : lower, new_high = old_n == 0.0 ? value : higher;
      p = value == value ? p : precision[j];
      weight[j] = value == value ? n : old_n;
      mean[j] = value == value ? new_mean : old_mean;
      spread[j] = value == value ? wider : old_spread;
      precision[j] = p;
      low[j] = value == value ? new_low : low[j];
      high[j] = value == value ? new_high : high[j];
      const double squared_peak = p < 1e30 ? p * inverse_two_pi : 1.0;
      factor[j - begin] = p > 0.0 ? squared_peak : 1.0;
    }
    for (std::size_t j = 0; j < end - begin; j += vec_size) product.multiply(at(factor + j));
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

STREAMBOOST_CLONES void split_positions(const ClassSummary& seen, const double* __restrict threshold, double far, double* __restrict out,
                                        std::size_t n) {
  const double mean = seen.mean, scale = seen.scale, low = seen.weight > 0 ? seen.low : 1e308, high = seen.high;
  for (std::size_t m = 0; m < n; ++m) {
    const double t = threshold[m];
    double z = (t - mean) * scale;
    z = z < far ? z : far;
    z = z > -far ? z : -far;
    z = t >= high ? far : z;
    out[m] = t < low ? -far : z;
  }
}

STREAMBOOST_CLONES void split_shares(double weight, double* __restrict left, double* __restrict right, double* __restrict left_sum,
                                     double* __restrict right_sum, std::size_t n) {
  for (std::size_t m = 0; m < n; ++m) {
    const double l = left[m] * weight, r = weight - l;
    left[m] = l;
    right[m] = r;
    left_sum[m] += l;
    right_sum[m] += r;
  }
}

STREAMBOOST_CLONES void node_uniforms(std::uint64_t seed, std::uint32_t node, std::uint32_t lane, std::uint32_t birth,
                                      const std::int32_t* __restrict column, double* __restrict out, std::size_t n) {
  const std::uint32_t last = detail::last_word(Purpose::node, birth);
  for (std::size_t j = 0; j < n; ++j) {
    const auto w = detail::philox<std::uint32_t>({node, static_cast<std::uint32_t>(column[j]), lane, last},
                                                 static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32));
    out[j] = detail::unit(w.r1, w.r0);
  }
}

}  // namespace streamboost

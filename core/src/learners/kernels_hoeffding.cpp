#include <bit>
#include <cstdint>

#include "streamboost/math/clones.hpp"
#include "streamboost/math/kernels.hpp"
#include "streamboost/math/math.hpp"
#include "streamboost/math/rng.hpp"
#include "streamboost/math/vec.hpp"

namespace streamboost {
namespace {

constexpr double inverse_two_pi = 0.159154943091895335769;

// Columns go through in blocks: choices in plain loops, which gcc vectorises for each clone, sums and products over columns in vectors,
// of which only arithmetic survives the making of clones.
constexpr std::size_t cell_block = 64;

[[gnu::always_inline]] inline double sum(const HalfVec& v) { return (v[0] + v[1]) + (v[2] + v[3]); }

// Eight running products of factors between 1e-30 and 1e30, exponents kept apart, joined into one at the end.
struct Product {
  alignas(64) double mantissa[vec_size];
  std::uint64_t exponent = 0;
  int factors = 0;

  [[gnu::always_inline]] Product() {
    for (double& m : mantissa) m = 1.0;
  }
  [[gnu::always_inline]] void multiply(const double* factor) {
    for (std::size_t k = 0; k < vec_size; ++k) mantissa[k] *= factor[k];
    if (++factors % 8 == 0) renormalise();
  }
  [[gnu::always_inline]] void renormalise() {
    for (std::size_t k = 0; k < vec_size; ++k) {
      const auto bits = std::bit_cast<std::uint64_t>(mantissa[k]);
      exponent += (bits >> 52) - 1023;
      mantissa[k] = std::bit_cast<double>((bits & 0x000FFFFFFFFFFFFFULL) | 0x3FF0000000000000ULL);
    }
  }
  [[gnu::always_inline]] void write(CellDensity& out) {
    renormalise();  // eight numbers in [1, 2): their product stays below 256
    out.mantissa =
        ((mantissa[0] * mantissa[1]) * (mantissa[2] * mantissa[3])) * ((mantissa[4] * mantissa[5]) * (mantissa[6] * mantissa[7]));
    out.exponent = static_cast<double>(static_cast<std::int64_t>(exponent));
  }
};

}  // namespace

STREAMBOOST_CLONES void cells_quadratics(const double* __restrict x, const double* const* block, std::size_t n, std::size_t width,
                                         double* __restrict out) {
  const auto four = [](const double* p) { return *reinterpret_cast<const LooseHalfVec*>(p); };
  for (std::size_t c = 0; c < n; ++c) {
    const double* __restrict mean = block[c], * __restrict precision = mean + width;
    HalfVec low = {}, high = {};
    for (std::size_t j = 0; j < width; j += vec_size) {
      const HalfVec one = four(x + j) - four(mean + j), other = four(x + j + 4) - four(mean + j + 4);
      low += one * one * four(precision + j);
      high += other * other * four(precision + j + 4);
    }
    const double all = ((low[0] + low[1]) + (low[2] + low[3])) + ((high[0] + high[1]) + (high[2] + high[3]));
    out[c] = all < 1e300 ? all : 1e300;
  }
}

// Four classes at a time: their chains of products and divisions run side by side.
STREAMBOOST_CLONES void value_logs(const double* const* block, std::size_t n, const ValuePlaces& values, double alpha,
                                   double* __restrict out) {
  constexpr double ln2 = 0.693147180559945309417;
  constexpr std::size_t side = 4;
  for (std::size_t first = 0; first < n; first += side) {
    const double* mine[side];
    double product[side], exponent[side], above[side], below[side];
    for (std::size_t c = 0; c < side; ++c) {
      mine[c] = block[first + c < n ? first + c : first];
      product[c] = above[c] = below[c] = 1.0;
      exponent[c] = 0.0;
    }
    for (std::size_t a = 0; a < values.n; ++a) {
      const std::int32_t count = values.count_at[a], weight = values.weight_at[a];
      const double extra = values.smoothing[a];
      for (std::size_t c = 0; c < side; ++c) {
        above[c] *= mine[c][count] + alpha;
        below[c] *= mine[c][weight] + extra;
      }
      if (a % 4 != 3 && a + 1 != values.n) continue;
      for (std::size_t c = 0; c < side; ++c) {
        const auto bits = std::bit_cast<std::uint64_t>(product[c] * (above[c] / below[c]));
        above[c] = below[c] = 1.0;
        exponent[c] += std::bit_cast<double>((bits >> 52) - 1023 + 0x4338000000000000ULL) - 0x1.8p52;  // a whole number, exactly
        product[c] = std::bit_cast<double>((bits & 0x000FFFFFFFFFFFFFULL) | 0x3FF0000000000000ULL);
      }
    }
    for (std::size_t c = 0; c < side; ++c) product[c] = streamboost::log(product[c]) + exponent[c] * ln2;
    for (std::size_t c = 0; c < side && first + c < n; ++c) out[first + c] = product[c];
  }
}

STREAMBOOST_CLONES void cells_density(const double* __restrict x, const double* __restrict mean, const double* __restrict precision,
                                      std::size_t width, CellDensity* out) {
  HalfVec even = {}, odd = {};
  Product product;
  for (std::size_t begin = 0; begin < width; begin += cell_block) {
    const std::size_t size = width - begin < cell_block ? width - begin : cell_block;
    alignas(64) double term[cell_block], factor[cell_block];
    for (std::size_t j = 0; j < size; ++j) {
      const double value = x[begin + j], p = precision[begin + j];
      const double deviation = value == value ? value - mean[begin + j] : 0.0;
      term[j] = deviation * deviation * p;
      const double squared_peak = p < 1e30 ? p * inverse_two_pi : 1.0;
      const double known = p > 0.0 ? squared_peak : 1.0;
      factor[j] = value == value ? known : 1.0;
    }
    for (std::size_t j = 0; j < size; j += vec_size) {
      even += lanes_at<FourLanes>(term + j);
      odd += lanes_at<FourLanes>(term + j + half_size);
      product.multiply(factor + j);
    }
  }
  const double all = sum(even) + sum(odd);
  out->quadratic = all < 1e300 ? all : 1e300;
  product.write(*out);
}

namespace {

// together: all cells that learn weigh `weight[0]` so far, as they do where nothing was missing.
template <bool together>
[[gnu::always_inline]] inline void observe_cells(const TreeCells& cells, const double* __restrict x, std::size_t width, double amount,
                                                 double floor, CellDensity* out) {
  double *__restrict weight = cells.weight, *__restrict mean = cells.mean, *__restrict spread = cells.spread,
                    *__restrict precision = cells.precision, *__restrict low = cells.low, *__restrict high = cells.high;
  const double first_n = together ? weight[0] + amount : 0.0, first_share = together ? amount / first_n : 0.0;
  Product product;
  for (std::size_t begin = 0; begin < width; begin += cell_block) {
    const std::size_t end = width - begin < cell_block ? width : begin + cell_block;
    alignas(64) double factor[cell_block];
#pragma GCC ivdep
    for (std::size_t j = begin; j < end; ++j) {
      const double value = x[j], old_n = weight[j], old_mean = mean[j], old_spread = spread[j];
      const double n = together ? first_n : old_n + amount;
      const double deviation = value - old_mean;
      const double new_mean = old_mean + deviation * (together ? first_share : amount / n);
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
    for (std::size_t j = 0; j < end - begin; j += vec_size) product.multiply(factor + j);
  }
  product.write(*out);
}

}  // namespace

STREAMBOOST_CLONES void cells_observe(const TreeCells& cells, const double* __restrict x, std::size_t width, double amount, double floor,
                                      CellDensity* out) {
  std::uint64_t apart = 0;
  for (std::size_t j = 0; j < width; ++j)
    apart |= (x[j] == x[j]) & (cells.weight[j] != cells.weight[0]) ? std::uint64_t{1} : std::uint64_t{0};
  if (width > 0 && apart == 0)
    observe_cells<true>(cells, x, width, amount, floor, out);
  else
    observe_cells<false>(cells, x, width, amount, floor, out);
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

STREAMBOOST_CLONES std::size_t split_positions(const ClassSummary* seen, std::size_t classes, const double* __restrict threshold,
                                               std::size_t points, double far, PointRange* range, double* __restrict z) {
  std::size_t written = 0;
  for (std::size_t c = 0; c < classes; ++c) {
    const double mean = seen[c].mean, scale = seen[c].scale, low = seen[c].weight > 0 ? seen[c].low : 1e308, high = seen[c].high;
    std::size_t begin = 0, end = 0;
    for (std::size_t m = 0; m < points; ++m) {
      begin += threshold[m] < low ? 1 : 0;
      end += threshold[m] < high ? 1 : 0;
    }
    end = end > begin ? end : begin;
    range[c] = {static_cast<std::int32_t>(begin), static_cast<std::int32_t>(end)};
    double* __restrict out = z + written;
    const double* __restrict t = threshold + begin;
    written += end - begin;
    for (std::size_t m = 0; m < end - begin; ++m) {
      double position = (t[m] - mean) * scale;
      position = position < far ? position : far;
      out[m] = position > -far ? position : -far;
    }
  }
  return written;
}

STREAMBOOST_CLONES void split_shares(const double* weight, const PointRange* range, std::size_t classes, std::size_t points,
                                     double* __restrict left, double* __restrict right, double* __restrict left_sum,
                                     double* __restrict right_sum) {
  for (std::size_t c = 0; c < classes; ++c) {
    const double w = weight[c];
    const auto begin = static_cast<std::size_t>(range[c].begin), end = static_cast<std::size_t>(range[c].end), inside = end - begin;
    for (std::size_t m = 0; m < begin; ++m) right_sum[m] += w;
    for (std::size_t m = 0; m < inside; ++m) {
      const double l = left[m] * w, r = w - l;
      left[m] = l;
      right[m] = r;
      left_sum[begin + m] += l;
      right_sum[begin + m] += r;
    }
    for (std::size_t m = end; m < points; ++m) left_sum[m] += w;
    left += inside;
    right += inside;
  }
}

STREAMBOOST_CLONES void split_insides(const double* whole, const PointRange* range, std::size_t classes, std::size_t points,
                                      const double* __restrict left, const double* __restrict right, double* __restrict inside) {
  for (std::size_t m = 0; m < points; ++m) inside[m] = 0.0;
  for (std::size_t c = 0; c < classes; ++c) {
    const double all = whole[c];
    const auto begin = static_cast<std::size_t>(range[c].begin), end = static_cast<std::size_t>(range[c].end);
    for (std::size_t m = 0; m < begin; ++m) inside[m] += all;
    for (std::size_t m = 0; m < end - begin; ++m) inside[begin + m] += left[m] + right[m];
    for (std::size_t m = end; m < points; ++m) inside[m] += all;
    left += end - begin;
    right += end - begin;
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

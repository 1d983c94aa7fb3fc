#include <cstdint>

#include "streamboost/learners/hoeffding_kernels.hpp"
#include "streamboost/math/levels.hpp"
#include "streamboost/math/math.hpp"
#include "streamboost/math/rng.hpp"
#include "streamboost/math/vec.hpp"

namespace streamboost::STREAMBOOST_LEVEL {
namespace {

constexpr double inverse_two_pi = 0.159154943091895335769;

// Columns go through in blocks: choices in plain loops, which the compiler vectorises, sums and products over columns in vectors.
constexpr std::size_t cell_block = 64;

[[gnu::always_inline]] inline double sum(const HalfVec& v) { return (v[0] + v[1]) + (v[2] + v[3]); }

// Eight running products of factors between 1e-30 and 1e30, exponents kept apart, joined into one at the end.
struct Product {
  HalfVec low, high;
  HalfBits low_power = {}, high_power = {};

  [[gnu::always_inline]] Product() : low(HalfVec{} + 1.0), high(low) {}
  // The factors of cells j to j + 3: fours take turns.
  [[gnu::always_inline]] void multiply(const HalfVec& factor, std::size_t j) {
    if (j % vec_size == 0) {
      low *= factor;
    } else {
      high *= factor;
      if (j % cell_block == cell_block - half_size) renormalise();
    }
  }
  [[gnu::always_inline]] void renormalise() {
    renormalise(low, low_power);
    renormalise(high, high_power);
  }
  [[gnu::always_inline]] static void renormalise(HalfVec& mantissa, HalfBits& power) {
    const HalfBits bits = reinterpret_cast<const HalfBits&>(mantissa);
    power += (bits >> 52) - 1023;
    const HalfBits unit = (bits & 0x000FFFFFFFFFFFFFULL) | 0x3FF0000000000000ULL;
    mantissa = reinterpret_cast<const HalfVec&>(unit);
  }
  [[gnu::always_inline]] void write(CellDensity& out) {
    renormalise();  // eight numbers in [1, 2): their product stays below 256
    out.mantissa = ((low[0] * low[1]) * (low[2] * low[3])) * ((high[0] * high[1]) * (high[2] * high[3]));
    const HalfBits power = low_power + high_power;
    out.exponent = static_cast<double>(static_cast<std::int64_t>((power[0] + power[1]) + (power[2] + power[3])));
  }
};

}  // namespace

namespace {

// The sums of the elements of four vectors, or of two of them in the first half: what sum() gives of each.
[[gnu::always_inline]] inline HalfVec sums_of(const HalfVec (&v)[4]) {
  const HalfVec one = __builtin_shufflevector(v[0], v[1], 0, 4, 2, 6) + __builtin_shufflevector(v[0], v[1], 1, 5, 3, 7);
  const HalfVec two = __builtin_shufflevector(v[2], v[3], 0, 4, 2, 6) + __builtin_shufflevector(v[2], v[3], 1, 5, 3, 7);
  return __builtin_shufflevector(one, two, 0, 1, 4, 5) + __builtin_shufflevector(one, two, 2, 3, 6, 7);
}
[[gnu::always_inline]] inline HalfVec sums_of(const HalfVec (&v)[2]) {
  const HalfVec pairs = __builtin_shufflevector(v[0], v[1], 0, 4, 2, 6) + __builtin_shufflevector(v[0], v[1], 1, 5, 3, 7);
  return pairs + __builtin_shufflevector(pairs, pairs, 2, 3, 2, 3);
}

// `side` classes at a time, which share the row. Beyond the last class they repeat the first.
template <std::size_t side>
[[gnu::always_inline]] inline void quadratics_of(const double* x, const double* const* block, std::size_t n, std::size_t stride,
                                                 std::size_t used, double* out) {
  const double* mean[side];
  HalfVec low[side], high[side];
  for (std::size_t c = 0; c < side; ++c) {
    mean[c] = block[c < n ? c : 0];
    low[c] = high[c] = HalfVec{};
  }
  std::size_t j = 0;
  for (; j + half_size < used; j += vec_size) {
    const HalfVec one = four_at(x + j), other = four_at(x + j + half_size);
#pragma GCC unroll 4
    for (std::size_t c = 0; c < side; ++c) {
      const HalfVec left = one - four_at(mean[c] + j), right = other - four_at(mean[c] + j + half_size);
      low[c] += left * left * four_at(mean[c] + stride + j);
      high[c] += right * right * four_at(mean[c] + stride + j + half_size);
    }
  }
  if (j < used) {
    const HalfVec one = four_at(x + j);
#pragma GCC unroll 4
    for (std::size_t c = 0; c < side; ++c) {
      const HalfVec left = one - four_at(mean[c] + j);
      low[c] += left * left * four_at(mean[c] + stride + j);
    }
  }
  HalfVec all = sums_of(low) + sums_of(high);
  const HalfVec largest = HalfVec{} + 1e300;
  all = all < largest ? all : largest;
  for (std::size_t c = 0; c < side && c < n; ++c) out[c] = all[c];
}

}  // namespace

void cells_quadratics(const double* x, const double* const* block, std::size_t n, std::size_t stride, std::size_t used, double* out) {
  std::size_t c = 0;
  for (; c + 2 < n; c += 4) quadratics_of<4>(x, block + c, n - c, stride, used, out + c);
  if (c < n) quadratics_of<2>(x, block + c, n - c, stride, used, out + c);
}

namespace {

// streamboost::log of numbers in [1, 2), bit for bit: there is nothing to choose.
template <class Width>
[[gnu::always_inline]] inline typename Width::Values log_of_mantissas(const typename Width::Values& x) {
  using Values = typename Width::Values;
  using Bits = typename Width::Bits;
  constexpr std::uint64_t sqrt_half = 0x3fe6a09e667f3bcdULL, one = 1023ULL << 52;
  const Bits bits = reinterpret_cast<const Bits&>(x);
  const Bits field = (bits - sqrt_half + one) & 0xfff0000000000000ULL;
  const Bits rest = bits - field + one, whole = (field >> 52) | 0x4330000000000000ULL;
  const Values k = reinterpret_cast<const Values&>(whole) - (0x1p52 + 1023.0);
  return detail::log_of<Width>(k, reinterpret_cast<const Values&>(rest));
}

// One number of each class.
[[gnu::always_inline]] inline TwoLanes::Values of_classes(const double* const (&block)[2], std::int32_t place) {
  return TwoLanes::Values{block[0][place], block[1][place]};
}
[[gnu::always_inline]] inline FourLanes::Values of_classes(const double* const (&block)[4], std::int32_t place) {
  return FourLanes::Values{block[0][place], block[1][place], block[2][place], block[3][place]};
}

// Numbers in [1, 2) and their exponents, times a factor.
template <class Width>
[[gnu::always_inline]] inline void multiply_by(typename Width::Values& product, typename Width::Values& exponent,
                                               const typename Width::Values& factor) {
  using Values = typename Width::Values;
  using Bits = typename Width::Bits;
  product *= factor;
  const Bits bits = reinterpret_cast<const Bits&>(product);
  const Bits power = (bits >> 52) - 1023 + 0x4338000000000000ULL, unit = (bits & 0x000FFFFFFFFFFFFFULL) | 0x3FF0000000000000ULL;
  exponent += reinterpret_cast<const Values&>(power) - 0x1.8p52;  // a whole number, exactly
  product = reinterpret_cast<const Values&>(unit);
}

// Classes side by side: their chains of products and divisions run in the lanes of a register. Beyond the last class its lanes repeat
// the first.
template <class Width>
[[gnu::always_inline]] inline void value_logs_of(const double* const* block, std::size_t n, const ValuePlaces& values, double alpha,
                                                 double* __restrict out) {
  using Values = typename Width::Values;
  constexpr double ln2 = 0.693147180559945309417;
  const double* mine[Width::size];
  for (std::size_t c = 0; c < Width::size; ++c) mine[c] = block[c < n ? c : 0];
  Values product = Values{} + 1.0, exponent = {};
  const std::size_t whole = values.n - values.n % 4;
  const std::int32_t *count_at = values.count_at, *weight_at = values.weight_at;
  const double* smoothing = values.smoothing;
  for (std::size_t first = 0; first < whole; first += 4) {
    Values above = of_classes(mine, count_at[first]) + alpha, below = of_classes(mine, weight_at[first]) + smoothing[first];
#pragma GCC unroll 3
    for (std::size_t a = first + 1; a < first + 4; ++a) {
      above *= of_classes(mine, count_at[a]) + alpha;
      below *= of_classes(mine, weight_at[a]) + smoothing[a];
    }
    multiply_by<Width>(product, exponent, above / below);
  }
  if (whole < values.n) {
    Values above = Values{} + 1.0, below = above;
    for (std::size_t a = whole; a < values.n; ++a) {
      above *= of_classes(mine, count_at[a]) + alpha;
      below *= of_classes(mine, weight_at[a]) + smoothing[a];
    }
    multiply_by<Width>(product, exponent, above / below);
  }
  const Values logs = log_of_mantissas<Width>(product) + exponent * ln2;
  for (std::size_t c = 0; c < Width::size && c < n; ++c) out[c] = logs[c];
}

}  // namespace

void value_logs(const double* const* block, std::size_t n, const ValuePlaces& values, double alpha, double* __restrict out) {
  std::size_t c = 0;
  for (; c + 2 < n; c += FourLanes::size) value_logs_of<FourLanes>(block + c, n - c, values, alpha, out + c);
  if (c < n) value_logs_of<TwoLanes>(block + c, n - c, values, alpha, out + c);
}

void cells_density(const double* __restrict x, const double* __restrict mean, const double* __restrict precision, std::size_t width,
                   CellDensity* out) {
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
      product.multiply(lanes_at<FourLanes>(factor + j), j);
      product.multiply(lanes_at<FourLanes>(factor + j + half_size), j + half_size);
    }
  }
  const double all = sum(even) + sum(odd);
  out->quadratic = all < 1e300 ? all : 1e300;
  product.write(*out);
}

namespace {

// a < b ? a : b and a > b ? a : b, of NaN and zeros, too: one instruction, where gcc makes a mask of a comparison and a choice.
[[gnu::always_inline]] inline HalfVec lesser(const HalfVec& a, const HalfVec& b) {
#if defined(__AVX__)
  return __builtin_ia32_minpd256(a, b);
#else
  return a < b ? a : b;
#endif
}
[[gnu::always_inline]] inline HalfVec greater(const HalfVec& a, const HalfVec& b) {
#if defined(__AVX__)
  return __builtin_ia32_maxpd256(a, b);
#else
  return a > b ? a : b;
#endif
}

// together: all cells that learn weigh `weight[0]` so far, as they do where nothing was missing.
template <bool together>
[[gnu::always_inline]] inline void observe_cells(TreeCells cells, const double* x, std::size_t used, double amount, double floor,
                                                 CellDensity* out) {
  const HalfVec zero = {}, one = zero + 1.0, most = zero + 1e30, least = zero + 1e-30, largest = zero + 1e300;
  const double first_n = together ? cells.weight[0] + amount : 0.0, first_share = together ? amount / first_n : 0.0;
  Product product;
  for (std::size_t j = 0; j < used; j += half_size) {
    const HalfVec value = four_at(x + j), old_n = four_at(cells.weight + j), old_mean = four_at(cells.mean + j),
                  old_spread = four_at(cells.spread + j), old_low = four_at(cells.low + j), old_high = four_at(cells.high + j);
    const HalfVec n = together ? zero + first_n : old_n + amount;
    const HalfVec deviation = value - old_mean;
    const HalfVec new_mean = old_mean + deviation * (together ? zero + first_share : amount / n);
    HalfVec wider = old_spread + amount * deviation * (value - new_mean);
    wider = greater(lesser(wider, largest), zero);
    const HalfVec less_one = n - 1.0, halved = 0.5 * n;
    const HalfVec freedom = greater(less_one, halved);
    HalfVec p = freedom / (wider + floor * freedom);
    p = wider > zero ? lesser(p, most) : most;
    p = greater(p, least);
    const HalfVec lower = lesser(value, old_low), higher = greater(value, old_high);
    p = value == value ? p : four_at(cells.precision + j);
    put_four(cells.weight + j, value == value ? n : old_n);
    put_four(cells.mean + j, value == value ? new_mean : old_mean);
    put_four(cells.spread + j, value == value ? wider : old_spread);
    put_four(cells.precision + j, p);
    put_four(cells.low + j, value == value ? (old_n == zero ? value : lower) : old_low);
    put_four(cells.high + j, value == value ? (old_n == zero ? value : higher) : old_high);
    const HalfVec squared_peak = p < most ? p * inverse_two_pi : one;
    product.multiply(p > zero ? squared_peak : one, j);
  }
  product.write(*out);
}

}  // namespace

void cells_observe(const TreeCells& cells, const double* x, std::size_t used, double amount, double floor, CellDensity* out) {
  std::uint64_t apart = 0;
  for (std::size_t j = 0; j < used; ++j)
    apart |= ((x[j] == x[j]) & (cells.weight[j] != cells.weight[0])) ? std::uint64_t{1} : std::uint64_t{0};
  if (used > 0 && apart == 0)
    observe_cells<true>(cells, x, used, amount, floor, out);
  else
    observe_cells<false>(cells, x, used, amount, floor, out);
}

std::size_t split_positions(const ClassSummary* seen, std::size_t classes, const double* __restrict threshold, std::size_t points,
                            double far, PointRange* range, double* __restrict z) {
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

void split_shares(const double* weight, const PointRange* range, std::size_t classes, std::size_t points, double* __restrict left,
                  double* __restrict right, double* __restrict left_sum, double* __restrict right_sum) {
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

void split_insides(const double* whole, const PointRange* range, std::size_t classes, std::size_t points, const double* __restrict left,
                   const double* __restrict right, double* __restrict inside) {
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

}  // namespace streamboost::STREAMBOOST_LEVEL

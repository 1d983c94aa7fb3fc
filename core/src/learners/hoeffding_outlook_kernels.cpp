#include <bit>
#include <cmath>
#include <cstdint>

#include "streamboost/learners/hoeffding_outlook_kernels.hpp"
#include "streamboost/math/levels.hpp"

namespace streamboost::STREAMBOOST_LEVEL {
namespace {

// x log2 x of a share, 0 for 0; the logarithm to 4e-6.
[[gnu::always_inline]] inline float rough_x_log2_x(float x) {
  const float y = x > 1e-30f ? x : 1e-30f;
  const auto bits = std::bit_cast<std::int32_t>(y);
  const std::int32_t exponent = (bits - 0x3f3504f3) >> 23;  // y = 2^exponent (1 + f), 1 + f between the roots of 1/2 and 2
  const float f = std::bit_cast<float>(bits - exponent * (1 << 23)) - 1.0f;
  const float tail = 0.3184071183f + f * -0.2068581283f;
  const float polynomial = 1.4427018166f + f * (-0.7212084532f + f * (0.4797938764f + f * (-0.3664132655f + f * tail)));
  return x * (static_cast<float>(exponent) + f * polynomial);
}

// The normal distribution function to 1e-6: Hastings (1955), as in Abramowitz and Stegun 7.1.28.
[[gnu::always_inline]] inline float rough_normal_cdf(float z) {
  const float x = (z < 0.0f ? -z : z) * 0.7071067812f;
  float p = 1.0f +
            x * (0.0705230784f + x * (0.0422820123f + x * (0.0092705272f + x * (0.0001520143f + x * (0.0002765672f + x * 0.0000430638f)))));
  p *= p;
  p *= p;
  p *= p;
  p *= p;
  const float tail = 0.5f / p;
  return z < 0.0f ? tail : 1.0f - tail;
}

}  // namespace

void outlook_logs(const float* __restrict share, float* __restrict out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = rough_x_log2_x(share[i]);
}

void outlook_scales(const OutlookClass& c, std::size_t n) {
  const double* __restrict weight = c.weight;
  double* __restrict scale = c.scale;
  for (std::size_t q = 0; q < n; ++q) {
    const double spread = scale[q], less_one = weight[q] - 1.0, halved = 0.5 * weight[q];
    const double root = std::sqrt((less_one > halved ? less_one : halved) / (spread > 0.0 ? spread : 1.0));
    scale[q] = spread > 0.0 ? root : 1e300;
  }
}

void outlook_shares(const OutlookClass& c, const double* __restrict whole, float* __restrict share, float* __restrict entropy,
                    std::size_t n) {
  const double* __restrict weight = c.weight;
  for (std::size_t q = 0; q < n; ++q) share[q] = static_cast<float>(weight[q] / whole[q]);
  for (std::size_t q = 0; q < n; ++q) entropy[q] -= rough_x_log2_x(share[q]);
}

void outlook_positions(const OutlookClass& c, const double* __restrict low, const double* __restrict span, std::size_t points,
                       std::size_t n, float* __restrict z) {
  constexpr double far = 10.0;  // all or nothing, in so few digits
  const double* __restrict mean = c.mean, * __restrict scale = c.scale, * __restrict lowest = c.low, * __restrict highest = c.high;
  for (std::size_t m = 0; m < points; ++m) {
    const double part = static_cast<double>(m + 1) / static_cast<double>(points + 1);
    for (std::size_t q = 0; q < n; ++q) {
      const double threshold = low[q] + span[q] * part;
      double position = (threshold - mean[q]) * scale[q];
      position = position < far ? position : far;
      position = position > -far ? position : -far;
      position = threshold < lowest[q] ? -far : position;
      z[m * n + q] = static_cast<float>(threshold < highest[q] ? position : far);
    }
  }
}

void outlook_masses(const float* __restrict z, const float* __restrict weight, float* __restrict left, float* __restrict right,
                    float* __restrict inside, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const float l = weight[i] * rough_normal_cdf(z[i]), r = weight[i] - l;
    left[i] += l;
    right[i] += r;
    inside[i] += rough_x_log2_x(l) + rough_x_log2_x(r);
  }
}

void outlook_merits(const OutlookMasses& mass, const float* __restrict entropy, float least, float doubt, std::size_t points, std::size_t n,
                    float* __restrict lower, float* __restrict upper) {
  const float* __restrict left = mass.left, * __restrict right = mass.right, * __restrict inside = mass.inside;
  for (std::size_t m = 0; m < points; ++m)
    for (std::size_t q = 0; q < n; ++q) {
      const float l = left[m * n + q], r = right[m * n + q], smaller = l < r ? l : r;
      const float gain = entropy[q] + inside[m * n + q] - rough_x_log2_x(l) - rough_x_log2_x(r);
      const float merit = gain > 0.0f ? gain : 0.0f;
      const float surely = smaller > least + doubt ? merit : -1.0f, perhaps = smaller > least - doubt ? merit : -1.0f;
      lower[q] = lower[q] > surely ? lower[q] : surely;
      upper[q] = upper[q] > perhaps ? upper[q] : perhaps;
    }
}

}  // namespace streamboost::STREAMBOOST_LEVEL

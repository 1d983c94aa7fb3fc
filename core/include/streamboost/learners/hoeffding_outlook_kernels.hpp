// Attempts to split with fewer digits (hoeffding_outlook.hpp); any n, no alignment needed.
#pragma once
#include <cstddef>

#include "streamboost/math/levels.hpp"

namespace streamboost {

// One class on several columns; `scale` holds the sums of squared deviations until outlook_scales makes 1 / standard deviation of them.
struct OutlookClass {
  double *weight, *mean, *scale, *low, *high;
  OutlookClass from(std::size_t q) const { return {weight + q, mean + q, scale + q, low + q, high + q}; }
};
// [point][column]: shares of the mass on either side, and the sum over classes of their x log2 x
struct OutlookMasses {
  const float *left, *right, *inside;
};
// share log2 share, 0 for 0
STREAMBOOST_KERNEL(void, outlook_logs, (const float* share, float* out, std::size_t n));
STREAMBOOST_KERNEL(void, outlook_scales, (const OutlookClass& c, std::size_t n));
// shares of the class; entropy -= share log2 share
STREAMBOOST_KERNEL(void, outlook_shares, (const OutlookClass& c, const double* whole, float* share, float* entropy, std::size_t n));
// z[point][column]: where the thresholds low + span (point + 1) / (points + 1) lie in the distribution of a class
STREAMBOOST_KERNEL(void, outlook_positions,
                   (const OutlookClass& c, const double* low, const double* span, std::size_t points, std::size_t n, float* z));
// adds a class of these shares to the masses
STREAMBOOST_KERNEL(void, outlook_masses, (const float* z, const float* share, float* left, float* right, float* inside, std::size_t n));
// The highest gain of the points with surely, or perhaps, more than `least` on both sides, give or take the doubt; they begin at -1.
STREAMBOOST_KERNEL(void, outlook_merits,
                   (const OutlookMasses& mass, const float* entropy, float least, float doubt, std::size_t points, std::size_t n,
                    float* lower, float* upper));

}  // namespace streamboost

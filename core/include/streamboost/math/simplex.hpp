// The point of the simplex {a >= 0, sum a = 1} nearest to v: a_i = max(v_i - tau, 0), with tau chosen so that they sum to 1.
//
// Paper     Duchi, Shalev-Shwartz, Singer, Chandra: Efficient projections onto the l1-ball (ICML 2008).
//
//   sort      u = v in descending order, rho = max{j: j u_j > u_1 + ... + u_j - 1}, tau = (u_1 + ... + u_rho - 1) / rho. Mostly nothing
//             is sorted: tau is at least (sum - 1) / n of any n of the values, so that what does not lie above that goes, and again
//             among the rest, until all do (Michelot 1986). Only what is left after some passes is put in order.
//   pivot     expected O(n): split the candidates at a random pivot p into {v >= p} and the rest; if all of the upper part lies
//             above tau it is settled and the lower part goes on, else the upper part goes on without that one pivot
//
// Moving v by a constant moves nothing, so the largest value is taken off first: only values within 1 of it can stay positive,
// whatever the spread of v, and no sum can overflow. The pivots are keyed draws (purpose 9, attempt = the split's number).
#pragma once
#include <algorithm>
#include <cmath>
#include <functional>

#include "streamboost/math/rng.hpp"

namespace streamboost {

enum class Projection { sort, pivot };

namespace detail {

// Eight partial sums: the order is fixed, and no addition waits for the one before.
inline double sum_of(const double* u, std::size_t n) {
  double part[8] = {};
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8)
    for (std::size_t k = 0; k < 8; ++k) part[k] += u[i + k];
  for (; i < n; ++i) part[0] += u[i];
  return ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]));
}

// The largest value is 0.
inline double threshold_by_sort(double* u, std::size_t n) {
  for (int pass = 0; pass < 12; ++pass) {
    const double least = (sum_of(u, n) - 1) / static_cast<double>(n);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < n; ++i) {
      u[kept] = u[i];
      kept += u[i] > least ? 1 : 0;
    }
    if (kept == n) return least;
    n = kept;
  }
  std::sort(u, u + n, std::greater<>());
  double sum = 0, tau = 0;
  for (std::size_t j = 0; j < n; ++j) {
    sum += u[j];
    const double size = static_cast<double>(j + 1);
    if (!(u[j] * size > sum - 1)) break;
    tau = (sum - 1) / size;
  }
  return tau;
}

inline double threshold_by_pivot(double* u, std::size_t n, Key key) {
  double settled = 0;    // sum of the values known to stay positive
  std::size_t kept = 0;  // ... and their number
  while (n > 0) {
    const auto pick = std::min(static_cast<std::size_t>(uniform(key) * static_cast<double>(n)), n - 1);
    ++key.attempt;
    const double pivot = u[pick];
    std::swap(u[pick], u[0]);
    std::size_t upper = 1;  // u[0 .. upper) >= pivot, the pivot itself first
    double sum = pivot;
    for (std::size_t i = 1; i < n; ++i) {
      if (u[i] < pivot) continue;
      sum += u[i];
      std::swap(u[i], u[upper++]);
    }
    if (settled + sum - static_cast<double>(kept + upper) * pivot < 1) {
      settled += sum;
      kept += upper;
      u += upper;
      n -= upper;
    } else {
      ++u;  // the pivot alone: equal values stay candidates
      n = upper - 1;
    }
  }
  return (settled - 1) / static_cast<double>(kept);
}

}  // namespace detail

// v becomes its projection. work: n doubles.
inline void project_to_simplex(double* v, std::size_t n, double* work, Projection how, const Key& key) {
  double high[8] = {v[0], v[0], v[0], v[0], v[0], v[0], v[0], v[0]};  // side by side, as in sum_of
  for (std::size_t i = 0; i + 8 <= n; i += 8)
    for (std::size_t k = 0; k < 8; ++k) high[k] = v[i + k] > high[k] ? v[i + k] : high[k];
  for (std::size_t i = n - n % 8; i < n; ++i) high[0] = std::max(high[0], v[i]);
  const double largest = *std::max_element(high, high + 8);
  std::size_t candidates = 0;
  for (std::size_t i = 0; i < n; ++i) {
    v[i] -= largest;
    work[candidates] = v[i];
    candidates += v[i] > -1.0 ? 1 : 0;  // tau >= largest - 1: the others are 0 for certain
  }
  const double tau =
      how == Projection::sort ? detail::threshold_by_sort(work, candidates) : detail::threshold_by_pivot(work, candidates, key);
  for (std::size_t i = 0; i < n; ++i) v[i] = v[i] > tau ? v[i] - tau : 0.0;
  const double share = 1 / detail::sum_of(v, n);  // the largest is positive, so the sum is
  for (std::size_t i = 0; i < n; ++i) v[i] *= share;
}

// The same for the l1 ball {sum |a| <= 1}: outside of it the sizes are projected and keep their signs. signs: n doubles.
inline void project_to_l1_ball(double* v, std::size_t n, double* work, double* signs, Projection how, const Key& key) {
  double size = 0;
  for (std::size_t i = 0; i < n; ++i) size += std::fabs(v[i]);
  if (size <= 1) return;
  for (std::size_t i = 0; i < n; ++i) {
    signs[i] = v[i] < 0 ? -1.0 : 1.0;
    v[i] = std::fabs(v[i]);
  }
  project_to_simplex(v, n, work, how, key);
  for (std::size_t i = 0; i < n; ++i) v[i] *= signs[i];
}

}  // namespace streamboost

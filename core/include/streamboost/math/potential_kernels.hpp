// Sums over a circle of nodes for the exact potentials. Tables of complex numbers [row][node] as two planes, `nodes` a multiple of 8,
// at most 1024.
#pragma once
#include <cstddef>
#include <cstdint>

#include "streamboost/math/levels.hpp"

namespace streamboost {

struct CircleTables {
  const double *re, *im;              // [room][node]
  const double *phase_re, *phase_im;  // [m][node]
  std::size_t nodes;
};
// room[g] + m is the row of factor g for that m, kept at `cap` if beyond; power[g] >= 1
struct CircleFactors {
  const std::int32_t *room, *power;
  int n, cap;
};
// sum over m in [first, last] of coefficient[m] Re(phase[m] prod_g table[room_g + m]^power_g), nodes left to right
STREAMBOOST_KERNEL(double, circle_sum,
                   (const CircleTables& tables, const CircleFactors& factors, const double* coefficient, int first, int last));

}  // namespace streamboost

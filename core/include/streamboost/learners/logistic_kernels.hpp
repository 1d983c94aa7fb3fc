// Loops of the logistic learner over lanes; n is a multiple of 16.
#pragma once
#include <cstddef>
#include <cstdint>

#include "streamboost/math/levels.hpp"

namespace streamboost {

// power = e^-|z| and large = 1 / (1 + power), which a lesson needs too;  h = 2 p - 1 = tanh(z / 2), to the bit odd in z;
// p0 = 1 / (1 + e^z), p1 = 1 / (1 + e^-z)
STREAMBOOST_KERNEL(void, logistic_margins, (const double* z, double* power, double* large, double* h, std::size_t n));
STREAMBOOST_KERNEL(void, logistic_pair, (const double* z, double* power, double* large, double* p0, double* p1, std::size_t n));
// Columns [column][lane], k of them: vote = that of the highest z, the lowest of equals; power = e^(z - highest), sum = their sum
STREAMBOOST_KERNEL(void, softmax_votes, (const double* z, std::size_t k, std::size_t n, std::int32_t* vote, double* highest));
STREAMBOOST_KERNEL(void, softmax_powers, (const double* z, std::size_t k, std::size_t n, double* power, double* sum));
// others = sum of the powers of the other columns
STREAMBOOST_KERNEL(void, softmax_others, (const double* power, std::size_t k, std::size_t n, double* others));
// What a lane needs for an importance-invariant step (learners/logistic.hpp)
struct LogisticLanes {
  const double *y, *product;    // +-1, Q
  bool alike;                   // all lanes have the first y and Q
  const double *amount, *pace;  // w, kappa
  double per_row;               // 1 / (v n)
  double *squares, *trained;    // B; 1 once a lane has learned
};
// step = y D / Q, of the margin y z; B grows. power and large as above, or null where they are not known.
STREAMBOOST_KERNEL(void, logistic_margin_steps,
                   (const double* z, const double* power, const double* large, const LogisticLanes& lanes, double* step, std::size_t n));
// the same of the margin y ln(power / others)
STREAMBOOST_KERNEL(void, logistic_odds_steps,
                   (const double* power, const double* others, const LogisticLanes& lanes, double* step, std::size_t n));

}  // namespace streamboost

// Loops of naive Bayes over lanes. Tables [row][lane], `lanes` padded; a product is mantissa * 2^exponent.
#pragma once
#include <cstddef>
#include <cstdint>

#include "streamboost/data/row.hpp"
#include "streamboost/math/levels.hpp"

namespace streamboost {

// quadratic[lane] = sum_i (x_i - mean)^2 precision; product = prod_i precision; with gaps a precision of 0 (no data) counts as 1
STREAMBOOST_KERNEL(void, gaussian_ask,
                   (const double* mean, const double* precision, std::size_t lanes, Entries row, double* quadratic, double* mantissa,
                    double* exponent));
// the same of the first four lanes only
STREAMBOOST_KERNEL(void, gaussian_ask_few,
                   (const double* mean, const double* precision, std::size_t lanes, Entries row, double* quadratic, double* mantissa,
                    double* exponent));
STREAMBOOST_KERNEL(void, gaussian_ask_gaps,
                   (const double* mean, const double* precision, std::size_t lanes, Entries row, double* quadratic, double* mantissa,
                    double* exponent));
// weighted Welford and the new precision of every listed table row; sum = weight of the class including the amount
struct TeachingShares {  // room for what all attributes share, [lane]
  double *ratio, *kept, *inverse, *live;
};
STREAMBOOST_KERNEL(void, gaussian_teach,
                   (double* mean, double* spread, double* precision, std::size_t lanes, Entries row, const double* amount,
                    const double* sum, double floor, TeachingShares shares));
// log joint of a class = log(square) / 2 + power, to be finished by log_lanes and halve_and_add; ratio null: no nominal attributes
STREAMBOOST_KERNEL(void, square_joints,
                   (const double* class_weight, double prior_alpha, const double* ratio, const double* ratio_exponent,
                    const double* mantissa, const double* exponent, const double* quadratic, std::size_t lanes, double* square,
                    double* power));
STREAMBOOST_KERNEL(void, halve_and_add, (double* square, const double* power, std::size_t n));
// two classes: tanh of half the difference of the joints, before they are finished
STREAMBOOST_KERNEL(void, odds_margins, (const double* square, const double* power, std::size_t lanes, double* margin));
// product over attributes of P(value | class); inverse: room for one over the weight of the attribute at hand.
// count_row[i]: table row of the value; weight[i]: lanes of the attribute's class weight; spread_alpha[i] = alpha * number of values
struct NominalTerms {
  const std::int32_t* count_row;
  const double* const* weight;
  const double* spread_alpha;
  int n;
};
STREAMBOOST_KERNEL(void, nominal_ask,
                   (const double* count, std::size_t lanes, NominalTerms terms, double alpha, double* mantissa, double* exponent,
                    double* inverse));
// the same where all attributes share one weight and nothing is added to the counts; false if some product is 0: ask again, the long way
STREAMBOOST_KERNEL(bool, nominal_ask_plain,
                   (const double* count, std::size_t lanes, const std::int32_t* count_row, int n, const double* weight, double* mantissa,
                    double* exponent));

}  // namespace streamboost

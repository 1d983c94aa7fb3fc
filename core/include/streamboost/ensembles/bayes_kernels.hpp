// Loops of the Bayesian ensemble over lanes, and over the nodes of its quadrature.
#pragma once
#include <cstddef>
#include <cstdint>

#include "streamboost/math/levels.hpp"
#include "streamboost/math/losses.hpp"

namespace streamboost {

// c = +1, -1 or, for an abstaining vote of -1, 0
STREAMBOOST_KERNEL(void, vote_signs, (const std::int32_t* vote, double* c, std::size_t n));
// what lane_stats.hpp keeps, for answers +1, 0 (wrong) and -1 and one weight for all
STREAMBOOST_KERNEL(void, watch_signs,
                   (const double* c, double y, double weight, double* sum_weight, double* sum_edge, double* mistakes, double* sum_margin,
                    std::size_t n));
// sum += weight g^2
STREAMBOOST_KERNEL(void, add_squares, (double* sum, const double* g, double weight, std::size_t n));
// losses of answers that are +1, 0 or -1, of which there are three
STREAMBOOST_KERNEL(void, losses_of_signs, (const double* c, double y, double right, double silent, double wrong, double* g, std::size_t n));
// d = l(-c) - l(c), divided so that d(1) = 1; of the losses that bayes.hpp takes
STREAMBOOST_KERNEL(void, loss_gaps, (MarginLoss loss, const double* c, double* d, std::size_t n));
// sum = keep sum + weight g, count = keep count + weight
STREAMBOOST_KERNEL(void, discount_add, (double* sum, double* count, const double* g, double keep, double weight, std::size_t n));
// lambda = (alpha + count) / (beta + theta sum)
STREAMBOOST_KERNEL(void, exponential_means,
                   (const double* sum, const double* count, double alpha, double beta, double theta, double* lambda, std::size_t n));
// lambda = clip(lambda - step (theta g - 1 / lambda), 1e-3, 1e6)
STREAMBOOST_KERNEL(void, sgd_weights, (const double* g, double step, double theta, double* lambda, std::size_t n));
// what the most likely losses say: (1 - shape) (ln against - ln for) + rate (against - for), losses clipped to [1e-6, 50]
STREAMBOOST_KERNEL(void, gamma_gaps,
                   (const double* against, const double* in_favour, const double* shape, const double* rate, double* d, std::size_t n));
// g clipped to [1e-6, 50] and its logarithm
STREAMBOOST_KERNEL(void, clip_log, (double* g, double* log_g, std::size_t n));
// at x = exp(centre + half_width node): density = exp(x slope - b lnGamma(x) + joint lnGamma(joint x + 1) [joint > 0] + ln x - peak)
struct GammaCurve {
  double slope, b, joint, peak;
};
STREAMBOOST_KERNEL(void, gamma_density,
                   (const GammaCurve& curve, double centre, double half_width, const double* node, double* x, double* density,
                    std::size_t n));

}  // namespace streamboost

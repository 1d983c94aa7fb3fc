// Loops of the Bayesian ensemble over lanes, and over the nodes of its quadrature.

#include "streamboost/ensembles/bayes_kernels.hpp"
#include "streamboost/math/levels.hpp"
#include "streamboost/math/math.hpp"

namespace streamboost::STREAMBOOST_LEVEL {
namespace {

constexpr double least_loss = 1e-6, most_loss = 50;

[[gnu::always_inline]] inline double clip(double x, double low, double high) {
  const double above = x < low ? low : x;
  return above > high ? high : above;
}

}  // namespace

void vote_signs(const std::int32_t* __restrict vote, double* __restrict c, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) c[i] = vote[i] > 0 ? 1.0 : vote[i] == 0 ? -1.0 : 0.0;
}

void watch_signs(const double* __restrict c, double y, double weight, double* __restrict sum_weight, double* __restrict sum_edge,
                 double* __restrict mistakes, double* __restrict sum_margin, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const double z = y * c[i];
    sum_weight[i] += weight;
    sum_edge[i] += weight * z;
    sum_margin[i] += z;
    mistakes[i] += z > 0.0 ? 0.0 : 1.0;
  }
}

void add_squares(double* __restrict sum, const double* __restrict g, double weight, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) sum[i] += weight * g[i] * g[i];
}

void losses_of_signs(const double* __restrict c, double y, double right, double silent, double wrong, double* __restrict g, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) g[i] = y * c[i] > 0.0 ? right : y * c[i] < 0.0 ? wrong : silent;
}

void loss_gaps(MarginLoss loss, const double* __restrict c, double* __restrict d, std::size_t n) {
  using losses::Hinge, losses::ZeroOne;
  if (loss == MarginLoss::hinge)
    for (std::size_t i = 0; i < n; ++i) d[i] = 0.5 * (Hinge::value(-c[i]) - Hinge::value(c[i]));
  else if (loss == MarginLoss::zero_one)
    for (std::size_t i = 0; i < n; ++i) d[i] = ZeroOne::value(-c[i]) - ZeroOne::value(c[i]);
  else  // logistic and squared: by their algebra
    for (std::size_t i = 0; i < n; ++i) d[i] = c[i];
}

void discount_add(double* __restrict sum, double* __restrict count, const double* __restrict g, double keep, double weight, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    sum[i] = keep * sum[i] + weight * g[i];
    count[i] = keep * count[i] + weight;
  }
}

void exponential_means(const double* __restrict sum, const double* __restrict count, double alpha, double beta, double theta,
                       double* __restrict lambda, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) lambda[i] = (alpha + count[i]) / (beta + theta * sum[i]);
}

void sgd_weights(const double* __restrict g, double step, double theta, double* __restrict lambda, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) lambda[i] = clip(lambda[i] - step * (theta * g[i] - 1.0 / lambda[i]), 1e-3, 1e6);
}

void gamma_gaps(const double* against, const double* in_favour, const double* shape, const double* rate, double* d, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const double bad = clip(against[i], least_loss, most_loss), good = clip(in_favour[i], least_loss, most_loss);
    d[i] = (1.0 - shape[i]) * (streamboost::log(bad) - streamboost::log(good)) + rate[i] * (bad - good);
  }
}

void clip_log(double* __restrict g, double* __restrict log_g, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    g[i] = clip(g[i], least_loss, most_loss);
    log_g[i] = streamboost::log(g[i]);
  }
}

void gamma_density(const GammaCurve& curve, double centre, double half_width, const double* __restrict node, double* __restrict x,
                   double* __restrict density, std::size_t n) {
  const GammaCurve k = curve;
  for (std::size_t i = 0; i < n; ++i) {
    const double u = centre + half_width * node[i];
    x[i] = streamboost::exp(u);
    density[i] = ((x[i] * k.slope - k.b * lgamma_positive(x[i])) + u) - k.peak;
  }
  if (k.joint > 0)
    for (std::size_t i = 0; i < n; ++i) density[i] += lgamma_positive(k.joint * x[i] + 1.0);
  for (std::size_t i = 0; i < n; ++i) density[i] = streamboost::exp(density[i]);
}

}  // namespace streamboost::STREAMBOOST_LEVEL

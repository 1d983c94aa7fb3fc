// Posterior means of the two Gamma likelihoods of the Bayesian ensemble, by quadrature on a line.
//
// Both posteriors, one parameter integrated out where there are two, have the form
//   density(x) ~ exp(slope x - b lnGamma(x) [+ lnGamma(joint x + 1)]),  x > 0,
// log-concave, with one peak. In u = ln x the peak of density(x) x is found by a guarded Newton iteration; 128 Gauss-Legendre
// nodes on +-12 standard deviations of the curvature there give the mean to a relative error below 1e-6.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>

#include "streamboost/ensembles/bayes_kernels.hpp"
#include "streamboost/math/math.hpp"

namespace streamboost {

class GammaPosterior {
 public:
  // joint = 0: without the second Gamma function.
  GammaPosterior(double slope, double b, double joint) : curve_{slope, b, joint, 0} {}

  // `guess` is where the search for the peak begins: the mean of one example ago.
  double mean(double guess) {
    const auto& rule = gauss_legendre();
    double curvature = 0;
    const double u = peak(streamboost::log(guess), curvature);
    const double x0 = streamboost::exp(u);
    // Of that many examples the mean is the peak to ten digits, while the density is lost in the rounding of its logarithm.
    if (curve_.b > concentrated) return std::clamp(x0, 1e-100, 1e100);
    curve_.peak =
        curve_.slope * x0 - curve_.b * lgamma_positive(x0) + u + (curve_.joint > 0 ? lgamma_positive(curve_.joint * x0 + 1) : 0.0);
    std::array<double, nodes> x, density;
    gamma_density(curve_, u, reach / std::sqrt(-curvature), rule.node.data(), x.data(), density.data(), nodes);
    double mass = 0, moment = 0;
    for (std::size_t i = 0; i < nodes; ++i) {
      mass += rule.weight[i] * density[i];
      moment += rule.weight[i] * density[i] * x[i];
    }
    return std::clamp(moment / mass, 1e-100, 1e100);
  }

 private:
  static constexpr std::size_t nodes = 128;
  static constexpr double reach = 12, concentrated = 1e10;

  struct Rule {
    std::array<double, nodes> node, weight;
  };

  // Roots of the Legendre polynomial by Newton's method; a pure function of `nodes`.
  static const Rule& gauss_legendre() {
    static const Rule rule = [] {
      Rule r{};
      const double n = nodes;
      for (std::size_t i = 0; i < nodes; ++i) {
        double x = -streamboost::cos(0x1.921fb54442d18p+1 * (static_cast<double>(i) + 0.75) / (n + 0.5)), slope = 1;
        for (int step = 0; step < 10; ++step) {
          double p = 1, before = 0;
          for (std::size_t k = 1; k <= nodes; ++k) {
            const double d = static_cast<double>(k), next = ((2 * d - 1) * x * p - (d - 1) * before) / d;
            before = p;
            p = next;
          }
          slope = n * (x * p - before) / (x * x - 1);
          x -= p / slope;
        }
        r.node[i] = x;
        r.weight[i] = 2 / ((1 - x * x) * slope * slope);
      }
      return r;
    }();
    return rule;
  }

  // The root of d/du [ln density + u] = x (ln density)'(x) + 1, which falls through 0 once; curvature: its slope there.
  double peak(double u, double& curvature) const {
    double low = -230, high = 230;
    u = std::clamp(u, low + 1, high - 1);
    for (int step = 0; step < 200; ++step) {
      const double x = streamboost::exp(u), inner = curve_.joint * x + 1;
      double first = curve_.slope - curve_.b * digamma(x), second = -curve_.b * trigamma(x);
      if (curve_.joint > 0) {
        first += curve_.joint * digamma(inner);
        second += curve_.joint * curve_.joint * trigamma(inner);
      }
      const double value = x * first + 1;
      const double slope = x * first + x * x * second;
      curvature = std::min(slope, -1e-3);
      (value > 0 ? low : high) = u;
      double next = slope < 0 ? u - value / slope : u + (value > 0 ? 1.0 : -1.0);
      next = std::clamp(next, u - 5, u + 5);
      if (!(next > low && next < high)) next = 0.5 * (low + high);
      const double moved = std::fabs(next - u);
      u = next;
      if (moved < 1e-9) break;
    }
    return u;
  }

  GammaCurve curve_;
};

}  // namespace streamboost

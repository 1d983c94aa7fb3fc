// How far the margin m moves when the logistic loss is descended for a "time" S (Karampatziakis, Langford: Online importance weight
// aware updates, 2011): dm/dS = 1 / (1 + e^m). With a = e^m the move D is the root of
//
//   D + a (e^D - 1) = S,      0 <= D <= min(S / (1 + a), log(1 + S / a)).
//
// flow_near  for S <= 1 + a: a start of second order, one Halley step with e^D - 1 as its [3/3] Pade form; relative error 3.1e-6,
//            residual 4.4e-6 S
// flow_far   for S >  1 + a: the bound above, three Halley steps; relative error 5e-10
// Errors are the largest seen for m in [-30, 30]; core/tests/test_logistic.cpp fails when they are passed. Both vectorise.
#pragma once
#include "streamboost/math/math.hpp"

namespace streamboost {
namespace detail {

// Towards the root of D + a g(D) - S with g = e^D - 1 given.
[[gnu::always_inline]] inline double halley(double D, double g, double a, double S) {
  const double e = a * g;
  const double f = D + e - S, slope = 1.0 + a + e, bend = a + e;
  return D - 2.0 * f * slope / (2.0 * slope * slope - f * bend);
}

}  // namespace detail

// The near form in its three parts: the start, e^D - 1 there, the step. A loop over lanes runs them one after the other, as a machine
// looks ahead far enough for several lanes of a part but not of the whole.
[[gnu::always_inline]] inline double near_start(double a, double S) {
  const double o = 1.0 + a;
  return 2.0 * S * o / (2.0 * o * o + S * a);
}
[[gnu::always_inline]] inline double near_growth(double D) {
  const double p = 120.0 + 12.0 * D * D, q = D * (60.0 + D * D);
  return 2.0 * q / (p - q);
}
[[gnu::always_inline]] inline double near_step(double D, double growth, double a, double S) {
  const double moved = detail::halley(D, growth, a, S);
  return moved > 0.0 ? moved : 0.0;
}
[[gnu::always_inline]] inline double flow_near(double a, double S) {
  const double D = near_start(a, S);
  return near_step(D, near_growth(D), a, S);
}

[[gnu::always_inline]] inline double flow_far(double a, double S) {
  const double slow = S / (1.0 + a), fast = log1p(S / a);
  double D = slow < fast ? slow : fast;
  for (int step = 0; step < 3; ++step) D = detail::halley(D, expm1(D), a, S);
  return D > 0.0 ? D : 0.0;
}

[[gnu::always_inline]] inline double flow(double a, double S) { return S > 1.0 + a ? flow_far(a, S) : flow_near(a, S); }

inline constexpr double margin_limit = 30;  // of a margin inside a step; the score itself is never clipped

// e^m of the margin, kept within e^-30 .. e^30
[[gnu::always_inline]] inline double logistic_odds(double margin) {
  const double m = margin < -margin_limit ? -margin_limit : margin > margin_limit ? margin_limit : margin;
  return exp(m);
}
// the same for m = y ln(power / others), of which one may have underflowed to 0
[[gnu::always_inline]] inline double logistic_odds(double y, double power, double others) {
  constexpr double high = 0x1.370470aec28edp+43, low = 0x1.a56e0c2ac7f75p-44;  // e^30, e^-30
  const double odds = (y > 0.0 ? power : others) / (y > 0.0 ? others : power);
  return odds < low ? low : odds > high ? high : odds;
}

// S = w Q kappa sqrt(v n / B)
[[gnu::always_inline]] inline double logistic_time(double w, double squares, double product, double pace, double rows) {
  const double time = (w * (pace * std::sqrt(rows / (squares + 1e-300)))) * product;
  return time < 1e30 ? time : 1e30;
}

// 2 p - 1 with p = 1 / (1 + e^-z): to the bit odd in z
[[gnu::always_inline]] inline double logistic_margin(double z) {
  const double e = exp(-std::fabs(z));
  return std::copysign((1.0 - e) / (1.0 + e), z);
}

}  // namespace streamboost

// How far the margin m moves when the logistic loss is descended for a "time" S (Karampatziakis, Langford: Online importance weight
// aware updates, 2011): dm/dS = 1 / (1 + e^m). With a = e^m the move D is the root of
//
//   D + a (e^D - 1) = S,      0 <= D <= min(S / (1 + a), log(1 + S / a)).
//
// The two slopes of the loss, g = 1 / (1 + a) and k = a / (1 + a), make numbers of moderate size of it: with x = S g
//
//   g D + k (e^D - 1) = x.
//
// x comes as pull / drag, a product and a root, and is divided out only by the far form.
//
// flow_near  for x <= 1: a start of second order, one Halley step with e^D - 1 as its [3/3] Pade form, whose denominator cancels;
//            relative error 3.1e-6, residual 4.4e-6 S
// flow_far   for x > 1: the bound above, three Halley steps; relative error 5e-10
// Errors are the largest seen for m in [-30, 30]; core/tests/test_logistic.cpp fails when they are passed. Both vectorise.
#pragma once
#include "streamboost/math/math.hpp"

namespace streamboost {

namespace detail {
// e^30 and e^-30: margins are kept within 30 inside of a step; the score itself is never clipped
inline constexpr double odds_high = 0x1.370470aec28edp+43, odds_low = 0x1.a56e0c2ac7f75p-44;
}  // namespace detail

struct Slopes {
  double g, k;  // of the loss of the margin, and of the loss of its opposite
};
// power = e^-|m|, large = 1 / (1 + power); ahead: m > 0
[[gnu::always_inline]] inline Slopes slopes_of_power(double power, double large, bool ahead) {
  const double small = (power > detail::odds_low ? power : detail::odds_low) * large;
  return {ahead ? small : large, ahead ? large : small};
}
// m = y ln(power / others), of which one may have underflowed to 0
[[gnu::always_inline]] inline Slopes slopes_of_odds(double y, double power, double others) {
  const double share = 1.0 / (power + others), own = power * share, rest = others * share;
  const double g = y > 0.0 ? rest : own, k = y > 0.0 ? own : rest;
  return {g > detail::odds_low ? g : detail::odds_low, k > detail::odds_low ? k : detail::odds_low};
}
[[gnu::always_inline]] inline double power_of_score(double z) { return exp_down(std::fabs(z)); }

// The near form in two parts. A loop over lanes runs them one after the other, as a machine looks ahead far enough for several lanes of
// a part but not of the whole.
[[gnu::always_inline]] inline double near_start(double pull, double drag, double k) { return 2.0 * pull / (2.0 * drag + pull * k); }
[[gnu::always_inline]] inline double near_step(double D, double pull, double drag, Slopes s) {
  const double square = D * D, q = D * (60.0 + square), r = 120.0 + 12.0 * square - q, e = 2.0 * s.k * q;  // e^D - 1 = 2 q / r
  const double f = (s.g * D * drag - pull) * r + e * drag, slope = r + e, bend = s.k * r + e;
  const double moved = D - 2.0 * f * slope / (2.0 * slope * slope * drag - f * bend);
  return moved > 0.0 ? moved : 0.0;
}
[[gnu::always_inline]] inline double flow_near(Slopes s, double pull, double drag) {
  return near_step(near_start(pull, drag, s.k), pull, drag, s);
}

[[gnu::always_inline]] inline double flow_far(Slopes s, double pull, double drag) {
  const double time = pull / (drag * s.g), S = time < 1e30 ? time : 1e30;
  const double a = s.k / s.g, slow = S * s.g, fast = log1p(S / a);
  double D = slow < fast ? slow : fast;
  for (int step = 0; step < 3; ++step) {
    const double e = a * expm1(D), f = D + e - S, slope = 1.0 + a + e, bend = a + e;
    D -= 2.0 * f * slope / (2.0 * slope * slope - f * bend);
  }
  return D > 0.0 ? D : 0.0;
}

[[gnu::always_inline]] inline double flow(Slopes s, double pull, double drag) {
  return pull > drag ? flow_far(s, pull, drag) : flow_near(s, pull, drag);
}

// sqrt(B / (v n)): x = w Q kappa g over this. Never 0, so that a lane without weight moves by 0.
[[gnu::always_inline]] inline double logistic_drag(double squares, double per_row) { return std::sqrt((squares + 1e-280) * per_row); }

// S = w Q kappa sqrt(v n / B), where it is wanted whole
[[gnu::always_inline]] inline double logistic_time(double w, double squares, double product, double pace, double rows) {
  const double time = (w * (pace * std::sqrt(rows / (squares + 1e-300)))) * product;
  return time < 1e30 ? time : 1e30;
}

// 2 p - 1 with p = 1 / (1 + e^-z): to the bit odd in z; power = e^-|z|
[[gnu::always_inline]] inline double logistic_margin(double z, double power) { return std::copysign((1.0 - power) / (1.0 + power), z); }

}  // namespace streamboost

// The losses, each once: value, slope, bound of the slopes, link.
//
// Of a margin m = y F, y = +1 or -1, F the score of class +1. `pull` is minus the slope, so that it is not negative where a larger margin
// is better; the bound is that of |slope| for |m| <= reach; F says sigmoid(link F) for class +1.
//
//   loss           value                          pull                          bound        link
//   logistic       ln(1 + e^-m)                   1 / (1 + e^m)                 1            1
//   exponential    e^-m                           e^-m                          e^reach      2
//   hinge          max(0, 1 - m)                  1{m < 1}                      1            2
//   squared_hinge  max(0, 1 - m)^2 / 2            max(0, 1 - m)                 1 + reach    2
//   squared        (1 - m)^2                      2 (1 - m)                     2 + 2 reach  2
//   zero_one       1{m <= 0}                      0 (it has no slope to follow) 0            2
//   doom           1 - tanh m                     1 - tanh^2 m                  1            2
//   savage         1 / (1 + e^2m)^2               4 e^2m / (1 + e^2m)^3         16 / 27      2
//
// Of an answer z to a target y, by off = z - y: all slopes are `off` kept within [low, high], or steps of these two heights.
//
//   loss           value                                       slope                        bound
//   squared        off^2 / 2                                   off                          reach
//   huber          off^2 / 2 within d, then d (|off| - d/2)    off within [-d, d]           d
//   absolute       |off|                                       sign(off)                    1
//   quantile       (1 - tau) off above y, -tau off below       1 - tau above, -tau below    max(tau, 1 - tau)
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <limits>
#include <stdexcept>

#include "streamboost/data/config.hpp"
#include "streamboost/math/levels.hpp"
#include "streamboost/math/math.hpp"

namespace streamboost {

enum class MarginLoss { logistic, exponential, hinge, squared_hinge, squared, zero_one, doom, savage };

// Arithmetic on one number, without branches: loops over it vectorise.
namespace losses {

struct Logistic {
  static constexpr const char* name = "logistic";
  static constexpr double link = 1;
  // log1p_exp(-m), bit for bit, without the branches of log1p that arguments in [0, 1] never take: those keep gcc from vectorising.
  [[gnu::always_inline]] static double value(double m) {
    const double t = streamboost::exp(-std::fabs(m)), u = 1.0 + t;
    return (-m > 0.0 ? -m : 0.0) + (streamboost::log(u) + (t - (u - 1.0)) / u);
  }
  [[gnu::always_inline]] static double pull(double m) { return sigmoid(-m); }
  static double bound(double) { return 1; }
};

struct Exponential {
  static constexpr const char* name = "exponential";
  static constexpr double link = 2, farthest = 600;  // no infinity comes out
  [[gnu::always_inline]] static double value(double m) { return streamboost::exp(-m < farthest ? -m : farthest); }
  [[gnu::always_inline]] static double pull(double m) { return value(m); }
  static double bound(double reach) { return value(-reach); }
};

struct Hinge {
  static constexpr const char* name = "hinge";
  static constexpr double link = 2;
  [[gnu::always_inline]] static double value(double m) { return m < 1.0 ? 1.0 - m : 0.0; }
  [[gnu::always_inline]] static double pull(double m) { return m < 1.0 ? 1.0 : 0.0; }
  static double bound(double) { return 1; }
};

struct SquaredHinge {
  static constexpr const char* name = "squared_hinge";
  static constexpr double link = 2;
  [[gnu::always_inline]] static double value(double m) { return 0.5 * pull(m) * pull(m); }
  [[gnu::always_inline]] static double pull(double m) { return m < 1.0 ? 1.0 - m : 0.0; }
  static double bound(double reach) { return 1 + reach; }
};

struct Squared {
  static constexpr const char* name = "squared";
  static constexpr double link = 2;
  [[gnu::always_inline]] static double value(double m) { return (1.0 - m) * (1.0 - m); }
  [[gnu::always_inline]] static double pull(double m) { return 2.0 * (1.0 - m); }
  static double bound(double reach) { return 2 + 2 * reach; }
};

struct ZeroOne {
  static constexpr const char* name = "zero_one";
  static constexpr double link = 2;
  [[gnu::always_inline]] static double value(double m) { return m > 0.0 ? 0.0 : 1.0; }
  [[gnu::always_inline]] static double pull(double) { return 0; }
  static double bound(double) { return 0; }
};

struct Doom {
  static constexpr const char* name = "doom";
  static constexpr double link = 2;
  [[gnu::always_inline]] static double value(double m) { return 1.0 - streamboost::tanh(m); }
  [[gnu::always_inline]] static double pull(double m) {
    const double t = streamboost::tanh(m);
    return 1.0 - t * t;
  }
  static double bound(double) { return 1; }
};

struct Savage {
  static constexpr const char* name = "savage";
  static constexpr double link = 2;
  [[gnu::always_inline]] static double value(double m) { return sigmoid(-2.0 * m) * sigmoid(-2.0 * m); }
  [[gnu::always_inline]] static double pull(double m) {  // without overflow
    const double right = sigmoid(2.0 * m), wrong = sigmoid(-2.0 * m);
    return 4.0 * right * wrong * wrong;
  }
  static double bound(double) { return 16.0 / 27.0; }
};

}  // namespace losses

// work(the loss), once.
template <class Work>
[[gnu::always_inline]] inline auto with_loss(MarginLoss loss, const Work& work) {
  switch (loss) {
    case MarginLoss::logistic:
      return work(losses::Logistic{});
    case MarginLoss::exponential:
      return work(losses::Exponential{});
    case MarginLoss::hinge:
      return work(losses::Hinge{});
    case MarginLoss::squared_hinge:
      return work(losses::SquaredHinge{});
    case MarginLoss::squared:
      return work(losses::Squared{});
    case MarginLoss::zero_one:
      return work(losses::ZeroOne{});
    case MarginLoss::doom:
      return work(losses::Doom{});
    default:
      return work(losses::Savage{});
  }
}

inline double loss_value(MarginLoss loss, double m) {
  return with_loss(loss, [=](auto l) { return l.value(m); });
}
inline double loss_pull(MarginLoss loss, double m) {
  return with_loss(loss, [=](auto l) { return l.pull(m); });
}
inline double slope_bound(MarginLoss loss, double reach) {
  return with_loss(loss, [=](auto l) { return l.bound(reach); });
}
inline double loss_link(MarginLoss loss) {
  return with_loss(loss, [](auto l) { return l.link; });
}
// The same of many margins, with the bits of one (core/src/math/losses_kernels.cpp): of y c; of m, in place.
STREAMBOOST_KERNEL(void, loss_values, (MarginLoss loss, const double* c, double y, double* value, std::size_t n));
STREAMBOOST_KERNEL(void, loss_pulls, (MarginLoss loss, double* m, std::size_t n));

// The parameter `loss`, one of those that an ensemble takes.
inline MarginLoss read_margin_loss(const Config& config, std::initializer_list<MarginLoss> known) {
  for (const MarginLoss loss : known)
    if (config.is("loss", with_loss(loss, [](auto l) { return l.name; }))) return loss;
  throw std::invalid_argument("unknown value for loss");
}

struct NumberLoss {
  enum class Kind { squared, huber, absolute, quantile };
  static Kind read(const Config& config) {
    return config.choice<Kind>(
        "loss", {{"squared", Kind::squared}, {"huber", Kind::huber}, {"absolute", Kind::absolute}, {"quantile", Kind::quantile}});
  }

  double low, high;  // the least and the greatest slope
  bool steps;        // there are no others

  static NumberLoss of(Kind kind, double d, double tau) {
    switch (kind) {
      case Kind::squared:
        return {-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity(), false};
      case Kind::huber:
        return {-d, d, false};
      case Kind::absolute:
        return {-1, 1, true};
      default:
        return {-tau, 1 - tau, true};
    }
  }
  double value(double off) const {
    const double size = std::fabs(off);
    if (steps) return off > 0 ? high * size : -low * size;
    return size <= high ? size * size / 2 : high * (size - high / 2);
  }
  [[gnu::always_inline]] double slope(double off) const {
    const double below = off < low ? low : off, clipped = high < below ? high : below;
    const double down = off < 0.0 ? low : 0.0, step = off > 0.0 ? high : down;
    return steps ? step : clipped;
  }
  bool quadratic() const { return std::isinf(high); }
  double bound(double reach) const { return quadratic() ? reach : std::max(-low, high); }
};

}  // namespace streamboost

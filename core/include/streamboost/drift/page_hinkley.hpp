// The Page-Hinkley test: the sum of deviations from the mean so far has moved away from its extreme.
//
// Paper     Page: Continuous inspection schemes (Biometrika 41, 1954); with fading as in Mouss et al.: Test of Page-Hinkley, an
//           approach for fault detection in an agro-alimentary production system (2004).
//
//   paper        here         meaning
//   x_mean       mean         mean of the numbers since the last drift, this one included
//   delta        delta        deviations this small are tolerated
//   lambda       threshold    how far the sum may move
//   U_t, m_t     up, least    U <- alpha U + (x - mean - delta), and the least U so far: a rise is U - min U > lambda
//                down, most   the same for falls: D <- alpha D + (x - mean + delta), and max D - D > lambda
//
// Departures  Both extremes start at 0, before the first number.
// Cost        O(1) per number.
#pragma once
#include <algorithm>

#include "streamboost/drift/detector.hpp"

namespace streamboost {

// Which changes of the mean count.
enum class Direction { up, down, both };
inline Direction read_direction(const Config& c) {
  return c.choice<Direction>("mode", {{"up", Direction::up}, {"down", Direction::down}, {"both", Direction::both}});
}

class PageHinkley {
 public:
  struct Params {
    double least, delta, threshold, alpha;
    Direction direction;
    static Params read(const Config& c) {
      return {c.number("min_instances"), c.number("delta"), c.number("threshold"), c.number("alpha"), read_direction(c)};
    }
  };
  static constexpr bool lasting = true;

  Signal update(double x, const Params& params, std::uint32_t) {
    if (over_) reset();
    n_ += 1;
    mean_ += (x - mean_) / n_;
    const double deviation = x - mean_;
    up_ = params.alpha * up_ + deviation - params.delta;
    down_ = params.alpha * down_ + deviation + params.delta;
    least_ = std::min(least_, up_);
    most_ = std::max(most_, down_);
    if (n_ < params.least) return {};
    const bool rose = params.direction != Direction::down && up_ - least_ > params.threshold;
    const bool fell = params.direction != Direction::up && most_ - down_ > params.threshold;
    over_ = rose || fell;
    return {false, over_};
  }
  void reset(bool = true) { *this = PageHinkley(); }
  void expect(const Params&) {}

  std::int64_t width() const { return static_cast<std::int64_t>(n_); }
  double mean() const { return mean_; }

  std::vector<double> pack() const { return {n_, mean_, up_, down_, least_, most_, over_ ? 1.0 : 0.0}; }
  void unpack(const std::vector<double>& packed, const Params&) {
    require(packed.size() == 7 && is_count(packed[0]), "drift detector");
    require(packed[4] <= 0 && packed[4] <= packed[2] && packed[5] >= 0 && packed[5] >= packed[3], "drift detector");
    n_ = packed[0];
    mean_ = packed[1];
    up_ = packed[2];
    down_ = packed[3];
    least_ = packed[4];
    most_ = packed[5];
    over_ = packed[6] != 0;
  }

 private:
  double n_ = 0, mean_ = 0, up_ = 0, down_ = 0, least_ = 0, most_ = 0;
  bool over_ = false;  // whether the last number was a drift
};

}  // namespace streamboost

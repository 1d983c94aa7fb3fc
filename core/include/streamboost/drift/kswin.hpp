// KSWIN: the newest numbers of a window are not distributed like a sample of those before them.
//
// Paper     Raab, Heusinger, Schleif: Reactive soft prototype computing for concept drift streams (Neurocomputing 416, 2020).
//
//   paper     here            meaning
//   n         window          numbers that are kept
//   r         newest          how many of the newest are compared with as many of the others
//   W, R      sample, newest  a sample of r older numbers without replacement, and the r newest
//   dist      gap             largest difference between the two empirical distribution functions
//   alpha     alpha           level of the test: a drift is gap > sqrt(ln(2 / alpha) / r)
//
// After a drift only the r newest numbers are kept.
//
// Departures  The paper draws the sample from a generator; ours is a function of the seed, the lane and how many numbers have come: the
//             older numbers are visited from the oldest, and number i is taken if its uniform times the numbers left to visit is below
//             the numbers left to take. mode = up counts only gaps in which the newest numbers are the larger ones (the one-sided
//             statistic with the same bound): a learner whose errors become fewer is no drift.
// Cost        O(window) draws and O(r log r) per number, once the window is full.
#pragma once
#include <algorithm>
#include <cmath>

#include "streamboost/drift/page_hinkley.hpp"
#include "streamboost/math/math.hpp"
#include "streamboost/math/rng.hpp"

namespace streamboost {

class Kswin {
 public:
  struct Params {
    double alpha;
    std::size_t window, newest;
    std::uint64_t seed;
    Direction direction;
    static Params read(const Config& c) {
      return {c.number("alpha"), c.whole<std::size_t>("window_size"), c.whole<std::size_t>("stat_size"), c.whole<std::uint64_t>("seed"),
              read_direction(c)};
    }
  };
  static constexpr bool lasting = true;

  Signal update(double x, const Params& params, std::uint32_t lane) {
    time_ += 1;
    if (window_.size() == params.window) window_.erase(window_.begin());
    window_.push_back(x);
    if (window_.size() < params.window) return {};
    draw_sample(params, lane);
    newest_.assign(window_.end() - static_cast<std::ptrdiff_t>(params.newest), window_.end());
    std::sort(sample_.begin(), sample_.end());
    std::sort(newest_.begin(), newest_.end());
    const auto r = static_cast<double>(params.newest);
    if (!(largest_gap(params.direction) > std::sqrt(log(2 / params.alpha) / r))) return {};
    window_.erase(window_.begin(), window_.end() - static_cast<std::ptrdiff_t>(params.newest));
    return {false, true};
  }
  void reset(bool = true) {
    time_ = 0;
    window_.clear();
  }
  void expect(const Params& params) {
    window_.reserve(params.window);
    sample_.reserve(params.newest);
    newest_.reserve(params.newest);
  }

  std::int64_t width() const { return static_cast<std::int64_t>(window_.size()); }
  double mean() const {
    double sum = 0;
    for (double x : window_) sum += x;
    return window_.empty() ? 0.0 : sum / static_cast<double>(window_.size());
  }

  std::vector<double> pack() const {
    std::vector<double> out{static_cast<double>(time_)};
    out.insert(out.end(), window_.begin(), window_.end());
    return out;
  }
  void unpack(const std::vector<double>& packed, const Params& params) {
    require(!packed.empty() && is_count(packed[0]) && packed.size() - 1 <= params.window, "drift detector");
    require(packed[0] >= static_cast<double>(packed.size() - 1), "drift detector");
    time_ = static_cast<std::uint64_t>(packed[0]);
    window_.assign(packed.begin() + 1, packed.end());
  }

 private:
  void draw_sample(const Params& params, std::uint32_t lane) {
    sample_.clear();
    std::size_t left = params.window - params.newest;
    for (std::size_t i = 0; sample_.size() < params.newest; ++i, --left) {
      const double u = uniform({params.seed, time_, lane, Purpose::detector, static_cast<std::uint32_t>(i)});
      if (u * static_cast<double>(left) < static_cast<double>(params.newest - sample_.size())) sample_.push_back(window_[i]);
    }
  }
  // Both samples are sorted. How far the newest numbers' distribution function lies below the sample's (they are larger), or above.
  double largest_gap(Direction direction) const {
    const std::size_t r = sample_.size();
    double below = 0, above = 0;
    for (std::size_t i = 0, j = 0; i < r && j < r;) {
      const double x = std::min(sample_[i], newest_[j]);
      while (i < r && sample_[i] <= x) ++i;
      while (j < r && newest_[j] <= x) ++j;
      const double gap = (static_cast<double>(i) - static_cast<double>(j)) / static_cast<double>(r);
      below = std::max(below, gap);
      above = std::max(above, -gap);
    }
    return direction == Direction::up ? below : direction == Direction::down ? above : std::max(below, above);
  }

  std::uint64_t time_ = 0;
  std::vector<double> window_;           // the oldest first
  std::vector<double> sample_, newest_;  // of the update at hand
};

}  // namespace streamboost

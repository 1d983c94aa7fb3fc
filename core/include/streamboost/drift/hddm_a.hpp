// HDDM-A: the mean has risen above that of a prefix by more than Hoeffding's bound allows.
//
// Paper     Frías-Blanco et al.: Online and non-parametric drift detection methods based on Hoeffding's bounds (IEEE TKDE 27, 2015),
//           the A-test.
//
//   paper            here          meaning
//   alpha_D, W       drift, warning   levels of a drift and of a warning
//   X_cut, eps_cut   low           the prefix of n1 numbers with the least mean1 + sqrt(ln(1/drift) / (2 n1))
//   H0 rejected                    mean - mean1 >= sqrt((1/n1 - 1/n) ln(2/level) / 2), n numbers of mean `mean` since the last drift
//   two-sided        high          the same for falls, with the signs turned round
//
// Departures  The prefix is chosen with the drift level at both levels. Of equal prefixes the longest counts.
// Cost        O(1) per number.
#pragma once
#include <cmath>

#include "streamboost/drift/detector.hpp"
#include "streamboost/math/math.hpp"

namespace streamboost {

struct HddmLevels {
  double drift, warning;
  bool two_sided;
  static HddmLevels read(const Config& c) { return {c.number("drift_confidence"), c.number("warning_confidence"), c.flag("two_sided")}; }
};

class HddmA {
 public:
  using Params = HddmLevels;
  static constexpr bool lasting = true;

  Signal update(double x, const Params& params, std::uint32_t) {
    if (over_) reset();
    all_.n += 1;
    all_.sum += x;
    const double now = all_.mean(), room = bound(1 / all_.n, 1 / params.drift);
    if (low_.n == 0 || now + room <= low_.mean() + bound(1 / low_.n, 1 / params.drift)) low_ = all_;
    if (high_.n == 0 || now - room >= high_.mean() - bound(1 / high_.n, 1 / params.drift)) high_ = all_;
    const auto moved = [&](double level) { return away(low_, 1, level) || (params.two_sided && away(high_, -1, level)); };
    over_ = moved(params.drift);
    return {moved(params.warning), over_};
  }
  void reset(bool = true) { *this = HddmA(); }
  void expect(const Params&) {}

  std::int64_t width() const { return static_cast<std::int64_t>(all_.n); }
  double mean() const { return all_.n > 0 ? all_.mean() : 0.0; }

  std::vector<double> pack() const { return {all_.n, all_.sum, low_.n, low_.sum, high_.n, high_.sum, over_ ? 1.0 : 0.0}; }
  void unpack(const std::vector<double>& packed, const Params&) {
    require(packed.size() == 7, "drift detector");
    Prefix* const parts[] = {&all_, &low_, &high_};
    for (std::size_t i = 0; i < 3; ++i) {
      const double n = packed[2 * i], sum = packed[2 * i + 1];
      require(is_count(n) && n <= packed[0] && sum >= 0 && sum <= n && (n > 0 || packed[0] == 0), "drift detector");
      *parts[i] = {n, sum};
    }
    over_ = packed[6] != 0;
  }

 private:
  struct Prefix {
    double n = 0, sum = 0;
    double mean() const { return sum / n; }
  };

  static double bound(double spread, double odds) { return std::sqrt(0.5 * spread * log(odds)); }
  bool away(const Prefix& prefix, double sign, double level) const {
    if (prefix.n == all_.n) return false;
    return sign * (all_.mean() - prefix.mean()) >= bound(1 / prefix.n - 1 / all_.n, 2 / level);
  }

  Prefix all_, low_, high_;
  bool over_ = false;  // whether the last number was a drift
};

}  // namespace streamboost
